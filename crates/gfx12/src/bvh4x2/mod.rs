//! Format `gfx12-bvh4x2`: 4-wide nodes for `image_bvh_dual_intersect_ray`, as images.
//!
//! Each level of a tree is one structure in a segment of its own, the TLAS first:
//!
//! | bytes | contents |
//! |---|---|
//! | 0.. | parent table, one dword a unit, growing downward from the base; 0xFFFFFFFF elsewhere |
//! | base.. | nodes in units of 64 bytes; the root is the first ([`crate::layout::bvh4x2`]) |
//!
//! Segments lie at multiples of 4096, bases at multiples of 256. The image's two bases are equal.
//! Its root pointer is 0x5, or 0x4 where boxes are of high precision: type 4 always means that box
//! here, since an image has no T# that could say otherwise. Pairs and boxes are drafted as in other
//! 4-wide formats ([`bvh4::encode`]).
//!
//! | file | concept |
//! |---|---|
//! | `write` | nodes and parent tables as bytes |
//! | `blas`, `tlas`, [`encode`](mod@encode) | leaf nodes and whole images |
//! | [`survey`] | how nodes are read, for [`bvh4::image`] |
//! | `decode`, [`check`](mod@check) | triangles of a node; the proof of an untrusted image |
//! | [`nodes`](mod@nodes), [`report`](mod@report) | every node for comparing; figures of an image |
//! | [`update`](mod@update) | refits, checks of updates, figures |
//! | [`file`](mod@file) | images in files |
//! | [`format`](mod@format) | the trait [`machine::Format`] |

mod blas;
pub mod check;
pub(crate) mod decode;
pub mod encode;
pub mod file;
pub mod format;
pub mod nodes;
pub mod report;
pub mod survey;
mod tlas;
pub mod update;
mod write;

pub use bvh4::EncodeError;
pub use bvh4::image::Rule;
pub use encode::{BoxPrecision, Options};
pub use format::Gfx12Bvh4x2;

/// The name of the format.
pub const NAME: &str = "gfx12-bvh4x2";

/// Geometry ids lie below this: GPURT's loops use 20 bits.
pub const GEOMETRY_LIMIT: u32 = 1 << 20;

/// Most bytes of nodes in a structure.
pub const NODE_AREA_LIMIT: u64 = 1 << 32;
