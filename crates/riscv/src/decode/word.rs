//! 32-bit instructions, found in the table of the instruction set.

use super::fields::{funct3, rd, rs1, rs2};
use crate::instruction::{Immediate, Instruction, Op, ROWS, Row};

/// Decodes a word whose two low bits are set.
pub(super) fn decode_word(word: u32) -> Instruction {
    let (op, imm) = match candidates(word).iter().map(|op| op.row()).find(|row| row.is(word)) {
        // Rounding modes 5 and 6 are reserved, in the instruction as in `frm`.
        Some(row) if row.immediate == Immediate::Float && matches!(funct3(word), 5 | 6) => {
            (Op::Illegal, 0)
        }
        Some(row) => (row.op, row.immediate.read(word)),
        None => (Op::Illegal, 0),
    };
    Instruction { op, rd: rd(word), rs1: rs1(word), rs2: rs2(word), imm, word }
}

/// Buckets of the index: 32 for each opcode.
const BUCKETS: usize = 32 * 32;

/// How many instructions the buckets hold in all; one whose bits are free is in several.
const ENTRIES: usize = fill(&mut [], &mut []);

static INDEX: ([u16; BUCKETS + 1], [Op; ENTRIES]) = {
    let mut starts = [0; BUCKETS + 1];
    let mut ops = [Op::Illegal; ENTRIES];
    fill(&mut starts, &mut ops);
    (starts, ops)
};

/// The instructions of a word's bucket.
fn candidates(word: u32) -> &'static [Op] {
    let (starts, ops) = &INDEX;
    let opcode = word >> 2 & 31;
    let (shift, width) = selector(opcode);
    let bucket = (opcode << 5 | word >> shift & ((1 << width) - 1)) as usize;
    &ops[usize::from(starts[bucket])..usize::from(starts[bucket + 1])]
}

/// The field that tells most about an instruction beside its opcode, by its first bit and width:
/// `funct3`, or bits 31:27 in AMO and OP-FP.
const fn selector(opcode: u32) -> (u32, u32) {
    if matches!(opcode, 0x0B | 0x14) { (27, 5) } else { (12, 3) }
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
    let (opcode, selected) = (bucket >> 5, bucket & 31);
    let (shift, width) = selector(opcode);
    let word = 3 | opcode << 2 | selected << shift;
    let indexed = 0x7F | ((1 << width) - 1) << shift;
    selected >> width == 0 && (row.matches ^ word) & row.mask & indexed == 0
}
