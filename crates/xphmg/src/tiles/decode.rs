//! Image → tree: the hierarchy with its decoded boxes and the geometry as stored.
//!
//! Ids are those of the scene. Where instances were flattened, the instance stands as the geometry
//! and the triangle's position as the primitive, which keeps the order of hits.

use super::contents::Contents;
use crate::layout::node::ChildKind;
use geometry::Aabb;
use std::collections::VecDeque;
use tree::{Blas, Bvh, Node, NodeLink, PrimitiveFlags, PrimitiveId, Primitives, Tree};

/// Reads a proved image back.
pub(super) fn decode(contents: &Contents<'_>) -> Tree {
    Tree { blases: vec![blas(contents)], tlas: None }
}

fn blas(contents: &Contents<'_>) -> Blas {
    let numbers = 0..contents.header.triangles;
    let id = |number| {
        let name = contents.name(number);
        let (geometry, primitive) = match contents.header.flattened {
            true => (name.instance, number),
            false => (name.geometry, name.primitive),
        };
        PrimitiveId { geometry, primitive, flags: PrimitiveFlags::OPAQUE }
    };
    let primitives = Primitives {
        triangles: numbers.clone().map(|number| contents.triangle(number)).collect(),
        boxes: Vec::new(),
        ids: numbers.map(id).collect(),
    };
    let bvh = hierarchy(contents, primitives.len()).unwrap_or_else(Bvh::empty);
    Blas { primitives, bvh }
}

fn hierarchy(contents: &Contents<'_>, items: usize) -> Option<Bvh> {
    let unknown = Node { bounds: Aabb::EMPTY, link: NodeLink::leaf(0, 0) };
    let (mut entries, mut references) = (vec![unknown], Vec::new());
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
                }
                ChildKind::Leaf => {
                    let range = contents.range(child.index);
                    let link = NodeLink::leaf(references.len() as u32, range.count as usize);
                    references.extend(range.first..range.first + range.count);
                    entries.push(Node { bounds, link });
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
    Bvh::new(entries, references, items).ok()
}
