//! The formats as the traits of formats want them.

use crate::encode::{self, Options};
use crate::structure::{Structure, Survey};
use crate::{GFX10_NAME, GFX11_NAME, Generation};
use bvh4::decode::hierarchy;
use bvh4::image::{Examined, blocks, decode, examine};
use machine::{
    BlockImage, Capabilities, CheckReport, Checked, EncodeError, Format, Image, NodePlace,
    ProvedFacts, TreeFormat,
};
use tree::Tree;

/// 4-wide images of one generation. The options matter to the encoder alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bvh4<const GFX11: bool> {
    /// How trees are laid out.
    pub options: Options,
}

/// The format `gfx10-bvh4`.
pub type Gfx10Bvh4 = Bvh4<false>;

/// The format `gfx11-bvh4`.
pub type Gfx11Bvh4 = Bvh4<true>;

impl<const GFX11: bool> Bvh4<GFX11> {
    /// The name of the format.
    pub const NAME: &'static str = if GFX11 { GFX11_NAME } else { GFX10_NAME };
    /// The hardware that reads it.
    pub const GENERATION: Generation = if GFX11 { Generation::Gfx11 } else { Generation::Gfx10 };
}

/// What the check of an image learned: every node that can be reached.
#[derive(Debug)]
pub struct Proof {
    survey: Survey,
}

/// A proved image of either format.
pub(crate) trait Proved: std::fmt::Debug + Send + Sync {
    fn image(&self) -> &Image;
    fn survey(&self) -> &Survey;
    fn facts(&self) -> ProvedFacts;
}

impl<const GFX11: bool> Proved for Checked<Bvh4<GFX11>> {
    fn image(&self) -> &Image {
        Self::image(self)
    }

    fn survey(&self) -> &Survey {
        &self.proof().survey
    }

    fn facts(&self) -> ProvedFacts {
        Self::facts(self)
    }
}

impl<const GFX11: bool> Format for Bvh4<GFX11> {
    type Proof = Proof;

    fn check(image: Image) -> CheckReport<Self> {
        let examined = examine::<Structure>(&image);
        let is_sound = examined.is_sound();
        let Examined { survey, findings, facts, nodes } = examined;
        let checked = is_sound.then(|| Checked::new(image, facts, Proof { survey }));
        CheckReport { checked, findings, nodes }
    }
}

impl<const GFX11: bool> TreeFormat for Bvh4<GFX11> {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ALL
    }

    fn encode(&self, tree: &Tree) -> Result<Image, EncodeError> {
        Ok(encode::encode(tree, Self::GENERATION, &self.options)?)
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
