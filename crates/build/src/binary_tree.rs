//! Binary trees over any boxes, for those whose wide trees have costs of their own.

use crate::BuildError;
use crate::collapse;
use crate::full_sweep;
use crate::objective::Objective;
use crate::plan::{self, Plans};
use crate::progress::{Monitor, unwatched};
use crate::reinsertion::{self, Effort};
use crate::scratch::Scratch;
use crate::tagged_box::TaggedBox;
use geometry::Aabb;
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

    /// The best wide tree by an objective, with nodes of at most `width` children.
    ///
    /// # Errors
    /// None: nobody cancels.
    pub fn widen<O: Objective>(
        &self,
        width: usize,
        objective: O,
    ) -> Result<Widened<'_, O>, BuildError> {
        let plans = plan::plan(&self.nodes, width, &objective, &Monitor::new(&unwatched, 1))?;
        Ok(Widened { nodes: &self.nodes, plans, width, objective })
    }
}

/// A wide tree that is decided on, but not written yet.
pub struct Widened<'a, O> {
    nodes: &'a [TaggedBox],
    plans: Plans,
    width: usize,
    objective: O,
}

impl<O: Objective> Widened<'_, O> {
    /// Its cost by the surface-area heuristic, as [`Quality`](tree::Quality) says it.
    #[must_use]
    pub fn sah_cost(&self) -> f64 {
        collapse::sah_cost(self.nodes, &self.plans, self.width, &self.objective)
    }

    /// Writes it; the leaves choose from `item_count` items.
    ///
    /// # Errors
    /// An item that is not less than `item_count`.
    pub fn write(self, item_count: usize) -> Result<Bvh, BuildError> {
        let Self { nodes, plans, width, objective } = self;
        collapse::write(nodes, plans, item_count, width, &objective, &Monitor::new(&unwatched, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Vec3;
    use tree::Quality;

    /// A price for each node; two items behind each leaf of the binary tree, eight in a leaf.
    struct Priced(f32);

    impl Objective for Priced {
        fn node(&self, area: f32) -> f32 {
            area + self.0
        }

        fn leaf(&self, weight: u32, area: f32) -> f32 {
            if weight > 8 { f32::INFINITY } else { area * weight as f32 }
        }

        fn single(&self, _: u32, area: f32) -> f32 {
            2.0 * area
        }

        fn weight(&self, _: u32) -> u32 {
            2
        }

        fn items(&self, item: u32) -> impl Iterator<Item = u32> {
            [2 * item, 2 * item + 1].into_iter()
        }
    }

    /// Areas that are scaled to be near 1 must not make coordinates overflow.
    #[test]
    fn tiny_boxes_far_from_the_origin_have_a_tree() {
        let boxes = (0..50u32).map(|item| {
            let [low, high] = [item, item + 3].map(|k| Vec3::new(7.25, f32::from_bits(k), 1e6));
            (Aabb::new(low, high), 2)
        });
        let tree = BinaryTree::new(boxes, Effort::default()).unwrap().unwrap();
        assert_eq!(tree.widen(8, Priced(0.0)).unwrap().write(100).unwrap().indices().len(), 100);
    }

    #[test]
    fn a_higher_price_gives_fewer_nodes_over_the_same_items() {
        let boxes = (0..500u32).map(|item| {
            let t = item as f32 * 0.37;
            let min = Vec3::new(t.sin() * 9.0, (1.7 * t).cos() * 4.0, (item % 23) as f32 * 0.5);
            (Aabb::new(min, min + Vec3::new(0.1 + (item % 5) as f32, 0.7, 0.2)), 2)
        });
        let tree = BinaryTree::new(boxes, Effort::default()).unwrap().unwrap();
        let mut nodes = usize::MAX;
        for price in [0.0, 0.001, 0.1, 10.0] {
            let widened = tree.widen(8, Priced(price * tree.root_area())).unwrap();
            let cost = widened.sah_cost();
            let bvh = widened.write(1000).unwrap();
            let written = Quality::of(&bvh).sah_cost;
            assert!((cost - written).abs() < 1e-12 * written, "{cost} but {written}");
            let mut items = bvh.indices().to_vec();
            items.sort_unstable();
            assert_eq!(items, (0..1000).collect::<Vec<u32>>());
            let leaves = bvh.nodes().iter().filter(|node| node.link.is_leaf());
            assert!(leaves.into_iter().all(|leaf| leaf.link.count() <= 8));
            let fewer = Quality::of(&bvh).nodes;
            assert!(fewer < nodes || price == 10.0, "{nodes} to {fewer} at {price}");
            nodes = fewer;
        }
    }
}
