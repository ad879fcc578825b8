//! The intersection instructions, as total functions from memory and registers to registers.
//!
//! | file | concept |
//! |---|---|
//! | [`bvh8`] | `image_bvh8_intersect_ray`: dispatch by node type |
//! | [`dual`] | `image_bvh_dual_intersect_ray`: two nodes of the format `gfx12-bvh4x2` |
//! | [`memory`] | reading a node: addresses, bounds |
//! | [`slab`] | ray against box, as the unit computes it |
//! | [`sort`] | the sorting network and its keys |
//! | [`box_test`] | compressed boxes: culling, reuse, order |
//! | [`triangle`] | ray against triangle, as the unit computes it |
//! | [`primitive_test`] | triangle pairs and procedurals |
//! | [`instance_test`] | instances: culling, transform, embedded boxes |
//! | [`dual_box`], [`dual_triangle`] | the same for the format `gfx12-bvh4x2` |
//!
//! Results are registers, bit for bit. Accepting a hit is the business of the loop around them.

pub mod box_test;
pub mod bvh8;
pub mod dual;
pub mod dual_box;
pub mod dual_triangle;
pub mod instance_test;
pub mod memory;
pub mod primitive_test;

pub use bvh4::unit::{slab, sort, triangle};

pub use bvh8::{Bvh8Operands, image_bvh8_intersect_ray};
pub use dual::{DualOperands, image_bvh_dual_intersect_ray};
pub use memory::Memory;
pub use triangle::TriangleArithmetic;

use geometry::Vec3;
use std::fmt;

/// The ray operands: VADDR1, VADDR2 and VADDR3.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RayRegisters {
    /// Origin.
    pub origin: Vec3,
    /// Direction, of any length.
    pub direction: Vec3,
    /// Largest parameter that boxes are tested against; triangles are not. NaN acts as infinity
    /// (G-9).
    pub extent: f32,
    /// Instance mask.
    pub mask: u8,
}

/// What an instruction writes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Answer {
    /// VGPR0..=9 of the destination.
    pub vdst: [u32; 10],
    /// The origin registers: changed only by an instance that was not culled.
    pub origin: Vec3,
    /// The direction registers: changed only by an instance that was not culled.
    pub direction: Vec3,
    /// Something in the operands that makes the answer useless.
    pub warning: Option<Warning>,
}

/// Operands that hardware accepts but that cannot be meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Warning {
    /// `image_bvh8_intersect_ray` with T# bit 52 clear: no answer for any node (G-4).
    SortTrianglesFirstClear,
    /// `image_bvh8_intersect_ray` on a box with T# bit 115 clear: every child misses (G-4).
    CompressedFormatClear,
    /// `image_bvh_dual_intersect_ray` with T# bit 115 set: compressed nodes have no answer (G-20).
    CompressedFormatSet,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SortTrianglesFirstClear => {
                "T# bit 52 (sort_triangles_first) is 0: image_bvh8_intersect_ray answers no node"
            }
            Self::CompressedFormatClear => {
                "T# bit 115 (compressed_format_en) is 0: every child of an 8-wide box misses"
            }
            Self::CompressedFormatSet => {
                "T# bit 115 (compressed_format_en) is 1: image_bvh_dual_intersect_ray answers no \
                 node"
            }
        })
    }
}

pub(crate) use bvh4::unit::{INFINITY_BITS, NOTHING, ONE_BITS, SIGN_BIT};
/// What undefined result registers hold, as in GPURT's emulation.
pub(crate) const UNDEFINED: u32 = 0xDEAD_BEEF;

impl RayRegisters {
    /// The answer that leaves the ray alone.
    fn unchanged(&self, vdst: [u32; 10]) -> Answer {
        Answer { vdst, origin: self.origin, direction: self.direction, warning: None }
    }
}
