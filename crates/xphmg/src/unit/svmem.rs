//! SVMEM: which box, which triangle (specification, section 10).
//!
//! The operand of lane `i` lies at `B + ext(IDX[i]) * SCALE` modulo 2^64, where `B` is SVMBASE, or
//! RTBASE when that is 0. SVMLEN and the gather/scatter bit mean nothing to RT.

use crate::bits::{bit, field};
use crate::memory::{HartPort, MemoryFault, load_array};

/// The registers of one hart, in the order of their numbers from 0x7F0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Svmem {
    /// SVMBASE.
    pub base: u64,
    /// SVMIDX.
    pub index: u64,
    scale: u64,
    length: u64,
    mode: u64,
}

/// Names, in the order of their numbers.
pub const NAMES: [&str; 5] = ["svm.base", "svm.idx", "svm.scl", "svm.len", "svm.mode"];

/// Why there is no index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexError {
    /// The array is not aligned to four bytes.
    Misaligned(u64),
    /// The array is not there.
    Fault(MemoryFault),
}

impl Svmem {
    /// Reads a register by its offset from SVMBASE.
    #[must_use]
    pub fn read(&self, offset: u16) -> u64 {
        [self.base, self.index, self.scale, self.length, self.mode]
            .get(usize::from(offset))
            .copied()
            .unwrap_or(0)
    }

    /// Writes a register by its offset from SVMBASE.
    pub fn write(&mut self, offset: u16, value: u64) {
        match offset {
            0 => self.base = value,
            1 => self.index = value,
            2 => {
                let log2 = field(value, 2, 0);
                self.scale = value & 0x38 | if log2 > 4 { 0 } else { log2 };
            }
            3 => self.length = value & 0xFF,
            4 => self.mode = value & 3, // no compression
            _ => {}
        }
    }

    /// FOF.
    #[must_use]
    pub fn fault_only_first(&self) -> bool {
        bit(self.scale, 5)
    }

    /// BOUND_CHECK.
    #[must_use]
    pub fn checks_bounds(&self) -> bool {
        bit(self.mode, 0)
    }

    /// BOUND_CHECK and ALLOW_OOB_ZERO: an unbacked operand reads as zeros.
    #[must_use]
    pub fn reads_zeros_outside(&self) -> bool {
        self.checks_bounds() && bit(self.mode, 1)
    }

    /// IDX of a lane: 0, a register, or an element of an array of u32.
    ///
    /// # Errors
    /// When the array is misaligned or not there.
    pub fn lane_index(&self, lane: u8, hart: &mut dyn HartPort) -> Result<u64, IndexError> {
        match self.index {
            0 => Ok(0),
            1..=31 => Ok(hart.x((self.index as u8 + lane) % 32)),
            array => {
                let address = array.wrapping_add(4 * u64::from(lane));
                if address % 4 != 0 {
                    return Err(IndexError::Misaligned(address));
                }
                let bytes = load_array(hart, address).map_err(IndexError::Fault)?;
                Ok(u32::from_le_bytes(bytes).into())
            }
        }
    }

    /// The address of an operand. The low 32 bits of the index count.
    #[must_use]
    pub fn operand_address(&self, index: u64, rt_base: u64) -> u64 {
        let base = if self.base == 0 { rt_base } else { self.base };
        let low = index as u32;
        let extended = if bit(self.scale, 3) { i64::from(low as i32) as u64 } else { low.into() };
        base.wrapping_add(extended << field(self.scale, 2, 0))
    }
}
