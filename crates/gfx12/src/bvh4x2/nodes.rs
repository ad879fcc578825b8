//! Every reachable node of an image, as its bits: the view for comparing.

use super::survey::Survey;
use crate::layout::NodeBits;
use crate::layout::bvh4x2::Bvh4Pointer;
use crate::survey::{Memory, Space};
use machine::Image;

/// A reachable node.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Which structure it belongs to: 0 is the root's.
    pub structure: u32,
    /// The pointer by which it is reached.
    pub pointer: Bvh4Pointer,
    /// Its bits; the second half is zero in a node of 64 bytes.
    pub bits: NodeBits,
}

/// All nodes of any image: structure by structure, boxes, then instances, then leaves.
#[must_use]
pub fn nodes(image: &Image) -> Vec<Node> {
    let memory = Memory::new(image);
    let survey = Survey::new(image);
    let mut nodes = Vec::new();
    let structures = (0u32..).zip(&survey.structures);
    for (structure, surveyed) in structures.filter(|(_, surveyed)| !surveyed.is_part) {
        nodes.extend(surveyed.pointers().map(|pointer| {
            let bytes = memory.get(surveyed.structure.address_of(pointer), pointer.node_bytes());
            let bits = bytes.map_or(NodeBits::ZERO, NodeBits::from_bytes);
            Node { structure, pointer, bits }
        }));
    }
    nodes
}
