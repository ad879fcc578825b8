//! Leaves that a policy can store.
//!
//! A range of the format is a list of triangle pairs or one procedural; a TLAS has one instance
//! behind a child. A leaf that holds more becomes a node above leaves that do not.

use super::Policy;
use geometry::Aabb;
use std::borrow::Cow;
use tree::bvh::MAX_WIDTH;
use tree::{Bvh, BvhError, Node, NodeLink, Primitives};

/// Most pairs of a range: Radeon Raytracing Analyzer keeps them in a table of eight.
pub(crate) const RANGE_PAIRS: usize = 8;
/// Most triangles of a range.
const DENSE_RANGE: usize = 2 * RANGE_PAIRS;
/// Most triangles of a range that drivers write: one pair.
const DRIVER_RANGE: usize = 2;

/// Some references, and the box around them.
type Part = (Vec<u32>, Aabb);

/// A BLAS whose leaves are each one range.
pub(crate) fn ranges<'a>(
    bvh: &'a Bvh,
    primitives: &Primitives,
    policy: Policy,
) -> Result<Cow<'a, Bvh>, BvhError> {
    let limit = match policy {
        Policy::Dense => DENSE_RANGE,
        Policy::Radv | Policy::Gpurt => DRIVER_RANGE,
    };
    let is_box = |item: u32| item as usize >= primitives.triangles.len();
    let is_range = |items: &[u32]| {
        items.len() <= limit
            && (policy != Policy::Dense || pairs_needed(items, primitives) <= RANGE_PAIRS)
    };
    let fits = |items: &[u32]| match items {
        [] | [_] => true,
        items => is_range(items) && !items.iter().any(|&item| is_box(item)),
    };
    split(bvh, fits, |items, bounds| {
        let mut parts = Vec::new();
        let triangles: Vec<u32> = items.iter().copied().filter(|&item| !is_box(item)).collect();
        halve(triangles, bounds, limit, &is_range, primitives, &mut parts);
        let boxes = items.iter().copied().filter(|&item| is_box(item));
        parts.extend(boxes.map(|item| (vec![item], part_bounds(&[item], bounds, primitives))));
        parts
    })
}

/// Most pairs that triangles take, two by two. A point may not come second where its corners are
/// the first vertex of its node, for then it would mean that there is no triangle.
pub(crate) fn pairs_needed(items: &[u32], primitives: &Primitives) -> usize {
    let triangles = items.iter().filter_map(|&item| primitives.triangles.get(item as usize));
    let points = triangles.filter(|triangle| {
        let [a, b, c] = triangle.vertices;
        a == b && b == c
    });
    items.len().div_ceil(2) + points.count()
}

/// Rewrites every leaf that does not fit as a node above the parts that `divide` makes of it.
pub(crate) fn split<'a>(
    bvh: &'a Bvh,
    fits: impl Fn(&[u32]) -> bool,
    divide: impl Fn(&[u32], &Aabb) -> Vec<Part>,
) -> Result<Cow<'a, Bvh>, BvhError> {
    let large = |entry: &Node| !entry.bounds.is_empty() && !fits(bvh.items(entry));
    if !bvh.nodes().iter().any(large) {
        return Ok(Cow::Borrowed(bvh));
    }
    let mut entries = bvh.nodes().to_vec();
    let mut references = bvh.indices().to_vec();
    for index in 0..bvh.nodes().len() {
        let entry = bvh.nodes()[index];
        if large(&entry) {
            let parts = divide(bvh.items(&entry), &entry.bounds);
            hang(index, parts, &mut entries, &mut references);
        }
    }
    Ok(Cow::Owned(Bvh::new(entries, references, bvh.item_count())?))
}

/// Cuts triangles into ranges, of `limit` where possible, at the median of the longest axis.
fn halve(
    mut items: Vec<u32>,
    bounds: &Aabb,
    limit: usize,
    is_range: &impl Fn(&[u32]) -> bool,
    primitives: &Primitives,
    parts: &mut Vec<Part>,
) {
    if items.is_empty() {
        return;
    }
    if items.len() == 1 || is_range(&items) {
        let bounds = part_bounds(&items, bounds, primitives);
        parts.push((items, bounds));
        return;
    }
    let center = |item: u32| primitives.bounds(item as usize).center();
    let extent = Aabb::of_points(items.iter().map(|&item| center(item))).extent().to_array();
    let axis = (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b])).unwrap_or(0);
    items.sort_by(|&a, &b| center(a)[axis].total_cmp(&center(b)[axis]).then(a.cmp(&b)));
    // Whole parts on the left, so that only the last one is not full.
    let middle = (items.len() / 2).next_multiple_of(limit).min(items.len() - 1);
    let right = items.split_off(middle);
    halve(items, bounds, limit, is_range, primitives, parts);
    halve(right, bounds, limit, is_range, primitives, parts);
}

/// The box of a part: around its primitives, but not beyond the leaf, which a spatial split may
/// have cut.
fn part_bounds(items: &[u32], leaf: &Aabb, primitives: &Primitives) -> Aabb {
    let own = items.iter().map(|&item| primitives.bounds(item as usize));
    let inside = own.fold(Aabb::EMPTY, Aabb::union).intersection(*leaf);
    if inside.is_empty() { *leaf } else { inside }
}

/// Makes the entry a node above the parts, with nodes between where they are more than eight.
fn hang(index: usize, parts: Vec<Part>, entries: &mut Vec<Node>, references: &mut Vec<u32>) {
    let mut open = vec![(index, parts)];
    while let Some((index, mut parts)) = open.pop() {
        if let [(items, _)] = &parts[..] {
            entries[index].link = NodeLink::leaf(references.len() as u32, items.len());
            references.extend_from_slice(items);
            continue;
        }
        let first = entries.len();
        let share = parts.len().div_ceil(MAX_WIDTH);
        while !parts.is_empty() {
            let rest = parts.split_off(share.min(parts.len()));
            let group = std::mem::replace(&mut parts, rest);
            let bounds = group.iter().fold(Aabb::EMPTY, |all, part| all.union(part.1));
            open.push((entries.len(), group));
            entries.push(Node { bounds, link: NodeLink::leaf(0, 0) });
        }
        entries[index].link = NodeLink::inner(first as u32, entries.len() - first);
    }
}
