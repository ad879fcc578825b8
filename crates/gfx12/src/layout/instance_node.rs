//! Instance node (type 6): a transform, a child structure and up to four boxes, 128 bytes.
//!
//! The embedded boxes lie in object space and have bases 0 and 0, so their pointers are small
//! numbers in which drivers encode what they want to be told. Their cull flags and masks do not
//! act; the mask of dword 15 does. Sources: GPURT, Mesa.
//!
//! A hit returns the low byte of its pointer, and the byte names a node of the structure below
//! (G-38):
//!
//! | byte | without a header | behind a GPURT header |
//! |---|---|---|
//! | 0x05, of a node with one box | that pointer | the root: RADV's files |
//! | 0x00..=0x0f | that pointer | the box node of that number |
//! | 0x10..=0x1f, the same in four slots | that pointer | the primitive node of that number |
//! | others | that pointer | that pointer |
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

use super::base_pointer::BasePointer;
use super::box_node::fill_child_pointers;
use super::child_entry::ChildEntry;
use super::node_pointer::{BOX_TYPE, NodePointer};
use super::plane::BoxFrame;
use bvh4::layout::cull_flags::mask_text;
use geometry::{Aabb, Transform};
use machine::fields::{MinusOne, Show};

machine::fields! {
    /// An instance node, every bit of it.
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[source = "GPURT, Mesa (G-38)"]
    pub struct InstanceNode: 32 words {
        /// Takes world-space rays to object space.
        pub world_to_object: Transform = 0..384;
        /// The structure below, with flags; bit 62 also says that it is procedural.
        pub child_base: BasePointer = 384..448;
        /// The parent, for software.
        pub parent: NodePointer = 448..480;
        /// 24 bits for the caller: the offset into the shader binding table.
        pub user_data: u32 = 480..504;
        /// Culled when this and the ray's mask have no bit in common.
        pub mask: u8 = 504..512, Show::Each(mask_text);
        /// Grid of the embedded boxes.
        pub frame: BoxFrame = 512..632, Show::Flat;
        /// Ignored (G-11).
        pub disable_box_sort: bool = 632..633;
        /// Nothing reads it.
        pub unused_low: u8 = 633..636;
        /// Embedded boxes in use, 1..=4, stored less 1.
        pub child_count: u8 as MinusOne = 636..638, Show::Each(|raw| format!("{} boxes", raw + 1));
        /// Nothing reads it.
        pub unused_high: u8 = 638..640;
        /// The embedded boxes.
        pub children: [ChildEntry; 4] = 640..1024;
    }
}

/// How the bytes that an instance node returns name nodes of the structure below (G-38).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// They are pointers.
    Pointers,
    /// Behind GPURT's header, whose number is free, as the table above has it.
    BehindHeader,
    /// Whatever is returned, the root is meant: HIPRT.
    Root,
}

/// A node of the structure below an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedNode {
    /// Bit `i`: slot `i` names it.
    pub slots: u8,
    /// The node.
    pub pointer: NodePointer,
}

impl InstanceNode {
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

    /// The nodes of the structure below that a ray can be told to enter, each once, with the slots
    /// that lead to it.
    pub fn named_nodes(&self, naming: Naming) -> impl Iterator<Item = NamedNode> + use<> {
        let mut named = [NamedNode { slots: 0, pointer: NodePointer::INVALID }; 4];
        let mut count = 0;
        for (slot, byte) in self.returned_bytes() {
            let pointer = self.named_by(byte, naming);
            let known = named[..count].iter().position(|node| node.pointer == pointer);
            let place = known.unwrap_or(count);
            count = count.max(place + 1);
            named[place] = NamedNode { slots: named[place].slots | 1 << slot, pointer };
        }
        named.into_iter().take(count)
    }

    /// The node that a returned byte names (G-38).
    #[must_use]
    pub fn named_by(&self, byte: u8, naming: Naming) -> NodePointer {
        let number = u32::from(byte & 0xF) << 4;
        let is_alone = self.used_children().len() == 1;
        let is_same_in_all =
            || self.child_count == 4 && self.returned_bytes().all(|(_, other)| other == byte);
        match byte {
            _ if naming == Naming::Root => NodePointer::ROOT,
            _ if naming == Naming::Pointers => NodePointer(byte.into()),
            0x05 if is_alone => NodePointer::ROOT_BEHIND_HEADER,
            0x00..=0x0F => NodePointer(number | u32::from(BOX_TYPE)),
            0x10..=0x1F if is_same_in_all() => NodePointer(number),
            _ => NodePointer(byte.into()),
        }
    }

    /// The slots that a ray can enter, with the bytes that they return.
    fn returned_bytes(&self) -> impl Iterator<Item = (usize, u8)> {
        let pointers = self.child_pointers();
        let entries = self.used_children().iter().enumerate();
        entries
            .filter(|(_, entry)| !entry.is_inverted())
            .map(move |(slot, _)| (slot, pointers[slot].0 as u8))
    }

    /// The decoded box of a slot (0..=3), in object space.
    #[must_use]
    pub fn child_box(&self, slot: usize) -> Aabb {
        let child = &self.children[slot];
        self.frame.bounds(child.min, child.max)
    }
}

#[cfg(test)]
mod tests {
    use super::super::NodeBits;
    use super::*;

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

    /// Each writer's bytes, behind a header and without one (G-38).
    #[test]
    fn bytes_name_nodes() {
        let named = |types: &[(u8, u8)], dead: usize, root: u32| -> Vec<(u8, u32)> {
            let naming = if root == 0x15 { Naming::BehindHeader } else { Naming::Pointers };
            let mut node = InstanceNode::decode(&NodeBits::ZERO);
            node.child_count = types.len() as u8;
            for (slot, &(node_type, range_length)) in types.iter().enumerate() {
                let boxed = if slot < dead { ChildEntry::UNUSED } else { ChildEntry::default() };
                node.children[slot] = ChildEntry { node_type, range_length, ..boxed };
            }
            node.named_nodes(naming).map(|n| (n.slots, n.pointer.0)).collect()
        };
        // RADV in memory, and as its exporter copies it behind a header.
        assert_eq!(named(&[(5, 1)], 0, 0x5), [(1, 0x5)]);
        assert_eq!(named(&[(5, 1)], 0, 0x15), [(1, 0x15)]);
        // GPURT: the root, a box of another number, a primitive node.
        assert_eq!(named(&[(1, 0); 4], 0, 0x15), [(0b1111, 0x15)]);
        assert_eq!(named(&[(5, 0); 4], 0, 0x15), [(0b1111, 0x55)]);
        assert_eq!(named(&[(9, 1), (9, 0), (9, 0), (9, 0)], 1, 0x15), [(0b1110, 0x90)]);
        // Several numbers, and several pointers behind a slot that no ray enters.
        assert_eq!(named(&[(2, 0), (3, 0), (2, 0)], 0, 0x15), [(0b101, 0x25), (0b10, 0x35)]);
        assert_eq!(named(&[(5, 2), (5, 1), (5, 0)], 1, 0x15), [(0b10, 0x25), (0b100, 0x35)]);
        assert_eq!(named(&[(5, 1), (5, 1), (5, 0)], 0, 0x5), [(1, 0x5), (2, 0x15), (4, 0x25)]);
        assert_eq!(named(&[(0, 1), (2, 0)], 0, 0x5), [(1, 0x0), (2, 0x12)]);
    }
}
