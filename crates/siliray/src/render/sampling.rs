//! The fixed pattern of sample points.
//!
//! Sixteen pixels in a 4x4 tile share one well-spread set of sixteen points, each pixel has its
//! own, and the pattern repeats. Averaged over any 4x4 window ([`super::smooth`]) the whole set
//! counts, so a pixel gets the quality of sixteen shadow rays for the price of one, without noise.
//! The set is Hammersley's; further samples of a pixel shift it by the golden ratio's
//! two-dimensional sibling.

use geometry::Vec3;
use std::f32::consts::TAU;

/// Pixels on a side of the tile, and of the window that sees all of its points.
pub(crate) const TILE: u32 = 4;

/// Which points of the tile's set neighbouring pixels use: ordered dithering, so that a window that
/// is cut by an edge still sees points from all over the set.
const ORDER: [u32; 16] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];

/// Fractional parts of the powers of the plastic number's reciprocal (Roberts, "The unreasonable
/// effectiveness of quasirandom sequences", 2018).
const SHIFT: [f32; 2] = [0.754_877_7, 0.569_840_3];

/// Where in its pixel sample `sample` lies; the first one lies in the middle.
pub(crate) fn in_pixel(sample: u32) -> [f32; 2] {
    SHIFT.map(|shift| (0.5 + sample as f32 * shift).fract())
}

/// The point in the unit square for a purpose: 0 the sun, 1 the sky.
pub(crate) fn point(x: u32, y: u32, sample: u32, purpose: u32) -> [f32; 2] {
    let place = ORDER[(y % TILE * TILE + x % TILE) as usize];
    // An odd factor permutes the sixteen places, so the purposes are not in step.
    let index = (place * (1 + 6 * purpose) + 5 * purpose) % 16;
    let first = (index as f32 + 0.5) / 16.0;
    let second = (index.reverse_bits() >> 28) as f32 / 16.0 + 1.0 / 32.0;
    let shifted = |value: f32, shift: f32| (value + sample as f32 * shift).fract();
    [shifted(first, SHIFT[0]), shifted(second, SHIFT[1])]
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

    /// Every 4x4 window, wherever it lies, sees sixteen different points that are stratified on
    /// both axes and in four by four cells.
    #[test]
    fn any_window_sees_the_whole_set() {
        for (left, top, purpose) in [(0, 0, 0), (3, 1, 0), (17, 30, 1), (2, 7, 1)] {
            let mut seen = [[0; 16]; 3];
            for (x, y) in (0..16).map(|i| (left + i % 4, top + i / 4)) {
                let [a, b] = point(x, y, 0, purpose);
                seen[0][(a * 16.0) as usize] += 1;
                seen[1][(b * 16.0) as usize] += 1;
                seen[2][(a * 4.0) as usize * 4 + (b * 4.0) as usize] += 1;
            }
            assert_eq!(seen, [[1; 16]; 3]);
        }
    }

    /// The mean cosine of the cosine distribution is 2/3.
    #[test]
    fn directions_follow_the_cosine() {
        let normal = Vec3::new(2.0, -3.0, 6.0) / 7.0;
        let mean = (0..16)
            .map(|i| cosine_direction(normal, point(i % 4, i / 4, 0, 1)).dot(normal))
            .sum::<f32>()
            / 16.0;
        assert!((mean - 2.0 / 3.0).abs() < 0.01, "{mean}");
    }

    #[test]
    fn the_first_sample_is_the_middle_of_the_pixel() {
        assert_eq!(in_pixel(0), [0.5, 0.5]);
        assert!((1..99).flat_map(in_pixel).all(|x| (0.0..1.0).contains(&x)));
    }
}
