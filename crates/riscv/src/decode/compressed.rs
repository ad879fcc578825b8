//! 16-bit instructions as the 32-bit ones that they stand for (unprivileged manual, chapter "C").

use super::fields::{encode_b, encode_i, encode_j, encode_r, encode_s};

const LOAD: u32 = 0x03;
const LOAD_FP: u32 = 0x07;
const STORE: u32 = 0x23;
const STORE_FP: u32 = 0x27;
const OP: u32 = 0x33;
const OP_32: u32 = 0x3B;
const OP_IMM: u32 = 0x13;
const OP_IMM_32: u32 = 0x1B;
const SP: u32 = 2;

/// The 32-bit instruction that `half` stands for; none if it is reserved or not compressed.
#[must_use]
pub fn expand(half: u16) -> Option<u32> {
    let half = Half(u32::from(half));
    match half.0 & 3 {
        0 => quadrant_0(half),
        1 => quadrant_1(half),
        2 => quadrant_2(half),
        _ => None,
    }
}

/// The bits of a compressed instruction.
#[derive(Clone, Copy)]
struct Half(u32);

impl Half {
    /// `count` bits from `low` on.
    fn bits(self, low: u32, count: u32) -> u32 {
        (self.0 >> low) & ((1 << count) - 1)
    }

    /// The bits from `low` on, put together where `places` says: (low, count, place in the result).
    fn gather(self, places: &[(u32, u32, u32)]) -> u32 {
        places.iter().fold(0, |all, &(low, count, place)| all | self.bits(low, count) << place)
    }

    fn funct3(self) -> u32 {
        self.bits(13, 3)
    }

    /// The full register field in bits 11:7.
    fn rd(self) -> u32 {
        self.bits(7, 5)
    }

    /// The full register field in bits 6:2.
    fn rs2(self) -> u32 {
        self.bits(2, 5)
    }

    /// x8 to x15 in bits 9:7.
    fn short_rs1(self) -> u32 {
        self.bits(7, 3) + 8
    }

    /// x8 to x15 in bits 4:2.
    fn short_rs2(self) -> u32 {
        self.bits(2, 3) + 8
    }

    /// Bit 12 and bits 6:2, sign-extended from six bits.
    fn immediate(self) -> i32 {
        sign_extend(self.unsigned_immediate(), 6)
    }

    fn unsigned_immediate(self) -> u32 {
        self.gather(&[(2, 5, 0), (12, 1, 5)])
    }
}

fn sign_extend(value: u32, bits: u32) -> i32 {
    (value << (32 - bits)) as i32 >> (32 - bits)
}

fn quadrant_0(half: Half) -> Option<u32> {
    let (rs1, rs2) = (half.short_rs1(), half.short_rs2());
    let word = half.gather(&[(6, 1, 2), (10, 3, 3), (5, 1, 6)]) as i32;
    let double = half.gather(&[(10, 3, 3), (5, 2, 6)]) as i32;
    Some(match half.funct3() {
        0 => {
            let offset = half.gather(&[(6, 1, 2), (5, 1, 3), (11, 2, 4), (7, 4, 6)]) as i32;
            if offset == 0 {
                return None;
            }
            encode_i(OP_IMM, 0, rs2, SP, offset)
        }
        1 => encode_i(LOAD_FP, 3, rs2, rs1, double),
        2 => encode_i(LOAD, 2, rs2, rs1, word),
        3 => encode_i(LOAD, 3, rs2, rs1, double),
        5 => encode_s(STORE_FP, 3, rs1, rs2, double),
        6 => encode_s(STORE, 2, rs1, rs2, word),
        7 => encode_s(STORE, 3, rs1, rs2, double),
        _ => return None,
    })
}

fn quadrant_1(half: Half) -> Option<u32> {
    let (rd, immediate) = (half.rd(), half.immediate());
    Some(match half.funct3() {
        0 => encode_i(OP_IMM, 0, rd, rd, immediate),
        1 if rd != 0 => encode_i(OP_IMM_32, 0, rd, rd, immediate),
        2 => encode_i(OP_IMM, 0, rd, 0, immediate),
        3 if immediate == 0 => return None,
        3 if rd == SP => {
            let places = [(6, 1, 4), (2, 1, 5), (5, 1, 6), (3, 2, 7), (12, 1, 9)];
            encode_i(OP_IMM, 0, SP, SP, sign_extend(half.gather(&places), 10))
        }
        3 => (immediate as u32) << 12 | rd << 7 | 0x37,
        4 => return arithmetic(half),
        5 => {
            let places = [
                (3, 3, 1),
                (11, 1, 4),
                (2, 1, 5),
                (7, 1, 6),
                (6, 1, 7),
                (9, 2, 8),
                (8, 1, 10),
                (12, 1, 11),
            ];
            encode_j(0, sign_extend(half.gather(&places), 12))
        }
        kind @ (6 | 7) => {
            let places = [(3, 2, 1), (10, 2, 3), (2, 1, 5), (5, 2, 6), (12, 1, 8)];
            encode_b(kind - 6, half.short_rs1(), 0, sign_extend(half.gather(&places), 9))
        }
        _ => return None,
    })
}

/// Shifts, `c.andi` and the register-register instructions of quadrant 1.
fn arithmetic(half: Half) -> Option<u32> {
    let (rd, rs2) = (half.short_rs1(), half.short_rs2());
    let amount = half.unsigned_immediate() as i32;
    let funct = match (half.bits(10, 2), half.bits(12, 1), half.bits(5, 2)) {
        (0, ..) => return Some(encode_i(OP_IMM, 5, rd, rd, amount)),
        (1, ..) => return Some(encode_i(OP_IMM, 5, rd, rd, amount | 0x400)),
        (2, ..) => return Some(encode_i(OP_IMM, 7, rd, rd, half.immediate())),
        (_, 1, 0) => return Some(encode_r(OP_32, (0x20, 0), rd, rd, rs2)),
        (_, 1, 1) => return Some(encode_r(OP_32, (0, 0), rd, rd, rs2)),
        (_, 1, _) => return None,
        (_, _, 0) => (0x20, 0),
        (_, _, 1) => (0, 4),
        (_, _, 2) => (0, 6),
        _ => (0, 7),
    };
    Some(encode_r(OP, funct, rd, rd, rs2))
}

fn quadrant_2(half: Half) -> Option<u32> {
    let (rd, rs2) = (half.rd(), half.rs2());
    let load_word = half.gather(&[(4, 3, 2), (12, 1, 5), (2, 2, 6)]) as i32;
    let load_double = half.gather(&[(5, 2, 3), (12, 1, 5), (2, 3, 6)]) as i32;
    let store_word = half.gather(&[(9, 4, 2), (7, 2, 6)]) as i32;
    let store_double = half.gather(&[(10, 3, 3), (7, 3, 6)]) as i32;
    Some(match half.funct3() {
        0 => encode_i(OP_IMM, 1, rd, rd, half.unsigned_immediate() as i32),
        1 => encode_i(LOAD_FP, 3, rd, SP, load_double),
        2 if rd != 0 => encode_i(LOAD, 2, rd, SP, load_word),
        3 if rd != 0 => encode_i(LOAD, 3, rd, SP, load_double),
        4 => match (half.bits(12, 1), rd, rs2) {
            (0, 0, 0) => return None,
            (0, _, 0) => encode_i(0x67, 0, 0, rd, 0),
            (0, ..) => encode_r(OP, (0, 0), rd, 0, rs2),
            (_, 0, 0) => 0x0010_0073,
            (_, _, 0) => encode_i(0x67, 0, 1, rd, 0),
            _ => encode_r(OP, (0, 0), rd, rd, rs2),
        },
        5 => encode_s(STORE_FP, 3, SP, rs2, store_double),
        6 => encode_s(STORE, 2, SP, rs2, store_word),
        7 => encode_s(STORE, 3, SP, rs2, store_double),
        _ => return None,
    })
}
