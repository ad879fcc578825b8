//! The CPU's copy as source of the scalar walk.

use super::{Node, Pointer, TRIANGLE_BYTES, Target, Tlas, World};
use crate::source::{Child, LevelId, LinkTarget, TraversalSource};
use geometry::Aabb;
use std::ops::ControlFlow;
use tree::PrimitiveId;
use tree::primitives::Primitive;

impl TraversalSource for World {
    type Link = Pointer;

    const NODE_BYTES: u64 = size_of::<Node>() as u64;
    const LEAF_BYTES: [u64; 2] = [TRIANGLE_BYTES, 0];

    fn tlas(&self) -> Option<&Tlas> {
        self.tlas.as_ref()
    }

    fn root(&self, level: LevelId) -> Option<(Pointer, Aabb)> {
        let level = match level {
            LevelId::Tlas => &self.tlas.as_ref()?.level,
            LevelId::Blas(number) => self.blases.get(number)?,
        };
        (level.root != Pointer::DONE).then_some((level.root, level.bounds))
    }

    fn target(&self, link: Pointer) -> LinkTarget {
        match link.target() {
            Target::Node => LinkTarget::Node,
            Target::Leaf | Target::Boxes(_) => LinkTarget::Leaf,
            Target::Instance(number) => LinkTarget::Instance(number),
            Target::Leave | Target::Done => LinkTarget::Nothing,
        }
    }

    fn children(&self, _: LevelId, node: Pointer, mut visit: impl FnMut(Child<Pointer>)) {
        let node = self.arena.node(node);
        for slot in node.slots() {
            let (bounds, link) = (node.bounds(slot), node.children[slot]);
            visit(Child { bounds, frame: None, slot: slot as u8, link });
        }
    }

    fn primitives(
        &self,
        level: LevelId,
        leaf: Pointer,
        mut visit: impl FnMut(Primitive<'_>, PrimitiveId, Pointer) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if let Target::Boxes(list) = leaf.target() {
            let mut boxes = self.box_list(list).iter();
            return boxes.try_for_each(|(bounds, id)| visit(Primitive::Box(bounds), *id, leaf));
        }
        let LevelId::Blas(number) = level else { return ControlFlow::Continue(()) };
        (0..leaf.triangles()).try_for_each(|column| {
            let (triangle, name) = self.arena.triangle(leaf, column);
            visit(Primitive::Triangle(&triangle), self.primitive_ids[number].id(name), leaf)
        })
    }

    fn pointer(&self, link: Pointer) -> u64 {
        link.0.into()
    }

    fn address(&self, _: LevelId, _: Pointer) -> Option<u64> {
        None
    }
}
