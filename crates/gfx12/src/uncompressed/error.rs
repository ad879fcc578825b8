//! Why a tree cannot be laid out.

use super::{GEOMETRY_LIMIT, NODE_AREA_LIMIT};
use geometry::SingularTransform;

/// What the format cannot hold, and where it is. The top level counts as the level behind the last
/// bottom level.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum EncodeError {
    /// A vertex, or a plane of a procedural box, is NaN or infinite.
    #[error("level {level}, primitive {primitive} is not finite")]
    NotFinite {
        /// The bottom level.
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
        "level {level}, primitive {primitive}: geometry id {geometry}, expected below {GEOMETRY_LIMIT}"
    )]
    Geometry {
        /// The bottom level.
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
    /// A placement names a bottom level that does not exist.
    #[error("placement {placement} places bottom level {bottom} of {bottoms}")]
    MissingBottom {
        /// The placement.
        placement: usize,
        /// What it names.
        bottom: u32,
        /// How many there are.
        bottoms: usize,
    },
    /// A placement has no inverse.
    #[error("placement {placement}: {source}")]
    Singular {
        /// The placement.
        placement: usize,
        /// Why.
        source: SingularTransform,
    },
    /// A tree without a top level has one bottom level.
    #[error("{bottoms} bottom levels without a top level, expected 1")]
    BottomCount {
        /// How many there are.
        bottoms: usize,
    },
}
