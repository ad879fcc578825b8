//! Format `tree`: the tree itself as bytes, nothing compressed.
//!
//! The baseline that compressed formats are measured against, and the shortest example of a
//! [`TreeFormat`]. Little endian. A *directory* comes first, then the arrays of each level, each in
//! a segment of its own:
//!
//! | directory | bytes | field |
//! |---|---|---|
//! | header | 0..4 | number of levels; the last one is the TLAS if its kind says so |
//! | | 4..128 | 0 |
//! | record `i` | 128 + 128 i .. | one level, below |
//!
//! | record bytes | field |
//! |---|---|
//! | 0..4 | kind: 0 BLAS, 1 TLAS |
//! | 4..8, 8..12 | number of nodes, of references |
//! | 12..16, 16..20 | number of triangles (TLAS: instances), of procedural boxes |
//! | 20..24 | root word, as a child word |
//! | 24..48 | box of the root: min x, y, z, max x, y, z as f32 |
//! | 48..56, 56..64 | address of the nodes, of the references |
//! | 64..72, 72..80, 80..88 | address of the triangles (TLAS: instances), boxes, ids |
//! | 88..128 | 0 |
//!
//! | node bytes (256, two lines) | field |
//! |---|---|
//! | 4 i .. 4 i + 4, i = 0..7 | child word; children fill the slots from 0; 0xFFFFFFFF = none |
//! | 32 + 24 i .. | box of child i: min x, y, z, max x, y, z as f32; zero where there is no child |
//!
//! A child word is `0x8000_0000 | count << 24 | first reference` for a leaf (count below 127) and
//! the number of a node otherwise. Node `k` holds the `k`-th group of siblings in the order of
//! [`tree::Bvh::nodes`], so decoding gives the same array back.
//!
//! | other arrays | bytes each | fields |
//! |---|---|---|
//! | reference | 4 | number of a primitive or instance |
//! | triangle | 36 | three corners, f32 |
//! | procedural box | 24 | min, max, f32 |
//! | id | 12 | geometry, primitive, flags (u32; [`tree::PrimitiveFlags`]) |
//! | instance | 112 | world to object 48, and back 48, BLAS, mask, custom index, flags (u32) |
//!
//! Worked example: a leaf with two references from number 5 on has the word `0x8200_0005`.
//!
//! ```
//! assert_eq!(machine::tree_format::leaf_word(5, 2), Some(0x8200_0005));
//! ```

mod blocks;
mod check;
mod decode;
mod describe;
mod encode;
mod entry;

pub use check::Rule;
pub use encode::TreeFormatError;

pub use entry::FORMATS;

use crate::{
    BlockImage, Capabilities, CheckReport, Checked, EncodeError, Format, Image, NodePlace,
    TreeFormat,
};
use tree::{Primitives, Tree};

/// The name of the format.
pub const NAME: &str = "tree";

const DIRECTORY_ADDRESS: u64 = 0x1000;
const HEADER_BYTES: usize = 128;
const RECORD_BYTES: usize = 128;
pub(crate) const NODE_BYTES: usize = 256;
pub(crate) const REFERENCE_BYTES: usize = 4;
const TRIANGLE_BYTES: usize = 36;
const BOX_BYTES: usize = 24;
const ID_BYTES: usize = 12;
pub(crate) const INSTANCE_BYTES: usize = 112;
const SLOTS: usize = 8;
const NO_CHILD: u32 = 0xFFFF_FFFF;
const LEAF: u32 = 1 << 31;
const MAX_LEAF_COUNT: usize = 126;
const MAX_REFERENCES: usize = 1 << 24;

/// The format `tree`.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainTree;

/// The word of a leaf, if its numbers fit.
#[must_use]
pub fn leaf_word(first: usize, count: usize) -> Option<u32> {
    (first < MAX_REFERENCES && count <= MAX_LEAF_COUNT)
        .then_some(LEAF | (count as u32) << 24 | first as u32)
}

/// Bytes of a primitive, without its ids.
pub(crate) fn primitive_bytes(primitives: &Primitives, number: u32) -> usize {
    let is_triangle = (number as usize) < primitives.triangles.len();
    if is_triangle { TRIANGLE_BYTES } else { BOX_BYTES }
}

/// First reference and count of a leaf word; `None` for a node.
fn leaf_range(word: u32) -> Option<(u32, u32)> {
    (word & LEAF != 0).then_some((word & 0x00FF_FFFF, word >> 24 & 0x7F))
}

/// Reading an image is its proof; nothing else is kept of it.
#[derive(Debug)]
pub struct Proof(());

impl Format for PlainTree {
    type Proof = Proof;

    fn check(image: Image) -> CheckReport<Self> {
        check::check(image)
    }
}

impl TreeFormat for PlainTree {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ALL
    }

    fn encode(&self, tree: &Tree) -> Result<Image, EncodeError> {
        Ok(encode::encode(tree)?)
    }

    fn decode(checked: &Checked<Self>) -> Tree {
        // The check has read it without an error.
        decode::read(checked.image()).unwrap_or(Tree { blases: Vec::new(), tlas: None })
    }

    fn node_places(checked: &Checked<Self>) -> Option<Vec<Vec<NodePlace>>> {
        describe::node_places(checked.image())
    }

    fn blocks(checked: &Checked<Self>) -> Option<BlockImage> {
        Some(blocks::blocks(checked.image()))
    }
}

#[cfg(test)]
mod tests;
