//! Boxes that contain all of what splits have cut below them.
//!
//! A tree with spatial splits refers to a triangle from several leaves whose boxes each hold a part
//! of it. For rays, and for beams with the exact rule, that is enough. The conservative rule asks
//! for the triangle's whole box, so such a tree is walked with boxes that cover it too. What one
//! leaf alone holds makes no box larger: boxes that lose it are walked as they are.

use geometry::Aabb;
use std::collections::HashMap;
use tree::{Bvh, PrimitiveId};

/// The boxes to walk `bvh` with, one for each node: `None` if its own will do, because each
/// contains the boxes of all items below it that are cut.
#[must_use]
pub fn covering_boxes(
    bvh: &Bvh,
    is_cut: &[bool],
    item_bounds: impl Fn(usize) -> Aabb,
) -> Option<Vec<Aabb>> {
    if !is_cut.contains(&true) {
        return None;
    }
    let nodes = bvh.nodes();
    let mut below = vec![Aabb::EMPTY; nodes.len()];
    let mut is_covered = true;
    // Children lie behind their parents.
    for (index, node) in nodes.iter().enumerate().rev() {
        let whole = if node.link.is_leaf() {
            let cut = bvh.items(node).iter().map(|&item| item as usize).filter(|&i| is_cut[i]);
            cut.map(&item_bounds).filter(|bounds| !bounds.is_empty()).fold(Aabb::EMPTY, Aabb::union)
        } else {
            below[node.link.range()].iter().copied().fold(Aabb::EMPTY, Aabb::union)
        };
        is_covered &= node.bounds.contains(&whole);
        below[index] = whole;
    }
    let boxes = nodes.iter().zip(below);
    (!is_covered).then(|| boxes.map(|(node, whole)| node.bounds.union(whole)).collect())
}

/// Which items splits have cut: several leaves refer to them, by one number or, where the items
/// have ids, by several with the same ids.
#[must_use]
pub fn cut_items(bvh: &Bvh, ids: &[PrimitiveId]) -> Vec<bool> {
    let mut counts = vec![0u32; bvh.item_count()];
    for &item in bvh.indices() {
        counts[item as usize] += 1;
    }
    let mut is_cut: Vec<bool> = counts.into_iter().map(|count| count > 1).collect();
    let mut first: HashMap<(u32, u32), usize> = HashMap::with_capacity(ids.len());
    for (item, id) in ids.iter().enumerate() {
        let other = *first.entry((id.geometry, id.primitive)).or_insert(item);
        if other != item {
            (is_cut[other], is_cut[item]) = (true, true);
        }
    }
    is_cut
}
