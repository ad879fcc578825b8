//! Every instruction of RV64GC against QEMU's user mode, on random operands.
//!
//! A program is a long list of cases: load random operands, execute one random instruction, store
//! its destination and `fflags`. It runs on both, and the lists of results must be equal, as must
//! the memory that loads, stores and atomics work on. Operands favour the ends of ranges.
// Helpers of tests may do as tests do.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]
#![cfg(unix)]

use crate::common;

use common::{addi, elf, has, i_type, load_address, r_type, s_type};
use geometry::random::Random;
use riscv::instruction::{Destination, Op};
use riscv::{Config, Event, Hart};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const BASE: u64 = 0x8000_0000;
/// 512 operands; a register points at its middle so that 12-bit offsets reach all of them.
const TABLE: u64 = BASE + 0x20_0000;
/// Memory that cases load from and store to.
const BUFFER: u64 = BASE + 0x21_0000;
const BUFFER_SIZE: u64 = 4096;
/// Results: destination and flags of each case.
const RESULTS: u64 = BASE + 0x22_0000;

// Registers with a fixed job; all others are the cases' own.
const SP: u32 = 2;
const TABLE_REGISTER: u32 = 26;
const ADDRESS: u32 = 27;
const FLAGS: u32 = 29;
const BUFFER_REGISTER: u32 = 30;
const RESULT: u32 = 31;
const RESERVED: [u32; 6] = [SP, TABLE_REGISTER, ADDRESS, FLAGS, BUFFER_REGISTER, RESULT];

/// A program under construction.
struct Generator {
    random: Random,
    code: Vec<u8>,
    /// The instruction of each case, for messages and for the count of what was covered.
    cases: Vec<u32>,
}

#[test]
fn random_programs_leave_what_qemu_leaves() {
    if !has("qemu-riscv64") {
        return;
    }
    let mut covered: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..6 {
        let mut generator = Generator { random: Random(seed), code: Vec::new(), cases: Vec::new() };
        let image = generator.program(12_000);
        let file = elf(BASE, &image, RESULTS - BASE + 0x10_0000);
        let ours = run_here(&file, generator.cases.len());
        let theirs = run_qemu(&file, seed);
        compare(&ours, &theirs, &generator.cases);
        for word in &generator.cases {
            *covered.entry(format!("{:?}", riscv::decode::decode(*word).op)).or_default() += 1;
        }
    }
    // Everything but fences, CSR instructions and what needs machine mode.
    let count = covered.values().filter(|count| **count >= 20).count();
    assert_eq!(count, 146, "only {count} instructions covered: {covered:?}");
}

fn compare(ours: &[u8], theirs: &[u8], cases: &[u32]) {
    assert_eq!(ours.len(), theirs.len());
    for (case, (ours, theirs)) in ours.chunks(16).zip(theirs.chunks(16)).enumerate() {
        let shown = cases.get(case).map_or("the buffer".to_owned(), |word| {
            format!("case {case}: {:?}", riscv::decode::decode(*word))
        });
        assert_eq!(ours, theirs, "{shown}");
    }
}

/// The results and the buffer after a run here.
fn run_here(file: &[u8], cases: usize) -> Vec<u8> {
    let mut hart = Hart::new(Config::default(), Vec::new()).unwrap();
    hart.load_elf(file).unwrap();
    // What an operating system would have done.
    hart.set_csr(riscv::csr::MSTATUS, 0x2000);
    let event = hart.run(10_000_000);
    assert!(
        matches!(event, Event::Unhandled(trap) if trap.cause == riscv::Cause::MachineCall),
        "{event:?} at {:#x}",
        hart.core.pc
    );
    let memory = &hart.core.memory;
    let mut bytes = memory.slice(RESULTS, 16 * cases as u64).unwrap().to_vec();
    bytes.extend_from_slice(memory.slice(BUFFER, BUFFER_SIZE).unwrap());
    bytes
}

/// The same from QEMU, which runs on to write both to its standard output.
fn run_qemu(file: &[u8], seed: u64) -> Vec<u8> {
    let path = std::env::temp_dir().join(format!("siliray-lockstep-{}-{seed}", std::process::id()));
    std::fs::write(&path, file).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let output = Command::new("qemu-riscv64").arg(&path).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?} {errors}; see {}", output.status, path.display());
    std::fs::remove_file(&path).unwrap();
    output.stdout
}

impl Generator {
    fn program(&mut self, cases: usize) -> Vec<u8> {
        for (register, address) in [
            (TABLE_REGISTER, TABLE + 2048),
            (BUFFER_REGISTER, BUFFER),
            (SP, BUFFER),
            (RESULT, RESULTS),
        ] {
            let pc = BASE + self.code.len() as u64;
            self.emit_all(load_address(register, pc, address));
        }
        for register in (1..32).filter(|register| !RESERVED.contains(register)) {
            self.load_operand(register);
        }
        for register in 0..32 {
            self.load_float(register);
        }
        for _ in 0..cases {
            self.case();
        }
        self.write_out(RESULTS, 16 * self.cases.len() as u64);
        self.write_out(BUFFER, BUFFER_SIZE);
        self.emit_all([addi(10, 0, 0), addi(17, 0, 93), 0x73]);
        assert!((self.code.len() as u64) < TABLE - BASE);
        self.code.resize((TABLE - BASE) as usize, 0);
        for _ in 0..512 {
            let value = self.operand();
            self.code.extend(value.to_le_bytes());
        }
        self.code.resize((BUFFER - BASE) as usize, 0);
        for _ in 0..BUFFER_SIZE / 8 {
            let value = self.operand();
            self.code.extend(value.to_le_bytes());
        }
        std::mem::take(&mut self.code)
    }

    /// `write(1, address, size)`; the first one ends the run here.
    fn write_out(&mut self, address: u64, size: u64) {
        let pc = BASE + self.code.len() as u64;
        self.emit_all(load_address(11, pc, address));
        self.emit_all([addi(10, 0, 1), (size as u32 + 0x800) & !0xFFF | 12 << 7 | 0x37]);
        self.emit_all([addi(12, 12, (size as i32) << 20 >> 20), addi(17, 0, 64), 0x73]);
    }

    /// An operand: integers near the ends of ranges, floats near the ends of theirs, boxed singles.
    fn operand(&mut self) -> u64 {
        let random = &mut self.random;
        let single_ends = [
            0,
            1,
            0x7F_FFFF,
            0x80_0000,
            0x3F80_0000,
            0x7F7F_FFFF,
            0x7F80_0000,
            0x7FC0_0000,
            0x7F80_0001,
        ];
        let double_ends = [
            0,
            1,
            (1 << 52) - 1,
            1 << 52,
            1023 << 52,
            2046 << 52,
            2047 << 52,
            4095 << 51,
            (2047 << 52) + 1,
        ];
        let integer_ends =
            [0, i32::MAX as u64, 1 << 31, 1 << 32, u64::MAX, 1 << 63, i64::MAX as u64];
        match random.bits_below(8) {
            0 => random.bits(),
            1 => random.bits() >> random.bits_below(64),
            2 => random.pick(&integer_ends).wrapping_add(random.bits_below(5)).wrapping_sub(2),
            3 | 4 => {
                let sign = random.bits_below(2) << 31;
                0xFFFF_FFFF_0000_0000
                    | sign
                    | u64::wrapping_add(random.pick(&single_ends), random.bits_below(3))
            }
            // Comparable magnitudes, so that sums cancel and quotients are ordinary.
            5 => 0xFFFF_FFFF_0000_0000 | (random.bits() & 0x81FF_FFFF | 0x3E00_0000),
            6 => random.bits() & 0x800F_FFFF_FFFF_FFFF | (1020 + random.bits_below(60)) << 52,
            _ => {
                random.bits_below(2) << 63
                    | u64::wrapping_add(random.pick(&double_ends), random.bits_below(3))
            }
        }
    }

    /// One case, and the stores of its results.
    fn case(&mut self) {
        if self.random.bits_below(12) == 0 {
            // A rounding mode for what follows, and clean flags.
            let mode = self.random.bits_below(5) as u32;
            self.emit_all([i_type(0x73, 5, 0, mode, 2), i_type(0x73, 5, 0, 0, 1)]);
        }
        let word = match self.random.bits_below(10) {
            0 | 1 => self.integer(),
            2 => self.upper_or_jump(),
            3 => self.memory(),
            4 => self.atomic(),
            5..=7 => self.float(),
            _ => self.compressed(),
        };
        self.cases.push(word);
        let instruction = riscv::decode::decode(word);
        let rd = u32::from(instruction.rd);
        let store = match instruction.op.destination() {
            Destination::Float => s_type(0x27, 3, RESULT, rd, 0),
            Destination::Integer => s_type(0x23, 3, RESULT, rd, 0),
            // What a branch skipped shows here.
            Destination::None => s_type(0x23, 3, RESULT, 28, 0),
        };
        self.emit_all([
            store,
            i_type(0x73, 2, FLAGS, 0, 3),
            s_type(0x23, 3, RESULT, FLAGS, 8),
            addi(RESULT, RESULT, 16),
        ]);
    }

    fn integer(&mut self) -> u32 {
        let (rd, rs1, rs2) = (self.free(), self.source(), self.source());
        let immediate = self.random.bits() as i32 >> 20;
        let amount = self.random.bits_below(64) as u32;
        let kind = self.random.bits_below(8) as u32;
        let word = match self.random.bits_below(7) {
            0 => match kind {
                1 => i_type(0x13, 1, rd, rs1, amount as i32),
                5 => i_type(0x13, 5, rd, rs1, (amount | (rs2 & 1) << 10) as i32),
                _ => i_type(0x13, kind, rd, rs1, immediate),
            },
            1 => match kind & 3 {
                1 => r_type(0x1B, 0, 1, rd, rs1, amount & 31),
                2 => r_type(0x1B, 0, 5, rd, rs1, amount & 31),
                3 => r_type(0x1B, 0x20, 5, rd, rs1, amount & 31),
                _ => i_type(0x1B, 0, rd, rs1, immediate),
            },
            2 => r_type(0x33, 0, kind, rd, rs1, rs2),
            3 => r_type(0x33, 0x20, self.random.pick(&[0, 5]), rd, rs1, rs2),
            4 => r_type(0x33, 1, kind, rd, rs1, rs2),
            5 => r_type(0x3B, 1, self.random.pick(&[0, 4, 5, 6, 7]), rd, rs1, rs2),
            _ => {
                let (funct7, funct3) =
                    self.random.pick(&[(0, 0), (0, 1), (0, 5), (0x20, 0), (0x20, 5)]);
                r_type(0x3B, funct7, funct3, rd, rs1, rs2)
            }
        };
        self.emit(word);
        word
    }

    /// `lui`, `auipc`, jumps and branches over one instruction that counts.
    fn upper_or_jump(&mut self) -> u32 {
        let (rd, rs1, rs2) = (self.free(), self.source(), self.source());
        let upper = self.random.bits() as u32 & !0xFFF;
        let word = match self.random.bits_below(5) {
            0 => upper | rd << 7 | 0x37,
            1 => upper | rd << 7 | 0x17,
            2 => 8 << 20 | rd << 7 | 0x6F,
            3 => {
                let pc = BASE + self.code.len() as u64;
                self.emit_all(load_address(ADDRESS, pc, pc + 15));
                // The lowest bit of a target is ignored.
                i_type(0x67, 0, rd, ADDRESS, 1)
            }
            _ => {
                let kind = self.random.pick(&[0, 1, 4, 5, 6, 7]);
                rs2 << 20 | rs1 << 15 | kind << 12 | 8 << 7 | 0x63
            }
        };
        self.emit_all([word, addi(28, 28, 1)]);
        word
    }

    /// Loads and stores at any alignment, floating-point ones too.
    fn memory(&mut self) -> u32 {
        let offset = self.random.bits_below(2040) as i32;
        let register = self.free();
        let float = self.random.bits_below(32) as u32;
        let word = match self.random.bits_below(4) {
            0 => i_type(0x03, self.random.bits_below(7) as u32, register, BUFFER_REGISTER, offset),
            1 => s_type(0x23, self.random.bits_below(4) as u32, BUFFER_REGISTER, register, offset),
            2 => i_type(0x07, self.random.pick(&[2, 3]), float, BUFFER_REGISTER, offset),
            _ => s_type(0x27, self.random.pick(&[2, 3]), BUFFER_REGISTER, float, offset),
        };
        self.emit(word);
        word
    }

    fn atomic(&mut self) -> u32 {
        let (rd, rs2) = (self.free(), self.source());
        let size = self.random.pick(&[2, 3]);
        let ordering = self.random.bits_below(4) as u32;
        let offset = (self.random.bits_below(255) * 8) as i32;
        self.emit(addi(ADDRESS, BUFFER_REGISTER, offset));
        let kind = self.random.pick(&[2, 3, 3, 1, 0, 4, 0xC, 8, 0x10, 0x14, 0x18, 0x1C]);
        if kind == 3 && self.random.bits_below(2) == 0 {
            self.emit(r_type(0x2F, 2 << 2, size, FLAGS, ADDRESS, 0));
        }
        let rs2 = if kind == 2 { 0 } else { rs2 };
        let word = r_type(0x2F, kind << 2 | ordering, size, rd, ADDRESS, rs2);
        self.emit(word);
        if kind == 2 {
            // Whether a reservation covers more than its word is up to the implementation: use it
            // up.
            self.emit(r_type(0x2F, 3 << 2, size, FLAGS, ADDRESS, 1));
        }
        word
    }

    fn float(&mut self) -> u32 {
        let register = |random: &mut Random| random.bits_below(32) as u32;
        let (rd, rs1, rs2, rs3) = (
            register(&mut self.random),
            register(&mut self.random),
            register(&mut self.random),
            register(&mut self.random),
        );
        for source in [rs1, rs2, rs3] {
            if self.random.bits_below(4) != 0 {
                self.load_float(source);
            }
        }
        let format = self.random.bits_below(2) as u32;
        let mode = self.random.pick(&[0, 1, 2, 3, 4, 7]);
        let (integer_rd, integer_rs1) = (self.free(), self.source());
        let operation = |funct5: u32, funct3: u32, rd: u32, rs1: u32, rs2: u32| {
            r_type(0x53, funct5 << 2 | format, funct3, rd, rs1, rs2)
        };
        let word = match self.random.bits_below(14) {
            0 => operation(0, mode, rd, rs1, rs2),
            1 => operation(1, mode, rd, rs1, rs2),
            2 => operation(2, mode, rd, rs1, rs2),
            3 => operation(3, mode, rd, rs1, rs2),
            4 => operation(0xB, mode, rd, rs1, 0),
            5 => operation(4, self.random.bits_below(3) as u32, rd, rs1, rs2),
            6 => operation(5, self.random.bits_below(2) as u32, rd, rs1, rs2),
            7 => operation(8, mode, rd, rs1, format ^ 1),
            8 => operation(0x14, self.random.bits_below(3) as u32, integer_rd, rs1, rs2),
            9 => operation(0x18, mode, integer_rd, rs1, self.random.bits_below(4) as u32),
            10 => operation(0x1A, mode, rd, integer_rs1, self.random.bits_below(4) as u32),
            11 => operation(0x1C, self.random.bits_below(2) as u32, integer_rd, rs1, 0),
            12 => operation(0x1E, 0, rd, integer_rs1, 0),
            _ => {
                let opcode = self.random.pick(&[0x43, 0x47, 0x4B, 0x4F]);
                r_type(opcode, rs3 << 2 | format, mode, rd, rs1, rs2)
            }
        };
        self.emit(word);
        word
    }

    /// Any 16-bit word that does not jump away and leaves the reserved registers alone.
    fn compressed(&mut self) -> u32 {
        loop {
            let half = self.random.bits() as u16;
            let word = u32::from(half);
            let instruction = riscv::decode::decode(word);
            let in_memory =
                matches!(instruction.op, Op::Lw | Op::Ld | Op::Fld | Op::Sw | Op::Sd | Op::Fsd);
            let jumps = matches!(instruction.op, Op::Jal | Op::Jalr | Op::Beq | Op::Bne);
            let is_compressed = half & 3 != 3;
            let stops = matches!(instruction.op, Op::Illegal | Op::Ebreak);
            let spoils = instruction.op.destination() == Destination::Integer
                && RESERVED.contains(&u32::from(instruction.rd));
            if !is_compressed || jumps || stops || spoils {
                continue;
            }
            if in_memory && u32::from(instruction.rs1) != SP {
                self.emit(addi(u32::from(instruction.rs1), BUFFER_REGISTER, 0));
            }
            self.code.extend(half.to_le_bytes());
            return word;
        }
    }

    /// A register that a case may write.
    fn free(&mut self) -> u32 {
        loop {
            let register = self.random.bits_below(32) as u32;
            if !RESERVED.contains(&register) && register != 28 {
                return register;
            }
        }
    }

    /// A register to read, often with a fresh operand.
    fn source(&mut self) -> u32 {
        let register = self.free();
        if register != 0 && self.random.bits_below(2) == 0 {
            self.load_operand(register);
        }
        register
    }

    fn load_operand(&mut self, register: u32) {
        let offset = (self.random.bits_below(512) * 8) as i32 - 2048;
        self.emit(i_type(0x03, 3, register, TABLE_REGISTER, offset));
    }

    fn load_float(&mut self, register: u32) {
        let offset = (self.random.bits_below(512) * 8) as i32 - 2048;
        self.emit(i_type(0x07, 3, register, TABLE_REGISTER, offset));
    }

    fn emit(&mut self, word: u32) {
        self.code.extend(word.to_le_bytes());
    }

    fn emit_all(&mut self, words: impl IntoIterator<Item = u32>) {
        for word in words {
            self.emit(word);
        }
    }
}
