//! The structures of an image, by a number that names each of them.
//!
//! | bits 56..64 | structure | bits 0..32 |
//! |---|---|---|
//! | 0 | node | its number |
//! | 1 | TriRange | the index that a leaf gives: units of 16 bytes from node 0 |
//! | 2 | triangle | its number |
//! | 3 | header | 0 |

use super::contents::Contents;
use super::header::HEADER_BYTES;
use crate::layout::records::{TRI_RANGE_BYTES, triangle_bytes};
use machine::{Image, NodeRef};

/// A structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// A node, by number.
    Node(u32),
    /// A TriRange, by a leaf's index.
    Range(u32),
    /// A triangle, by number.
    Triangle(u32),
    /// The header.
    Header,
}

impl Target {
    /// The structure that a number names.
    #[must_use]
    pub fn from_pointer(pointer: u64) -> Option<Self> {
        let number = u32::try_from(pointer << 8 >> 8).ok()?;
        match pointer >> 56 {
            0 => Some(Self::Node(number)),
            1 => Some(Self::Range(number)),
            2 => Some(Self::Triangle(number)),
            3 if number == 0 => Some(Self::Header),
            _ => None,
        }
    }

    /// The number that names it.
    #[must_use]
    pub fn pointer(self) -> u64 {
        match self {
            Self::Node(number) => number.into(),
            Self::Range(index) => 1 << 56 | u64::from(index),
            Self::Triangle(number) => 2 << 56 | u64::from(number),
            Self::Header => 3 << 56,
        }
    }

    /// The reference to it in an image.
    #[must_use]
    pub fn reference(self, image: &Image) -> NodeRef {
        NodeRef::from_root(image, self.pointer())
    }

    /// What it is.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Node(_) => "node",
            Self::Range(_) => "range",
            Self::Triangle(_) => "triangle",
            Self::Header => "header",
        }
    }

    /// Where it lies, and how many bytes it has; memory need not reach that far.
    #[must_use]
    pub fn place(self, image: &Image, contents: &Contents<'_>) -> (u64, usize) {
        match self {
            Self::Node(number) => (contents.node_address(number), contents.shape.bytes()),
            Self::Range(index) => (contents.range_address(index), TRI_RANGE_BYTES),
            Self::Triangle(number) => {
                (contents.triangle_address(number), triangle_bytes(contents.policy.format))
            }
            Self::Header => (image.root, HEADER_BYTES),
        }
    }
}
