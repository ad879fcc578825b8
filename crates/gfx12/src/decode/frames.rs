//! The frames of oriented nodes, which a tree cannot hold: its boxes lie along the axes.
//!
//! With them a decoded tree can be laid out again as it was
//! ([`encode_in_frames`](crate::encode::encode_in_frames)).

use super::hierarchy::slots_box;
use crate::Gfx12;
use crate::format::memory;
use crate::layout::BoxNode;
use crate::obb;
use crate::survey::{Memory, Surveyed, Target};
use geometry::Aabb;
use machine::{Checked, NodePlace, OrientedBox};

/// The frames of all BLASes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Frames {
    pub(crate) levels: Vec<LevelFrames>,
}

/// The frames of one level, by entry of its hierarchy; empty where no node is oriented.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct LevelFrames {
    /// The rotation of the entry's node.
    pub(crate) rotations: Vec<u8>,
    /// The entry's box, in the frame of the node above it.
    pub(crate) bounds: Vec<Aabb>,
}

/// The frames of a proved image, for the tree that `decode` gives.
#[must_use]
pub fn frames(checked: &Checked<Gfx12>) -> Frames {
    let (memory, survey) = (memory(checked), checked.proof().survey());
    Frames { levels: survey.levels().1.iter().map(|surveyed| level(&memory, surveyed)).collect() }
}

/// Entries are the root and then the children of all boxes, as in the decoded hierarchy.
fn level(memory: &Memory<'_>, surveyed: &Surveyed) -> LevelFrames {
    let nodes: Vec<BoxNode> = surveyed
        .boxes
        .iter()
        .map(|record| BoxNode::decode(&surveyed.node(memory, record.pointer)))
        .collect();
    if nodes.iter().all(|node| obb::rotation(node.obb_matrix_index).is_none()) {
        return LevelFrames::default();
    }
    let mut frames =
        LevelFrames { rotations: vec![nodes[0].obb_matrix_index], bounds: vec![Aabb::EMPTY] };
    for (record, node) in surveyed.boxes.iter().zip(&nodes) {
        for child in &surveyed.children[record.children()] {
            frames.bounds.push(slots_box(node, child.slots));
            frames.rotations.push(match child.target {
                Target::Box(number) => nodes[number as usize].obb_matrix_index,
                Target::Leaf(_) | Target::Instance(_) => BoxNode::NO_ROTATION,
            });
        }
    }
    frames
}

/// The boxes of children of oriented nodes.
pub(crate) fn oriented_boxes(checked: &Checked<Gfx12>) -> Vec<OrientedBox> {
    let memory = memory(checked);
    let structures = checked.proof().survey().structures.iter();
    structures.flat_map(|surveyed| boxes_of_level(&memory, surveyed)).collect()
}

fn boxes_of_level<'a>(
    memory: &'a Memory<'_>,
    surveyed: &'a Surveyed,
) -> impl Iterator<Item = OrientedBox> + 'a {
    surveyed.boxes.iter().flat_map(move |record| {
        let node = BoxNode::decode(&surveyed.node(memory, record.pointer));
        let rotation = obb::rotation(node.obb_matrix_index);
        let children = &surveyed.children[record.children()];
        let turned = rotation.into_iter().flat_map(move |frame| {
            children.iter().map(move |child| {
                let pointer = surveyed.pointer(child.target);
                let address = surveyed.structure.address_of(pointer);
                let place = NodePlace { pointer: pointer.0.into(), address };
                OrientedBox { place, bounds: slots_box(&node, child.slots), frame: *frame }
            })
        });
        turned.collect::<Vec<_>>()
    })
}
