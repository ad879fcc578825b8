//! Treelet packing: which part of the hierarchy shares a block.
//!
//! Greedy by surface area. A block begins with the children of its root; the node of the largest
//! box whose children still fit is opened, again and again (ties: the lowest node). Boxes are
//! measured in the cells of the block, as they will be stored, so that a decoded image is packed as
//! it was. What stays closed becomes a block of its own, or is a leaf. Foreign children of one
//! block have consecutive numbers, in the order of the nodes.

use super::block::{ALPHA_PRESENT, Block, EXPONENTS, Lead, MAX_NODES, NO_BLOCK, Node, OPAQUE_ONLY};
use super::encode::TtuEncodeError;
use super::pack_node::{Below, PackNode};
use geometry::{Aabb, GridAxis};

/// Blocks and references of all levels so far.
#[derive(Debug, Default)]
pub(super) struct Packed {
    pub(super) blocks: Vec<Block>,
    pub(super) references: Vec<u32>,
}

/// A block that has a number but no contents yet.
struct Planned {
    number: usize,
    pack_node: u32,
    parent: u32,
}

impl Packed {
    /// Packs a level whose root is the last of `pack_nodes`; gives the number of its first block.
    /// References are stored with `tag` set.
    pub(super) fn level(
        &mut self,
        level: usize,
        pack_nodes: &[PackNode],
        tag: u32,
    ) -> Result<u32, TtuEncodeError> {
        let Some(root) = pack_nodes.len().checked_sub(1) else { return Ok(NO_BLOCK) };
        let first = self.reserve(1)?;
        let mut planned =
            vec![Planned { number: first as usize, pack_node: root as u32, parent: NO_BLOCK }];
        while let Some(plan) = planned.pop() {
            let root = &pack_nodes[plan.pack_node as usize];
            let axes = axes(&root.bounds).ok_or(TtuEncodeError::Extent { level })?;
            let treelet = Treelet::new(pack_nodes, plan.pack_node, &axes)
                .ok_or(TtuEncodeError::Extent { level })?;
            let foreign: Vec<u32> = treelet.foreign(pack_nodes).collect();
            let block_base = self.reserve(foreign.len())?;
            let block = self.block(pack_nodes, &treelet, &axes, block_base, &plan, tag)?;
            // The nearest relative is packed next, so that a walk down stays in one neighbourhood.
            planned.extend(foreign.iter().enumerate().rev().map(|(k, &pack_node)| Planned {
                number: block_base as usize + k,
                pack_node,
                parent: plan.number as u32,
            }));
            self.blocks[plan.number] = block;
        }
        Ok(first)
    }

    fn reserve(&mut self, count: usize) -> Result<u32, TtuEncodeError> {
        let first = self.blocks.len();
        let placeholder = Block::from_bytes(&[0; super::block::BLOCK_BYTES]);
        self.blocks.resize(first + count, placeholder);
        match u32::try_from(self.blocks.len()) {
            Ok(end) if end != NO_BLOCK => Ok(first as u32),
            _ => Err(TtuEncodeError::Blocks { count: self.blocks.len() }),
        }
    }

    fn block(
        &mut self,
        pack_nodes: &[PackNode],
        treelet: &Treelet,
        axes: &[GridAxis; 3],
        block_base: u32,
        plan: &Planned,
        tag: u32,
    ) -> Result<Block, TtuEncodeError> {
        let root = &pack_nodes[plan.pack_node as usize];
        let reference_base = u32::try_from(self.references.len())
            .map_err(|_| TtuEncodeError::References { count: self.references.len() })?;
        let mut foreign = 0;
        let mut nodes = Vec::with_capacity(treelet.nodes.len());
        for node in &treelet.nodes {
            let pack_node = &pack_nodes[node.pack_node as usize];
            let lead = match (&pack_node.below, node.children) {
                (Below::Items(items), _) => {
                    let offset = (self.references.len() - reference_base as usize) as u8;
                    self.references.extend(items.iter().map(|item| item | tag));
                    Lead::Leaf { offset, count: items.len() as u8 }
                }
                (Below::Nodes(below), Some(first)) => {
                    Lead::Inside { first, count: below.len() as u8 }
                }
                (Below::Nodes(_), None) => {
                    foreign += 1;
                    Lead::Foreign { offset: foreign - 1 }
                }
            };
            let Cells { min, max } = node.cells;
            nodes.push(Node { min, max, mask: pack_node.mask, lead });
        }
        Ok(Block {
            origin: axes.map(|axis| axis.origin),
            exponents: axes.map(|axis| axis.exponent as i8),
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
    pack_node: u32,
    cells: Cells,
    /// The first of its children in the block, once it is opened.
    children: Option<u8>,
}

impl Treelet {
    /// `None` if something does not fit into the grid of the root.
    fn new(pack_nodes: &[PackNode], root: u32, axes: &[GridAxis; 3]) -> Option<Self> {
        let closed = |&pack_node: &u32| {
            let cells = Cells::new(axes, &pack_nodes[pack_node as usize].bounds)?;
            Some(TreeletNode { pack_node, cells, children: None })
        };
        let root_children: Vec<u32> = match &pack_nodes[root as usize].below {
            Below::Nodes(children) => children.clone(),
            Below::Items(_) => vec![root],
        };
        let mut treelet = Self {
            nodes: root_children.iter().map(closed).collect::<Option<_>>()?,
            root_children: root_children.len() as u8,
            root_max: Cells::new(axes, &pack_nodes[root as usize].bounds)?.max,
        };
        while let Some((opened, children)) = treelet.next_to_open(pack_nodes, axes) {
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
        pack_nodes: &'a [PackNode],
        axes: &[GridAxis; 3],
    ) -> Option<(usize, &'a [u32])> {
        let room = MAX_NODES - self.nodes.len();
        let mut best: Option<(f64, usize, &[u32])> = None;
        for (number, node) in self.nodes.iter().enumerate() {
            let Below::Nodes(children) = &pack_nodes[node.pack_node as usize].below else {
                continue;
            };
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
    fn foreign<'a>(&'a self, pack_nodes: &'a [PackNode]) -> impl Iterator<Item = u32> + 'a {
        let is_foreign = |node: &&TreeletNode| {
            node.children.is_none()
                && matches!(pack_nodes[node.pack_node as usize].below, Below::Nodes(_))
        };
        self.nodes.iter().filter(is_foreign).map(|node| node.pack_node)
    }
}

fn axes(bounds: &Aabb) -> Option<[GridAxis; 3]> {
    let axis = |k: usize| GridAxis::spanning(bounds.min[k], bounds.max[k], EXPONENTS);
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
    fn new(axes: &[GridAxis; 3], bounds: &Aabb) -> Option<Self> {
        let min = std::array::from_fn(|k| axes[k].floor(bounds.min[k]));
        let max = [0, 1, 2].map(|k| axes[k].ceil(bounds.max[k]));
        Some(Self { min, max: [max[0]?, max[1]?, max[2]?] })
    }

    /// Half the surface.
    fn half_area(&self, axes: &[GridAxis; 3]) -> f64 {
        let [x, y, z] = std::array::from_fn(|k| {
            f64::from(self.max[k].saturating_sub(self.min[k])) * axes[k].cell()
        });
        x * y + y * z + z * x
    }
}
