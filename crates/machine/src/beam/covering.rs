//! Boxes that contain all of what is below them.
//!
//! A tree with spatial splits refers to a triangle from several leaves whose boxes each hold a part
//! of it. For rays, and for beams with the exact rule, that is enough. The conservative rule asks
//! for the triangle's whole box, so such a tree is walked with boxes that cover it.

use geometry::Aabb;
use tree::Bvh;

/// The boxes to walk `bvh` with, one for each node: `None` if its own will do, because each
/// contains the boxes of all items below it.
#[must_use]
pub fn covering_boxes(bvh: &Bvh, item_bounds: impl Fn(usize) -> Aabb) -> Option<Vec<Aabb>> {
    let nodes = bvh.nodes();
    let mut covering = vec![Aabb::EMPTY; nodes.len()];
    let mut is_covered = true;
    // Children lie behind their parents.
    for (index, node) in nodes.iter().enumerate().rev() {
        let below = if node.link.is_leaf() {
            let items = bvh.items(node).iter().map(|&item| item_bounds(item as usize));
            items.filter(|bounds| !bounds.is_empty()).fold(Aabb::EMPTY, Aabb::union)
        } else {
            covering[node.link.range()].iter().copied().fold(Aabb::EMPTY, Aabb::union)
        };
        is_covered &= node.bounds.contains(&below);
        covering[index] = below;
    }
    (!is_covered).then_some(covering)
}
