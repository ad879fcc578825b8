//! Beam queries: which primitives does a moving box meet?
//!
//! The answer is a set that the query and the geometry define, whatever the tree, the format and
//! the number of threads (B-12):
//!
//! * A primitive in world space is met if the beam meets its own box (leaf rule *conservative*, the
//!   default) or the primitive itself (leaf rule *exact*) (B-11).
//! * A primitive of an instance is met if the beam meets the instance's box in world space, and the
//!   beam as moved into the instance's space ([`geometry::beam::transform`], outward) meets it as
//!   above. A rotation widens the moved beam, so the exact rule is exact for that beam. Both must
//!   hold at one time: the contact is cut to the range in which the beam meets the box of the
//!   instance.
//!
//! * A sphere or a frustum is asked about with the beam around it ([`geometry::volume`]). What
//!   counts as met is then decided by the volume itself, in the world: a primitive of an instance
//!   is its preimage under the instance's world-to-object map, without rounding (B-15).
//!
//! A machine asks a [`BeamSpace`] for the leaf tests, so that these definitions exist once. The box
//! test is monotone, so a machine may skip whatever lies in a box that the beam misses, or that it
//! enters after what it looks for.
//!
//! | file | concept |
//! |---|---|
//! | [`space`] | a beam in the space of primitives: the leaf tests |
//! | [`world`] | a tree as beams see it |
//! | [`covering`] | boxes that contain all of what is below them |

pub mod covering;
pub mod space;
pub mod world;

pub use space::{BeamSpace, enter};
pub use world::{BeamWorld, BeamWorldError};
