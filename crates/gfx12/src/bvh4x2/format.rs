//! The format as the traits of formats want it.

use super::survey::Survey;
use super::{Options, check, encode};
use bvh4::decode::hierarchy;
use bvh4::image::{blocks, decode};
use machine::{
    BlockImage, Capabilities, CheckReport, Checked, EncodeError, Format, Image, NodePlace,
    TreeFormat,
};
use tree::Tree;

/// The format `gfx12-bvh4x2`. Its options matter to the encoder alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gfx12Bvh4x2 {
    /// How trees are laid out.
    pub options: Options,
}

/// What the check of an image learned: every node that can be reached.
#[derive(Debug)]
pub struct Proof {
    pub(crate) survey: Survey,
}

impl Format for Gfx12Bvh4x2 {
    type Proof = Proof;

    fn check(image: Image) -> CheckReport<Self> {
        check::check(image)
    }
}

impl TreeFormat for Gfx12Bvh4x2 {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ALL
    }

    fn encode(&self, tree: &Tree) -> Result<Image, EncodeError> {
        Ok(encode::encode(tree, &self.options)?)
    }

    fn decode(checked: &Checked<Self>) -> Tree {
        decode::decode(checked.image(), &checked.proof().survey)
    }

    fn keeps_flags(_: &Checked<Self>) -> bool {
        true
    }

    fn node_places(checked: &Checked<Self>) -> Option<Vec<Vec<NodePlace>>> {
        Some(hierarchy::node_places(&checked.proof().survey))
    }

    fn blocks(checked: &Checked<Self>) -> Option<BlockImage> {
        Some(blocks::blocks(checked.image(), &checked.proof().survey))
    }
}
