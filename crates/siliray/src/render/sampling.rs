//! The fixed pattern of sample points.
//!
//! The 64 pixels of an 8x8 tile share one well-spread set of 64 points, each pixel has its own, and
//! the pattern repeats. Averaged over any 8x8 window ([`super::smooth`]) the whole set counts, so a
//! pixel gets the quality of many rays for the price of one, without noise. The set is a lattice of
//! rank one (Korobov's), in which every fourth point makes a lattice again; further samples of a
//! pixel shift it by the golden ratio's two-dimensional sibling.

use geometry::Vec3;
use std::f32::consts::TAU;

/// Pixels on a side of the tile, and of the window that sees all of its points.
pub(crate) const TILE: u32 = 8;

/// Points of the set.
const POINTS: u32 = TILE * TILE;

/// What each point adds to the second coordinate, in steps.
const GENERATOR: u32 = 27;

/// Fractional parts of the powers of the plastic number's reciprocal (Roberts, "The unreasonable
/// effectiveness of quasirandom sequences", 2018).
const SHIFT: [f32; 2] = [0.754_877_7, 0.569_840_3];

/// Where in its pixel sample `sample` lies; the first one lies in the middle.
pub(crate) fn in_pixel(sample: u32) -> [f32; 2] {
    SHIFT.map(|shift| (0.5 + sample as f32 * shift).fract())
}

/// The point in the unit square for a purpose: 0 the sun, 1 the sky.
pub(crate) fn point(x: u32, y: u32, sample: u32, purpose: u32) -> [f32; 2] {
    // An odd factor permutes the places, so the purposes are not in step.
    let index = (dithered(x, y) * (1 + 4 * purpose) + 5 * purpose) % POINTS;
    let step = |index: u32| (index % POINTS) as f32 / POINTS as f32 + 0.5 / POINTS as f32;
    let shifted = |value: f32, shift: f32| (value + sample as f32 * shift).fract();
    [shifted(step(index), SHIFT[0]), shifted(step(index * GENERATOR), SHIFT[1])]
}

/// Which point of the set a pixel has: ordered dithering (Bayer 1973), so that a window that is cut
/// by an edge still sees points from all over the set.
const fn dithered(x: u32, y: u32) -> u32 {
    let mut order = 0;
    let mut bit = 0;
    while bit < TILE.trailing_zeros() {
        let (x, y) = (x >> bit & 1, y >> bit & 1);
        order = order << 2 | (x ^ y) << 1 | y;
        bit += 1;
    }
    order
}

/// A direction around `normal`, the more likely the closer to it: the cosine distribution.
pub(crate) fn cosine_direction(normal: Vec3, [a, b]: [f32; 2]) -> Vec3 {
    let (radius, angle) = (a.sqrt(), TAU * b);
    let (x, y) = normal.any_orthonormal_pair();
    x * (radius * angle.cos()) + y * (radius * angle.sin()) + normal * (1.0 - a).max(0.0).sqrt()
}

/// A direction within a cone around `axis` whose half angle has the tangent `spread`.
pub(crate) fn cone_direction(axis: Vec3, spread: f32, [a, b]: [f32; 2]) -> Vec3 {
    let (radius, angle) = (spread * a.sqrt(), TAU * b);
    let (x, y) = axis.any_orthonormal_pair();
    (axis + x * (radius * angle.cos()) + y * (radius * angle.sin())).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of a window's points lie in each of as many strips of both axes.
    fn strips(left: u32, top: u32, side: u32, purpose: u32) -> [Vec<u32>; 2] {
        let count = side * side;
        let mut seen = [vec![0; count as usize], vec![0; count as usize]];
        for (x, y) in (0..count).map(|i| (left + i % side, top + i / side)) {
            for (axis, value) in point(x, y, 0, purpose).into_iter().enumerate() {
                seen[axis][(value * count as f32) as usize] += 1;
            }
        }
        seen
    }

    /// Every 8x8 window, wherever it lies, sees all points, stratified on both axes; and so does
    /// every 4x4 window of the tile.
    #[test]
    fn any_window_sees_points_from_all_over() {
        for (left, top, purpose) in [(0, 0, 0), (3, 1, 0), (17, 30, 1), (2, 7, 1)] {
            assert_eq!(strips(left, top, 8, purpose), [vec![1; 64], vec![1; 64]]);
        }
        for (left, top, purpose) in [(0, 0, 0), (4, 0, 1), (4, 4, 0), (8, 12, 1)] {
            assert_eq!(strips(left, top, 4, purpose), [vec![1; 16], vec![1; 16]]);
        }
    }

    /// The mean cosine of the cosine distribution is 2/3.
    #[test]
    fn directions_follow_the_cosine() {
        let normal = Vec3::new(2.0, -3.0, 6.0) / 7.0;
        let mean = (0..64)
            .map(|i| cosine_direction(normal, point(i % 8, i / 8, 0, 1)).dot(normal))
            .sum::<f32>()
            / 64.0;
        assert!((mean - 2.0 / 3.0).abs() < 0.005, "{mean}");
    }

    #[test]
    fn the_first_sample_is_the_middle_of_the_pixel() {
        assert_eq!(in_pixel(0), [0.5, 0.5]);
        assert!((1..99).flat_map(in_pixel).all(|x| (0.0..1.0).contains(&x)));
    }
}
