//! The structures of an image, by a number that names each of them.
//!
//! | bits 56..64 | structure | below |
//! |---|---|---|
//! | 0 | block, or a node of it | bits 0..32 the block, 32..40 the node's number plus 1, or 0 |
//! | 1 | level record | bits 0..32 its number |
//! | 2 | references | bits 0..40 the first, 40..48 how many |
//! | 3 | instance record | bits 0..32 its number |
//! | 4 | directory | 0 |

use super::block::{BLOCK_BYTES, Block, NODE_BYTES};
use super::directory::{HEADER_BYTES, INSTANCE_BYTES, RECORD_BYTES, block_offset, header_of};
use machine::{Image, NodeRef};

/// A structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A block, by number.
    Block(u32),
    /// A node of a block.
    Node {
        /// The block.
        block: u32,
        /// Which of its nodes.
        node: u8,
    },
    /// A level, by number.
    Level(u32),
    /// Primitive references.
    References {
        /// The first.
        first: u64,
        /// How many.
        count: u8,
    },
    /// An instance, by number.
    Instance(u32),
    /// The directory.
    Directory,
}

impl Target {
    /// The structure that a number names.
    #[must_use]
    pub fn from_pointer(pointer: u64) -> Option<Self> {
        let number = pointer as u32;
        let middle = (pointer >> 32 & 0xFF_FFFF) as u32;
        match pointer >> 56 {
            0 if middle == 0 => Some(Self::Block(number)),
            0 => u8::try_from(middle - 1).ok().map(|node| Self::Node { block: number, node }),
            1 if middle == 0 => Some(Self::Level(number)),
            2 => {
                let (first, count) = (pointer & 0xFF_FFFF_FFFF, (pointer >> 40) as u8);
                (pointer >> 48 & 0xFF == 0).then_some(Self::References { first, count })
            }
            3 if middle == 0 => Some(Self::Instance(number)),
            4 if pointer << 8 == 0 => Some(Self::Directory),
            _ => None,
        }
    }

    /// The number that names it.
    #[must_use]
    pub fn pointer(self) -> u64 {
        match self {
            Self::Block(number) => number.into(),
            Self::Node { block, node } => u64::from(block) | (u64::from(node) + 1) << 32,
            Self::Level(number) => 1 << 56 | u64::from(number),
            Self::References { first, count } => {
                2 << 56 | u64::from(count) << 40 | first & 0xFF_FFFF_FFFF
            }
            Self::Instance(number) => 3 << 56 | u64::from(number),
            Self::Directory => 4 << 56,
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
            Self::Block(_) => "block",
            Self::Node { .. } => "node",
            Self::Level(_) => "level",
            Self::References { .. } => "references",
            Self::Instance(_) => "instance",
            Self::Directory => "directory",
        }
    }

    /// How many bytes it has.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Block(_) => BLOCK_BYTES,
            Self::Node { .. } => NODE_BYTES,
            Self::Level(_) => RECORD_BYTES,
            Self::References { count, .. } => 4 * count as usize,
            Self::Instance(_) => INSTANCE_BYTES,
            Self::Directory => HEADER_BYTES,
        }
    }

    /// Where it lies, by the directory; memory need not reach that far.
    #[must_use]
    pub fn address(self, image: &Image) -> Option<u64> {
        let base = image.bases.first().copied().unwrap_or(0);
        let header = header_of(image)?;
        match self {
            Self::Block(number) => block_offset(image, number),
            Self::Node { block, node } => {
                let start = Block::node_offset(node.into()) as u64;
                block_offset(image, block)?.checked_add(start)
            }
            Self::Level(number) => {
                base.checked_add(HEADER_BYTES as u64 + RECORD_BYTES as u64 * u64::from(number))
            }
            Self::References { first, .. } => {
                base.checked_add(header.references)?.checked_add(first.checked_mul(4)?)
            }
            Self::Instance(number) => base
                .checked_add(header.instances)?
                .checked_add(INSTANCE_BYTES as u64 * u64::from(number)),
            Self::Directory => Some(base),
        }
    }

    /// Its bytes, where memory has them.
    #[must_use]
    pub fn read(self, image: &Image) -> Option<&[u8]> {
        image.get(self.address(image)?, self.bytes())
    }
}
