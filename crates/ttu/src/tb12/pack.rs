//! Treelet packing: which part of the hierarchy shares a block.
//!
//! Greedy by surface area. A block begins with the children of its root; the node of the largest
//! box whose children still fit is opened, again and again (ties: the lowest node). Boxes are
//! measured in the cells of the block, as they will be stored, so that a decoded image is packed as
//! it was. What stays closed becomes a block of its own, or is a leaf. Foreign children of one
//! block have consecutive numbers, in the order of the nodes.

use super::block::{ALPHA_PRESENT, Block, Lead, MAX_NODES, NO_BLOCK, Node, OPAQUE_ONLY};
use super::encode::Tb12Error;
use super::quantize::Axis;
use super::sprout::{Below, Sprout};
use geometry::Aabb;

/// Blocks and references of all levels so far.
#[derive(Debug, Default)]
pub(super) struct Packed {
    pub(super) blocks: Vec<Block>,
    pub(super) references: Vec<u32>,
}

/// A block that has a number but no contents yet.
struct Planned {
    number: usize,
    sprout: u32,
    parent: u32,
}

impl Packed {
    /// Packs a level whose root is the last of `sprouts`; gives the number of its first block.
    /// References are stored with `tag` set.
    pub(super) fn level(
        &mut self,
        level: usize,
        sprouts: &[Sprout],
        tag: u32,
    ) -> Result<u32, Tb12Error> {
        let Some(root) = sprouts.len().checked_sub(1) else { return Ok(NO_BLOCK) };
        let first = self.reserve(1)?;
        let mut planned =
            vec![Planned { number: first as usize, sprout: root as u32, parent: NO_BLOCK }];
        while let Some(plan) = planned.pop() {
            let root = &sprouts[plan.sprout as usize];
            let axes = axes(&root.bounds).ok_or(Tb12Error::Extent { level })?;
            let treelet =
                Treelet::new(sprouts, plan.sprout, &axes).ok_or(Tb12Error::Extent { level })?;
            let foreign: Vec<u32> = treelet.foreign(sprouts).collect();
            let block_base = self.reserve(foreign.len())?;
            let block = self.block(sprouts, &treelet, &axes, block_base, &plan, tag)?;
            // The nearest relative is packed next, so that a walk down stays in one neighbourhood.
            planned.extend(foreign.iter().enumerate().rev().map(|(k, &sprout)| Planned {
                number: block_base as usize + k,
                sprout,
                parent: plan.number as u32,
            }));
            self.blocks[plan.number] = block;
        }
        Ok(first)
    }

    fn reserve(&mut self, count: usize) -> Result<u32, Tb12Error> {
        let first = self.blocks.len();
        let placeholder = Block::from_bytes(&[0; super::block::BLOCK_BYTES]);
        self.blocks.resize(first + count, placeholder);
        match u32::try_from(self.blocks.len()) {
            Ok(end) if end != NO_BLOCK => Ok(first as u32),
            _ => Err(Tb12Error::Blocks { count: self.blocks.len() }),
        }
    }

    fn block(
        &mut self,
        sprouts: &[Sprout],
        treelet: &Treelet,
        axes: &[Axis; 3],
        block_base: u32,
        plan: &Planned,
        tag: u32,
    ) -> Result<Block, Tb12Error> {
        let root = &sprouts[plan.sprout as usize];
        let reference_base = u32::try_from(self.references.len())
            .map_err(|_| Tb12Error::References { count: self.references.len() })?;
        let mut foreign = 0;
        let mut nodes = Vec::with_capacity(treelet.nodes.len());
        for node in &treelet.nodes {
            let sprout = &sprouts[node.sprout as usize];
            let lead = match (&sprout.below, node.children) {
                (Below::Items(items), _) => {
                    let offset = (self.references.len() - reference_base as usize) as u8;
                    self.references.extend(items.iter().map(|item| item | tag));
                    Lead::Leaf { offset, count: items.len() as u8 }
                }
                (Below::Sprouts(below), Some(first)) => {
                    Lead::Inside { first, count: below.len() as u8 }
                }
                (Below::Sprouts(_), None) => {
                    foreign += 1;
                    Lead::Foreign { offset: foreign - 1 }
                }
            };
            let Cells { min, max } = node.cells;
            nodes.push(Node { min, max, mask: sprout.mask, lead });
        }
        Ok(Block {
            origin: axes.map(|axis| axis.origin),
            exponents: axes.map(|axis| axis.exponent),
            root_children: treelet.root_children,
            refit_dirty: false,
            block_base,
            reference_base,
            root_max: treelet.root_max,
            flags: (if root.all_opaque { OPAQUE_ONLY } else { 0 })
                | (if root.any_alpha { ALPHA_PRESENT } else { 0 })
                | root.mask << 2,
            parent: plan.parent,
            nodes,
        })
    }
}

/// The part of a hierarchy that shares a block.
struct Treelet {
    nodes: Vec<TreeletNode>,
    root_children: u8,
    root_max: [u8; 3],
}

struct TreeletNode {
    sprout: u32,
    cells: Cells,
    /// The first of its children in the block, once it is opened.
    children: Option<u8>,
}

impl Treelet {
    /// `None` if something does not fit into the grid of the root.
    fn new(sprouts: &[Sprout], root: u32, axes: &[Axis; 3]) -> Option<Self> {
        let closed = |&sprout: &u32| {
            let cells = Cells::new(axes, &sprouts[sprout as usize].bounds)?;
            Some(TreeletNode { sprout, cells, children: None })
        };
        let root_children: Vec<u32> = match &sprouts[root as usize].below {
            Below::Sprouts(children) => children.clone(),
            Below::Items(_) => vec![root],
        };
        let mut treelet = Self {
            nodes: root_children.iter().map(closed).collect::<Option<_>>()?,
            root_children: root_children.len() as u8,
            root_max: Cells::new(axes, &sprouts[root as usize].bounds)?.max,
        };
        while let Some((opened, children)) = treelet.next_to_open(sprouts, axes) {
            treelet.nodes[opened].children = Some(treelet.nodes.len() as u8);
            for child in children {
                treelet.nodes.push(closed(child)?);
            }
        }
        Some(treelet)
    }

    /// The closed node with the largest box whose children fit.
    fn next_to_open<'a>(
        &self,
        sprouts: &'a [Sprout],
        axes: &[Axis; 3],
    ) -> Option<(usize, &'a [u32])> {
        let room = MAX_NODES - self.nodes.len();
        let mut best: Option<(f64, usize, &[u32])> = None;
        for (number, node) in self.nodes.iter().enumerate() {
            let Below::Sprouts(children) = &sprouts[node.sprout as usize].below else { continue };
            let area = node.cells.half_area(axes);
            if node.children.is_none()
                && children.len() <= room
                && best.is_none_or(|(largest, ..)| area > largest)
            {
                best = Some((area, number, children));
            }
        }
        best.map(|(_, number, children)| (number, children))
    }

    /// The roots of the blocks below, in the order of the nodes.
    fn foreign<'a>(&'a self, sprouts: &'a [Sprout]) -> impl Iterator<Item = u32> + 'a {
        let is_foreign = |node: &&TreeletNode| {
            node.children.is_none()
                && matches!(sprouts[node.sprout as usize].below, Below::Sprouts(_))
        };
        self.nodes.iter().filter(is_foreign).map(|node| node.sprout)
    }
}

fn axes(bounds: &Aabb) -> Option<[Axis; 3]> {
    let axis = |k: usize| Axis::spanning(bounds.min[k], bounds.max[k]);
    Some([axis(0)?, axis(1)?, axis(2)?])
}

/// A box in cells.
#[derive(Clone, Copy)]
struct Cells {
    min: [u8; 3],
    max: [u8; 3],
}

impl Cells {
    /// The smallest around `bounds`; `None` if the grid does not reach that far.
    fn new(axes: &[Axis; 3], bounds: &Aabb) -> Option<Self> {
        let min = std::array::from_fn(|k| axes[k].floor(bounds.min[k]));
        let max = [0, 1, 2].map(|k| axes[k].ceil(bounds.max[k]));
        Some(Self { min, max: [max[0]?, max[1]?, max[2]?] })
    }

    /// Half the surface.
    fn half_area(&self, axes: &[Axis; 3]) -> f64 {
        let [x, y, z] = std::array::from_fn(|k| {
            f64::from(self.max[k].saturating_sub(self.min[k])) * axes[k].cell()
        });
        x * y + y * z + z * x
    }
}
