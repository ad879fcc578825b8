//! Splitting a range of references by the surface-area heuristic with bins, after Wald 2007, "On
//! fast construction of SAH-based bounding volume hierarchies".
//!
//! The centroids are sorted into bins on all three axes at once; the cheapest plane between two
//! bins splits the range. Small ranges are split by an exact sweep ([`crate::sweep`]), and where
//! costs say nothing a range is halved. Large ranges are binned in blocks of fixed size whose bins
//! are merged in order, so that nothing depends on the number of threads.

use crate::sweep;
use crate::tagged_box::{Bounds, TaggedBox};
use glam::Vec3A;
use rayon::prelude::*;

/// From how many references on a range gets 32 bins per axis.
const MANY: usize = 256;
/// From how many references on a range gets 16 bins per axis; smaller ones get 8.
const SOME: usize = 32;
/// References binned by one thread at a time.
const BLOCK: usize = 1 << 15;
/// Below this depth ranges are halved, which bounds the depth of any tree by this plus 32.
pub(crate) const DEEPEST_HEURISTIC: usize = 64;

/// What is known of a range of references before it is split.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    /// The box around the references.
    pub(crate) bounds: Bounds,
    /// The box around their centres.
    pub(crate) centroids: Bounds,
    /// Distance from the root.
    pub(crate) depth: usize,
}

impl Range {
    /// The root range over all references.
    pub(crate) fn root(references: &[TaggedBox]) -> Self {
        let (bounds, centroids) = extents(references);
        Self { bounds, centroids, depth: 0 }
    }
}

/// Reorders `references` into two parts, neither empty; returns the size of the first.
pub(crate) fn split(references: &mut [TaggedBox], range: &Range) -> (usize, Range, Range) {
    let depth = range.depth + 1;
    let halves = |middle: usize, left: (Bounds, Bounds), right: (Bounds, Bounds)| {
        (
            middle,
            Range { bounds: left.0, centroids: left.1, depth },
            Range { bounds: right.0, centroids: right.1, depth },
        )
    };
    let count = references.len();
    let found = if range.depth >= DEEPEST_HEURISTIC {
        None
    } else if count <= sweep::LARGEST {
        let no_centroids =
            |(middle, left, right)| (middle, (left, Bounds::EMPTY), (right, Bounds::EMPTY));
        sweep::split(references).map(no_centroids)
    } else if count < SOME {
        split_by_bins::<8>(references, range)
    } else if count < MANY {
        split_by_bins::<16>(references, range)
    } else {
        split_by_bins::<32>(references, range)
    };
    if let Some((middle, left, right)) = found {
        return halves(middle, left, right);
    }
    let middle = halve(references);
    let (left, right) = references.split_at(middle);
    halves(middle, extents(left), extents(right))
}

/// Splits at the median centre of the longest axis: the answer when costs say nothing, because all
/// centres coincide, or areas are zero, or they overflow.
fn halve(references: &mut [TaggedBox]) -> usize {
    let (_, centroids) = extents(references);
    let extent = centroids.max - centroids.min;
    let axis = if extent.x >= extent.y && extent.x >= extent.z {
        0
    } else if extent.y >= extent.z {
        1
    } else {
        2
    };
    let middle = references.len() / 2;
    let key = |reference: &TaggedBox| {
        (reference.bounds().min[axis] * 0.5) + (reference.bounds().max[axis] * 0.5)
    };
    references.select_nth_unstable_by(middle, |a, b| {
        key(a).total_cmp(&key(b)).then(a.tag_a().cmp(&b.tag_a()))
    });
    middle
}

/// The box around references and the box around their centres.
pub(crate) fn extents(references: &[TaggedBox]) -> (Bounds, Bounds) {
    let of_block = |block: &[TaggedBox]| {
        block.iter().fold((Bounds::EMPTY, Bounds::EMPTY), |(bounds, centroids), reference| {
            let own = reference.bounds();
            (bounds.union(own), centroids.with_point(own.doubled_center()))
        })
    };
    if references.len() <= BLOCK {
        return of_block(references);
    }
    let blocks: Vec<_> = references.par_chunks(BLOCK).map(of_block).collect();
    blocks.into_iter().fold((Bounds::EMPTY, Bounds::EMPTY), |all, block| {
        (all.0.union(block.0), all.1.union(block.1))
    })
}

/// Which bin a centre falls into, on each axis.
#[derive(Clone, Copy)]
struct Grid<const BINS: usize> {
    origin: Vec3A,
    scale: Vec3A,
}

impl<const BINS: usize> Grid<BINS> {
    fn new(centroids: &Bounds) -> Self {
        // A little less than BINS, so that the largest centre rounds into the last bin.
        let scale = Vec3A::splat(BINS as f32 * 0.9999) / (centroids.max - centroids.min);
        // The junk lane becomes -1 when the origin is taken off, instead of a denormal number.
        let origin = Vec3A::from_vec4(centroids.min.extend(1.0));
        Self { origin, scale }
    }

    /// Bin numbers on the three axes. A coordinate that is not a number lands in bin 0.
    #[inline(always)]
    fn bins(&self, center: Vec3A) -> [usize; 3] {
        let place = (center - self.origin) * self.scale - 0.5;
        let clamped = place.max(Vec3A::ZERO).min(Vec3A::splat(BINS as f32 - 1.0));
        (clamped + MAGIC).to_array().map(|lane| (lane.to_bits() & (BINS as u32 - 1)) as usize)
    }

    /// Whether the bin of a centre on `axis` is `plane` or a later one: the same arithmetic, for
    /// one axis. `plane` is at least 1, so the lower clamp cannot matter; nor can the upper.
    #[inline(always)]
    fn is_right_of(&self, axis: usize, plane: usize) -> impl Fn(Vec3A) -> bool + use<BINS> {
        let (origin, scale) = (self.origin[axis], self.scale[axis]);
        let first = MAGIC + plane as f32;
        move |center| ((center[axis] - origin) * scale - 0.5) + MAGIC >= first
    }
}

/// Adding 2^23 leaves an integer in the low bits of the mantissa. It rounds to nearest, hence the
/// half that is taken off before; any monotone map would do, as long as binning and partition share
/// it.
const MAGIC: f32 = 8_388_608.0;

/// What fell into the bins.
struct Bins<const BINS: usize> {
    bounds: [[Bounds; BINS]; 3],
    counts: [[u32; BINS]; 3],
}

impl<const BINS: usize> Bins<BINS> {
    const EMPTY: Self = Self { bounds: [[Bounds::EMPTY; BINS]; 3], counts: [[0; BINS]; 3] };

    #[inline(never)] // inlined into the recursion it loses its registers
    fn fill(&mut self, references: &[TaggedBox], grid: Grid<BINS>) {
        for reference in references {
            let own = reference.bounds();
            let bins = grid.bins(own.doubled_center());
            for (axis, bin) in bins.into_iter().enumerate() {
                self.bounds[axis][bin] = self.bounds[axis][bin].union(own);
                self.counts[axis][bin] += 1;
            }
        }
    }

    fn merge(&mut self, other: &Self) {
        for axis in 0..3 {
            for bin in 0..BINS {
                self.bounds[axis][bin] = self.bounds[axis][bin].union(other.bounds[axis][bin]);
                self.counts[axis][bin] += other.counts[axis][bin];
            }
        }
    }

    /// The cheapest plane: axis, first bin on the right, and the boxes on its sides.
    #[inline(never)]
    fn best_plane(&self) -> Option<(usize, usize, Bounds, Bounds)> {
        let mut best = None;
        let mut best_cost = f32::INFINITY;
        for axis in 0..3 {
            let (bounds, counts) = (&self.bounds[axis], &self.counts[axis]);
            let mut right_costs = [0.0f32; BINS];
            let (mut right, mut count) = (Bounds::EMPTY, 0);
            for bin in (1..BINS).rev() {
                right = right.union(bounds[bin]);
                count += counts[bin];
                right_costs[bin] = right.half_area() * count as f32;
            }
            let (mut left, mut count) = (Bounds::EMPTY, 0);
            for bin in 1..BINS {
                left = left.union(bounds[bin - 1]);
                count += counts[bin - 1];
                // An empty side costs 0 * infinity, which is NaN, which is never less.
                let cost = left.half_area() * count as f32 + right_costs[bin];
                if cost < best_cost {
                    best_cost = cost;
                    best = Some((axis, bin));
                }
            }
        }
        let (axis, plane) = best.filter(|_| best_cost > 0.0)?;
        let around = |bins: &[Bounds]| bins.iter().copied().fold(Bounds::EMPTY, Bounds::union);
        let (left, right) = self.bounds[axis].split_at(plane);
        Some((axis, plane, around(left), around(right)))
    }
}

type Half = (Bounds, Bounds);

/// Splits at the cheapest plane between bins; none if the bins cannot tell the references apart.
fn split_by_bins<const BINS: usize>(
    references: &mut [TaggedBox],
    range: &Range,
) -> Option<(usize, Half, Half)> {
    let grid = Grid::<BINS>::new(&range.centroids);
    let mut bins = Bins::<BINS>::EMPTY;
    if references.len() > BLOCK {
        let blocks: Vec<_> = references
            .par_chunks(BLOCK)
            .map(|block| {
                let mut bins = Bins::<BINS>::EMPTY;
                bins.fill(block, grid);
                bins
            })
            .collect();
        blocks.iter().for_each(|block| bins.merge(block));
    } else {
        bins.fill(references, grid);
    }
    let (axis, plane, left, right) = bins.best_plane()?;
    let (middle, centroids) = partition(references, grid, axis, plane);
    let [left_centroids, right_centroids] = centroids;
    (0 < middle && middle < references.len()).then_some((
        middle,
        (left, left_centroids),
        (right, right_centroids),
    ))
}

/// Moves references left of the plane to the front; returns how many, and the boxes around the
/// centres on both sides. Every reference is swapped, needed or not: that is quicker than a branch
/// which nobody can predict.
#[inline(never)] // inlined into the recursion it loses its registers
fn partition<const BINS: usize>(
    references: &mut [TaggedBox],
    grid: Grid<BINS>,
    axis: usize,
    plane: usize,
) -> (usize, [Bounds; 2]) {
    let is_right = grid.is_right_of(axis, plane);
    let mut centroids = [Bounds::EMPTY; 2];
    let mut middle = 0;
    for position in 0..references.len() {
        let center = references[position].bounds().doubled_center();
        let side = usize::from(is_right(center));
        centroids[side] = centroids[side].with_point(center);
        references.swap(middle, position);
        middle += 1 - side;
    }
    (middle, centroids)
}
