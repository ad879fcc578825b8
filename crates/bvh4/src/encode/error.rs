//! Why a tree cannot be laid out.

use build::BuildError;
use geometry::SingularTransform;
use tree::primitives::Primitive;
use tree::{Primitives, Tlas};

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

/// Whether a primitive can be stored. Empty boxes cannot be hit and are left out.
#[must_use]
pub fn is_finite(primitives: &Primitives, primitive: usize) -> bool {
    match primitives.get(primitive) {
        Primitive::Triangle(triangle) => triangle.vertices.iter().all(|v| v.is_finite()),
        Primitive::Box(bounds) => bounds.is_finite() || bounds.is_empty(),
    }
}

/// Whether all instances can be stored above so many BLASes.
///
/// # Errors
/// The first that cannot.
pub fn check_instances(tlas: &Tlas, blases: usize) -> Result<(), EncodeError> {
    for (instance, given) in tlas.instances.iter().enumerate() {
        if given.blas as usize >= blases {
            return Err(EncodeError::MissingBlas { instance, blas: given.blas, blases });
        }
        if let Err(source) = given.world_to_object.inverse() {
            return Err(EncodeError::Singular { instance, source });
        }
    }
    Ok(())
}

impl EncodeError {
    /// The error for leaves of a level that do not form a hierarchy.
    pub fn regrouped<E: Into<BuildError>>(level: usize) -> impl Fn(E) -> Self {
        move |source| Self::Regrouped { level, source: source.into() }
    }
}
