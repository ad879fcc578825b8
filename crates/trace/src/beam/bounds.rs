//! What beams need of a world beside its nodes.
//!
//! A spatial split leaves a triangle in several leaves, each with a box around a part of it. That
//! is enough for the exact rule: the parts cover the triangle. The conservative rule asks for the
//! box of the whole triangle. So every box above a triangle that several leaves hold is made large
//! enough for all of it. What one leaf alone holds makes no box larger: boxes that lose it are
//! walked as they are.

use super::boxes::Planes;
use crate::source::{LevelId, TraversalSource};
use crate::world::{Level, Node, Pointer, Target, World};
use geometry::Aabb;
use machine::beam::BeamWorldError;
use machine::beam::world::instance_bounds;
use rayon::prelude::*;
use std::ops::ControlFlow;
use tree::primitives::Primitive;

/// A world as beams see it.
#[derive(Debug, Clone)]
pub(crate) struct BeamBounds {
    /// The boxes of each node, around all that is cut below; `None` where the nodes' own are.
    whole: Option<Vec<Planes<8>>>,
    /// The box to be met for each BLAS.
    pub(super) blases: Vec<Aabb>,
    /// The box around each instance, in world space.
    pub(super) placed: Vec<Aabb>,
    /// The box to be met for the TLAS.
    pub(super) tlas: Aabb,
}

impl BeamBounds {
    /// Looks at every primitive of a world.
    ///
    /// # Errors
    /// As [`instance_bounds`].
    pub(crate) fn new(world: &World) -> Result<Self, BeamWorldError> {
        let count = world.arena.node_count();
        let mut cover = Cover { world, placed: &[], nodes: vec![Aabb::EMPTY; count], whole: None };
        let levels = world.blases.iter().enumerate();
        let (blases, primitives): (Vec<Aabb>, Vec<Aabb>) =
            levels.map(|(number, level)| cover.level(LevelId::Blas(number), level)).unzip();
        let tlas = world.tlas.as_ref();
        let instances = tlas.map_or(&[][..], |tlas| &tlas.instances);
        let placed = instance_bounds(&primitives, instances)?;
        cover.placed = &placed;
        let tlas = tlas.map_or(Aabb::EMPTY, |tlas| cover.level(LevelId::Tlas, &tlas.level).0);
        let whole = cover.whole;
        Ok(Self { whole, blases, placed, tlas })
    }

    /// The boxes of a node around all of what is cut below it.
    pub(super) fn whole<'a>(&'a self, world: &'a World, node: Pointer) -> &'a Planes<8> {
        match &self.whole {
            Some(whole) => &whole[number_of(node)],
            None => &world.arena.node(node).planes,
        }
    }
}
/// Makes boxes large enough for what is cut.
struct Cover<'a> {
    world: &'a World,
    placed: &'a [Aabb],
    /// The box around what is cut below each node.
    nodes: Vec<Aabb>,
    whole: Option<Vec<Planes<8>>>,
}

impl Cover<'_> {
    /// Goes over a level: the box to be met for it, and the box around everything in it.
    fn level(&mut self, id: LevelId, level: &Level) -> (Aabb, Aabb) {
        let mut pointers = vec![level.root];
        let (mut all, mut keys, mut next) = (Aabb::EMPTY, Vec::new(), 0);
        while let Some(&pointer) = pointers.get(next) {
            next += 1;
            if pointer.is_node() {
                let node = self.world.arena.node(pointer);
                pointers.extend(node.slots().map(|slot| node.children[slot]));
            }
            self.items(id, pointer, &mut |key, bounds| {
                keys.push(key);
                all = if bounds.is_empty() { all } else { all.union(bounds) };
            });
        }
        keys.par_sort_unstable();
        let cut = keys.chunk_by(|a, b| a == b).filter(|same| same.len() > 1);
        let cut: Vec<u64> = cut.map(|same| same[0]).collect();
        if cut.is_empty() {
            return (level.bounds, all);
        }
        // Parents lie before their children.
        for &pointer in pointers.iter().rev().filter(|pointer| pointer.is_node()) {
            self.node(id, pointer, &cut);
        }
        (level.bounds.union(self.below(id, level.root, &cut)), all)
    }

    /// Makes the boxes of a node large enough.
    fn node(&mut self, id: LevelId, pointer: Pointer, cut: &[u64]) {
        let world = self.world;
        let (node, number) = (world.arena.node(pointer), number_of(pointer));
        for slot in node.slots() {
            let below = self.below(id, node.children[slot], cut);
            self.nodes[number] = self.nodes[number].union(below);
            let own = node.bounds(slot);
            if own.contains(&below) {
                continue;
            }
            let count = world.arena.node_count();
            let all = (0..count).filter_map(Pointer::node);
            let all = || all.map(|pointer| world.arena.node(pointer).planes).collect();
            let planes = &mut self.whole.get_or_insert_with(all)[number];
            let whole = own.union(below);
            for (axis, [minima, maxima]) in planes.iter_mut().enumerate() {
                minima[slot] = whole.min[axis];
                maxima[slot] = whole.max[axis];
            }
        }
    }

    /// The box around what is cut behind a pointer.
    fn below(&self, id: LevelId, pointer: Pointer, cut: &[u64]) -> Aabb {
        if pointer.is_node() {
            return self.nodes[number_of(pointer)];
        }
        let mut all = Aabb::EMPTY;
        self.items(id, pointer, &mut |key, bounds| {
            if cut.binary_search(&key).is_ok() && !bounds.is_empty() {
                all = all.union(bounds);
            }
        });
        all
    }

    /// Shows the key and the box of everything in a leaf.
    fn items(&self, id: LevelId, leaf: Pointer, show: &mut dyn FnMut(u64, Aabb)) {
        match leaf.target() {
            Target::Instance(number) => show(number as u64, self.placed[number]),
            Target::Leaf | Target::Boxes(_) => {
                let _ = self.world.primitives(id, leaf, |primitive, id, _| {
                    let bounds = match primitive {
                        Primitive::Triangle(triangle) => triangle.bounds(),
                        Primitive::Box(bounds) => *bounds,
                    };
                    show(u64::from(id.geometry) << 32 | u64::from(id.primitive), bounds);
                    ControlFlow::Continue(())
                });
            }
            Target::Node | Target::Leave | Target::Done => (),
        }
    }
}

/// The number of the node behind a pointer to one.
fn number_of(node: Pointer) -> usize {
    node.byte() / size_of::<Node>()
}
