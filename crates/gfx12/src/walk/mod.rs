//! Traversal: the loops of drivers over the instruction and the stack.
//!
//! Each machine executes [`image_bvh8_intersect_ray`](crate::instruction::image_bvh8_intersect_ray)
//! and [`push8_pop1`](crate::stack::push8_pop1) step by step on the bytes of a proved image. Which
//! boxes are entered is the hardware's own decision; which primitives are hit is the law's.
//!
//! | machine | loop | ranges | hits |
//! |---|---|---|---|
//! | [`Radv`] | RADV's, walking back with the ray's own extent | one pair | all below the boxes |
//! | [`RadvLiteral`] | RADV's, as versions ship it | one pair | some lost, stack too small (G-35) |
//! | [`Gpurt`] | GPURT's | any | all that the boxes lead to |
//! | [`Hiprt`] | HIPRT's, with a stack that loses nothing | any | all that the boxes lead to |
//! | [`Dual`] | two nodes a step, over the format `gfx12-bvh4x2` | - | all that the boxes lead to |
//!
//! | file | concept |
//! |---|---|
//! | [`options`] | stack size, order, growth; why a walk refuses an image |
//! | `walk_image` | the image, and what a constructor asks of it |
//! | `lane` | the registers of one ray, and the two instructions |
//! | `shown` | what an observer is told |
//! | [`radv`], [`gpurt`], [`hiprt`] | the loops |
//! | [`dual`] | the loop around the dual instruction, with an image and a lane of its own |
//!
//! **Accepting.** The registers of the instruction stay raw. Both primitives of a pair that the
//! walk reaches are put to [`machine::primitive_test`], like everywhere else; on the
//! Möller-Trumbore rule that computes the same `t` again, and then moves it into the box of the
//! triangle.
//!
//! **The extent** of a box test is the `t` of the best hit, widened by 4 eps and a tiny term like
//! the exit of the reference slab test: a tie is settled by ids, so boxes at equal `t` must be
//! entered.
//!
//! **Lost entries.** The stack is a ring that overwrites its oldest entries; a pop that finds
//! nothing says whether any were lost ([`INVALID`](crate::layout::NodePointer::INVALID), not
//! [`TERMINAL`](crate::layout::NodePointer::TERMINAL)). The walk then returns through parent
//! pointers, so a constructor wants [`ProvedFacts::parents`](machine::ProvedFacts::parents), unless
//! the image is so flat that the stack cannot overflow.
//!
//! Coming back to a box, the walk goes on behind the child that it left, so the children must come
//! in the same order again. The ray's own extent, which GPURT uses there, nearly ensures that
//! (G-35); but a child that only the longer extent reaches can make the sorting network exchange
//! two others with equal keys, such as the entry 0 of all boxes around the origin, and then one of
//! them is lost. A few of a thousand rays do so with 2 entries. By default a walk is exact instead:
//! [`WalkBack`].

pub mod dual;
pub mod gpurt;
pub mod hiprt;
mod lane;
pub mod options;
pub mod radv;
mod shown;
mod walk_image;

pub use dual::Dual;
pub use gpurt::Gpurt;
pub use hiprt::Hiprt;
pub use options::{Options, WalkBack, WalkError};
pub use radv::{Radv, RadvLiteral, Shipped};
