//! Instruction to word.

use super::{CUSTOM_0, CUSTOM_2, CUSTOM_3, Instruction, PipeDomain, Prefix};

/// The word of an instruction.
#[must_use]
pub fn encode(instruction: Instruction) -> u32 {
    match instruction {
        Instruction::Bbox { rd, rs1, flags } => i_type(CUSTOM_0, 6, rd, rs1, flags.bits().into()),
        Instruction::Tri { rd, rs1, flags } => i_type(CUSTOM_0, 7, rd, rs1, flags.bits().into()),
        Instruction::Prefix(prefix) => encode_prefix(prefix),
        Instruction::Branch { on, offset } => {
            let offset = offset as u32;
            let high = (offset >> 12 & 1) << 31 | (offset >> 5 & 0x3F) << 25;
            let low = (offset >> 1 & 0xF) << 8 | (offset >> 11 & 1) << 7;
            high | low | i_type(CUSTOM_3, on.into(), 0, 0, 0)
        }
        Instruction::Submit { rd, rs1 } => i_type(CUSTOM_3, 2, rd, rs1, 2),
        Instruction::FenceWait { rs1 } => i_type(CUSTOM_3, 3, 0, rs1, 0),
        Instruction::FenceSignal { rs1 } => i_type(CUSTOM_3, 3, 0, rs1, 1),
        Instruction::FenceWaitEvent { rs1 } => i_type(CUSTOM_3, 3, 0, rs1, 2),
        Instruction::FencePipe { domain } => {
            let number = match domain {
                PipeDomain::Rt => 2,
                PipeDomain::Mtx => 3,
                PipeDomain::All => 15,
            };
            i_type(CUSTOM_3, 3, 0, 0, 0x10 + number)
        }
        Instruction::LdsAlloc { rd, rs1 } => i_type(CUSTOM_3, 4, rd, rs1, 0),
        Instruction::LdsFree { rs1 } => i_type(CUSTOM_3, 4, 0, rs1, 1),
        Instruction::LdsBarrier => i_type(CUSTOM_3, 4, 0, 0, 2),
        Instruction::MtxLoad { rs1, shape, transpose, row_major, with_bias, stride } => {
            let flags = u32::from(transpose) << 4
                | u32::from(row_major) << 5
                | u32::from(with_bias) << 6
                | u32::from(stride) << 9;
            i_type(CUSTOM_2, 0, 0, rs1, shape.code() | flags)
        }
        Instruction::MtxMultiply {
            rd,
            rs1,
            shape,
            transpose,
            saturate,
            count,
            stride,
            add_bias,
        } => {
            let flags = u32::from(transpose) << 4
                | u32::from(saturate) << 5
                | (u32::from(count) - 1) << 6
                | u32::from(stride) << 9;
            let funct3 = if add_bias { 4 } else { 1 };
            i_type(CUSTOM_2, funct3, rd, rs1, shape.code() | flags)
        }
    }
}

fn encode_prefix(prefix: Prefix) -> u32 {
    let bare = |funct3, imm| i_type(CUSTOM_0, funct3, 0, 0, imm);
    match prefix {
        Prefix::SetLength { rd, rs1 } => i_type(CUSTOM_0, 0, rd, rs1, 0),
        Prefix::SetLengthTo { rd, length } => i_type(CUSTOM_0, 0, rd, 0, length.into()),
        Prefix::One => bare(1, 1),
        Prefix::Block { count } => bare(2, count.into()),
        Prefix::End => bare(3, 0),
        Prefix::OneWithSteps { length, source, destination } => {
            let length = u32::from(length) - 1;
            bare(4, length << 6 | u32::from(source) << 3 | u32::from(destination))
        }
        Prefix::FpControl { rounding, suppress, zero_masked } => {
            bare(5, u32::from(rounding) << 2 | u32::from(suppress) << 1 | u32::from(zero_masked))
        }
    }
}

fn i_type(opcode: u32, funct3: u32, rd: u8, rs1: u8, imm: u32) -> u32 {
    imm << 20 | u32::from(rs1) << 15 | funct3 << 12 | u32::from(rd) << 7 | opcode
}
