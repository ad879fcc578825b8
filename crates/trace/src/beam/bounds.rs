//! What beams need of a world beside its nodes.
//!
//! A spatial split leaves a triangle in several leaves, each with a box around a part of it. That
//! is enough for the exact rule: the parts cover the triangle. The conservative rule asks for the
//! box of the whole triangle, and the boxes of instances are defined by whole triangles too. So
//! every box is formed once more, around all of what is below it, and kept where that makes it
//! larger.

use super::boxes::Planes;
use crate::world::{Node, Pointer, Target, World};
use geometry::Aabb;
use machine::beam::BeamWorldError;
use machine::beam::world::instance_bounds;

/// A world as beams see it.
#[derive(Debug)]
pub(crate) struct BeamBounds {
    /// The boxes of each node, around all of what is below; `None` where those of the nodes are.
    whole: Option<Vec<Planes<8>>>,
    /// The box around each BLAS.
    pub(super) blases: Vec<Aabb>,
    /// The box around each instance, in world space.
    pub(super) placed: Vec<Aabb>,
    /// The box around all instances.
    pub(super) top: Aabb,
}

impl BeamBounds {
    /// Looks at every primitive of a world.
    ///
    /// # Errors
    /// As [`instance_bounds`].
    pub(crate) fn new(world: &World) -> Result<Self, BeamWorldError> {
        let count = world.arena.node_count();
        let top = world.top.as_ref();
        // The nodes of the TLAS are written last, its root first.
        let first_of_top = top.map_or(count, |top| match top.level.root {
            root if root.is_node() => number_of(root),
            _ => count,
        });
        let mut around = Around { world, placed: &[], nodes: vec![Aabb::EMPTY; count] };
        let mut whole: Vec<Planes<8>> = vec![Node::EMPTY.planes; count];
        // Children lie behind their parents.
        let mut is_larger = false;
        for number in (0..first_of_top).rev() {
            is_larger |= around.node(number, &mut whole[number]);
        }
        let blases: Vec<Aabb> =
            world.blases.iter().map(|level| around.pointer(level.root)).collect();
        let instances = top.map_or(&[][..], |top| &top.instances);
        let placed = instance_bounds(&blases, instances)?;
        around.placed = &placed;
        for number in (first_of_top..count).rev() {
            is_larger |= around.node(number, &mut whole[number]);
        }
        let top = top.map_or(Aabb::EMPTY, |top| around.pointer(top.level.root));
        Ok(Self { whole: is_larger.then_some(whole), blases, placed, top })
    }

    /// The boxes of a node around all of what is below it.
    pub(super) fn whole<'a>(&'a self, world: &'a World, node: Pointer) -> &'a Planes<8> {
        match &self.whole {
            Some(whole) => &whole[number_of(node)],
            None => &world.arena.node(node).planes,
        }
    }
}

/// Boxes around things, from the bottom up.
struct Around<'a> {
    world: &'a World,
    placed: &'a [Aabb],
    /// Nodes that have been looked at.
    nodes: Vec<Aabb>,
}

impl Around<'_> {
    /// Fills in the boxes of a node; says whether one is larger than the node's own.
    fn node(&mut self, number: usize, planes: &mut Planes<8>) -> bool {
        let Some(pointer) = Pointer::node(number) else { return false };
        let node = self.world.arena.node(pointer);
        let (mut all, mut is_larger) = (Aabb::EMPTY, false);
        for slot in node.slots() {
            let bounds = self.pointer(node.children[slot]);
            if bounds.is_empty() {
                continue;
            }
            for (axis, [minima, maxima]) in planes.iter_mut().enumerate() {
                minima[slot] = bounds.min[axis];
                maxima[slot] = bounds.max[axis];
            }
            is_larger |= !node.bounds(slot).contains(&bounds);
            all = all.union(bounds);
        }
        self.nodes[number] = all;
        is_larger
    }

    /// The box around everything behind a pointer.
    fn pointer(&self, pointer: Pointer) -> Aabb {
        let union = |boxes: &mut dyn Iterator<Item = Aabb>| {
            boxes.filter(|bounds| !bounds.is_empty()).fold(Aabb::EMPTY, Aabb::union)
        };
        let world = self.world;
        match pointer.target() {
            Target::Node => self.nodes[number_of(pointer)],
            Target::Leaf => union(
                &mut (0..pointer.triangles())
                    .map(|column| world.arena.triangle(pointer, column).0.bounds()),
            ),
            Target::Boxes(list) => union(&mut world.box_list(list).iter().map(|(b, _)| *b)),
            Target::Instance(number) => self.placed[number],
            Target::Leave | Target::Done => Aabb::EMPTY,
        }
    }
}

/// The number of the node behind a pointer to one.
fn number_of(node: Pointer) -> usize {
    node.byte() / size_of::<Node>()
}
