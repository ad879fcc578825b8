//! Bugs of builds, by row.

use super::Case;
use super::images::{
    changed, changed_of, drop_last, each_box, last_slot, listed, mesh, one_box, radv, shrink, world,
};
use crate::check::edit::{boxes, edit_bits, instances, primitive_nodes};
use crate::check::worlds::tree;
use build::Preset;
use gfx12::encode::{Options, Policy, encode};
use gfx12::layout::{BOX_TYPE, BoxNode, ChildEntry, CullFlags, NodeBits};
use scene::Scene;

pub(super) fn row_1() -> Case {
    changed(|image| {
        let nodes = primitive_nodes(image, 0);
        let is_single = |node: &gfx12::layout::PrimitiveNode| {
            node.pair_count() == 1 && node.pair(0).triangles[1].is_absent()
        };
        let (address, _) = nodes.iter().find(|(_, node)| is_single(node)).expect("a single");
        // Bit 22 of an id: vertex 1 of the second triangle.
        edit_bits(image, *address, |bits| bits.set(998..1002, 1));
    })
}

pub(super) fn row_2() -> Case {
    let case = changed(|image| {
        let nodes = primitive_nodes(image, 0);
        let (address, _) = nodes.iter().find(|(_, node)| node.header().vertex_bits[0] > 8).unwrap();
        edit_bits(image, *address, |bits| bits.set(0..5, bits.get(0..5) - 1));
    });
    Case { scene: Some(mesh()), ..case }
}

pub(super) fn row_3() -> Case {
    changed(|image| {
        let mut nodes = primitive_nodes(image, 0);
        nodes.sort_by_key(|node| node.0);
        let is_same =
            |(a, b): &(usize, usize)| nodes[*a].1.pair_count() == nodes[*b].1.pair_count();
        let (a, b) = (1..nodes.len()).map(|n| (n - 1, n)).find(is_same).unwrap();
        let (overwritten, next) = (nodes[a].0, *nodes[b].1.bits());
        edit_bits(image, overwritten, |bits| *bits = next);
    })
}

pub(super) fn row_4() -> Case {
    changed_of(&world(), |image| {
        let (address, _, mut node) = instances(image)[0];
        node.frame.origin = [f32::INFINITY; 3];
        edit_bits(image, address, |bits| *bits = node.encode());
        one_box(
            image,
            |_, node| last_slot(node).node_type == 6,
            |node| {
                node.frame.origin = [f32::NEG_INFINITY; 3];
                node.frame.exponents = [255; 3];
            },
        );
    })
}

pub(super) fn row_5() -> Case {
    changed(|image| {
        let prefix = |node: &gfx12::layout::PrimitiveNode| {
            let header = node.header();
            32 - usize::from((header.vertex_bits[0] + header.trailing_zeros).min(32))
        };
        let nodes = primitive_nodes(image, 0);
        let (address, node) = nodes.iter().find(|(_, node)| prefix(node) > 9).expect("a prefix");
        let end = 52 + prefix(node);
        edit_bits(image, *address, |bits| bits.set(end - 10..end, 0x3FF));
    })
}

pub(super) fn row_6() -> Case {
    changed_of(&world(), |image| {
        let is_known = |node: &BoxNode| {
            let last = last_slot(node);
            last.node_type == 6 && !last.cull_flags.is_empty()
        };
        one_box(
            image,
            |_, node| is_known(node),
            |node| {
                let last = usize::from(node.child_count) - 1;
                node.children[last].cull_flags = CullFlags::empty();
            },
        );
    })
}

pub(super) fn row_7() -> Case {
    changed(|image| one_box(image, |number, _| number == 0, |node| node.internal_base = 0))
}

pub(super) fn row_8() -> Case {
    changed(|image| shrink(image, 128))
}

pub(super) fn row_9() -> Case {
    let is_leaf = |node: &BoxNode| last_slot(node).node_type != BOX_TYPE && node.child_count > 2;
    changed(|image| one_box(image, |_, node| is_leaf(node), drop_last))
}

pub(super) fn row_10() -> Case {
    changed(|image| {
        one_box(
            image,
            |number, node| number > 0 && node.children[0].node_type != BOX_TYPE,
            |node| {
                node.children = [ChildEntry::UNUSED; 8];
                node.child_count = 1;
            },
        );
    })
}

pub(super) fn row_11() -> Case {
    let is_box = |node: &BoxNode| last_slot(node).node_type == BOX_TYPE && node.child_count > 2;
    changed(|image| one_box(image, |_, node| is_box(node), drop_last))
}

pub(super) fn row_12() -> Case {
    let good = radv(&mesh());
    Case { faulty: good.clone(), good, scene: Some(Scene::default()), is_update: false, old: None }
}

pub(super) fn row_13() -> Case {
    changed_of(&world(), |image| {
        // The structure behind the empty one.
        let behind = image.segments[3].address;
        let (_, leaf) = primitive_nodes(image, 1)[0];
        edit_bits(image, behind, |bits| *bits = *leaf.bits());
    })
}

pub(super) fn row_14() -> Case {
    changed(|image| {
        let base = image.bases[0];
        edit_bits(image, base, |bits| (11..14).for_each(|word| bits.set_word(word, 0xCDCD_CDCD)));
    })
}

pub(super) fn row_15() -> Case {
    changed(|image| {
        let leads = |node: &BoxNode| node.children[0].node_type == BOX_TYPE;
        let root = boxes(image, 0)[0].2;
        one_box(
            image,
            |number, node| number > 0 && leads(node),
            |node| {
                node.internal_base = root.internal_base;
            },
        );
    })
}

pub(super) fn row_16() -> Case {
    changed(|image| {
        let (address, ..) = boxes(image, 0)[3];
        edit_bits(image, address, |bits| *bits = NodeBits::ZERO);
    })
}

pub(super) fn row_17() -> Case {
    changed(|image| {
        let all = boxes(image, 0);
        let wrong = all[1].1;
        each_box(image, |number, node| {
            if number > 8 {
                node.parent = wrong;
            }
        });
    })
}

pub(super) fn row_18() -> Case {
    changed(|image| {
        one_box(
            image,
            |_, node| node.children[0].node_type == 0,
            |node| {
                node.children[0].node_type = 6;
            },
        );
    })
}

pub(super) fn row_19() -> Case {
    changed(|image| {
        one_box(image, |number, _| number == 2, |node| node.frame.origin = [f32::NEG_INFINITY; 3]);
    })
}

pub(super) fn row_20() -> Case {
    changed_of(&world(), |image| {
        let (address, ..) = instances(image)[0];
        edit_bits(image, address, |bits| {
            (12..14).for_each(|word| bits.set_word(word, 0));
        });
    })
}

pub(super) fn row_21() -> Case {
    let good = radv(&mesh());
    let mut wanted = mesh();
    shift_indices(&mut wanted);
    Case { faulty: good.clone(), good, scene: Some(wanted), is_update: false, old: None }
}

/// Lets each triangle have the corners of the next.
fn shift_indices(scene: &mut Scene) {
    for geometry in scene.objects.iter_mut().flat_map(|object| &mut object.geometries) {
        if let scene::Shape::Triangles { indices, .. } = &mut geometry.shape {
            indices.rotate_left(1);
        }
    }
}

pub(super) fn row_22() -> Case {
    changed_of(&world(), |image| {
        let (address, ..) = instances(image)[0];
        edit_bits(image, address, |bits| bits.set_word(12, bits.word(12) + (16 >> 3)));
    })
}

pub(super) fn row_23() -> Case {
    changed(|image| shrink(image, 256))
}

/// Triangles in an order that has nothing to do with where they lie, as bounds that are spoilt give
/// it: every box is right, and the tree is dear.
pub(super) fn row_25() -> Case {
    let good = radv(&mesh());
    let mut built = tree(&mesh(), Preset::Balanced);
    let blas = &mut built.blases[0];
    let mut order: Vec<u32> = (0..blas.primitives.len() as u32).collect();
    order.sort_by_key(|number| number.wrapping_mul(0x9E37_79B1));
    blas.bvh = listed(&order, &|item| blas.primitives.bounds(item as usize));
    let faulty = encode(&built, &Options::new(Policy::Radv)).unwrap().image;
    Case { good, faulty, scene: Some(mesh()), is_update: false, old: None }
}
