//! What the leaves of levels hold: primitives, or instances.

use super::leaf::{self, MAX_TRIANGLES};
use super::prepare::{Boxes, unbounded_unless_finite, unbounded_unless_finite_or_empty};
use super::room::{Extent, Room};
use super::{Pointer, PrimitiveIds};
use crate::simd::{Plain, Simd};
use crate::world::pointer::UNIT;
use geometry::Aabb;
use rayon::prelude::*;
use tree::{Blas, Bvh, Instance, PrimitiveId, Primitives};

/// A piece of a leaf: its box and where it leads.
pub(super) type Piece = (Aabb, Pointer);

/// What the leaves of a level hold.
pub(super) trait Contents: Sync {
    /// The box of an item in a leaf that has a box itself.
    fn part(&self, item: u32, leaf: &Aabb) -> Aabb;

    /// The room of a leaf with these items; `None` if there is not enough.
    fn extent(&self, items: &[u32], leaf: &Aabb) -> Option<Extent>;

    /// Asks for the memory of items that are soon written.
    fn prefetch(&self, _: &[u32]) {}

    /// The pointer, if the items make a single piece, which is written to `room`, at `at`; places
    /// of leaves begin at the unit `leaf_shift`.
    fn single(
        &self,
        items: &[u32],
        leaf_shift: usize,
        at: Extent,
        room: &mut Room<'_>,
    ) -> Option<Pointer>;

    /// Writes all pieces.
    fn pieces(
        &self,
        items: &[u32],
        leaf: &Aabb,
        leaf_shift: usize,
        at: Extent,
        room: Room<'_>,
    ) -> Option<Vec<Piece>>;
}

/// Triangles and procedural boxes.
pub(super) struct PrimitiveLeaves<'a> {
    primitives: &'a Primitives,
    ids: &'a PrimitiveIds,
    /// Which triangles several leaves hold; nothing where the tree's boxes are kept.
    is_cut: Vec<bool>,
}

impl<'a> PrimitiveLeaves<'a> {
    pub(super) fn new(blas: &'a Blas, ids: &'a PrimitiveIds, boxes: Boxes) -> Self {
        let Blas { primitives, bvh } = blas;
        let is_cut = match boxes {
            Boxes::Anew => cut_triangles(primitives, bvh),
            Boxes::Stored | Boxes::Built => Vec::new(),
        };
        Self { primitives, ids, is_cut }
    }

    fn triangle_count(&self, items: &[u32]) -> usize {
        if self.primitives.boxes.is_empty() {
            return items.len();
        }
        items.iter().filter(|&&item| self.is_triangle(item)).count()
    }

    fn is_triangle(&self, item: u32) -> bool {
        (item as usize) < self.primitives.triangles.len()
    }

    fn write(&self, words: &mut [u32], items: impl ExactSizeIterator<Item = u32>) {
        let count = items.len();
        let stored = items.map(|item| {
            let number = item as usize;
            (self.primitives.triangles[number], self.ids.name(&self.primitives.ids[number]))
        });
        leaf::write(words, count, stored);
    }
}

impl Contents for PrimitiveLeaves<'_> {
    fn part(&self, item: u32, leaf: &Aabb) -> Aabb {
        let own = unbounded_unless_finite(self.primitives.bounds(item as usize));
        let common = own.intersection(*leaf);
        match self.is_cut.get(item as usize) {
            Some(false) => own,
            Some(true) if common.is_empty() => own,
            Some(true) | None => common,
        }
    }

    fn extent(&self, items: &[u32], _: &Aabb) -> Option<Extent> {
        let triangles = self.triangle_count(items);
        Extent::of_primitives(triangles, items.len() - triangles)
    }

    #[inline]
    fn prefetch(&self, items: &[u32]) {
        for &item in items {
            // Of a procedural box: what it names is read elsewhere, and a hint harms nothing.
            let triangle = self.primitives.triangles.as_ptr().wrapping_add(item as usize);
            let id = self.primitives.ids.as_ptr().wrapping_add(item as usize);
            Plain::prefetch(triangle.cast());
            Plain::prefetch(triangle.wrapping_add(1).cast::<u8>().wrapping_sub(1));
            Plain::prefetch(id.cast());
        }
    }

    #[inline]
    fn single(
        &self,
        items: &[u32],
        leaf_shift: usize,
        at: Extent,
        room: &mut Room<'_>,
    ) -> Option<Pointer> {
        let fits = (1..=MAX_TRIANGLES).contains(&items.len());
        if !fits || self.triangle_count(items) != items.len() {
            return None;
        }
        self.write(room.words, items.iter().copied());
        Pointer::leaf((leaf_shift + at.units as usize) * UNIT, items.len())
    }

    fn pieces(
        &self,
        items: &[u32],
        leaf: &Aabb,
        leaf_shift: usize,
        at: Extent,
        room: Room<'_>,
    ) -> Option<Vec<Piece>> {
        let around =
            |items: &[u32]| items.iter().fold(Aabb::EMPTY, |all, &i| all.union(self.part(i, leaf)));
        let (triangles, boxes): (Vec<u32>, Vec<u32>) =
            items.iter().partition(|&&item| self.is_triangle(item));
        let (mut pieces, mut unit) = (Vec::new(), 0);
        for few in triangles.chunks(MAX_TRIANGLES) {
            self.write(&mut room.words[unit * UNIT / 4..], few.iter().copied());
            let byte = (leaf_shift + at.units as usize + unit) * UNIT;
            pieces.push((around(few), Pointer::leaf(byte, few.len())?));
            unit += leaf::units(few.len());
        }
        if !boxes.is_empty() {
            for (place, &item) in room.boxes.iter_mut().zip(&boxes) {
                let number = item as usize - self.primitives.triangles.len();
                *place = (self.primitives.boxes[number], self.primitives.ids[item as usize]);
            }
            if let Some(list) = room.box_lists.first_mut() {
                *list = at.boxes..at.boxes.checked_add(boxes.len() as u32)?;
            }
            pieces.push((around(&boxes), Pointer::boxes(at.box_lists as usize)?));
        }
        Some(pieces)
    }
}

/// Instances.
pub(super) struct InstanceLeaves<'a> {
    instances: &'a [Instance],
    /// The boxes of all BLASes.
    below: &'a [Aabb],
    /// How many leaves hold each instance; nothing where the tree's boxes are kept.
    references: Vec<u32>,
}

impl<'a> InstanceLeaves<'a> {
    pub(super) fn new(tlas: &'a tree::Tlas, below: &'a [Aabb], boxes: Boxes) -> Self {
        let references = match boxes {
            Boxes::Anew => reference_counts(&tlas.bvh),
            Boxes::Stored | Boxes::Built => Vec::new(),
        };
        Self { instances: &tlas.instances, below, references }
    }

    fn world_bounds(&self, instance: &Instance) -> Aabb {
        let below = self.below.get(instance.blas as usize).copied().unwrap_or(Aabb::EMPTY);
        instance.world_bounds(&below).map_or(Aabb::EMPTY, unbounded_unless_finite_or_empty)
    }

    fn seen<'b>(&'b self, items: &'b [u32], leaf: &'b Aabb) -> impl Iterator<Item = (Aabb, u32)> {
        let parts = items.iter().map(|&item| (self.part(item, leaf), item));
        parts.filter(|(bounds, _)| !bounds.is_empty())
    }
}

impl Contents for InstanceLeaves<'_> {
    fn part(&self, item: u32, leaf: &Aabb) -> Aabb {
        match self.references.get(item as usize) {
            Some(0 | 1) => self.world_bounds(&self.instances[item as usize]),
            _ => *leaf,
        }
    }

    fn extent(&self, items: &[u32], leaf: &Aabb) -> Option<Extent> {
        Extent::of_instances(self.seen(items, leaf).count())
    }

    fn single(&self, _: &[u32], _: usize, _: Extent, _: &mut Room<'_>) -> Option<Pointer> {
        None
    }

    fn pieces(
        &self,
        items: &[u32],
        leaf: &Aabb,
        _: usize,
        _: Extent,
        _: Room<'_>,
    ) -> Option<Vec<Piece>> {
        let seen = self.seen(items, leaf);
        seen.map(|(bounds, item)| Some((bounds, Pointer::instance(item as usize)?))).collect()
    }
}

/// Which primitives several leaves hold: under one number, or under several with the same ids.
fn cut_triangles(primitives: &Primitives, bvh: &Bvh) -> Vec<bool> {
    let mut is_cut: Vec<bool> = reference_counts(bvh).iter().map(|&count| count > 1).collect();
    let ids = &primitives.ids[..primitives.triangles.len()];
    if are_numbered_in_turn(ids) {
        return is_cut;
    }
    let key = |id: &PrimitiveId| u64::from(id.geometry) << 32 | u64::from(id.primitive);
    let mut sorted: Vec<(u64, u32)> = ids.iter().map(key).zip(0..).collect();
    sorted.par_sort_unstable();
    for same in sorted.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1) {
        for &(_, item) in same {
            is_cut[item as usize] = true;
        }
    }
    is_cut
}

/// Whether ids rise, as those of scenes do: then no two are the same.
pub(super) fn are_numbered_in_turn(ids: &[PrimitiveId]) -> bool {
    let key = |id: &PrimitiveId| (id.geometry, id.primitive);
    ids.par_windows(2).all(|pair| key(&pair[0]) < key(&pair[1]))
}

/// How many leaves refer to each item.
fn reference_counts(bvh: &Bvh) -> Vec<u32> {
    let mut counts = vec![0; bvh.item_count()];
    for &item in bvh.indices() {
        counts[item as usize] += 1;
    }
    counts
}
