//! Traps: why an instruction did not retire, and what its handler reads (privileged manual,
//! "mcause").

use std::fmt;

/// An exception or an interrupt, as `mcause` and `mtval` will show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Trap {
    /// Why.
    pub cause: Cause,
    /// What `mtval` receives: the address, the instruction word, or 0.
    pub value: u64,
}

/// The reason of a trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// A jump to an odd place; cannot happen while C is on.
    FetchMisaligned,
    /// No memory, or no right to execute it.
    FetchAccess,
    /// No such instruction, CSR or privilege.
    IllegalInstruction,
    /// `ebreak`.
    Breakpoint,
    /// An LR or an operand of an extension that is not aligned.
    LoadMisaligned,
    /// No memory, or no right to read it.
    LoadAccess,
    /// An SC or AMO that is not aligned.
    StoreMisaligned,
    /// No memory, or no right to write it.
    StoreAccess,
    /// `ecall` in user mode.
    UserCall,
    /// `ecall` in machine mode.
    MachineCall,
    /// A cause of an extension, 24 to 31 or 48 to 63.
    Custom(u8),
    /// The machine software interrupt of the CLINT.
    SoftwareInterrupt,
    /// The machine timer interrupt of the CLINT.
    TimerInterrupt,
}

/// The bit of `mcause` that tells interrupts from exceptions.
pub(crate) const INTERRUPT: u64 = 1 << 63;

impl Trap {
    /// A trap with a cause and a value for `mtval`.
    #[must_use]
    pub const fn new(cause: Cause, value: u64) -> Self {
        Self { cause, value }
    }

    /// The instruction `word` does not exist here.
    #[must_use]
    pub const fn illegal(word: u32) -> Self {
        Self::new(Cause::IllegalInstruction, word as u64)
    }
}

impl Cause {
    /// The value of `mcause`.
    #[must_use]
    pub const fn code(self) -> u64 {
        match self {
            Self::FetchMisaligned => 0,
            Self::FetchAccess => 1,
            Self::IllegalInstruction => 2,
            Self::Breakpoint => 3,
            Self::LoadMisaligned => 4,
            Self::LoadAccess => 5,
            Self::StoreMisaligned => 6,
            Self::StoreAccess => 7,
            Self::UserCall => 8,
            Self::MachineCall => 11,
            Self::Custom(code) => code as u64,
            Self::SoftwareInterrupt => INTERRUPT | 3,
            Self::TimerInterrupt => INTERRUPT | 7,
        }
    }

    /// Whether it came from outside the instruction stream.
    #[must_use]
    pub const fn is_interrupt(self) -> bool {
        self.code() & INTERRUPT != 0
    }

    /// Whether `mtval` says something about it.
    #[must_use]
    pub const fn has_value(self) -> bool {
        !matches!(
            self,
            Self::UserCall | Self::MachineCall | Self::SoftwareInterrupt | Self::TimerInterrupt
        )
    }
}

/// The names that Spike's log uses.
impl fmt::Display for Cause {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::FetchMisaligned => "trap_instruction_address_misaligned",
            Self::FetchAccess => "trap_instruction_access_fault",
            Self::IllegalInstruction => "trap_illegal_instruction",
            Self::Breakpoint => "trap_breakpoint",
            Self::LoadMisaligned => "trap_load_address_misaligned",
            Self::LoadAccess => "trap_load_access_fault",
            Self::StoreMisaligned => "trap_store_address_misaligned",
            Self::StoreAccess => "trap_store_access_fault",
            Self::UserCall => "trap_user_ecall",
            Self::MachineCall => "trap_machine_ecall",
            Self::Custom(code) => return write!(out, "trap_custom_{code}"),
            Self::SoftwareInterrupt => "interrupt #3",
            Self::TimerInterrupt => "interrupt #7",
        };
        out.write_str(name)
    }
}
