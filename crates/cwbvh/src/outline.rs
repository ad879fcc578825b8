//! Every structure of an image, from its levels down. The image may be unsound: nothing is followed
//! that does not lead to memory, and no node is opened twice. A pointer is an address.

use crate::directory::{Level, RECORD_BYTES, record_address, records};
use crate::node::{Child, NODE_BYTES};
use machine::{EntryState, Image, NodeRef, Outline, OutlineEntry, PrimitiveRef, Total};
use std::collections::HashSet;

/// Everything in the image, in the order of a walk that goes deep first.
#[must_use]
pub(crate) fn outline(image: &Image) -> Outline {
    let mut walk = Walk { image, outline: Outline::default(), opened: HashSet::new() };
    let levels = records(image).map_or(Vec::new(), |(_, records)| records);
    for (number, record) in (0..).zip(&levels) {
        let kind = if record.is_tlas() { "TLAS" } else { "BLAS" };
        let address = record_address(image, number).unwrap_or(0);
        walk.push(0, number, kind, address, RECORD_BYTES, EntryState::Read);
        if record.node_count > 0 {
            walk.tree(&Level::open(image, record));
        }
    }
    let of = |kind: &str| {
        let entries = walk.outline.entries.iter();
        entries.filter(|e| e.kind == kind && e.state == EntryState::Read).count() as u64
    };
    let depth = walk.outline.entries.iter().map(|entry| entry.depth).max().unwrap_or(0);
    let total = |name, label, count| Total { name, label, count };
    let totals = vec![
        total("levels", "levels", levels.len() as u64),
        total("nodes", "nodes", of("node")),
        total("leaves", "leaves", of("leaf")),
        total("instances", "leaves of instances", of("instances")),
        total("triangles", "triangles in leaves", walk.outline.primitives.len() as u64),
        total("depth", "depth", depth.into()),
    ];
    Outline { totals, ..walk.outline }
}

struct Walk<'a> {
    image: &'a Image,
    outline: Outline,
    /// Addresses of nodes that were read.
    opened: HashSet<u64>,
}

impl Walk<'_> {
    fn push(
        &mut self,
        depth: u32,
        slot: u32,
        kind: &'static str,
        address: u64,
        bytes: usize,
        state: EntryState,
    ) {
        let node = NodeRef::from_root(self.image, address);
        let primitives = self.outline.primitives.len()..self.outline.primitives.len();
        let entry = OutlineEntry { depth, slot, node, kind, address, bytes, state, primitives };
        self.outline.entries.push(entry);
    }

    fn tree(&mut self, level: &Level<'_>) {
        let mut open = vec![(1, 0, Child::Node(0))];
        while let Some((depth, slot, child)) = open.pop() {
            match child {
                Child::Empty => {}
                Child::Leaf { first, count } => self.leaf(level, depth, slot, first, count),
                Child::Node(number) => {
                    let (address, node) = (level.node_address(number), level.node(number));
                    let state = match node {
                        None => EntryState::Outside,
                        Some(_) if self.opened.insert(address) => EntryState::Read,
                        Some(_) => EntryState::Again,
                    };
                    self.push(depth, slot, "node", address, NODE_BYTES, state);
                    if let Some(node) = node.filter(|_| state == EntryState::Read) {
                        let children = node.children().rev();
                        open.extend(children.map(|(slot, child)| (depth + 1, slot as u32, child)));
                    }
                }
            }
        }
    }

    fn leaf(&mut self, level: &Level<'_>, depth: u32, slot: u32, first: u64, count: u8) {
        let end = first + u64::from(count);
        let address = level.item_address(first);
        let kind = if level.record.is_tlas() { "instances" } else { "leaf" };
        let bytes = (level.item_address(end) - address) as usize;
        let is_there =
            end <= u64::from(level.record.item_count) && self.image.get(address, bytes).is_some();
        let state = if is_there { EntryState::Read } else { EntryState::Outside };
        self.push(depth, slot, kind, address, bytes, state);
        let start = self.outline.primitives.len();
        let ids = (first..end).filter(|_| !level.record.is_tlas() && is_there);
        let ids = ids.filter_map(|item| level.id(item));
        self.outline
            .primitives
            .extend(ids.map(|id| PrimitiveRef { geometry: id.geometry, primitive: id.primitive }));
        if let Some(entry) = self.outline.entries.last_mut() {
            entry.primitives = start..self.outline.primitives.len();
        }
    }
}
