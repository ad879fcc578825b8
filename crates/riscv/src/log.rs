//! The commit log, in the format of Spike's `--log-commits`: one line for each retired instruction.
//!
//! `core   0: 3 0x00000000800000c0 (0x00000e93) x29 0x0000000000000000`
//!
//! Fields: hart, privilege, pc, instruction, then registers written by number, addresses of loads,
//! and addresses and values of stores. Custom state needs no syntax of its own, because it is CSRs.
//! What an extension has to say of its instruction follows on a line of its own:
//!
//! `core   0:           job refused: the descriptor lies at 0x80000104, expected a multiple of 8`

use crate::commit::{Commit, MemoryAccess, Register};
use crate::hart::Hart;
use crate::instruction::Op;
use crate::trap::Trap;
use std::fmt::Write;

/// The line of what `hart` has just retired, without a line end. Needs [`Hart::set_recording`].
#[must_use]
pub fn commit_line(hart: &Hart) -> String {
    let commit = hart.commit();
    let Commit { pc, instruction, privilege, .. } = commit;
    let digits = 2 * instruction.length() as usize;
    let mut line = format!(
        "core{:>4}: {} 0x{pc:016x} (0x{:0digits$x})",
        0, *privilege as u8, instruction.word
    );
    // Writing to a string cannot fail.
    for write in &commit.registers {
        let value = write.value;
        let _ = match write.register {
            Register::Integer(number) => write!(line, " x{number:<2} 0x{value:016x}"),
            Register::Float(number) => write!(line, " f{number:<2} 0x{value:016x}"),
            Register::Csr(number) => {
                let name = hart.csr_name(number).unwrap_or_else(|| "unknown".to_owned());
                write!(line, " c{number}_{name} 0x{value:016x}")
            }
        };
    }
    for load in &commit.loads {
        let _ = write!(line, " mem 0x{:016x}", load.address);
    }
    for store in &commit.stores {
        for (address, value, size) in words(store) {
            let _ = write!(line, " mem 0x{address:016x} 0x{value:0digits$x}", digits = 2 * size);
        }
    }
    if instruction.op == Op::Custom {
        for remark in hart.extensions().flat_map(|extension| extension.remarks()) {
            let _ = write!(line, "\ncore{:>4}:           {remark}", 0);
        }
    }
    line
}

/// The lines of a trap that happened at `epc`, each with its line end.
#[must_use]
pub fn trap_lines(trap: &Trap, epc: u64) -> String {
    let mut lines = format!("core{:>4}: exception {}, epc 0x{epc:016x}\n", 0, trap.cause);
    if trap.cause.has_value() {
        lines += &format!("core{:>4}:           tval 0x{:016x}\n", 0, trap.value);
    }
    lines
}

/// A store as words of at most eight bytes: (address, value, size).
pub(crate) fn words(access: &MemoryAccess) -> impl Iterator<Item = (u64, u64, usize)> {
    access.bytes.chunks(8).zip(0..).map(|(bytes, place)| {
        let value = bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        (access.address.wrapping_add(8 * place), value, bytes.len())
    })
}
