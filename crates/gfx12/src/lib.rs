//! AMD GFX12 (RDNA4) ray tracing: formats and instructions, bit by bit.
//!
//! The ray-tracing block of GFX12 reads *compressed* 8-wide nodes with `image_bvh8_intersect_ray`
//! and *uncompressed* 4-wide nodes with `image_bvh_dual_intersect_ray`. This crate holds both, as
//! data and as total functions: any bytes decode, any registers give an answer, nothing panics.
//!
//! | module | what it knows |
//! |---|---|
//! | [`layout`] | every structure in memory: pointers, T#, nodes, headers |
//! | [`quantize`] | boxes to plane codes, conservatively, and as RADV does it |
//! | [`encode`] | a tree laid out as an image, by siliray's packing or a driver's |
//! | [`obb`] | the 104 rotations of oriented boxes |
//! | [`instruction`] | the two intersection instructions |
//! | [`stack`] | the traversal stack in LDS |
//! | [`vectors`] | running files of captured and generated cases |
//! | [`survey`] | every node that can be reached, and how; total over any bytes |
//! | `rule`, `findings` | the rules of an image, by name; collecting what breaks them |
//! | [`decode`] | images to nodes and trees |
//! | [`check`] | the proof of an untrusted image, and what breaks it |
//! | [`outline`](mod@outline) | every node of an image from the root down, sound or not |
//! | [`describe`] | a node as named fields |
//! | [`registers`] | what result registers mean |
//! | [`format`](mod@format) | the format as siliray's machines see it |
//! | [`rra`] | `.rra` files |
//! | [`dump`] | files of memory as drivers leave it, and as programs copy it |
//! | [`refit`](mod@refit) | an update: the same tree over geometry that moved |
//! | [`update`] | what must hold between an image before and after an update |
//! | [`stats`](mod@stats) | figures of a structure as RADV gives them |
//! | [`walk`] | the traversal loops of RADV and GPURT |
//! | `blocks` | the image as a block-based traversal unit reads it |
//! | `fetches` | what a walk over its tree reads |
//! | [`registry`] | the formats and the loops, for every command |
//! | [`bvh4x2`] | the format `gfx12-bvh4x2`: 4-wide images for the dual instruction |
//!
//! Numbers like G-8 are decisions where sources disagree or are silent; they stand beside the code
//! that makes them true, and `docs/spec/gfx12.md` explains them. Facts come from GPURT, Mesa,
//! HIPRT, Radeon Raytracing Analyzer, the RDNA4 ISA guide, and results captured on hardware by the
//! author of amdgpu-sim.

#[cfg(target_family = "wasm")]
extern crate sequential as rayon;

mod blocks;
pub mod bvh4x2;
pub mod check;
pub mod decode;
pub mod describe;
pub mod dump;
pub mod encode;
mod fetches;
mod findings;
pub mod format;
pub mod instruction;
pub mod layout;
pub mod obb;
pub mod outline;
pub mod quantize;
pub mod refit;
pub mod registers;
pub mod registry;
pub mod rra;
mod rule;
pub mod stack;
pub mod stats;
pub mod survey;
pub mod update;
pub mod vectors;
pub mod walk;

pub use format::{Gfx12, NAME};
