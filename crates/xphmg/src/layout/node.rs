//! Node tiles (X-45, X-46).
//!
//! | EW | tile | box of child c | reserved | child0..2_idx | flags word |
//! |---|---|---|---|---|---|
//! | 8 | 64 | 6c: min x y z, max x y z | 24–47 | 48, 52, 56 | 60 |
//! | 16 | 64 | 12c | – | 48, 52, 56 | 60 |
//! | 32 | 128 | 24c | 96–111 | 112, 116, 120 | 124 |
//!
//! The flags word has two bits per child from bit 0 (00 empty, 01 node, 10 leaf, 11 reserved) and
//! child 3's index in bits 31:8. A node of eight children is two tiles, children 0–3 and then 4–7.
//! The literal structure has three children, each element in the low bits of a u32, at a stride of
//! 128 bytes.
//!
//! ```
//! use xphmg::layout::node::NodeShape;
//! use xphmg::numeric::ElementFormat;
//! use xphmg::readings::NodeLayout;
//! let shape = NodeShape::new(ElementFormat::Fp16, NodeLayout::Packed, false);
//! assert_eq!((shape.bytes(), shape.element_offset(3, 5), shape.flags_offset(0)), (64, 46, 60));
//! ```

use crate::memory::{element_at, u32_at};
use crate::numeric::ElementFormat;
use crate::readings::NodeLayout;

/// Where things are in a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeShape {
    element_bytes: usize,
    literal: bool,
    tiles: usize,
}

/// A child of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Child {
    /// What is there.
    pub kind: ChildKind,
    /// Number of a node, or of a TriRange.
    pub index: u32,
    /// min x y z, max x y z.
    pub bounds: [u32; 6],
}

/// Two bits of the flags word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildKind {
    /// 00.
    Empty,
    /// 01.
    Node,
    /// 10.
    Leaf,
    /// 11: an error.
    Reserved,
}

impl ChildKind {
    /// The kind of a code; two bits count.
    #[must_use]
    pub const fn from_code(code: u32) -> Self {
        match code & 3 {
            0 => Self::Empty,
            1 => Self::Node,
            2 => Self::Leaf,
            _ => Self::Reserved,
        }
    }

    /// The code.
    #[must_use]
    pub const fn code(self) -> u32 {
        match self {
            Self::Empty => 0,
            Self::Node => 1,
            Self::Leaf => 2,
            Self::Reserved => 3,
        }
    }
}

impl NodeShape {
    /// The shape for an element format: one tile, or two of them for eight children.
    #[must_use]
    pub const fn new(format: ElementFormat, layout: NodeLayout, wide: bool) -> Self {
        Self {
            element_bytes: format.bytes(),
            literal: matches!(layout, NodeLayout::Literal88),
            tiles: if wide { 2 } else { 1 },
        }
    }

    /// Bytes from one tile to the next.
    #[must_use]
    pub const fn tile_stride(self) -> usize {
        if self.literal || self.element_bytes == 4 { 128 } else { 64 }
    }

    /// Bytes from one node to the next.
    #[must_use]
    pub const fn stride(self) -> usize {
        self.tiles * self.tile_stride()
    }

    /// Bytes of a node that mean something.
    #[must_use]
    pub const fn bytes(self) -> usize {
        let last = if self.literal { 88 } else { self.tile_stride() };
        (self.tiles - 1) * self.tile_stride() + last
    }

    /// Children in one tile.
    #[must_use]
    pub const fn tile_width(self) -> usize {
        if self.literal { 3 } else { 4 }
    }

    /// Children of a node.
    #[must_use]
    pub const fn width(self) -> usize {
        self.tiles * self.tile_width()
    }

    /// Where element `k` (min x y z, max x y z) of a child's box is.
    #[must_use]
    pub const fn element_offset(self, child: usize, k: usize) -> usize {
        let slot = if self.literal { 4 } else { self.element_bytes };
        let tile = child / self.tile_width();
        tile * self.tile_stride() + (6 * (child % self.tile_width()) + k) * slot
    }

    /// Where a child's index is; child 3 of a tile has its own in the flags word.
    #[must_use]
    pub const fn index_offset(self, child: usize) -> usize {
        let tile = child / self.tile_width();
        let first = if self.literal { 72 } else { self.tile_stride() - 16 };
        tile * self.tile_stride() + first + 4 * (child % self.tile_width())
    }

    /// Where the flags word of a tile is.
    #[must_use]
    pub const fn flags_offset(self, tile: usize) -> usize {
        tile * self.tile_stride() + if self.literal { 84 } else { self.tile_stride() - 4 }
    }

    /// Whether a child's index has 24 bits only.
    #[must_use]
    pub const fn has_short_index(self, child: usize) -> bool {
        child % self.tile_width() == 3
    }

    /// A child of the node in `bytes`.
    #[must_use]
    pub fn child(self, bytes: &[u8], child: usize) -> Child {
        let in_tile = child % self.tile_width();
        let flags = u32_at(bytes, self.flags_offset(child / self.tile_width()));
        let index = match self.has_short_index(child) {
            true => flags >> 8,
            false => u32_at(bytes, self.index_offset(child)),
        };
        Child {
            kind: ChildKind::from_code(flags >> (2 * in_tile)),
            index,
            bounds: std::array::from_fn(|k| {
                element_at(bytes, self.element_offset(child, k), self.element_bytes)
            }),
        }
    }

    /// Writes a child of the node in `bytes`. An index of child 3 is cut to 24 bits.
    pub fn set_child(self, bytes: &mut [u8], child: usize, value: &Child) {
        for (k, element) in value.bounds.iter().enumerate() {
            let at = self.element_offset(child, k);
            let width = self.element_bytes;
            bytes[at..at + width].copy_from_slice(&element.to_le_bytes()[..width]);
        }
        let in_tile = child % self.tile_width();
        let at = self.flags_offset(child / self.tile_width());
        let mut flags = u32_at(bytes, at);
        flags = flags & !(3 << (2 * in_tile)) | value.kind.code() << (2 * in_tile);
        if self.has_short_index(child) {
            flags = flags & 0xFF | value.index << 8;
        } else {
            let at = self.index_offset(child);
            bytes[at..at + 4].copy_from_slice(&value.index.to_le_bytes());
        }
        bytes[at..at + 4].copy_from_slice(&flags.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_come_back() {
        for format in [ElementFormat::Int8, ElementFormat::Bf16, ElementFormat::Fp32] {
            for (layout, wide) in [
                (NodeLayout::Packed, false),
                (NodeLayout::Packed, true),
                (NodeLayout::Literal88, false),
            ] {
                let shape = NodeShape::new(format, layout, wide);
                let mut bytes = vec![0; shape.bytes()];
                let children: Vec<Child> = (0..shape.width() as u32)
                    .map(|c| Child {
                        kind: ChildKind::from_code(1 + c % 3),
                        index: (0x00AB_0007 * (c + 1)) & 0xFF_FFFF,
                        bounds: std::array::from_fn(|k| 0x11 * c + k as u32),
                    })
                    .collect();
                for (c, child) in children.iter().enumerate() {
                    shape.set_child(&mut bytes, c, child);
                }
                for (c, child) in children.iter().enumerate() {
                    assert_eq!(
                        shape.child(&bytes, c),
                        *child,
                        "{format} {layout:?} {wide} child {c}"
                    );
                }
            }
        }
    }
}
