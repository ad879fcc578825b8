//! Moving ranges between clusters so that fewer clusters do.
//!
//! Clusters that are far from full are emptied where possible: a range of theirs goes to a
//! neighbouring cluster with room, or to one that gives up another range for it, which goes on in
//! the same way: an alternating path, found breadth first. In between, ranges are moved and
//! exchanged wherever that saves bits or fills the fuller of two clusters, which makes room.

use super::SearchEffort;
use super::clusters::{Cluster, Clusters, TOO_LARGE};
use super::ranges::Members;

/// Clusters of at most so many bits are emptied first, and then those of [`NOT_FULL`].
const NEARLY_EMPTY: u32 = 700;
/// More bits than this hardly leave room for another pair.
const NOT_FULL: u32 = 920;
/// What the square of a cluster's triangles weighs against its bits.
const FULLNESS: i64 = 10;

impl Clusters<'_> {
    /// Rearranges all clusters.
    pub(super) fn rearrange(&mut self, effort: &SearchEffort) {
        let seen = vec![0; self.of.len()];
        let mut search = Search { effort: *effort, steps: Vec::new(), seen, searches: 0 };
        for round in 0..=effort.exchanges {
            if round > 0 {
                self.exchange();
            }
            self.empty(NEARLY_EMPTY, &mut search);
            self.empty(NOT_FULL, &mut search);
        }
        self.empty(NEARLY_EMPTY, &mut search);
    }

    /// Takes ranges out of clusters of at most so many bits, the emptiest first.
    fn empty(&mut self, limit: u32, search: &mut Search) {
        let is_wanted = |cluster: &Cluster| cluster.bits > 0 && cluster.bits <= limit;
        let mut order: Vec<u32> = (0..self.all.len() as u32)
            .filter(|&cluster| is_wanted(&self.all[cluster as usize]))
            .collect();
        order.sort_by_key(|&cluster| self.all[cluster as usize].bits);
        for cluster in order {
            if !is_wanted(&self.all[cluster as usize]) {
                continue;
            }
            let members = self.all[cluster as usize].members;
            for &range in members.as_slice() {
                if self.of[range as usize] == cluster && !search.relocate(self, range) {
                    break;
                }
            }
        }
    }

    /// Moves and exchanges ranges of neighbouring clusters, each cluster's best step first.
    fn exchange(&mut self) {
        for cluster in 0..self.all.len() as u32 {
            while let Some(steps) = self.best_step(cluster) {
                for (cluster, new) in steps {
                    self.set(cluster, new);
                }
            }
        }
    }

    /// What two clusters would become by the step that gains most.
    fn best_step(&mut self, here: u32) -> Option<[(u32, Cluster); 2]> {
        let own = self.all[here as usize];
        if own.bits == TOO_LARGE {
            return None;
        }
        let mut best = (0, None);
        for &range in own.members.as_slice() {
            let rest = own.members.without(range);
            for there in self.neighbour_clusters(range) {
                let other = self.all[there as usize];
                let before = score(&own) + score(&other);
                let mut consider = |new: Option<[Cluster; 2]>| {
                    let Some([a, b]) = new else { return };
                    let gain = score(&a) + score(&b) - before;
                    if gain > best.0 {
                        best = (gain, Some([(here, a), (there, b)]));
                    }
                };
                if let Some(joined) = other.members.with(range) {
                    consider(self.both(rest, joined));
                }
                for &given in other.members.as_slice() {
                    let exchanged = rest.with(given).zip(other.members.without(given).with(range));
                    consider(exchanged.and_then(|(a, b)| self.both(a, b)));
                }
            }
        }
        best.1
    }

    /// Clusters that have a vertex in common with a range, other than its own.
    fn neighbour_clusters(&self, range: u32) -> Vec<u32> {
        let own = self.of[range as usize];
        let mut found = Vec::with_capacity(8);
        for other in self.ranges.neighbours(range) {
            let cluster = self.of[other as usize];
            if cluster != own
                && !found.contains(&cluster)
                && self.all[cluster as usize].bits != TOO_LARGE
            {
                found.push(cluster);
            }
        }
        found
    }

    fn both(&mut self, a: Members, b: Members) -> Option<[Cluster; 2]> {
        Some([self.cluster(a)?, self.cluster(b)?])
    }

    /// A cluster of some ranges, if they fit.
    fn cluster(&mut self, members: Members) -> Option<Cluster> {
        if members.as_slice().is_empty() {
            return Some(Cluster { members, triangles: 0, bits: 0 });
        }
        let bits = self.ranges.bits(&members)?;
        let triangles = members.as_slice().iter().map(|&range| self.ranges.triangles(range)).sum();
        Some(Cluster { members, triangles, bits })
    }

    fn set(&mut self, cluster: u32, new: Cluster) {
        for &range in new.members.as_slice() {
            self.of[range as usize] = cluster;
        }
        self.all[cluster as usize] = new;
    }
}

fn score(cluster: &Cluster) -> i64 {
    FULLNESS * i64::from(cluster.triangles * cluster.triangles) - i64::from(cluster.bits)
}

/// The search for a new place of a range.
struct Search {
    effort: SearchEffort,
    steps: Vec<Step>,
    /// The last search that looked at each range.
    seen: Vec<u32>,
    searches: u32,
}

/// A range that needs a place because the step before takes its own.
#[derive(Clone, Copy)]
struct Step {
    range: u32,
    cluster: u32,
    before: Option<usize>,
    depth: u8,
}

impl Search {
    /// Finds another cluster for a range, fuller than its own; others may have to move for it.
    fn relocate(&mut self, clusters: &mut Clusters<'_>, range: u32) -> bool {
        self.searches += 1;
        self.steps.clear();
        self.seen[range as usize] = self.searches;
        let home = clusters.of[range as usize];
        let least_bits = clusters.all[home as usize].bits;
        self.steps.push(Step { range, cluster: home, before: None, depth: 0 });
        let mut next = 0;
        while next < self.steps.len().min(self.effort.steps) {
            let Step { range, depth, .. } = self.steps[next];
            let mut near = clusters.neighbour_clusters(range);
            near.retain(|&cluster| !self.is_on_path(next, cluster));
            for &cluster in &near {
                let there = clusters.all[cluster as usize];
                let joined = there.members.with(range).and_then(|joined| clusters.cluster(joined));
                if let Some(joined) = joined
                    && there.bits >= least_bits
                {
                    clusters.set(cluster, joined);
                    return self.follow(clusters, next);
                }
            }
            for &cluster in near.iter().filter(|_| depth < self.effort.path) {
                let members = clusters.all[cluster as usize].members;
                for &given in members.as_slice() {
                    let exchanged = members.without(given).with(range);
                    if self.seen[given as usize] != self.searches
                        && exchanged.and_then(|members| clusters.ranges.bits(&members)).is_some()
                    {
                        self.seen[given as usize] = self.searches;
                        let (before, depth) = (Some(next), depth + 1);
                        self.steps.push(Step { range: given, cluster, before, depth });
                    }
                }
            }
            next += 1;
        }
        false
    }

    fn is_on_path(&self, step: usize, cluster: u32) -> bool {
        let mut current = Some(step);
        while let Some(step) = current {
            if self.steps[step].cluster == cluster {
                return true;
            }
            current = self.steps[step].before;
        }
        false
    }

    /// Makes all moves that lead to a step whose range has found a place.
    fn follow(&self, clusters: &mut Clusters<'_>, last: usize) -> bool {
        let mut current = Some(last);
        while let Some(step) = current {
            let Step { range, cluster, before, .. } = self.steps[step];
            let rest = clusters.all[cluster as usize].members.without(range);
            let filled = before.map_or(Some(rest), |before| rest.with(self.steps[before].range));
            if let Some(new) = filled.and_then(|members| clusters.cluster(members)) {
                clusters.set(cluster, new);
            }
            current = before;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Options;
    use super::super::super::run::RunPacker;
    use super::super::ranges::Ranges;
    use super::super::{QUICK, THOROUGH};
    use super::*;
    use geometry::{Aabb, Triangle, Vec3};
    use tree::{Bvh, Node, NodeLink, PrimitiveFlags, PrimitiveId, Primitives};

    const QUADS: u32 = 8;

    /// A bumpy sheet of quads, with a leaf for each and a box for eight that lie anywhere.
    fn sheet() -> (Bvh, Primitives) {
        let corner = |x: u32, y: u32| {
            let bump = ((x * 37 + y * 101) % 29) as f32 * 0.013;
            Vec3::new(3.1 + x as f32 * 0.37 + bump, 1.7 + y as f32 * 0.41, 0.9 + bump * bump)
        };
        let mut primitives = Primitives::default();
        for (x, y) in (0..QUADS * QUADS).map(|k| k * 37).map(|k| (k % QUADS, k / QUADS % QUADS)) {
            let [a, b] = [corner(x, y), corner(x + 1, y)];
            let [c, d] = [corner(x + 1, y + 1), corner(x, y + 1)];
            primitives.triangles.extend([Triangle::new(a, b, c), Triangle::new(c, d, a)]);
        }
        let count = 2 * QUADS * QUADS;
        let flags = PrimitiveFlags::OPAQUE;
        let id = |k: u32| PrimitiveId { geometry: 0, primitive: k * 77 % count, flags };
        primitives.ids = (0..count).map(id).collect();
        let whole = Aabb::new(Vec3::ZERO, Vec3::splat(9.0));
        let entry = |link| Node { bounds: whole, link };
        let mut entries = vec![entry(NodeLink::inner(1, QUADS as usize))];
        entries
            .extend((0..QUADS).map(|row| entry(NodeLink::inner(9 + row * QUADS, QUADS as usize))));
        entries.extend((0..QUADS * QUADS).map(|leaf| entry(NodeLink::leaf(2 * leaf, 2))));
        let bvh = Bvh::new(entries, (0..count).collect(), count as usize).unwrap();
        (bvh, primitives)
    }

    #[test]
    fn every_range_has_one_place_and_every_cluster_is_a_node() {
        let (bvh, primitives) = sheet();
        let packer = RunPacker::new(0, &bvh, &primitives, &Options::default());
        let leaves: Vec<u32> = (9..9 + QUADS * QUADS).collect();
        let mut open = packer.empty_node();
        let in_order = 1 + packer.simulate(&leaves, &mut open).last().unwrap();
        for effort in [&QUICK, &THOROUGH] {
            let mut ranges = Ranges::new(&leaves, &packer);
            let mut clusters = Clusters::grown(&mut ranges, 5);
            let grown = clusters.members().len();
            clusters.rearrange(effort);
            let members = clusters.members();
            assert!(members.len() <= grown && members.len() < in_order as usize);
            let mut seen = vec![0; leaves.len()];
            for cluster in members {
                let mut node = packer.empty_node();
                for &range in cluster.as_slice() {
                    seen[range as usize] += 1;
                    let items = packer.items(leaves[range as usize]);
                    node = packer.extend(items, &node).expect("the cluster fits");
                }
                let bits = clusters.ranges.bits(&cluster).unwrap();
                assert!((node.size_in_bits()..node.size_in_bits() + 8).contains(&(bits as usize)));
            }
            assert!(seen.iter().all(|&times| times == 1));
        }
    }
}
