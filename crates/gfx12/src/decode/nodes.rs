//! Every reachable node of an image, decoded: the view for reading, comparing and counting.
//!
//! It works on images that nobody has proved: a [`Survey`] follows only what leads to memory, and
//! each box, instance and primitive node appears once in its structure. A node's bits are those of
//! the image, so nodes give the same bytes back.

use super::primitives::{Pairs, split_key};
use crate::layout::{BoxNode, InstanceNode, NodeBits, NodePointer, PrimitiveNode};
use crate::survey::{Memory, Survey, Surveyed};
use machine::Image;

/// A reachable node.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Which structure it belongs to: 0 is the root's.
    pub structure: u32,
    /// Its pointer. Primitive nodes are named by pair 0, whichever pairs are reached.
    pub pointer: NodePointer,
    /// Its address.
    pub address: u64,
    /// Where it lies in the file, segments one after the other.
    pub offset: u64,
    /// Distance from the root of its structure, for boxes and instances; 0 for primitive nodes.
    pub depth: u32,
    /// What it is.
    pub body: NodeBody,
}

/// A decoded node.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeBody {
    /// A box node.
    Box(Box<BoxNode>),
    /// A primitive node; bit `p` of `reached`: a range reaches pair `p`.
    Primitive {
        /// The node.
        node: Box<PrimitiveNode>,
        /// Pairs that ranges reach.
        reached: u8,
    },
    /// An instance node.
    Instance(Box<InstanceNode>),
}

impl NodeBody {
    /// The bits of the node, as the image has them.
    #[must_use]
    pub fn bits(&self) -> NodeBits {
        match self {
            Self::Box(node) => node.encode(),
            Self::Primitive { node, .. } => *node.bits(),
            Self::Instance(node) => node.encode(),
        }
    }
}

/// All nodes: structure by structure, boxes level by level, then instances, then primitive nodes in
/// the order of memory.
pub fn nodes(image: &Image) -> impl Iterator<Item = Node> {
    let survey = Survey::new(image);
    let memory = Memory::new(image);
    (0u32..).zip(survey.structures).flat_map(move |(structure, surveyed)| {
        let mut nodes = boxes(&memory, structure, &surveyed);
        nodes.extend(instances(&memory, structure, &surveyed));
        nodes.extend(primitives(&memory, structure, &surveyed));
        nodes
    })
}

fn boxes(memory: &Memory<'_>, structure: u32, surveyed: &Surveyed) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(surveyed.boxes.len());
    for (depth, level) in (0..).zip(&surveyed.levels) {
        for record in &surveyed.boxes[level.clone()] {
            let body =
                NodeBody::Box(Box::new(BoxNode::decode(&surveyed.node(memory, record.pointer))));
            nodes.push(node(memory, structure, surveyed, record.pointer, depth, body));
        }
    }
    nodes
}

fn instances(memory: &Memory<'_>, structure: u32, surveyed: &Surveyed) -> Vec<Node> {
    let mut depths = vec![0; surveyed.boxes.len()];
    for (depth, level) in (1..).zip(&surveyed.levels) {
        depths[level.clone()].fill(depth);
    }
    surveyed
        .instances
        .iter()
        .map(|record| {
            let bits = surveyed.node(memory, record.pointer);
            let body = NodeBody::Instance(Box::new(InstanceNode::decode(&bits)));
            let depth = depths.get(record.parent as usize).copied().unwrap_or(0);
            node(memory, structure, surveyed, record.pointer, depth, body)
        })
        .collect()
}

fn primitives(memory: &Memory<'_>, structure: u32, surveyed: &Surveyed) -> Vec<Node> {
    let pairs = Pairs::new(memory, surveyed);
    pairs
        .keys()
        .chunk_by(|a, b| a / 8 == b / 8)
        .filter_map(|keys| {
            let reached = keys.iter().fold(0, |mask, &key| mask | 1 << split_key(key).1);
            let pointer = NodePointer::new(split_key(keys[0]).0, 0)?;
            let node_read = PrimitiveNode::decode(&surveyed.node(memory, pointer));
            let body = NodeBody::Primitive { node: Box::new(node_read), reached };
            Some(node(memory, structure, surveyed, pointer, 0, body))
        })
        .collect()
}

fn node(
    memory: &Memory<'_>,
    structure: u32,
    surveyed: &Surveyed,
    pointer: NodePointer,
    depth: u32,
    body: NodeBody,
) -> Node {
    let address = surveyed.structure.address_of(pointer);
    Node { structure, pointer, address, offset: memory.offset_of(address), depth, body }
}
