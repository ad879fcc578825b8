//! The immediates of the six instruction formats (unprivileged manual, section 2.3).

/// Bits 31:20, sign-extended.
pub(crate) const fn immediate_i(word: u32) -> i32 {
    word as i32 >> 20
}

/// Bits 31:25 and 11:7, sign-extended.
pub(crate) const fn immediate_s(word: u32) -> i32 {
    (word as i32 >> 25 << 5) | ((word >> 7) & 31) as i32
}

/// A branch offset: even, 13 bits.
pub(crate) const fn immediate_b(word: u32) -> i32 {
    let low = ((word >> 8) & 15) << 1 | ((word >> 25) & 63) << 5 | ((word >> 7) & 1) << 11;
    low as i32 | (word as i32 >> 31 << 12)
}

/// Bits 31:12 in place.
pub(crate) const fn immediate_u(word: u32) -> i32 {
    (word & 0xFFFF_F000) as i32
}

/// A jump offset: even, 21 bits.
pub(crate) const fn immediate_j(word: u32) -> i32 {
    let low = ((word >> 21) & 0x3FF) << 1 | ((word >> 20) & 1) << 11 | word & 0xF_F000;
    low as i32 | (word as i32 >> 31 << 20)
}

pub(crate) const fn rd(word: u32) -> u8 {
    ((word >> 7) & 31) as u8
}

pub(crate) const fn funct3(word: u32) -> u32 {
    (word >> 12) & 7
}

pub(crate) const fn rs1(word: u32) -> u8 {
    ((word >> 15) & 31) as u8
}

pub(crate) const fn rs2(word: u32) -> u8 {
    ((word >> 20) & 31) as u8
}

/// An I-type word.
pub(crate) const fn encode_i(opcode: u32, funct3: u32, rd: u32, rs1: u32, immediate: i32) -> u32 {
    (immediate as u32) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

/// An R-type word.
pub(crate) const fn encode_r(opcode: u32, funct: (u32, u32), rd: u32, rs1: u32, rs2: u32) -> u32 {
    let (funct7, funct3) = funct;
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

/// An S-type word.
pub(crate) const fn encode_s(opcode: u32, funct3: u32, rs1: u32, rs2: u32, immediate: i32) -> u32 {
    let bits = immediate as u32;
    ((bits >> 5) & 127) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (bits & 31) << 7 | opcode
}

/// A B-type word.
pub(crate) const fn encode_b(funct3: u32, rs1: u32, rs2: u32, offset: i32) -> u32 {
    let bits = offset as u32;
    ((bits >> 12) & 1) << 31
        | ((bits >> 5) & 63) << 25
        | rs2 << 20
        | rs1 << 15
        | funct3 << 12
        | ((bits >> 1) & 15) << 8
        | ((bits >> 11) & 1) << 7
        | 0x63
}

/// `jal`.
pub(crate) const fn encode_j(rd: u32, offset: i32) -> u32 {
    let bits = offset as u32;
    ((bits >> 20) & 1) << 31
        | ((bits >> 1) & 0x3FF) << 21
        | ((bits >> 11) & 1) << 20
        | (bits & 0xF_F000)
        | rd << 7
        | 0x6F
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn immediates_survive_encoding(value in any::<i32>(), a in 0u32..32, b in 0u32..32) {
            let twelve = value << 20 >> 20;
            prop_assert_eq!(immediate_i(encode_i(0x13, 0, a, b, twelve)), twelve);
            prop_assert_eq!(immediate_s(encode_s(0x23, 3, a, b, twelve)), twelve);
            let branch = value << 19 >> 19 & !1;
            prop_assert_eq!(immediate_b(encode_b(1, a, b, branch)), branch);
            let jump = value << 11 >> 11 & !1;
            prop_assert_eq!(immediate_j(encode_j(a, jump)), jump);
        }
    }
}
