//! Structures of the compressed format, as chunks of files.

use super::RebaseError;
use crate::layout::{
    GpurtHeader, GpurtSideband, HalfNodeBits, InstanceNode, NODE_BYTES, NodeBits, RTIP_3_1,
};
use bvh4::rra::header_rules::{Excluded, Inactive};
use bvh4::rra::structure::METADATA_BYTES;
use bvh4::rra::{RraError, Structure, container::Chunk};
use machine::Segment;

const SIDEBAND_BYTES: usize = 64;

/// Why a segment is no structure for a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// There is no header in front of the nodes.
    #[error(
        "the segment at address {address:#x} has no GPURT header (a ray-tracing IP level of \
         {found}, expected 6)"
    )]
    NoHeader {
        /// The segment's address.
        address: u64,
        /// What stands where the level belongs.
        found: u32,
    },
    /// Metadata precedes a structure, and there is no room for it.
    #[error(
        "the segment at address {address:#x} needs {METADATA_BYTES} addresses for metadata before \
         it"
    )]
    NoRoom {
        /// The segment's address.
        address: u64,
    },
    /// Pointers of RADV's memory that lead nowhere or back.
    #[error("the nodes of the structure at address {address:#x} are no tree")]
    NotATree {
        /// Where it starts.
        address: u64,
    },
    /// HIPRT's memory that cannot stand behind a header.
    #[error("HIPRT's memory has no .rra form ({0}): write it under another ending")]
    Hiprt(RebaseError),
    /// A header that the viewer refuses.
    #[error("the header of the segment at address {address:#x} would be refused: {finding}")]
    Refused {
        /// The segment's address.
        address: u64,
        /// The rule that it breaks.
        finding: String,
    },
}

/// Which instances the viewer leaves out.
pub(super) const INACTIVE: Inactive = inactive;

/// Takes a chunk apart; it is structure `number` of its file.
///
/// # Errors
/// When the chunk does not hold a structure of the compressed format.
pub fn parse(chunk: &Chunk<'_>, number: usize) -> Result<Structure, RraError> {
    Structure::parse(chunk, number, &[RTIP_3_1], "6 (RTIP 3.1, GFX12)")
}

/// The structure in a segment that starts with a GPURT header.
///
/// # Errors
/// When there is no such header, or one that the viewer refuses.
pub fn of_segment(segment: &Segment) -> Result<Structure, WriteError> {
    let address = segment.address;
    let header = GpurtHeader::decode(&NodeBits::from_bytes(segment.bytes()));
    if header.rt_ip_level != RTIP_3_1 {
        return Err(WriteError::NoHeader { address, found: header.rt_ip_level });
    }
    let start = address.checked_sub(u64::from(METADATA_BYTES));
    let start = start.ok_or(WriteError::NoRoom { address })?;
    let mut metadata = vec![0; METADATA_BYTES as usize];
    metadata[..8].copy_from_slice(&start.to_le_bytes());
    metadata[8..12].copy_from_slice(&header.total_size.to_le_bytes());
    Structure::new(segment.clone(), metadata, INACTIVE)
        .map_err(|finding| WriteError::Refused { address, finding: finding.to_string() })
}

/// A node says whether rays see an instance, its sideband whether tools do.
fn inactive(structure: &Structure) -> Vec<Excluded> {
    let (header, bytes) = (structure.header(), structure.segment.bytes());
    let (leaf, sidebands) =
        (header.leaf_node_offset as usize, header.geometry_info_offset as usize);
    let pointers = header.primitive_pointer_offset as usize;
    let parts = bytes.get(leaf..sidebands).zip(bytes.get(sidebands..pointers));
    let Some((nodes, records)) = parts else { return Vec::new() };
    let pairs = nodes
        .chunks_exact(NODE_BYTES as usize)
        .zip(records.chunks_exact(SIDEBAND_BYTES))
        .take(header.active_primitive_count as usize);
    let excluded = pairs.enumerate().filter_map(|(number, (node, record))| {
        let node = InstanceNode::decode(&NodeBits::from_bytes(node));
        let record = GpurtSideband::decode(&HalfNodeBits::from_bytes(record));
        let why = if node.mask == 0 {
            "a mask of 0"
        } else if node.child_base.address() == 0 {
            "no child"
        } else if record.blas_metadata_size == 0 {
            "a metadata size of 0 in its sideband"
        } else {
            return None;
        };
        let start = (leaf + number * NODE_BYTES as usize) as u64;
        Some(Excluded { number, bytes: start..start + NODE_BYTES, why })
    });
    excluded.collect()
}
