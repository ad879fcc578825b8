//! Quantised planes: how a 12-bit code becomes an `f32`.
//!
//! Every axis has an origin and an exponent `e`, biased like an `f32` exponent. One quantum is
//! `2^(e - 139)`; the full span of 4096 quanta is `2^(e - 127)`.
//!
//! ```text
//! min plane = origin + qmin       * quantum
//! max plane = origin + (qmax + 1) * quantum          the + 1: G-5
//! ```
//!
//! The product is exact or flushed to zero, and only the sum rounds. Sources: GPURT's emulation,
//! Radeon Raytracing Analyzer.
//!
//! ```
//! use gfx12::layout::{BoxFrame, dequantize};
//! assert_eq!(dequantize(3, 139), 3.0);
//! let frame = BoxFrame { origin: [0.0; 3], exponents: [137; 3] }; // quantum 0.25
//! assert_eq!(frame.min_plane(0, 519), 129.75);
//! assert_eq!(frame.max_plane(0, 1160), 290.25);
//! ```

use geometry::{Aabb, Vec3};
use machine::fields::Show;

machine::fields! {
    /// The grid that the planes of a node lie on.
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[source = "GPURT's emulation, Radeon Raytracing Analyzer (G-5)"]
    pub struct BoxFrame: 4 words {
        /// Where code 0 lies.
        pub origin: [f32; 3] = 0..96 => "scene units";
        /// Biased exponents of the spans.
        pub exponents: [u8; 3] = 96..120, Show::Each(quantum);
    }
}

/// The quantum of an exponent.
fn quantum(exponent: u64) -> String {
    format!("{exponent}: a quantum of 2^{}", exponent as i64 - 139)
}

impl BoxFrame {
    /// The lower plane that a code (0..=4095) stands for.
    #[must_use]
    #[inline]
    pub fn min_plane(&self, axis: usize, code: u16) -> f32 {
        self.origin[axis] + dequantize(u32::from(code), self.exponents[axis])
    }

    /// The upper plane that a code (0..=4095) stands for: one quantum further (G-5).
    #[must_use]
    #[inline]
    pub fn max_plane(&self, axis: usize, code: u16) -> f32 {
        self.origin[axis] + dequantize(u32::from(code) + 1, self.exponents[axis])
    }

    /// The box of six codes. Planes may be inverted, infinite or NaN where the codes or the frame
    /// are odd.
    #[must_use]
    #[inline]
    pub fn bounds(&self, min: [u16; 3], max: [u16; 3]) -> Aabb {
        let low = std::array::from_fn(|axis| self.min_plane(axis, min[axis]));
        let high = std::array::from_fn(|axis| self.max_plane(axis, max[axis]));
        Aabb::new(Vec3::from_array(low), Vec3::from_array(high))
    }
}

/// `code * 2^(exponent - 139)` for a code in 0..=4096. A result that would be subnormal is flushed
/// to +0; exponent 255 with code 4096 gives infinity (G-19).
#[must_use]
#[inline]
pub fn dequantize(code: u32, exponent: u8) -> f32 {
    let code = (code & 0x1FFF) as f32;
    // From exponent 13 on the quantum is a normal number and the product exact.
    if exponent >= 13 {
        return code * f32::from_bits((u32::from(exponent) - 12) << 23);
    }
    let exact = f64::from(code) * (f64::from(exponent) - 139.0).exp2();
    if exact < f64::from(f32::MIN_POSITIVE) { 0.0 } else { exact as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codes_are_multiples_of_the_quantum(code in 0u32..=4096, exponent in 0u8..=255) {
            let exact = f64::from(code) * (f64::from(exponent) - 139.0).exp2();
            let expected = if exact < f64::from(f32::MIN_POSITIVE) { 0.0 } else { exact as f32 };
            prop_assert_eq!(dequantize(code, exponent).to_bits(), expected.to_bits());
        }
    }

    #[test]
    fn edges_of_the_range() {
        assert_eq!(dequantize(4096, 255), f32::INFINITY);
        assert_eq!(dequantize(4095, 0), 0.0);
        assert_eq!(dequantize(4096, 1), f32::MIN_POSITIVE);
        assert_eq!(dequantize(2048, 1), 0.0);
    }
}
