//! What several generations of AMD's ray-tracing hardware share: 4-wide nodes, and how they are
//! tested, found, encoded and decoded.
//!
//! RDNA2 introduced nodes of four children with plain planes; RDNA3 gave their pointers flags, and
//! RDNA4 reads them still, with `image_bvh_dual_intersect_ray`. The crates of the generations add
//! their own formats, instructions and loops.
//!
//! | module | what it knows |
//! |---|---|
//! | [`layout`] | pointers, boxes, triangle words, headers |
//! | [`mod@unit`] | the arithmetic of the intersection units |
//! | [`survey`] | every node that can be reached |
//! | [`decode`] | from a survey to a tree |
//! | [`encode`] | from a tree to a draft of nodes |
//! | [`image`] | whole images: surveyed, checked, decoded, for any dialect |
//! | [`outline`] | following every pointer, sound or not |
//! | [`dump`] | files of memory as drivers leave it |
//! | [`rra`] | the container of files for Radeon Raytracing Analyzer |
//! | [`update`] | refits, and what must hold between images before and after |
//! | [`walk`] | what traversal loops share |
//! | [`writer`] | who laid an image out |
//!
//! Numbers such as G-8 and R-4 are decisions, which `docs/spec` explains.

#[cfg(target_family = "wasm")]
extern crate sequential as rayon;

pub mod decode;
pub mod dump;
pub mod encode;
pub mod image;
pub mod layout;
pub mod outline;
pub mod rra;
pub mod survey;
pub mod unit;
pub mod update;
pub mod walk;
pub mod writer;

pub use encode::EncodeError;
