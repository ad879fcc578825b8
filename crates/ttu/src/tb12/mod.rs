//! TB12: a hierarchy in blocks of 128 bytes, one line of the memory hierarchy each.
//!
//! A block has its own coordinates, relative to the world and not to its parent, so that errors do
//! not add up down the tree and any block decodes alone (US 9,552,664). Its root has up to eight
//! children, and up to twelve nodes in all share the block: what is likely to be visited together
//! is fetched together.
//!
//! Boxes are conservative by proof: every plane is placed by exact comparison and rounded outward,
//! and the check compares primitives with `origin + q 2^e` exactly.
//!
//! | file | concept |
//! |---|---|
//! | [`block`] | 128 bytes, field by field, with the worked example |
//! | [`quantize`] | planes to cells, exactly |
//! | [`directory`] | what stands around the blocks |
//! | `sprout`, `pack` | which part of a tree shares a block |
//! | [`encode`](mod@encode) | tree → image |
//! | [`decode`](mod@decode) | image → tree |
//! | [`check`](mod@check) | the proof of an untrusted image |
//! | `contents` | boxes, masks and flags against what is below |
//! | [`rule`] | what can be wrong |
//! | `blocks` | the image as a traversal unit sees it |
//! | [`density`] | nodes a block, bytes a triangle |
//! | [`outline`](mod@outline) | every node from the roots down, of any bytes |

pub mod block;
mod blocks;
pub mod check;
mod contents;
pub mod decode;
pub mod density;
pub mod directory;
pub mod encode;
pub mod outline;
mod pack;
pub mod quantize;
pub mod rule;
mod sprout;

pub use density::Density;
pub use encode::Tb12Error;
pub use rule::Rule;

use machine::{
    BlockFormat, BlockImage, Capabilities, CheckReport, CheckedImage, EncodeError, Format, Image,
};
use tree::Tree;

/// The name of the format in options, reports and images.
pub const NAME: &str = "ttu";

/// The format `ttu`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tb12;

impl Format for Tb12 {
    fn name(&self) -> &'static str {
        NAME
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { instances: true, masks: true, flags: true, procedural: true, ids: false }
    }

    fn encode(&self, tree: &Tree) -> Result<Image, EncodeError> {
        Ok(encode::encode(tree)?)
    }

    fn check(&self, image: Image) -> CheckReport {
        check::check(image)
    }

    fn decode(&self, image: &CheckedImage) -> Tree {
        decode::decode(image)
    }
}

impl BlockFormat for Tb12 {
    fn blocks(&self, image: &CheckedImage) -> BlockImage {
        blocks::blocks(image)
    }
}
