//! The tree traversal unit of US 9,569,559, as a simulator.
//!
//! The unit walks a tree of boxes for queries that a processor (SM) sends: it fetches *blocks* of
//! 128 bytes that hold a treelet each, tests their boxes, and gives leaves back, whose primitives
//! the processor tests. siliray models the published description cycle by cycle; it claims no
//! compatibility with any product (T-15).
//!
//! | module | what it knows |
//! |---|---|
//! | [`format`](mod@format) | the 128-byte block format |
//! | [`config`] | every parameter, by name |
//! | [`world`] | an image of any block format, ready to be run |
//! | [`program`] | its blocks, decoded |
//! | [`job`] | questions and answers |
//! | `beam_overhang` | what beams need of a world beside its blocks |
//! | `local_query` | a query in the coordinates of a block, and the box test |
//! | `unit` | the units of the machine |
//! | [`run`] | many questions through the whole machine |
//! | [`counters`], [`distribution`] | what is counted |
//! | [`explained`] | what names in reports mean |
//! | `reporter` | what an observer is told of a question |
//! | [`registry`] | the format and the machine, for every command |
//! | [`ttu_machine`] | the machine as siliray's other machines look |
//!
//! Numbers like T-4 are decisions where the description is silent; they stand beside the code that
//! makes them true.

#[cfg(target_family = "wasm")]
extern crate sequential as rayon;

mod beam_overhang;
pub mod config;
pub mod counters;
pub mod distribution;
pub mod explained;
pub mod format;
pub mod job;
mod local_query;
pub mod program;
pub mod registry;
mod reporter;
pub mod run;
pub mod ttu_machine;
mod unit;
pub mod world;

pub use config::Config;
pub use explained::Explained;
pub use format::TtuFormat;
pub use job::Answer;
pub use run::{Run, RunError, simulate};
pub use ttu_machine::TtuMachine;
pub use world::World;
