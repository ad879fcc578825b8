//! The format `ttu`: a hierarchy in blocks of 128 bytes, one line of the memory hierarchy each.
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
//! | [`directory`] | what stands around the blocks |
//! | `pack_node`, `pack` | which part of a tree shares a block |
//! | [`encode`](mod@encode) | tree → image |
//! | [`decode`](mod@decode) | image → tree |
//! | [`check`](mod@check) | the proof of an untrusted image |
//! | `contents` | boxes, masks and flags against what is below |
//! | [`rule`] | what can be wrong |
//! | `blocks` | the image as a traversal unit sees it |
//! | [`density`] | nodes a block, bytes a triangle |
//! | [`target`] | the structures of an image, by a number that names each of them |
//! | [`describe`](mod@describe) | one of them in words, of any bytes |
//! | [`outline`](mod@outline) | all of them from the levels down, of any bytes |

pub mod block;
mod blocks;
pub mod check;
mod contents;
pub mod decode;
pub mod density;
pub mod describe;
pub mod directory;
pub mod encode;
pub mod outline;
mod pack;
mod pack_node;
pub mod rule;
pub mod target;

pub use density::Density;
pub use encode::TtuEncodeError;
pub use rule::Rule;

use block::{BlockFields, NodeFields};
use directory::{Directory, HeaderFields, InstanceFields, LevelFields, Parts};
use machine::fields::FieldTable;
use machine::{
    BlockImage, Capabilities, CheckReport, Checked, EncodeError, Format, Image, NodePlace,
    TreeFormat,
};
use target::Target;
use tree::Tree;

/// The name of the format in options, reports and images.
pub const NAME: &str = "ttu";

/// Its structures, for documents.
pub(crate) const STRUCTURES: &[FieldTable] = &[
    BlockFields::TABLE,
    NodeFields::TABLE,
    HeaderFields::TABLE,
    LevelFields::TABLE,
    InstanceFields::TABLE,
];

/// The format `ttu`.
#[derive(Debug, Clone, Copy, Default)]
pub struct TtuFormat;

/// What the check of an image learned: its directory.
#[derive(Debug)]
pub struct Proof {
    directory: Directory,
}

impl Format for TtuFormat {
    type Proof = Proof;

    fn check(image: Image) -> CheckReport<Self> {
        check::check(image)
    }
}

impl TreeFormat for TtuFormat {
    fn capabilities(&self) -> Capabilities {
        Capabilities { ids: false, ..Capabilities::ALL }
    }

    fn encode(&self, tree: &Tree) -> Result<Image, EncodeError> {
        Ok(encode::encode(tree)?)
    }

    fn decode(checked: &Checked<Self>) -> Tree {
        decode::decode(&parts(checked))
    }

    fn node_places(checked: &Checked<Self>) -> Option<Vec<Vec<NodePlace>>> {
        let place = |target: &Target| {
            let address = target.address(checked.image())?;
            Some(NodePlace { pointer: target.pointer(), address })
        };
        let levels = decode::targets(&parts(checked));
        levels.iter().map(|targets| targets.iter().map(place).collect()).collect()
    }

    fn blocks(checked: &Checked<Self>) -> Option<BlockImage> {
        let base = checked.image().bases.first().copied().unwrap_or(0);
        Some(blocks::blocks(&parts(checked), base))
    }
}

/// The arrays of a proved image.
fn parts(checked: &Checked<TtuFormat>) -> Parts<'_> {
    Parts { bytes: check::image_bytes(checked.image()), directory: &checked.proof().directory }
}
