//! Writes down the wide tree that a [`plan`](crate::plan) describes, or says what it would cost.
//!
//! The upper part is written first; subtrees below it are written side by side and then joined in
//! order.

use crate::BuildError;
use crate::binary::Node;
use crate::objective::Objective;
use crate::options::MAX_LEAF;
use crate::plan::{Plans, plan};
use crate::progress::Monitor;
use crate::tagged_box::TaggedBox;
use rayon::prelude::*;
use std::ops::Deref;
use tree::bvh::MAX_WIDTH;
use tree::quality::half_area;
use tree::{Bvh, NodeLink};

/// Subtrees over about so many references are written by one thread.
const BLOCK: usize = 1 << 12;
/// So many subtrees are written before they are joined to the rest, so that their memory is used
/// again.
const BATCH: usize = 32;

/// The wide tree, and what the binary one cost.
pub(crate) struct Collapsed {
    /// The wide tree.
    pub(crate) bvh: Bvh,
    /// Cost of the binary tree with the best leaves of at most `max_leaf` references.
    pub(crate) binary_cost: f64,
}

/// Collapses a binary tree, whose references choose from `item_count` items, to nodes of at most
/// `width` children.
///
/// # Errors
/// Cancellation.
pub(crate) fn collapse<O: Objective>(
    nodes: impl Deref<Target = [TaggedBox]>,
    item_count: usize,
    width: usize,
    objective: &O,
    monitor: &Monitor<'_>,
) -> Result<Collapsed, BuildError> {
    let plans = plan(&nodes, width, objective, monitor)?;
    let binary_cost = plans.binary_cost;
    let bvh = write(nodes, plans, item_count, width, objective, monitor)?;
    Ok(Collapsed { bvh, binary_cost })
}

/// Writes the planned tree, whose references choose from `item_count` items.
///
/// # Errors
/// Cancellation, or an item that is not less than `item_count`.
pub(crate) fn write<O: Objective>(
    nodes: impl Deref<Target = [TaggedBox]>,
    plans: Plans,
    item_count: usize,
    width: usize,
    objective: &O,
    monitor: &Monitor<'_>,
) -> Result<Bvh, BuildError> {
    let writer = Writer { nodes: &nodes, plans: &plans, width, objective };
    let mut whole = Part::default();
    let mut roots = Vec::new();
    writer.emit(0, &mut whole);
    writer.write(&mut whole, BLOCK, |entry, node| roots.push((entry, node)));
    // About as many entries as references are to be expected. Memory that stays unused costs
    // nothing.
    whole.entries.reserve(nodes[0].count());
    whole.references.reserve(nodes[0].count());
    let mut parts: Vec<Part> = std::iter::repeat_with(Part::default).take(BATCH).collect();
    for batch in roots.chunks(BATCH) {
        parts.par_iter_mut().zip(batch).try_for_each(|(part, &(_, node))| {
            part.clear();
            part.pending.push((u32::MAX, node));
            writer.write(part, 0, |_, _| ());
            monitor.check()
        })?;
        for (part, &(root, _)) in parts.iter().zip(batch) {
            whole.append(root as usize, part);
        }
    }
    drop((plans, nodes, parts));
    let Part { mut entries, mut references, .. } = whole;
    entries.shrink_to_fit();
    references.shrink_to_fit();
    Ok(Bvh::new(entries, references, item_count)?)
}

/// What [`Quality`](tree::Quality) would say of the planned tree by the surface-area heuristic.
pub(crate) fn sah_cost<O: Objective>(
    nodes: &[TaggedBox],
    plans: &Plans,
    width: usize,
    objective: &O,
) -> f64 {
    let writer = Writer { nodes, plans, width, objective };
    let area = |node: usize| half_area(&nodes[node].bounds().to_aabb());
    let mut leaf = Part::default();
    let mut weighted_area = 0.0;
    let mut pending = vec![0];
    while let Some(node) = pending.pop() {
        let visit = match nodes[node].first_child().map(|child| plans.of_parent(child)) {
            Some(plan) if !plan.is_leaf() => {
                writer.children(node, |child| pending.push(child));
                1
            }
            Some(plan) if !objective.repeats() => plan.weight(),
            _ => {
                leaf.clear();
                writer.leaf(node, &mut leaf).count()
            }
        };
        weighted_area += visit as f64 * area(node);
    }
    let root_area = area(0);
    if root_area > 0.0 { weighted_area / root_area } else { 0.0 }
}

/// A part of the wide tree.
#[derive(Default)]
struct Part {
    entries: Vec<tree::Node>,
    references: Vec<u32>,
    /// Wide nodes still without children: entry and binary node.
    pending: Vec<(u32, u32)>,
    /// How many of the entries are the children of the part's root, which is not in the part.
    root_width: usize,
}

impl Part {
    fn clear(&mut self) {
        self.entries.clear();
        self.references.clear();
        self.pending.clear();
    }

    /// Appends a part, whose root is entry `root`.
    fn append(&mut self, root: usize, part: &Self) {
        let (first_entry, first_reference) = (self.entries.len(), self.references.len());
        self.entries[root].link = NodeLink::inner(first_entry as u32, part.root_width);
        self.references.extend_from_slice(&part.references);
        self.entries.extend(part.entries.iter().map(|entry| {
            let (range, count) = (entry.link.range(), entry.link.count());
            let link = match entry.link.is_leaf() {
                true => NodeLink::leaf((first_reference + range.start) as u32, count),
                false => NodeLink::inner((first_entry + range.start) as u32, count),
            };
            tree::Node { link, ..*entry }
        }));
    }
}

struct Writer<'a, O> {
    nodes: &'a [TaggedBox],
    plans: &'a Plans,
    width: usize,
    objective: &'a O,
}

impl<O: Objective> Writer<'_, O> {
    /// Writes everything below the pending nodes. Nodes over at most `block` references are `left`
    /// to others.
    fn write(&self, part: &mut Part, block: usize, mut left: impl FnMut(u32, u32)) {
        while let Some((entry, node)) = part.pending.pop() {
            if self.nodes[node as usize].count() <= block {
                left(entry, node);
                continue;
            }
            let first = part.entries.len();
            self.children(node as usize, |child| self.emit(child, part));
            let count = part.entries.len() - first;
            match part.entries.get_mut(entry as usize) {
                Some(parent) => parent.link = NodeLink::inner(first as u32, count),
                None => part.root_width = count,
            }
        }
    }

    /// The binary nodes that become the children of the wide node made of `node`, in order.
    #[inline(always)]
    fn children(&self, node: usize, mut each: impl FnMut(usize)) {
        let mut open = [(0, 0); MAX_WIDTH];
        let mut count = 0;
        let mut current = (node, self.width);
        loop {
            let (node, allowed) = current;
            let child = if allowed > 1 { self.nodes[node].first_child() } else { None };
            match child
                .and_then(|child| Some((child, self.plans.of_parent(child).shares(allowed)?)))
            {
                Some((child, [left, right])) => {
                    open[count] = (child + 1, right);
                    count += 1;
                    current = (child, left);
                    continue;
                }
                None => each(node),
            }
            if count == 0 {
                return;
            }
            count -= 1;
            current = open[count];
        }
    }

    /// Whether a binary node, as one root, becomes a leaf.
    #[inline(always)]
    fn is_leaf(&self, node: usize) -> bool {
        let planned = |child| self.plans.of_parent(child).is_leaf();
        self.nodes[node].first_child().is_none_or(planned)
    }

    fn emit(&self, node: usize, part: &mut Part) {
        let bounds = self.nodes[node].bounds().to_aabb();
        let link = if self.is_leaf(node) {
            self.leaf(node, part)
        } else {
            part.pending.push((part.entries.len() as u32, node as u32));
            NodeLink::inner(0, 0)
        };
        part.entries.push(tree::Node { bounds, link });
    }

    /// A leaf with all references below `node`. Two references to the same item, which spatial
    /// splits make, become one.
    fn leaf(&self, node: usize, part: &mut Part) -> NodeLink {
        let start = part.references.len();
        let mut open = [0; MAX_LEAF];
        let mut count = 0;
        let mut current = node;
        loop {
            if let Some(child) = self.nodes[current].first_child() {
                open[count] = child + 1;
                count += 1;
                current = child;
                continue;
            }
            for item in self.objective.items(self.nodes[current].item()) {
                if !part.references[start..].contains(&item) {
                    part.references.push(item);
                }
            }
            if count == 0 {
                break;
            }
            count -= 1;
            current = open[count];
        }
        NodeLink::leaf(start as u32, part.references.len() - start)
    }
}
