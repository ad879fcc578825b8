//! Where the parts of a structure lie in memory.
//!
//! ```text
//! GPURT [ header 128 ][ boxes ][ leaves ][ geometry infos or sidebands ][ node pointers ]
//! RADV  [ header 136 ][ geometry infos ][ places of leaves ][ root ][ boxes ][ leaves ]
//! HIPRT [ header 64 ][ boxes ][ leaves ][ instances ][ frames ]
//! ```
//!
//! RADV fills in triangles when all boxes have their places. Where leaves are no triangles, their
//! number is known before, and they lie between the root and the other boxes.

use super::error::EncodeError;
use super::tables::{GEOMETRY_INFO_BYTES, METADATA_BYTES};
use crate::layout::{BOX_TYPE, HiprtHeader, NODE_BYTES, NodePointer, RadvHeader};

/// Largest offset that a header can hold.
const SIZE_LIMIT: u64 = u32::MAX as u64;
/// Nodes of drivers' memory lie at multiples of this.
const NODE_ALIGNMENT: u64 = 64;

/// The parts of a structure, in bytes from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sections {
    /// What box pointers count from.
    pub(crate) base: u64,
    /// What other pointers count from.
    pub(crate) primitive_base: u64,
    /// The root.
    pub(crate) root: u64,
    /// The boxes behind the root.
    pub(crate) boxes: u64,
    /// First leaf node.
    pub(crate) leaves: u64,
    /// Where the nodes end.
    pub(crate) nodes_end: u64,
    /// Geometry infos, sidebands, or HIPRT's instances.
    pub(crate) records: u64,
    /// Node pointers, places of leaves, or HIPRT's frames.
    pub(crate) pointers: u64,
    /// The end.
    pub(crate) end: u64,
}

/// How many nodes a structure has, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NodeCounts {
    /// Box nodes, the root among them.
    pub(crate) boxes: usize,
    /// Leaf nodes, in units of 128 bytes.
    pub(crate) leaves: usize,
}

impl Sections {
    /// The sections of GPURT's with so many nodes, record bytes and pointers.
    pub(crate) fn gpurt(
        level: usize,
        counts: NodeCounts,
        record_bytes: u64,
        pointers: usize,
    ) -> Result<Self, EncodeError> {
        let leaves = NODE_BYTES * (1 + counts.boxes as u64);
        let records = leaves + NODE_BYTES * counts.leaves as u64;
        let pointer_offset = records + record_bytes;
        let sections = Self {
            base: 0,
            primitive_base: 0,
            root: NODE_BYTES,
            boxes: 2 * NODE_BYTES,
            leaves,
            nodes_end: records,
            records,
            pointers: pointer_offset,
            end: pointer_offset + 4 * pointers as u64,
        };
        sections.fitting(level, u64::from(METADATA_BYTES))
    }

    /// The sections of RADV's with so many nodes, geometries and listed places of leaves.
    pub(crate) fn radv(
        level: usize,
        counts: NodeCounts,
        geometries: usize,
        places: usize,
        leaves_first: bool,
    ) -> Result<Self, EncodeError> {
        let records = RadvHeader::BYTES;
        let pointers = records + GEOMETRY_INFO_BYTES * geometries as u64;
        let base = (pointers + 4 * places as u64).next_multiple_of(NODE_ALIGNMENT);
        let behind_root = base + NODE_BYTES;
        let box_bytes = NODE_BYTES * (counts.boxes as u64 - 1);
        let leaf_bytes = NODE_BYTES * counts.leaves as u64;
        let end = behind_root + box_bytes + leaf_bytes;
        let (boxes, leaves) = match leaves_first {
            true => (behind_root + leaf_bytes, behind_root),
            false => (behind_root, behind_root + box_bytes),
        };
        let sections = Self {
            base,
            primitive_base: base,
            root: base,
            boxes,
            leaves,
            nodes_end: end,
            records,
            pointers,
            end,
        };
        sections.fitting(level, 0)
    }

    /// The sections of HIPRT's with so many nodes and instances.
    pub(crate) fn hiprt(
        level: usize,
        counts: NodeCounts,
        instances: usize,
    ) -> Result<Self, EncodeError> {
        let root = HiprtHeader::BYTES;
        let leaves = root + NODE_BYTES * counts.boxes as u64;
        let records = leaves + NODE_BYTES * counts.leaves as u64;
        let pointers = (records + 16 * instances as u64).next_multiple_of(NODE_ALIGNMENT);
        let sections = Self {
            base: root,
            primitive_base: leaves,
            root,
            boxes: root + NODE_BYTES,
            leaves,
            nodes_end: records,
            records,
            pointers,
            end: pointers + 64 * instances as u64,
        };
        sections.fitting(level, 0)
    }

    fn fitting(self, level: usize, before: u64) -> Result<Self, EncodeError> {
        let bytes = self.end + before;
        if bytes > SIZE_LIMIT {
            return Err(bvh4::EncodeError::TooLarge { level, bytes, limit: SIZE_LIMIT }.into());
        }
        Ok(self)
    }

    /// Where the box of a number lies.
    pub(crate) fn box_offset(&self, number: usize) -> u64 {
        match number {
            0 => self.root,
            _ => self.boxes + NODE_BYTES * (number as u64 - 1),
        }
    }

    /// Its pointer.
    pub(crate) fn box_pointer(&self, number: u32) -> NodePointer {
        let units = (self.box_offset(number as usize) - self.base) >> 3;
        NodePointer(units as u32 | u32::from(BOX_TYPE))
    }

    /// Pointer units of the leaf node of a number.
    pub(crate) fn leaf_units(&self, number: u64) -> u32 {
        ((self.leaves + NODE_BYTES * number - self.primitive_base) >> 3) as u32
    }
}
