//! An order of leaves in which neighbours share vertices.
//!
//! Primitive nodes are filled in the order of the leaves. Within a pool any order will do, as long as
//! the leaves of a box stay within the reach of a range length, 15 nodes. So a node starts with a leaf
//! that has few neighbours left, and goes on with the leaf that brings the fewest new vertices.
//!
//! The order of a tree that was decoded is that of its primitives, which decoding numbers as they lie
//! in memory. A pool with procedurals keeps the order of the tree, because those are numbered apart.

use super::flatten::Flat;
use super::run::RunPacker;
use super::triangle_fill::Footprint;
use rayon::prelude::*;

/// Nodes that may be closed within a pool, so that no two of its leaves are too far apart.
const REACH: usize = 13;
/// How many leaves are tried before a node is closed.
const TRIALS: usize = 4;
/// What a new vertex and a pair weigh when leaves are compared: bits of a usual mesh.
const VERTEX_BITS: f32 = 60.0;
const PAIR_BITS: f32 = 55.0;

/// Reorders the leaves of every pool; `keep` keeps the order of decoded primitives.
pub(crate) fn order_leaves(flat: &mut Flat, packer: &RunPacker<'_>, keep: bool) {
    let mut pools = flat.pools.iter().cloned().peekable();
    let pools_of_runs: Vec<Vec<&[u32]>> = flat
        .runs
        .iter()
        .map(|run| {
            let own = std::iter::from_fn(|| pools.next_if(|pool| pool.start < run.end));
            own.map(|pool| &flat.leaves[pool]).collect()
        })
        .collect();
    let orders: Vec<Vec<u32>> =
        pools_of_runs.par_iter().map(|pools| order_run(pools, packer, keep)).collect();
    let leaves = orders.concat();
    flat.reorder(leaves);
}

fn order_run(pools: &[&[u32]], packer: &RunPacker<'_>, keep: bool) -> Vec<u32> {
    let mut order = Vec::new();
    let mut open = packer.empty_node();
    for pool in pools {
        let chosen =
            if keep { by_primitive(pool, packer) } else { by_vertices(pool, packer, open) };
        let mut after = open;
        let closed = packer.simulate(&chosen, &mut after);
        if closed <= REACH {
            order.extend(chosen);
        } else {
            after = open;
            packer.simulate(pool, &mut after);
            order.extend_from_slice(pool);
        }
        open = after;
    }
    order
}

fn has_procedural(pool: &[u32], packer: &RunPacker<'_>) -> bool {
    pool.iter().any(|&leaf| packer.items(leaf).iter().any(|&item| !packer.is_triangle(item)))
}

/// The leaves in the order of their first primitives.
fn by_primitive(pool: &[u32], packer: &RunPacker<'_>) -> Vec<u32> {
    let mut order = pool.to_vec();
    if !has_procedural(pool, packer) {
        order.sort_by_key(|&leaf| packer.items(leaf).first().copied());
    }
    order
}

/// The leaves in an order in which each shares vertices with those before it.
fn by_vertices(pool: &[u32], packer: &RunPacker<'_>, mut open: Footprint) -> Vec<u32> {
    if has_procedural(pool, packer) {
        return pool.to_vec();
    }
    let mut waiting = Waiting::new(pool, packer);
    let mut order = Vec::with_capacity(pool.len());
    let mut held = waiting.vertices_of(&open);
    while !waiting.leaves.is_empty() {
        let next = if open.is_empty() { None } else { waiting.fitting(packer, &held, &open) };
        let position = match next {
            Some((position, extended)) => {
                open = extended;
                position
            }
            None => {
                let position = waiting.loneliest();
                if packer.simulate(&[waiting.leaves[position].entry], &mut open) > 0 {
                    held = VertexSet::default();
                }
                position
            }
        };
        let leaf = waiting.remove(position);
        held.add(&leaf.vertices);
        order.push(leaf.entry);
    }
    order
}

/// Up to 256 vertices of a pool, by number.
#[derive(Clone, Copy, Default)]
struct VertexSet([u64; 4]);

impl VertexSet {
    fn insert(&mut self, vertex: usize) {
        if let Some(word) = self.0.get_mut(vertex / 64) {
            *word |= 1 << (vertex % 64);
        }
    }

    fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(word, more)| *word |= more);
    }

    fn common(&self, other: &Self) -> u32 {
        self.0.iter().zip(other.0).map(|(a, b)| (a & b).count_ones()).sum()
    }

    fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
}

/// The leaves of a pool that have no place yet.
struct Waiting<'a> {
    leaves: Vec<WaitingLeaf<'a>>,
    /// The distinct vertices, sorted; the position is the number.
    vertices: Vec<[u32; 3]>,
}

struct WaitingLeaf<'a> {
    entry: u32,
    items: &'a [u32],
    vertices: VertexSet,
    /// Vertices that it has in common with the other leaves that wait, each leaf counted.
    shared: u32,
}

impl<'a> Waiting<'a> {
    fn new(pool: &[u32], packer: &RunPacker<'a>) -> Self {
        let corners = |items: &'a [u32]| {
            let triangles = items.iter().map(|&item| packer.triangle(item).0);
            triangles.flat_map(|triangle| triangle.vertices.map(|v| v.to_array().map(f32::to_bits)))
        };
        let mut vertices: Vec<[u32; 3]> =
            pool.iter().flat_map(|&leaf| corners(packer.items(leaf))).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let mut leaves: Vec<WaitingLeaf<'a>> = pool
            .iter()
            .map(|&entry| {
                let items = packer.items(entry);
                let mut set = VertexSet::default();
                for corner in corners(items) {
                    set.insert(vertices.partition_point(|&vertex| vertex < corner));
                }
                WaitingLeaf { entry, items, vertices: set, shared: 0 }
            })
            .collect();
        for k in 0..leaves.len() {
            let own = leaves[k].vertices;
            let common: u32 = leaves.iter().map(|leaf| leaf.vertices.common(&own)).sum();
            leaves[k].shared = common - own.len();
        }
        Self { leaves, vertices }
    }

    /// The vertices of the pool that a node holds already.
    fn vertices_of(&self, open: &Footprint) -> VertexSet {
        let mut set = VertexSet::default();
        for vertex in open.vertices() {
            if let Ok(number) = self.vertices.binary_search(vertex) {
                set.insert(number);
            }
        }
        set
    }

    /// The leaf that takes the fewest bits a triangle in the open node, and the node with it. Only
    /// those are tried that bring the fewest new vertices.
    fn fitting(
        &self,
        packer: &RunPacker<'_>,
        held: &VertexSet,
        open: &Footprint,
    ) -> Option<(usize, Footprint)> {
        let mut nearest = [(f32::INFINITY, usize::MAX); TRIALS];
        for (position, leaf) in self.leaves.iter().enumerate() {
            let mut candidate = (leaf.cost(held), position);
            for kept in &mut nearest {
                if candidate.0 < kept.0 {
                    std::mem::swap(kept, &mut candidate);
                }
            }
        }
        let mut best: Option<(f32, usize, Footprint)> = None;
        for (_, position) in nearest.into_iter().filter(|candidate| candidate.1 != usize::MAX) {
            let items = self.leaves[position].items;
            if let Some(extended) = packer.extend(items, open) {
                let added = extended.size_in_bits() - open.size_in_bits();
                let cost = added as f32 / items.len() as f32;
                if best.as_ref().is_none_or(|best| cost < best.0) {
                    best = Some((cost, position, extended));
                }
            }
        }
        best.map(|(_, position, extended)| (position, extended))
    }

    /// Position of the leaf that shares the fewest vertices with the others.
    fn loneliest(&self) -> usize {
        let shared = |position: &usize| self.leaves[*position].shared;
        (0..self.leaves.len()).min_by_key(shared).unwrap_or(0)
    }

    fn remove(&mut self, position: usize) -> WaitingLeaf<'a> {
        let leaf = self.leaves.remove(position);
        for other in &mut self.leaves {
            other.shared -= other.vertices.common(&leaf.vertices);
        }
        leaf
    }
}

impl WaitingLeaf<'_> {
    /// What it would cost beside some vertices, in bits a triangle, roughly.
    fn cost(&self, held: &VertexSet) -> f32 {
        let new = self.vertices.len() - held.common(&self.vertices);
        let pairs = self.items.len().div_ceil(2);
        (VERTEX_BITS * new as f32 + PAIR_BITS * pairs as f32) / self.items.len() as f32
    }
}
