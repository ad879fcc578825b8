//! Fitting a hierarchy to a format: leaves that a node of it can hold, and no more children than a
//! node has room for.
//!
//! Builders make leaves for speed; a format has limits of its own. A leaf that does not fit becomes
//! a node above leaves that do, with nodes between where they are more than a node's children.
//! Nodes above it stay as they are.

use crate::bvh::MAX_WIDTH;
use crate::{Bvh, BvhError, Node, NodeLink};
use geometry::Aabb;
use std::borrow::Cow;

/// Some items of a leaf, and the box around them.
pub type Part = (Vec<u32>, Aabb);

/// Rewrites every leaf that does not fit as a node above the parts that `divide` makes of its
/// items, told the box of the leaf.
///
/// # Errors
/// When the result has more nodes or items than a hierarchy can.
pub fn split_leaves<'a>(
    bvh: &'a Bvh,
    fits: impl Fn(&[u32]) -> bool,
    divide: impl Fn(&[u32], &Aabb) -> Vec<Part>,
) -> Result<Cow<'a, Bvh>, BvhError> {
    let large = |node: &Node| !node.bounds.is_empty() && !fits(bvh.items(node));
    if !bvh.nodes().iter().any(large) {
        return Ok(Cow::Borrowed(bvh));
    }
    let mut nodes = bvh.nodes().to_vec();
    let mut indices = bvh.indices().to_vec();
    for (number, node) in bvh.nodes().iter().enumerate() {
        if large(node) {
            hang(number, divide(bvh.items(node), &node.bounds), &mut nodes, &mut indices);
        }
    }
    Ok(Cow::Owned(Bvh::new(nodes, indices, bvh.item_count())?))
}

/// Puts every item into one leaf: the first that has it, with a box around all leaves that had it.
/// Leaves that `stays` names are left as they are.
///
/// # Errors
/// When the result has more nodes or items than a hierarchy can.
pub fn gather(bvh: &Bvh, stays: impl Fn(usize) -> bool) -> Result<Cow<'_, Bvh>, BvhError> {
    let leaves = || {
        let nodes = bvh.nodes().iter().enumerate();
        nodes.filter(|(number, node)| node.link.is_leaf() && !stays(*number))
    };
    let mut first = vec![None; bvh.item_count()];
    let mut is_repeated = false;
    for (number, leaf) in leaves() {
        for &item in bvh.items(leaf) {
            is_repeated |= *first[item as usize].get_or_insert(number) != number;
        }
    }
    if !is_repeated {
        return Ok(Cow::Borrowed(bvh));
    }
    let mut nodes = bvh.nodes().to_vec();
    let mut indices = bvh.indices().to_vec();
    for (number, leaf) in leaves() {
        let start = indices.len();
        for &item in bvh.items(leaf) {
            match first[item as usize] {
                Some(other) if other != number => {
                    nodes[other].bounds = nodes[other].bounds.union(leaf.bounds);
                }
                _ => indices.push(item),
            }
        }
        nodes[number].link = NodeLink::leaf(start as u32, indices.len() - start);
        if indices.len() == start {
            nodes[number].bounds = Aabb::EMPTY;
        }
    }
    for number in (0..nodes.len()).rev() {
        let Node { link, bounds } = nodes[number];
        if !link.is_leaf() {
            let children = nodes[link.range()].iter().map(|child| child.bounds);
            let held = children.filter(|bounds| !bounds.is_empty());
            nodes[number].bounds = held.fold(bounds, Aabb::union);
        }
    }
    Ok(Cow::Owned(Bvh::new(nodes, indices, bvh.item_count())?))
}

/// Puts nodes between a node and its children where these are more than `width` (2 at least), so
/// that neighbours stay together.
///
/// # Errors
/// When the result has more nodes than a hierarchy can.
pub fn narrow(bvh: &Bvh, width: usize) -> Result<Cow<'_, Bvh>, BvhError> {
    if bvh.nodes().iter().all(|node| bvh.children(node).len() <= width) {
        return Ok(Cow::Borrowed(bvh));
    }
    let mut nodes = vec![*bvh.root()];
    // The links of these still count in the array that is being replaced.
    let mut open = vec![0];
    while let Some(number) = open.pop() {
        let link = nodes[number].link;
        if link.is_leaf() {
            continue;
        }
        let first = nodes.len();
        let size = if link.count() > width { link.count().div_ceil(width.max(2)) } else { 1 };
        for (group, start) in bvh.nodes()[link.range()].chunks(size).zip(link.range().step_by(size))
        {
            nodes.push(match group {
                [one] => *one,
                several => Node {
                    bounds: several.iter().fold(Aabb::EMPTY, |all, node| all.union(node.bounds)),
                    link: NodeLink::inner(start as u32, several.len()),
                },
            });
        }
        open.extend(first..nodes.len());
        nodes[number].link = NodeLink::inner(first as u32, nodes.len() - first);
    }
    Ok(Cow::Owned(Bvh::new(nodes, bvh.indices().to_vec(), bvh.item_count())?))
}

/// Cuts items into parts that fit, of `limit` where possible, at the median of the longest axis of
/// their centres. `leaf` is the box of the leaf, which a spatial split may have cut.
pub fn halve(
    mut items: Vec<u32>,
    leaf: &Aabb,
    limit: usize,
    fits: &impl Fn(&[u32]) -> bool,
    bounds: &impl Fn(u32) -> Aabb,
    parts: &mut Vec<Part>,
) {
    if items.is_empty() {
        return;
    }
    if items.len() == 1 || fits(&items) {
        let bounds = part_bounds(&items, leaf, bounds);
        parts.push((items, bounds));
        return;
    }
    let center = |item: u32| bounds(item).center();
    let extent = Aabb::of_points(items.iter().map(|&item| center(item))).extent().to_array();
    let axis = (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b])).unwrap_or(0);
    items.sort_by(|&a, &b| center(a)[axis].total_cmp(&center(b)[axis]).then(a.cmp(&b)));
    // Whole parts on the left, so that only the last one is not full.
    let middle = (items.len() / 2).next_multiple_of(limit).min(items.len() - 1);
    let right = items.split_off(middle);
    halve(items, leaf, limit, fits, bounds, parts);
    halve(right, leaf, limit, fits, bounds, parts);
}

/// The box of a part: around its items, but not beyond the leaf.
pub fn part_bounds(items: &[u32], leaf: &Aabb, bounds: &impl Fn(u32) -> Aabb) -> Aabb {
    let own = items.iter().map(|&item| bounds(item));
    let inside = own.fold(Aabb::EMPTY, Aabb::union).intersection(*leaf);
    if inside.is_empty() { *leaf } else { inside }
}

/// Makes a leaf a node above the parts, with nodes between where they are more than eight.
fn hang(number: usize, parts: Vec<Part>, nodes: &mut Vec<Node>, indices: &mut Vec<u32>) {
    let mut open = vec![(number, parts)];
    while let Some((number, mut parts)) = open.pop() {
        if let [(items, _)] = &parts[..] {
            nodes[number].link = NodeLink::leaf(indices.len() as u32, items.len());
            indices.extend_from_slice(items);
            continue;
        }
        let first = nodes.len();
        let share = parts.len().div_ceil(MAX_WIDTH);
        while !parts.is_empty() {
            let rest = parts.split_off(share.min(parts.len()));
            let group = std::mem::replace(&mut parts, rest);
            let bounds = group.iter().fold(Aabb::EMPTY, |all, part| all.union(part.1));
            open.push((nodes.len(), group));
            nodes.push(Node { bounds, link: NodeLink::leaf(0, 0) });
        }
        nodes[number].link = NodeLink::inner(first as u32, nodes.len() - first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Vec3;

    fn bounds(item: u32) -> Aabb {
        let corner = Vec3::new(item as f32 * 3.0, (item % 5) as f32, -(item as f32));
        Aabb::new(corner, corner + Vec3::new(2.0, 1.0, 0.5))
    }

    #[test]
    fn a_leaf_of_a_hundred_becomes_leaves_of_eight_that_hold_the_same() {
        let all = (0..100).map(bounds).fold(Aabb::EMPTY, Aabb::union);
        let root = Node { bounds: all, link: NodeLink::leaf(0, 100) };
        let bvh = Bvh::new(vec![root], (0..100).rev().collect(), 100).unwrap();
        let fits = |items: &[u32]| items.len() <= 8;
        let reshaped = split_leaves(&bvh, fits, |items, leaf| {
            let mut parts = Vec::new();
            halve(items.to_vec(), leaf, 8, &fits, &bounds, &mut parts);
            parts
        });
        let reshaped = reshaped.unwrap();
        let mut items: Vec<u32> = Vec::new();
        for node in reshaped.nodes().iter().filter(|node| node.link.is_leaf()) {
            assert!(fits(reshaped.items(node)));
            let held = reshaped.items(node).iter().map(|&item| bounds(item));
            assert!(held.into_iter().all(|bounds| node.bounds.contains(&bounds)));
            items.extend(reshaped.items(node));
        }
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<u32>>());
        assert!(matches!(split_leaves(&reshaped, fits, |_, _| Vec::new()), Ok(Cow::Borrowed(_))));
    }

    #[test]
    fn an_item_of_two_leaves_moves_into_the_first() {
        let all = (0..4).map(bounds).fold(Aabb::EMPTY, Aabb::union);
        let leaf = |around: u32, first, count| Node {
            bounds: bounds(around),
            link: NodeLink::leaf(first, count),
        };
        let root = Node { bounds: bounds(0), link: NodeLink::inner(1, 4) };
        let nodes = vec![root, leaf(0, 0, 1), leaf(1, 1, 2), leaf(2, 3, 1), leaf(3, 0, 1)];
        let bvh = Bvh::new(nodes, vec![7, 7, 5, 7], 8).unwrap();
        let gathered = gather(&bvh, |_| false).unwrap();
        let items = |number: usize| gathered.items(&gathered.nodes()[number]);
        assert_eq!([1, 2, 3, 4].map(items), [&[7][..], &[5], &[], &[]]);
        assert_eq!(gathered.nodes()[1].bounds, all);
        assert!(gathered.root().bounds.contains(&all), "boxes above grow");
        assert!(gathered.nodes()[3].bounds.is_empty());
        let kept = gather(&bvh, |number| number == 4).unwrap();
        assert_eq!(kept.items(&kept.nodes()[4]), &[7]);
        assert!(matches!(gather(&gathered, |_| false), Ok(Cow::Borrowed(_))));
    }

    #[test]
    fn eight_children_become_four_nodes_of_two() {
        let all = (0..9).map(bounds).fold(Aabb::EMPTY, Aabb::union);
        let leaf = |item| Node { bounds: bounds(item), link: NodeLink::leaf(item, 1) };
        let mut nodes = vec![Node { bounds: all, link: NodeLink::inner(1, 8) }];
        nodes.extend((0..8).map(leaf));
        // The last child has a child of its own.
        nodes[8] = Node { bounds: bounds(7).union(bounds(8)), link: NodeLink::inner(9, 1) };
        nodes.push(leaf(8));
        let bvh = Bvh::new(nodes, (0..9).collect(), 9).unwrap();
        assert!(matches!(narrow(&bvh, 8), Ok(Cow::Borrowed(_))));
        for (width, expected) in [(4, vec![4, 2, 2, 2, 2, 1]), (2, vec![2, 2, 2, 2, 2, 2, 2, 1])] {
            let narrowed = narrow(&bvh, width).unwrap();
            let inner = narrowed.nodes().iter().filter(|node| !node.link.is_leaf());
            let mut widths: Vec<usize> = inner.map(|node| node.link.count()).collect();
            widths.sort_unstable_by(|a, b| b.cmp(a));
            assert_eq!(widths, expected);
            let leaves = narrowed.nodes().iter().filter(|node| node.link.is_leaf());
            let mut items: Vec<u32> =
                leaves.flat_map(|leaf| narrowed.items(leaf)).copied().collect();
            items.sort_unstable();
            assert_eq!(items, [0, 1, 2, 3, 4, 5, 6, 8]);
            for node in narrowed.nodes() {
                assert!(narrowed.children(node).iter().all(|it| node.bounds.contains(&it.bounds)));
            }
        }
    }
}
