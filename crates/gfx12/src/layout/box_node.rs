//! Box node (type 5): up to eight children with quantised boxes, 128 bytes.
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
use geometry::Aabb;
use machine::fields::{MinusOne, Show};

machine::fields! {
    /// A box node, every bit of it: any 128 bytes decode, and encode to the same bytes.
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[source = "GPURT, Mesa, an image of HIPRT, captured vectors"]
    pub struct BoxNode: 32 words {
        /// Pointer units of the first box child, low 4 bits 0.
        pub internal_base: u32 = 0..32, Show::Each(byte_of_units) => "64 bytes";
        /// Pointer units of the first child that is no box, low 4 bits 0.
        pub primitive_base: u32 = 32..64, Show::Each(byte_of_units) => "64 bytes";
        /// The parent, for software; 0xFFFFFFFF in the root.
        pub parent: NodePointer = 64..96;
        /// Grid of the planes.
        pub frame: BoxFrame = 96..216, Show::Flat;
        /// AMD's name; no known builder sets it, and it is ignored (G-11).
        pub disable_box_sort: bool = 216..217;
        /// Slot in the parent, for software.
        pub index_in_parent: u8 = 217..220;
        /// How many slots are in use, 1..=8, stored less 1 (G-6).
        pub child_count: u8 as MinusOne = 220..223, Show::Each(children_text);
        /// Nothing reads it (G-6).
        pub spare: bool = 223..224;
        /// Rotation of the boxes, 0..=103; 0x7F for none.
        pub obb_matrix_index: u8 = 224..231, Show::Each(rotation_text);
        /// Ignored; GPURT keeps build hints in 240..248, HIPRT leaves what was there.
        pub ignored: u32 = 231..256, Show::Unused;
        /// The slots.
        pub children: [ChildEntry; 8] = 256..1024;
    }
}

/// Pointer units as bytes from the base.
fn byte_of_units(units: u64) -> String {
    format!("base + {:#x}", units << 3)
}

fn children_text(stored: u64) -> String {
    let count = stored + 1;
    format!("{count} {}", if count == 1 { "child" } else { "children" })
}

/// A rotation with its matrix, row by row.
fn rotation_text(index: u64) -> String {
    match (index as u8, crate::obb::rotation(index as u8)) {
        (BoxNode::NO_ROTATION, _) => "no rotation".to_owned(),
        (index, Some(rotation)) => {
            let rows = rotation.rows.map(|[x, y, z, _]| format!("({x}, {y}, {z})"));
            format!("rotation {index}: {}", rows.join(", "))
        }
        (index, None) => format!("{index}: undefined"),
    }
}

impl BoxNode {
    /// The obb_matrix_index of a node whose boxes are not rotated.
    pub const NO_ROTATION: u8 = 0x7F;

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
        self.frame.bounds(child.min, child.max)
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

#[cfg(test)]
mod tests {
    use super::super::NodeBits;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn unused_slots_have_no_pointer(bytes in any::<[u8; 128]>()) {
            let node = BoxNode::decode(&NodeBits::from_bytes(&bytes));
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
