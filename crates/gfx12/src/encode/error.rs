//! Why a tree cannot be laid out.

use super::Policy;
use crate::layout::PackError;
use crate::quantize::QuantizeError;

/// What a format cannot hold, and where it is. The TLAS counts as the level behind the last BLAS.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum EncodeError {
    /// What no format of this hardware can hold.
    #[error(transparent)]
    Tree(#[from] bvh4::EncodeError),
    /// Boxes cannot be quantised (G-19).
    #[error("level {level}, node {node}: {source}")]
    Boxes {
        /// The level.
        level: usize,
        /// The box node, counted from the root.
        node: usize,
        /// What is wrong with them.
        source: QuantizeError,
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
    /// Instances of this policy name the roots of their structures.
    #[error("instances of the policy {policy} name roots only: rebraid goes with dense and gpurt")]
    Rebraid {
        /// The policy.
        policy: Policy,
    },
    /// HIPRT does not store the boxes of custom primitives.
    #[error("level {level}: procedural boxes, of which the policy hiprt stores none")]
    Procedurals {
        /// The BLAS.
        level: usize,
    },
}
