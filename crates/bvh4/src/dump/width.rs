//! Whether the nodes of RADV's memory have four children (RDNA2, RDNA3) or eight (RDNA4).
//!
//! The header does not say it, but three places differ:
//!
//! | place | four children | eight children |
//! |---|---|---|
//! | dword 3 of the root | a child: a pointer into the structure, or none | x of the origin |
//! | the dword before the root | its parent, 0xffffffff | padding, or an offset |
//! | between header and root | a dword for each 64 bytes of nodes | tables that are shorter |
//!
//! Two of them decide, so that a broken one misleads nobody.

use crate::layout::pointer::{NODE_BYTES, UNIT_BYTES};
use crate::layout::{Bvh4Kind, Bvh4Pointer, RadvHeader};
use crate::rra::fault::u32_at;

/// How many children nodes have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// Nodes of RDNA2 and RDNA3.
    Four,
    /// Nodes of RDNA4.
    Eight,
}

impl Width {
    /// That of a structure from its header on.
    #[must_use]
    pub fn of_structure(memory: &[u8], header: &RadvHeader) -> Self {
        let root = header.bvh_offset as usize;
        let nodes = memory.get(root..).unwrap_or(&[]);
        let parent = root.checked_sub(4).map(|at| u32_at(memory, at));
        let node_bytes = header.compacted_size.saturating_sub(root as u64);
        let table = 4 * node_bytes.div_ceil(UNIT_BYTES);
        let room = u64::from(header.bvh_offset).saturating_sub(RadvHeader::BYTES);
        let signs = [
            Self::of_nodes(nodes) == Self::Four,
            parent == Some(Bvh4Pointer::INVALID.0),
            table <= room,
        ];
        let is_four = signs.into_iter().filter(|sign| *sign).count() >= 2;
        if is_four { Self::Four } else { Self::Eight }
    }

    /// That of nodes alone, from the root on, as far as the root shows it.
    #[must_use]
    pub fn of_nodes(nodes: &[u8]) -> Self {
        let child = Bvh4Pointer(u32_at(nodes, 12));
        let offset = child.byte_offset();
        let leads_on = child.kind() != Bvh4Kind::OldTriangle
            && offset >= NODE_BYTES
            && offset + child.node_bytes() as u64 <= nodes.len() as u64;
        let is_whole = nodes.len() as u64 >= NODE_BYTES;
        let is_four = is_whole && (child == Bvh4Pointer::INVALID || leads_on);
        if is_four { Self::Four } else { Self::Eight }
    }
}
