//! The tree that belongs to no format: builders make it, encoders consume it, decoders give it
//! back.
//!
//! A [`Tree`] has one or more bottom-level acceleration structures (BLASes), each a list of
//! primitives with a [`Bvh`] over them, and at most one top-level one (TLAS), a [`Bvh`] over
//! instances. Without a TLAS there is exactly one BLAS, in world space, and its hits count as
//! instance 0.
//!
//! The primitives are stored as a machine sees them: corners rounded to the format, ids as the
//! format keeps them. The tree is therefore all that the brute-force oracle needs.
//!
//! | file | concept |
//! |---|---|
//! | [`bvh`] | a wide hierarchy over numbered items, and the proof that it is one |
//! | [`primitives`] | triangles and procedural boxes with ids and flags |
//! | [`level`] | BLAS, TLAS, and the whole |
//! | [`reshape`] | leaves and widths fitted to the limits of a format |
//! | [`sound`] | whether its levels fit together |
//! | [`quality`] | what a hierarchy is worth: cost, depth, fill, overlap |

pub mod bvh;
pub mod level;
pub mod primitives;
pub mod quality;
pub mod reshape;
pub mod sound;

pub use bvh::{Bvh, BvhError, Node, NodeLink};
pub use level::{Blas, Instance, Tlas, Tree};
pub use primitives::{PrimitiveFlags, PrimitiveId, Primitives};
pub use quality::Quality;
pub use sound::UnsoundTree;
