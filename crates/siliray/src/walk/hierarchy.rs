//! Which nodes lead to a primitive, whatever the hierarchy is.
//!
//! Machines over bytes name nodes by pointers and addresses, so their hierarchy is the
//! [outline](machine::Outline) of the image. Machines over a tree name nodes by number, level by
//! level.

use crate::find;
use machine::registry::NodeNames;
use machine::{FormatEntry, MachineInput, Outline};
use tree::{Bvh, Tree};

/// One primitive, by the ids of a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Which instance; any if `None`.
    pub instance: Option<u32>,
    /// Which geometry; any if `None`.
    pub geometry: Option<u32>,
    /// Which primitive.
    pub primitive: u32,
}

impl Wanted {
    /// Whether these are its ids.
    #[must_use]
    pub fn is(&self, instance: u32, geometry: u32, primitive: u32) -> bool {
        self.instance.is_none_or(|wanted| wanted == instance)
            && self.geometry.is_none_or(|wanted| wanted == geometry)
            && self.primitive == primitive
    }
}

/// A node on the way to a primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// Its pointer, as the machine's steps name it.
    pub pointer: u64,
    /// Where it lies, in memory that has addresses.
    pub address: Option<u64>,
    /// What it is.
    pub kind: &'static str,
    /// The slot of the node above that leads to it.
    pub slot: u32,
    /// The instance that it lies in, where the pointer alone does not say.
    pub instance: Option<u32>,
}

/// Every way from the root to a primitive, by the names of a walk's nodes; `None` where these are
/// the machine's own.
#[must_use]
pub fn ways(
    input: &MachineInput,
    format: &FormatEntry,
    names: NodeNames,
    wanted: &Wanted,
) -> Option<Vec<Vec<Stop>>> {
    match (names, input) {
        (NodeNames::Own, _) => None,
        (NodeNames::Image, MachineInput::Image(image)) => {
            Some(ways_in_outline(&(format.outline)(image.image()), wanted))
        }
        _ => Some(ways_in_tree(input.tree(), wanted)),
    }
}

fn ways_in_outline(outline: &Outline, wanted: &Wanted) -> Vec<Vec<Stop>> {
    let stop = |number: usize| {
        let entry = &outline.entries[number];
        Stop {
            pointer: entry.node.pointer,
            address: Some(entry.address),
            kind: entry.kind,
            slot: entry.slot,
            instance: None,
        }
    };
    let ways = find::ways_to_primitive(outline, wanted.geometry, wanted.primitive);
    ways.into_iter().map(|way| way.into_iter().map(stop).collect()).collect()
}

fn ways_in_tree(tree: &Tree, wanted: &Wanted) -> Vec<Vec<Stop>> {
    let in_blas = |blas: usize, instance: Option<u32>| {
        let ids = &tree.blases[blas].primitives.ids;
        let holds = |item: u32| {
            let id = ids[item as usize];
            wanted.is(instance.unwrap_or(0), id.geometry, id.primitive)
        };
        ways_in_bvh(&tree.blases[blas].bvh, instance, &holds)
    };
    let Some(tlas) = &tree.tlas else {
        return (0..tree.blases.len()).flat_map(|blas| in_blas(blas, None)).collect();
    };
    let mut ways = Vec::new();
    for (number, instance) in (0..).zip(&tlas.instances) {
        if wanted.instance.is_some_and(|wanted| wanted != number) {
            continue;
        }
        let below = in_blas(instance.blas as usize, Some(number));
        if below.is_empty() {
            continue;
        }
        for above in ways_in_bvh(&tlas.bvh, None, &|item| item == number) {
            let joined = below.iter().map(|below| above.iter().chain(below).copied().collect());
            ways.extend(joined);
        }
    }
    ways
}

/// The ways to leaves with an item that is wanted.
fn ways_in_bvh(
    bvh: &Bvh,
    instance: Option<u32>,
    is_wanted: &dyn Fn(u32) -> bool,
) -> Vec<Vec<Stop>> {
    let nodes = bvh.nodes();
    let mut parents = vec![(0usize, 0u32); nodes.len()];
    for (index, node) in nodes.iter().enumerate().filter(|(_, node)| !node.link.is_leaf()) {
        for (slot, child) in (0..).zip(node.link.range()) {
            parents[child] = (index, slot);
        }
    }
    let leaves = nodes.iter().enumerate().filter(|(_, node)| node.link.is_leaf());
    let leaves = leaves.filter(|(_, node)| bvh.items(node).iter().any(|&item| is_wanted(item)));
    let way = |(leaf, _): (usize, _)| {
        let mut way = Vec::new();
        let mut index = leaf;
        loop {
            let (parent, slot) = parents[index];
            let kind = if nodes[index].link.is_leaf() { "leaf" } else { "box" };
            way.push(Stop { pointer: index as u64, address: None, kind, slot, instance });
            if index == 0 {
                break;
            }
            index = parent;
        }
        way.reverse();
        way
    };
    leaves.map(way).collect()
}
