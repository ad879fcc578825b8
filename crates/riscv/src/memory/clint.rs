//! The core-local interruptor: software interrupt and timer of one hart.
//!
//! | offset | register | size |
//! |---|---|---|
//! | 0x0 | msip, bit 0 | 4 |
//! | 0x4000 | mtimecmp | 8 |
//! | 0xBFF8 | mtime | 8 |
//!
//! `mtime` counts retired instructions, so that a run never depends on a clock.

/// The registers of the CLINT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clint {
    /// The software interrupt is pending.
    pub software: bool,
    /// The timer interrupt is pending from this time on.
    pub compare: u64,
    /// What `mtime` has beyond the retired instructions.
    offset: u64,
}

impl Default for Clint {
    /// No interrupt is pending after reset.
    fn default() -> Self {
        Self { software: false, compare: u64::MAX, offset: 0 }
    }
}

const MSIP: u64 = 0;
const MTIMECMP: u64 = 0x4000;
const MTIME: u64 = 0xBFF8;

impl Clint {
    /// The value of `mtime` after `retired` instructions.
    #[must_use]
    pub fn time(&self, retired: u64) -> u64 {
        self.offset.wrapping_add(retired)
    }

    /// How many more instructions may retire before the timer interrupt is pending.
    #[must_use]
    pub fn until_timer(&self, retired: u64) -> u64 {
        self.compare.saturating_sub(self.time(retired))
    }

    /// Reads `size` bytes (1, 2, 4 or 8) of the register at `offset`; unused places read 0.
    #[must_use]
    pub fn read(&self, offset: u64, size: u64, retired: u64) -> u64 {
        let (register, start) = match offset {
            MSIP..4 => (u64::from(self.software), MSIP),
            MTIMECMP..0x4008 => (self.compare, MTIMECMP),
            MTIME..0xC000 => (self.time(retired), MTIME),
            _ => (0, offset),
        };
        (register >> (8 * (offset - start))) & (u64::MAX >> (64 - 8 * size))
    }

    /// Writes `size` bytes of the register at `offset`; unused places ignore it.
    pub fn write(&mut self, offset: u64, size: u64, value: u64, retired: u64) {
        let merge = |old: u64, start: u64| {
            let shift = 8 * (offset - start);
            let mask = (u64::MAX >> (64 - 8 * size)) << shift;
            old & !mask | (value << shift) & mask
        };
        match offset {
            MSIP..4 => self.software = merge(u64::from(self.software), MSIP) & 1 != 0,
            MTIMECMP..0x4008 => self.compare = merge(self.compare, MTIMECMP),
            MTIME..0xC000 => self.offset = merge(self.time(retired), MTIME).wrapping_sub(retired),
            _ => {}
        }
    }
}
