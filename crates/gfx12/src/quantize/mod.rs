//! Boxes to plane codes: what an encoder needs to fill a box node.
//!
//! | file | policy |
//! |---|---|
//! | [`conservative`] | siliray's and GPURT's: a decoded box contains its box, and tightly |
//! | [`radv`] | RADV's round-to-nearest arithmetic, which may lose a sliver (G-22) |
//!
//! Both share a frame between all children of a node, start it at the lowest corner, and refuse
//! what the format cannot hold (G-19).

pub mod conservative;
pub mod radv;

pub use conservative::quantize;
pub use radv::quantize_radv;

use crate::layout::{BoxFrame, ChildEntry};
use geometry::Aabb;

/// A frame, and the codes of up to eight boxes in it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct QuantizedBoxes {
    /// Origin and exponents.
    pub frame: BoxFrame,
    /// Codes, one for each box that was given; the rest are 0.
    pub codes: [BoxCodes; 8],
}

/// Six plane codes of 12 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub struct BoxCodes {
    /// Lower codes.
    pub min: [u16; 3],
    /// Upper codes; decoding adds one quantum (G-5).
    pub max: [u16; 3],
}

impl BoxCodes {
    /// The decoded box.
    #[must_use]
    pub fn decode(&self, frame: &BoxFrame) -> Aabb {
        frame.bounds(self.min, self.max)
    }

    /// A child entry with these codes.
    #[must_use]
    pub fn entry(&self, rest: ChildEntry) -> ChildEntry {
        ChildEntry { min: self.min, max: self.max, ..rest }
    }
}

/// Why boxes cannot be quantised.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
pub enum QuantizeError {
    /// A node has one to eight children.
    #[error("a box node has 1 to 8 children, not {0}")]
    ChildCount(usize),
    /// A box is empty or has a plane that is NaN or infinite.
    #[error("box {index} is empty or not finite: {bounds:?}")]
    Box {
        /// Which box.
        index: usize,
        /// Its planes.
        bounds: Aabb,
    },
    /// The extent needs an exponent above 253, or a decoded plane would be infinite (G-19).
    #[error("the boxes span {min:e} to {max:e} on axis {axis}, more than the format can hold")]
    Extent {
        /// 0, 1 or 2.
        axis: usize,
        /// Lowest plane.
        min: f32,
        /// Highest plane.
        max: f32,
    },
}

/// Largest exponent that an encoder writes (G-19).
const MAX_EXPONENT: u8 = 253;

/// Checks the boxes and returns the lowest and highest plane of each axis, -0 written as +0.
fn spans(boxes: &[Aabb]) -> Result<[[f32; 2]; 3], QuantizeError> {
    if boxes.is_empty() || boxes.len() > 8 {
        return Err(QuantizeError::ChildCount(boxes.len()));
    }
    for (index, bounds) in boxes.iter().enumerate() {
        if !bounds.is_finite() || bounds.is_empty() {
            return Err(QuantizeError::Box { index, bounds: *bounds });
        }
    }
    let all = boxes.iter().fold(Aabb::EMPTY, |all, bounds| all.union(*bounds));
    // The plane of code 0 is origin + 0, which is +0 for an origin of -0.
    Ok(std::array::from_fn(|axis| [all.min[axis] + 0.0, all.max[axis] + 0.0]))
}
