//! Ray against triangle, as the unit computes it (G-8).
//!
//! The determinant and the numerators are those of [`geometry::moller_trumbore`]: plain f32
//! operations in a stated order. The test never looks at the ray's extent. Numbers leave as words
//! in which every NaN is 0xFFC00000, whatever the host makes of it (seen in captures).

use super::{INFINITY_BITS, SIGN_BIT};
use crate::layout::TriangleInfo;
use geometry::moller_trumbore::{Determinants, determinants};
use geometry::{Triangle, Vec3};

/// In which frame the test is evaluated. Exact inputs agree; the last bit of inexact ones may not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum TriangleArithmetic {
    /// Differences of vertices, as GPURT's emulation writes it.
    #[default]
    AsPublished,
    /// Vertices are first moved by the ray's origin, as an observer of the hardware found.
    Translated,
}

/// What a triangle test computes, hit or not.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TriangleTest {
    /// Determinant and numerators.
    pub determinants: Determinants,
    /// Ray parameter of the plane.
    pub t: f32,
    /// Weight of the second vertex.
    pub u: f32,
    /// Weight of the third vertex.
    pub v: f32,
    /// Whether the ray meets the triangle at `t >= 0`.
    pub hit: bool,
}

impl TriangleTest {
    /// Tests a triangle.
    #[must_use]
    pub fn new(
        origin: Vec3,
        direction: Vec3,
        triangle: &Triangle,
        arithmetic: TriangleArithmetic,
    ) -> Self {
        let determinants = match arithmetic {
            TriangleArithmetic::AsPublished => determinants(origin, direction, triangle),
            TriangleArithmetic::Translated => {
                let moved = Triangle { vertices: triangle.vertices.map(|v| v - origin) };
                determinants(Vec3::ZERO, direction, &moved)
            }
        };
        let Determinants { denominator, t, u, v } = determinants;
        let (t, u, v) = (t / denominator, u / denominator, v / denominator);
        // A NaN makes a comparison false, and the whole a miss.
        let inside = (0.0..=1.0).contains(&u) && v >= 0.0 && u + v <= 1.0;
        let hit = denominator != 0.0 && inside && t >= 0.0;
        Self { determinants, t, u, v, hit }
    }

    /// Whether the determinant is written with its sign bit set; that of a NaN is.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        word(self.determinants.denominator) >> 31 != 0
    }

    /// The words of a triangle of a 4-wide node, before flags act on them.
    #[must_use]
    pub fn words(&self, info: &TriangleInfo) -> [u32; 4] {
        let Determinants { denominator, t, u, v } = self.determinants;
        // A source of 3 reads +0 (G-31, R-9).
        let weights = [word((denominator - u) - v), word(u), word(v), 0];
        let sign = if self.is_negative() { SIGN_BIT } else { 0 };
        [
            if self.hit { word(t) } else { INFINITY_BITS | sign },
            word(denominator),
            weights[usize::from(info.i_source)],
            weights[usize::from(info.j_source)],
        ]
    }
}

/// A float as the unit writes it.
#[must_use]
pub fn word(value: f32) -> u32 {
    if value.is_nan() { 0xFFC0_0000 } else { value.to_bits() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// On small integers every operation is exact, so both frames agree.
        #[test]
        fn frames_agree_on_exact_input(
            o in any::<[i8; 3]>(),
            d in any::<[i8; 3]>(),
            v in any::<[[i8; 3]; 3]>(),
        ) {
            let vector = |c: [i8; 3]| Vec3::from_array(c.map(|x| f32::from(x / 8)));
            let triangle = Triangle { vertices: v.map(vector) };
            let test = |arithmetic| TriangleTest::new(vector(o), vector(d), &triangle, arithmetic);
            let a = test(TriangleArithmetic::AsPublished);
            let b = test(TriangleArithmetic::Translated);
            prop_assert_eq!(a.hit, b.hit);
            let words = |hit: &TriangleTest| [word(hit.t), word(hit.u), word(hit.v)];
            prop_assert_eq!(words(&a), words(&b));
            // The frames may reach a zero determinant with either sign.
            prop_assert!(a.is_negative() == b.is_negative() || a.determinants.denominator == 0.0);
        }
    }

    #[test]
    fn degenerate_triangles_give_nan_and_a_positive_zero() {
        let point = Vec3::new(1.5, -2.0, 0.25);
        for d in [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [-1.0, -1.0, -1.0], [0.3, -0.7, 0.0]] {
            let triangle = Triangle::new(point, point, point);
            let test = TriangleTest::new(Vec3::ZERO, d.into(), &triangle, Default::default());
            assert_eq!(word(test.determinants.denominator), 0);
            assert_eq!([word(test.u), word(test.v)], [0xFFC0_0000; 2]);
            assert!(!test.hit && !test.is_negative());
        }
    }
}
