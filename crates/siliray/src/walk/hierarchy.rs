//! Which nodes lead to a primitive, whatever the hierarchy is.
//!
//! | a machine names nodes | the ways to a primitive |
//! |---|---|
//! | by number, level by level | those of the tree |
//! | as the image does | the same, named by the image; or, if it cannot, those of its outline |
//! | by block | those of the [blocks](machine::BlockImage), with the image's names by address |
//! | in a way of its own | unknown, unless there is no such primitive |

use super::text::place;
use crate::find;
use machine::blocks::{BlockImage, BlockLead, BlockNode};
use machine::registry::NodeNames;
use machine::{AnyChecked, FormatEntry, MachineInput, NodePlace, Outline};
use std::collections::HashMap;
use tree::{Bvh, Tree};
use ttu::format::target::Target;

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
    /// Its pointer in the image, where the machine names it in another way.
    pub in_image: Option<u64>,
}

impl Stop {
    /// What it is, and its names.
    pub(super) fn words(&self) -> String {
        format!("{} {}{}", self.kind, place(self.pointer, self.address), self.image_words())
    }

    /// Its name in the image, where that is another one.
    pub(super) fn image_words(&self) -> String {
        self.in_image.map_or(String::new(), |pointer| format!(", {pointer:#x} in the image"))
    }
}

/// Every way from the root to a primitive, by the names of a walk's nodes; `None` where these are
/// the machine's own.
#[must_use]
pub(super) fn ways(
    input: &MachineInput,
    format: &FormatEntry,
    names: NodeNames,
    wanted: &Wanted,
) -> Option<Vec<Vec<Stop>>> {
    let tree = input.tree();
    let in_tree = |places: Option<&[Vec<NodePlace>]>| {
        ways_in_levels(tree, wanted, &|level, instance, is_wanted| {
            let (blas, tlas) = (tree.blases.get(level), tree.tlas.as_ref());
            let bvh = blas.map(|blas| &blas.bvh).or(tlas.map(|tlas| &tlas.bvh));
            let places = places.and_then(|places| places.get(level)).map(Vec::as_slice);
            let leaf = if blas.is_some() { "leaf" } else { "instance" };
            bvh.map_or(Vec::new(), |bvh| ways_in_bvh(bvh, instance, (places, leaf), is_wanted))
        })
    };
    match (names, input) {
        (NodeNames::Own, _) => Some(in_tree(None)).filter(Vec::is_empty),
        (NodeNames::Image, MachineInput::Image(image)) => Some(match image.node_places() {
            Some(places) => in_tree(Some(&places)),
            None => ways_in_outline(&(format.outline)(image.image()), wanted),
        }),
        (NodeNames::Blocks, MachineInput::Image(image)) => {
            let blocks = Blocks::new(&**image, format)?;
            Some(ways_in_levels(tree, wanted, &|level, instance, is_wanted| {
                blocks.ways(level, instance, is_wanted)
            }))
        }
        _ => Some(in_tree(None)),
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
            in_image: None,
        }
    };
    let ways = find::ways_to_primitive(outline, wanted.geometry, wanted.primitive);
    ways.into_iter().map(|way| way.into_iter().map(stop).collect()).collect()
}

/// The ways to the leaves of a level that hold a wanted item. A TLAS is the level behind the
/// BLASes.
type WaysInLevel<'a> = dyn Fn(usize, Option<u32>, &dyn Fn(u32) -> bool) -> Vec<Vec<Stop>> + 'a;

fn ways_in_levels(tree: &Tree, wanted: &Wanted, ways_in_level: &WaysInLevel<'_>) -> Vec<Vec<Stop>> {
    let in_blas = |blas: usize, instance: Option<u32>| {
        let ids = &tree.blases[blas].primitives.ids;
        ways_in_level(blas, instance, &|item| {
            let id = ids[item as usize];
            wanted.is(instance.unwrap_or(0), id.geometry, id.primitive)
        })
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
        for above in ways_in_level(tree.blases.len(), None, &|item| item == number) {
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
    (places, leaf_kind): (Option<&[NodePlace]>, &'static str),
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
            let kind = if nodes[index].link.is_leaf() { leaf_kind } else { "box" };
            let place = places.and_then(|places| places.get(index));
            let pointer = place.map_or(index as u64, |place| place.pointer);
            let address = place.map(|place| place.address);
            way.push(Stop { pointer, address, kind, slot, instance, in_image: None });
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

/// An image as blocks, and what it calls them itself.
struct Blocks {
    image: BlockImage,
    /// Pointers of the outline, by address.
    names: HashMap<u64, u64>,
}

impl Blocks {
    fn new(image: &dyn AnyChecked, format: &FormatEntry) -> Option<Self> {
        let outline = (format.outline)(image.image());
        let mut names = HashMap::new();
        for entry in &outline.entries {
            names.entry(entry.address).or_insert(entry.node.pointer);
        }
        Some(Self { image: image.blocks()?, names })
    }

    /// The ways to the leaves of a level with an item that is wanted: blocks, the nodes inside them
    /// that lead on, and the leaf.
    fn ways(
        &self,
        level: usize,
        instance: Option<u32>,
        is_wanted: &dyn Fn(u32) -> bool,
    ) -> Vec<Vec<Stop>> {
        let root = self.image.levels.get(level).and_then(|level| level.root);
        let mut open: Vec<u32> = root.into_iter().collect();
        // The block and the node in it that lead to each block.
        let mut above: HashMap<u32, (u32, usize)> = HashMap::new();
        let mut leaves = Vec::new();
        while let Some(number) = open.pop() {
            for (index, node) in self.nodes(number).iter().enumerate() {
                match node.lead {
                    BlockLead::Inside { .. } => (),
                    BlockLead::Block(below) => {
                        above.insert(below, (number, index));
                        open.push(below);
                    }
                    BlockLead::Items { first, count, .. } => {
                        let items = &self.image.items[first as usize..][..count as usize];
                        if items.iter().any(|&item| is_wanted(item)) {
                            leaves.push((number, index));
                        }
                    }
                }
            }
        }
        let way = |(mut number, mut index): (u32, usize)| {
            let mut way = vec![self.stop(number, index, instance)];
            loop {
                let leads = |node: &BlockNode| match node.lead {
                    BlockLead::Inside { first, count } => (usize::from(first)
                        ..usize::from(first) + usize::from(count))
                        .contains(&index),
                    BlockLead::Block(_) | BlockLead::Items { .. } => false,
                };
                if let Some(parent) = self.nodes(number).iter().position(leads) {
                    index = parent;
                } else if let Some(&(block, node)) = above.get(&number) {
                    (number, index) = (block, node);
                } else {
                    break;
                }
                way.push(self.stop(number, index, instance));
            }
            way.push(self.block_stop(number, 0, instance));
            way.reverse();
            way
        };
        leaves.into_iter().map(way).collect()
    }

    fn nodes(&self, block: u32) -> &[BlockNode] {
        let block = &self.image.blocks[block as usize];
        &self.image.nodes[block.first_node as usize..][..usize::from(block.node_count)]
    }

    /// Where a node of a block leads, as the traversal unit names it.
    fn stop(&self, block: u32, index: usize, instance: Option<u32>) -> Stop {
        let (target, kind, leaf) = match self.nodes(block)[index].lead {
            BlockLead::Block(below) => return self.block_stop(below, index, instance),
            BlockLead::Inside { .. } => (Target::Node { block, node: index as u8 }, "node", 0),
            BlockLead::Items { first, count, memory } => {
                let count = count.min(255) as u8;
                (Target::References { first: first.into(), count }, "leaf", memory.address)
            }
        };
        let (pointer, slot) = (target.pointer(), index as u32);
        let in_image = self.names.get(&leaf).copied().filter(|&name| leaf != 0 && name != pointer);
        Stop { pointer, address: None, kind, slot, instance, in_image }
    }

    fn block_stop(&self, block: u32, slot: usize, instance: Option<u32>) -> Stop {
        let address = self.image.blocks[block as usize].address;
        let (pointer, slot) = (u64::from(block), slot as u32);
        let in_image = self.names.get(&address).copied().filter(|&name| name != pointer);
        Stop { pointer, address: Some(address), kind: "block", slot, instance, in_image }
    }
}
