//! Image → tree: the boxes as decoded, the geometry as stored.
//!
//! Every node becomes an entry. A foreign node takes what its own box and that of the block it
//! leads to have in common: the cells of the block are finer, and both contain what is below.
//! Planes that are no `f32` are rounded inward, which keeps all geometry, since its planes are
//! `f32`. Encoding such boxes again gives the same cells, so that an image comes back byte for
//! byte.

use super::block::{Block, Lead, NO_BLOCK};
use super::check::axes_of;
use super::directory::{INSTANCE, LevelKind, LevelRecord, Parts};
use super::target::Target;
use geometry::Aabb;
use geometry::grid::{inner_box, outer_box, trimmed};
use std::collections::VecDeque;
use tree::{Blas, Bvh, Node, NodeLink, Tlas, Tree};

/// Reads a proved image.
pub(super) fn decode(parts: &Parts<'_>) -> Tree {
    let mut tree = Tree { blases: Vec::new(), tlas: None };
    for record in &parts.directory.levels {
        match record.kind {
            LevelKind::Tlas => {
                let instances: Vec<_> =
                    parts.instances().into_iter().map(|(instance, _)| instance).collect();
                let bvh = hierarchy(parts, record, instances.len());
                tree.tlas = Some(Tlas { instances, bvh });
            }
            _ => {
                let primitives = parts.primitives(record);
                let bvh = hierarchy(parts, record, primitives.len());
                tree.blases.push(Blas { primitives, bvh });
            }
        }
    }
    tree
}

/// The box of a block's root, outward.
pub(super) fn root_bounds(block: &Block) -> Aabb {
    outer_box(&axes_of(block), [0; 3], block.root_max)
}

fn inner_root(block: &Block) -> Aabb {
    inner_box(&axes_of(block), [0; 3], block.root_max)
}

/// The structures that the nodes of the decoded tree are, level by level as the tree has them.
pub(super) fn targets(parts: &Parts<'_>) -> Vec<Vec<Target>> {
    let levels = parts.directory.levels.iter();
    levels.map(|record| Growing::new(parts, record).targets).collect()
}

fn hierarchy(parts: &Parts<'_>, record: &LevelRecord, items: usize) -> Bvh {
    let Growing { entries, references, .. } = Growing::new(parts, record);
    // A checked image holds a tree; the proof is that of `Bvh`. A level without a root is empty.
    Bvh::new(entries, references, items).unwrap_or_else(|_| Bvh::empty())
}

/// An entry whose children are to be written.
struct Open {
    entry: usize,
    number: u32,
    block: Block,
    children: std::ops::Range<usize>,
}

struct Growing<'a> {
    parts: &'a Parts<'a>,
    entries: Vec<Node>,
    /// What each entry is in the image.
    targets: Vec<Target>,
    references: Vec<u32>,
    open: VecDeque<Open>,
}

impl<'a> Growing<'a> {
    fn new(parts: &'a Parts<'a>, record: &LevelRecord) -> Self {
        let (entries, targets, references) = (Vec::new(), Vec::new(), Vec::new());
        let mut growing = Self { parts, entries, targets, references, open: VecDeque::new() };
        if record.root == NO_BLOCK {
            return growing;
        }
        let (number, block) = (record.root, parts.block(record.root));
        let children = 0..usize::from(block.root_children);
        growing.entries.push(Node { bounds: inner_root(&block), link: NodeLink::leaf(0, 0) });
        growing.targets.push(Target::Block(number));
        growing.open.push_back(Open { entry: 0, number, block, children });
        while let Some(open) = growing.open.pop_front() {
            growing.children(open);
        }
        growing
    }

    fn children(&mut self, Open { entry, number: block_number, block, children }: Open) {
        self.entries[entry].link = NodeLink::inner(self.entries.len() as u32, children.len());
        let axes = axes_of(&block);
        let above = self.entries[entry].bounds;
        for (index, node) in children.clone().zip(&block.nodes[children]) {
            let number = self.entries.len();
            let mut target = Target::Node { block: block_number, node: index as u8 };
            let mut bounds = trimmed(inner_box(&axes, node.min, node.max), &above, &axes);
            let mut link = NodeLink::leaf(0, 0);
            match node.lead {
                Lead::Inside { first, count } => {
                    let children = usize::from(first)..usize::from(first) + usize::from(count);
                    let block = block.clone();
                    let open = Open { entry: number, number: block_number, block, children };
                    self.open.push_back(open);
                }
                Lead::Foreign { offset } => {
                    let foreign = block.block_base + u32::from(offset);
                    let below = self.parts.block(foreign);
                    target = Target::Block(foreign);
                    bounds = common(bounds, inner_root(&below));
                    let children = 0..usize::from(below.root_children);
                    let open = Open { entry: number, number: foreign, block: below, children };
                    self.open.push_back(open);
                }
                Lead::Leaf { offset, count } => {
                    link = NodeLink::leaf(self.references.len() as u32, usize::from(count));
                    let first = block.reference_base + u32::from(offset);
                    target = Target::References { first: first.into(), count };
                    self.references.extend(
                        (first..first + u32::from(count))
                            .map(|number| self.parts.reference(number) & !INSTANCE),
                    );
                }
                Lead::Unused => {}
            }
            self.entries.push(Node { bounds, link });
            self.targets.push(target);
        }
    }
}

/// What two boxes have in common; the first if that is nothing, as it may be in an image that loses
/// geometry.
fn common(a: Aabb, b: Aabb) -> Aabb {
    let both = a.intersection(b);
    if both.is_empty() { a } else { both }
}
