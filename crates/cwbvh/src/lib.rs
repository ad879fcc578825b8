//! The format `cwbvh`: the compressed wide BVH of Henri Ylitie, Tero Karras and Samuli Laine,
//! "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs", High-Performance
//! Graphics 2017.
//!
//! A node takes 80 bytes and has up to eight children. Their boxes are stored in 8 bits a plane, on
//! a grid of the node's own whose cells are powers of two wide. Children stand in the slots that
//! suit the octants that they lie in, so that a walk visits them near to far without sorting. A
//! leaf has up to three triangles, which lie beside those of its siblings.
//!
//! The paper defines the nodes. What stands around them is siliray's: levels, so that there can be
//! instances, and a side table of ids. Everything is little endian.
//!
//! | segment | what it holds |
//! |---|---|
//! | directory | a header of 64 bytes, then a record of 64 bytes for each level |
//! | nodes of a level | 80 bytes each; node 0 is the root; a level without nodes is empty |
//! | items of a BLAS | triangles, 36 bytes each: three corners |
//! | items of a TLAS | references, 4 bytes each: numbers of instances |
//! | side table of a BLAS | 12 bytes for each triangle: geometry, primitive, flags |
//! | side table of a TLAS | the instances, 112 bytes each |
//!
//! | file | concept |
//! |---|---|
//! | [`node`] | 80 bytes, field by field, with the worked example |
//! | [`directory`] | what stands around the nodes |
//! | [`slots`] | which child stands in which slot |
//! | `fit` | a hierarchy with at most three triangles a leaf |
//! | [`encode`](mod@encode) | tree → image |
//! | `decode` | image → tree |
//! | `check`, `contents`, [`rule`] | the proof of an untrusted image, and what can be wrong |
//! | `blocks` | the image as a traversal unit sees it |
//! | `outline`, `describe` | the structures of any bytes, in words |
//! | [`registry`] | the format as users meet it |

mod blocks;
mod check;
mod contents;
mod decode;
mod describe;
pub mod directory;
pub mod encode;
mod fit;
pub mod node;
mod outline;
pub mod registry;
pub mod rule;
pub mod slots;

pub use encode::CwbvhEncodeError;
pub use rule::Rule;

use directory::{Level, LevelFields};
use machine::{
    BlockImage, Capabilities, CheckReport, Checked, EncodeError, Format, Image, NodePlace,
    TreeFormat,
};
use tree::Tree;

/// The name of the format.
pub const NAME: &str = "cwbvh";

/// What the format can express: the nodes hold triangles only, and ids stand in a side table.
pub const CAPABILITIES: Capabilities =
    Capabilities { procedural: false, ids: false, ..Capabilities::ALL };

/// The format `cwbvh`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cwbvh;

/// What the check of an image learned: its levels.
#[derive(Debug)]
pub struct Proof {
    levels: Vec<LevelFields>,
}

impl Format for Cwbvh {
    type Proof = Proof;

    fn check(image: Image) -> CheckReport<Self> {
        check::check(image)
    }
}

impl TreeFormat for Cwbvh {
    fn capabilities(&self) -> Capabilities {
        CAPABILITIES
    }

    fn encode(&self, tree: &Tree) -> Result<Image, EncodeError> {
        Ok(encode::encode(tree)?)
    }

    fn decode(checked: &Checked<Self>) -> Tree {
        decode::decode(&levels(checked))
    }

    fn node_places(checked: &Checked<Self>) -> Option<Vec<Vec<NodePlace>>> {
        Some(decode::node_places(&levels(checked)))
    }

    fn blocks(checked: &Checked<Self>) -> Option<BlockImage> {
        Some(blocks::blocks(&levels(checked)))
    }
}

fn levels(checked: &Checked<Cwbvh>) -> Vec<Level<'_>> {
    checked.proof().levels.iter().map(|record| Level::open(checked.image(), record)).collect()
}
