//! Bugs of updates, by row.

use super::Case;
use super::images::{changed_of, each_box, last_slot, mesh, one_box, radv, unwrite, updated};
use crate::check::edit::edit_bits;
use crate::check::worlds::{scene, tree};
use build::Preset;
use gfx12::encode::{Options, Policy, encode};
use gfx12::layout::{BoxNode, CullFlags, NodePointer};

pub(super) fn row_24() -> Case {
    updated(|image| {
        each_box(image, |number, node| {
            if number % 7 == 3 {
                node.children[0].max = node.children[0].min;
            }
        });
    })
}

pub(super) fn row_26() -> Case {
    let case = changed_of(&scene("empty", 1), |image| {
        let base = image.bases[0];
        edit_bits(image, 0, |bits| (2..8).for_each(|word| bits.set_word(word, 0)));
        edit_bits(image, base, |bits| {
            let mut node = BoxNode::decode(bits);
            for child in &mut node.children {
                (child.min, child.max) = ([0; 3], [0xFFF; 3]);
            }
            *bits = node.encode();
        });
    });
    Case { is_update: true, ..case }
}

pub(super) fn row_27() -> Case {
    updated(|image| {
        one_box(
            image,
            |number, _| number == 1,
            |node| {
                (node.children[0].min, node.children[0].max) = ([0; 3], [0; 3]);
                (node.children[1].min, node.children[1].max) = ([0; 3], [0xFFF; 3]);
            },
        );
    })
}

pub(super) fn row_28() -> Case {
    updated(|image| {
        each_box(image, |number, node| {
            if number < 5 {
                (node.internal_base, node.primitive_base) = (0xCDCD_CDC0, 0xCDCD_CDC0);
            }
        });
    })
}

pub(super) fn row_29() -> Case {
    updated(|image| each_box(image, |_, node| node.parent = NodePointer(0)))
}

pub(super) fn row_30() -> Case {
    updated(|image| {
        each_box(image, |_, node| node.children[0].cull_flags = CullFlags::ONLY_PROCEDURAL);
    })
}

pub(super) fn row_31() -> Case {
    let good = radv(&mesh());
    let mut moved = mesh();
    for geometry in moved.objects.iter_mut().flat_map(|object| &mut object.geometries) {
        if let scene::Shape::Triangles { positions, .. } = &mut geometry.shape {
            positions.iter_mut().for_each(|corner| corner.x += 0.5);
        }
    }
    // The same tree over moved vertices, under the boxes of before.
    let mut built = tree(&mesh(), Preset::Balanced);
    for triangle in &mut built.blases[0].primitives.triangles {
        triangle.vertices.iter_mut().for_each(|corner| corner.x += 0.5);
    }
    let faulty = encode(&built, &Options::new(Policy::Radv)).unwrap().image;
    Case { good, faulty, scene: Some(moved), is_update: true, old: None }
}

pub(super) fn row_32() -> Case {
    changed_of(&scene("procedurals", 9), |image| {
        one_box(
            image,
            |_, node| node.child_count > 2 && node.children[0].node_type == 0,
            |node| {
                let last = *last_slot(node);
                (node.children[0].min, node.children[0].max) = (last.min, last.max);
            },
        );
    })
}

/// The destination is what memory held, and the source what an update made of that.
pub(super) fn row_33() -> Case {
    let case = updated(|image| image.segments[0].bytes_mut().fill(0));
    let mut old = case.good.clone();
    unwrite(&mut old);
    Case { old: Some(old), ..case }
}

pub(super) fn row_34() -> Case {
    let case = row_31();
    Case { faulty: case.good.clone(), ..case }
}

/// The header was copied, and nodes were not written.
pub(super) fn row_35() -> Case {
    updated(unwrite)
}
