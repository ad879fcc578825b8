//! References in the order of a Morton curve (Morton 1966; for trees: Lauterbach et al. 2009).
//!
//! Centres are quantised over the box around all centres, and the bits interleaved. A key holds
//! such a code above the position of its reference, which breaks ties, so that the order is the
//! same however it is found. The code has all bits that the position leaves: 13 per axis for ten
//! million references, more for fewer. One pass spreads the keys over buckets by their top bits,
//! then the buckets are sorted side by side.

use crate::scratch::Scratch;
use crate::tagged_box::{Bounds, TaggedBox};
use glam::Vec3A;
use rayon::prelude::*;
use std::ops::Range;

/// Most bits of a code per axis.
const MOST_AXIS_BITS: u32 = 21;
/// Leading bits of a key that choose its bucket.
const BUCKET_BITS: u32 = 12;
/// References handled by one thread at a time.
const BLOCK: usize = 1 << 15;

/// References in the order of the curve.
pub(crate) struct Order {
    /// A code, and the place of its reference in the lowest bits.
    keys: Scratch<u64>,
    place_mask: u64,
}

impl Order {
    /// The places of some of the references, in the order of the curve.
    pub(crate) fn places(&self, range: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        self.keys[range].iter().map(|key| (key & self.place_mask) as usize)
    }
}

/// The order of `count` references.
pub(crate) fn order(count: usize, reference: &(impl Fn(usize) -> TaggedBox + Sync)) -> Order {
    let place_bits = (count as u64).next_power_of_two().trailing_zeros();
    let axis_bits = ((u64::BITS - place_bits) / 3).min(MOST_AXIS_BITS);
    let mut keys = bucketed(&keys(count, reference, axis_bits));
    let mut rest = &mut *keys;
    let mut buckets = Vec::with_capacity(1 << BUCKET_BITS);
    while let Some(&first) = rest.first() {
        let size = rest.partition_point(|&key| bucket_of(key) == bucket_of(first));
        let (taken, left) = rest.split_at_mut(size);
        buckets.push(taken);
        rest = left;
    }
    buckets.into_par_iter().for_each(|bucket| bucket.sort_unstable());
    Order { keys, place_mask: (1u64 << place_bits) - 1 }
}

/// The key of each reference. The codes lie at the top of the keys, whose leading bits choose a
/// bucket.
fn keys(
    count: usize,
    reference: &(impl Fn(usize) -> TaggedBox + Sync),
    axis_bits: u32,
) -> Scratch<u64> {
    let centroids = centroids(count, reference);
    let top = ((1u32 << axis_bits) - 1) as f32;
    let origin = Vec3A::from_vec4(centroids.min.extend(1.0));
    let scale = Vec3A::splat(top) / (centroids.max - centroids.min);
    let shift = u64::BITS - 3 * axis_bits;
    let mut keys = Scratch::zeros(count);
    keys.par_iter_mut().enumerate().with_min_len(BLOCK).for_each(|(place, key)| {
        // A flat axis divides by zero: NaN becomes 0 here.
        let doubled_center = reference(place).bounds().doubled_center();
        let steps = ((doubled_center - origin) * scale).max(Vec3A::ZERO);
        let [x, y, z] = steps.min(Vec3A::splat(top)).to_array().map(|lane| spread(lane as u32));
        *key = (x << 2 | y << 1 | z) << shift | place as u64;
    });
    keys
}

/// The box around the centres of all references.
fn centroids(count: usize, reference: &(impl Fn(usize) -> TaggedBox + Sync)) -> Bounds {
    (0..count)
        .into_par_iter()
        .with_min_len(BLOCK)
        .fold(
            || Bounds::EMPTY,
            |bounds, place| bounds.with_point(reference(place).bounds().doubled_center()),
        )
        .reduce(|| Bounds::EMPTY, Bounds::union)
}

/// Moves bit `k` of a 21-bit number to bit `3k`.
#[inline(always)]
fn spread(x: u32) -> u64 {
    let x = u64::from(x);
    let x = (x | x << 32) & 0x001F_0000_0000_FFFF;
    let x = (x | x << 16) & 0x001F_0000_FF00_00FF;
    let x = (x | x << 8) & 0x100F_00F0_0F00_F00F;
    let x = (x | x << 4) & 0x10C3_0C30_C30C_30C3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

#[inline(always)]
fn bucket_of(key: u64) -> usize {
    (key >> (u64::BITS - BUCKET_BITS)) as usize
}

/// One pass of a radix sort by the leading bits.
fn bucketed(keys: &[u64]) -> Scratch<u64> {
    let mut ends = vec![0usize; (1 << BUCKET_BITS) + 1];
    keys.iter().for_each(|&key| ends[bucket_of(key) + 1] += 1);
    for bucket in 1..ends.len() {
        ends[bucket] += ends[bucket - 1];
    }
    let mut sorted = Scratch::zeros(keys.len());
    let places = &mut *sorted;
    for &key in keys {
        let end = &mut ends[bucket_of(key)];
        places[*end] = key;
        *end += 1;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_separates_bits() {
        for bit in 0..MOST_AXIS_BITS {
            assert_eq!(spread(1 << bit), 1 << (3 * bit));
        }
        assert_eq!(spread((1 << MOST_AXIS_BITS) - 1).count_ones(), MOST_AXIS_BITS);
    }

    /// Points on a small lattice: the order must be that of the interleaved lattice coordinates,
    /// and among equal ones that of the input.
    #[test]
    fn order_follows_the_curve() {
        let mut points: Vec<[u32; 3]> = Vec::new();
        for i in 0..1024u32 {
            let scrambled = i * 197 % 512;
            points.push([scrambled & 7, scrambled >> 3 & 7, scrambled >> 6]);
        }
        let reference = |(i, p): (usize, &[u32; 3])| {
            let corner = Vec3A::from_array(p.map(|c| c as f32));
            TaggedBox::new(Bounds { min: corner, max: corner }, i as u32, 0)
        };
        let references: Vec<TaggedBox> = points.iter().enumerate().map(reference).collect();
        let code = |[x, y, z]: [u32; 3]| {
            (0..3).fold(0, |c, b| {
                c | ((x >> b & 1) << 2 | (y >> b & 1) << 1 | (z >> b & 1)) << (3 * b)
            })
        };
        let order: Vec<(u32, usize)> = order(references.len(), &|place| references[place])
            .places(0..references.len())
            .map(|place| (code(points[place]), place))
            .collect();
        assert!(order.is_sorted());
        assert_eq!(
            order.iter().map(|o| o.0).collect::<Vec<_>>(),
            (0..1024).map(|i| i / 2).collect::<Vec<_>>()
        );
    }
}
