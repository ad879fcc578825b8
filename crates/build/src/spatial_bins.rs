//! Where to cut space: the chopped binning of Stich, Friedrich and Dietrich 2009, "Spatial splits
//! in bounding volume hierarchies", section 4.2.
//!
//! A range's box is divided into bins by planes. Every reference is chopped at the planes that it
//! crosses, and its parts are put into the bins they lie in. A plane then has as many references on
//! its left as have begun before it, and as many on its right as end behind it. This only estimates
//! a cost, so plain `f32` will do; the plane that is chosen is cut with care ([`crate::clip`]).

use crate::tagged_box::{Bounds, TaggedBox};
use glam::Vec3A;
use rayon::prelude::*;
use tree::Primitives;
use tree::primitives::Primitive;

/// Bins per axis.
const BINS: usize = 16;
/// References binned by one thread at a time.
const BLOCK: usize = 1 << 13;

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
    let space =
        Space { primitives, x: Slabs::new(bounds), y: Slabs::new(bounds), z: Slabs::new(bounds) };
    let [x, y, z] = space.binned(references);
    let planes = [
        space.x.as_ref().and_then(|slabs| x.cheapest(slabs)),
        space.y.as_ref().and_then(|slabs| y.cheapest(slabs)),
        space.z.as_ref().and_then(|slabs| z.cheapest(slabs)),
    ];
    let found = planes.into_iter().flatten();
    found.reduce(|best, plane| if plane.cost < best.cost { plane } else { best })
}

/// What is binned, and the bins of the axes along which the box can be divided.
struct Space<'a> {
    primitives: &'a Primitives,
    x: Option<Slabs<0>>,
    y: Option<Slabs<1>>,
    z: Option<Slabs<2>>,
}

impl Space<'_> {
    fn binned(&self, references: &[TaggedBox]) -> [Bins; 3] {
        if references.len() <= BLOCK {
            return self.block(references);
        }
        let blocks: Vec<[Bins; 3]> =
            references.par_chunks(BLOCK).map(|block| self.block(block)).collect();
        let mut bins = [Bins::EMPTY; 3];
        for block in &blocks {
            bins.iter_mut().zip(block).for_each(|(all, own)| all.merge(own));
        }
        bins
    }

    /// Bins references on all axes in one pass.
    fn block(&self, references: &[TaggedBox]) -> [Bins; 3] {
        let mut bins = [Bins::EMPTY; 3];
        let [x, y, z] = &mut bins;
        for reference in references {
            let own = reference.clean_bounds();
            let part = Part { primitives: self.primitives, item: reference.tag_a(), own };
            if let Some(slabs) = &self.x {
                x.add(&part, slabs);
            }
            if let Some(slabs) = &self.y {
                y.add(&part, slabs);
            }
            if let Some(slabs) = &self.z {
                z.add(&part, slabs);
            }
        }
        bins
    }
}

/// A reference to be binned.
struct Part<'a> {
    primitives: &'a Primitives,
    item: u32,
    own: Bounds,
}

/// The planes between the bins of one axis.
struct Slabs<const AXIS: usize> {
    low: f32,
    scale: f32,
    planes: [f32; BINS - 1],
    /// The space of each bin, without end across the axis.
    spaces: [Bounds; BINS],
}

impl<const AXIS: usize> Slabs<AXIS> {
    /// None for a box that is too thin to be divided, or too large to compute with.
    fn new(bounds: &Bounds) -> Option<Self> {
        let (low, high) = (bounds.min[AXIS], bounds.max[AXIS]);
        let planes: [f32; BINS - 1] = std::array::from_fn(|plane| {
            let share = (plane + 1) as f32 / BINS as f32;
            low * (1.0 - share) + high * share
        });
        let scale = BINS as f32 / (high - low);
        let rising = planes.windows(2).all(|pair| pair[0] < pair[1]);
        let inside = low < planes[0] && planes[BINS - 2] < high;
        let mut spaces = [ALL_OF_SPACE; BINS];
        for (bin, &plane) in planes.iter().enumerate() {
            spaces[bin].max[AXIS] = plane;
            spaces[bin + 1].min[AXIS] = plane;
        }
        let is_sound = rising && inside && scale.is_finite() && scale > 0.0;
        is_sound.then_some(Self { low, scale, planes, spaces })
    }

    /// The bin of a coordinate, or the nearest there is.
    #[inline(always)]
    fn bin_of(&self, x: f32) -> usize {
        (((x - self.low) * self.scale) as usize).min(BINS - 1)
    }
}

const ALL_OF_SPACE: Bounds = Bounds { min: Vec3A::NEG_INFINITY, max: Vec3A::INFINITY };

/// What lies in the bins of one axis.
#[derive(Clone, Copy)]
struct Bins {
    bounds: [Bounds; BINS],
    begun: [u32; BINS],
    ended: [u32; BINS],
}

impl Bins {
    const EMPTY: Self = Self { bounds: [Bounds::EMPTY; BINS], begun: [0; BINS], ended: [0; BINS] };

    #[inline(always)]
    fn add<const AXIS: usize>(&mut self, part: &Part<'_>, slabs: &Slabs<AXIS>) {
        let own = part.own;
        let first = slabs.bin_of(own.min[AXIS]);
        let last = slabs.bin_of(own.max[AXIS]).max(first);
        self.begun[first] += 1;
        self.ended[last] += 1;
        // Most references lie in one bin: what they refer to need not be looked at.
        if first == last {
            self.put(first, own, &own, slabs);
        } else if let Primitive::Triangle(triangle) = part.primitives.get(part.item as usize) {
            let vertices = triangle.vertices.map(Vec3A::from);
            self.chop_triangle(&vertices, &own, slabs, first, last);
        } else {
            (first..=last).for_each(|bin| self.put(bin, own, &own, slabs));
        }
    }

    /// Puts corners into their bins, and the points where edges cross planes into the bins on both
    /// sides.
    #[inline(never)] // rare, and large
    fn chop_triangle<const AXIS: usize>(
        &mut self,
        vertices: &[Vec3A; 3],
        own: &Bounds,
        slabs: &Slabs<AXIS>,
        first: usize,
        last: usize,
    ) {
        let mut parts = [Bounds::EMPTY; BINS];
        for corner in 0..3 {
            let (mut from, mut to) = (vertices[corner], vertices[(corner + 1) % 3]);
            if from[AXIS] > to[AXIS] {
                (from, to) = (to, from);
            }
            let [start, end] = [from, to].map(|v| slabs.bin_of(v[AXIS]).clamp(first, last));
            parts[start] = parts[start].with_point(from);
            parts[end] = parts[end].with_point(to);
            if start == end {
                continue;
            }
            let step = (to - from) / (to[AXIS] - from[AXIS]);
            for bin in start..end {
                let point = from + step * (slabs.planes[bin] - from[AXIS]);
                parts[bin] = parts[bin].with_point(point);
                parts[bin + 1] = parts[bin + 1].with_point(point);
            }
        }
        for (bin, part) in parts.iter().enumerate().take(last + 1).skip(first) {
            self.put(bin, *part, own, slabs);
        }
    }

    /// Adds what of a part lies in a bin and in the reference's own box.
    #[inline(always)]
    fn put<const AXIS: usize>(
        &mut self,
        bin: usize,
        part: Bounds,
        own: &Bounds,
        slabs: &Slabs<AXIS>,
    ) {
        let space = &slabs.spaces[bin];
        let min = part.min.max(own.min).max(space.min);
        let max = part.max.min(own.max).min(space.max);
        if min.cmple(max).all() {
            self.bounds[bin] = self.bounds[bin].union(Bounds { min, max });
        }
    }

    fn merge(&mut self, other: &Self) {
        for bin in 0..BINS {
            self.bounds[bin] = self.bounds[bin].union(other.bounds[bin]);
            self.begun[bin] += other.begun[bin];
            self.ended[bin] += other.ended[bin];
        }
    }

    fn cheapest<const AXIS: usize>(&self, slabs: &Slabs<AXIS>) -> Option<Plane> {
        let mut rights = [(Bounds::EMPTY, 0); BINS];
        let mut right = (Bounds::EMPTY, 0);
        for bin in (1..BINS).rev() {
            right = (right.0.union(self.bounds[bin]), right.1 + self.ended[bin]);
            rights[bin] = right;
        }
        let mut best: Option<Plane> = None;
        let (mut left, mut left_count) = (Bounds::EMPTY, 0);
        for (plane, &(right, right_count)) in rights[1..].iter().enumerate() {
            left = left.union(self.bounds[plane]);
            left_count += self.begun[plane];
            let cost =
                left.half_area() * left_count as f32 + right.half_area() * right_count as f32;
            // The cost of an empty side is NaN, which is never less.
            if cost < best.map_or(f32::INFINITY, |best| best.cost) {
                best = Some(Plane {
                    cost,
                    axis: AXIS,
                    position: slabs.planes[plane],
                    bounds: [left, right],
                    counts: [left_count, right_count],
                });
            }
        }
        best
    }
}
