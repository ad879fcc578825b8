//! Instruction words by mnemonic. A pattern may hold words that do not exist; executing them traps
//! as the specification says.

use crate::extension::CustomInstruction;

/// All instructions.
pub(super) const PATTERNS: [CustomInstruction; 21] = [
    by_funct3(0x0B, 0, "svsetvl"),
    by_funct3(0x0B, 1, "svon.one"),
    by_funct3(0x0B, 2, "svon.blk"),
    by_funct3(0x0B, 3, "svend"),
    by_funct3(0x0B, 4, "svp.one.vlstep"),
    by_funct3(0x0B, 5, "svon.fpctl"),
    by_funct3(0x0B, 6, "rt.bbox"),
    by_funct3(0x0B, 7, "rt.tri"),
    by_funct3(0x5B, 0, "mtx.ld"),
    by_funct3(0x5B, 1, "mtx.mul"),
    by_funct3(0x5B, 4, "mtx.mad"),
    by_funct3(0x7B, 0, "bp.f"),
    by_funct3(0x7B, 1, "bp.t"),
    by_funct3(0x7B, 2, "xsubmit.rt"),
    by_immediate(3, 0, "xfence.wait"),
    by_immediate(3, 1, "xfence.signal"),
    by_immediate(3, 2, "xfence.wait.e"),
    CustomInstruction { matches: 0x0100_307B, mask: 0xFF00_707F, mnemonic: "xfence.pipe" },
    by_immediate(4, 0, "xlds.alloc"),
    by_immediate(4, 1, "xlds.free"),
    by_immediate(4, 2, "xlds.bar"),
];

const fn by_funct3(opcode: u32, funct3: u32, mnemonic: &'static str) -> CustomInstruction {
    CustomInstruction { matches: opcode | funct3 << 12, mask: 0x707F, mnemonic }
}

const fn by_immediate(funct3: u32, immediate: u32, mnemonic: &'static str) -> CustomInstruction {
    CustomInstruction {
        matches: 0x7B | funct3 << 12 | immediate << 20,
        mask: 0xFFF0_707F,
        mnemonic,
    }
}
