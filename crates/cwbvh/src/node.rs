//! One node: 80 bytes, up to eight children. Little endian.
//!
//! A byte of `meta` says what stands in a slot: 0 for nothing; for a child node `001` in the top
//! three bits and 24 + the slot below; for a leaf the number of its triangles in unary (`001`,
//! `011`, `111`) and below that where they begin, 0 to 23, counted from the node's triangle base.
//! Child nodes lie one after the other from the child base on, in the order of their slots.
//!
//! Two children of a node on a grid of cells 1/16 wide:
//!
//! ```
//! use cwbvh::node::{Child, Node};
//!
//! let mut node = Node::empty([0.5, -1.0, 2.0], [123, 123, 123]);
//! node.child_base = 7;
//! node.triangle_base = 40;
//! node.set(1, Child::Leaf { first: 40, count: 2 }, [0, 3, 6], [16, 32, 64]);
//! node.set(6, Child::Node(7), [20, 0, 19], [255, 160, 128]);
//!
//! let bytes = node.to_bytes();
//! let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
//! assert_eq!(&hex[..48], "0000003f000080bf000000407b7b7b400700000028000000");
//! assert_eq!(&hex[48..64], "0060000000003e00"); // 011 00000 and 001 11110
//! assert_eq!(&hex[64..80], "0000000000001400"); // qlo_x
//! assert_eq!(Node::from_bytes(&bytes), node);
//! assert_eq!(node.child(1), Some(Child::Leaf { first: 40, count: 2 }));
//! assert_eq!(node.child(6), Some(Child::Node(7)));
//! assert_eq!(node.child(0), Some(Child::Empty));
//! ```

use geometry::GridAxis;
use machine::bits::Bits;
use machine::fields::{Show, hex};
use std::ops::RangeInclusive;

/// Bytes of a node.
pub const NODE_BYTES: usize = 80;
/// Children of a node.
pub const SLOTS: usize = 8;
/// Triangles of a leaf.
pub const MAX_LEAF: usize = 3;
/// Triangles of all leaves of a node, and what the slots of child nodes count from in `meta`.
const NODE_TRIANGLES: u8 = 24;
/// What is added to the exponents of cells, as in an `f32`.
pub(crate) const BIAS: i16 = 127;
/// Exponents of cells: biased ones of 0 and 255 stand for no number.
pub(crate) const EXPONENTS: RangeInclusive<i16> = -126..=127;

machine::fields! {
    /// The 80 bytes of a node.
    #[derive(Debug, Clone, Copy, PartialEq)]
    #[source = "Ylitie, Karras and Laine 2017"]
    pub struct Node: 20 words {
        /// The point at cell 0, p: the lower corner of the box around the children.
        pub origin: [f32; 3] = 0..96 => "scene units";
        /// Cells are 2^(e - 127) wide: e is the exponent of an f32.
        pub exponents: [u8; 3] = 96..120, Show::Each(|raw| format!("2^{}", raw as i64 - 127));
        /// Bit i: the child in slot i is a node.
        pub imask: u8 = 120..128, Show::Each(|raw| format!("{raw:#010b}"));
        /// Number of the first child node.
        pub child_base: u32 = 128..160, Show::Each(hex);
        /// Number of the first triangle, or, in a TLAS, of the first reference.
        pub triangle_base: u32 = 160..192, Show::Each(hex);
        /// What stands in each slot.
        pub meta: [u8; 8] = 192..256, Show::Each(meta_text);
        /// Lower planes of the children in cells, x.
        pub qlo_x: [u8; 8] = 256..320 => "steps of the grid";
        /// Lower planes, y.
        pub qlo_y: [u8; 8] = 320..384 => "steps of the grid";
        /// Lower planes, z.
        pub qlo_z: [u8; 8] = 384..448 => "steps of the grid";
        /// Upper planes of the children in cells, x.
        pub qhi_x: [u8; 8] = 448..512 => "steps of the grid";
        /// Upper planes, y.
        pub qhi_y: [u8; 8] = 512..576 => "steps of the grid";
        /// Upper planes, z.
        pub qhi_z: [u8; 8] = 576..640 => "steps of the grid";
    }
}

/// What stands in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Child {
    /// Nothing.
    Empty,
    /// A node, by number.
    Node(u64),
    /// Triangles, or references in a TLAS.
    Leaf {
        /// Number of the first.
        first: u64,
        /// How many.
        count: u8,
    },
}

impl Node {
    /// A node without children.
    #[must_use]
    pub const fn empty(origin: [f32; 3], exponents: [u8; 3]) -> Self {
        Self {
            origin,
            exponents,
            imask: 0,
            child_base: 0,
            triangle_base: 0,
            meta: [0; 8],
            qlo_x: [0; 8],
            qlo_y: [0; 8],
            qlo_z: [0; 8],
            qhi_x: [0; 8],
            qhi_y: [0; 8],
            qhi_z: [0; 8],
        }
    }

    /// Reads the first 80 bytes; missing ones are 0.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self::decode(&Bits::from_bytes(bytes))
    }

    /// The 80 bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; NODE_BYTES] {
        let mut bytes = [0; NODE_BYTES];
        self.encode().write_bytes(&mut bytes);
        bytes
    }

    /// The grid.
    #[must_use]
    pub fn axes(&self) -> [GridAxis; 3] {
        std::array::from_fn(|k| GridAxis {
            origin: self.origin[k],
            exponent: i16::from(self.exponents[k]) - BIAS,
        })
    }

    /// What stands in a slot; `None` if its byte means nothing.
    #[must_use]
    pub fn child(&self, slot: usize) -> Option<Child> {
        let meta = self.meta[slot];
        let (kind, low) = (meta >> 5, meta & 31);
        if meta == 0 {
            return Some(Child::Empty);
        }
        if low >= NODE_TRIANGLES {
            let below = self.imask & ((1u16 << slot) - 1) as u8;
            let number = u64::from(self.child_base) + u64::from(below.count_ones());
            return (kind == 1 && usize::from(low - NODE_TRIANGLES) == slot)
                .then_some(Child::Node(number));
        }
        let count = unary(kind)?;
        let first = u64::from(self.triangle_base) + u64::from(low);
        (low + count <= NODE_TRIANGLES).then_some(Child::Leaf { first, count })
    }

    /// The children that there are, with their slots; bytes that mean nothing are left out.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = (usize, Child)> + '_ {
        let all = (0..SLOTS).filter_map(|slot| Some((slot, self.child(slot)?)));
        all.filter(|(_, child)| *child != Child::Empty)
    }

    /// Puts a child into a slot. The bases are set before that.
    pub fn set(&mut self, slot: usize, child: Child, low: [u8; 3], high: [u8; 3]) {
        self.meta[slot] = match child {
            Child::Empty => 0,
            Child::Node(_) => {
                self.imask |= 1 << slot;
                (1 << 5) | (NODE_TRIANGLES + slot as u8)
            }
            Child::Leaf { first, count } => {
                ((1 << count) - 1) << 5 | (first - u64::from(self.triangle_base)) as u8
            }
        };
        [self.qlo_x[slot], self.qlo_y[slot], self.qlo_z[slot]] = low;
        [self.qhi_x[slot], self.qhi_y[slot], self.qhi_z[slot]] = high;
    }

    /// The lower corner of a child in cells.
    #[must_use]
    pub const fn low(&self, slot: usize) -> [u8; 3] {
        [self.qlo_x[slot], self.qlo_y[slot], self.qlo_z[slot]]
    }

    /// The upper corner of a child in cells.
    #[must_use]
    pub const fn high(&self, slot: usize) -> [u8; 3] {
        [self.qhi_x[slot], self.qhi_y[slot], self.qhi_z[slot]]
    }
}

/// A number in unary, as the top bits of a leaf's byte write it.
const fn unary(bits: u8) -> Option<u8> {
    match bits {
        0b001 => Some(1),
        0b011 => Some(2),
        0b111 => Some(3),
        _ => None,
    }
}

fn meta_text(raw: u64) -> String {
    let (kind, low) = (raw as u8 >> 5, raw as u8 & 31);
    match (kind, unary(kind)) {
        (0, _) if low == 0 => "empty".to_owned(),
        (1, _) if low >= NODE_TRIANGLES => format!("node, slot {}", low - NODE_TRIANGLES),
        (_, Some(count)) if low < NODE_TRIANGLES => format!("{count} triangles from {low} on"),
        _ => "nothing that the format knows".to_owned(),
    }
}
