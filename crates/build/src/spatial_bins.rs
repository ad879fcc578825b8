//! Where to cut space: the chopped binning of Stich, Friedrich and Dietrich 2009, "Spatial splits in
//! bounding volume hierarchies", section 4.2.
//!
//! A range's box is divided into bins by planes. Every reference is cut at each plane that it crosses,
//! and its parts are put into the bins they lie in. A plane then has as many references on its left as
//! have begun before it, and as many on its right as end behind it.

use crate::clip;
use crate::tagged_box::{Bounds, TaggedBox};
use rayon::prelude::*;
use tree::Primitives;

/// Bins per axis.
const BINS: usize = 16;
/// References binned by one thread at a time.
const BLOCK: usize = 1 << 12;

/// A plane that cuts space in two.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plane {
    /// Cost of the two halves.
    pub(crate) cost: f32,
    /// Which axis it is perpendicular to.
    pub(crate) axis: usize,
    /// Where it lies.
    pub(crate) position: f32,
    /// The boxes of the parts on both sides.
    pub(crate) bounds: [Bounds; 2],
    /// How many references would lie on each side.
    pub(crate) counts: [u32; 2],
}

/// The cheapest plane through the box `bounds` of the references, if any has a cost.
pub(crate) fn cheapest_plane(
    primitives: &Primitives,
    references: &[TaggedBox],
    bounds: &Bounds,
) -> Option<Plane> {
    (0..3).filter_map(|axis| cheapest_on_axis(primitives, references, bounds, axis)).fold(
        None,
        |best: Option<Plane>, plane| match best {
            Some(best) if best.cost <= plane.cost => Some(best),
            _ => Some(plane),
        },
    )
}

/// The planes between bins, and what lies in the bins.
struct Bins {
    planes: [f32; BINS - 1],
    bounds: [Bounds; BINS],
    begun: [u32; BINS],
    ended: [u32; BINS],
}

fn cheapest_on_axis(
    primitives: &Primitives,
    references: &[TaggedBox],
    bounds: &Bounds,
    axis: usize,
) -> Option<Plane> {
    let (low, high) = (bounds.min[axis], bounds.max[axis]);
    let planes: [f32; BINS - 1] = std::array::from_fn(|plane| {
        let share = (plane + 1) as f32 / BINS as f32;
        low * (1.0 - share) + high * share
    });
    // Too thin to be divided, or too large to compute with.
    let rising = |pair: &[f32]| pair[0] < pair[1];
    if !(low < planes[0] && planes[BINS - 2] < high && planes.windows(2).all(rising)) {
        return None;
    }
    let empty =
        || Bins { planes, bounds: [Bounds::EMPTY; BINS], begun: [0; BINS], ended: [0; BINS] };
    let mut bins = empty();
    if references.len() > BLOCK {
        let blocks: Vec<Bins> = references
            .par_chunks(BLOCK)
            .map(|block| {
                let mut bins = empty();
                block.iter().for_each(|reference| bins.add(primitives, reference, axis));
                bins
            })
            .collect();
        blocks.iter().for_each(|block| bins.merge(block));
    } else {
        references.iter().for_each(|reference| bins.add(primitives, reference, axis));
    }
    bins.cheapest(axis)
}

impl Bins {
    /// The bin that a coordinate lies in; one on a plane counts to the bin below.
    fn bin_of(&self, x: f32) -> usize {
        self.planes.partition_point(|&plane| plane < x)
    }

    fn add(&mut self, primitives: &Primitives, reference: &TaggedBox, axis: usize) {
        let own = reference.bounds();
        let first = self.bin_of(own.min[axis]);
        let last = self.bin_of(own.max[axis]).max(first);
        self.begun[first] += 1;
        self.ended[last] += 1;
        let mut rest = *reference;
        for bin in first..last {
            let (low, high) = clip::cut(primitives, &rest, axis, self.planes[bin]);
            self.bounds[bin] = self.bounds[bin].union(low);
            rest = TaggedBox::new(high, reference.first(), 0);
        }
        self.bounds[last] = self.bounds[last].union(rest.bounds());
    }

    fn merge(&mut self, other: &Self) {
        for bin in 0..BINS {
            self.bounds[bin] = self.bounds[bin].union(other.bounds[bin]);
            self.begun[bin] += other.begun[bin];
            self.ended[bin] += other.ended[bin];
        }
    }

    fn cheapest(&self, axis: usize) -> Option<Plane> {
        let mut rights = [(Bounds::EMPTY, 0); BINS];
        let mut right = (Bounds::EMPTY, 0);
        for bin in (1..BINS).rev() {
            right = (right.0.union(self.bounds[bin]), right.1 + self.ended[bin]);
            rights[bin] = right;
        }
        let mut best: Option<Plane> = None;
        let (mut left, mut left_count) = (Bounds::EMPTY, 0);
        for bin in 1..BINS {
            left = left.union(self.bounds[bin - 1]);
            left_count += self.begun[bin - 1];
            let (right, right_count) = rights[bin];
            let cost =
                left.half_area() * left_count as f32 + right.half_area() * right_count as f32;
            // The cost of an empty side is NaN, which is never less.
            if cost < best.map_or(f32::INFINITY, |plane| plane.cost) {
                let (bounds, counts) = ([left, right], [left_count, right_count]);
                best = Some(Plane { cost, axis, position: self.planes[bin - 1], bounds, counts });
            }
        }
        best
    }
}
