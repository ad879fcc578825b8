//! Binary trees over any boxes, for those whose wide trees have costs of their own.

use crate::collapse;
use crate::full_sweep;
use crate::objective::Objective;
use crate::plan;
use crate::progress::Monitor;
use crate::reinsertion::{self, Effort};
use crate::scratch::Scratch;
use crate::tagged_box::TaggedBox;
use crate::{BuildError, Progress};
use geometry::Aabb;
use std::ops::ControlFlow;
use tree::Bvh;

/// A binary tree with a box in each leaf, good enough that time did not count.
pub struct BinaryTree {
    nodes: Scratch<TaggedBox>,
}

impl BinaryTree {
    /// The tree over boxes, none of them empty, each with a weight: how many references it stands
    /// for. Their positions are the items of the leaves. `None` if there are no boxes.
    ///
    /// # Errors
    /// None: nobody cancels.
    pub fn new(
        boxes: impl Iterator<Item = (Aabb, u32)>,
        effort: Effort,
    ) -> Result<Option<Self>, BuildError> {
        let reference = |(item, (bounds, weight)): (u32, (Aabb, u32))| {
            TaggedBox::new(bounds.into(), item, weight)
        };
        let references: Vec<TaggedBox> = (0..).zip(boxes).map(reference).collect();
        if references.is_empty() {
            return Ok(None);
        }
        let mut nodes = full_sweep::build(&references);
        reinsertion::optimise(&mut nodes, effort, &Monitor::new(&unwatched, 1))?;
        Ok(Some(Self { nodes }))
    }

    /// Half the area of the root, in the unit of [`Objective`]s.
    #[must_use]
    pub fn root_area(&self) -> f32 {
        plan::root_area(&self.nodes)
    }

    /// The best wide tree by an objective, with nodes of at most `width` children. Its leaves
    /// choose from `item_count` items.
    ///
    /// # Errors
    /// An item that is not less than `item_count`.
    pub fn widen(
        &self,
        width: usize,
        item_count: usize,
        objective: &impl Objective,
    ) -> Result<Bvh, BuildError> {
        let nodes: &[TaggedBox] = &self.nodes;
        let monitor = Monitor::new(&unwatched, 1);
        Ok(collapse::collapse(nodes, item_count, width, objective, &monitor)?.bvh)
    }
}

fn unwatched(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
