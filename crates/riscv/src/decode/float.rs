//! Instructions of F and D. The immediate carries the rounding mode and the third source.

use super::fields::{funct3, funct7, immediate_i, immediate_s, rs2};
use crate::instruction::Op;

/// Decodes a word of the seven floating-point opcodes into its operation and immediate.
pub(super) fn decode(word: u32) -> (Op, i32) {
    match (word & 0x7F, funct3(word)) {
        (0x07, 2) => (Op::Flw, immediate_i(word)),
        (0x07, 3) => (Op::Fld, immediate_i(word)),
        (0x27, 2) => (Op::Fsw, immediate_s(word)),
        (0x27, 3) => (Op::Fsd, immediate_s(word)),
        (0x07 | 0x27, _) => (Op::Illegal, 0),
        (opcode, rounding) => {
            let double = match funct7(word) & 3 {
                0 => false,
                1 => true,
                _ => return (Op::Illegal, 0),
            };
            let (single, wide, rounds) =
                if opcode == 0x53 { operation(word) } else { fused(opcode) };
            let op = if double { wide } else { single };
            // Rounding modes 5 and 6 are reserved, in the instruction as in `frm`.
            if rounds && matches!(rounding, 5 | 6) {
                return (Op::Illegal, 0);
            }
            (op, (rounding | (word >> 27) << 3) as i32)
        }
    }
}

fn fused(opcode: u32) -> (Op, Op, bool) {
    let (single, double) = match opcode {
        0x43 => (Op::FmaddS, Op::FmaddD),
        0x47 => (Op::FmsubS, Op::FmsubD),
        0x4B => (Op::FnmsubS, Op::FnmsubD),
        _ => (Op::FnmaddS, Op::FnmaddD),
    };
    (single, double, true)
}

/// The operation in both precisions, and whether `funct3` is its rounding mode.
fn operation(word: u32) -> (Op, Op, bool) {
    use Op::{
        FaddD, FaddS, FclassD, FclassS, FcvtDL, FcvtDLu, FcvtDS, FcvtDW, FcvtDWu, FcvtLD, FcvtLS,
        FcvtLuD, FcvtLuS, FcvtSD, FcvtSL, FcvtSLu, FcvtSW, FcvtSWu, FcvtWD, FcvtWS, FcvtWuD,
        FcvtWuS, FdivD, FdivS, FeqD, FeqS, FleD, FleS, FltD, FltS, FmaxD, FmaxS, FminD, FminS,
        FmulD, FmulS, FmvDX, FmvWX, FmvXD, FmvXW, FsgnjD, FsgnjS, FsgnjnD, FsgnjnS, FsgnjxD,
        FsgnjxS, FsqrtD, FsqrtS, FsubD, FsubS, Illegal,
    };
    match (word >> 27, rs2(word), funct3(word)) {
        (0x00, ..) => (FaddS, FaddD, true),
        (0x01, ..) => (FsubS, FsubD, true),
        (0x02, ..) => (FmulS, FmulD, true),
        (0x03, ..) => (FdivS, FdivD, true),
        (0x0B, 0, _) => (FsqrtS, FsqrtD, true),
        (0x04, _, 0) => (FsgnjS, FsgnjD, false),
        (0x04, _, 1) => (FsgnjnS, FsgnjnD, false),
        (0x04, _, 2) => (FsgnjxS, FsgnjxD, false),
        (0x05, _, 0) => (FminS, FminD, false),
        (0x05, _, 1) => (FmaxS, FmaxD, false),
        (0x08, 1, _) => (FcvtSD, Illegal, true),
        (0x08, 0, _) => (Illegal, FcvtDS, true),
        (0x14, _, 2) => (FeqS, FeqD, false),
        (0x14, _, 1) => (FltS, FltD, false),
        (0x14, _, 0) => (FleS, FleD, false),
        (0x18, 0, _) => (FcvtWS, FcvtWD, true),
        (0x18, 1, _) => (FcvtWuS, FcvtWuD, true),
        (0x18, 2, _) => (FcvtLS, FcvtLD, true),
        (0x18, 3, _) => (FcvtLuS, FcvtLuD, true),
        (0x1A, 0, _) => (FcvtSW, FcvtDW, true),
        (0x1A, 1, _) => (FcvtSWu, FcvtDWu, true),
        (0x1A, 2, _) => (FcvtSL, FcvtDL, true),
        (0x1A, 3, _) => (FcvtSLu, FcvtDLu, true),
        (0x1C, 0, 0) => (FmvXW, FmvXD, false),
        (0x1C, 0, 1) => (FclassS, FclassD, false),
        (0x1E, 0, 0) => (FmvWX, FmvDX, false),
        _ => (Illegal, Illegal, false),
    }
}
