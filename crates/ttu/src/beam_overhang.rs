//! What beams need of a world beside its blocks.
//!
//! A leaf of a block may hold a part of a triangle that a spatial split has cut, or, in an oriented
//! block, a triangle without its axis-aligned box. The conservative leaf rule asks for the box of
//! the whole triangle. By how much such boxes stick out of the leaves' is found once for each
//! level, the *overhang*. A query that is widened by it meets every leaf whose primitives' boxes it
//! meets, and every box above the leaf; the SM's leaf tests take care of the rest. The machine
//! itself needs nothing new. An image that cuts nothing has no overhang.

use crate::program::{Program, ProgramBlock};
use geometry::rounding::narrow_up;
use geometry::{Aabb, Vec3};
use machine::LeafRule;
use machine::beam::{BeamWorld, BeamWorldError};
use machine::blocks::BlockLead;
use tree::Tree;

/// A world as beams see it.
#[derive(Debug)]
pub(crate) struct BeamOverhang {
    /// The tree's own side of it.
    pub(crate) world: BeamWorld,
    /// The overhang of each level.
    overhang: Vec<Vec3>,
}

impl BeamOverhang {
    /// Looks at every leaf.
    ///
    /// # Errors
    /// When something reaches beyond `2^126`, or a transform is singular.
    pub(crate) fn new(program: &Program, tree: &Tree) -> Result<Self, BeamWorldError> {
        let world = BeamWorld::new(tree)?;
        let overhang = (0..program.levels.len()).map(|level| {
            let mut most = [0.0; 3];
            each_leaf(program, level, &mut |leaf, items| {
                for &item in items {
                    let whole = match tree.blases.get(level) {
                        Some(blas) => blas.primitives.bounds(item as usize),
                        None => world.instance_bounds(item),
                    };
                    stick_out(&whole, leaf, &mut most);
                }
            });
            Vec3::from_array(most.map(narrow_up))
        });
        Ok(Self { overhang: overhang.collect(), world })
    }

    /// How far a query must reach around itself in a level. The boxes of instances count by either
    /// rule.
    pub(crate) fn overhang(&self, tree: &Tree, level: usize, leaf: LeafRule) -> Vec3 {
        match leaf {
            LeafRule::Exact if level < tree.blases.len() => Vec3::ZERO,
            LeafRule::Exact | LeafRule::Conservative => self.overhang[level],
        }
    }
}

/// The box of a leaf in the coordinates of its level.
enum LeafBox {
    /// Its corners, to within a rounding of `f64`, which the dilation of every query covers.
    Straight { min: [f64; 3], max: [f64; 3] },
    /// In rotated coordinates.
    Oriented,
}

/// Shows every leaf of a level: its box, and the items that it holds.
fn each_leaf(program: &Program, level: usize, show: &mut dyn FnMut(&LeafBox, &[u32])) {
    let mut open: Vec<u32> = program.levels[level].root.into_iter().collect();
    while let Some(number) = open.pop() {
        let block = &program.blocks[number as usize];
        for index in 0..usize::from(block.node_count) {
            match program.nodes[block.first_node as usize + index].lead {
                BlockLead::Inside { .. } => (),
                BlockLead::Block(below) => open.push(below),
                BlockLead::Items { first, count, .. } => {
                    let items = &program.items[first as usize..][..count as usize];
                    show(&leaf_box(program, block, index), items);
                }
            }
        }
    }
}

fn leaf_box(program: &Program, block: &ProgramBlock, index: usize) -> LeafBox {
    if block.rotation.is_some() {
        return LeafBox::Oriented;
    }
    let planes = &program.planes[block.first_planes as usize + index / 4];
    let place = |cells: &[[f32; 4]; 3]| {
        std::array::from_fn(|k| {
            let cell = f64::from(block.exponents[k]).exp2();
            f64::from(block.origin[k]) + f64::from(cells[k][index % 4]) * cell
        })
    };
    LeafBox::Straight { min: place(&planes.min), max: place(&planes.max) }
}

/// Raises `most` to what `whole` has outside of a leaf's box.
fn stick_out(whole: &Aabb, leaf: &LeafBox, most: &mut [f64; 3]) {
    if whole.is_empty() {
        return;
    }
    for (k, most) in most.iter_mut().enumerate() {
        let (min, max) = (f64::from(whole.min[k]), f64::from(whole.max[k]));
        let outside = match leaf {
            LeafBox::Straight { min: low, max: high } => (low[k] - min).max(max - high[k]),
            // A point of the primitive lies in the oriented box, and in `whole`.
            LeafBox::Oriented => max - min,
        };
        *most = most.max(outside);
    }
}
