//! References in the order of a Morton curve (Morton 1966; for trees: Lauterbach et al. 2009).
//!
//! Centres are quantised to 21 bits per axis over the box around all centres, and the bits interleaved.
//! One pass spreads the codes over buckets by their top bits, then the buckets are sorted side by
//! side. The position breaks ties, so that the order is the same however it is found.

use crate::object_split::extents;
use crate::tagged_box::{Bounds, TaggedBox};
use glam::Vec3A;
use rayon::prelude::*;

/// Bits of a code per axis.
const AXIS_BITS: u32 = 21;
/// Leading bits of a code that choose its bucket.
const BUCKET_BITS: u32 = 12;

/// A code and the position of its reference.
type Key = (u64, u32);

/// The places of the references in the order of the curve.
pub(crate) fn order(references: &[TaggedBox]) -> Vec<u32> {
    let (_, centroids) = extents(references);
    let mut keys = bucketed(&codes(references, &centroids));
    let mut rest = keys.as_mut_slice();
    let mut buckets = Vec::with_capacity(1 << BUCKET_BITS);
    while let Some(first) = rest.first() {
        let bucket = bucket_of(first);
        let count = rest.partition_point(|key| bucket_of(key) == bucket);
        let (taken, left) = rest.split_at_mut(count);
        buckets.push(taken);
        rest = left;
    }
    buckets.into_par_iter().for_each(|bucket| bucket.sort_unstable());
    keys.par_iter().map(|&(_, position)| position).collect()
}

fn codes(references: &[TaggedBox], centroids: &Bounds) -> Vec<Key> {
    let top = ((1u32 << AXIS_BITS) - 1) as f32;
    let origin = Vec3A::from_vec4(centroids.min.extend(1.0));
    let scale = Vec3A::splat(top) / (centroids.max - centroids.min);
    references
        .par_iter()
        .enumerate()
        .map(|(position, reference)| {
            // A flat axis divides by zero: NaN becomes 0 here.
            let place = ((reference.bounds().center2() - origin) * scale).max(Vec3A::ZERO);
            let [x, y, z] = place.min(Vec3A::splat(top)).to_array().map(|lane| spread(lane as u64));
            (x << 2 | y << 1 | z, position as u32)
        })
        .collect()
}

/// Moves bit `k` of a 21-bit number to bit `3k`.
#[inline(always)]
fn spread(x: u64) -> u64 {
    let x = (x | x << 32) & 0x001F_0000_0000_FFFF;
    let x = (x | x << 16) & 0x001F_0000_FF00_00FF;
    let x = (x | x << 8) & 0x100F_00F0_0F00_F00F;
    let x = (x | x << 4) & 0x10C3_0C30_C30C_30C3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

#[inline(always)]
fn bucket_of(key: &Key) -> usize {
    (key.0 >> (3 * AXIS_BITS - BUCKET_BITS)) as usize
}

/// One pass of a radix sort by the leading bits.
fn bucketed(keys: &[Key]) -> Vec<Key> {
    let mut ends = vec![0usize; (1 << BUCKET_BITS) + 1];
    keys.iter().for_each(|key| ends[bucket_of(key) + 1] += 1);
    for bucket in 1..ends.len() {
        ends[bucket] += ends[bucket - 1];
    }
    let mut sorted = vec![(0, 0); keys.len()];
    for key in keys {
        let end = &mut ends[bucket_of(key)];
        sorted[*end] = *key;
        *end += 1;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_separates_bits() {
        for bit in 0..AXIS_BITS {
            assert_eq!(spread(1 << bit), 1 << (3 * bit));
        }
        assert_eq!(spread((1 << AXIS_BITS) - 1).count_ones(), AXIS_BITS);
    }

    /// Points on a small lattice: the order must be that of the interleaved lattice coordinates.
    #[test]
    fn order_follows_the_curve() {
        let mut points: Vec<[u32; 3]> = Vec::new();
        for i in 0..512u32 {
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
        let codes: Vec<u32> =
            order(&references).into_iter().map(|place| code(points[place as usize])).collect();
        assert_eq!(codes, (0..512).collect::<Vec<_>>());
    }
}
