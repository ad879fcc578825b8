//! Bottom-up building by clusters: parallel locally-ordered clustering, after Meister and Bittner
//! 2017, "Parallel locally-ordered clustering for bounding volume hierarchy construction".
//!
//! Clusters, at first the single references, lie along a Morton curve. Each finds the neighbour within
//! [`RADIUS`] places with which it would share the smallest box; pairs that chose each other merge;
//! and so on with what remains.
//!
//! Ties are broken such that two clusters at places `i` and `j` prefer a small `i ^ j`: neighbours
//! `2k` and `2k + 1` then choose each other, so a heap of equal boxes halves in each round. Where few
//! clusters merge all the same, as among nested boxes, neighbours are paired without asking: the
//! number of rounds stays logarithmic whatever the input.

use crate::BuildError;
use crate::binary::Node;
use crate::morton;
use crate::progress::Monitor;
use crate::tagged_box::TaggedBox;
use rayon::prelude::*;

/// How far along the curve a cluster looks for a partner.
const RADIUS: usize = 8;
/// After a round in which less than one in so many clusters has merged, neighbours are paired.
const FEWEST_MERGES: usize = 16;
/// Clusters whose partners are found by one thread at a time.
const BLOCK: usize = 1 << 13;

/// Builds a tree over at least one reference.
///
/// # Errors
/// Cancellation.
pub(crate) fn build(
    references: Vec<TaggedBox>,
    monitor: &Monitor<'_>,
) -> Result<Vec<TaggedBox>, BuildError> {
    let order = morton::order(&references);
    monitor.check()?;

    let mut clusters: Vec<TaggedBox> = order
        .par_iter()
        .map(|&place| {
            let reference = &references[place as usize];
            TaggedBox::leaf(reference.bounds(), reference.first())
        })
        .collect();
    drop(order);
    // The memory of the references is used again; only the nodes beyond it are new.
    let mut nodes = references;
    nodes.resize(2 * clusters.len() - 1, clusters[0]);
    // Filled from the back in pairs, so that children lie behind their parents.
    let mut free = nodes.len();
    let mut partners = Vec::new();
    let mut few_merged = false;
    while clusters.len() > 1 {
        let before = clusters.len();
        if few_merged {
            pair_neighbours(&mut partners, before);
        } else {
            choose_partners(&clusters, &mut partners);
        }
        merge_pairs(&mut clusters, &partners, &mut nodes, &mut free);
        few_merged = before - clusters.len() < before / FEWEST_MERGES;
        monitor.advance(before - clusters.len())?;
    }
    nodes[0] = clusters[0];
    Ok(nodes)
}

/// For each cluster, the place of the one with which it would share the smallest box.
fn choose_partners(clusters: &[TaggedBox], partners: &mut Vec<u32>) {
    partners.resize(clusters.len(), 0);
    partners.par_chunks_mut(BLOCK).enumerate().for_each(|(block, partners)| {
        let start = block * BLOCK;
        let window_start = start.saturating_sub(RADIUS);
        let window_end = (start + partners.len() + RADIUS).min(clusters.len());
        let window = &clusters[window_start..window_end];
        let mut best = vec![u64::MAX; window.len()];
        for (offset, cluster) in window.iter().enumerate() {
            let place = window_start + offset;
            let bounds = cluster.bounds();
            let last = (offset + RADIUS + 1).min(window.len());
            let (own, others) = best[offset..last].split_at_mut(1);
            let mut own_best = own[0];
            for (near, (other, other_best)) in
                window[offset + 1..last].iter().zip(others).enumerate()
            {
                let area = bounds.union(other.bounds()).half_area();
                // Areas are not negative, so their bits order like them; a NaN comes last.
                let tie = place ^ (place + near + 1);
                let key = u64::from(area.to_bits()) << 32 | tie as u64;
                own_best = own_best.min(key);
                *other_best = key.min(*other_best);
            }
            own[0] = own_best;
        }
        let skipped = start - window_start;
        for (offset, partner) in partners.iter_mut().enumerate() {
            *partner = (start + offset) as u32 ^ best[skipped + offset] as u32;
        }
    });
}

fn is_mutual(partners: &[u32], place: usize, partner: usize) -> bool {
    partners[partner] as usize == place
}

/// Pairs places `2k` and `2k + 1`; an odd one at the end remains alone.
fn pair_neighbours(partners: &mut Vec<u32>, count: usize) {
    let last = count as u32 - 1;
    partners.clear();
    partners.extend((0..=last).map(|place| (place ^ 1).min(last)));
}

/// Puts the children of each merged pair at the end of the free nodes, and the pair in the place of
/// its first cluster.
fn merge_pairs(
    clusters: &mut Vec<TaggedBox>,
    partners: &[u32],
    nodes: &mut [TaggedBox],
    free: &mut usize,
) {
    let mut kept = 0;
    for place in 0..clusters.len() {
        let partner = partners[place] as usize;
        let cluster = clusters[place];
        if partner == place || !is_mutual(partners, place, partner) {
            clusters[kept] = cluster;
            kept += 1;
        } else if place < partner {
            let other = clusters[partner];
            *free -= 2;
            nodes[*free] = cluster;
            nodes[*free + 1] = other;
            let count = cluster.count() + other.count();
            clusters[kept] = TaggedBox::inner(cluster.bounds().union(other.bounds()), *free, count);
            kept += 1;
        }
    }
    clusters.truncate(kept);
}
