//! Traps. RISC-V has no cause for an unsupported feature, which is an illegal instruction
//! with LAST_EC 2, nor for FP exceptions, which take a cause of the custom range.

use crate::flags::Exceptions;
use crate::memory::{FaultKind, MemoryFault};
use crate::readings::Readings;

/// A trap that an instruction takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trap {
    /// mcause.
    pub cause: u64,
    /// mtval.
    pub value: u64,
    /// The lane that faulted, under RSV.
    pub lane: Option<u8>,
}

impl Trap {
    /// Illegal instruction.
    pub const ILLEGAL: u64 = 2;
    /// Load address misaligned.
    pub const MISALIGNED: u64 = 4;
    /// Load access fault.
    pub const LOAD_ACCESS: u64 = 5;
    /// Store address misaligned.
    pub const STORE_MISALIGNED: u64 = 6;
    /// Store access fault.
    pub const STORE_ACCESS: u64 = 7;
    /// Load page fault.
    pub const LOAD_PAGE: u64 = 13;
    /// Store page fault.
    pub const STORE_PAGE: u64 = 15;

    /// An illegal instruction.
    #[must_use]
    pub fn illegal(word: u32) -> Self {
        Self { cause: Self::ILLEGAL, value: word.into(), lane: None }
    }

    /// A misaligned address.
    #[must_use]
    pub fn misaligned(address: u64) -> Self {
        Self { cause: Self::MISALIGNED, value: address, lane: None }
    }

    /// A load that faulted.
    #[must_use]
    pub fn load(fault: MemoryFault) -> Self {
        let cause = match fault.kind {
            FaultKind::Access => Self::LOAD_ACCESS,
            FaultKind::Page => Self::LOAD_PAGE,
        };
        Self { cause, value: fault.address, lane: None }
    }

    /// A store that faulted.
    #[must_use]
    pub fn store(fault: MemoryFault) -> Self {
        let cause = match fault.kind {
            FaultKind::Access => Self::STORE_ACCESS,
            FaultKind::Page => Self::STORE_PAGE,
        };
        Self { cause, value: fault.address, lane: None }
    }

    /// An enabled FP exception; mtval has all bits that the lane raised.
    #[must_use]
    pub fn fp(raised: Exceptions, readings: &Readings) -> Self {
        Self { cause: readings.fp_trap_cause.into(), value: raised.bits().into(), lane: None }
    }
}
