//! Images whose structure has been proved.

use crate::{BlockImage, Fetches, Format, Hit, Image, NodePlace, OrientedBox, TreeFormat};
use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};
use tree::Tree;

/// What a check proved of an image, beyond that it is safe to walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProvedFacts {
    /// Every primitive lies inside the decoded boxes of all its ancestors, in each node's frame.
    pub lossless: bool,
    /// Every node's parent pointer names its parent.
    pub parents: bool,
    /// Every coordinate and every plane is finite.
    pub finite: bool,
}

/// An image of the format `F` whose structure has been proved.
///
/// Untrusted bytes become one only through the check of `F`: the fields of [`Format::Proof`] are
/// private to the crate of `F`, so that nobody else can call [`Checked::new`], and neither a proof
/// nor a checked image can be copied. Machines that read bytes take nothing else, so they need no
/// bounds tests. It owns its bytes, which cannot be changed any more, and what the check learned of
/// them.
pub struct Checked<F: Format> {
    image: Image,
    facts: ProvedFacts,
    proof: F::Proof,
    tree: OnceLock<Arc<Tree>>,
}

impl<F: Format> Checked<F> {
    /// States that `proof` has been made for `image`. Only the check of `F` can:
    ///
    /// ```
    /// use machine::{Checked, Format, Image, PlainTree};
    /// let image = Image { format: "tree", segments: vec![], bases: vec![], root: 0 };
    /// let checked: Option<Checked<PlainTree>> = PlainTree::check(image).checked;
    /// assert!(checked.is_none());
    /// ```
    ///
    /// ```compile_fail,E0603
    /// use machine::{Checked, Image, PlainTree, ProvedFacts, tree_format};
    /// let image = Image { format: "tree", segments: vec![], bases: vec![], root: 0 };
    /// let facts = ProvedFacts::default();
    /// let checked: Checked<PlainTree> = Checked::new(image, facts, tree_format::Proof(()));
    /// ```
    #[must_use]
    pub fn new(image: Image, facts: ProvedFacts, proof: F::Proof) -> Self {
        Self { image, facts, proof, tree: OnceLock::new() }
    }

    /// The image.
    #[must_use]
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// What was proved.
    #[must_use]
    pub fn facts(&self) -> ProvedFacts {
        self.facts
    }

    /// What the check learned.
    #[must_use]
    pub fn proof(&self) -> &F::Proof {
        &self.proof
    }
}

impl<F: TreeFormat> Checked<F> {
    /// The same, where the check has decoded the tree.
    #[must_use]
    pub fn with_tree(image: Image, facts: ProvedFacts, proof: F::Proof, tree: Tree) -> Self {
        Self { tree: OnceLock::from(Arc::new(tree)), ..Self::new(image, facts, proof) }
    }

    /// The hierarchy with the boxes as decoded, and the geometry as stored. Decoded once.
    #[must_use]
    pub fn tree(&self) -> &Arc<Tree> {
        self.tree.get_or_init(|| Arc::new(F::decode(self)))
    }
}

impl<F: Format> fmt::Debug for Checked<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checked").field("image", &self.image).field("facts", &self.facts).finish()
    }
}

/// A checked image of any format that holds a tree. Machines that read one format ask for it with
/// [`downcast`]; others read the tree or the blocks.
pub trait AnyChecked: Send + Sync + fmt::Debug {
    /// The image; its field `format` names the format.
    fn image(&self) -> &Image;

    /// What was proved.
    fn facts(&self) -> ProvedFacts;

    /// As [`Checked::tree`].
    fn tree(&self) -> &Arc<Tree>;

    /// As [`TreeFormat::scene_hit`].
    fn scene_hit(&self, hit: Hit) -> Hit;

    /// As [`TreeFormat::keeps_flags`].
    fn keeps_flags(&self) -> bool;

    /// As [`TreeFormat::numbers_through`].
    fn numbers_through(&self) -> bool;

    /// As [`TreeFormat::node_places`].
    fn node_places(&self) -> Option<Vec<Vec<NodePlace>>>;

    /// As [`TreeFormat::oriented_boxes`].
    fn oriented_boxes(&self) -> Vec<OrientedBox>;

    /// The image as blocks; `None` if the format has none.
    fn blocks(&self) -> Option<BlockImage>;

    /// As [`TreeFormat::fetches`].
    fn fetches(&self) -> Option<Fetches>;

    /// The image as its own type.
    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

impl<F: TreeFormat> AnyChecked for Checked<F> {
    fn image(&self) -> &Image {
        &self.image
    }

    fn facts(&self) -> ProvedFacts {
        self.facts
    }

    fn tree(&self) -> &Arc<Tree> {
        self.tree()
    }

    fn scene_hit(&self, hit: Hit) -> Hit {
        F::scene_hit(self, hit)
    }

    fn keeps_flags(&self) -> bool {
        F::keeps_flags(self)
    }

    fn numbers_through(&self) -> bool {
        F::numbers_through(self)
    }

    fn node_places(&self) -> Option<Vec<Vec<NodePlace>>> {
        F::node_places(self)
    }

    fn oriented_boxes(&self) -> Vec<OrientedBox> {
        F::oriented_boxes(self)
    }

    fn blocks(&self) -> Option<BlockImage> {
        F::blocks(self)
    }

    fn fetches(&self) -> Option<Fetches> {
        F::fetches(self)
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// The image as one of the format `F`; `None` if it has another.
#[must_use]
pub fn downcast<F: TreeFormat>(checked: &Arc<dyn AnyChecked>) -> Option<Arc<Checked<F>>> {
    Arc::clone(checked).as_any().downcast().ok()
}
