//! RSV: lanes, masks and the prefixes that set them up (specification, section 9).
//!
//! | register | layout (X-33) |
//! |---|---|
//! | svstate | 0 EN, 1 ONE_SHOT, 2 FC_PEND, 4 PEN, 5 PFC_PEND, 15:8 BLK, 23:16 VL−1, 28:24 FC |
//! | svsrca, svsrcb, svdst | 4:0 base register, 7 base valid, 10:8 step code, 11 step valid |
//! | svpmask0, svpmask1 | lanes 31:0 and 63:32 |
//! | svsat | not implemented: reads 0 |
//! | svfaulti | 6:0 lane index |

use crate::bits::{bit, field};
use crate::encoding::Prefix;
use crate::memory::HartPort;
use crate::numeric::Rounding;
use crate::policy::registers::Override;
use crate::readings::Readings;

/// The registers of one hart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rsv {
    state: u64,
    /// SVSRCA, SVSRCB, SVDST.
    sources: [RegisterWalk; 3],
    /// SVPMASK1:SVPMASK0.
    pub mask: u64,
    /// SVFAULTI.
    pub fault_lane: u8,
}

/// How registers follow each other over lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RegisterWalk {
    bits: u64,
}

const EN: u64 = 1 << 0;
const ONE_SHOT: u64 = 1 << 1;
const FC_PEND: u64 = 1 << 2;
const PEN: u64 = 1 << 4;
const PFC_PEND: u64 = 1 << 5;
const STATE_MASK: u64 = 0x1FFF_FF37;
const WALK_MASK: u64 = 0xF9F;

impl Default for Rsv {
    fn default() -> Self {
        Self { state: 0, sources: Default::default(), mask: u64::MAX, fault_lane: 0 }
    }
}

impl RegisterWalk {
    /// The register of lane 0: the valid base, else the one that the instruction names.
    #[must_use]
    pub fn base(self, named: u8) -> u8 {
        if bit(self.bits, 7) { field(self.bits, 4, 0) as u8 } else { named }
    }

    /// Registers from lane to lane: 0, 1, 2 or 4; `None` for a reserved code. Not valid means +1.
    #[must_use]
    pub fn step(self) -> Option<u8> {
        match (bit(self.bits, 11), field(self.bits, 10, 8)) {
            (false, _) | (true, 1) => Some(1),
            (true, 0) => Some(0),
            (true, 2) => Some(2),
            (true, 3) => Some(4),
            _ => None,
        }
    }
}

impl Rsv {
    /// Reads a register by its offset from SVSTATE.
    #[must_use]
    pub fn read(&self, offset: u16) -> u64 {
        match offset {
            0 => self.state,
            1..=3 => self.sources[usize::from(offset) - 1].bits,
            4 => self.mask & 0xFFFF_FFFF,
            5 => self.mask >> 32,
            7 => self.fault_lane.into(),
            _ => 0,
        }
    }

    /// Writes a register by its offset from SVSTATE.
    pub fn write(&mut self, offset: u16, value: u64) {
        let half = value & 0xFFFF_FFFF;
        match offset {
            0 => self.state = value & STATE_MASK,
            1..=3 => self.sources[usize::from(offset) - 1].bits = value & WALK_MASK,
            4 => self.mask = self.mask & !0xFFFF_FFFF | half,
            5 => self.mask = self.mask & 0xFFFF_FFFF | half << 32,
            7 => self.fault_lane = value as u8 & 0x7F,
            _ => {}
        }
    }

    /// EN.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.state & EN != 0
    }

    /// FC_PEND.
    #[must_use]
    pub fn has_override(&self) -> bool {
        self.state & FC_PEND != 0
    }

    /// What `svon.fpctl` set for the next instruction.
    #[must_use]
    pub fn pending_override(&self) -> Option<Override> {
        let control = field(self.state, 28, 24);
        self.has_override().then(|| Override {
            rounding: Rounding::from_riscv_code(field(control, 4, 2) as u32),
            suppress: bit(control, 1),
            zero_masked: bit(control, 0),
        })
    }

    /// VL: 1 to 64, or to the configured maximum.
    #[must_use]
    pub fn length(&self, readings: &Readings) -> u8 {
        (field(self.state, 23, 16) + 1).min(readings.rsv_vlmax.into()) as u8
    }

    /// SVSRCA.
    #[must_use]
    pub fn rays(&self) -> RegisterWalk {
        self.sources[0]
    }

    /// SVDST.
    #[must_use]
    pub fn destinations(&self) -> RegisterWalk {
        self.sources[2]
    }

    /// Executes a prefix. Prefixes use up neither overrides nor counts.
    pub fn prefix(&mut self, prefix: Prefix, hart: &mut dyn HartPort, readings: &Readings) {
        match prefix {
            Prefix::SetLength { rd, rs1 } => {
                self.set_length(hart.x(rs1) & 0xFF, readings);
                hart.set_x(rd, self.length(readings).into());
            }
            Prefix::SetLengthTo { rd, length } => {
                self.set_length(length.into(), readings);
                hart.set_x(rd, self.length(readings).into());
            }
            Prefix::One => self.state |= EN | ONE_SHOT,
            Prefix::Block { count: 0 } | Prefix::End => self.state &= !EN,
            Prefix::Block { count } => {
                self.state = self.state & !(ONE_SHOT | 0xFF << 8) | EN | u64::from(count) << 8;
            }
            Prefix::OneWithSteps { length, source, destination } => {
                self.set_length(length.into(), readings);
                // No hidden state: the steps go into the registers.
                let walk = |code: u8| RegisterWalk { bits: 1 << 11 | u64::from(code) << 8 };
                self.sources = [walk(source), walk(source), walk(destination)];
                self.state |= EN | ONE_SHOT;
            }
            Prefix::FpControl { rounding, suppress, zero_masked } => {
                let control =
                    u64::from(rounding) << 2 | u64::from(suppress) << 1 | u64::from(zero_masked);
                self.state = self.state & !(0x1F << 24) | FC_PEND | control << 24;
            }
        }
    }

    /// An instruction that is no prefix retired: it used up an override, and one count if RSV is on
    ///
    pub fn retire(&mut self) {
        self.state &= !FC_PEND;
        if !self.is_on() {
            return;
        }
        let block = field(self.state, 15, 8);
        if self.state & ONE_SHOT != 0 || block <= 1 {
            self.state &= !EN;
        } else {
            self.state = self.state & !(0xFF << 8) | (block - 1) << 8;
        }
    }

    /// Trap entry.
    pub fn park(&mut self) {
        let parked = if self.is_on() { PEN } else { 0 };
        let parked_override = if self.has_override() { PFC_PEND } else { 0 };
        self.state &= !(EN | FC_PEND | PEN | PFC_PEND);
        self.state |= parked | parked_override;
    }

    /// Trap return.
    pub fn unpark(&mut self) {
        let on = if self.state & PEN != 0 { EN } else { 0 };
        let over = if self.state & PFC_PEND != 0 { FC_PEND } else { 0 };
        self.state = self.state & !(EN | FC_PEND) | on | over;
    }

    /// 0 becomes 1, more than the maximum becomes the maximum.
    fn set_length(&mut self, length: u64, readings: &Readings) {
        let length = length.clamp(1, readings.rsv_vlmax.into());
        self.state = self.state & !(0xFF << 16) | (length - 1) << 16;
    }
}
