//! Instructions, CSRs and hooks that the base architecture does not have.
//!
//! An extension lives outside this crate: it implements [`Extension`] and is handed to
//! [`crate::Hart::new`]. The hart decodes, traps, logs and disassembles its instructions like its
//! own.
//!
//! A whole extension, one instruction and one CSR that counts its uses:
//!
//! ```
//! use riscv::{Config, Core, CustomCsr, CustomInstruction, Event, Extension, Hart, Trap};
//!
//! #[derive(Default)]
//! struct BitReverse {
//!     uses: u64,
//! }
//!
//! impl Extension for BitReverse {
//!     fn name(&self) -> &str { "bitreverse" }
//!     fn version(&self) -> &str { "1.0" }
//!     fn instructions(&self) -> Vec<CustomInstruction> {
//!         vec![CustomInstruction { matches: 0x0000_000B, mask: 0xFFF0_707F, mnemonic: "brev" }]
//!     }
//!     fn csrs(&self) -> Vec<CustomCsr> {
//!         vec![CustomCsr { number: 0x800, name: "brevuses", logged: true }]
//!     }
//!     fn reset(&mut self) { self.uses = 0; }
//!     fn execute(&mut self, _index: usize, word: u32, core: &mut Core) -> Result<(), Trap> {
//!         let (rd, rs1) = ((word >> 7) as u8 & 31, (word >> 15) as u8 & 31);
//!         core.set_x(rd, core.x(rs1).reverse_bits());
//!         self.uses += 1;
//!         Ok(())
//!     }
//!     fn disassemble(&self, _index: usize, word: u32, _pc: u64) -> String {
//!         format!("x{},x{}", word >> 7 & 31, word >> 15 & 31)
//!     }
//!     fn read_csr(&self, _number: u16, _core: &Core) -> u64 { self.uses }
//!     fn write_csr(&mut self, _number: u16, value: u64, _core: &mut Core) { self.uses = value; }
//! }
//!
//! let mut hart = Hart::new(Config::default(), vec![Box::new(BitReverse::default())])?;
//! let brev_a1_a0 = 0x0005_058B_u32.to_le_bytes();
//! hart.core.memory.write_bytes(0x8000_0000, &brev_a1_a0).unwrap();
//! hart.core.set_x(10, 1);
//! hart.core.pc = 0x8000_0000;
//! assert_eq!(hart.step(), Event::Retired);
//! assert_eq!((hart.core.x(11), hart.csr(0x800)), (1 << 63, Some(1)));
//! # Ok::<(), riscv::HartError>(())
//! ```

use crate::core::Core;
use crate::instruction::Instruction;
use crate::trap::Trap;
use std::any::Any;

/// An instruction of an extension: `word & mask == matches`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CustomInstruction {
    /// The fixed bits.
    pub matches: u32,
    /// Which bits are fixed. The two low ones must be, and set: extensions have 32-bit
    /// instructions.
    pub mask: u32,
    /// Its name, as logs, traces and disassembly print it.
    pub mnemonic: &'static str,
}

/// A CSR of an extension. Bits 9:8 of the number say the lowest privilege that may touch it, and
/// numbers from 0xC00 on are read-only: writing them traps before the extension hears of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CustomCsr {
    /// 12 bits.
    pub number: u16,
    /// Lower case, as logs print it.
    pub name: &'static str,
    /// Whether a change of its value by an instruction of the extension goes to the commit log.
    pub logged: bool,
}

/// What an extension adds to a hart. Only the first six methods are needed.
pub trait Extension: Send {
    /// Its name, as `--extension` takes it.
    fn name(&self) -> &str;

    /// What it implements, for `--version` and reports.
    fn version(&self) -> &str;

    /// Its instructions. Patterns that overlap each other, those of another extension or the base
    /// architecture are an error at registration.
    fn instructions(&self) -> Vec<CustomInstruction>;

    /// Its CSRs. Numbers that are taken are an error at registration.
    fn csrs(&self) -> Vec<CustomCsr>;

    /// Puts all state back to its reset value. Called at every reset, and once at registration.
    fn reset(&mut self);

    /// Executes number `index` of [`Extension::instructions`].
    ///
    /// It may read `core` freely, must not write anything before its last step that can fail, and
    /// jumps by setting `core.next_pc`.
    fn execute(&mut self, index: usize, word: u32, core: &mut Core) -> Result<(), Trap>;

    /// The operands of number `index` as assembly text, without the mnemonic.
    fn disassemble(&self, index: usize, word: u32, pc: u64) -> String;

    /// The word of a line of assembly text, or why it is wrong, if its mnemonic is the extension's.
    fn assemble(&self, line: &str) -> Option<Result<u32, String>> {
        let _ = line;
        None
    }

    /// Reads one of its CSRs, without side effects: debuggers and logs read too.
    fn read_csr(&self, number: u16, core: &Core) -> u64 {
        let _ = (number, core);
        0
    }

    /// Writes one of its CSRs.
    fn write_csr(&mut self, number: u16, value: u64, core: &mut Core) {
        let _ = (number, value, core);
    }

    /// A trap is being taken; `core` still is as the trapping instruction left it. State that must
    /// not act inside a handler is parked here.
    fn on_trap_entry(&mut self, trap: &Trap, core: &mut Core) {
        let _ = (trap, core);
    }

    /// `mret` returns from a handler.
    fn on_trap_return(&mut self, core: &mut Core) {
        let _ = core;
    }

    /// A word is an illegal instruction (an unknown encoding, not one that the extension refused):
    /// some extensions keep an account of theirs.
    fn on_unknown(&mut self, word: u32) {
        let _ = word;
    }

    /// Whether [`Extension::before_instruction`] and [`Extension::after_instruction`] are to be
    /// called. Asked again after everything that can change the extension's state, so that a hart
    /// pays only while somebody watches.
    fn is_watching(&self) -> bool {
        false
    }

    /// An instruction is about to run (any, this extension's included); an error vetoes it. Called
    /// only while watching.
    fn before_instruction(&mut self, instruction: &Instruction, core: &Core) -> Result<(), Trap> {
        let _ = (instruction, core);
        Ok(())
    }

    /// An instruction has retired. Called only while watching, as of before the instruction.
    fn after_instruction(&mut self, instruction: &Instruction, core: &mut Core) {
        let _ = (instruction, core);
    }

    /// The program has ended (or the run has): last work, such as jobs that nobody waited for.
    fn on_exit(&mut self, core: &mut Core) {
        let _ = core;
    }

    /// Names and values beyond its CSRs, for debuggers and comparisons of states.
    fn state(&self) -> Vec<(String, u64)> {
        Vec::new()
    }

    /// What a reader of the log wants to know of the last executed instruction beside its effects,
    /// for example why it refused something, a line each. Asked only while recording.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// What it counted over the whole run: rows of names and numbers, for example of each class of
    /// memory.
    fn report(&self) -> Vec<Vec<(&'static str, u64)>> {
        Vec::new()
    }

    /// Members that the last executed instruction adds to its line of the trace, for example `rt`
    /// and `job`. Asked only while recording.
    fn trace(&self) -> Vec<(&'static str, serde_json::Value)> {
        Vec::new()
    }

    /// The extension itself, for who knows its type.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }

    /// The lane of a vectorised instruction that caused `trap`, the last one taken, if any did.
    fn faulting_lane(&self, trap: &Trap) -> Option<u64> {
        let _ = trap;
        None
    }

    /// Text for the debugger's `monitor COMMAND`, if it knows the command.
    fn monitor(&self, command: &str, core: &Core) -> Option<String> {
        let _ = (command, core);
        None
    }
}
