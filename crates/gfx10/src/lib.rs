//! AMD GFX10.3 (RDNA2) and GFX11 (RDNA3) ray tracing: formats and instructions, bit by bit.
//!
//! Both generations read 4-wide nodes, one a time, with `image_bvh64_intersect_ray`. GFX11 adds
//! flags to pointers, orders of children, and a stack instruction.
//!
//! | module | what it knows |
//! |---|---|
//! | [`generation`] | what tells the two apart |
//! | [`layout`] | what the shared nodes of [`bvh4::layout`] lack: the T# |
//! | [`instruction`] | the intersection instruction and its operands |
//! | [`stack`] | GFX11's traversal stack in LDS |
//! | [`vectors`] | running files of captured and computed cases |
//!
//! Numbers like R-2 are decisions where sources disagree or are silent; they stand beside the code
//! that makes them true, and `docs/spec/gfx10.md` explains them. Facts come from GPURT, Mesa, PAL,
//! HIPRT, Radeon Raytracing Analyzer, the ISA guides, and results captured on newer hardware by the
//! author of amdgpu-sim.

pub mod generation;
pub mod instruction;
pub mod layout;
pub mod stack;
pub mod vectors;

pub use generation::Generation;
