//! Image → tree: the hierarchy with its decoded boxes and the geometry as stored.

use super::contents::Contents;
use super::target::Target;
use crate::layout::node::ChildKind;
use geometry::Aabb;
use std::collections::VecDeque;
use tree::{Blas, Bvh, Node, NodeLink, Primitives, Tree};

/// Reads a proved image back.
pub(super) fn decode(contents: &Contents<'_>) -> Tree {
    Tree { blases: vec![blas(contents)], tlas: None }
}

fn blas(contents: &Contents<'_>) -> Blas {
    let numbers = 0..contents.header.triangles;
    let primitives = Primitives {
        triangles: numbers.clone().map(|number| contents.triangle(number)).collect(),
        boxes: Vec::new(),
        ids: numbers.map(|number| contents.id(number)).collect(),
    };
    let Hierarchy { entries, references, .. } = Hierarchy::new(contents);
    let bvh = Bvh::new(entries, references, primitives.len()).unwrap_or_else(|_| Bvh::empty());
    Blas { primitives, bvh }
}

/// The structures that the nodes of the decoded tree are.
pub(super) fn targets(contents: &Contents<'_>) -> Vec<Target> {
    Hierarchy::new(contents).targets
}

/// The nodes of a tree, what they are in the image, and the triangles of its leaves.
struct Hierarchy {
    entries: Vec<Node>,
    targets: Vec<Target>,
    references: Vec<u32>,
}

impl Hierarchy {
    fn new(contents: &Contents<'_>) -> Self {
        let unknown = Node { bounds: Aabb::EMPTY, link: NodeLink::leaf(0, 0) };
        let (mut entries, mut references) = (vec![unknown], Vec::new());
        let mut targets = vec![Target::Node(0)];
        let mut open = VecDeque::from([(0u32, 0usize)]);
        while let Some((node, entry)) = open.pop_front() {
            let first = entries.len();
            for slot in 0..contents.shape.width() {
                let child = contents.child(node, slot);
                let bounds = contents.bounds(&child);
                match child.kind {
                    ChildKind::Empty | ChildKind::Reserved => {}
                    ChildKind::Node => {
                        open.push_back((child.index, entries.len()));
                        entries.push(Node { bounds, ..unknown });
                        targets.push(Target::Node(child.index));
                    }
                    ChildKind::Leaf => {
                        let range = contents.range(child.index);
                        let link = NodeLink::leaf(references.len() as u32, range.count as usize);
                        references.extend(range.first..range.first + range.count);
                        entries.push(Node { bounds, link });
                        targets.push(Target::Range(child.index));
                    }
                }
            }
            let children = entries.len() - first;
            if children != 0 {
                entries[entry].link = NodeLink::inner(first as u32, children);
            }
            if entry == 0 {
                entries[0].bounds = entries[first..]
                    .iter()
                    .fold(Aabb::EMPTY, |bounds, child| bounds.union(child.bounds));
            }
        }
        Self { entries, targets, references }
    }
}
