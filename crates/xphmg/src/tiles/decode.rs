//! Image → tree: the hierarchy with its decoded boxes and the geometry as stored.
//!
//! Ids are those of the scene. Where instances were flattened, the instance stands as the geometry and the
//! triangle's position as the primitive, which keeps the order of hits.

use super::contents::Contents;
use crate::layout::node::ChildKind;
use geometry::Aabb;
use machine::CheckedImage;
use std::collections::VecDeque;
use tree::{Bottom, Bvh, Entry, Link, PrimitiveFlags, PrimitiveId, Primitives, Tree};

/// Reads a proved image back.
#[must_use]
pub fn decode(image: &CheckedImage) -> Tree {
    let bottom = Contents::new(image.image()).map(|contents| bottom(&contents));
    let empty = || Bottom { primitives: Primitives::default(), bvh: Bvh::empty() };
    Tree { bottoms: vec![bottom.unwrap_or_else(empty)], top: None }
}

fn bottom(contents: &Contents<'_>) -> Bottom {
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
    Bottom { primitives, bvh }
}

fn hierarchy(contents: &Contents<'_>, items: usize) -> Option<Bvh> {
    let unknown = Entry { bounds: Aabb::EMPTY, link: Link::leaf(0, 0) };
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
                    entries.push(Entry { bounds, ..unknown });
                }
                ChildKind::Leaf => {
                    let range = contents.range(child.index);
                    let link = Link::leaf(references.len() as u32, range.count as usize);
                    references.extend(range.first..range.first + range.count);
                    entries.push(Entry { bounds, link });
                }
            }
        }
        let children = entries.len() - first;
        if children != 0 {
            entries[entry].link = Link::node(first as u32, children);
        }
        if entry == 0 {
            entries[0].bounds = entries[first..]
                .iter()
                .fold(Aabb::EMPTY, |bounds, child| bounds.union(child.bounds));
        }
    }
    Bvh::new(entries, references, items).ok()
}
