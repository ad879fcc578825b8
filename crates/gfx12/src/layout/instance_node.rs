//! Instance node (type 6): a transform, a child structure and up to four boxes, 128 bytes.
//!
//! The embedded boxes lie in object space and have bases 0 and 0, so their pointers are small
//! numbers in which drivers encode what they want to be told. Their cull flags and masks do not
//! act; the mask of dword 15 does. Sources: GPURT, Mesa.
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
use super::child_entry::{ChildEntry, mask_text};
use super::node_pointer::NodePointer;
use super::plane::BoxFrame;
use geometry::{Aabb, Transform};
use machine::fields::{MinusOne, Show};

machine::fields! {
    /// An instance node, every bit of it.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct InstanceNode: 32 words {
        /// Takes world-space rays to object space.
        pub world_to_object: Transform = 0..384;
        /// The structure below, with flags; bit 62 also says that it is procedural.
        pub child_base: BasePointer = 384..448;
        /// The parent, for software.
        pub parent: NodePointer = 448..480;
        /// 24 bits for the caller: the hit-group offset.
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
}
