//! RADV's plane arithmetic (G-22): round to nearest throughout, so not provably conservative.
//!
//! ```text
//! extent = max - min;  ext = the next power of two, by bits;  e = its exponent, no lower clamp
//! qmin = min(uint(floor((min - origin) / ext * 4096)),     0xFFF)
//! qmax = min(uint(ceil ((max - origin) / ext * 4096)) - 1, 0xFFF)
//! ```
//!
//! An upper plane on the origin underflows to 0xFFFFFFFF and becomes 0xFFF. An extent of 0, where
//! the formula divides 0 by 0, is quantised as in [`conservative`](super::conservative). Source:
//! Mesa.
//!
//! ```
//! use geometry::{Aabb, Vec3};
//! use gfx12::quantize::quantize_radv;
//! let first = Aabb::new(Vec3::new(1.25, 0.0, 0.0), Vec3::new(3.3, 0.0, 0.0));
//! let second = Aabb::new(Vec3::ZERO, Vec3::new(5.0, 0.0, 4.0));
//! let boxes = quantize_radv(&[first, second]).unwrap();
//! assert_eq!(boxes.frame.exponents, [130, 0, 129]);
//! assert_eq!((boxes.codes[0].min[0], boxes.codes[0].max[0]), (640, 1689));
//! assert_eq!(boxes.codes[0].max[2], 0xFFF); // max == origin underflows
//! ```

use super::{BoxCodes, MAX_EXPONENT, QuantizeError, QuantizedBoxes, spans};
use crate::layout::BoxFrame;
use geometry::Aabb;

/// Codes for one to eight boxes, as RADV computes them.
///
/// # Errors
/// When a box is empty or not finite, or the exponent exceeds 253 (G-19).
pub fn quantize_radv(boxes: &[Aabb]) -> Result<QuantizedBoxes, QuantizeError> {
    let spans = spans(boxes)?;
    let mut quantized = QuantizedBoxes {
        frame: BoxFrame { origin: [0.0; 3], exponents: [0; 3] },
        codes: [BoxCodes::default(); 8],
    };
    for (axis, [origin, top]) in spans.into_iter().enumerate() {
        let span_bits = ((top - origin).to_bits() + 0x7F_FFFF) & 0x7F80_0000;
        let exponent = (span_bits >> 23) as u8;
        if exponent > MAX_EXPONENT {
            return Err(QuantizeError::Extent { axis, min: origin, max: top });
        }
        quantized.frame.origin[axis] = origin;
        quantized.frame.exponents[axis] = exponent;
        if exponent == 0 {
            continue;
        }
        let span = f32::from_bits(span_bits);
        for (codes, bounds) in quantized.codes.iter_mut().zip(boxes) {
            let low = ((bounds.min[axis] - origin) / span * 4096.0).floor() as u32;
            let high = ((bounds.max[axis] - origin) / span * 4096.0).ceil() as u32;
            codes.min[axis] = low.min(0xFFF) as u16;
            codes.max[axis] = high.wrapping_sub(1).min(0xFFF) as u16;
        }
    }
    Ok(quantized)
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Vec3;
    use proptest::prelude::*;

    proptest! {
        /// Planes are at most two quanta off: neither provably outside, nor far.
        #[test]
        fn planes_stay_near(
            corners in prop::collection::vec(any::<[u16; 6]>(), 2..8),
        ) {
            let boxes: Vec<Aabb> = corners
                .iter()
                .map(|c| {
                    let [a, b, c, d, e, f] = c.map(|x| f32::from(x) * 0.013 - 100.0);
                    Aabb::of_points([Vec3::new(a, b, c), Vec3::new(d, e, f)])
                })
                .collect();
            let radv = quantize_radv(&boxes).unwrap();
            for (codes, bounds) in radv.codes.iter().zip(&boxes) {
                let decoded = codes.decode(&radv.frame);
                for axis in 0..3 {
                    let quantum = (f64::from(radv.frame.exponents[axis]) - 139.0).exp2() as f32;
                    let near = 2.0 * quantum + 1e-4;
                    prop_assert!((decoded.min[axis] - bounds.min[axis]).abs() <= near);
                    let underflow = bounds.max[axis] == radv.frame.origin[axis];
                    prop_assert!(
                        underflow || (decoded.max[axis] - bounds.max[axis]).abs() <= near
                    );
                }
            }
        }
    }
}
