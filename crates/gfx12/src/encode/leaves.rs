//! Leaves that a policy can store.
//!
//! A range of the format is a list of triangle pairs or one procedural; a TLAS has one instance
//! behind a child. A leaf that holds more becomes a node above leaves that do not.

use super::hiprt_node::{LEAF_PAIRS, pairs};
use super::{Options, Policy};
use std::borrow::Cow;
use tree::reshape::{halve, part_bounds, split_leaves};
use tree::{Bvh, BvhError, Primitives};

/// Most pairs of a range: Radeon Raytracing Analyzer keeps them in a table of eight.
pub(crate) const RANGE_PAIRS: usize = 8;
/// Most triangles of a range.
const DENSE_RANGE: usize = 2 * RANGE_PAIRS;
/// Most triangles of a range that drivers write: one pair.
const DRIVER_RANGE: usize = 2;

/// A BLAS whose leaves are each one range.
pub(crate) fn ranges<'a>(
    bvh: &'a Bvh,
    primitives: &Primitives,
    options: &Options,
) -> Result<Cow<'a, Bvh>, BvhError> {
    let policy = options.policy;
    let limit = match policy {
        Policy::Radv if options.updatable => 1,
        Policy::Dense => DENSE_RANGE,
        Policy::Radv | Policy::Gpurt => DRIVER_RANGE,
        Policy::Hiprt => 2 * LEAF_PAIRS,
    };
    let is_box = |item: u32| item as usize >= primitives.triangles.len();
    let is_range = |items: &[u32]| {
        items.len() <= limit
            && match policy {
                Policy::Dense => pairs_needed(items, primitives) <= RANGE_PAIRS,
                Policy::Radv | Policy::Gpurt => true,
                Policy::Hiprt => pairs(items, primitives).len() <= LEAF_PAIRS,
            }
    };
    let fits = |items: &[u32]| match items {
        [] | [_] => true,
        items => !items.iter().any(|&item| is_box(item)) && is_range(items),
    };
    let bounds = |item: u32| primitives.bounds(item as usize);
    split_leaves(bvh, fits, |items, leaf| {
        let mut parts = Vec::new();
        let triangles: Vec<u32> = items.iter().copied().filter(|&item| !is_box(item)).collect();
        halve(triangles, leaf, limit, &is_range, &bounds, &mut parts);
        let boxes = items.iter().copied().filter(|&item| is_box(item));
        parts.extend(boxes.map(|item| (vec![item], part_bounds(&[item], leaf, &bounds))));
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
