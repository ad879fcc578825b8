//! Bottom-up building by clusters: parallel locally-ordered clustering, after Meister and Bittner
//! 2017, "Parallel locally-ordered clustering for bounding volume hierarchy construction".
//!
//! Clusters, at first the single references, lie along a Morton curve. Each finds the neighbour
//! within [`RADIUS`] places with which it would share the smallest box; pairs that chose each other
//! merge; and so on with what remains.
//!
//! Stretches of the curve are merged one by one, each until an eighth of its clusters is left, and
//! what is left is cut into stretches anew. A stretch stays in the cache for all its rounds, its
//! nodes lie together, and threads work on different ones. The cuts depend on nothing but the
//! number of references, so that the tree is the same for any number of threads.
//!
//! Where few clusters merge, as among nested boxes, neighbours are paired without asking: the
//! number of rounds stays logarithmic whatever the input.

use crate::BuildError;
use crate::binary::{FIRST_CHILD, Node};
use crate::morton;
use crate::neighbours::Neighbours;
use crate::progress::Monitor;
use crate::scratch::Scratch;
use crate::tagged_box::{Bounds, TaggedBox};
use rayon::prelude::*;
use std::ops::Range;

/// How far along the curve a cluster looks for a partner.
const RADIUS: usize = 8;
/// The same as long as single references are among the clusters: most of the time goes there, and a
/// wider search gains little.
const FIRST_RADIUS: usize = 5;
/// Clusters of a stretch.
const STRETCH: usize = 1 << 13;
/// One in so many clusters of a stretch is left when the next cut is made.
const SHRINK: usize = 8;
/// After a round in which less than one in so many clusters has merged, neighbours are paired.
const FEWEST_MERGES: usize = 16;

/// Builds a tree over `count` leaves, at least one. They are asked for several times instead of
/// being stored: what they are made of exists already.
///
/// # Errors
/// Cancellation.
pub(crate) fn build(
    count: usize,
    leaf: impl Fn(usize) -> TaggedBox + Sync,
    monitor: &Monitor<'_>,
) -> Result<Scratch<TaggedBox>, BuildError> {
    let order = morton::order(count, &leaf);
    monitor.check()?;
    let leaves_of = |range: Range<usize>| order.places(range).map(&leaf);
    let mut nodes = Scratch::zeros(2 * count);
    let mut below = &mut nodes[FIRST_CHILD..];
    let mut clusters = if count > 2 * STRETCH {
        shrink(count, leaves_of, &mut below, monitor, FIRST_RADIUS)?
    } else {
        leaves_of(0..count).collect()
    };
    while clusters.len() > 2 * STRETCH {
        let clusters_of = |range: Range<usize>| clusters[range].iter().copied();
        clusters = shrink(clusters.len(), clusters_of, &mut below, monitor, RADIUS)?;
    }
    let mut neighbours = Neighbours::new(clusters.len());
    merge(&mut clusters, 1, below, FIRST_CHILD, &mut neighbours, RADIUS);
    monitor.advance(clusters.len() - 1)?;
    nodes[0] = clusters[0];
    Ok(nodes)
}

/// A stretch, and where its results go.
struct Stretch<'a> {
    clusters: Range<usize>,
    left: &'a mut [TaggedBox],
    nodes: &'a mut [TaggedBox],
    base: usize,
}

/// Merges within each stretch of `count` clusters and returns the clusters that are left. Takes the
/// nodes of all stretches from the end of `below`, which begins with the first child, so that
/// children lie behind their parents.
fn shrink<C: Iterator<Item = TaggedBox>>(
    count: usize,
    clusters_of: impl Fn(Range<usize>) -> C + Sync,
    below: &mut &mut [TaggedBox],
    monitor: &Monitor<'_>,
    radius: usize,
) -> Result<Vec<TaggedBox>, BuildError> {
    let stretch_of = |first: usize| first..(first + STRETCH).min(count);
    let ranges = (0..count).step_by(STRETCH).map(stretch_of);
    let left_of = |range: &Range<usize>| range.len().div_ceil(SHRINK);
    let left_count = ranges.clone().map(|range| left_of(&range)).sum();
    let mut left = vec![TaggedBox::leaf(Bounds::EMPTY, 0); left_count];
    let free = below.len() - 2 * (count - left_count);
    let (still_free, mut nodes_rest) = std::mem::take(below).split_at_mut(free);
    *below = still_free;
    let (mut left_rest, mut base) = (left.as_mut_slice(), FIRST_CHILD + free);
    let mut stretches = Vec::with_capacity(count.div_ceil(STRETCH));
    for clusters in ranges {
        let left_here = left_of(&clusters);
        let nodes_here = 2 * (clusters.len() - left_here);
        let (left, nodes);
        (left, left_rest) = left_rest.split_at_mut(left_here);
        (nodes, nodes_rest) = nodes_rest.split_at_mut(nodes_here);
        stretches.push(Stretch { clusters, left, nodes, base });
        base += nodes_here;
    }
    stretches.into_par_iter().try_for_each_init(
        || (Vec::with_capacity(STRETCH), Neighbours::new(STRETCH)),
        |(clusters, neighbours), stretch| {
            let count = stretch.left.len();
            clusters.clear();
            clusters.extend(clusters_of(stretch.clusters));
            merge(clusters, count, stretch.nodes, stretch.base, neighbours, radius);
            stretch.left.copy_from_slice(&clusters[..count]);
            monitor.advance(clusters.len() - count)
        },
    )?;
    Ok(left)
}

/// Merges neighbouring clusters until `left` remain, at the front. Puts the children of each merged
/// pair at the end of what is free of `nodes`, whose first element has the number `base`, and the
/// pair in the place of its first cluster.
fn merge(
    clusters: &mut [TaggedBox],
    left: usize,
    nodes: &mut [TaggedBox],
    base: usize,
    neighbours: &mut Neighbours,
    radius: usize,
) {
    let mut count = clusters.len();
    let mut free = nodes.len();
    let mut few_merged = false;
    while count > left {
        let partners = match few_merged {
            true => neighbours.pair_adjacent(count),
            false => neighbours.nearest(&clusters[..count], radius),
        };
        let before = count;
        let mut kept = 0;
        for place in 0..before {
            let cluster = clusters[place];
            let ahead = partners[place];
            let partner = place + ahead.max(0) as usize;
            if ahead > 0 && partners[partner] == -ahead && count > left {
                let other = clusters[partner];
                // Not met again.
                partners[partner] = Neighbours::MERGED;
                free -= 2;
                nodes[free] = cluster;
                nodes[free + 1] = other;
                let bounds = cluster.bounds().union(other.bounds());
                let below = cluster.count() + other.count();
                clusters[kept] = TaggedBox::inner(bounds, base + free, below);
                kept += 1;
                count -= 1;
            } else if ahead != Neighbours::MERGED {
                clusters[kept] = cluster;
                kept += 1;
            }
        }
        few_merged = (before - count) * FEWEST_MERGES < before;
    }
}
