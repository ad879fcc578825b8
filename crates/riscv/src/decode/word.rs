//! 32-bit instructions (unprivileged manual, chapter "RV32/64G Instruction Set Listings").

use super::fields::{
    funct3, funct7, immediate_b, immediate_i, immediate_j, immediate_s, immediate_u, rd, rs1, rs2,
};
use super::float;
use crate::instruction::{Instruction, Op};

/// Decodes a word whose two low bits are set.
pub(super) fn decode_word(word: u32) -> Instruction {
    let (op, imm) = match word & 0x7F {
        0x37 => (Op::Lui, immediate_u(word)),
        0x17 => (Op::Auipc, immediate_u(word)),
        0x6F => (Op::Jal, immediate_j(word)),
        0x67 if funct3(word) == 0 => (Op::Jalr, immediate_i(word)),
        0x63 => (branch(word), immediate_b(word)),
        0x03 => (load(word), immediate_i(word)),
        0x23 => (store(word), immediate_s(word)),
        0x13 => register_immediate(word),
        0x1B => register_immediate_32(word),
        0x33 => (register(word), 0),
        0x3B => (register_32(word), 0),
        0x0F => (fence(word), immediate_i(word)),
        0x2F => (atomic(word), 0),
        0x73 => system(word),
        0x07 | 0x27 | 0x43 | 0x47 | 0x4B | 0x4F | 0x53 => float::decode(word),
        _ => (Op::Illegal, 0),
    };
    Instruction { op, rd: rd(word), rs1: rs1(word), rs2: rs2(word), imm, word }
}

fn branch(word: u32) -> Op {
    use Op::{Beq, Bge, Bgeu, Blt, Bltu, Bne, Illegal};
    [Beq, Bne, Illegal, Illegal, Blt, Bge, Bltu, Bgeu][funct3(word) as usize]
}

fn load(word: u32) -> Op {
    use Op::{Illegal, Lb, Lbu, Ld, Lh, Lhu, Lw, Lwu};
    [Lb, Lh, Lw, Ld, Lbu, Lhu, Lwu, Illegal][funct3(word) as usize]
}

fn store(word: u32) -> Op {
    use Op::{Illegal, Sb, Sd, Sh, Sw};
    [Sb, Sh, Sw, Sd, Illegal, Illegal, Illegal, Illegal][funct3(word) as usize]
}

/// Shifts use the immediate as `funct6` and a six-bit amount.
fn register_immediate(word: u32) -> (Op, i32) {
    use Op::{Addi, Andi, Illegal, Ori, Slli, Slti, Sltiu, Srai, Srli, Xori};
    let amount = ((word >> 20) & 63) as i32;
    match (funct3(word), word >> 26) {
        (1, 0) => (Slli, amount),
        (5, 0) => (Srli, amount),
        (5, 0x10) => (Srai, amount),
        (1 | 5, _) => (Illegal, 0),
        (kind, _) => {
            let op = [Addi, Illegal, Slti, Sltiu, Xori, Illegal, Ori, Andi][kind as usize];
            (op, immediate_i(word))
        }
    }
}

fn register_immediate_32(word: u32) -> (Op, i32) {
    let amount = i32::from(rs2(word));
    match (funct3(word), funct7(word)) {
        (0, _) => (Op::Addiw, immediate_i(word)),
        (1, 0) => (Op::Slliw, amount),
        (5, 0) => (Op::Srliw, amount),
        (5, 0x20) => (Op::Sraiw, amount),
        _ => (Op::Illegal, 0),
    }
}

fn register(word: u32) -> Op {
    use Op::{Add, And, Or, Sll, Slt, Sltu, Srl, Xor};
    use Op::{Div, Divu, Mul, Mulh, Mulhsu, Mulhu, Rem, Remu};
    let kind = funct3(word) as usize;
    match (funct7(word), kind) {
        (0, _) => [Add, Sll, Slt, Sltu, Xor, Srl, Or, And][kind],
        (1, _) => [Mul, Mulh, Mulhsu, Mulhu, Div, Divu, Rem, Remu][kind],
        (0x20, 0) => Op::Sub,
        (0x20, 5) => Op::Sra,
        _ => Op::Illegal,
    }
}

fn register_32(word: u32) -> Op {
    match (funct7(word), funct3(word)) {
        (0, 0) => Op::Addw,
        (0, 1) => Op::Sllw,
        (0, 5) => Op::Srlw,
        (0x20, 0) => Op::Subw,
        (0x20, 5) => Op::Sraw,
        (1, 0) => Op::Mulw,
        (1, 4) => Op::Divw,
        (1, 5) => Op::Divuw,
        (1, 6) => Op::Remw,
        (1, 7) => Op::Remuw,
        _ => Op::Illegal,
    }
}

/// Unused fields of fences are ignored, as the manual asks for the sake of finer fences.
fn fence(word: u32) -> Op {
    match funct3(word) {
        0 => Op::Fence,
        1 => Op::FenceI,
        _ => Op::Illegal,
    }
}

fn atomic(word: u32) -> Op {
    use Op::{
        AmoaddD, AmoaddW, AmoandD, AmoandW, AmomaxD, AmomaxW, AmomaxuD, AmomaxuW, AmominD, AmominW,
        AmominuD, AmominuW, AmoorD, AmoorW, AmoswapD, AmoswapW, AmoxorD, AmoxorW, LrD, LrW, ScD,
        ScW,
    };
    let (narrow, wide) = match funct7(word) >> 2 {
        0x02 if rs2(word) == 0 => (LrW, LrD),
        0x03 => (ScW, ScD),
        0x01 => (AmoswapW, AmoswapD),
        0x00 => (AmoaddW, AmoaddD),
        0x04 => (AmoxorW, AmoxorD),
        0x0C => (AmoandW, AmoandD),
        0x08 => (AmoorW, AmoorD),
        0x10 => (AmominW, AmominD),
        0x14 => (AmomaxW, AmomaxD),
        0x18 => (AmominuW, AmominuD),
        0x1C => (AmomaxuW, AmomaxuD),
        _ => (Op::Illegal, Op::Illegal),
    };
    match funct3(word) {
        2 => narrow,
        3 => wide,
        _ => Op::Illegal,
    }
}

fn system(word: u32) -> (Op, i32) {
    use Op::{Csrrc, Csrrci, Csrrs, Csrrsi, Csrrw, Csrrwi, Illegal};
    let op = match (funct3(word), word) {
        (0, 0x0000_0073) => Op::Ecall,
        (0, 0x0010_0073) => Op::Ebreak,
        (0, 0x3020_0073) => Op::Mret,
        (0, 0x1050_0073) => Op::Wfi,
        (0, _) => Illegal,
        (kind, _) => [Illegal, Csrrw, Csrrs, Csrrc, Illegal, Csrrwi, Csrrsi, Csrrci][kind as usize],
    };
    (op, (word >> 20) as i32)
}
