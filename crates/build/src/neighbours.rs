//! Which neighbour along the curve a cluster should merge with.
//!
//! The boxes lie in six arrays of coordinates, so that the compiler handles several pairs of
//! clusters with one instruction. Each pair is looked at once, from its first cluster. A pair's key
//! is the area of the shared box with the distance along the curve in its lowest bits: as floats,
//! keys order by area and then by distance, and the best key says who the partner is.
//!
//! Where the best partner ahead is as good as the best one behind, even places look ahead and odd
//! ones behind: in a heap of equal boxes all clusters then find partners.

use crate::tagged_box::TaggedBox;

/// How far along the curve a cluster may look for a partner.
const MOST_RADIUS: usize = 16;
/// Bits of a key that hold the distance less 1.
const DISTANCE: u32 = MOST_RADIUS as u32 - 1;
/// Places handled together, so that their coordinates stay in the nearest cache.
const BLOCK: usize = 256;

/// Arrays for finding partners, used in each round again.
pub(crate) struct Neighbours {
    /// Lower x, y, z and upper x, y, z.
    planes: [Vec<f32>; 6],
    /// The best key with a partner ahead.
    ahead: Vec<f32>,
    /// The best key with a partner behind.
    behind: Vec<f32>,
    /// How far ahead the best partner is; 0 if there is none.
    partners: Vec<i8>,
}

impl Neighbours {
    /// What a caller may put in the place of a partner to say that the cluster is gone.
    pub(crate) const MERGED: i8 = i8::MIN;

    /// Arrays for at most `count` clusters.
    pub(crate) fn new(count: usize) -> Self {
        let padded = count + MOST_RADIUS;
        let array = || vec![0.0; padded];
        Self {
            planes: std::array::from_fn(|_| array()),
            ahead: array(),
            behind: array(),
            partners: vec![0; count],
        }
    }

    /// Pairs places `2k` and `2k + 1`; an odd one at the end remains alone.
    pub(crate) fn pair_adjacent(&mut self, count: usize) -> &mut [i8] {
        for (place, partner) in self.partners[..count].iter_mut().enumerate() {
            *partner = if place % 2 == 1 { -1 } else { i8::from(place + 1 < count) };
        }
        &mut self.partners[..count]
    }

    /// For each cluster, how far ahead the one lies with which it would share the smallest box. It
    /// may be 0, for none, where areas are too large to be compared.
    pub(crate) fn nearest(&mut self, clusters: &[TaggedBox], radius: usize) -> &mut [i8] {
        let count = clusters.len();
        self.load(clusters);
        self.ahead[..count + MOST_RADIUS].fill(f32::INFINITY);
        self.behind[..count + MOST_RADIUS].fill(f32::INFINITY);
        for start in (0..count).step_by(BLOCK) {
            let size = BLOCK.min(count - start);
            for distance in 1..=radius {
                self.compare(start, size, distance);
            }
        }
        for (place, partner) in self.partners[..count].iter_mut().enumerate() {
            *partner = choose(place, self.ahead[place], self.behind[place]);
        }
        &mut self.partners[..count]
    }

    fn load(&mut self, clusters: &[TaggedBox]) {
        let [x0, y0, z0, x1, y1, z1] =
            self.planes.each_mut().map(|plane| &mut plane[..clusters.len() + MOST_RADIUS]);
        for (place, cluster) in clusters.iter().enumerate() {
            let bounds = cluster.bounds();
            (x0[place], y0[place], z0[place]) = bounds.min.into();
            (x1[place], y1[place], z1[place]) = bounds.max.into();
        }
        // Boxes behind the last cluster with which nobody wants to share one.
        for plane in [x0, y0, z0] {
            plane[clusters.len()..].fill(f32::NEG_INFINITY);
        }
        for plane in [x1, y1, z1] {
            plane[clusters.len()..].fill(f32::INFINITY);
        }
    }

    /// Compares each of `size` clusters from `start` on with the one that lies `distance` ahead.
    #[inline(always)]
    fn compare(&mut self, start: usize, size: usize, distance: usize) {
        let here = self.planes.each_ref().map(|plane| &plane[start..start + size]);
        let there =
            self.planes.each_ref().map(|plane| &plane[start + distance..start + distance + size]);
        let ahead = &mut self.ahead[start..start + size];
        let behind = &mut self.behind[start + distance..start + distance + size];
        let distance_bits = distance as u32 - 1;
        for place in 0..size {
            let extent = |axis: usize| {
                greater(here[axis + 3][place], there[axis + 3][place])
                    - lesser(here[axis][place], there[axis][place])
            };
            let [x, y, z] = [extent(0), extent(1), extent(2)];
            let area = x * (y + z) + y * z;
            // Areas are not negative, so their bits order like them. Infinity becomes a NaN, which
            // loses each comparison.
            let key = f32::from_bits(area.to_bits() & !DISTANCE | distance_bits);
            ahead[place] = lesser(key, ahead[place]);
            behind[place] = lesser(key, behind[place]);
        }
    }
}

/// The lesser of two numbers; the second if one is NaN. One instruction, unlike `f32::min`.
#[inline(always)]
fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The greater of two numbers; the second if one is NaN.
#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
fn choose(place: usize, ahead: f32, behind: f32) -> i8 {
    let distance = |key: f32| (key.to_bits() & DISTANCE) as i8 + 1;
    if ahead.min(behind) == f32::INFINITY {
        0
    } else if ahead < behind || ahead == behind && place.is_multiple_of(2) {
        distance(ahead)
    } else {
        -distance(behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tagged_box::Bounds;
    use glam::Vec3A;

    fn cube(x: f32, size: f32) -> TaggedBox {
        let min = Vec3A::new(x, 0.3 * x, -x);
        TaggedBox::new(Bounds { min, max: min + Vec3A::new(size, 2.0 * size, 0.5) }, 0, 1)
    }

    /// The partner found shares the smallest box of all within the radius.
    #[test]
    fn agrees_with_a_plain_search() {
        let clusters: Vec<TaggedBox> = (0..1000u32)
            .map(|i| cube((i * 7919 % 1009) as f32 * 0.37, 0.1 + (i * 31 % 17) as f32))
            .collect();
        let area =
            |i: usize, j: usize| clusters[i].bounds().union(clusters[j].bounds()).half_area();
        for radius in [1, 5, MOST_RADIUS] {
            let mut neighbours = Neighbours::new(clusters.len());
            let partners = neighbours.nearest(&clusters, radius);
            for (i, &ahead) in partners.iter().enumerate() {
                let near = i.saturating_sub(radius)..(i + radius + 1).min(clusters.len());
                let least = near.filter(|&j| j != i).map(|j| area(i, j)).fold(f32::MAX, f32::min);
                let found = area(i, i.wrapping_add_signed(ahead.into()));
                // The lowest bits of an area are not compared.
                assert!(ahead != 0 && found <= least * (1.0 + 1e-5), "{i}: {found} {least}");
            }
        }
    }

    #[test]
    fn equal_boxes_pair_up_and_endless_ones_do_not() {
        let equal = vec![cube(1.0, 2.0); 7];
        let mut neighbours = Neighbours::new(7);
        assert_eq!(*neighbours.nearest(&equal, 5), [1, -1, 1, -1, 1, -1, -1]);
        assert_eq!(*neighbours.pair_adjacent(7), [1, -1, 1, -1, 1, -1, 0]);
        let endless = vec![cube(0.0, f32::MAX); 7];
        assert_eq!(*neighbours.nearest(&endless, 5), [0; 7]);
    }
}
