//! The hand-over from a task to its mesh workgroups (section 2.3).
//!
//! | byte | content |
//! |---|---|
//! | 0x00 | mesh side: workgroup index, written by hardware |
//! | 0x04 | task side: number of mesh workgroups, x*y*z |
//! | 0x08, 0x0c, 0x10 | x, y, z of EmitMeshTasks |
//! | 0x14..0x20 | reserved |
//! | 0x20.. | payload |

use crate::limits::{LINE_BYTES, MAX_WORKGROUPS, MAX_WORKGROUPS_YZ};

/// Where the payload begins.
pub const PAYLOAD_BASE: u32 = 0x20;

/// How many mesh workgroups a task emits, along each axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskHeader {
    emit: [u32; 3],
}

/// A task emits more workgroups than a draw may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "found {} x {} x {} mesh workgroups, expected at most {MAX_WORKGROUPS} in all and along x, \
     {MAX_WORKGROUPS_YZ} along y and z", emit[0], emit[1], emit[2]
)]
pub struct TooManyWorkgroups {
    /// How many were asked for, along each axis.
    pub emit: [u32; 3],
}

impl TaskHeader {
    /// A task that emits x by y by z mesh workgroups.
    ///
    /// # Errors
    /// When that is more than a draw may have.
    pub fn new(emit: [u32; 3]) -> Result<Self, TooManyWorkgroups> {
        let [x, y, z] = emit;
        let total = u64::from(x) * u64::from(y.min(1 << 16)) * u64::from(z.min(1 << 16));
        let fits = x <= MAX_WORKGROUPS && y <= MAX_WORKGROUPS_YZ && z <= MAX_WORKGROUPS_YZ;
        if fits && total <= u64::from(MAX_WORKGROUPS) {
            Ok(Self { emit })
        } else {
            Err(TooManyWorkgroups { emit })
        }
    }

    /// Mesh workgroups along each axis.
    #[must_use]
    pub const fn emit(&self) -> [u32; 3] {
        self.emit
    }

    /// Mesh workgroups in all.
    #[must_use]
    pub const fn total(&self) -> u32 {
        self.emit[0] * self.emit[1] * self.emit[2]
    }

    /// The words that the task stores, each with its address.
    #[must_use]
    pub const fn words(&self) -> [(u32, u32); 4] {
        let [x, y, z] = self.emit;
        [(0x04, self.total()), (0x08, x), (0x0c, y), (0x10, z)]
    }
}

/// Lines that a payload of `bytes` takes, header included: OUTPUT_TO_M_S_LINES.
#[must_use]
pub const fn payload_lines(bytes: u32) -> u32 {
    PAYLOAD_BASE.saturating_add(bytes).div_ceil(LINE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_hold_on_each_axis_and_in_all() {
        let total = |emit| TaskHeader::new(emit).map(|header| header.total()).ok();
        assert_eq!(total([1 << 22, 1, 1]), Some(1 << 22));
        assert_eq!(total([64, 65_535, 1]), Some(64 * 65_535));
        assert_eq!(total([0, 7, 7]), Some(0));
        for emit in [[(1 << 22) + 1, 1, 1], [1, 65_536, 1], [1, 1, 65_536], [65, 65_535, 1]] {
            assert_eq!(TaskHeader::new(emit), Err(TooManyWorkgroups { emit }));
        }
        assert!(TaskHeader::new([u32::MAX; 3]).is_err());
    }

    #[test]
    fn a_payload_is_rounded_up_to_lines() {
        assert_eq!([0, 96, 97, 16_384].map(payload_lines), [1, 1, 2, 129]);
    }
}
