//! What the nodes and leaves of a wide tree cost.

use crate::options::Options;

/// The costs by which a wide tree is chosen among those that a binary tree allows. Areas are half
/// areas in a unit of the tree's own ([`BinaryTree::root_area`](crate::BinaryTree::root_area)).
pub trait Objective: Sync {
    /// The cost of a node whose box has this area, without what is below it.
    fn node(&self, area: f32) -> f32;
    /// The cost of a leaf over several leaves of the binary tree, given their weight together;
    /// infinite where there may be no such leaf.
    fn leaf(&self, weight: u32, area: f32) -> f32;
    /// The cost of a leaf over one leaf of the binary tree, which is always allowed.
    fn single(&self, item: u32, area: f32) -> f32;
    /// The weight of a leaf of the binary tree.
    fn weight(&self, item: u32) -> u32;
    /// What a leaf of the binary tree holds.
    fn items(&self, item: u32) -> impl Iterator<Item = u32>;
    /// Whether leaves of the binary tree may hold the same items, as after spatial splits. If not,
    /// a leaf over several of them holds as many items as they weigh.
    fn repeats(&self) -> bool {
        true
    }
}

/// The surface-area heuristic: 1 for a node and 1 for each test of references.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SurfaceArea {
    max_leaf: u32,
    leaf_test_width: u32,
}

impl SurfaceArea {
    pub(crate) fn new(options: &Options) -> Self {
        Self { max_leaf: options.max_leaf as u32, leaf_test_width: options.leaf_test_width as u32 }
    }
}

impl Objective for SurfaceArea {
    #[inline(always)]
    fn node(&self, area: f32) -> f32 {
        area
    }

    #[inline(always)]
    fn leaf(&self, weight: u32, area: f32) -> f32 {
        if weight > self.max_leaf {
            f32::INFINITY
        } else if self.leaf_test_width == 1 {
            area * weight as f32
        } else {
            area * weight.div_ceil(self.leaf_test_width) as f32
        }
    }

    #[inline(always)]
    fn single(&self, _: u32, area: f32) -> f32 {
        area
    }

    #[inline(always)]
    fn weight(&self, _: u32) -> u32 {
        1
    }

    #[inline(always)]
    fn items(&self, item: u32) -> impl Iterator<Item = u32> {
        std::iter::once(item)
    }
}
