//! A hierarchy made ready for packing: leaves that a node can hold, nothing empty.
//!
//! A leaf of a [`Bvh`] may have more references than a node counts: [`tree::reshape`] makes leaves
//! of eight of it. A box that does not contain those below it is grown until it does.

use super::block::MAX_LEAF;
use super::encode::TtuEncodeError;
use geometry::Aabb;
use tree::reshape::{halve, split_leaves};
use tree::{Bvh, Node};

/// What is below a node.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Below {
    /// Other nodes, by number; one to eight.
    Nodes(Vec<u32>),
    /// Items of the level; one to eight.
    Items(Vec<u32>),
}

/// A box with something below it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PackNode {
    pub(super) bounds: Aabb,
    pub(super) below: Below,
    /// OR of what `item_mask` says of the items below.
    pub(super) mask: u8,
    /// AND and OR of whether the items below are opaque.
    pub(super) all_opaque: bool,
    pub(super) any_alpha: bool,
}

/// What packing wants to know of the items of a level.
pub(super) trait Items {
    /// The box of an item, where it is known.
    fn bounds(&self, item: u32) -> Option<Aabb>;
    /// Its folded mask.
    fn mask(&self, item: u32) -> u8;
    /// Whether it is opaque.
    fn is_opaque(&self, item: u32) -> bool;
}

/// All nodes of a level; children come before their parents, so the root is the last. Empty for a
/// level without items.
pub(super) fn pack_nodes(
    level: usize,
    bvh: &Bvh,
    items: &dyn Items,
) -> Result<Vec<PackNode>, TtuEncodeError> {
    let fits = |items: &[u32]| items.len() <= MAX_LEAF;
    let bvh = &*split_leaves(bvh, fits, |list, leaf| {
        let bounds = |item| items.bounds(item).unwrap_or(*leaf);
        let mut parts = Vec::new();
        halve(list.to_vec(), leaf, MAX_LEAF, &fits, &bounds, &mut parts);
        parts
    })?;
    let mut growing = Growing { items, pack_nodes: Vec::new() };
    // Children lie behind their parents, so that backward every child is known first.
    let mut known: Vec<Option<u32>> = vec![None; bvh.nodes().len()];
    for (number, entry) in bvh.nodes().iter().enumerate().rev() {
        let below: Below = if entry.link.is_leaf() {
            Below::Items(bvh.items(entry).to_vec())
        } else {
            Below::Nodes(entry.link.range().filter_map(|child| known[child]).collect())
        };
        let is_empty = match &below {
            Below::Nodes(children) => children.is_empty(),
            Below::Items(items) => items.is_empty(),
        };
        if !is_empty {
            check_box(level, number, entry)?;
            known[number] = Some(growing.grow(entry.bounds, below));
        }
    }
    Ok(growing.pack_nodes)
}

fn check_box(level: usize, entry: usize, found: &Node) -> Result<(), TtuEncodeError> {
    let bounds = found.bounds;
    if bounds.is_finite() && !bounds.is_empty() {
        return Ok(());
    }
    Err(TtuEncodeError::Box { level, entry })
}

struct Growing<'a> {
    items: &'a dyn Items,
    pack_nodes: Vec<PackNode>,
}

impl Growing<'_> {
    fn grow(&mut self, bounds: Aabb, below: Below) -> u32 {
        let pack_node = self.sum(bounds, below);
        self.pack_nodes.push(pack_node);
        (self.pack_nodes.len() - 1) as u32
    }

    fn sum(&self, mut bounds: Aabb, below: Below) -> PackNode {
        let (mut mask, mut all_opaque, mut any_alpha) = (0, true, false);
        match &below {
            Below::Items(items) => {
                for &item in items {
                    let opaque = self.items.is_opaque(item);
                    mask |= self.items.mask(item);
                    all_opaque &= opaque;
                    any_alpha |= !opaque;
                }
            }
            Below::Nodes(children) => {
                for &child in children {
                    let child = &self.pack_nodes[child as usize];
                    bounds = bounds.union(child.bounds);
                    mask |= child.mask;
                    all_opaque &= child.all_opaque;
                    any_alpha |= child.any_alpha;
                }
            }
        }
        PackNode { bounds, below, mask, all_opaque, any_alpha }
    }
}
