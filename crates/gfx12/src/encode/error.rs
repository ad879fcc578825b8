//! Why a tree cannot be laid out.

use crate::layout::PackError;
use crate::quantize::QuantizeError;
use geometry::SingularTransform;

/// What the format cannot hold, and where it is.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum EncodeError {
    /// Boxes cannot be quantised (G-19).
    #[error("level {level}, node {node}: {source}")]
    Boxes {
        /// The BLAS, or the number of BLASes for the TLAS.
        level: usize,
        /// The box node, counted from the root.
        node: usize,
        /// What is wrong with them.
        source: QuantizeError,
    },
    /// A vertex, or a plane of a procedural box, is NaN or infinite.
    #[error("level {level}, primitive {primitive} is not finite")]
    NotFinite {
        /// The BLAS.
        level: usize,
        /// Position in the list of primitives.
        primitive: usize,
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
    /// The tables that are indexed by ids would be far larger than what they describe.
    #[error(
        "level {level}: ids reach so far that their tables need {entries} entries for {primitives} \
         primitives, expected at most {limit}"
    )]
    SparseIds {
        /// The BLAS.
        level: usize,
        /// Entries needed.
        entries: u64,
        /// Primitives there are.
        primitives: usize,
        /// Entries allowed.
        limit: u64,
    },
    /// The structure is larger than its 32-bit offsets reach.
    #[error("level {level} needs {bytes} bytes, expected at most {limit}")]
    TooLarge {
        /// The BLAS, or the number of BLASes for the TLAS.
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
    /// A primitive node did not read back as written.
    #[error("level {level}, primitive node {node}: {source}")]
    Pack {
        /// The BLAS.
        level: usize,
        /// The node, counted from the first.
        node: usize,
        /// What differs.
        source: PackError,
    },
    /// Regrouped leaves do not form a hierarchy; their number exceeds 32 bits.
    #[error("level {level}: {source}")]
    Regrouped {
        /// The level.
        level: usize,
        /// What is wrong.
        source: tree::BvhError,
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
