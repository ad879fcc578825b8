//! Reading and writing the CSRs of the base architecture by number.
//!
//! Whether the current privilege may do so is decided by [`Core::csr_is_accessible`].

use super::{Core, Privilege};
use crate::commit::Register;
use crate::csr::{self, interrupt, mstatus};

/// RV64 with I, M, A, F, D, C, U.
const MISA: u64 = 2 << 62
    | letter(b'I')
    | letter(b'M')
    | letter(b'A')
    | letter(b'F')
    | letter(b'D')
    | letter(b'C')
    | letter(b'U');

const fn letter(letter: u8) -> u64 {
    1 << (letter - b'A')
}

impl Core {
    /// Whether an instruction may touch CSR `number` at all, and write it if `writes`.
    ///
    /// Bits 9:8 of the number are the lowest privilege, bits 11:10 are 3 for read-only ones. User
    /// mode sees counters only as far as `mcounteren` lets it.
    pub(crate) fn csr_is_accessible(&self, number: u16, writes: bool) -> bool {
        let privilege = (number >> 8) & 3;
        let read_only = number >> 10 == 3;
        if u16::from(self.privilege as u8) < privilege || writes && read_only {
            return false;
        }
        match number {
            csr::FFLAGS..=csr::FCSR => self.machine.mstatus & mstatus::FS != 0,
            csr::CYCLE..=csr::HPMCOUNTER31 => {
                let bit = 1 << (number - csr::CYCLE);
                self.privilege == Privilege::Machine || self.machine.mcounteren & bit != 0
            }
            _ => true,
        }
    }

    /// The value of a CSR of the base architecture; none if there is no such register.
    #[must_use]
    pub fn csr(&self, number: u16) -> Option<u64> {
        let machine = &self.machine;
        Some(match number {
            csr::FFLAGS => u64::from(self.fflags),
            csr::FRM => u64::from(self.frm),
            csr::FCSR => u64::from(self.frm << 5 | self.fflags),
            csr::MSTATUS => self.mstatus(),
            csr::MISA => MISA | if self.has_extension { letter(b'X') } else { 0 },
            csr::MIE => machine.mie,
            csr::MTVEC => machine.mtvec,
            csr::MCOUNTEREN => machine.mcounteren,
            csr::MENVCFG => machine.menvcfg,
            csr::MCOUNTINHIBIT => machine.mcountinhibit,
            csr::MSCRATCH => machine.mscratch,
            csr::MEPC => machine.mepc,
            csr::MCAUSE => machine.mcause,
            csr::MTVAL => machine.mtval,
            csr::MIP => self.pending_interrupts(),
            csr::PMPCFG0..=csr::PMPCFG15 if number & 1 == 0 => {
                self.pmp.read_config(usize::from(number - csr::PMPCFG0))
            }
            csr::PMPADDR0..=csr::PMPADDR63 => {
                self.pmp.read_address(usize::from(number - csr::PMPADDR0))
            }
            csr::MCYCLE | csr::CYCLE => self.cycle.read(self.retired),
            csr::MINSTRET | csr::INSTRET => self.instret.read(self.retired),
            csr::TIME => self.clint.time(self.retired),
            // Without S nothing can be delegated; without triggers none is selected or described;
            // hardware performance counters count nothing.
            csr::MEDELEG | csr::MIDELEG | csr::TSELECT | csr::TDATA1 | csr::TDATA2 => 0,
            csr::MHPMEVENT3..=csr::MHPMEVENT31
            | csr::MHPMCOUNTER3..=csr::MHPMCOUNTER31
            | csr::HPMCOUNTER3..=csr::HPMCOUNTER31 => 0,
            csr::MVENDORID..=csr::MCONFIGPTR => 0,
            _ => return None,
        })
    }

    /// Writes a CSR of the base architecture, keeping to the values that it can hold.
    pub fn set_csr(&mut self, number: u16, value: u64) {
        let retired = self.retired;
        match number {
            csr::FFLAGS => self.write_fcsr(Some(value), None),
            csr::FRM => self.write_fcsr(None, Some(value)),
            csr::FCSR => self.write_fcsr(Some(value), Some(value >> 5)),
            csr::MSTATUS => {
                self.machine.write_mstatus(value);
                self.update_protection();
            }
            csr::MIE => self.machine.mie = value & interrupt::ALL,
            csr::MTVEC => self.machine.write_mtvec(value),
            csr::MCOUNTEREN => self.machine.mcounteren = value & 0xFFFF_FFFF,
            // FIOM: fences already order everything.
            csr::MENVCFG => self.machine.menvcfg = value & 1,
            csr::MCOUNTINHIBIT => {
                self.machine.mcountinhibit = value & 0b101;
                self.cycle.stop(value & 1 != 0, retired);
                self.instret.stop(value & 4 != 0, retired);
            }
            csr::MSCRATCH => self.machine.mscratch = value,
            csr::MEPC => self.machine.mepc = value & !1,
            csr::MCAUSE => self.machine.mcause = value,
            csr::MTVAL => self.machine.mtval = value,
            csr::PMPCFG0..=csr::PMPCFG15 => {
                self.pmp.write_config(usize::from(number - csr::PMPCFG0), value);
                self.update_protection();
            }
            csr::PMPADDR0..=csr::PMPADDR63 => {
                self.pmp.write_address(usize::from(number - csr::PMPADDR0), value);
                self.update_protection();
            }
            csr::MCYCLE => self.cycle.write(value, retired),
            csr::MINSTRET => self.instret.write(value, retired),
            _ => {}
        }
        self.attention = true;
        if self.recording && !(csr::FFLAGS..=csr::FCSR).contains(&number) {
            let value = self.csr(number).unwrap_or(value);
            let value = match number {
                // The counters show what the next instruction will read.
                csr::MCYCLE => self.cycle.read(retired + 1),
                csr::MINSTRET => self.instret.read(retired + 1),
                _ => value,
            };
            self.record(Register::Csr(number), value);
        }
    }

    /// `mstatus` with its read-only fields.
    pub(crate) fn mstatus(&self) -> u64 {
        let stored = self.machine.mstatus;
        let dirty = if stored & mstatus::FS == mstatus::FS { mstatus::SD } else { 0 };
        stored | mstatus::UXL_64 | dirty
    }

    /// `mip`, straight from the CLINT.
    pub(crate) fn pending_interrupts(&self) -> u64 {
        let software = if self.clint.software { interrupt::SOFTWARE } else { 0 };
        let timer = if self.clint.until_timer(self.retired) == 0 { interrupt::TIMER } else { 0 };
        software | timer
    }

    fn write_fcsr(&mut self, flags: Option<u64>, rounding: Option<u64>) {
        if let Some(flags) = flags {
            self.fflags = (flags & 31) as u8;
        }
        if let Some(rounding) = rounding {
            self.frm = (rounding & 7) as u8;
        }
        self.dirty_float();
        if self.recording {
            if flags.is_some() {
                self.record(Register::Csr(csr::FFLAGS), u64::from(self.fflags));
            }
            if rounding.is_some() {
                self.record(Register::Csr(csr::FRM), u64::from(self.frm));
            }
        }
    }
}
