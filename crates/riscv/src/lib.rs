//! A RISC-V hart in software: RV64GC with machine and user mode, and room for extensions.
//!
//! A functional model: one instruction at a time, exact architectural state, no timing. It runs ELF
//! programs as they come from an ordinary cross compiler, keeps a commit log in Spike's format,
//! traces to JSON lines, and serves gdb.
//!
//! | file | concept |
//! |---|---|
//! | `instruction`, `decode` | decoded instructions, and how words become them |
//! | `core` | registers, CSRs and memory as instructions see them |
//! | `csr`, `memory`, `float` | what a core is made of |
//! | `execute` | what instructions do |
//! | `hart` | fetch, execute, trap |
//! | `extension`, `registry` | instructions and CSRs of others |
//! | `elf`, `htif`, `isa`, `config` | programs, their host, instruction sets, choices |
//! | `xphmg` | the ray-tracing extension |
//! | `trap`, `commit`, `state` | what can be seen of a run |
//! | `disassemble`, `log`, `jsonl`, `profile`, `signature` | what is written about it |
//! | `assemble` | text to instructions, in the syntax of `disassemble` |
//! | `machine` | a program that answers queries, as a machine of siliray's law |
//! | `run`, `gdb` | a whole run: limits, outputs, how it ended; under a debugger |
//!
//! ```
//! use riscv::{Config, Event, Hart};
//!
//! let mut hart = Hart::new(Config::default(), Vec::new())?;
//! // addi a0, x0, 42
//! hart.core.memory.write_bytes(0x8000_0000, &0x02A0_0513_u32.to_le_bytes()).unwrap();
//! assert_eq!(hart.step(), Event::Retired);
//! assert_eq!(hart.core.x(10), 42);
//! # Ok::<(), riscv::HartError>(())
//! ```

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "reading one word as another is what instructions do"
)]

mod assemble;
pub mod commit;
mod config;
mod core;
pub mod csr;
pub mod decode;
mod disassemble;
mod elf;
mod execute;
mod extension;
mod float;
pub mod gdb;
mod hart;
mod htif;
pub mod instruction;
mod isa;
pub mod jsonl;
pub mod log;
pub mod machine;
pub mod memory;
mod profile;
mod registry;
mod run;
mod signature;
mod state;
mod trap;
pub mod xphmg;

pub use crate::core::{Access, Core, Privilege, Stop};
pub use assemble::{AssembleError, Assembled};
pub use config::{Config, HartError, MAX_RAM, SIZE_STEP};
pub use disassemble::Text;
pub use elf::{ElfError, Program};
pub use extension::{CustomCsr, CustomInstruction, Extension};
pub use hart::{Event, Hart};
pub use isa::{ISA, IsaError, check_isa};
pub use profile::{Profile, Spent};
pub use registry::RegistrationError;
pub use run::{Ended, Limits, Observer, Recent};
pub use signature::{SignatureError, signature};
pub use state::{Difference, State};
pub use trap::{Cause, Trap};
