//! Why a tree cannot be laid out.

use super::{GEOMETRY_LIMIT, NODE_AREA_LIMIT};
use geometry::SingularTransform;

/// What the format cannot hold, and where it is. The TLAS counts as the level behind the last
/// BLAS.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum EncodeError {
    /// A vertex, or a plane of a procedural box, is NaN or infinite.
    #[error("level {level}, primitive {primitive} is not finite")]
    NotFinite {
        /// The BLAS.
        level: usize,
        /// Position in the list of primitives.
        primitive: u32,
    },
    /// A plane is infinite, or becomes so when the margin is added.
    #[error("level {level}, box node {node}, slot {slot}: a plane is not finite")]
    InfinitePlane {
        /// The level.
        level: usize,
        /// The box node, counted from the root.
        node: usize,
        /// The child.
        slot: usize,
    },
    /// A geometry id is too large.
    #[error(
        "level {level}, primitive {primitive}: geometry id {geometry}, expected below \
         {GEOMETRY_LIMIT}"
    )]
    Geometry {
        /// The BLAS.
        level: usize,
        /// Position in the list of primitives.
        primitive: u32,
        /// Its geometry id.
        geometry: u32,
    },
    /// The nodes of a level are more than offsets of 32 bits reach.
    #[error("level {level} needs {bytes} bytes of nodes, expected at most {NODE_AREA_LIMIT}")]
    NodeArea {
        /// The level.
        level: usize,
        /// Bytes of nodes.
        bytes: u64,
    },
    /// The image would not fit 48-bit addresses.
    #[error("the image ends at address {end:#x}, expected at most 0x1000000000000")]
    Addresses {
        /// Where the image would end.
        end: u64,
    },
    /// An instance names a BLAS that does not exist.
    #[error("instance {instance} names BLAS {blas} of {blases}")]
    MissingBlas {
        /// The instance.
        instance: usize,
        /// What it names.
        blas: u32,
        /// How many there are.
        blases: usize,
    },
    /// An instance has no inverse.
    #[error("instance {instance}: {source}")]
    Singular {
        /// The instance.
        instance: usize,
        /// Why.
        source: SingularTransform,
    },
    /// A tree without a TLAS has one BLAS.
    #[error("{blases} BLASes without a TLAS, expected 1")]
    BlasCount {
        /// How many there are.
        blases: usize,
    },
}
