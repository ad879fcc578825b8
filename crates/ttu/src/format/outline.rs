//! Every structure of an image, from its levels down. The image may be unsound: nothing is followed
//! that does not lead to memory, and no block is opened twice.

use super::block::{BLOCK_BYTES, Block, Lead, NO_BLOCK};
use super::directory::{
    INSTANCE, LevelKind, LevelRecord, RECORD_BYTES, block_offset, header_of, u32_at,
};
use super::target::Target;
use machine::{EntryState, Image, Outline, OutlineEntry, PrimitiveRef, Total};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Everything in the image, in the order of a walk that goes deep first.
#[must_use]
pub fn outline(image: &Image) -> Outline {
    let mut walk = Walk {
        image,
        ids: 0,
        opened: HashMap::new(),
        entries: Vec::new(),
        primitives: Vec::new(),
        sums: [0; 4],
    };
    let levels = header_of(image).map_or(0, |header| header.level_count);
    for number in 0..levels {
        let target = Target::Level(number);
        let Some(at) = target.address(image) else { break };
        let Some(bytes) = image.get(at, RECORD_BYTES) else { break };
        let record = LevelRecord::from_bytes(bytes);
        let kind = match record.kind {
            LevelKind::Tlas => "top level",
            LevelKind::Blas | LevelKind::Unknown(_) => "bottom level",
        };
        walk.ids = image.bases.first().copied().unwrap_or(0).wrapping_add(record.ids);
        walk.push(0, 0, target, kind, EntryState::Read);
        if record.root != NO_BLOCK {
            walk.tree(record.root.into());
        }
    }
    let [blocks, nodes, references, outside] = walk.sums;
    let total = |name, label, count| Total { name, label, count };
    let totals = vec![
        total("levels", "levels", levels.into()),
        total("blocks", "blocks", blocks),
        total("nodes", "nodes", nodes),
        total("references", "references", references),
        total("outside", "pointers to nowhere", outside),
    ];
    Outline { entries: walk.entries, primitives: walk.primitives, totals }
}

struct Walk<'a> {
    image: &'a Image,
    /// Where the ids of the level's items lie.
    ids: u64,
    /// Blocks that were opened, each with its nodes that were.
    opened: HashMap<u32, u16>,
    entries: Vec<OutlineEntry>,
    primitives: Vec<PrimitiveRef>,
    /// Blocks, nodes, references, pointers to nowhere.
    sums: [u64; 4],
}

/// Something that is still to be visited.
#[derive(Clone, Copy)]
struct Open {
    depth: u32,
    slot: u8,
    /// `None`: a block number that no block can have.
    target: Option<Target>,
}

impl Walk<'_> {
    fn push(
        &mut self,
        depth: u32,
        slot: u8,
        target: Target,
        kind: &'static str,
        state: EntryState,
    ) {
        let address = target.address(self.image).unwrap_or(0);
        let (node, bytes) = (target.reference(self.image), target.bytes());
        let first = self.primitives.len();
        if let (Target::References { .. }, Some(references)) = (target, target.read(self.image)) {
            let ids = references.chunks_exact(4).filter_map(|item| self.id(u32_at(item, 0)));
            let ids: Vec<PrimitiveRef> = ids.collect();
            self.primitives.extend(ids);
        }
        let (slot, primitives) = (slot.into(), first..self.primitives.len());
        let entry = OutlineEntry { depth, slot, node, kind, address, bytes, state, primitives };
        self.entries.push(entry);
    }

    /// The ids of an item of the level; none of an instance.
    fn id(&self, item: u32) -> Option<PrimitiveRef> {
        let item = Some(item).filter(|item| item & INSTANCE == 0)?;
        let id = self.image.get(self.ids.checked_add(12 * u64::from(item))?, 12)?;
        Some(PrimitiveRef { geometry: u32_at(id, 0), primitive: u32_at(id, 4) })
    }

    fn tree(&mut self, root: u64) {
        let mut stack = vec![Open { depth: 1, slot: 0, target: block(root) }];
        while let Some(open) = stack.pop() {
            let Open { depth, slot, target } = open;
            let Some(target) = target else {
                self.push(depth, slot, Target::Block(NO_BLOCK), "block", EntryState::Outside);
                continue;
            };
            let is_there = target.read(self.image).is_some();
            let state = match is_there {
                false => EntryState::Outside,
                true if self.is_new(target) => EntryState::Read,
                true => EntryState::Again,
            };
            self.push(depth, slot, target, target.kind(), state);
            if state == EntryState::Read {
                self.read(open, target, &mut stack);
            } else {
                self.sums[3] += u64::from(state == EntryState::Outside);
            }
        }
    }

    /// Whether a block or a node is met for the first time.
    fn is_new(&mut self, target: Target) -> bool {
        match target {
            Target::Block(number) => match self.opened.entry(number) {
                Entry::Occupied(_) => false,
                Entry::Vacant(unmet) => *unmet.insert(0) == 0,
            },
            Target::Node { block, node } => {
                let met = self.opened.entry(block).or_default();
                let is_new = *met >> node & 1 == 0;
                *met |= 1 << node;
                is_new
            }
            _ => true,
        }
    }

    /// Counts a structure, and adds what is below it.
    fn read(&mut self, open: Open, target: Target, stack: &mut Vec<Open>) {
        let (number, children) = match target {
            Target::Block(number) => {
                let Some(block) = self.block(number) else { return };
                self.sums[0] += 1;
                self.sums[1] += block.nodes.len() as u64;
                (number, 0..usize::from(block.root_children))
            }
            Target::Node { block: number, node } => {
                let Some(block) = self.block(number) else { return };
                let Some(Lead::Inside { first, count }) =
                    block.nodes.get(usize::from(node)).map(|node| node.lead)
                else {
                    return;
                };
                let first = usize::from(first);
                (number, first..first + usize::from(count))
            }
            Target::References { count, .. } => {
                self.sums[2] += u64::from(count);
                return;
            }
            Target::Directory | Target::Level(_) | Target::Instance(_) => return,
        };
        let Some(block) = self.block(number) else { return };
        for node in children.rev() {
            let Some(lead) = block.nodes.get(node).map(|node| node.lead) else { continue };
            let (slot, depth) = (node as u8, open.depth + 1);
            if lead != Lead::Unused {
                stack.push(Open { depth, slot, target: below(&block, number, slot, lead) });
            }
        }
    }

    fn block(&self, number: u32) -> Option<Block> {
        let at = block_offset(self.image, number)?;
        self.image.get(at, BLOCK_BYTES)?.first_chunk().map(Block::from_bytes)
    }
}

/// What a node of a block leads to.
pub(super) fn below(block: &Block, number: u32, node: u8, lead: Lead) -> Option<Target> {
    match lead {
        Lead::Inside { .. } => Some(Target::Node { block: number, node }),
        Lead::Foreign { offset } => self::block(u64::from(block.block_base) + u64::from(offset)),
        Lead::Leaf { offset, count } => {
            let first = u64::from(block.reference_base) + u64::from(offset);
            Some(Target::References { first, count })
        }
        Lead::Unused => None,
    }
}

fn block(number: u64) -> Option<Target> {
    u32::try_from(number).ok().map(Target::Block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TtuFormat;
    use crate::format::Density;
    use crate::format::describe::describe;
    use geometry::random::Random;
    use machine::TreeFormat;

    fn image(triangles: usize) -> Image {
        let scene = scene::builtin::Builtin::Interior.scene(triangles);
        let tree = build::Options::default().build(&scene).unwrap();
        TtuFormat.encode(&tree).unwrap()
    }

    /// Every node and every reference is met once.
    #[test]
    fn nothing_is_left_out() {
        let image = image(1_500);
        let density = Density::of(&image).unwrap();
        let outline = outline(&image);
        let names = ["blocks", "nodes", "references"];
        let expected = [density.blocks, density.nodes, density.references];
        assert_eq!(names.map(|name| outline.total(name)), expected.map(|count| count as u64));
        // A level and its root are no nodes of a block.
        assert_eq!(outline.entries.len() - 2, density.nodes);
        assert!(outline.entries.iter().all(|entry| entry.state == EntryState::Read));
        assert_eq!(outline.primitives.len(), density.references);
    }

    /// Damaged bytes end the walk, and no panic does; whatever was read can be described.
    #[test]
    fn damage_is_walked_around() {
        let sound = image(600);
        let mut random = Random(5);
        let mut strange = 0;
        for _ in 0..300 {
            let mut damaged = sound.clone();
            let bytes = damaged.segments[0].bytes_mut();
            let end = bytes.len().min(BLOCK_BYTES * 40);
            for _ in 0..4 {
                let at = random.below(end);
                bytes[at] = random.bits() as u8;
            }
            let entries = outline(&damaged).entries;
            strange += usize::from(entries.iter().any(|entry| entry.state != EntryState::Read));
            for entry in entries {
                let is_described = describe(&damaged, entry.node).is_ok();
                assert_eq!(is_described, entry.state != EntryState::Outside, "{:?}", entry.node);
            }
        }
        assert!(strange > 20, "{strange}");
    }
}
