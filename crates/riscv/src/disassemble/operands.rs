//! The operands of 32-bit instructions.

use crate::instruction::{Instruction, Op};

/// The ABI names of x0 to x31.
#[rustfmt::skip]
pub(crate) const INTEGER_NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5",
    "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

/// The ABI names of f0 to f31.
#[rustfmt::skip]
pub(crate) const FLOAT_NAMES: [&str; 32] = [
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2", "fa3",
    "fa4", "fa5", "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11",
    "ft8", "ft9", "ft10", "ft11",
];

/// An integer register.
pub(super) fn x(number: u8) -> &'static str {
    INTEGER_NAMES[usize::from(number & 31)]
}

/// A floating-point register.
pub(super) fn f(number: u8) -> &'static str {
    FLOAT_NAMES[usize::from(number & 31)]
}

/// The operands of a 32-bit base instruction.
pub(super) fn text(
    instruction: &Instruction,
    pc: u64,
    csr_name: &dyn Fn(u16) -> Option<String>,
) -> String {
    let Instruction { op, rd, rs1, rs2, imm, word } = *instruction;
    let target = pc.wrapping_add(i64::from(imm) as u64);
    match op {
        Op::Lui | Op::Auipc => format!("{},{:#x}", x(rd), word >> 12),
        Op::Jal => format!("{},{target:#x}", x(rd)),
        Op::Jalr => format!("{},{imm}({})", x(rd), x(rs1)),
        Op::Fence => format!("{},{}", fence_set(word >> 24), fence_set(word >> 20)),
        Op::Slli | Op::Srli | Op::Srai | Op::Slliw | Op::Srliw | Op::Sraiw => {
            format!("{},{},{imm:#x}", x(rd), x(rs1))
        }
        Op::Flw | Op::Fld => format!("{},{imm}({})", f(rd), x(rs1)),
        Op::Fsw | Op::Fsd => format!("{},{imm}({})", f(rs2), x(rs1)),
        Op::LrW | Op::LrD => format!("{},({})", x(rd), x(rs1)),
        Op::Csrrw | Op::Csrrs | Op::Csrrc => {
            format!("{},{},{}", x(rd), csr(imm, csr_name), x(rs1))
        }
        Op::Csrrwi | Op::Csrrsi | Op::Csrrci => {
            format!("{},{},{rs1}", x(rd), csr(imm, csr_name))
        }
        op if op <= Op::Bgeu => format!("{},{},{target:#x}", x(rs1), x(rs2)),
        op if op <= Op::Lwu => format!("{},{imm}({})", x(rd), x(rs1)),
        op if op <= Op::Sd => format!("{},{imm}({})", x(rs2), x(rs1)),
        op if op <= Op::Andi || op == Op::Addiw => format!("{},{},{imm}", x(rd), x(rs1)),
        op if op <= Op::Remuw => format!("{},{},{}", x(rd), x(rs1), x(rs2)),
        op if op <= Op::AmomaxuD => format!("{},{},({})", x(rd), x(rs2), x(rs1)),
        op if op < Op::Csrrw => float(instruction),
        _ => String::new(),
    }
}

fn csr(number: i32, csr_name: &dyn Fn(u16) -> Option<String>) -> String {
    csr_name((number & 0xFFF) as u16).unwrap_or_else(|| format!("{:#x}", number & 0xFFF))
}

/// Which of input, output, reads and writes a fence orders.
fn fence_set(bits: u32) -> String {
    let set: String = [(8, 'i'), (4, 'o'), (2, 'r'), (1, 'w')]
        .into_iter()
        .filter(|(bit, _)| bits & bit != 0)
        .map(|(_, name)| name)
        .collect();
    if set.is_empty() { "unknown".to_owned() } else { set }
}

fn float(instruction: &Instruction) -> String {
    let Instruction { op, rd, rs1, rs2, .. } = *instruction;
    let (a, b, c) = (f(rs1), f(rs2), f(instruction.rs3()));
    let (base, rounds) = match op {
        Op::FmaddS | Op::FmsubS | Op::FnmsubS | Op::FnmaddS => {
            (format!("{},{a},{b},{c}", f(rd)), true)
        }
        Op::FmaddD | Op::FmsubD | Op::FnmsubD | Op::FnmaddD => {
            (format!("{},{a},{b},{c}", f(rd)), true)
        }
        Op::FaddS | Op::FsubS | Op::FmulS | Op::FdivS => (format!("{},{a},{b}", f(rd)), true),
        Op::FaddD | Op::FsubD | Op::FmulD | Op::FdivD => (format!("{},{a},{b}", f(rd)), true),
        Op::FsqrtS | Op::FsqrtD | Op::FcvtSD => (format!("{},{a}", f(rd)), true),
        Op::FcvtWS | Op::FcvtWuS | Op::FcvtLS | Op::FcvtLuS => (format!("{},{a}", x(rd)), true),
        Op::FcvtWD | Op::FcvtWuD | Op::FcvtLD | Op::FcvtLuD => (format!("{},{a}", x(rd)), true),
        Op::FcvtSW | Op::FcvtSWu | Op::FcvtSL | Op::FcvtSLu => {
            (format!("{},{}", f(rd), x(rs1)), true)
        }
        Op::FcvtDL | Op::FcvtDLu => (format!("{},{}", f(rd), x(rs1)), true),
        // Exact whatever the mode says; objdump leaves it out.
        Op::FcvtDW | Op::FcvtDWu => (format!("{},{}", f(rd), x(rs1)), false),
        Op::FcvtDS => (format!("{},{a}", f(rd)), false),
        Op::FeqS | Op::FltS | Op::FleS | Op::FeqD | Op::FltD | Op::FleD => {
            (format!("{},{a},{b}", x(rd)), false)
        }
        Op::FmvXW | Op::FmvXD | Op::FclassS | Op::FclassD => (format!("{},{a}", x(rd)), false),
        Op::FmvWX | Op::FmvDX => (format!("{},{}", f(rd), x(rs1)), false),
        _ => (format!("{},{a},{b}", f(rd)), false),
    };
    // Mode 7, the one in `frm`, is what assembly means when it says nothing.
    match instruction.rounding() {
        mode @ 0..=4 if rounds => {
            let name = ["rne", "rtz", "rdn", "rup", "rmm"][usize::from(mode)];
            format!("{base},{name}")
        }
        _ => base,
    }
}
