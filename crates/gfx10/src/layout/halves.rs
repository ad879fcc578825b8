//! f32 planes as halves, rounded outward (R-23).
//!
//! A minimum becomes the largest half that is not above it, a maximum the smallest that is not
//! below it; beyond 65504 that is the last half or infinity. A half that was widened comes back as
//! it was.
//!
//! ```
//! use gfx10::layout::halves::{round_down, round_up};
//! assert_eq!([round_down(1.0 / 3.0), round_up(1.0 / 3.0)], [0x3555, 0x3556]);
//! assert_eq!([round_down(70000.0), round_up(70000.0)], [0x7BFF, 0x7C00]);
//! assert_eq!([round_down(1e-8), round_up(-1e-8)], [0x0000, 0x8000]);
//! ```

use half::f16;

/// The largest half that is at most the plane.
#[must_use]
pub fn round_down(plane: f32) -> u16 {
    let nearest = f16::from_f32(plane);
    let bits = nearest.to_bits();
    match nearest.to_f32() > plane {
        false => bits,
        // One step towards minus infinity; below zero that is a larger magnitude.
        true if bits & 0x8000 != 0 => bits + 1,
        true if bits == 0 => 0x8001,
        true => bits - 1,
    }
}

/// The smallest half that is at least the plane.
#[must_use]
pub fn round_up(plane: f32) -> u16 {
    round_down(-plane) ^ 0x8000
}

/// The planes of a box as halves.
#[must_use]
pub fn planes(bounds: &geometry::Aabb) -> [u16; 6] {
    let ([a, b, c], [d, e, f]) = (bounds.min.to_array(), bounds.max.to_array());
    [round_down(a), round_down(b), round_down(c), round_up(d), round_up(e), round_up(f)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every half, and the floats beside it.
    #[test]
    fn halves_come_back_and_neighbours_go_outward() {
        for bits in 0..=u16::MAX {
            let value = f16::from_bits(bits).to_f32();
            if value.is_nan() {
                continue;
            }
            assert_eq!((round_down(value), round_up(value)), (bits, bits));
            for near in [value.next_up(), value.next_down()] {
                assert!(f16::from_bits(round_down(near)).to_f32() <= near);
                assert!(f16::from_bits(round_up(near)).to_f32() >= near);
                let tight = f16::from_bits(round_up(near)).to_f32();
                assert!(
                    tight == f32::INFINITY
                        || near == f32::NEG_INFINITY
                        || f16::from_bits(round_down(tight.next_down())).to_f32() <= near
                );
            }
        }
    }
}
