//! The formats and machines that are tried.

use geometry::TriangleRule;
use gfx12::Gfx12;
use gfx12::uncompressed::{BoxPrecision, Gfx12Bvh4x2, Options as DualLayout};
use gfx12::walk::{self, Dual};
use machine::{CheckedImage, Format, Machine, Reference, TreeFormat};
use std::error::Error;
use std::fmt;
use tree::Tree;

/// A machine on a format.
pub(super) struct Contender {
    pub(super) format: &'static dyn Format,
    /// The machine's name.
    pub(super) machine: &'static str,
    /// Whether it uses the hardware's own box test, which loses hits of rays that start too far away.
    pub(super) hardware_boxes: bool,
    /// Makes the machine over a proved image and the tree that was decoded from it.
    pub(super) make: for<'a> fn(&'a CheckedImage, &'a Tree, TriangleRule) -> Made<'a>,
}

/// A machine, or why there is none.
pub(super) type Made<'a> = Result<Box<dyn Machine + 'a>, Box<dyn Error + Send + Sync>>;

static BVH4X2: Gfx12Bvh4x2 = Gfx12Bvh4x2 { options: DualLayout::new(BoxPrecision::Fp32) };

/// All of them, in the order of the table; machines on one format stand together.
pub(super) static CONTENDERS: &[Contender] = &[
    reference(&TreeFormat),
    reference(&Gfx12),
    reference(&BVH4X2),
    Contender {
        format: &BVH4X2,
        machine: "gfx12-dual",
        hardware_boxes: true,
        make: |image, _, rule| Ok(Box::new(Dual::new(image, walk::Options::dual(rule))?)),
    },
];

/// The reference machine, which walks the decoded tree of any format.
const fn reference(format: &'static dyn Format) -> Contender {
    Contender {
        format,
        machine: "reference",
        hardware_boxes: false,
        make: |_, tree, rule| Ok(Box::new(Reference::new(tree, rule))),
    }
}

impl Contender {
    pub(super) fn same_format(&self, other: &Self) -> bool {
        self.format.name() == other.format.name()
    }
}

impl fmt::Debug for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.machine, self.format.name())
    }
}
