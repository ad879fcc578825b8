//! Image → tree: the boxes as decoded, the geometry as stored.

use crate::directory::Level;
use crate::node::{Child, Node};
use geometry::Aabb;
use geometry::grid::{inner_box, trimmed};
use machine::NodePlace;
use std::collections::{HashMap, VecDeque};
use tree::{Blas, Bvh, NodeLink, Primitives, Tlas, Tree};

/// Reads the levels of a proved image.
pub(crate) fn decode(levels: &[Level<'_>]) -> Tree {
    let mut tree = Tree { blases: Vec::new(), tlas: None };
    for level in levels {
        let walked = Walked::new(level);
        if level.record.is_tlas() {
            let instances: Vec<_> = level.instances().collect();
            let bvh = walked.bvh(instances.len(), |item| level.reference(item).unwrap_or(0));
            tree.tlas = Some(Tlas { instances, bvh });
        } else {
            let Numbering { of_item, primitives } = Numbering::new(level, &walked);
            let number = |item: u64| of_item.get(item as usize).copied().unwrap_or(0);
            let bvh = walked.bvh(primitives.len(), number);
            tree.blases.push(Blas { primitives, bvh });
        }
    }
    tree
}

/// Boxes of the children in a node's slots, each with the child.
pub(crate) fn child_boxes(node: &Node) -> impl Iterator<Item = (Aabb, Child)> + '_ {
    let axes = node.axes();
    node.children()
        .map(move |(slot, child)| (inner_box(&axes, node.low(slot), node.high(slot)), child))
}

/// The box around everything in a level.
pub(crate) fn level_bounds(level: &Level<'_>) -> Aabb {
    let Some(root) = level.node(0) else { return Aabb::EMPTY };
    child_boxes(&root).fold(Aabb::EMPTY, |sum, (bounds, _)| sum.union(bounds))
}

/// Where the nodes of the decoded tree lie.
pub(crate) fn node_places(levels: &[Level<'_>]) -> Vec<Vec<NodePlace>> {
    let place = |address| NodePlace { pointer: address, address };
    let places = |level| Walked::new(level).addresses.into_iter().map(place).collect();
    levels.iter().map(places).collect()
}

/// The nodes of a tree, and the items of its leaves in the order of the leaves.
struct Walked {
    nodes: Vec<tree::Node>,
    /// Where each of them lies: a node of the image, or the first item of a leaf.
    addresses: Vec<u64>,
    items: Vec<u64>,
}

impl Walked {
    fn new(level: &Level<'_>) -> Self {
        let addresses = vec![level.node_address(0)];
        let mut walked = Self { nodes: Vec::new(), addresses, items: Vec::new() };
        let Some(root) = level.node(0) else { return walked };
        let link = NodeLink::leaf(0, 0);
        walked.nodes.push(tree::Node { bounds: level_bounds(level), link });
        let mut open = VecDeque::from([(0, root)]);
        while let Some((parent, node)) = open.pop_front() {
            let first = walked.nodes.len();
            let (above, axes) = (walked.nodes[parent].bounds, node.axes());
            for (bounds, child) in child_boxes(&node) {
                let number = walked.nodes.len();
                let mut link = NodeLink::leaf(0, 0);
                match child {
                    Child::Node(child) => {
                        walked.addresses.push(level.node_address(child));
                        open.extend(level.node(child).map(|node| (number, node)));
                    }
                    Child::Leaf { first, count } => {
                        walked.addresses.push(level.item_address(first));
                        link = NodeLink::leaf(walked.items.len() as u32, count.into());
                        walked.items.extend(first..first + u64::from(count));
                    }
                    Child::Empty => {}
                }
                walked.nodes.push(tree::Node { bounds: trimmed(bounds, &above, &axes), link });
            }
            walked.nodes[parent].link = NodeLink::inner(first as u32, walked.nodes.len() - first);
        }
        walked
    }

    fn bvh(self, item_count: usize, number: impl Fn(u64) -> u32) -> Bvh {
        let indices = self.items.iter().map(|&item| number(item)).collect();
        // A checked image holds a tree; without nodes it is the empty one.
        Bvh::new(self.nodes, indices, item_count).unwrap_or_else(|_| Bvh::empty())
    }
}

/// The primitives of a BLAS: triangles of the same ids and corners are one.
struct Numbering {
    /// The primitive that each stored triangle is; 0 where no leaf names it.
    of_item: Vec<u32>,
    primitives: Primitives,
}

impl Numbering {
    fn new(level: &Level<'_>, walked: &Walked) -> Self {
        let mut of_item = vec![0; level.record.item_count as usize];
        let mut primitives = Primitives::default();
        let mut known = HashMap::with_capacity(walked.items.len());
        for &item in &walked.items {
            let (Some(triangle), Some(id)) = (level.triangle(item), level.id(item)) else {
                continue;
            };
            let corners = triangle.vertices.map(|vertex| vertex.to_array().map(f32::to_bits));
            of_item[item as usize] = *known.entry((id, corners)).or_insert_with(|| {
                primitives.triangles.push(triangle);
                primitives.ids.push(id);
                primitives.triangles.len() as u32 - 1
            });
        }
        Self { of_item, primitives }
    }
}

/// The number in the decoded tree of each item of a level.
pub(crate) fn item_numbers(level: &Level<'_>) -> Vec<u32> {
    if level.record.is_tlas() {
        let items = 0..u64::from(level.record.item_count);
        return items.map(|item| level.reference(item).unwrap_or(0)).collect();
    }
    Numbering::new(level, &Walked::new(level)).of_item
}
