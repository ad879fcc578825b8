//! Node pointer of the compressed format: where a node lies below a base, and what it is.
//!
//! | bits | field |
//! |---|---|
//! | 0..4 | node type |
//! | 4..32 | byte offset from the BVH base divided by 128 |
//!
//! | type | node |
//! |---|---|
//! | 0..=3 | primitive node, starting at pair 0..=3 |
//! | 5 | box node |
//! | 6 | instance node |
//! | 8..=11 | primitive node, starting at pair 4..=7 |
//! | 4, 7, 12..=15 | unused |
//!
//! Since nodes are 128 bytes apart, a pointer is also `byte_offset >> 3 | type`: one pointer unit
//! is 8 bytes, one node is 0x10. Read by the instruction, by the stack and by every driver.
//! Sources: GPURT, Mesa, captured vectors.
//!
//! ```
//! use gfx12::layout::{NodeKind, NodePointer};
//! let root = NodePointer(0x15);
//! assert_eq!((root.byte_offset(), root.kind()), (128, NodeKind::Box));
//! let range = NodePointer(0x3A);
//! assert_eq!((range.byte_offset(), range.kind()), (0x180, NodeKind::Primitive { pair: 6 }));
//! assert_eq!(range.advance(true), NodePointer(0x40));
//! ```

use std::fmt;

/// A 32-bit node pointer. Any value is one; [`NodePointer::is_special`] tells those without a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodePointer(pub u32);

/// What a pointer's type says about the node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum NodeKind {
    /// A primitive node, entered at a pair (0..=7).
    Primitive {
        /// First pair of the range.
        pair: u8,
    },
    /// A box node.
    Box,
    /// An instance node.
    Instance,
    /// A type that the compressed format does not use.
    Unused,
}

/// Node type of a box.
pub const BOX_TYPE: u8 = 5;
/// Node type of an instance.
pub const INSTANCE_TYPE: u8 = 6;
/// Bytes of a node, and the distance between two.
pub const NODE_BYTES: u64 = 128;

impl NodePointer {
    /// No child; a miss. As a result of the stack: entries were lost, walk back.
    pub const INVALID: Self = Self(0xFFFF_FFFF);
    /// Result of the stack: empty and nothing lost, the traversal is done.
    pub const TERMINAL: Self = Self(0xFFFF_FFFE);
    /// Stack data: ignore data 0..=3.
    pub const SKIP_0_3: Self = Self(0xFFFF_FFFD);
    /// Stack data: ignore the rest of data 4..=7.
    pub const SKIP_4_7: Self = Self(0xFFFF_FFFB);
    /// Stack data: ignore everything below.
    pub const SKIP_0_7: Self = Self(0xFFFF_FFF9);
    /// The root box where the base is the first node (RADV, HIPRT).
    pub const ROOT: Self = Self(0x05);
    /// The root box behind GPURT's 128-byte header.
    pub const ROOT_BEHIND_HEADER: Self = Self(0x15);

    /// The pointer to a node of a 4-bit type at a byte offset: `None` if the offset is not a
    /// multiple of 128 or lies beyond the reach of a pointer, or the type has more than 4 bits.
    #[must_use]
    pub fn new(byte_offset: u64, node_type: u8) -> Option<Self> {
        let units = u32::try_from(byte_offset >> 3).ok()?;
        (byte_offset.is_multiple_of(NODE_BYTES) && node_type < 16)
            .then_some(Self(units | u32::from(node_type)))
    }

    /// The last operand of the stack that moves a primitive range on (`nav` 0, 1 or 3).
    #[must_use]
    pub const fn range_update(nav: u32) -> Self {
        Self(0xFFFF_FFF8 | nav & 3)
    }

    /// Bytes from the BVH base to the node.
    #[must_use]
    pub const fn byte_offset(self) -> u64 {
        ((self.0 & !0xF) as u64) << 3
    }

    /// The four type bits.
    #[must_use]
    pub const fn node_type(self) -> u8 {
        (self.0 & 0xF) as u8
    }

    /// What the type bits mean.
    #[must_use]
    pub const fn kind(self) -> NodeKind {
        NodeKind::of_type(self.node_type())
    }

    /// The name of what it leads to.
    #[must_use]
    pub const fn kind_name(self) -> &'static str {
        match self.kind() {
            NodeKind::Box => "box",
            NodeKind::Instance => "instance",
            NodeKind::Primitive { .. } => "primitive",
            NodeKind::Unused => "unused",
        }
    }

    /// Whether no node can be behind this value.
    #[must_use]
    pub const fn is_special(self) -> bool {
        self.0 >> 3 == 0x1FFF_FFFF
    }

    /// Whether the type is that of a primitive node, as hardware asks: by three bits.
    #[must_use]
    pub const fn is_primitive(self) -> bool {
        self.0 & 7 <= 3
    }

    /// Whether the type is that of a box, by three bits.
    #[must_use]
    pub const fn is_box(self) -> bool {
        self.0 & 7 == BOX_TYPE as u32
    }

    /// Whether the type is that of an instance, by three bits.
    #[must_use]
    pub const fn is_instance(self) -> bool {
        self.0 & 7 == INSTANCE_TYPE as u32
    }

    /// The pair that a primitive pointer starts at.
    #[must_use]
    pub const fn pair(self) -> u8 {
        pair_of_type(self.node_type())
    }

    /// The next pair of a primitive range: pair 0 of the next node behind the last pair of a node,
    /// else the next pair of the same node.
    #[must_use]
    pub const fn advance(self, end_of_node: bool) -> Self {
        if end_of_node {
            Self((self.0 & !0xF).wrapping_add(0x10))
        } else if self.0 & 0xF == 3 {
            Self(self.0 ^ 0xB)
        } else {
            Self(self.0.wrapping_add(1))
        }
    }
}

impl NodeKind {
    /// What a 4-bit node type means.
    #[must_use]
    pub const fn of_type(node_type: u8) -> Self {
        match node_type {
            0..=3 | 8..=11 => Self::Primitive { pair: pair_of_type(node_type) },
            BOX_TYPE => Self::Box,
            INSTANCE_TYPE => Self::Instance,
            _ => Self::Unused,
        }
    }
}

/// The pair (0..=7) that a primitive type names.
#[must_use]
pub const fn pair_of_type(node_type: u8) -> u8 {
    (node_type & 3) | ((node_type & 8) >> 1)
}

/// The primitive type that names a pair (0..=7).
#[must_use]
pub const fn type_of_pair(pair: u8) -> u8 {
    (pair & 3) | ((pair & 4) << 1)
}

impl From<NodePointer> for u64 {
    fn from(pointer: NodePointer) -> Self {
        pointer.0.into()
    }
}

machine::field_number!(NodePointer, u32, NodePointer, |pointer| pointer.0, |raw| {
    let pointer = NodePointer(raw as u32);
    let at = pointer.byte_offset();
    match pointer.kind() {
        _ if pointer == NodePointer::INVALID => "none".to_owned(),
        NodeKind::Box => format!("{pointer}: box at base + {at:#x}"),
        NodeKind::Instance => format!("{pointer}: instance at base + {at:#x}"),
        NodeKind::Primitive { pair } => format!("{pointer}: pair {pair} at base + {at:#x}"),
        NodeKind::Unused => format!("{pointer}: an unused type"),
    }
});

impl fmt::Debug for NodePointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

impl fmt::Display for NodePointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_pairs_are_inverse() {
        for pair in 0..8 {
            assert_eq!(pair_of_type(type_of_pair(pair)), pair);
            assert_eq!(NodeKind::of_type(type_of_pair(pair)), NodeKind::Primitive { pair });
        }
        for unused in [4, 7, 12, 13, 14, 15] {
            assert_eq!(NodeKind::of_type(unused), NodeKind::Unused);
        }
    }

    #[test]
    fn a_range_advances_through_the_types() {
        let walked: Vec<u32> =
            std::iter::successors(Some(NodePointer(0x12)), |p| Some(p.advance(false)))
                .take(4)
                .map(|p| p.0)
                .collect();
        assert_eq!(walked, [0x12, 0x13, 0x18, 0x19]);
    }

    #[test]
    fn offsets_and_types_round_trip() {
        assert_eq!(NodePointer::new(0x180, 10), Some(NodePointer(0x3A)));
        assert_eq!(NodePointer::new(0x7_FFFF_FF80, 5), Some(NodePointer(0xFFFF_FFF5)));
        assert_eq!(NodePointer::new(0x8_0000_0000, 5), None);
        assert_eq!(NodePointer::new(64, 5), None);
        assert_eq!(NodePointer::new(128, 16), None);
    }

    #[test]
    fn special_values_are_the_last_eight() {
        for low in 0..8 {
            assert!(NodePointer(0xFFFF_FFF8 | low).is_special());
        }
        assert!(!NodePointer(0xFFFF_FFF7).is_special());
        assert_eq!(NodePointer::range_update(3).0, 0xFFFF_FFFB);
    }
}
