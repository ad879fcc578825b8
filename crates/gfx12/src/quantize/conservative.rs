//! Conservative planes, made tight by decoding.
//!
//! For each axis: the smallest exponent whose span reaches the highest plane; for each child the
//! largest lower code whose decoded plane is not above the box, and the smallest upper code whose
//! decoded plane is not below it. Decoding is monotone in the code, so the codes are found by
//! search, from a guess that is nearly always right. Decoding a node and quantising it again gives
//! the same codes. Exponents 1..=12 are left out: their low codes are flushed to zero.
//!
//! ```
//! use geometry::{Aabb, Vec3};
//! use gfx12::quantize::quantize;
//! let first = Aabb::new(Vec3::new(1.25, 0.0, 0.0), Vec3::new(3.3, 0.0, 1.0));
//! let second = Aabb::new(Vec3::ZERO, Vec3::new(5.0, 0.0, 4.0));
//! let boxes = quantize(&[first, second]).unwrap();
//! assert_eq!(boxes.frame.exponents, [130, 0, 129]);
//! assert_eq!((boxes.codes[0].min[0], boxes.codes[0].max[0]), (640, 1689));
//! assert_eq!(boxes.codes[0].decode(&boxes.frame).max.x, 3.30078125);
//! ```

use super::{BoxCodes, MAX_EXPONENT, QuantizeError, QuantizedBoxes, spans};
use crate::layout::{BoxFrame, dequantize};
use geometry::Aabb;

/// Smallest exponent, other than 0, at which no code is flushed.
const MIN_EXPONENT: u8 = 13;

/// Codes for one to eight boxes, each decoded box containing its box.
///
/// # Errors
/// When a box is empty or not finite, or the span is too large (G-19).
pub fn quantize(boxes: &[Aabb]) -> Result<QuantizedBoxes, QuantizeError> {
    let spans = spans(boxes)?;
    let mut quantized = QuantizedBoxes {
        frame: BoxFrame { origin: [0.0; 3], exponents: [0; 3] },
        codes: [BoxCodes::default(); 8],
    };
    for (axis, [origin, top]) in spans.into_iter().enumerate() {
        let too_large = QuantizeError::Extent { axis, min: origin, max: top };
        let exponent = smallest_exponent(origin, top).ok_or(too_large)?;
        quantized.frame.origin[axis] = origin;
        quantized.frame.exponents[axis] = exponent;
        for (codes, bounds) in quantized.codes.iter_mut().zip(boxes) {
            let (min, max) = axis_codes(origin, exponent, bounds.min[axis], bounds.max[axis]);
            if quantized.frame.max_plane(axis, max).is_infinite() {
                return Err(too_large);
            }
            (codes.min[axis], codes.max[axis]) = (min, max);
        }
    }
    Ok(quantized)
}

/// The smallest usable exponent whose full span reaches `top`; 0 when there is no extent.
fn smallest_exponent(origin: f32, top: f32) -> Option<u8> {
    let fits = |exponent: u8| origin + dequantize(4096, exponent) >= top;
    if fits(0) {
        return Some(0);
    }
    // Exponent of the next power of two above the extent: right, or too large by rounding.
    let extent = top - origin;
    let guess = ((u64::from(extent.to_bits()) + 0x7F_FFFF) >> 23) as u8;
    let mut exponent = guess.clamp(MIN_EXPONENT, MAX_EXPONENT);
    while exponent > MIN_EXPONENT && fits(exponent - 1) {
        exponent -= 1;
    }
    while !fits(exponent) {
        if exponent == MAX_EXPONENT {
            return None;
        }
        exponent += 1;
    }
    Some(exponent)
}

/// Lower and upper code of one box on one axis.
fn axis_codes(origin: f32, exponent: u8, min: f32, max: f32) -> (u16, u16) {
    if exponent == 0 {
        return (0, 0);
    }
    let quanta =
        |plane: f32| (f64::from(plane) - f64::from(origin)) * (139.0 - f64::from(exponent)).exp2();
    let plane = |code: u32| origin + dequantize(code, exponent);
    // Code 0 is never above a box and code 4096 never below one, so both searches succeed.
    let upper = first_code(quanta(max).ceil() as u32, |code| plane(code) >= max).max(1) - 1;
    let above = first_code(quanta(min).floor() as u32 + 1, |code| plane(code) > min);
    // Where a quantum is far below the rounding of the sum, many codes share a plane. The lower
    // code stays within one of the upper one: same plane, and never the mark of an unused slot.
    let lower = above.saturating_sub(1).min(4095).min(upper + 1);
    (lower as u16, upper as u16)
}

/// The first code in 0..=4096 for which a monotone predicate holds, or 4097: galloping away from a
/// guess until the answer is bracketed, then by halves.
fn first_code(guess: u32, holds: impl Fn(u32) -> bool) -> u32 {
    let guess = guess.min(4096);
    // Everything below `low` fails; `high` holds, or is past the last code.
    let (mut low, mut high) = (0, 4097);
    let mut step = 1;
    if holds(guess) {
        high = guess;
        while low < high {
            let probe = high.saturating_sub(step);
            if !holds(probe) {
                low = probe + 1;
                break;
            }
            high = probe;
            step *= 2;
        }
    } else {
        low = guess + 1;
        while low + step <= high {
            let probe = low + step - 1;
            if holds(probe) {
                high = probe;
                break;
            }
            low = probe + 1;
            step *= 2;
        }
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Vec3;
    use proptest::prelude::*;

    /// Boxes of every size: each corner is a base plus an offset scaled by a random power of two,
    /// so that quanta far above and far below the rounding of the base both occur.
    fn boxes() -> impl Strategy<Value = Vec<Aabb>> {
        let corners = prop::collection::vec(any::<[i16; 6]>(), 1..=8);
        (any::<[i16; 3]>(), -140i32..108, corners).prop_map(|(base, scale, corners)| {
            let scale = f64::from(scale).exp2();
            let base = base.map(f64::from);
            corners
                .into_iter()
                .map(|c| {
                    let corner = |k: usize| {
                        Vec3::from_array(std::array::from_fn(|axis| {
                            (base[axis] + f64::from(c[k + axis]) * scale) as f32
                        }))
                    };
                    Aabb::of_points([corner(0), corner(3)])
                })
                .collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn decoded_boxes_contain_and_come_back(boxes in boxes()) {
            let quantized = quantize(&boxes).unwrap();
            let decoded: Vec<Aabb> =
                quantized.codes[..boxes.len()].iter().map(|c| c.decode(&quantized.frame)).collect();
            for (decoded, bounds) in decoded.iter().zip(&boxes) {
                prop_assert!(decoded.contains(bounds), "{:?} {:?}", decoded, bounds);
            }
            let again = quantize(&decoded).unwrap();
            prop_assert_eq!(
                again.frame.origin.map(f32::to_bits),
                quantized.frame.origin.map(f32::to_bits)
            );
            prop_assert_eq!(again, quantized);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// No other exponent or code that the format offers gives a tighter plane.
        #[test]
        fn no_code_is_tighter(boxes in boxes()) {
            let quantized = quantize(&boxes).unwrap();
            let frame = &quantized.frame;
            for axis in 0..3 {
                let top = boxes.iter().map(|b| b.max[axis]).fold(f32::MIN, f32::max);
                let smaller = (MIN_EXPONENT..frame.exponents[axis]).chain([0]);
                for exponent in smaller.filter(|&e| e != frame.exponents[axis]) {
                    prop_assert!(frame.origin[axis] + dequantize(4096, exponent) < top);
                }
                for (codes, bounds) in quantized.codes.iter().zip(&boxes) {
                    let min = frame.min_plane(axis, codes.min[axis]);
                    let max = frame.max_plane(axis, codes.max[axis]);
                    for code in 0..4096 {
                        let low = frame.min_plane(axis, code);
                        let high = frame.max_plane(axis, code);
                        prop_assert!(low > bounds.min[axis] || low <= min);
                        prop_assert!(high < bounds.max[axis] || high >= max);
                    }
                    prop_assert!(codes.min[axis] <= codes.max[axis] + 1);
                }
            }
        }
    }

    #[test]
    fn exponents_of_the_extent() {
        let exponent = |top| smallest_exponent(0.0, top);
        assert_eq!(exponent(5.0), Some(130));
        assert_eq!(exponent(4.0), Some(129));
        assert_eq!(exponent(0.0), Some(0));
        assert_eq!(exponent(f32::from_bits(1)), Some(13));
        assert_eq!(smallest_exponent(-1e38, 1e38), None);
    }

    #[test]
    fn negative_zero_is_written_as_zero() {
        let bounds = Aabb::new(Vec3::splat(-0.0), Vec3::new(0.0, -0.0, 1.0));
        assert_eq!(quantize(&[bounds]).unwrap().frame.origin.map(f32::to_bits), [0; 3]);
    }

    #[test]
    fn what_the_format_cannot_hold_is_refused() {
        let finite = Aabb::new(Vec3::ZERO, Vec3::ONE);
        assert_eq!(quantize(&[]), Err(QuantizeError::ChildCount(0)));
        assert_eq!(quantize(&[finite; 9]), Err(QuantizeError::ChildCount(9)));
        let inverted = Aabb::new(Vec3::ONE, Vec3::ZERO);
        assert!(matches!(quantize(&[finite, inverted]), Err(QuantizeError::Box { index: 1, .. })));
        let nan = Aabb::new(Vec3::ZERO, Vec3::new(1.0, f32::NAN, 1.0));
        assert!(matches!(quantize(&[nan]), Err(QuantizeError::Box { index: 0, .. })));
        let wide = Aabb::new(Vec3::new(0.0, 0.0, -3e38), Vec3::new(1.0, 1.0, 3e38));
        assert!(matches!(quantize(&[wide]), Err(QuantizeError::Extent { axis: 2, .. })));
        let high = Aabb::new(Vec3::splat(f32::MAX * 0.9), Vec3::splat(f32::MAX));
        assert!(matches!(quantize(&[high]), Err(QuantizeError::Extent { axis: 0, .. })));
    }
}
