//! What a walk over the decoded tree reads of the image: nodes of 128 bytes.

use crate::Gfx12;
use crate::decode::primitives::leaf_bytes;
use crate::format::memory;
use crate::layout::NODE_BYTES;
use crate::survey::{Memory, Surveyed, Target};
use machine::{Checked, Fetches};

/// The same as the blocks of the image say, without making them.
pub(crate) fn fetches(checked: &Checked<Gfx12>) -> Fetches {
    let memory = memory(checked);
    let level = |surveyed: &Surveyed| level(&memory, surveyed);
    let (tlas, blases) = checked.proof().survey().levels();
    Fetches {
        blases: blases.iter().map(level).collect(),
        tlas: tlas.map(level).unwrap_or_default(),
    }
}

/// Of the root, then of the children of all boxes, in the order of the tree's nodes.
fn level(memory: &Memory<'_>, surveyed: &Surveyed) -> Vec<u32> {
    let node = NODE_BYTES as u32;
    let leaf = |number: usize| {
        let leaf = surveyed.leaves.get(number);
        leaf.map_or(0, |leaf| leaf_bytes(memory, surveyed, leaf))
    };
    let root = match surveyed.boxes.first() {
        Some(root) if root.child_count == 0 => return vec![0],
        Some(_) => node,
        None if surveyed.leaves.is_empty() => 0,
        // A range without a box above it: a block leads to it.
        None => node + leaf(0),
    };
    let children = surveyed.children.iter().map(|child| match child.target {
        Target::Box(_) | Target::Instance(_) => node,
        Target::Leaf(number) => leaf(number as usize),
    });
    std::iter::once(root).chain(children).collect()
}
