//! Faulty images, by row.

use super::{Case, examined, radv};
use bvh4::image::{Dialect, examine};
use bvh4::layout::{Bvh4Kind, Bvh4Pointer, RadvHeader};
use bvh4::update::{RefitError, refit};
use geometry::Vec3;
use gfx10::Generation;
use gfx10::structure::{Structure, Surveyed};
use machine::Image;
use machine::source::Geometry;
use testkit::damage::{get, set};
use testkit::worlds::{instanced, mixed, scenes};
use tree::Tree;

const NONE: u32 = u32::MAX;
/// Of an instance node: the base pointer's low dword.
const CHILD_BASE: usize = 0;
/// Of a box node: planes, and cull flags.
const PLANES: usize = 16;
const SLOT: usize = 24;
const FLAGS: usize = 112;

/// A change of RADV's memory.
fn changed(tree: &Tree, generation: Generation, change: impl FnOnce(&mut Image)) -> Case {
    let good = radv(tree, generation);
    let mut faulty = good.clone();
    change(&mut faulty);
    Case { good, faulty, scene: None, is_update: false, old: None }
}

fn top(image: &Image) -> Surveyed {
    examine::<Structure>(image).survey.structures.remove(0)
}

/// Where a node of the first structure lies in the first segment.
fn place(image: &Image, pointer: Bvh4Pointer) -> usize {
    (image.bases[0] - image.segments[0].address + pointer.byte_offset()) as usize
}

/// Boxes of the first structure, the root first, with their children.
fn boxes(image: &Image) -> Vec<(usize, [Bvh4Pointer; 4])> {
    let boxes = top(image).boxes.into_iter().map(|record| place(image, record.pointer));
    boxes.map(|at| (at, [0, 4, 8, 12].map(|k| Bvh4Pointer(get(image, at + k))))).collect()
}

fn is_box(pointer: Bvh4Pointer) -> bool {
    pointer != Bvh4Pointer::INVALID && pointer.kind() == Bvh4Kind::Fp32Box
}

/// A slot whose child is of a kind, of a box below the root: the box and its number.
fn slot(image: &Image, fits: impl Fn(Bvh4Pointer) -> bool) -> (usize, usize) {
    let mut all = boxes(image).into_iter().skip(1);
    let found = all.find_map(|(at, children)| Some((at, children.iter().position(|c| fits(*c))?)));
    found.unwrap()
}

/// Writes planes of a slot, minimum and maximum alike on all axes.
fn set_planes(image: &mut Image, node: usize, slot: usize, [min, max]: [f32; 2]) {
    for k in 0..6 {
        let plane = if k < 3 { min } else { max };
        set(image, node + PLANES + SLOT * slot + 4 * k, plane.to_bits());
    }
}

/// Forgets the child of a slot.
fn drop_slot(image: &mut Image, node: usize, slot: usize) {
    set(image, node + 4 * slot, NONE);
    set_planes(image, node, slot, [f32::NAN; 2]);
}

fn first_leaf(image: &Image) -> usize {
    place(image, top(image).leaves[0].pointer)
}

fn first_instance(image: &Image) -> usize {
    place(image, top(image).instances[0].pointer)
}

/// States a size with so many bytes of nodes.
fn shrink(image: &mut Image, bytes: u64) {
    let header = RadvHeader::of_bytes(image.segments[0].bytes()).unwrap();
    let smaller = header.with_sizes(u64::from(header.bvh_offset) + bytes, 1);
    smaller.encode().write_bytes(image.segments[0].bytes_mut());
}

fn geometry(image: &Image) -> Geometry {
    let checked = examined(image).1.unwrap();
    let tree = checked.tree();
    Geometry {
        objects: tree.blases.iter().map(|blas| blas.primitives.clone()).collect(),
        instances: tree.tlas.iter().flat_map(|tlas| tlas.instances.clone()).collect(),
    }
}

/// An image after an update to another geometry.
fn refitted(image: &Image, scene: &Geometry) -> Result<Image, RefitError> {
    let (survey, checked) = (examine::<Structure>(image).survey, examined(image).1.unwrap());
    refit(image, &survey, checked.tree(), scene)
}

fn moved(image: &Image) -> Geometry {
    let mut geometry = geometry(image);
    for primitives in &mut geometry.objects {
        for triangle in &mut primitives.triangles {
            triangle.vertices = triangle.vertices.map(|at| 1.5 * at + Vec3::new(0.5, 3.0, -7.0));
        }
        for bounds in &mut primitives.boxes {
            (bounds.min, bounds.max) = (bounds.min + Vec3::X, bounds.max + 1.5 * Vec3::X);
        }
    }
    geometry
}

pub(super) fn row_4(generation: Generation) -> Case {
    changed(&instanced(), generation, |image| {
        let (node, slot) = slot(image, |child| child.kind() == Bvh4Kind::Instance);
        set_planes(image, node, slot, [f32::NEG_INFINITY, f32::INFINITY]);
    })
}

pub(super) fn row_5(generation: Generation) -> Case {
    changed(&mixed(), generation, |image| {
        let (node, slot) = slot(image, |child| child.kind() == Bvh4Kind::Triangle0);
        let leaf = place(image, Bvh4Pointer(get(image, node + 4 * slot)));
        (0..3).for_each(|k| set(image, leaf + 4 * k, f32::NAN.to_bits()));
    })
}

pub(super) fn row_6(generation: Generation) -> Case {
    changed(&instanced(), generation, |image| {
        for (node, _) in boxes(image) {
            set(image, node + FLAGS, 0);
        }
    })
}

pub(super) fn row_8(generation: Generation) -> Case {
    changed(&mixed(), generation, |image| shrink(image, 512))
}

pub(super) fn row_9(generation: Generation) -> Case {
    changed(&mixed(), generation, |image| {
        let is_leaf = |child: Bvh4Pointer| child != Bvh4Pointer::INVALID && !is_box(child);
        let (node, slot) = slot(image, is_leaf);
        drop_slot(image, node, slot);
    })
}

pub(super) fn row_10(generation: Generation) -> Case {
    changed(&mixed(), generation, |image| {
        let (node, _) = *boxes(image).last().unwrap();
        (0..4).for_each(|slot| drop_slot(image, node, slot));
    })
}

pub(super) fn row_11(generation: Generation) -> Case {
    changed(&mixed(), generation, |image| {
        let (node, slot) = slot(image, is_box);
        drop_slot(image, node, slot);
    })
}

pub(super) fn row_12(generation: Generation) -> Case {
    let case = changed(&mixed(), generation, |_| ());
    Case { scene: Some(Geometry::default()), ..case }
}

pub(super) fn row_13(generation: Generation) -> Case {
    changed(&instanced(), generation, |image| {
        image.segments[2].bytes_mut()[..64].fill(0x3F);
    })
}

pub(super) fn row_14(generation: Generation) -> Case {
    changed(&mixed(), generation, |image| {
        let root = boxes(image)[0].0;
        set(image, root + 4, 0xCDCD_CDCD);
        (0..6).for_each(|k| set(image, root + PLANES + SLOT + 4 * k, 0xCDCD_CDCD));
    })
}

pub(super) fn row_15(generation: Generation) -> Case {
    changed(&mixed(), generation, |image| {
        let (root, children) = boxes(image)[0];
        set(image, root + 4, children[0].0);
    })
}

pub(super) fn row_16(generation: Generation) -> Case {
    changed(&mixed(), generation, |image| {
        let (node, _) = boxes(image)[3];
        image.segments[0].bytes_mut()[node..node + 128].fill(0);
    })
}

pub(super) fn row_17(generation: Generation) -> Case {
    changed(&mixed(), generation, |image| {
        let structure = top(image).structure;
        let parent = structure.parent_place(boxes(image)[0].1[0], Bvh4Pointer::ROOT);
        let bvh4::image::ParentPlace::At(Some(address), _) = parent else { panic!("{parent:?}") };
        set(image, (address - image.segments[0].address) as usize, 0x35);
    })
}

pub(super) fn row_18(generation: Generation) -> Case {
    changed(&scenes()[0], generation, |image| set(image, 88, 1))
}

pub(super) fn row_19(generation: Generation) -> Case {
    changed(&mixed(), generation, |image| {
        let (node, slot) = slot(image, is_box);
        set_planes(image, node, slot, [f32::NEG_INFINITY, f32::INFINITY]);
    })
}

pub(super) fn row_20(generation: Generation) -> Case {
    changed(&instanced(), generation, |image| {
        let node = first_instance(image);
        (0..2).for_each(|k| set(image, node + CHILD_BASE + 4 * k, 0));
    })
}

pub(super) fn row_21(generation: Generation) -> Case {
    let case = changed(&scenes()[0], generation, |_| ());
    let mut scene = geometry(&case.good);
    scene.objects[0].triangles.rotate_left(1);
    Case { scene: Some(scene), ..case }
}

pub(super) fn row_22(generation: Generation) -> Case {
    changed(&instanced(), generation, |image| {
        let base = first_instance(image) + CHILD_BASE;
        set(image, base, get(image, base) + (16 >> 3));
    })
}

pub(super) fn row_23(generation: Generation) -> Case {
    changed(&mixed(), generation, |image| {
        let header = RadvHeader::of_bytes(image.segments[0].bytes()).unwrap();
        let nodes = header.compacted_size - u64::from(header.bvh_offset);
        shrink(image, nodes - 128);
    })
}

pub(super) fn row_24(generation: Generation) -> Case {
    let case = changed(&mixed(), generation, |image| {
        for (node, _) in boxes(image).into_iter().skip(2).step_by(7) {
            set_planes(image, node, 0, [0.25; 2]);
        }
    });
    Case { is_update: true, ..case }
}

pub(super) fn row_30(generation: Generation) -> Case {
    let case = changed(&mixed(), generation, |image| {
        for (node, _) in boxes(image) {
            set(image, node + FLAGS, 0x0303_0303);
        }
    });
    Case { is_update: true, ..case }
}

/// The leaves of after, under the boxes of before.
pub(super) fn row_31(generation: Generation) -> Case {
    let good = radv(&mixed(), generation);
    let scene = moved(&good);
    let mut faulty = refitted(&good, &scene).unwrap();
    for (node, _) in boxes(&good) {
        let bytes = &good.segments[0].bytes()[node..node + 128];
        faulty.segments[0].bytes_mut()[node..node + 128].copy_from_slice(bytes);
    }
    Case { good, faulty, scene: Some(scene), is_update: true, old: None }
}

/// Of procedurals RADV keeps no box but that of the slot.
pub(super) fn row_32(generation: Generation) -> Case {
    let good = radv(&mixed(), generation);
    let scene = moved(&good);
    let mut faulty = refitted(&good, &scene).unwrap();
    let is_procedural =
        |child: &Bvh4Pointer| *child != Bvh4Pointer::INVALID && child.kind() == Bvh4Kind::User;
    for (node, children) in boxes(&good) {
        let Some(last) = children.iter().rposition(is_procedural) else { continue };
        let planes = |image: &Image, slot: usize| {
            let at = node + PLANES + SLOT * slot;
            image.segments[0].bytes()[at..at + SLOT].to_vec()
        };
        let written = planes(&faulty, last);
        for slot in 0..4 {
            let bytes = if slot == 0 { written.clone() } else { planes(&good, slot) };
            let at = node + PLANES + SLOT * slot;
            faulty.segments[0].bytes_mut()[at..at + SLOT].copy_from_slice(&bytes);
        }
    }
    Case { good, faulty, scene: Some(scene), is_update: true, old: None }
}

/// The destination is what memory held, and the source what an update made of that.
pub(super) fn row_33(generation: Generation) -> Case {
    let case = changed(&mixed(), generation, |image| image.segments[0].bytes_mut().fill(0));
    let mut old = case.good.clone();
    let leaf = first_leaf(&old);
    old.segments[0].bytes_mut()[leaf..leaf + 36].fill(0);
    Case { is_update: true, old: Some(old), ..case }
}

pub(super) fn row_34(generation: Generation) -> Case {
    let case = changed(&mixed(), generation, |_| ());
    Case { scene: Some(moved(&case.good)), is_update: true, ..case }
}

/// The header was copied, and nodes were not written.
pub(super) fn row_35(generation: Generation) -> Case {
    let case = changed(&mixed(), generation, |image| {
        let root = boxes(image)[0].0;
        image.segments[0].bytes_mut()[root..].fill(0);
    });
    Case { is_update: true, ..case }
}
