//! The formats `xphmg-fp32`, `-fp16`, `-bf16`, `-int16q`, `-int8q`, `-e4m3` and `-e5m2`: a tree as
//! node tiles, TriRanges and a triangle buffer, as RT programs and offload jobs read them.
//!
//! * Stored geometry is rounded to nearest in the element format; every box is widened by the
//!   margin (see [`margin`]) and rounded outward, so it contains the stored triangles below it.
//! * Triangles lie in the order of their ids, each once. A hit's `prim` is the position in that
//!   order, so ties at equal `t` are settled alike in jobs and in scenes. A leaf whose triangles
//!   are not neighbours in that order becomes a node over several ranges.
//! * In FP32 an instanced scene has two levels ([`instance`], X-65); in other elements, and on
//!   request, placed geometry is flattened. A table beside the tiles says which instance, geometry
//!   and primitive each triangle came from.
//! * Leaf boxes contain whole triangles, also where a spatial split referred to a part.
//!
//! | file | concept |
//! |---|---|
//! | [`precision`] | the precisions and the policies that they stand for |
//! | [`header`] | what stands in front of the tiles |
//! | [`instance`] | the records of instances and BLASes |
//! | [`margin`] | how far boxes are widened, and why |
//! | [`flatten`] | a tree as triangles in order and one hierarchy over them |
//! | [`quantise`] | coordinates to elements |
//! | [`encode`](mod@encode) | tree → image |
//! | [`contents`] | typed access to a proved image |
//! | [`check`](mod@check) | the proof of an untrusted image |
//! | [`rule`] | what can be wrong |
//! | [`decode`](mod@decode) | image → tree |
//! | [`target`] | the structures of an image, by a number that names each of them |
//! | [`describe`](mod@describe) | one of them in words, of any bytes |
//! | [`outline`](mod@outline) | all of them from the header down, of any bytes |
//! | [`blocks`](mod@blocks) | the image as a traversal unit sees it |

pub mod blocks;
pub mod check;
pub mod contents;
pub mod decode;
pub mod describe;
pub mod encode;
pub mod flatten;
pub mod header;
pub mod instance;
pub mod margin;
pub mod outline;
pub mod precision;
pub mod quantise;
pub mod rule;
pub mod target;

pub use encode::TilesError;
pub use precision::Precision;
pub use rule::Rule;

use crate::layout::node::NodeShape;
use crate::numeric::ElementFormat;
use crate::readings::NodeLayout;
use contents::{Contents, Parsed};
use flatten::Name;
use machine::{
    BlockImage, Capabilities, CheckReport, Checked, EncodeError, Format, Hit, Image, NodePlace,
    TreeFormat,
};
use target::Target;
use tree::Tree;

/// One of the formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiles {
    /// Element format.
    pub precision: Precision,
    /// Nodes of eight children instead of four.
    pub wide: bool,
    /// Whether boxes are widened so that rounding in box tests loses nothing.
    pub margin: bool,
    /// Packed tiles, or the literal structure of three children in 88 bytes.
    pub layout: NodeLayout,
    /// Whether placed geometry is flattened where it need not be; elements other than FP32 always
    /// do.
    pub flat: bool,
}

impl Tiles {
    /// Packed tiles of four children, with the margin.
    #[must_use]
    pub const fn new(precision: Precision) -> Self {
        Self { precision, wide: false, margin: true, layout: NodeLayout::Packed, flat: false }
    }

    /// Whether an instanced scene gets two levels.
    #[must_use]
    pub const fn keeps_instances(&self) -> bool {
        matches!(self.precision, Precision::Fp32) && !self.flat
    }

    /// Where things are in its nodes.
    #[must_use]
    pub const fn shape(&self, elements: ElementFormat) -> NodeShape {
        NodeShape::new(elements, self.layout, self.wide)
    }
}

/// What the check of an image learned: its header, and what follows from it.
#[derive(Debug)]
pub struct Proof {
    parsed: Parsed,
}

impl Format for Tiles {
    type Proof = Proof;

    fn check(image: Image) -> CheckReport<Self> {
        check::check(image)
    }
}

impl TreeFormat for Tiles {
    fn capabilities(&self) -> Capabilities {
        let instances = self.keeps_instances();
        Capabilities { instances, masks: false, flags: false, procedural: false, ids: false }
    }

    fn encode(&self, tree: &Tree) -> Result<Image, EncodeError> {
        Ok(encode::encode(tree, self)?)
    }

    fn decode(checked: &Checked<Self>) -> Tree {
        decode::decode(&contents_of(checked))
    }

    fn node_places(checked: &Checked<Self>) -> Option<Vec<Vec<NodePlace>>> {
        let contents = contents_of(checked);
        let place = |target: Target| {
            let (address, _) = target.place(checked.image(), &contents);
            NodePlace { pointer: target.pointer(), address }
        };
        let levels = decode::targets(&contents).into_iter();
        Some(levels.map(|targets| targets.into_iter().map(place).collect()).collect())
    }

    fn scene_hit(checked: &Checked<Self>, hit: Hit) -> Hit {
        let contents = contents_of(checked);
        if !contents.header.flattened {
            return hit;
        }
        let Name { instance, geometry, primitive } = contents.name(hit.primitive);
        Hit { instance, geometry, primitive, ..hit }
    }

    fn blocks(checked: &Checked<Self>) -> Option<BlockImage> {
        Some(blocks::blocks(&contents_of(checked)))
    }
}

/// What a proved image holds.
pub(crate) fn contents_of(checked: &Checked<Tiles>) -> Contents<'_> {
    checked.proof().parsed.contents(checked.image())
}
