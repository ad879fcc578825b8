//! The format as the trait [`Format`] wants it.

use super::{NAME, Options, check, decode, encode};
use machine::{Capabilities, CheckReport, CheckedImage, EncodeError, Format, Image};
use tree::Tree;

/// The format `gfx12-bvh4x2`. Its options matter to the encoder alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gfx12Bvh4x2 {
    /// How trees are laid out.
    pub options: Options,
}

impl Format for Gfx12Bvh4x2 {
    fn name(&self) -> &'static str {
        NAME
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { instances: true, masks: true, flags: true, procedural: true, ids: true }
    }

    fn encode(&self, tree: &Tree) -> Result<Image, EncodeError> {
        Ok(encode::encode(tree, &self.options)?)
    }

    fn check(&self, image: Image) -> CheckReport {
        check::check(image)
    }

    fn decode(&self, image: &CheckedImage) -> Tree {
        decode::decode(image)
    }
}
