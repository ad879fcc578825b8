//! The compressed BVH8 format as a [`Format`]: siliray's own packing, and whatever others wrote.

use crate::{check, decode, encode};
use machine::{Capabilities, CheckReport, CheckedImage, EncodeError, Format, Image};
use tree::Tree;

/// The name of the format in options, reports and images.
pub const NAME: &str = "gfx12";

/// The format `gfx12`. Its options matter to the encoder alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gfx12 {
    /// How trees are laid out.
    pub options: encode::Options,
}

impl Format for Gfx12 {
    fn name(&self) -> &'static str {
        NAME
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { instances: true, masks: true, flags: true, procedural: true, ids: true }
    }

    fn encode(&self, tree: &Tree) -> Result<Image, EncodeError> {
        Ok(encode::encode(tree, &self.options)?.image)
    }

    fn check(&self, image: Image) -> CheckReport {
        check::check(image)
    }

    fn decode(&self, image: &CheckedImage) -> Tree {
        decode::decode(image)
    }
}
