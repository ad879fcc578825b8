//! 32-bit instructions, found in the table of the instruction set.

use super::fields::{funct3, rd, rs1, rs2};
use crate::instruction::{Instruction, Op, ROWS, Row};

/// Decodes a word whose two low bits are set.
pub(super) fn decode_word(word: u32) -> Instruction {
    let (op, imm) = match candidates(word).iter().map(|op| op.row()).find(|row| row.is(word)) {
        // Rounding modes 5 and 6 are reserved, in the instruction as in `frm`.
        Some(row) if row.rounds() && matches!(funct3(word), 5 | 6) => (Op::Illegal, 0),
        Some(row) => (row.op, row.operands.iter().fold(0, |all, it| all | it.immediate(word))),
        None => (Op::Illegal, 0),
    };
    Instruction { op, rd: rd(word), rs1: rs1(word), rs2: rs2(word), imm, word }
}

/// The bits that the index goes by: the opcode and `funct3`.
const INDEXED: u32 = 0x707F;

/// One bucket for each value of those bits, the two low ones apart.
const BUCKETS: usize = 256;

/// How many instructions the buckets hold in all; those without `funct3` are in eight.
const ENTRIES: usize = fill(&mut [], &mut []);

static INDEX: ([u16; BUCKETS + 1], [Op; ENTRIES]) = {
    let mut starts = [0; BUCKETS + 1];
    let mut ops = [Op::Illegal; ENTRIES];
    fill(&mut starts, &mut ops);
    (starts, ops)
};

/// The instructions that have the opcode and `funct3` of a word.
fn candidates(word: u32) -> &'static [Op] {
    let (starts, ops) = &INDEX;
    let bucket = (word >> 2 & 31 | funct3(word) << 5) as usize;
    &ops[usize::from(starts[bucket])..usize::from(starts[bucket + 1])]
}

/// Writes where each bucket starts and what all of them hold, where there is room; gives the count.
const fn fill(starts: &mut [u16], ops: &mut [Op]) -> usize {
    let mut count = 0;
    let mut bucket = 0;
    while bucket < BUCKETS {
        let mut row = 0;
        while row < ROWS.len() {
            if may_be(&ROWS[row], bucket as u32) {
                if count < ops.len() {
                    ops[count] = ROWS[row].op;
                }
                count += 1;
            }
            row += 1;
        }
        bucket += 1;
        if bucket < starts.len() {
            starts[bucket] = count as u16;
        }
    }
    count
}

const fn may_be(row: &Row, bucket: u32) -> bool {
    let word = 3 | (bucket & 31) << 2 | bucket >> 5 << 12;
    (row.matches ^ word) & row.mask & INDEXED == 0
}
