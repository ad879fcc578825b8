//! Triangle node (types 0 and 1): one triangle, two that share an edge, or a procedural; 64 bytes.
//!
//! | type | vertices in test order |
//! |---|---|
//! | 0 | v0, v1, v2 |
//! | 1 | v1, v3, v2 |
//!
//! A procedural (type 0) keeps min x, y, z, max x, y, z in dwords 0..=5, for software. Sources:
//! GPURT, captured vectors. Older parts order dwords 12..=14 differently.
//!
//! ```
//! use gfx12::layout::{HalfNodeBits, bvh4x2::TriangleNode};
//! let mut words = [0; 16];
//! (words[3], words[9], words[12], words[15]) = (0x3F80_0000, 0x4000_0000, 7, 0x8908);
//! let node = TriangleNode::decode(&HalfNodeBits::from_words(words));
//! assert_eq!(node.triangle(1).vertices.map(|v| v.x), [1.0, 2.0, 0.0]);
//! let info = node.info(1);
//! assert_eq!((info.i_source, info.j_source, info.opaque), (1, 2, true));
//! assert_eq!(node.info(0).i_source, 0);
//! assert_eq!(node.encode().words(), &words);
//! ```

use bvh4::layout::triangle_info::corners;
pub use bvh4::layout::triangle_info::{IdWord, TriangleInfo};
use geometry::{Aabb, Triangle, Vec3};
use machine::fields::Show;

machine::fields! {
    /// A triangle node, every bit of it.
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[source = "GPURT, captured vectors"]
    pub struct TriangleNode: 16 words {
        /// v0..=v3.
        pub vertices: [Vec3; 4] = 0..384;
        /// Primitive ids of triangles 0 and 1.
        pub primitive_ids: [u32; 2] = 384..448;
        /// Geometry id of both.
        pub geometry_id: u32 = 448..480;
        /// A byte for each triangle, then two that nothing reads.
        pub id_word: u32 = 480..512, Show::Flat;
    }
}

impl TriangleNode {
    /// Bytes of a node.
    pub const BYTES: u64 = 64;
    /// Bits of ids and flags: all behind the vertices.
    pub const ID_BITS: u64 = 512 - 384;

    /// The procedural node of a box.
    #[must_use]
    pub fn procedural(bounds: &Aabb, primitive_id: u32, geometry_id: u32, opaque: bool) -> Self {
        Self {
            vertices: [bounds.min, bounds.max, Vec3::ZERO, Vec3::ZERO],
            primitive_ids: [primitive_id, 0],
            geometry_id,
            id_word: if opaque { 0xC9 } else { 0x49 },
        }
    }

    /// The box that a procedural node keeps.
    #[must_use]
    pub fn procedural_box(&self) -> Aabb {
        Aabb::new(self.vertices[0], self.vertices[1])
    }

    /// The corners of triangle 0 or 1, in test order.
    #[must_use]
    pub fn triangle(&self, which: usize) -> Triangle {
        corners(&self.vertices, which)
    }

    /// What the id word says about triangle 0 or 1.
    #[must_use]
    pub fn info(&self, which: usize) -> TriangleInfo {
        TriangleInfo::from_byte(self.id_word.to_le_bytes()[which & 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_procedural_keeps_its_box() {
        let bounds = Aabb::new(Vec3::new(-1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.5));
        let node = TriangleNode::procedural(&bounds, 5, 6, true);
        assert_eq!(node.procedural_box(), bounds);
        assert!(node.info(0).procedural && node.info(0).opaque);
        assert_eq!(node.encode().word(4), 5f32.to_bits());
    }
}
