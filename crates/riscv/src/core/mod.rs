//! The hart as its instructions see it: registers, CSRs of the base architecture, memory.
//!
//! Extensions get a [`Core`] to work on. What needs the extensions themselves (their CSRs, their
//! instructions, traps) is [`crate::hart::Hart`]'s.
//!
//! | file | concept |
//! |---|---|
//! | `access` | loads, stores and fetches with their faults |
//! | `csrs` | reading and writing CSRs by number |

mod access;
mod csrs;

use crate::commit::{Commit, Register, RegisterWrite};
use crate::csr::{Counter, MachineCsrs, Pmp, mstatus};
use crate::memory::{Clint, Memory};
pub use access::Access;

/// A privilege mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Privilege {
    /// Programs.
    User = 0,
    /// Everything is allowed.
    Machine = 3,
}

/// A request by an extension to end the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The program waits for something that cannot happen.
    Deadlock(String),
    /// The work inside instructions has passed the limit of the run.
    Limit,
}

/// Registers, CSRs and memory of one hart.
#[derive(Debug, Clone)]
pub struct Core {
    x: [u64; 32],
    f: [u64; 32],
    /// The address of the instruction being executed.
    pub pc: u64,
    /// Where execution goes on if the instruction retires.
    pub next_pc: u64,
    pub(crate) privilege: Privilege,
    pub(crate) machine: MachineCsrs,
    pub(crate) fflags: u8,
    pub(crate) frm: u8,
    pub(crate) pmp: Pmp,
    pub(crate) cycle: Counter,
    pub(crate) instret: Counter,
    pub(crate) clint: Clint,
    /// RAM, LDS and ROM without privileges; instructions use the loads and stores of the core.
    pub memory: Memory,
    /// Instructions that have retired since reset.
    pub(crate) retired: u64,
    /// The 64-byte block that an LR has reserved.
    pub(crate) reservation: Option<u64>,
    /// Interrupts must be looked at before the next instruction.
    pub(crate) attention: bool,
    /// Data accesses need the slow path: they are recorded, or protection decides about them.
    check_protection: bool,
    /// Instruction fetches are subject to protection.
    pub(crate) check_fetch: bool,
    pub(crate) recording: bool,
    pub(crate) commit: Commit,
    /// `X` of misa: an extension is there.
    pub(crate) has_extension: bool,
    pub(crate) stop: Option<Stop>,
    /// Steps of work inside instructions since the limit was set, and that limit.
    spent: u64,
    allowance: u64,
    warnings: Vec<String>,
}

impl Core {
    pub(crate) fn new(memory: Memory) -> Self {
        let mut core = Self {
            x: [0; 32],
            f: [0; 32],
            pc: 0,
            next_pc: 0,
            privilege: Privilege::Machine,
            machine: MachineCsrs::default(),
            fflags: 0,
            frm: 0,
            pmp: Pmp::default(),
            cycle: Counter::default(),
            instret: Counter::default(),
            clint: Clint::default(),
            memory,
            retired: 0,
            reservation: None,
            attention: true,
            check_protection: false,
            check_fetch: false,
            recording: false,
            commit: Commit::default(),
            has_extension: false,
            stop: None,
            spent: 0,
            allowance: u64::MAX,
            warnings: Vec::new(),
        };
        core.update_protection();
        core
    }

    /// The integer register `number` (modulo 32).
    #[must_use]
    #[inline]
    pub fn x(&self, number: u8) -> u64 {
        self.x[usize::from(number & 31)]
    }

    /// Writes an integer register; x0 stays 0. For instructions of extensions: the write is logged.
    pub fn set_x(&mut self, number: u8, value: u64) {
        self.put_x(number, value);
        if self.recording && number & 31 != 0 {
            self.record(Register::Integer(number & 31), value);
        }
    }

    /// Writes an integer register without logging: the executor logs destinations itself.
    #[inline]
    pub(crate) fn put_x(&mut self, number: u8, value: u64) {
        self.x[usize::from(number & 31)] = value;
        self.x[0] = 0;
    }

    /// The bits of the floating-point register `number` (modulo 32).
    #[must_use]
    #[inline]
    pub fn f(&self, number: u8) -> u64 {
        self.f[usize::from(number & 31)]
    }

    /// Writes a floating-point register without logging it.
    #[inline]
    pub(crate) fn put_f(&mut self, number: u8, value: u64) {
        self.f[usize::from(number & 31)] = value;
        self.dirty_float();
    }

    /// Adds exception flags to `fflags`.
    #[inline]
    pub(crate) fn raise_float(&mut self, flags: u8) {
        if flags != 0 {
            self.fflags |= flags;
            self.dirty_float();
            if self.recording {
                self.record(Register::Csr(crate::csr::FFLAGS), u64::from(self.fflags));
            }
        }
    }

    /// The floating-point state differs from what was last saved.
    #[inline]
    pub(crate) fn dirty_float(&mut self) {
        if self.machine.mstatus & mstatus::FS != mstatus::FS {
            self.machine.mstatus |= mstatus::FS;
            if self.recording {
                self.record(Register::Csr(crate::csr::MSTATUS), self.mstatus());
            }
        }
    }

    /// The mode that instructions run in.
    #[must_use]
    pub fn privilege(&self) -> Privilege {
        self.privilege
    }

    /// How many instructions have retired since reset.
    #[must_use]
    pub fn retired(&self) -> u64 {
        self.retired
    }

    /// Tells the user something, for example that a program breaks a rule of `--lint`.
    pub fn warn(&mut self, warning: String) {
        const MOST: usize = 1000;
        if self.warnings.len() < MOST {
            self.warnings.push(warning);
        }
    }

    /// The warnings since the last call.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// Ends the run after this instruction.
    pub fn stop(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    /// Accounts for work inside an instruction that could otherwise go on for ever, such as an
    /// offload job. Steps count like instructions; once they are too many the run ends, and the
    /// answer is `false`.
    pub fn spend(&mut self, steps: u64) -> bool {
        self.spent = self.spent.saturating_add(steps);
        let is_enough = self.spent <= self.allowance;
        if !is_enough {
            self.stop = Some(Stop::Limit);
        }
        is_enough
    }

    /// Allows so many steps of work from here on; gives those that were spent before.
    pub(crate) fn allow(&mut self, steps: u64) -> u64 {
        self.allowance = steps;
        std::mem::take(&mut self.spent)
    }

    pub(crate) fn record(&mut self, register: Register, value: u64) {
        self.commit.registers.retain(|write| write.register != register);
        self.commit.registers.push(RegisterWrite { register, value });
    }

    pub(crate) fn set_recording(&mut self, on: bool) {
        self.recording = on;
        self.update_protection();
    }

    /// Changes the mode.
    pub(crate) fn set_privilege(&mut self, privilege: Privilege) {
        self.privilege = privilege;
        self.update_protection();
    }

    /// The mode that decides about loads and stores: MPRV lends that of MPP to machine mode.
    pub(crate) fn data_privilege(&self) -> Privilege {
        let lends = self.machine.mstatus & mstatus::MPRV != 0;
        if lends { self.machine.previous_privilege() } else { self.privilege }
    }

    /// Recomputes which accesses can go without a look at protection.
    pub(crate) fn update_protection(&mut self) {
        self.check_protection = self.recording || !self.pmp.allows_all(self.data_privilege());
        self.check_fetch = !self.pmp.allows_all(self.privilege);
    }
}
