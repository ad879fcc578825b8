//! What the intersection units of several generations compute alike.
//!
//! | file | concept |
//! |---|---|
//! | [`memory`] | reading a node: addresses, bounds |
//! | [`slab`] | ray against box |
//! | [`sort`] | the sorting network and its keys |
//! | [`four_boxes`] | the four boxes of a node |
//! | [`stored_boxes`] | the same boxes, as memory holds them |
//! | [`triangle`] | ray against triangle |
//! | [`culling`] | what pointer flags rule out |
//! | `images` | images as memory |
//!
//! All but the last need no allocator and no operating system.

pub mod culling;
pub mod four_boxes;
mod images;
pub mod memory;
pub mod slab;
pub mod sort;
pub mod stored_boxes;
pub mod triangle;

pub use four_boxes::FourBoxes;
pub use memory::Memory;
pub use slab::{SlabInterval, UnitSlabRay};
pub use triangle::{TriangleArithmetic, TriangleTest};

/// A result that says "nothing": no child, no node.
pub const NOTHING: u32 = 0xFFFF_FFFF;
/// t of a miss.
pub const INFINITY_BITS: u32 = 0x7F80_0000;
/// 1.0.
pub const ONE_BITS: u32 = 0x3F80_0000;
/// The sign of a float.
pub const SIGN_BIT: u32 = 0x8000_0000;
