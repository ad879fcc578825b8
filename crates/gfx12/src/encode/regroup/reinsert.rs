//! Moving subtrees of a draft to where they cost least, after Bittner, Hapala, Havran 2013, "Fast
//! insertion-based optimization of bounding volume hierarchies", with the search of Meister and
//! Bittner 2018, "Parallel reinsertion for bounding volume hierarchy optimization".
//!
//! A round visits every node, those with the largest boxes first, and moves it at once. Drafts are
//! improved side by side, so that there is no need to do so within one.

use super::draft::{Draft, NONE};
use super::half_area;
use geometry::Aabb;

/// Most subtrees that are looked at for one node. Where boxes overlap much, bounds hardly prune,
/// and the best place is near all the same.
const MAX_STEPS: usize = 64;

/// Improves a draft by at most so many rounds.
pub(super) fn improve(draft: &mut Draft, rounds: usize) {
    let mut search = Search::default();
    for _ in 0..rounds {
        let mut moved = 0usize;
        for node in largest_first(draft) {
            if let Some(place) = search.best_place(draft, node as usize) {
                reinsert(draft, node as usize, place);
                moved += 1;
            }
        }
        if moved == 0 {
            break;
        }
    }
}

fn largest_first(draft: &Draft) -> Vec<u32> {
    let area = |node: u32| half_area(&draft.nodes[node as usize].bounds);
    let mut order: Vec<(f64, u32)> =
        (1..draft.nodes.len() as u32).map(|node| (area(node), node)).collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order.into_iter().map(|(_, node)| node).collect()
}

/// Scratch of the search for a place.
#[derive(Default)]
struct Search {
    /// Subtrees to look at, with what has been gained on the way there.
    open: Vec<(f64, u32)>,
    /// Steps of this search so far.
    steps: usize,
}

impl Search {
    /// The node beside which another would cost least, if that is better than where it is. Branch
    /// and bound: from its sibling upward, each subtree that hangs off the path to the root is
    /// searched with what taking the node out has gained so far.
    fn best_place(&mut self, draft: &Draft, node: usize) -> Option<usize> {
        let parent = draft.nodes[node].parent as usize;
        if draft.nodes[parent].parent == NONE {
            return None;
        }
        let own = draft.nodes[node].bounds;
        let own_area = half_area(&own);
        self.steps = 0;
        let beside = draft.sibling(node);
        let mut best: (f64, Option<usize>) = (0.0, None);
        let mut gained = half_area(&draft.nodes[parent].bounds);
        let mut subtree = beside;
        let mut remaining = draft.nodes[beside].bounds;
        let mut pivot = parent;
        loop {
            self.open.push((gained, subtree as u32));
            self.search(draft, &own, own_area, &mut best);
            if pivot != parent {
                remaining = remaining.union(draft.nodes[subtree].bounds);
                gained += half_area(&draft.nodes[pivot].bounds) - half_area(&remaining);
            }
            if draft.nodes[pivot].parent == NONE {
                break;
            }
            subtree = draft.sibling(pivot);
            pivot = draft.nodes[pivot].parent as usize;
        }
        best.1.filter(|&place| place != beside)
    }

    fn search(
        &mut self,
        draft: &Draft,
        own: &Aabb,
        own_area: f64,
        best: &mut (f64, Option<usize>),
    ) {
        while let Some((gained, place)) = self.open.pop() {
            if self.steps == MAX_STEPS {
                continue;
            }
            self.steps += 1;
            // Wherever the node goes from here, a box at least as large as its own is new.
            if gained - own_area <= best.0 {
                continue;
            }
            let there = &draft.nodes[place as usize];
            let gain = gained - half_area(&there.bounds.union(*own));
            if gain > best.0 {
                *best = (gain, Some(place as usize));
            }
            if !there.is_leaf() {
                let below = gain + half_area(&there.bounds);
                self.open.extend(there.children.map(|child| (below, child)));
            }
        }
    }
}

/// Takes a node out and puts it beside `place`; its parent goes with it. `place` is neither the
/// root nor below the node, its parent or its sibling.
fn reinsert(draft: &mut Draft, node: usize, place: usize) {
    let parent = draft.nodes[node].parent as usize;
    let beside = draft.sibling(node);
    let grandparent = draft.nodes[parent].parent as usize;
    replace_child(draft, grandparent, parent, beside);
    let above = draft.nodes[place].parent as usize;
    replace_child(draft, above, place, parent);
    draft.nodes[parent].children = [place as u32, node as u32];
    draft.nodes[place].parent = parent as u32;
    // So that it differs, and what is above it is looked at again.
    draft.nodes[parent].bounds = Aabb::EMPTY;
    refit(draft, grandparent);
    refit(draft, parent);
}

fn replace_child(draft: &mut Draft, parent: usize, old: usize, new: usize) {
    for child in &mut draft.nodes[parent].children {
        if *child as usize == old {
            *child = new as u32;
        }
    }
    draft.nodes[new].parent = parent as u32;
}

/// Makes the boxes from an inner node up to the root those of their children.
fn refit(draft: &mut Draft, from: usize) {
    let mut current = from as u32;
    while current != NONE {
        let [left, right] =
            draft.nodes[current as usize].children.map(|child| draft.nodes[child as usize].bounds);
        let bounds = left.union(right);
        let node = &mut draft.nodes[current as usize];
        if bounds == node.bounds {
            return;
        }
        node.bounds = bounds;
        current = node.parent;
    }
}

#[cfg(test)]
mod tests {
    use super::super::mates::Part;
    use super::super::sweep;
    use super::*;
    use geometry::Vec3;

    /// Boxes along a curve that winds through space, of different shapes.
    fn parts(count: u32) -> Vec<Part> {
        let part = |item: u32| {
            let t = f64::from(item) * 0.37;
            let min = Vec3::new(
                (t.sin() * 9.0) as f32,
                (1.7 * t).cos() as f32 * 4.0,
                (item % 23) as f32 * 0.5,
            );
            let size = Vec3::new(0.1 + (item % 5) as f32, 0.7, 0.2 + (item % 3) as f32 * 0.4);
            Part { bounds: Aabb::new(min, min + size), items: [item; 2], count: 1 }
        };
        (0..count).map(part).collect()
    }

    /// The sum of all inner areas; checks boxes and links, and that every part is there once.
    fn checked_cost(draft: &Draft, parts: &[Part]) -> f64 {
        let mut seen = vec![0; parts.len()];
        let mut cost = 0.0;
        let order = draft.bottom_up();
        assert_eq!(order.len(), draft.nodes.len());
        for node in order {
            let own = &draft.nodes[node as usize];
            if own.is_leaf() {
                seen[own.children[1] as usize] += 1;
                assert_eq!(own.bounds, parts[own.children[1] as usize].bounds);
                continue;
            }
            let children = own.children.map(|child| draft.nodes[child as usize]);
            assert!(children.iter().all(|child| child.parent == node));
            assert_eq!(own.bounds, children[0].bounds.union(children[1].bounds));
            cost += half_area(&own.bounds);
        }
        assert!(seen.iter().all(|&times| times == 1));
        cost
    }

    #[test]
    fn every_round_lowers_the_cost() {
        let parts = parts(700);
        let mut draft = sweep::build(&parts, sweep::Growth::Linear);
        let mut before = checked_cost(&draft, &parts);
        for round in 0..2 {
            improve(&mut draft, 1);
            let after = checked_cost(&draft, &parts);
            assert!(after < before, "round {round}: {before} to {after}");
            before = after;
        }
    }

    #[test]
    fn splits_that_peel_do_not_take_a_level_each() {
        // Each box is inside the next: the cheapest split always takes off the outermost.
        let nested = |item: u32| {
            let size = Vec3::splat(1.5f32.powi(item as i32 % 64)) + item as f32;
            Part { bounds: Aabb::new(-size, size), items: [item; 2], count: 1 }
        };
        let parts: Vec<Part> = (0..3000).map(nested).collect();
        let draft = sweep::build(&parts, sweep::Growth::Linear);
        checked_cost(&draft, &parts);
        let mut depths = vec![0; draft.nodes.len()];
        for &node in draft.bottom_up().iter().rev().filter(|&&node| node != 0) {
            depths[node as usize] = depths[draft.nodes[node as usize].parent as usize] + 1;
        }
        assert!(depths.iter().all(|&depth| depth < 56 + 13), "{:?}", depths.iter().max());
    }
}
