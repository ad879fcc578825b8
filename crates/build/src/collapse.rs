//! Writes down the wide tree that a [`plan`](crate::plan) describes.
//!
//! The upper part is written first; subtrees below it are written side by side and then joined in
//! order.

use crate::BuildError;
use crate::binary::Node;
use crate::options::{MAX_LEAF, Options};
use crate::plan::{Plans, plan};
use crate::progress::Monitor;
use crate::tagged_box::TaggedBox;
use rayon::prelude::*;
use tree::bvh::MAX_WIDTH;
use tree::{Bvh, Entry, Link};

/// Subtrees over about so many references are written by one thread.
const BLOCK: usize = 1 << 13;

/// The wide tree, and what the binary one cost.
pub(crate) struct Collapsed {
    /// The wide tree.
    pub(crate) bvh: Bvh,
    /// Cost of the binary tree with the best leaves of at most `max_leaf` references.
    pub(crate) binary_cost: f64,
}

/// Collapses a binary tree, whose references choose from `item_count` items.
///
/// # Errors
/// Cancellation.
pub(crate) fn collapse(
    nodes: Vec<TaggedBox>,
    item_count: usize,
    options: &Options,
    monitor: &Monitor<'_>,
) -> Result<Collapsed, BuildError> {
    let plans = plan(&nodes, options, monitor)?;
    let binary_cost = plans.binary_cost;
    let writer = Writer { nodes: &nodes, plans: &plans, width: options.width };
    let mut whole = Part::default();
    let mut roots = Vec::new();
    writer.emit(0, &mut whole);
    writer.write(&mut whole, BLOCK, |entry, node| roots.push((entry, node)));
    let parts: Vec<Part> = roots
        .par_iter()
        .map(|&(_, node)| {
            monitor.check()?;
            let mut part = Part::default();
            part.pending.push((u32::MAX, node));
            writer.write(&mut part, 0, |_, _| ());
            Ok(part)
        })
        .collect::<Result<_, BuildError>>()?;
    drop((plans, nodes));
    let (entries, references) = join(whole, &roots, parts);
    Ok(Collapsed { bvh: Bvh::new(entries, references, item_count)?, binary_cost })
}

/// A part of the wide tree.
#[derive(Default)]
struct Part {
    entries: Vec<Entry>,
    references: Vec<u32>,
    /// Wide nodes still without children: entry and binary node.
    pending: Vec<(u32, u32)>,
    /// How many of the entries are the children of the part's root, which is not in the part.
    root_width: usize,
}

struct Writer<'a> {
    nodes: &'a [TaggedBox],
    plans: &'a Plans,
    width: usize,
}

impl Writer<'_> {
    /// Writes everything below the pending nodes. Nodes over at most `block` references are `left` to
    /// others.
    fn write(&self, part: &mut Part, block: usize, mut left: impl FnMut(u32, u32)) {
        while let Some((entry, node)) = part.pending.pop() {
            if self.nodes[node as usize].count() <= block {
                left(entry, node);
                continue;
            }
            let first = part.entries.len();
            self.emit_children(node as usize, part);
            let count = part.entries.len() - first;
            match part.entries.get_mut(entry as usize) {
                Some(parent) => parent.link = Link::node(first as u32, count),
                None => part.root_width = count,
            }
        }
    }

    /// Writes the binary nodes that become the children of the wide node made of `node`.
    fn emit_children(&self, node: usize, part: &mut Part) {
        let mut open = [(0, 0); MAX_WIDTH];
        let mut count = 0;
        let mut current = (node, self.width);
        loop {
            let (node, mut allowed) = current;
            let plan = self.plans.of(node);
            while allowed > 1 && plan.left_share(allowed) == 0 {
                allowed -= 1;
            }
            match self.nodes[node].first_child() {
                Some(child) if allowed > 1 => {
                    let share = plan.left_share(allowed);
                    open[count] = (child + 1, allowed - share);
                    count += 1;
                    current = (child, share);
                    continue;
                }
                _ => self.emit(node, part),
            }
            if count == 0 {
                return;
            }
            count -= 1;
            current = open[count];
        }
    }

    fn emit(&self, node: usize, part: &mut Part) {
        let bounds = self.nodes[node].bounds().to_aabb();
        let link = if self.nodes[node].count() == 1 || self.plans.of(node).is_leaf() {
            self.leaf(node, part)
        } else {
            part.pending.push((part.entries.len() as u32, node as u32));
            Link::node(0, 0)
        };
        part.entries.push(Entry { bounds, link });
    }

    /// A leaf with all references below `node`. Two references to the same item, which spatial splits
    /// make, become one.
    fn leaf(&self, node: usize, part: &mut Part) -> Link {
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
            let item = self.nodes[current].item();
            if !part.references[start..].contains(&item) {
                part.references.push(item);
            }
            if count == 0 {
                break;
            }
            count -= 1;
            current = open[count];
        }
        Link::leaf(start as u32, part.references.len() - start)
    }
}

/// Appends the parts, whose roots are entries of the whole.
fn join(mut whole: Part, roots: &[(u32, u32)], parts: Vec<Part>) -> (Vec<Entry>, Vec<u32>) {
    whole.entries.reserve_exact(parts.iter().map(|part| part.entries.len()).sum());
    whole.references.reserve_exact(parts.iter().map(|part| part.references.len()).sum());
    for (&(root, _), part) in roots.iter().zip(parts) {
        let (first_entry, first_reference) = (whole.entries.len(), whole.references.len());
        whole.entries[root as usize].link = Link::node(first_entry as u32, part.root_width);
        whole.references.extend_from_slice(&part.references);
        whole.entries.extend(part.entries.into_iter().map(|entry| {
            let (range, count) = (entry.link.range(), entry.link.count());
            let link = match entry.link.is_leaf() {
                true => Link::leaf((first_reference + range.start) as u32, count),
                false => Link::node((first_entry + range.start) as u32, count),
            };
            Entry { link, ..entry }
        }));
    }
    (whole.entries, whole.references)
}
