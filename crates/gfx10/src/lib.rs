//! AMD GFX10.3 (RDNA2) and GFX11 (RDNA3) ray tracing: formats and instructions, bit by bit.
//!
//! Both generations read 4-wide nodes, one a time, with `image_bvh64_intersect_ray`. GFX11 adds
//! flags to pointers, orders of children, and a stack instruction.
//!
//! | module | what it knows |
//! |---|---|
//! | [`generation`] | what tells the two apart |
//! | [`layout`] | what the shared nodes of [`bvh4::layout`] lack |
//! | [`instruction`] | the intersection instruction and its operands |
//! | [`registers`] | what result registers mean |
//! | [`stack`] | GFX11's traversal stack in LDS |
//! | [`structure`] | how nodes are read, by generation and writer |
//! | [`encode`] | a tree laid out as an image, by siliray or as a driver does |
//! | [`format`](mod@format), [`describe`](mod@describe) | the formats; a node as named fields |
//! | [`walk`] | the traversal loops of RADV and GPURT |
//! | [`rra`] | files for Radeon Raytracing Analyzer |
//! | [`dump`] | dumps of RADV's memory |
//! | [`mod@update`] | refits, checks of updates, figures |
//! | [`registry`] | both formats and the loops, for every command |
//! | [`vectors`] | running files of captured and computed cases |
//!
//! Numbers like R-2 are decisions where sources disagree or are silent; they stand beside the code
//! that makes them true, and `docs/spec/gfx10.md` explains them. Facts come from GPURT, Mesa, PAL,
//! HIPRT, Radeon Raytracing Analyzer, the ISA guides, and results captured on newer hardware by the
//! author of amdgpu-sim.

pub mod describe;
pub mod dump;
pub mod encode;
pub mod format;
pub mod generation;
pub mod instruction;
pub mod layout;
pub mod registers;
pub mod registry;
pub mod rra;
pub mod stack;
pub mod structure;
pub mod update;
pub mod vectors;
pub mod walk;

pub use bvh4::writer::Writer;
pub use format::{Gfx10Bvh4, Gfx11Bvh4};
pub use generation::Generation;

/// The name of the format of GFX10.3.
pub const GFX10_NAME: &str = "gfx10-bvh4";
/// The name of the format of GFX11.
pub const GFX11_NAME: &str = "gfx11-bvh4";
