//! What a walk over a decoded tree reads of the image, had it walked the image itself.

use crate::tree_format::{INSTANCE_BYTES, NODE_BYTES, REFERENCE_BYTES, primitive_bytes};
use crate::{BlockImage, BlockLead};
use tree::{Bvh, Node, Tree};

/// Bytes that a visit of a node reads: of an inner node its own; of a leaf those of its primitives
/// or instances; of a node that lies in the block of its parent, none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fetches {
    /// For each BLAS, one number for each of [`tree::Bvh::nodes`].
    pub blases: Vec<Vec<u32>>,
    /// The same for the TLAS.
    pub tlas: Vec<u32>,
}

impl Fetches {
    /// Those of a tree, as the format `tree` lays it out.
    #[must_use]
    pub fn of_tree(tree: &Tree) -> Self {
        let level = |bvh: &Bvh, item: &dyn Fn(u32) -> usize| {
            let bytes = |node: &Node| match node.link.is_leaf() {
                true => bvh.items(node).iter().map(|&i| REFERENCE_BYTES + item(i)).sum::<usize>(),
                false => NODE_BYTES,
            };
            bvh.nodes().iter().map(|node| bytes(node) as u32).collect()
        };
        let blases = tree.blases.iter();
        let tlas = tree.tlas.as_ref().map(|tlas| level(&tlas.bvh, &|_| INSTANCE_BYTES));
        Self {
            blases: blases.map(|b| level(&b.bvh, &|i| primitive_bytes(&b.primitives, i))).collect(),
            tlas: tlas.unwrap_or_default(),
        }
    }

    /// Those of an image whose blocks decode to a tree; `None` if the tree has other nodes than the
    /// blocks.
    #[must_use]
    pub fn of_blocks(tree: &Tree, blocks: &BlockImage) -> Option<Self> {
        let bvhs = tree.blases.iter().map(|blas| &blas.bvh);
        let bvhs = bvhs.chain(tree.tlas.as_ref().map(|tlas| &tlas.bvh));
        let levels = bvhs.zip(&blocks.levels).map(|(bvh, level)| match level.root {
            Some(root) => level_bytes(bvh, blocks, root),
            None => Some(vec![0; bvh.nodes().len()]),
        });
        let mut blases = levels.collect::<Option<Vec<_>>>()?;
        let tlas = if tree.tlas.is_some() { blases.pop()? } else { Vec::new() };
        (blases.len() == tree.blases.len()).then_some(Self { blases, tlas })
    }
}

/// Goes down the hierarchy and the blocks at once: children have the same order in both.
fn level_bytes(bvh: &Bvh, image: &BlockImage, root: u32) -> Option<Vec<u32>> {
    let mut bytes = vec![0; bvh.nodes().len()];
    let whole = |block: u32| {
        let block = image.blocks.get(block as usize)?;
        let first = block.first_node as usize;
        Some((block.bytes, first, first..first + usize::from(block.root_children)))
    };
    let (read, first, children) = whole(root)?;
    bytes[0] = read;
    // A root that is a leaf stands in a block of its own.
    if bvh.root().link.is_leaf() {
        bytes[0] += image.nodes.get(first).map_or(0, |node| leaf_bytes(image, node.lead));
        return Some(bytes);
    }
    let mut open = vec![(0, first, children)];
    while let Some((node, first, children)) = open.pop() {
        let below = bvh.nodes()[node].link.range();
        if below.len() != children.len() {
            return None;
        }
        for (child, node) in below.zip(image.nodes.get(children)?) {
            let is_leaf = bvh.nodes()[child].link.is_leaf();
            match node.lead {
                lead @ BlockLead::Items { .. } if is_leaf => bytes[child] = leaf_bytes(image, lead),
                BlockLead::Inside { first: start, count } if !is_leaf => {
                    let start = first + usize::from(start);
                    open.push((child, first, start..start + usize::from(count)));
                }
                BlockLead::Block(block) => {
                    let (read, first, children) = whole(block)?;
                    bytes[child] = read;
                    if !is_leaf {
                        open.push((child, first, children));
                    }
                }
                _ => return None,
            }
        }
    }
    Some(bytes)
}

fn leaf_bytes(image: &BlockImage, lead: BlockLead) -> u32 {
    match lead {
        BlockLead::Items { first, count, memory } => image.leaf_bytes(first, count, memory) as u32,
        BlockLead::Block(_) | BlockLead::Inside { .. } => 0,
    }
}
