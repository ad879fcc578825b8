//! The tree that belongs to no format: builders make it, encoders consume it, decoders give it back.
//!
//! A [`Tree`] has one or more bottom levels, each a list of primitives with a [`Bvh`] over them, and
//! at most one top level, a [`Bvh`] over instances. Without a top level there is exactly one bottom
//! level, in world space, and its hits count as instance 0.
//!
//! The primitives are stored as a machine sees them: corners rounded to the format, ids as the format
//! keeps them. The tree is therefore all that the brute-force oracle needs.
//!
//! | file | concept |
//! |---|---|
//! | [`bvh`] | a wide hierarchy over numbered items, and the proof that it is one |
//! | [`primitives`] | triangles and procedural boxes with ids and flags |
//! | [`level`] | bottom levels, top levels, and the whole |
//! | [`quality`] | what a hierarchy is worth: cost, depth, fill, overlap |

pub mod bvh;
pub mod level;
pub mod primitives;
pub mod quality;

pub use bvh::{Bvh, BvhError, Entry, Link};
pub use level::{Bottom, Placement, Top, Tree};
pub use primitives::{PrimitiveFlags, PrimitiveId, Primitives};
pub use quality::Quality;
