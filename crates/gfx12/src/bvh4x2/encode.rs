//! Tree → image.

use super::write::Structure;
use super::{EncodeError, GEOMETRY_LIMIT, NAME, blas, tlas};
use crate::layout::bvh4x2::Bvh4Pointer;
use bvh4::encode::contents::Contents;
use bvh4::encode::draft::{Draft, Leaf, LooseLeaf, NewLeaf};
use bvh4::encode::leaves::{contents, kept_leaves, paired_leaves};
use bvh4::encode::levels::{self, BlasFacts, Layout, Terms};
use bvh4::encode::places::NodeBytes;
use machine::Image;
use tree::{Blas, Instance, Primitives, Tlas, Tree};

/// How the planes of boxes are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BoxPrecision {
    /// As they are: 128 bytes a box.
    #[default]
    Fp32,
    /// In 18 bits, rounded outward: 64 bytes a box.
    High,
}

impl BoxPrecision {
    /// The name used in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fp32 => "fp32",
            Self::High => "high",
        }
    }

    /// The pointer to every root.
    pub(super) const fn root(self) -> Bvh4Pointer {
        match self {
            Self::Fp32 => Bvh4Pointer(5),
            Self::High => Bvh4Pointer(4),
        }
    }
}

/// The knobs of the encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How planes are stored.
    pub precision: BoxPrecision,
    /// Whether boxes are widened so that the unit's own box test loses no hit (G-36).
    pub margin: bool,
    /// Whether leaves and nodes stay as they are wherever the format can hold them.
    pub keep_leaves: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self::new(BoxPrecision::Fp32)
    }
}

impl Options {
    /// The options for a tree that was built: a margin, and triangles are paired.
    #[must_use]
    pub const fn new(precision: BoxPrecision) -> Self {
        Self { precision, margin: true, keep_leaves: false }
    }

    /// The options for a tree that was decoded from an image: its boxes are as wide as they should
    /// be, and its triangles are paired.
    #[must_use]
    pub const fn decoded(precision: BoxPrecision) -> Self {
        Self { precision, margin: false, keep_leaves: true }
    }
}

/// Lays a tree out. The same tree gives the same bytes.
///
/// # Errors
/// When the tree holds something that the format cannot express.
pub fn encode(tree: &Tree, options: &Options) -> Result<Image, EncodeError> {
    let (segments, base) = levels::encode(&Bvh4x2(*options), tree)?;
    let root = options.precision.root().into();
    Ok(Image { format: NAME, segments, bases: vec![base; 2], root })
}

/// The layout.
struct Bvh4x2(Options);

impl Layout for Bvh4x2 {
    type Level = Structure;

    fn terms(&self) -> Terms {
        Terms {
            first_address: 0x1_0000,
            alignment: 4096,
            geometry_limit: GEOMETRY_LIMIT,
            margin: self.0.margin,
            keep_leaves: self.0.keep_leaves,
        }
    }

    fn leaves(&self, loose: &[LooseLeaf<'_>], primitives: &Primitives) -> Vec<NewLeaf> {
        match self.0.keep_leaves {
            true => kept_leaves(loose, primitives),
            false => paired_leaves(loose, primitives),
        }
    }

    fn blas(
        &self,
        number: usize,
        blas: &Blas,
        draft: Draft,
        margin: f32,
    ) -> Result<Structure, EncodeError> {
        let contents = |leaf: &Leaf| contents(leaf, &blas.primitives);
        Structure::new(number, draft, self.0.precision, margin, contents)
    }

    fn tlas(
        &self,
        _: &Tlas,
        blases: &[BlasFacts],
        draft: Draft,
        margin: f32,
    ) -> Result<Structure, EncodeError> {
        Structure::new(blases.len(), draft, self.0.precision, margin, |_| Contents::NOTHING)
    }

    fn leaf_bytes(&self, leaf: &Leaf, primitives: &Primitives) -> NodeBytes {
        blas::leaf_bytes(leaf, primitives)
    }

    fn instance_bytes(&self, number: u32, instance: &Instance, below: &BlasFacts) -> NodeBytes {
        tlas::instance_bytes(number, instance, below, self.0.precision)
    }
}
