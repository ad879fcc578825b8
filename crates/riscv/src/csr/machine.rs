//! The machine-mode registers that hold state, and which values they can take (WARL).
//!
//! A hart with M and U but no S: TVM, TSR, MXR, SUM, SPP and SIE of `mstatus` read 0.

use crate::core::Privilege;

/// The fields of `mstatus`.
pub(crate) mod mstatus {
    pub(crate) const MIE: u64 = 1 << 3;
    pub(crate) const MPIE: u64 = 1 << 7;
    pub(crate) const MPP: u64 = 3 << 11;
    pub(crate) const FS: u64 = 3 << 13;
    pub(crate) const MPRV: u64 = 1 << 17;
    pub(crate) const TW: u64 = 1 << 21;
    /// Read-only: user mode has 64-bit registers.
    pub(crate) const UXL_64: u64 = 2 << 32;
    /// Read-only: some state is dirty.
    pub(crate) const SD: u64 = 1 << 63;
    /// What can be written.
    pub(crate) const WRITABLE: u64 = MIE | MPIE | MPP | FS | MPRV | TW;
}

/// The bits of `mie` and `mip`.
pub(crate) mod interrupt {
    pub(crate) const SOFTWARE: u64 = 1 << 3;
    pub(crate) const TIMER: u64 = 1 << 7;
    pub(crate) const EXTERNAL: u64 = 1 << 11;
    pub(crate) const ALL: u64 = SOFTWARE | TIMER | EXTERNAL;
}

/// Machine-mode state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MachineCsrs {
    pub(crate) mstatus: u64,
    pub(crate) mie: u64,
    pub(crate) mtvec: u64,
    pub(crate) mcounteren: u64,
    pub(crate) mcountinhibit: u64,
    pub(crate) menvcfg: u64,
    pub(crate) mscratch: u64,
    pub(crate) mepc: u64,
    pub(crate) mcause: u64,
    pub(crate) mtval: u64,
}

impl MachineCsrs {
    /// Writes `mstatus`. MPP holds M or U only; any other value becomes U.
    pub(crate) fn write_mstatus(&mut self, value: u64) {
        let mut value = value & mstatus::WRITABLE;
        if value & mstatus::MPP != mstatus::MPP {
            value &= !mstatus::MPP;
        }
        self.mstatus = value;
    }

    /// Writes `mtvec`: direct or vectored, base a multiple of 4.
    pub(crate) fn write_mtvec(&mut self, value: u64) {
        self.mtvec = value & !2;
    }

    /// The mode in MPP.
    pub(crate) fn previous_privilege(&self) -> Privilege {
        if self.mstatus & mstatus::MPP == mstatus::MPP {
            Privilege::Machine
        } else {
            Privilege::User
        }
    }
}
