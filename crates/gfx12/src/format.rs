//! The compressed BVH8 format: siliray's own packing, and whatever others wrote.

use crate::survey::{Memory, Survey, address_order};
use crate::{blocks, check, decode, encode, fetches};
use machine::{
    BlockImage, Capabilities, CheckReport, Checked, EncodeError, Fetches, Format, Image, NodePlace,
    OrientedBox, TreeFormat,
};
use tree::Tree;

/// The name of the format in options, reports and images.
pub const NAME: &str = "gfx12";

/// The format `gfx12`. Its options matter to the encoder alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gfx12 {
    /// How trees are laid out.
    pub options: encode::Options,
}

/// What the check of an image learned: every node that can be reached, and the order of its
/// segments.
#[derive(Debug)]
pub struct Proof {
    survey: Survey,
    segment_order: Vec<u32>,
}

impl Proof {
    pub(crate) fn new(image: &Image, survey: Survey) -> Self {
        Self { survey, segment_order: address_order(&image.segments) }
    }

    /// Every node that can be reached.
    #[must_use]
    pub fn survey(&self) -> &Survey {
        &self.survey
    }
}

/// The memory of a proved image.
pub(crate) fn memory(checked: &Checked<Gfx12>) -> Memory<'_> {
    Memory::in_order(checked.image(), &checked.proof().segment_order)
}

impl Format for Gfx12 {
    type Proof = Proof;

    fn check(image: Image) -> CheckReport<Self> {
        check::check(image)
    }
}

impl TreeFormat for Gfx12 {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ALL
    }

    fn encode(&self, tree: &Tree) -> Result<Image, EncodeError> {
        Ok(encode::encode(tree, &self.options)?.image)
    }

    fn decode(checked: &Checked<Self>) -> Tree {
        decode::decode(checked)
    }

    fn keeps_flags(_: &Checked<Self>) -> bool {
        true
    }

    fn numbers_through(checked: &Checked<Self>) -> bool {
        let structures = &checked.proof().survey().structures;
        structures.iter().any(|surveyed| surveyed.structure.is_hiprt())
    }

    fn node_places(checked: &Checked<Self>) -> Option<Vec<Vec<NodePlace>>> {
        Some(decode::hierarchy::node_places(checked.proof().survey()))
    }

    fn oriented_boxes(checked: &Checked<Self>) -> Vec<OrientedBox> {
        decode::oriented_boxes(checked)
    }

    fn blocks(checked: &Checked<Self>) -> Option<BlockImage> {
        Some(blocks::blocks(checked))
    }

    fn fetches(checked: &Checked<Self>) -> Option<Fetches> {
        Some(fetches::fetches(checked))
    }
}
