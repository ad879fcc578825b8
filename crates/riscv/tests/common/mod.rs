//! What several tests need: random numbers, encodings, an ELF writer, outside tools.

#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::process::{Command, Stdio};

/// An I-type word.
pub(crate) fn i_type(opcode: u32, funct3: u32, rd: u32, rs1: u32, immediate: i32) -> u32 {
    (immediate as u32) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

/// An S-type word.
pub(crate) fn s_type(opcode: u32, funct3: u32, rs1: u32, rs2: u32, immediate: i32) -> u32 {
    let bits = immediate as u32;
    (bits >> 5 & 127) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (bits & 31) << 7 | opcode
}

/// An R-type word.
pub(crate) fn r_type(opcode: u32, funct7: u32, funct3: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

pub(crate) fn addi(rd: u32, rs1: u32, immediate: i32) -> u32 {
    i_type(0x13, 0, rd, rs1, immediate)
}

/// Two instructions that put an address within 2 GiB of here into a register: pc is that of the
/// first.
pub(crate) fn load_address(rd: u32, pc: u64, address: u64) -> [u32; 2] {
    let offset = address.wrapping_sub(pc) as i64;
    let high = (offset + 0x800) >> 12;
    [(high as u32) << 12 | rd << 7 | 0x17, addi(rd, rd, (offset - (high << 12)) as i32)]
}

/// An ELF file with one segment that can be read, written and executed, entered at its start.
pub(crate) fn elf(address: u64, bytes: &[u8], memory_size: u64) -> Vec<u8> {
    let mut file = vec![0x7F, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let half = |file: &mut Vec<u8>, value: u16| file.extend(value.to_le_bytes());
    let word = |file: &mut Vec<u8>, value: u32| file.extend(value.to_le_bytes());
    let long = |file: &mut Vec<u8>, value: u64| file.extend(value.to_le_bytes());
    half(&mut file, 2);
    half(&mut file, 243);
    word(&mut file, 1);
    long(&mut file, address);
    long(&mut file, 64);
    long(&mut file, 0);
    word(&mut file, 5); // RVC, double-float ABI
    for value in [64, 56, 1, 64, 0, 0] {
        half(&mut file, value);
    }
    word(&mut file, 1);
    word(&mut file, 7);
    for value in [0x1000, address, address, bytes.len() as u64, memory_size, 0x1000] {
        long(&mut file, value);
    }
    file.resize(0x1000, 0);
    file.extend_from_slice(bytes);
    file
}

/// Whether a tool is installed; says so if not.
pub(crate) fn has(tool: &str) -> bool {
    let mut command = Command::new(tool);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    let found = command.status().is_ok_and(|status| status.success());
    if !found {
        println!("skipped: {tool} is not installed (scripts/test installs it)");
    }
    found
}

/// Keeps what a program does.
#[derive(Default)]
pub(crate) struct Observed {
    pub(crate) wants_instructions: bool,
    pub(crate) lines: Vec<String>,
    pub(crate) trace: Vec<String>,
    pub(crate) output: Vec<u8>,
    /// What the program can read; all of it at once.
    pub(crate) input: Vec<u8>,
}

impl riscv::Observer for Observed {
    fn wants_instructions(&self) -> bool {
        self.wants_instructions
    }

    fn retired(&mut self, hart: &riscv::Hart, _: u64) -> bool {
        self.lines.push(riscv::log::commit_line(hart));
        self.trace.push(riscv::jsonl::retired(hart));
        true
    }

    fn trapped(&mut self, hart: &riscv::Hart, trap: &riscv::Trap, epc: u64) -> bool {
        if self.wants_instructions {
            self.lines.push(riscv::log::trap_lines(trap, epc));
            self.trace.push(riscv::jsonl::trapped(hart, trap, epc));
        }
        true
    }

    fn input(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.input)
    }

    fn printed(&mut self, bytes: &[u8], _: Vec<String>) -> bool {
        self.output.extend_from_slice(bytes);
        true
    }
}
