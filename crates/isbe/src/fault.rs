//! What goes wrong when ISBE memory is accessed, and what is only odd.

use crate::generation::Sm;
use crate::memory::{Region, Size, View};

/// An access that the model refuses (section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A 32-bit or 16-bit ATTR access at an odd place, or a vector attribute at a scalar id (I-8).
    #[error("misaligned: found address {address:#x}, expected a multiple of {alignment}")]
    Misaligned {
        /// The address or id.
        address: u32,
        /// What it should be a multiple of.
        alignment: u32,
    },
    /// An address beyond the region.
    #[error(
        "out_of_range: found bytes {first:#x}..{end:#x} of {region}, expected an end of at most \
         {size:#x}",
        end = *first as u64 + *bytes as u64
    )]
    OutOfRange {
        /// The region.
        region: Region,
        /// The first byte.
        first: u32,
        /// How many bytes.
        bytes: u32,
        /// The size of the region.
        size: u32,
    },
    /// A downward access of the output MAP that would begin below byte 0.
    #[error(
        "map_underflow: found a {size} access at output MAP address {address:#x}, expected an \
         address of at least {:#x}",
        size.bytes() - 1
    )]
    MapUnderflow {
        /// The address, which is that of the last byte.
        address: u32,
        /// How much is accessed.
        size: Size,
    },
    /// A store to a region that cannot be stored to.
    #[error("illegal_access: found ISBEWR to {region}, expected MAP or ATTR")]
    IllegalAccess {
        /// The region.
        region: Region,
    },
    /// An instruction or a field that this SM does not have.
    #[error("illegal_generation: found {what} on SM{found}, expected {needs}")]
    IllegalGeneration {
        /// The instruction or the field.
        what: &'static str,
        /// The SM.
        found: Sm,
        /// Where it exists.
        needs: &'static str,
    },
    /// A line written in one view and read in the other, where that is trapped (I-6).
    #[error(
        "mixed_views: found a {read} read of the line at {line:#x}, expected {written}, as it was \
         written"
    )]
    MixedViews {
        /// The first byte of the line.
        line: u32,
        /// The view of the last write.
        written: View,
        /// The view of the read.
        read: View,
    },
}

impl Fault {
    /// The stable name of the broken rule.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self {
            Self::Misaligned { .. } => "misaligned",
            Self::OutOfRange { .. } => "out_of_range",
            Self::MapUnderflow { .. } => "map_underflow",
            Self::IllegalAccess { .. } => "illegal_access",
            Self::IllegalGeneration { .. } => "illegal_generation",
            Self::MixedViews { .. } => "mixed_views",
        }
    }
}

/// Something without a known meaning that the model lets pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Warning {
    /// SKEW on a MAP access is ignored (I-9).
    #[error("SKEW on a MAP access has no known meaning and is ignored")]
    SkewOnMap,
    /// A load of an attribute that the header does not name gives 0 (I-13).
    #[error("attribute {id:#05x} is not in the header's map: it reads 0")]
    MissingLoad {
        /// The id.
        id: u32,
    },
    /// A store of an attribute that the header does not name is dropped (I-13).
    #[error("attribute {id:#05x} is not in the header's map: the store is dropped")]
    MissingStore {
        /// The id.
        id: u32,
    },
}
