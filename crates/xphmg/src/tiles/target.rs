//! The structures of an image, by a number that names each of them.
//!
//! | bits 56..64 | structure | bits 0..32 |
//! |---|---|---|
//! | 0 | node | its number |
//! | 1 | TriRange | the index that a leaf gives: units of 16 bytes from node 0 |
//! | 2 | triangle | its number |
//! | 3 | header | 0 |
//! | 4 | instance | the index that a leaf gives |
//! | 5 | BLAS | its number |
//!
//! Of nodes and TriRanges bits 32..56 give the level: 0 is the tree of node 0, `n + 1` is BLAS `n`.

use super::contents::Contents;
use super::header::HEADER_BYTES;
use super::instance::{BLAS_BYTES, INSTANCE_BYTES};
use crate::layout::node::{Child, ChildKind};
use crate::layout::records::{TRI_RANGE_BYTES, triangle_bytes};
use machine::{Image, NodeRef};

/// A structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// A node, by level and number.
    Node(u32, u32),
    /// A TriRange, by level and a leaf's index.
    Range(u32, u32),
    /// A triangle, by number.
    Triangle(u32),
    /// The header.
    Header,
    /// An instance, by a leaf's index.
    Instance(u32),
    /// A BLAS, by number.
    Blas(u32),
}

impl Target {
    /// The structure that a number names.
    #[must_use]
    pub fn from_pointer(pointer: u64) -> Option<Self> {
        let (level, number) = ((pointer >> 32 & 0xFF_FFFF) as u32, pointer as u32);
        match (pointer >> 56, level) {
            (0, level) => Some(Self::Node(level, number)),
            (1, level) => Some(Self::Range(level, number)),
            (2, 0) => Some(Self::Triangle(number)),
            (3, 0) if number == 0 => Some(Self::Header),
            (4, 0) => Some(Self::Instance(number)),
            (5, 0) => Some(Self::Blas(number)),
            _ => None,
        }
    }

    /// The number that names it.
    #[must_use]
    pub fn pointer(self) -> u64 {
        let (kind, level, number) = match self {
            Self::Node(level, number) => (0, level, number),
            Self::Range(level, index) => (1, level, index),
            Self::Triangle(number) => (2, 0, number),
            Self::Header => (3, 0, 0),
            Self::Instance(index) => (4, 0, index),
            Self::Blas(number) => (5, 0, number),
        };
        kind << 56 | u64::from(level) << 32 | u64::from(number)
    }

    /// What a child of a node at a level of an image leads to; `None` for none.
    #[must_use]
    pub fn of_child(contents: &Contents<'_>, level: u32, child: &Child) -> Option<Self> {
        match child.kind {
            ChildKind::Empty | ChildKind::Reserved => None,
            ChildKind::Node => Some(Self::Node(level, child.index)),
            ChildKind::Leaf if level == 0 && contents.has_instances() => {
                Some(Self::Instance(child.index))
            }
            ChildKind::Leaf => Some(Self::Range(level, child.index)),
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
            Self::Node(..) => "node",
            Self::Range(..) => "range",
            Self::Triangle(_) => "triangle",
            Self::Header => "header",
            Self::Instance(_) => "instance",
            Self::Blas(_) => "BLAS",
        }
    }

    /// Where it lies, and how many bytes it has; memory need not reach that far.
    #[must_use]
    pub fn place(self, image: &Image, contents: &Contents<'_>) -> (u64, usize) {
        match self {
            Self::Node(level, number) => {
                (contents.level(level).node_address(number), contents.shape.bytes())
            }
            Self::Range(level, index) => {
                (contents.level(level).range_address(index), TRI_RANGE_BYTES)
            }
            Self::Triangle(number) => {
                (contents.triangle_address(number), triangle_bytes(contents.policy.format))
            }
            Self::Header => (image.root, HEADER_BYTES),
            Self::Instance(index) => (contents.range_address(index), INSTANCE_BYTES),
            Self::Blas(number) => (contents.blas_address(number), BLAS_BYTES),
        }
    }
}
