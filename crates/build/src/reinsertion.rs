//! Improving a finished tree by moving subtrees to better places, after Meister and Bittner 2018,
//! "Parallel reinsertion for bounding volume hierarchy optimization", and Bittner, Hapala, Havran
//! 2013, "Fast insertion-based optimization of bounding volume hierarchies".
//!
//! A round takes the nodes with the largest boxes, finds for each the place where it would cost
//! least, and then moves those that gain most first; a move that touches the surroundings of an
//! earlier move of the round is left to the next. Finding is done side by side and changes nothing;
//! moving is done in one order. The result is the same for any number of threads.

use crate::BuildError;
use crate::binary::Node;
use crate::progress::Monitor;
use crate::tagged_box::{Bounds, TaggedBox};
use rayon::prelude::*;

/// Nodes whose best place is sought between two looks at the progress.
const BLOCK: usize = 256;
/// A parent that does not exist.
const NONE: u32 = u32::MAX;

/// How much is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// Most rounds.
    pub rounds: usize,
    /// Which share of the nodes a round tries to move.
    pub share: f64,
    /// Most subtrees that are looked at for one node. Where boxes overlap much, bounds hardly
    /// prune, and the best place is near all the same.
    pub steps: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Self { rounds: 8, share: 0.1, steps: usize::MAX }
    }
}

/// Improves the tree in place.
///
/// # Errors
/// Cancellation.
pub(crate) fn optimise(
    nodes: &mut [TaggedBox],
    effort: Effort,
    monitor: &Monitor<'_>,
) -> Result<(), BuildError> {
    let mut parents = vec![NONE; nodes.len()];
    let mut touched = vec![false; nodes.len()];
    link_parents(nodes, &mut parents);
    for _ in 0..effort.rounds {
        monitor.advance(nodes[0].count() / effort.rounds)?;
        let candidates = largest_nodes(nodes, &parents, effort.share);
        let mut moves = find_moves(nodes, &parents, &candidates, effort.steps, monitor)?;
        moves.par_sort_unstable_by(|a, b| b.gain.total_cmp(&a.gain).then(a.node.cmp(&b.node)));
        touched.fill(false);
        let done = moves.iter().filter(|m| apply(nodes, &mut parents, &mut touched, m)).count();
        if done == 0 {
            break;
        }
    }
    Ok(())
}

/// A node and the sibling that it should get.
#[derive(Debug, Clone, Copy)]
struct Move {
    node: u32,
    to: u32,
    gain: f32,
}

/// Fills in the parent of every node that the root leads to.
fn link_parents(nodes: &[TaggedBox], parents: &mut [u32]) {
    let mut open = vec![0u32];
    while let Some(parent) = open.pop() {
        if let Some(child) = nodes[parent as usize].first_child() {
            parents[child] = parent;
            parents[child + 1] = parent;
            open.extend([child as u32, child as u32 + 1]);
        }
    }
}

/// The share of the nodes with the largest boxes; not the root and its children, which have nowhere
/// to go.
fn largest_nodes(nodes: &[TaggedBox], parents: &[u32], share: f64) -> Vec<u32> {
    let mut candidates: Vec<(u32, u32)> = parents
        .par_iter()
        .enumerate()
        .filter(|&(_, &parent)| parent != NONE && parent != 0)
        // Bits of positive floats order like them; a NaN comes last here, as it has the sign bit.
        .map(|(node, _)| (!nodes[node].bounds().half_area().to_bits(), node as u32))
        .collect();
    let wanted = ((candidates.len() as f64 * share).ceil() as usize).min(candidates.len());
    if wanted < candidates.len() {
        candidates.select_nth_unstable(wanted);
        candidates.truncate(wanted);
    }
    candidates.into_iter().map(|(_, node)| node).collect()
}

fn find_moves(
    nodes: &[TaggedBox],
    parents: &[u32],
    candidates: &[u32],
    steps: usize,
    monitor: &Monitor<'_>,
) -> Result<Vec<Move>, BuildError> {
    let blocks: Vec<Vec<Move>> = candidates
        .par_chunks(BLOCK)
        .map(|block| {
            monitor.check()?;
            let mut open = Vec::new();
            Ok(block
                .iter()
                .filter_map(|&node| best_move(nodes, parents, node as usize, steps, &mut open))
                .collect())
        })
        .collect::<Result<_, BuildError>>()?;
    Ok(blocks.concat())
}

/// The place with the largest gain, by branch and bound: from the node's sibling upward, each
/// subtree that hangs off the path to the root is searched with what taking the node out has gained
/// so far, until so many steps are made.
fn best_move(
    nodes: &[TaggedBox],
    parents: &[u32],
    node: usize,
    mut steps: usize,
    open: &mut Vec<(f32, usize)>,
) -> Option<Move> {
    let own = nodes[node].bounds();
    let own_area = own.half_area();
    let parent = parents[node] as usize;
    let mut best = Move { node: node as u32, to: NONE, gain: 0.0 };
    // Taking the node out removes its parent; above that, boxes shrink to what is left in them.
    let mut gained = nodes[parent].bounds().half_area();
    let mut subtree = sibling(nodes, parents, node);
    let mut remaining = nodes[subtree].bounds();
    let mut pivot = parent;
    loop {
        open.push((gained, subtree));
        while let Some((gained, place)) = open.pop() {
            if steps == 0 {
                open.clear();
                return (best.to != NONE).then_some(best);
            }
            steps -= 1;
            // Wherever the node goes from here, a box at least as large as its own is new.
            if gained - own_area > best.gain {
                let bounds = nodes[place].bounds();
                let gain = gained - bounds.union(own).half_area();
                if gain > best.gain {
                    best = Move { to: place as u32, gain, ..best };
                }
                if let Some(child) = nodes[place].first_child() {
                    let below = gain + bounds.half_area();
                    open.extend([(below, child), (below, child + 1)]);
                }
            }
        }
        if pivot != parent {
            remaining = remaining.union(nodes[subtree].bounds());
            gained += nodes[pivot].bounds().half_area() - remaining.half_area();
        }
        if pivot == 0 {
            return (best.to != NONE).then_some(best);
        }
        subtree = sibling(nodes, parents, pivot);
        pivot = parents[pivot] as usize;
    }
}

/// The other child of a node's parent.
fn sibling(nodes: &[TaggedBox], parents: &[u32], node: usize) -> usize {
    2 * nodes[parents[node] as usize].tag_a() as usize + 1 - node
}

/// Makes a move unless an earlier one has been here.
fn apply(nodes: &mut [TaggedBox], parents: &mut [u32], touched: &mut [bool], m: &Move) -> bool {
    let (node, to) = (m.node as usize, m.to as usize);
    let beside = sibling(nodes, parents, node);
    let parent = parents[node] as usize;
    if parent == 0 || to == beside || to == parent || to == 0 {
        return false;
    }
    let grandparent = parents[parent] as usize;
    let surroundings = [node, beside, parent, grandparent, to, parents[to] as usize];
    if surroundings.iter().any(|&node| touched[node]) || is_below(parents, to, node) {
        return false;
    }
    surroundings.iter().for_each(|&node| touched[node] = true);
    // The sibling takes the parent's place. That frees its own, beside the node, for the new
    // sibling, whose place is taken by a new parent of both.
    put(nodes, parents, parent, nodes[beside]);
    put(nodes, parents, beside, nodes[to]);
    let pair = node.min(beside);
    nodes[to] = TaggedBox::inner(Bounds::EMPTY, pair, 0);
    parents[node] = to as u32;
    parents[beside] = to as u32;
    refit(nodes, parents, grandparent);
    refit(nodes, parents, to);
    true
}

/// Whether `node` lies in the subtree of `ancestor`.
fn is_below(parents: &[u32], node: usize, ancestor: usize) -> bool {
    let mut current = node as u32;
    while current != NONE {
        if current as usize == ancestor {
            return true;
        }
        current = parents[current as usize];
    }
    false
}

/// Stores a node and tells its children where.
fn put(nodes: &mut [TaggedBox], parents: &mut [u32], place: usize, node: TaggedBox) {
    nodes[place] = node;
    if let Some(child) = node.first_child() {
        parents[child] = place as u32;
        parents[child + 1] = place as u32;
    }
}

/// Makes the boxes and counts from an inner node up to the root those of their children.
fn refit(nodes: &mut [TaggedBox], parents: &[u32], from: usize) {
    let mut current = from as u32;
    while current != NONE {
        let node = nodes[current as usize];
        let child = node.tag_a() as usize;
        let (left, right) = (&nodes[child], &nodes[child + 1]);
        let bounds = left.bounds().union(right.bounds());
        let count = left.count() + right.count();
        if bounds == node.bounds() && count == node.count() {
            return;
        }
        nodes[current as usize] = TaggedBox::inner(bounds, child, count);
        current = parents[current as usize];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::unwatched;
    use glam::Vec3A;

    /// A chain that hangs boxes off a path in an order that has nothing to do with where they lie.
    fn chain(count: usize) -> Vec<TaggedBox> {
        let leaf = |item: usize| {
            let scrambled = (item * 37 % count) as f32;
            let min = Vec3A::new(scrambled * 3.0, scrambled * 0.5, (item % 5) as f32);
            TaggedBox::leaf(Bounds { min, max: min + Vec3A::new(1.0, 0.7, 2.0) }, item as u32)
        };
        let mut nodes = vec![leaf(0); 2 * count - 1];
        for level in (0..count - 1).rev() {
            let pair = 2 * level + 1;
            nodes[pair] = leaf(level);
            if level == count - 2 {
                nodes[pair + 1] = leaf(count - 1);
            }
            let bounds = nodes[pair].bounds().union(nodes[pair + 1].bounds());
            let place = if level == 0 { 0 } else { pair - 1 };
            nodes[place] = TaggedBox::inner(bounds, pair, count - level);
        }
        nodes
    }

    /// The sum of all inner areas; checks boxes, counts and that every item is there once.
    fn checked_cost(nodes: &[TaggedBox]) -> f32 {
        let mut seen = vec![0; nodes[0].count()];
        let mut cost = 0.0;
        let mut open = vec![0];
        while let Some(index) = open.pop() {
            let node: &TaggedBox = &nodes[index];
            let Some(child) = node.first_child() else {
                seen[node.item() as usize] += 1;
                continue;
            };
            let (left, right) = (&nodes[child], &nodes[child + 1]);
            assert_eq!(node.bounds(), left.bounds().union(right.bounds()));
            assert_eq!(node.count(), left.count() + right.count());
            cost += node.bounds().half_area();
            open.extend([child, child + 1]);
        }
        assert!(seen.iter().all(|&times| times == 1));
        cost
    }

    #[test]
    fn a_bad_tree_becomes_a_better_one() {
        let mut nodes = chain(301);
        let before = checked_cost(&nodes);
        optimise(&mut nodes, Effort::default(), &Monitor::new(&unwatched, 1)).unwrap();
        let after = checked_cost(&nodes);
        // A round tries a tenth of the nodes, so a tree this bad is improved, not made good.
        assert!(after < 0.75 * before, "{before} to {after}");
    }
}
