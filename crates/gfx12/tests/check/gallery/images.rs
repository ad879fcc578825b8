//! Good images, and ways to spoil them.

use super::Case;
use crate::check::edit::{boxes, edit_bits};
use crate::check::worlds::{scene, tree};
use build::Preset;
use geometry::Aabb;
use gfx12::encode::{Options, Policy, encode};
use gfx12::layout::{Bits, BoxNode, ChildEntry, RadvHeader};
use machine::Image;
use scene::Scene;
use scene::builtin::Builtin;
use testkit::worlds::{divided, parts};
use tree::Bvh;

pub(super) fn radv(scene: &Scene) -> Image {
    let tree = tree(scene, Preset::Balanced);
    encode(&tree, &Options::new(Policy::Radv)).unwrap().image
}

pub(super) fn mesh() -> Scene {
    Builtin::Organic.scene(900)
}

/// A change of RADV's memory of a mesh.
pub(super) fn changed(change: impl FnOnce(&mut Image)) -> Case {
    changed_of(&mesh(), change)
}

pub(super) fn changed_of(scene: &Scene, change: impl FnOnce(&mut Image)) -> Case {
    let good = radv(scene);
    let mut faulty = good.clone();
    change(&mut faulty);
    Case { good, faulty, scene: None, is_update: false, old: None }
}

/// The same, made by an update.
pub(super) fn updated(change: impl FnOnce(&mut Image)) -> Case {
    Case { is_update: true, ..changed(change) }
}

pub(super) fn world() -> Scene {
    scene("instanced", 9)
}

pub(super) fn write_box(image: &mut Image, address: u64, node: &BoxNode) {
    edit_bits(image, address, |bits| *bits = node.encode());
}

/// Changes every box of the image's own structure.
pub(super) fn each_box(image: &mut Image, mut change: impl FnMut(usize, &mut BoxNode)) {
    for (number, (address, _, mut node)) in boxes(image, 0).into_iter().enumerate() {
        change(number, &mut node);
        write_box(image, address, &node);
    }
}

/// Changes the first box that `fits`.
pub(super) fn one_box(
    image: &mut Image,
    fits: impl Fn(usize, &BoxNode) -> bool,
    change: impl FnOnce(&mut BoxNode),
) {
    let found = boxes(image, 0).into_iter().enumerate();
    let mut found = found.filter(|(number, (.., node))| fits(*number, node));
    let (_, (address, _, mut node)) = found.next().expect("such a box");
    change(&mut node);
    write_box(image, address, &node);
}

pub(super) fn last_slot(node: &BoxNode) -> &ChildEntry {
    &node.children[usize::from(node.child_count) - 1]
}

/// Forgets the last child.
pub(super) fn drop_last(node: &mut BoxNode) {
    node.child_count -= 1;
    node.children[usize::from(node.child_count)] = ChildEntry::UNUSED;
}

/// Header and sizes of a structure that ends `bytes` earlier than it does.
pub(super) fn shrink(image: &mut Image, bytes: u64) {
    let header = RadvHeader::decode(&Bits::from_bytes(&image.segments[0].bytes()[..136]));
    let smaller = header.with_sizes(header.compacted_size - bytes, 1);
    smaller.encode().write_bytes(image.segments[0].bytes_mut());
}

/// Zeros over all nodes: what memory holds that nobody wrote.
pub(super) fn unwrite(image: &mut Image) {
    let base = (image.bases[0] - image.segments[0].address) as usize;
    image.segments[0].bytes_mut()[base..].fill(0);
}

/// A tree that divides a list by eight again and again, whatever lies where.
pub(super) fn listed(order: &[u32], bounds: &dyn Fn(u32) -> Aabb) -> Bvh {
    divided(order.to_vec(), order.len(), bounds, |items| match items {
        [_] => Vec::new(),
        several => parts(several, 8),
    })
}
