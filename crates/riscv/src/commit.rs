//! What one retired instruction did: the raw material of logs, traces and watchpoints.

use crate::core::Privilege;
use crate::instruction::Instruction;

/// A retired instruction and its effects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Where it stood.
    pub pc: u64,
    /// The instruction.
    pub instruction: Instruction,
    /// The mode that it ran in.
    pub privilege: Privilege,
    /// Registers written, by number, as the log prints them.
    pub registers: Vec<RegisterWrite>,
    /// Loads, in the order in which they happened.
    pub loads: Vec<MemoryAccess>,
    /// Stores, in the order in which they happened.
    pub stores: Vec<MemoryAccess>,
}

/// A register and its new value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterWrite {
    /// Which one.
    pub register: Register,
    /// What it holds now.
    pub value: u64,
}

/// A register that a log can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Register {
    /// x0 to x31.
    Integer(u8),
    /// f0 to f31.
    Float(u8),
    /// A CSR by number.
    Csr(u16),
}

/// A load or a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryAccess {
    /// The first byte.
    pub address: u64,
    /// What was read or written; scalar accesses have 1, 2, 4 or 8 bytes.
    pub bytes: Vec<u8>,
}

impl Default for Commit {
    fn default() -> Self {
        Self {
            pc: 0,
            instruction: Instruction::UNDECODED,
            privilege: Privilege::Machine,
            registers: Vec::new(),
            loads: Vec::new(),
            stores: Vec::new(),
        }
    }
}

impl Commit {
    /// Starts the record of the next instruction.
    pub(crate) fn begin(&mut self, pc: u64, instruction: Instruction, privilege: Privilege) {
        self.pc = pc;
        self.instruction = instruction;
        self.privilege = privilege;
        self.registers.clear();
        self.loads.clear();
        self.stores.clear();
    }

    /// Puts the registers into the order of Spike's log: by number, then x, f and CSRs.
    pub(crate) fn sort(&mut self) {
        self.registers.sort_by_key(|write| match write.register {
            Register::Integer(number) => (u16::from(number), 0),
            Register::Float(number) => (u16::from(number), 1),
            Register::Csr(number) => (number, 2),
        });
    }
}

impl MemoryAccess {
    pub(crate) fn of_bytes(address: u64, bytes: &[u8]) -> Self {
        Self { address, bytes: bytes.to_vec() }
    }
}
