//! The records of an image of two levels.
//!
//! In such an image node 0 is the root of a TLAS. Its leaves name instances, as other leaves name
//! TriRanges: by an index in units of 16 bytes from node 0. The records of instances follow the
//! nodes of the TLAS, eight units each, and the table of BLASes follows them. A BLAS is a tree of
//! tiles with a base of its own: its nodes, then its TriRanges, which count triangles from the
//! image's one buffer.

use geometry::{InstanceFlags, Transform};
use machine::fields::{Show, hex};
use tree::Instance;

/// Bytes of an instance's record.
pub const INSTANCE_BYTES: usize = 128;
/// Bytes of a BLAS's record.
pub const BLAS_BYTES: usize = 32;
/// The row that makes a map a matrix of four rows.
pub const LAST_ROW: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

machine::fields! {
    /// An instance. Its first 64 bytes are the matrix that `mtx.ld` loads by rows.
    #[derive(Debug, Clone, Copy, PartialEq)]
    #[source = "siliray's own (X-65)"]
    pub struct InstanceRecord: 32 words {
        /// Takes world-space rays to object space.
        pub world_to_object: Transform = 0..384;
        /// The last row of that matrix: 0, 0, 0, 1.
        pub last_row: [f32; 4] = 384..512;
        /// From object space to world space, as the scene gave it.
        pub object_to_world: Transform = 512..896;
        /// Number of its BLAS.
        pub blas: u32 = 896..928;
        /// A number of the user's.
        pub custom_index: u32 = 928..960;
        /// Address of the BLAS's node 0.
        pub base: u64 = 960..1024, Show::Each(hex);
    }
}

machine::fields! {
    /// A BLAS.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    #[source = "siliray's own (X-65)"]
    pub struct BlasRecord: 8 words {
        /// Address of its node 0.
        pub base: u64 = 0..64, Show::Each(hex);
        /// Number of nodes.
        pub nodes: u32 = 64..96;
        /// Number of TriRanges.
        pub ranges: u32 = 96..128;
        /// Number of its first triangle.
        pub first_triangle: u32 = 128..160;
        /// Number of triangles.
        pub triangles: u32 = 160..192;
    }
}

impl InstanceRecord {
    /// The record of an instance whose BLAS lies at `base`.
    #[must_use]
    pub fn new(instance: &Instance, base: u64) -> Self {
        let Instance { world_to_object, object_to_world, blas, custom_index, .. } = *instance;
        let last_row = LAST_ROW;
        Self { world_to_object, last_row, object_to_world, blas, custom_index, base }
    }

    /// The instance: seen by every ray, with no flag, since the format has neither.
    #[must_use]
    pub fn instance(&self) -> Instance {
        Instance {
            blas: self.blas,
            world_to_object: self.world_to_object,
            object_to_world: self.object_to_world,
            mask: 0xFF,
            custom_index: self.custom_index,
            sbt_offset: 0,
            flags: InstanceFlags::empty(),
        }
    }

    /// The elements of the matrix, row by row.
    #[must_use]
    pub fn matrix(&self) -> [u32; 16] {
        let [x, y, z] = self.world_to_object.rows;
        std::array::from_fn(|k| [x, y, z, self.last_row][k / 4][k % 4].to_bits())
    }
}
