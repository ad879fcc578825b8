//! Box node (type 5): up to eight children with quantised boxes, 128 bytes.
//!
//! | bits | dword | field |
//! |---|---|---|
//! | 0..32 | 0 | internal_base: pointer units of the first box child, low 4 bits 0 |
//! | 32..64 | 1 | primitive_base: pointer units of the first other child, low 4 bits 0 |
//! | 64..96 | 2 | parent node pointer, for software; 0xFFFFFFFF in the root |
//! | 96..192 | 3..=5 | origin x, y, z, f32 |
//! | 192..216 | 6 | exponents x, y, z, 8 bits each |
//! | 216 | 6 | disable_box_sort, ignored (G-11) |
//! | 217..220 | 6 | index of this node in its parent, for software |
//! | 220..223 | 6 | child count minus 1 (G-6) |
//! | 223 | 6 | spare (G-6) |
//! | 224..231 | 7 | obb_matrix_index, 0..=103; 0x7F means no rotation |
//! | 231..256 | 7 | ignored; GPURT keeps build hints in 240..248, HIPRT leaves what was there |
//! | 256 + 96 i.. | 8 + 3 i | [`ChildEntry`] i |
//!
//! Child pointers are not stored: two running offsets, one for boxes and one for everything else,
//! start at the bases and advance by each child's range length. Sources: GPURT, Mesa, a real HIPRT
//! image, captured vectors.
//!
//! ```
//! use gfx12::layout::{BoxNode, NodeBits, NodePointer};
//! let mut words = [0; 32];
//! words[..11].copy_from_slice(&[
//!     0x10, 0x20, 0xFFFF_FFFF, 0, 0, 0, 0x768B_8B8B, 0x7F, 0x0000_0001, 0xFF00_2000, 0x1506_4064,
//! ]);
//! let node = BoxNode::decode(&NodeBits::from_words(words));
//! assert_eq!((node.child_count, node.frame.exponents), (8, [139; 3]));
//! assert_eq!(node.child_pointers()[0], NodePointer(0x15));
//! assert_eq!(node.child_box(0).max.to_array(), [3.0, 101.0, 101.0]);
//! assert_eq!(node.encode().words(), &words);
//! ```

use super::child_entry::ChildEntry;
use super::node_pointer::{BOX_TYPE, NodePointer};
use super::plane::BoxFrame;
use super::{Bits, NodeBits};
use geometry::Aabb;

/// A box node, every bit of it: any 128 bytes decode, and encode to the same bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BoxNode {
    /// Pointer units of the first box child.
    pub internal_base: u32,
    /// Pointer units of the first child that is no box.
    pub primitive_base: u32,
    /// The parent, for software.
    pub parent: NodePointer,
    /// Grid of the planes.
    pub frame: BoxFrame,
    /// AMD's name; no known builder sets it (G-11).
    pub disable_box_sort: bool,
    /// Slot in the parent, 0..=7, for software.
    pub index_in_parent: u8,
    /// How many slots are in use, 1..=8 (G-6).
    pub child_count: u8,
    /// Bit 223.
    pub spare: bool,
    /// Rotation of the boxes, 7 bits; [`BoxNode::NO_ROTATION`] for none.
    pub obb_matrix_index: u8,
    /// Bits 231..256.
    pub ignored: u32,
    /// The slots.
    pub children: [ChildEntry; 8],
}

impl BoxNode {
    /// The obb_matrix_index of a node whose boxes are not rotated.
    pub const NO_ROTATION: u8 = 0x7F;

    /// How many slots of a node are in use, 1..=8 (G-6).
    #[must_use]
    #[inline]
    pub fn child_count(bits: &NodeBits) -> u8 {
        bits.get(220..223) as u8 + 1
    }

    /// Reads a node.
    #[must_use]
    #[inline]
    pub fn decode(bits: &NodeBits) -> Self {
        Self {
            internal_base: bits.word(0),
            primitive_base: bits.word(1),
            parent: NodePointer(bits.word(2)),
            frame: BoxFrame {
                origin: [bits.float(3), bits.float(4), bits.float(5)],
                exponents: [bits.get(192..200), bits.get(200..208), bits.get(208..216)]
                    .map(|exponent| exponent as u8),
            },
            disable_box_sort: bits.flag(216),
            index_in_parent: bits.get(217..220) as u8,
            child_count: Self::child_count(bits),
            spare: bits.flag(223),
            obb_matrix_index: bits.get(224..231) as u8,
            ignored: bits.get(231..256),
            children: std::array::from_fn(|slot| entry_at(bits, 8 + 3 * slot)),
        }
    }

    /// Writes a node.
    #[must_use]
    pub fn encode(&self) -> NodeBits {
        let Self {
            internal_base,
            primitive_base,
            parent,
            frame,
            disable_box_sort,
            index_in_parent,
            child_count,
            spare,
            obb_matrix_index,
            ignored,
            children,
        } = self;
        let mut bits = NodeBits::ZERO;
        bits.set_word(0, *internal_base);
        bits.set_word(1, *primitive_base);
        bits.set_word(2, parent.0);
        for axis in 0..3 {
            bits.set_float(3 + axis, frame.origin[axis]);
            bits.set(192 + 8 * axis..200 + 8 * axis, u32::from(frame.exponents[axis]));
        }
        bits.set_flag(216, *disable_box_sort);
        bits.set(217..220, u32::from(*index_in_parent));
        bits.set(220..223, u32::from((*child_count).clamp(1, 8) - 1));
        bits.set_flag(223, *spare);
        bits.set(224..231, u32::from(*obb_matrix_index));
        bits.set(231..256, *ignored);
        for (slot, child) in children.iter().enumerate() {
            set_entry_at(&mut bits, 8 + 3 * slot, child);
        }
        bits
    }

    /// The slots in use.
    #[must_use]
    pub fn used_children(&self) -> &[ChildEntry] {
        &self.children[..usize::from(self.child_count.clamp(1, 8))]
    }

    /// Pointers of all slots; unused ones are [`NodePointer::INVALID`].
    #[must_use]
    pub fn child_pointers(&self) -> [NodePointer; 8] {
        let mut pointers = [NodePointer::INVALID; 8];
        fill_child_pointers(
            self.internal_base,
            self.primitive_base,
            self.used_children(),
            &mut pointers,
        );
        pointers
    }

    /// The decoded box of a slot (0..=7), in the node's own frame.
    #[must_use]
    pub fn child_box(&self, slot: usize) -> Aabb {
        let child = &self.children[slot];
        self.frame.decode(child.min, child.max)
    }
}

/// The two running offsets: boxes continue from one base, everything else from the other. They
/// advance over missed and culled children too.
pub(super) fn fill_child_pointers(
    internal_base: u32,
    primitive_base: u32,
    children: &[ChildEntry],
    pointers: &mut [NodePointer],
) {
    let (mut internal, mut primitive) = (internal_base | u32::from(BOX_TYPE), primitive_base);
    for (child, pointer) in children.iter().zip(pointers) {
        let step = u32::from(child.range_length) << 4;
        if child.node_type == BOX_TYPE {
            *pointer = NodePointer(internal);
            internal = internal.wrapping_add(step);
        } else {
            *pointer = NodePointer(primitive | u32::from(child.node_type));
            primitive = primitive.wrapping_add(step);
        }
    }
}

/// The child entry that starts at a dword.
#[inline]
pub(super) fn entry_at(bits: &NodeBits, dword: usize) -> ChildEntry {
    ChildEntry::decode(&Bits::from_words(std::array::from_fn(|k| bits.word(dword + k))))
}

/// Writes the child entry that starts at a dword.
pub(super) fn set_entry_at(bits: &mut NodeBits, dword: usize, entry: &ChildEntry) {
    for (k, &word) in entry.encode().words().iter().enumerate() {
        bits.set_word(dword + k, word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_decode_and_come_back(bytes in any::<[u8; 128]>()) {
            let node = BoxNode::decode(&NodeBits::from_bytes(&bytes));
            prop_assert_eq!(node.encode().to_bytes(), bytes);
            prop_assert!((1..=8).contains(&node.child_count));
            let pointers = node.child_pointers();
            let unused = &pointers[usize::from(node.child_count)..];
            prop_assert!(unused.iter().all(|&p| p == NodePointer::INVALID));
        }
    }

    #[test]
    fn running_offsets_keep_the_classes_apart() {
        let child = |node_type, range_length| ChildEntry {
            node_type,
            range_length,
            ..ChildEntry::default()
        };
        let mut node = BoxNode::decode(&NodeBits::ZERO);
        node.internal_base = 0x40;
        node.primitive_base = 0x100;
        node.child_count = 7;
        node.children[..7].copy_from_slice(&[
            child(0, 0),
            child(5, 2),
            child(1, 3),
            child(5, 1),
            child(6, 2),
            child(9, 0),
            child(5, 15),
        ]);
        let expected = [0x100, 0x45, 0x101, 0x65, 0x136, 0x159, 0x75, 0xFFFF_FFFF];
        assert_eq!(node.child_pointers().map(|p| p.0), expected);
    }
}
