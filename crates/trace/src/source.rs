//! What a plain walk goes over: the CPU's copy, or the image's own bytes.

use crate::world::Tlas;
use geometry::{Aabb, Transform};
use std::ops::ControlFlow;
use tree::PrimitiveId;
use tree::primitives::Primitive;

/// A level of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LevelId {
    /// The one with the instances.
    Tlas,
    /// One with primitives, by number.
    Blas(usize),
}

/// Where a link leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkTarget {
    /// To a node.
    Node,
    /// To primitives.
    Leaf,
    /// To an instance, by number.
    Instance(usize),
    /// Nowhere.
    Nothing,
}

/// A child of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Child<L> {
    /// The box around it, in the frame of the node.
    pub(crate) bounds: Aabb,
    /// The map from the level into that frame, if it is another one.
    pub(crate) frame: Option<&'static Transform>,
    /// Its place in the node.
    pub(crate) slot: u8,
    /// Where it leads.
    pub(crate) link: L,
}

/// Levels, nodes, leaves and instances, behind links that always lead to what they say.
pub(crate) trait TraversalSource {
    /// Where a child leads.
    type Link: Copy;

    /// Bytes of a node, for counters.
    const NODE_BYTES: u64;

    /// Bytes of a primitive in a leaf, and of the leaf around them, for counters.
    const LEAF_BYTES: [u64; 2];

    /// The TLAS, if there is one. Without one the scene is [`LevelId::Blas`] 0.
    fn tlas(&self) -> Option<&Tlas>;

    /// The root of a level and the box around it; `None` if there is nothing in it.
    fn root(&self, level: LevelId) -> Option<(Self::Link, Aabb)>;

    /// Where a link leads.
    fn target(&self, link: Self::Link) -> LinkTarget;

    /// Shows the children of a node.
    fn children(&self, level: LevelId, node: Self::Link, visit: impl FnMut(Child<Self::Link>));

    /// Shows the primitives of a leaf, each with where it lies, until `visit` breaks off.
    fn primitives(
        &self,
        level: LevelId,
        leaf: Self::Link,
        visit: impl FnMut(Primitive<'_>, PrimitiveId, Self::Link) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// The name of a link in the steps of a walk.
    fn pointer(&self, link: Self::Link) -> u64;

    /// The address behind a link, in memory that has addresses.
    fn address(&self, level: LevelId, link: Self::Link) -> Option<u64>;
}
