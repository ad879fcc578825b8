//! Instance node (type 6): a transform, a child structure and up to four boxes, 128 bytes.
//!
//! | dwords | field |
//! |---|---|
//! | 0..=11 | world-to-object transform, 3 rows of (m0, m1, m2, translation), f32 |
//! | 12, 13 | child base pointer with flags; its bit 62 also says that the structure is procedural |
//! | 14 | parent node pointer, for software |
//! | 15 | bits 0..24 user data (hit-group offset), 24..32 instance mask |
//! | 16..=18 | origin x, y, z of the embedded boxes, f32 |
//! | 19 | bits 0..24 exponents x, y, z; 24 disable sort; 28..30 child count - 1; the rest unused |
//! | 20..=31 | four [`ChildEntry`], 96 bits each |
//!
//! The embedded boxes lie in object space and have bases 0 and 0, so their pointers are small numbers
//! in which drivers encode what they want to be told. Their cull flags and masks do not act; the mask of
//! dword 15 does. Sources: GPURT, Mesa.
//!
//! ```
//! use gfx12::layout::{BasePointer, InstanceNode, NodeBits, NodePointer, PointerFlags};
//! let mut words = [0; 32];
//! words[0] = 0x4000_0000; // m00 = 2
//! words[12..16].copy_from_slice(&[0x1000, 0x8040_0000, 0x15, 0x5500_0007]);
//! words[19] = 0x007F_7F7F; // quantum 2^-12, one child
//! words[20..23].copy_from_slice(&[0x0400_0000, 0xFFFF_F000, 0x15FF_FFFF]);
//! let node = InstanceNode::decode(&NodeBits::from_words(words));
//! assert_eq!((node.world_to_object.rows[0][0], node.user_data, node.mask), (2.0, 7, 0x55));
//! assert_eq!(node.child_base.address(), 0x8000);
//! assert_eq!(node.parent, NodePointer(0x15));
//! assert_eq!(node.child_pointers()[0], NodePointer(5));
//! assert_eq!(node.encode().words(), &words);
//! ```

use super::NodeBits;
use super::base_pointer::BasePointer;
use super::box_node::{entry_at, fill_child_pointers, set_entry_at};
use super::child_entry::ChildEntry;
use super::node_pointer::NodePointer;
use super::plane::BoxFrame;
use geometry::{Aabb, Transform};

/// An instance node, every bit of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct InstanceNode {
    /// Takes world-space rays to object space.
    pub world_to_object: Transform,
    /// The structure below.
    pub child_base: BasePointer,
    /// The parent, for software.
    pub parent: NodePointer,
    /// 24 bits for the caller.
    pub user_data: u32,
    /// Culled when this and the ray's mask have no bit in common.
    pub mask: u8,
    /// Grid of the embedded boxes.
    pub frame: BoxFrame,
    /// Bit 24 of dword 19 (G-11).
    pub disable_box_sort: bool,
    /// Embedded boxes in use, 1..=4.
    pub child_count: u8,
    /// Bits 25..28 and 30..32 of dword 19, in this order.
    pub unused: u8,
    /// The embedded boxes.
    pub children: [ChildEntry; 4],
}

impl InstanceNode {
    /// Reads a node.
    #[must_use]
    pub fn decode(bits: &NodeBits) -> Self {
        Self {
            world_to_object: transform_at(bits, 0),
            child_base: BasePointer::from_words(bits.word(12), bits.word(13)),
            parent: NodePointer(bits.word(14)),
            user_data: bits.get(480..504),
            mask: bits.get(504..512) as u8,
            frame: BoxFrame {
                origin: [bits.float(16), bits.float(17), bits.float(18)],
                exponents: [bits.get(608..616), bits.get(616..624), bits.get(624..632)]
                    .map(|exponent| exponent as u8),
            },
            disable_box_sort: bits.flag(632),
            child_count: bits.get(636..638) as u8 + 1,
            unused: (bits.get(633..636) | bits.get(638..640) << 3) as u8,
            children: std::array::from_fn(|slot| entry_at(bits, 20 + 3 * slot)),
        }
    }

    /// Writes a node.
    #[must_use]
    pub fn encode(&self) -> NodeBits {
        let Self {
            world_to_object,
            child_base,
            parent,
            user_data,
            mask,
            frame,
            disable_box_sort,
            child_count,
            unused,
            children,
        } = self;
        let mut bits = NodeBits::ZERO;
        set_transform_at(&mut bits, 0, world_to_object);
        let [low, high] = child_base.words();
        bits.set_word(12, low);
        bits.set_word(13, high);
        bits.set_word(14, parent.0);
        bits.set(480..504, *user_data);
        bits.set(504..512, u32::from(*mask));
        for axis in 0..3 {
            bits.set_float(16 + axis, frame.origin[axis]);
            bits.set(608 + 8 * axis..616 + 8 * axis, u32::from(frame.exponents[axis]));
        }
        bits.set_flag(632, *disable_box_sort);
        bits.set(633..636, u32::from(unused & 7));
        bits.set(636..638, u32::from((*child_count).clamp(1, 4) - 1));
        bits.set(638..640, u32::from(unused >> 3 & 3));
        for (slot, child) in children.iter().enumerate() {
            set_entry_at(&mut bits, 20 + 3 * slot, child);
        }
        bits
    }

    /// The embedded boxes in use.
    #[must_use]
    pub fn used_children(&self) -> &[ChildEntry] {
        &self.children[..usize::from(self.child_count.clamp(1, 4))]
    }

    /// Pointers of the embedded boxes, counted from 0; unused ones are [`NodePointer::INVALID`].
    #[must_use]
    pub fn child_pointers(&self) -> [NodePointer; 4] {
        let mut pointers = [NodePointer::INVALID; 4];
        fill_child_pointers(0, 0, self.used_children(), &mut pointers);
        pointers
    }

    /// The decoded box of a slot (0..=3), in object space.
    #[must_use]
    pub fn child_box(&self, slot: usize) -> Aabb {
        let child = &self.children[slot];
        self.frame.decode(child.min, child.max)
    }
}

/// Twelve floats from a dword on, row by row.
pub(super) fn transform_at<const WORDS: usize>(
    bits: &super::Bits<WORDS>,
    dword: usize,
) -> Transform {
    Transform {
        rows: std::array::from_fn(|row| {
            std::array::from_fn(|column| bits.float(dword + 4 * row + column))
        }),
    }
}

/// Writes twelve floats from a dword on, row by row.
pub(super) fn set_transform_at<const WORDS: usize>(
    bits: &mut super::Bits<WORDS>,
    dword: usize,
    transform: &Transform,
) {
    for (k, &entry) in transform.rows.iter().flatten().enumerate() {
        bits.set_float(dword + k, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_decode_and_come_back(bytes in any::<[u8; 128]>()) {
            let node = InstanceNode::decode(&NodeBits::from_bytes(&bytes));
            prop_assert_eq!(node.encode().to_bytes(), bytes);
        }
    }

    #[test]
    fn gpurt_roots_as_child_pointers() {
        let entry = |node_type, range_length| ChildEntry {
            node_type,
            range_length,
            ..ChildEntry::default()
        };
        let mut node = InstanceNode::decode(&NodeBits::ZERO);
        node.child_count = 4;
        node.children = [entry(1, 0); 4];
        assert_eq!(node.child_pointers().map(|p| p.0), [1; 4]);
        node.children[0].range_length = 1;
        assert_eq!(node.child_pointers().map(|p| p.0), [0x01, 0x11, 0x11, 0x11]);
    }
}
