//! Word to instruction. Fields that are not part of an instruction must be zero.

use super::{
    BboxFlags, CUSTOM_0, CUSTOM_2, CUSTOM_3, Instruction, PipeDomain, Prefix, Shape, TriFlags,
};

/// A word that is no instruction of this extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IllegalWord {
    /// `rt.bbox` or `rt.tri` with a reserved immediate bit: error code 1.
    #[error("reserved immediate bits of an RT instruction are set")]
    ReservedRtBits,
    /// Anything else; LAST_EC is not touched.
    #[error("no such instruction")]
    Unknown,
}

/// Fields of an I-type word.
struct Fields {
    rd: u8,
    rs1: u8,
    funct3: u32,
    imm: u32,
}

/// Decodes a word.
///
/// # Errors
/// When it is no instruction of this extension.
pub fn decode(word: u32) -> Result<Instruction, IllegalWord> {
    let fields = Fields {
        rd: (word >> 7 & 31) as u8,
        rs1: (word >> 15 & 31) as u8,
        funct3: word >> 12 & 7,
        imm: word >> 20,
    };
    match word & 0x7F {
        CUSTOM_0 => decode_custom_0(&fields),
        CUSTOM_2 => decode_mtx(&fields).ok_or(IllegalWord::Unknown),
        CUSTOM_3 => decode_custom_3(word, &fields).ok_or(IllegalWord::Unknown),
        _ => Err(IllegalWord::Unknown),
    }
}

fn decode_custom_0(fields: &Fields) -> Result<Instruction, IllegalWord> {
    let Fields { rd, rs1, funct3, imm } = *fields;
    if funct3 < 6 {
        return decode_prefix(fields).map(Instruction::Prefix).ok_or(IllegalWord::Unknown);
    }
    if imm >> 4 != 0 {
        return Err(IllegalWord::ReservedRtBits);
    }
    Ok(if funct3 == 6 {
        Instruction::Bbox { rd, rs1, flags: BboxFlags::from_bits_truncate(imm as u8) }
    } else {
        Instruction::Tri { rd, rs1, flags: TriFlags::from_bits_truncate(imm as u8) }
    })
}

fn decode_prefix(fields: &Fields) -> Option<Prefix> {
    let Fields { rd, rs1, funct3, imm } = *fields;
    if funct3 == 0 {
        return match (imm, rs1) {
            (0, _) => Some(Prefix::SetLength { rd, rs1 }),
            (1..=255, 0) => Some(Prefix::SetLengthTo { rd, length: imm as u8 }),
            _ => None,
        };
    }
    if rd != 0 || rs1 != 0 {
        return None;
    }
    match (funct3, imm) {
        (1, 1) => Some(Prefix::One),
        (2, 0..=255) => Some(Prefix::Block { count: imm as u8 }),
        (3, 0) => Some(Prefix::End),
        (4, _) => {
            let (source, destination) = ((imm >> 3 & 7) as u8, (imm & 7) as u8);
            let length = (imm >> 6) as u8 + 1;
            // Step codes above 3 are reserved.
            (source < 4 && destination < 4).then_some(Prefix::OneWithSteps {
                length,
                source,
                destination,
            })
        }
        (5, 0..=31) => Some(Prefix::FpControl {
            rounding: (imm >> 2) as u8,
            suppress: imm & 2 != 0,
            zero_masked: imm & 1 != 0,
        }),
        _ => None,
    }
}

fn decode_custom_3(word: u32, fields: &Fields) -> Option<Instruction> {
    let Fields { rd, rs1, funct3, imm } = *fields;
    match (funct3, imm) {
        (0 | 1, _) => {
            let rs2 = word >> 20 & 31;
            (rs1 == 0 && rs2 == 0)
                .then(|| Instruction::Branch { on: funct3 == 1, offset: branch_offset(word) })
        }
        (2, 2) => Some(Instruction::Submit { rd, rs1 }),
        (3, 0) if rd == 0 => Some(Instruction::FenceWait { rs1 }),
        (3, 1) if rd == 0 => Some(Instruction::FenceSignal { rs1 }),
        (3, 2) if rd == 0 => Some(Instruction::FenceWaitEvent { rs1 }),
        (3, 0x10..=0x1F) if rd == 0 && rs1 == 0 => {
            let known = PipeDomain::ALL.into_iter().find(|(_, number, _)| *number == imm - 0x10);
            known.map(|(domain, ..)| Instruction::FencePipe { domain })
        }
        (4, 0) => Some(Instruction::LdsAlloc { rd, rs1 }),
        (4, 1) if rd == 0 => Some(Instruction::LdsFree { rs1 }),
        (4, 2) if rd == 0 && rs1 == 0 => Some(Instruction::LdsBarrier),
        _ => None,
    }
}

/// The offset of a B-type word, in bytes.
fn branch_offset(word: u32) -> i16 {
    let bits = (word >> 31 & 1) << 12
        | (word >> 7 & 1) << 11
        | (word >> 25 & 0x3F) << 5
        | (word >> 8 & 0xF) << 1;
    ((bits << 3) as u16 as i16) >> 3
}

fn decode_mtx(fields: &Fields) -> Option<Instruction> {
    let Fields { rd, rs1, funct3, imm } = *fields;
    let shape = Shape::from_code(imm & 0xF)?;
    let flag = |place: u32| imm >> place & 1 == 1;
    let stride = (imm >> 9 & 3) as u8;
    if flag(11) {
        return None;
    }
    match funct3 {
        0 if rd == 0 && imm >> 7 & 3 == 0 => Some(Instruction::MtxLoad {
            rs1,
            shape,
            transpose: flag(4),
            row_major: flag(5),
            with_bias: flag(6),
            stride,
        }),
        1 | 4 => Some(Instruction::MtxMultiply {
            rd,
            rs1,
            shape,
            transpose: flag(4),
            saturate: flag(5),
            count: (imm >> 6 & 7) as u8 + 1,
            stride,
            add_bias: funct3 == 4,
        }),
        _ => None,
    }
}
