//! A tree, laid out for the CPU.
//!
//! The boxes of the tree are kept as they are, or formed anew. Then the box of a leaf becomes the
//! union, over its triangles, of the triangle's own box; of a triangle that spatial splits have
//! cut, only what lies in the leaf's box in the image. An image stores such a triangle several
//! times, with the same ids. All others are therefore inside their boxes, even where the image's
//! boxes lost them. Boxes of nodes are unions of their children's.
//!
//! Nodes and leaves lie in the order of a walk that takes first children first. So the room of a
//! subtree is one range, known before anything is written ([`super::room`]), and subtrees are
//! written side by side, each into its own.

use super::fill::{Fill, Level as Filled};
use super::room::{Extent, Room};
use super::{Arena, Level, PrimitiveIds, Tlas, World, contents, room};
use crate::ordinary;
use contents::{Contents, InstanceLeaves, PrimitiveLeaves};
use geometry::{Aabb, Vec3};
use machine::instance_dilation::InstanceDilation;
use rayon::prelude::*;
use tree::{Bvh, Primitives, Tree};

/// The world does not fit into 32-bit pointers, or into memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// Where the boxes of a copy come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Boxes {
    /// They are formed anew around what is below them.
    Anew,
    /// They are those of the tree, also where they do not contain what is below them.
    Stored,
    /// They are those of the tree, which was just built: they contain what is below them.
    Built,
}

impl World {
    /// Lays a tree out.
    pub(crate) fn new(tree: &Tree, boxes: Boxes) -> Result<Self, TooLarge> {
        let primitive_ids: Vec<PrimitiveIds> =
            tree.blases.par_iter().map(|blas| PrimitiveIds::new(&blas.primitives)).collect();
        let blases: Vec<Planned<PrimitiveLeaves<'_>>> = tree
            .blases
            .par_iter()
            .zip(&primitive_ids)
            .map(|(blas, ids)| {
                Planned::new(&blas.bvh, PrimitiveLeaves::new(blas, ids, boxes), boxes)
            })
            .collect::<Result<_, _>>()?;
        let below: Vec<Aabb> = blases.iter().map(|level| level.bounds(0)).collect();
        let tlas = match &tree.tlas {
            None => None,
            Some(tlas) => {
                Some(Planned::new(&tlas.bvh, InstanceLeaves::new(tlas, &below, boxes), boxes)?)
            }
        };
        let extents = blases.iter().map(|level| level.extents[0]);
        let mut total = extents.chain(tlas.as_ref().map(|level| level.extents[0]));
        let total = total.try_fold(Extent::default(), |sum, one| sum.plus(one)).ok_or(TooLarge)?;
        let mut arena = Arena::zeros(total.nodes as usize, total.units as usize).ok_or(TooLarge)?;
        let (mut box_memory, mut box_lists) = room::boxes(&total);
        let (nodes, words) = arena.parts_mut();
        let mut room = Room { nodes, words, boxes: &mut box_memory, box_lists: &mut box_lists };
        let (mut at, mut parts) = (Extent::default(), Vec::new());
        for extent in blases.iter().map(|level| level.extents[0]) {
            let (own, rest) = room.split(extent);
            parts.push((at, own));
            (room, at) = (rest, at.plus(extent).ok_or(TooLarge)?);
        }
        let leaf_shift = Arena::leaf_shift(total.nodes as usize);
        let filled: Vec<Filled> = blases
            .par_iter()
            .zip(parts)
            .map(|(level, (at, room))| level.fill(leaf_shift, at, room))
            .collect::<Result<_, _>>()?;
        let filled_tlas =
            tlas.as_ref().map(|level| level.fill(leaf_shift, at, room)).transpose()?;
        let stack_size = 1
            + filled.iter().map(|level| level.stack).max().unwrap_or(0)
            + filled_tlas.as_ref().map_or(0, |level| level.stack + 1);
        let level = |root: &Filled, bounds| Level { root: root.root, bounds };
        let levels = filled.iter().zip(&below).map(|(root, &bounds)| level(root, bounds)).collect();
        let tlas = tree.tlas.as_ref().zip(tlas).zip(filled_tlas);
        let tlas = tlas.map(|((tlas, planned), root)| Tlas {
            level: level(&root, planned.bounds(0)),
            instances: tlas.instances.clone(),
            dilation: InstanceDilation::new(tlas),
        });
        let triangles = tree.blases.iter().map(|blas| distinct(&blas.primitives)).sum();
        let mut world = Self {
            arena,
            boxes: box_memory,
            box_lists,
            blases: levels,
            primitive_ids,
            tlas,
            stack_size,
            triangles,
            is_ordinary: false,
        };
        world.is_ordinary = world.has_ordinary_bounds() && {
            // The box of a root says nothing of what it should contain.
            let is_ordinary = |v: &Vec3| v.abs().max_element() <= ordinary::LARGEST;
            let mut blases = tree.blases.iter();
            boxes != Boxes::Stored
                || blases.all(|blas| {
                    let triangles = blas.primitives.triangles.par_iter();
                    triangles.all(|triangle| triangle.vertices.iter().all(is_ordinary))
                })
        };
        Ok(world)
    }

    /// Whether the boxes of all levels are ordinary.
    pub(super) fn has_ordinary_bounds(&self) -> bool {
        let levels = self.blases.iter().chain(self.tlas.as_ref().map(|tlas| &tlas.level));
        levels.into_iter().all(|level| {
            let Aabb { min, max } = level.bounds;
            level.bounds.is_empty() || min.abs().max(max.abs()).max_element() <= ordinary::LARGEST
        })
    }
}

/// A level whose room is known.
struct Planned<'a, C> {
    bvh: &'a Bvh,
    contents: C,
    /// The box of each entry, if they are not the tree's.
    anew: Option<Vec<Aabb>>,
    /// The room of each entry and all below it.
    extents: Vec<Extent>,
}

impl<'a, C: Contents> Planned<'a, C> {
    fn new(bvh: &'a Bvh, contents: C, boxes: Boxes) -> Result<Self, TooLarge> {
        let anew = (boxes == Boxes::Anew).then(|| entry_bounds(bvh, &contents));
        let mut planned = Self { bvh, contents, anew, extents: Vec::new() };
        planned.extents = planned.extents().ok_or(TooLarge)?;
        Ok(planned)
    }

    fn bounds(&self, entry: usize) -> Aabb {
        match &self.anew {
            Some(anew) => anew[entry],
            None => unbounded_unless_finite_or_empty(self.bvh.nodes()[entry].bounds),
        }
    }

    /// The room of each entry, from the bottom up.
    fn extents(&self) -> Option<Vec<Extent>> {
        let mut extents = vec![Extent::default(); self.bvh.nodes().len()];
        for (index, entry) in self.bvh.nodes().iter().enumerate().rev() {
            if self.bounds(index).is_empty() {
                continue;
            }
            extents[index] = if entry.link.is_leaf() {
                self.contents.extent(self.bvh.items(entry), &entry.bounds)?
            } else {
                let own = Extent { nodes: 1, ..Extent::default() };
                extents[entry.link.range()].iter().try_fold(own, |sum, &child| sum.plus(child))?
            };
        }
        Some(extents)
    }

    fn fill(&self, leaf_shift: usize, at: Extent, room: Room<'_>) -> Result<Filled, TooLarge> {
        let bounds = |entry: usize| self.bounds(entry);
        let Self { bvh, contents, extents, .. } = self;
        let fill = Fill { bvh, contents, extents, bounds: &bounds, leaf_shift };
        fill.level(at, room).ok_or(TooLarge)
    }
}

/// Triangles with different ids.
pub(crate) fn distinct(primitives: &Primitives) -> usize {
    let ids = &primitives.ids[..primitives.triangles.len()];
    if contents::are_numbered_in_turn(ids) {
        return ids.len();
    }
    let mut ids: Vec<(u32, u32)> = ids.iter().map(|id| (id.geometry, id.primitive)).collect();
    ids.par_sort_unstable();
    ids.dedup();
    ids.len()
}

/// The box of each entry, from the bottom up.
fn entry_bounds<C: Contents>(bvh: &Bvh, contents: &C) -> Vec<Aabb> {
    let around = |boxes: &mut dyn Iterator<Item = Aabb>| boxes.fold(Aabb::EMPTY, Aabb::union);
    let leaf = |entry: &tree::Node| match entry.link.is_leaf() {
        true => around(&mut bvh.items(entry).iter().map(|&i| contents.part(i, &entry.bounds))),
        false => Aabb::EMPTY,
    };
    let mut bounds: Vec<Aabb> = bvh.nodes().par_iter().map(leaf).collect();
    for (index, entry) in bvh.nodes().iter().enumerate().rev() {
        if !entry.link.is_leaf() {
            bounds[index] = around(&mut bounds[entry.link.range()].iter().copied());
        }
    }
    bounds
}

/// The box, or all of space if a plane is not finite: whatever such a primitive does, it is
/// visited.
pub(super) fn unbounded_unless_finite(bounds: Aabb) -> Aabb {
    if bounds.is_finite() { bounds } else { Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY) }
}

/// The same; an empty box stays empty.
pub(super) fn unbounded_unless_finite_or_empty(bounds: Aabb) -> Aabb {
    if bounds.is_empty() { Aabb::EMPTY } else { unbounded_unless_finite(bounds) }
}
