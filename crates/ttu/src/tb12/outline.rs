//! Every node of an image, from the roots of its levels down. The image may be unsound: nothing is
//! followed that does not lead to memory, and no block is opened twice.

use super::block::{BLOCK_BYTES, Block, Lead, MAX_NODES, NO_BLOCK};
use super::directory::{
    HEADER_BYTES, LevelKind, LevelRecord, RECORD_BYTES, block_offset, u32_at, u64_at,
};
use machine::Image;
use std::collections::HashSet;

/// One thing that is met on the way down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visit {
    /// Steps from the level, which has none.
    pub depth: u32,
    /// The place in the block above; 0 for a level and its root.
    pub slot: u8,
    /// What is there.
    pub target: Target,
    /// Where it lies, counted from the start of the image; `None` if it does not.
    pub offset: Option<u64>,
    /// Whether it was opened.
    pub state: State,
}

/// What a visit finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A level, by number.
    Level {
        /// Which.
        number: u32,
        /// Whether it places other levels.
        is_top: bool,
    },
    /// A block, by number.
    Block(u64),
    /// A node that leads on inside its block.
    Node(u8),
    /// Primitive references.
    References {
        /// The first.
        first: u64,
        /// How many.
        count: u8,
    },
}

/// Whether what a pointer leads to was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It was.
    Read,
    /// It was before.
    Again,
    /// It leads nowhere.
    Outside,
}

/// Everything in the image, in the order of a walk that goes deep first.
#[must_use]
pub fn outline(image: &Image) -> Vec<Visit> {
    let base = image.bases.first().copied().unwrap_or(0);
    let Some(header) = image.get(base, HEADER_BYTES) else { return Vec::new() };
    let mut walk = Walk {
        image,
        references: base.checked_add(u64_at(header, 40)),
        opened: HashSet::new(),
        visits: Vec::new(),
    };
    for number in 0..u32_at(header, 12) {
        let at = base + HEADER_BYTES as u64 + RECORD_BYTES as u64 * u64::from(number);
        let Some(bytes) = image.get(at, RECORD_BYTES) else { break };
        let record = LevelRecord::from_bytes(bytes);
        let target = Target::Level { number, is_top: record.kind == LevelKind::Tlas };
        let (offset, state) = (Some(at), State::Read);
        walk.visits.push(Visit { depth: 0, slot: 0, target, offset, state });
        if record.root != NO_BLOCK {
            walk.tree(u64::from(record.root));
        }
    }
    walk.visits
}

struct Walk<'a> {
    image: &'a Image,
    /// Where references begin.
    references: Option<u64>,
    opened: HashSet<u64>,
    visits: Vec<Visit>,
}

/// Something that is still to be visited.
#[derive(Clone, Copy)]
struct Open {
    depth: u32,
    slot: u8,
    target: Target,
    /// The block that it is in, and which of its nodes have been met; for nodes inside.
    within: Option<(u64, u16)>,
}

impl Walk<'_> {
    fn tree(&mut self, root: u64) {
        let target = Target::Block(root);
        let mut stack = vec![Open { depth: 1, slot: 0, target, within: None }];
        while let Some(open) = stack.pop() {
            let Open { depth, slot, target, within } = open;
            let (offset, state) = self.look_at(target, within);
            self.visits.push(Visit { depth, slot, target, offset, state });
            if state != State::Read {
                continue;
            }
            match (target, within) {
                (Target::Block(number), _) => {
                    let Some(block) = self.block(number) else { continue };
                    let children = 0..usize::from(block.root_children);
                    children.rev().for_each(|node| {
                        stack.extend(below(&block, number, 0, node, depth + 1));
                    });
                }
                (Target::Node(node), Some((number, met))) => {
                    let Some(block) = self.block(number) else { continue };
                    let Some(Lead::Inside { first, count }) =
                        block.nodes.get(usize::from(node)).map(|node| node.lead)
                    else {
                        continue;
                    };
                    let children = usize::from(first)..usize::from(first) + usize::from(count);
                    children.rev().for_each(|child| {
                        stack.extend(below(&block, number, met | 1 << node, child, depth + 1));
                    });
                }
                _ => (),
            }
        }
    }

    /// Where something lies, and whether it is to be opened.
    fn look_at(&mut self, target: Target, within: Option<(u64, u16)>) -> (Option<u64>, State) {
        let offset = match (target, within) {
            (Target::Block(number), _) => self.offset_of(number),
            (Target::Node(node), Some((number, _))) => {
                self.offset_of(number).map(|at| at + super::block::node_offset(node))
            }
            (Target::References { first, count }, _) => self
                .references
                .and_then(|at| at.checked_add(4 * first))
                .filter(|&at| self.image.get(at, 4 * usize::from(count)).is_some()),
            (Target::Level { .. } | Target::Node(_), _) => None,
        };
        let is_again = match (target, within) {
            (Target::Block(number), _) => offset.is_some() && !self.opened.insert(number),
            (Target::Node(node), Some((_, met))) => met >> node & 1 == 1,
            _ => false,
        };
        match offset {
            None => (None, State::Outside),
            Some(_) if is_again => (offset, State::Again),
            Some(_) => (offset, State::Read),
        }
    }

    fn offset_of(&self, number: u64) -> Option<u64> {
        let offset = block_offset(self.image, u32::try_from(number).ok()?)?;
        self.image.get(offset, BLOCK_BYTES).map(|_| offset)
    }

    fn block(&self, number: u64) -> Option<Block> {
        let bytes = self.image.get(self.offset_of(number)?, BLOCK_BYTES)?;
        bytes.first_chunk().map(Block::from_bytes)
    }
}

/// What node `node` of a block leads to; `None` if there is no such node, or it leads nowhere.
fn below(block: &Block, number: u64, met: u16, node: usize, depth: u32) -> Option<Open> {
    let lead = block.nodes.get(node).filter(|_| node < MAX_NODES)?.lead;
    let target = match lead {
        Lead::Inside { .. } => Target::Node(node as u8),
        Lead::Foreign { offset } => Target::Block(u64::from(block.block_base) + u64::from(offset)),
        Lead::Leaf { offset, count } => {
            let first = u64::from(block.reference_base) + u64::from(offset);
            Target::References { first, count }
        }
        Lead::Unused => return None,
    };
    let within = matches!(target, Target::Node(_)).then_some((number, met));
    Some(Open { depth, slot: node as u8, target, within })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tb12;
    use crate::tb12::Density;
    use geometry::random::Random;
    use machine::Format;
    use std::ops::ControlFlow;

    fn image(triangles: usize) -> Image {
        let scene = scene::builtin::Builtin::Interior.scene(triangles);
        let options = build::Options::default();
        let built = build::build(&scene, &options, &|_| ControlFlow::Continue(())).unwrap();
        Tb12.encode(&built.tree).unwrap()
    }

    /// Every node and every reference is met once.
    #[test]
    fn nothing_is_left_out() {
        let image = image(1_500);
        let density = Density::of(&image).unwrap();
        let visits = outline(&image);
        let is_block = |visit: &&Visit| matches!(visit.target, Target::Block(_));
        assert_eq!(visits.iter().filter(is_block).count(), density.blocks);
        // A level and its root are no nodes of a block.
        assert_eq!(visits.len() - 2, density.nodes);
        assert!(visits.iter().all(|visit| visit.state == State::Read && visit.offset.is_some()));
        let references = visits.iter().map(|visit| match visit.target {
            Target::References { count, .. } => usize::from(count),
            _ => 0,
        });
        assert_eq!(references.sum::<usize>(), density.references);
    }

    /// Damaged bytes end the walk, and no panic does.
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
            let visits = outline(&damaged);
            strange += usize::from(visits.iter().any(|visit| visit.state != State::Read));
        }
        assert!(strange > 20, "{strange}");
    }
}
