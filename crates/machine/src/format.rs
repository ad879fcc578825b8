//! The traits of memory formats.
//!
//! A [`Format`] proves untrusted bytes; a [`TreeFormat`] also turns a [`Tree`] into an [`Image`]
//! and a proved image back into a tree. What users meet of a format (its name, its files, how its
//! structures read) is its entry in the [registry](crate::registry).

use crate::{AnyChecked, BlockImage, Checked, Fetches, Finding, Hit, Image, Severity};
use geometry::{Aabb, Transform};
use std::fmt::Debug;
use std::sync::Arc;
use tree::Tree;

/// What a format can express. A cell of the conformance table that a format cannot have says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// A TLAS with instances.
    pub instances: bool,
    /// Instance masks.
    pub masks: bool,
    /// Opaque and instance flags.
    pub flags: bool,
    /// Procedural boxes.
    pub procedural: bool,
    /// Geometry and primitive ids in the image itself; otherwise a side table keeps them.
    pub ids: bool,
}

impl Capabilities {
    /// Everything.
    pub const ALL: Self =
        Self { instances: true, masks: true, flags: true, procedural: true, ids: true };
}

/// The trees that a format holds best: what a builder is told before it builds for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeShape {
    /// Most children of a node.
    pub width: usize,
    /// Most references of a leaf that stays one.
    pub max_leaf: usize,
    /// How many references of a leaf are tested at the cost of a node.
    pub leaf_test_width: usize,
    /// Whether the boxes of leaves may hold parts of triangles: otherwise spatial splits only add
    /// references.
    pub splits: bool,
}

/// A memory format.
pub trait Format: Sized + Send + Sync + 'static {
    /// What only the check of this format can make, and what it learned: the nodes that can be
    /// reached, their parents, ranges, ids. Its fields are private to the crate, and it is not
    /// `Clone`.
    type Proof: Debug + Send + Sync;

    /// Proves an untrusted image, or says what is wrong with it. Offsets of findings count over the
    /// segments, one after the other in their order.
    fn check(image: Image) -> CheckReport<Self>;
}

/// Why a tree cannot be laid out in some format: that format's own error.
pub type EncodeError = Box<dyn std::error::Error + Send + Sync>;

/// A format that holds trees. A value of it says how trees are laid out.
pub trait TreeFormat: Format {
    /// What the format can express.
    fn capabilities(&self) -> Capabilities;

    /// Lays `tree` out. The same tree gives the same bytes.
    ///
    /// # Errors
    /// When the tree holds something that the format cannot express.
    fn encode(&self, tree: &Tree) -> Result<Image, EncodeError>;

    /// Reads a proved image back: the hierarchy with the boxes as decoded, and the geometry as
    /// stored. [`Checked::tree`] keeps the result.
    fn decode(checked: &Checked<Self>) -> Tree;

    /// A hit by the ids of the scene, in formats whose images number things anew and keep a table
    /// of what they were.
    fn scene_hit(_: &Checked<Self>, hit: Hit) -> Hit {
        hit
    }

    /// Whether the image keeps the opacity of each primitive, and all that a scene says of an
    /// instance.
    fn keeps_flags(_: &Checked<Self>) -> bool {
        false
    }

    /// Whether the image has one geometry an object, in which the primitives of all are numbered
    /// through.
    fn numbers_through(_: &Checked<Self>) -> bool {
        false
    }

    /// Where the nodes of the decoded tree lie in the image: for each BLAS and then for the TLAS,
    /// one place for each of [`tree::Bvh::nodes`]; `None` if nodes of the tree are none of the
    /// image.
    fn node_places(_: &Checked<Self>) -> Option<Vec<Vec<NodePlace>>> {
        None
    }

    /// The boxes of children that lie in the frames of oriented nodes; none if no node is.
    fn oriented_boxes(_: &Checked<Self>) -> Vec<OrientedBox> {
        Vec::new()
    }

    /// The whole image as blocks, which a traversal unit runs; `None` if the format has none.
    fn blocks(_: &Checked<Self>) -> Option<BlockImage> {
        None
    }

    /// What visits of the tree's nodes read of the image; `None` if that is not known.
    fn fetches(checked: &Checked<Self>) -> Option<Fetches> {
        Fetches::of_blocks(checked.tree(), &Self::blocks(checked)?)
    }
}

/// Where a node lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NodePlace {
    /// Its pointer, in the format's own notation.
    pub pointer: u64,
    /// Its address.
    pub address: u64,
}

/// The box of a child of an oriented node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrientedBox {
    /// Where the child lies.
    pub place: NodePlace,
    /// Its box in the frame of the node.
    pub bounds: Aabb,
    /// The map from the space of the level into that frame.
    pub frame: Transform,
}

/// What a check found.
#[derive(Debug)]
pub struct CheckReport<F: Format> {
    /// The proved image, unless an error was found.
    pub checked: Option<Checked<F>>,
    /// Everything that was found: errors, then warnings, each by offset.
    pub findings: Vec<Finding>,
    /// How many nodes were looked at.
    pub nodes: usize,
}

impl<F: Format> CheckReport<F> {
    /// Whether nothing unsafe was found.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        is_sound(&self.findings)
    }
}

impl<F: TreeFormat> CheckReport<F> {
    /// The report without the type of the format.
    #[must_use]
    pub fn erase(self) -> AnyReport {
        let checked = self.checked.map(|checked| Arc::new(checked) as Arc<dyn AnyChecked>);
        AnyReport { checked, findings: self.findings, nodes: self.nodes }
    }
}

/// What the check of some format found.
#[derive(Debug, Default)]
pub struct AnyReport {
    /// The proved image, if it is sound and holds a tree.
    pub checked: Option<Arc<dyn AnyChecked>>,
    /// Everything that was found: errors, then warnings, each by offset.
    pub findings: Vec<Finding>,
    /// How many nodes were looked at.
    pub nodes: usize,
}

impl AnyReport {
    /// The proved image, or the first error.
    ///
    /// # Errors
    /// When the image is unsound, or holds no tree.
    pub fn into_checked(self) -> Result<Arc<dyn AnyChecked>, Box<Finding>> {
        let mut findings = self.findings.into_iter();
        self.checked.ok_or_else(|| {
            let error = findings.find(|finding| finding.severity == Severity::Error);
            Box::new(error.unwrap_or_else(Finding::unproved))
        })
    }

    /// Whether nothing unsafe was found.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        is_sound(&self.findings)
    }
}

fn is_sound(findings: &[Finding]) -> bool {
    findings.iter().all(|finding| finding.severity != Severity::Error)
}
