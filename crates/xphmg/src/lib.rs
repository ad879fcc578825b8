//! XPHMG_RT: ray tracing as an extension of RISC-V.
//!
//! Two ray–geometry instructions, the numeric policy that governs them, the memory selection and
//! lane masking around them, and the offload queue. The specification is by Pedro H. M. Garcia
//! (CC-BY-SA 4.0); this crate targets RT 0.1.0 with its sibling documents of the same commit, and
//! takes from RT 0.1.1 what fills a hole. Nothing here is endorsed by its author. Where the
//! text is silent or contradicts itself a numbered decision X-n stands beside the code that makes
//! it true, and [`Readings`] switches the disputed ones.
//!
//! | module | what it knows |
//! |---|---|
//! | [`numeric`] | element formats, rounding, FP32 arithmetic, conversions |
//! | [`policy`] | MODE, ALT, STAT, EXC and the effective policy |
//! | [`flags`] | sticky flags |
//! | [`readings`] | the switches |
//! | [`instruction`] | RT.BBOX and RT.TRI as plain functions |
//! | [`encoding`] | words and text of every instruction |
//! | [`layout`] | structures in memory |
//! | [`memory`] | what a hart lends the unit |
//! | [`unit`](mod@unit) | all state of one hart, and its instructions |
//! | [`offload`] | the offload job |
//! | [`tiles`] | the four formats: encode, check, decode |
//! | [`machines`] | the offload job and its truth as siliray's machines |
//! | [`registry`] | the formats and the machine, for every command |
//! | `bits` | bits by name of their place |
//! | [`vectors`] | running files of cases |

mod bits;
pub mod encoding;
pub mod flags;
pub mod instruction;
pub mod layout;
pub mod machines;
pub mod memory;
pub mod numeric;
pub mod offload;
pub mod policy;
pub mod readings;
pub mod registry;
pub mod tiles;
pub mod unit;
pub mod vectors;

pub use memory::{HartPort, Memory};
pub use readings::Readings;
pub use tiles::{Precision, Tiles};
pub use unit::{Executed, Trap, Unit};

/// What this crate models, as `--version` prints it.
pub const VERSION: &str = "XPHMG d89fed8, RT 0.1.0, gaps from RT 0.1.1";
