//! Why a tree cannot be laid out.

use build::BuildError;
use tree::primitives::Primitive;
use tree::{Primitives, UnsoundTree};

/// What a format cannot hold, and where it is. The TLAS counts as the level behind the last BLAS.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum EncodeError {
    /// A vertex, or a plane of a procedural box, is NaN or infinite.
    #[error("level {level}, primitive {primitive} is not finite")]
    NotFinite {
        /// The BLAS.
        level: usize,
        /// Position in the list of primitives.
        primitive: usize,
    },
    /// A plane of a 4-wide box is infinite, or becomes so when the margin is
    /// added.
    #[error("level {level}, box node {node}, slot {slot}: a plane is not finite")]
    InfinitePlane {
        /// The level.
        level: usize,
        /// The box node, counted from the root.
        node: usize,
        /// The child.
        slot: usize,
    },
    /// An id is too large.
    #[error("level {level}, primitive {primitive}: {which} id {found}, expected below {limit}")]
    Id {
        /// The BLAS.
        level: usize,
        /// Position in the list of primitives.
        primitive: usize,
        /// "primitive" or "geometry".
        which: &'static str,
        /// The id.
        found: u32,
        /// What the format can hold.
        limit: u32,
    },
    /// The structure is larger than its 32-bit offsets reach.
    #[error("level {level} needs {bytes} bytes, expected at most {limit}")]
    TooLarge {
        /// The level.
        level: usize,
        /// Bytes needed.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The image would not fit 48-bit addresses.
    #[error("the image ends at address {end:#x}, expected at most {limit:#x}")]
    Addresses {
        /// Where the image would end.
        end: u64,
        /// Largest address.
        limit: u64,
    },
    /// Regrouped leaves do not form a hierarchy; their number exceeds 32 bits.
    #[error("level {level}: {source}")]
    Regrouped {
        /// The level.
        level: usize,
        /// What is wrong.
        source: BuildError,
    },
    /// The levels do not fit together.
    #[error(transparent)]
    Unsound(#[from] UnsoundTree),
}

/// Whether a primitive can be stored. Empty boxes cannot be hit and are left out.
#[must_use]
pub fn is_finite(primitives: &Primitives, primitive: usize) -> bool {
    match primitives.get(primitive) {
        Primitive::Triangle(triangle) => triangle.vertices.iter().all(|v| v.is_finite()),
        Primitive::Box(bounds) => bounds.is_finite() || bounds.is_empty(),
    }
}

impl EncodeError {
    /// The error for leaves of a level that do not form a hierarchy.
    pub fn regrouped<E: Into<BuildError>>(level: usize) -> impl Fn(E) -> Self {
        move |source| Self::Regrouped { level, source: source.into() }
    }
}
