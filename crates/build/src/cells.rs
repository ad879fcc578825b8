//! Trees whose boxes are cells of space: octrees and k-d trees.
//!
//! Space is cut, not the set of primitives. The root cell is the box around everything; a cell is
//! cut at a plane, and what crosses the plane is referred to from both sides, each time by its part
//! there ([`clip`]). An octree cuts in the middle, on each axis in turn, and decides after all
//! three whether to go on; a k-d tree cuts where the surface-area heuristic expects the least work,
//! or not at all. Cells without references are left out, and a leaf's box is its cell as far as the
//! parts in it reach: boxes of different cells share no volume.
//!
//! A wide node holds what three cuts make of a cell (two cuts for 4 children, one for 2): of an
//! octree, its octants. References may grow in number by a fixed budget, of which each cell hands
//! its own share on, so that the result does not depend on threads (T-25).

use crate::BuildError;
use crate::clip;
use crate::collapse::Collapsed;
use crate::progress::Monitor;
use crate::tagged_box::{Bounds, TaggedBox};
use tree::{Bvh, Node, NodeLink, Primitives};

/// Cells with more references are built side by side.
const PARALLEL: usize = 1 << 13;
/// How many times as many references as primitives there may be.
const MOST_REFERENCES: usize = 8;
/// A k-d tree tries the planes of all boxes in cells of at most so many references, else [`BINS`].
const EVERY_PLANE: usize = 128;
/// Equal parts of a cell between which it is tried to be cut.
const BINS: usize = 32;
/// What entering a cell costs, in tests of references.
const CUT_COST: f64 = 1.0;

/// How cells are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// In the middle.
    Octree,
    /// By the surface-area heuristic.
    KdTree,
}

/// Builds a tree of cells over references, of which there must be at least one.
///
/// # Errors
/// Cancellation.
pub(crate) fn build(
    cut: Cut,
    references: &[TaggedBox],
    primitives: &Primitives,
    item_count: usize,
    (width, max_leaf): (usize, usize),
    monitor: &Monitor<'_>,
) -> Result<Collapsed, BuildError> {
    let bounds = around(references);
    let most_cuts = match cut {
        Cut::Octree => 3 * 21,
        // Havran's rule.
        Cut::KdTree => 8 + (1.3 * (references.len() as f64).log2()) as usize,
    };
    let builder = Builder { cut, primitives, max_leaf, most_cuts, monitor };
    let room = references.len().saturating_mul(MOST_REFERENCES).min(1 << 30);
    let cells = builder.cell(references.to_vec(), bounds, 0, room)?;
    let area = half_area(&bounds);
    let binary_cost = if area > 0.0 { cells.cost / area } else { 0.0 };
    let (nodes, indices) = cells.widened(width.ilog2() as usize);
    Ok(Collapsed { bvh: Bvh::new(nodes, indices, item_count)?, binary_cost })
}

struct Builder<'a> {
    cut: Cut,
    primitives: &'a Primitives,
    max_leaf: usize,
    most_cuts: usize,
    monitor: &'a Monitor<'a>,
}

impl Builder<'_> {
    /// Everything in a cell, whose references may become as many as `room`.
    fn cell(
        &self,
        references: Vec<TaggedBox>,
        cell: Bounds,
        cuts: usize,
        room: usize,
    ) -> Result<Cells, BuildError> {
        let count = references.len();
        let sides = self.plane(&references, &cell, cuts).map(|(axis, plane)| {
            let (mut low, mut high) = (cell, cell);
            low.max[axis] = plane;
            high.min[axis] = plane;
            let [left, right] = self.sides(&references, axis, plane);
            (left.len() + right.len(), [(left, low), (right, high)])
        });
        let Some((total, [left, right])) = sides.filter(|(total, _)| *total <= room) else {
            self.monitor.advance(count)?;
            return Ok(Cells::leaves(&references, around(&references), self.max_leaf));
        };
        self.monitor.check()?;
        drop(references);
        let below = |(references, cell): (Vec<TaggedBox>, Bounds)| {
            let own = references.len();
            let room = own + (room - total) * own / total.max(1);
            (own > 0).then(|| self.cell(references, cell, cuts + 1, room)).transpose()
        };
        let (left, right) = if count > PARALLEL {
            rayon::join(|| below(left), || below(right))
        } else {
            (below(left), below(right))
        };
        Ok(Cells::above([left?, right?]))
    }

    /// Where a cell is cut, if it is.
    fn plane(&self, references: &[TaggedBox], cell: &Bounds, cuts: usize) -> Option<(usize, f32)> {
        // An octant is complete after a cut on each axis.
        let may_end = self.cut == Cut::KdTree || cuts.is_multiple_of(3);
        if may_end && (cuts >= self.most_cuts || references.len() <= self.max_leaf) {
            return None;
        }
        match self.cut {
            Cut::Octree => middle(cell, cuts),
            Cut::KdTree => cheapest(references, cell),
        }
    }

    /// The references on both sides of a plane.
    fn sides(&self, references: &[TaggedBox], axis: usize, plane: f32) -> [Vec<TaggedBox>; 2] {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for reference in references {
            let own = reference.bounds();
            if own.max[axis] <= plane {
                left.push(*reference);
            } else if own.min[axis] >= plane {
                right.push(*reference);
            } else {
                let (low, high) = clip::cut(self.primitives, reference, axis, plane);
                let parts = [(low, &mut left), (high, &mut right)];
                for (part, side) in parts.into_iter().filter(|(part, _)| !is_empty(part)) {
                    side.push(TaggedBox::new(part, reference.tag_a(), 0));
                }
            }
        }
        [left, right]
    }
}

/// The plane in the middle of a cell, on the axis whose turn it is or, where there is no number
/// between its ends, on the next.
pub(crate) fn middle(cell: &Bounds, cuts: usize) -> Option<(usize, f32)> {
    let axes = (0..3).map(|turn| (cuts + turn) % 3);
    let mut planes = axes.map(|axis| (axis, 0.5 * cell.min[axis] + 0.5 * cell.max[axis]));
    planes.find(|&(axis, plane)| cell.min[axis] < plane && plane < cell.max[axis])
}

/// The plane of the least expected work, unless testing all references is cheaper.
fn cheapest(references: &[TaggedBox], cell: &Bounds) -> Option<(usize, f32)> {
    let area = half_area(cell);
    let mut best = (references.len() as f64 * area, None);
    for axis in 0..3 {
        let planes = candidates(references, cell, axis);
        // How many references begin to be on the left, and end to be on the right, at each plane.
        let (mut begins, mut ends) = (vec![0; planes.len() + 1], vec![0; planes.len() + 1]);
        for own in references.iter().map(TaggedBox::bounds) {
            let (min, max) = (own.min[axis], own.max[axis]);
            begins[planes.partition_point(|&plane| plane < min || plane == min && min < max)] += 1;
            ends[planes.partition_point(|&plane| plane < max)] += 1;
        }
        let (mut left, mut right) = (0, references.len());
        for (place, &plane) in planes.iter().enumerate() {
            left += begins[place];
            right -= ends[place];
            let (mut low, mut high) = (*cell, *cell);
            low.max[axis] = plane;
            high.min[axis] = plane;
            let work = half_area(&low) * left as f64 + half_area(&high) * right as f64;
            let cost = CUT_COST * area + work;
            if cost < best.0 {
                best = (cost, Some((axis, plane)));
            }
        }
    }
    best.1
}

/// The planes inside a cell that are tried, in order.
fn candidates(references: &[TaggedBox], cell: &Bounds, axis: usize) -> Vec<f32> {
    let (min, max) = (cell.min[axis], cell.max[axis]);
    let mut planes: Vec<f32> = if references.len() <= EVERY_PLANE {
        let own = references.iter().map(TaggedBox::bounds);
        own.flat_map(|own| [own.min[axis], own.max[axis]]).collect()
    } else {
        let share = |bin: usize| bin as f32 / BINS as f32;
        (1..BINS).map(|bin| min * (1.0 - share(bin)) + max * share(bin)).collect()
    };
    planes.retain(|&plane| min < plane && plane < max);
    planes.sort_unstable_by(f32::total_cmp);
    planes.dedup();
    planes
}

fn around(references: &[TaggedBox]) -> Bounds {
    references.iter().map(TaggedBox::bounds).fold(Bounds::EMPTY, Bounds::union)
}

/// Half the surface area, which neither overflows nor vanishes.
fn half_area(bounds: &Bounds) -> f64 {
    let e = bounds.max.as_dvec3() - bounds.min.as_dvec3();
    e.x * (e.y + e.z) + e.y * e.z
}

fn is_empty(bounds: &Bounds) -> bool {
    bounds.min.cmpgt(bounds.max).any()
}

/// What is below a cell.
#[derive(Debug, Clone, Copy)]
enum Below {
    /// References, by their place among those of the part.
    Leaf { first: usize, count: usize },
    /// Cells: where each is, in the part. An empty side has none.
    Cut([Option<usize>; 2]),
}

/// Cells with the boxes of what is in them, the topmost last, and what they refer to.
#[derive(Debug, Default)]
struct Cells {
    cells: Vec<(Bounds, Below)>,
    items: Vec<u32>,
    /// Areas of boxes, weighted by what is done there.
    cost: f64,
}

impl Cells {
    /// A leaf, or several with the same box if it would be too large.
    fn leaves(references: &[TaggedBox], bounds: Bounds, max_leaf: usize) -> Self {
        let count = references.len();
        if count > max_leaf {
            let (left, right) = references.split_at(count / 2);
            let half = |half| Some(Self::leaves(half, bounds, max_leaf));
            return Self::above([half(left), half(right)]);
        }
        Self {
            cells: vec![(bounds, Below::Leaf { first: 0, count })],
            items: references.iter().map(TaggedBox::tag_a).collect(),
            cost: count as f64 * half_area(&bounds),
        }
    }

    /// A cell above its two sides.
    fn above(sides: [Option<Self>; 2]) -> Self {
        let (mut all, mut bounds) = (Self::default(), Bounds::EMPTY);
        let sides = sides.map(|side| {
            let side = side?;
            let (cells, items) = (all.cells.len(), all.items.len());
            bounds = side.cells.last().map_or(bounds, |(top, _)| bounds.union(*top));
            all.cost += side.cost;
            all.items.extend(side.items);
            all.cells.extend(side.cells.into_iter().map(|(bounds, below)| match below {
                Below::Leaf { first, count } => {
                    (bounds, Below::Leaf { first: items + first, count })
                }
                Below::Cut(sides) => {
                    (bounds, Below::Cut(sides.map(|side| side.map(|cell| cells + cell))))
                }
            }));
            Some(all.cells.len() - 1)
        });
        if let [Some(_), Some(_)] = sides {
            all.cost += CUT_COST * half_area(&bounds);
        }
        all.cells.push((bounds, Below::Cut(sides)));
        all
    }

    /// The wide tree, with what `levels` cuts make of a cell in each node.
    fn widened(&self, levels: usize) -> (Vec<Node>, Vec<u32>) {
        let (mut nodes, mut indices) = (Vec::new(), Vec::with_capacity(self.items.len()));
        // Cells that become nodes, and the nodes whose children they are.
        let mut open = vec![(vec![self.cells.len() - 1], None)];
        while let Some((cells, parent)) = open.pop() {
            if let Some(parent) = parent {
                let link = NodeLink::inner(nodes.len() as u32, cells.len());
                let parent: &mut Node = &mut nodes[parent];
                parent.link = link;
            }
            for cell in cells {
                let below = self.below(cell, levels);
                let link = match self.cells[below[0]].1 {
                    Below::Leaf { first, count } if below.len() == 1 => {
                        indices.extend_from_slice(&self.items[first..first + count]);
                        NodeLink::leaf((indices.len() - count) as u32, count)
                    }
                    _ => {
                        open.push((below, Some(nodes.len())));
                        NodeLink::inner(0, 0)
                    }
                };
                nodes.push(Node { bounds: self.cells[cell].0.to_aabb(), link });
            }
        }
        (nodes, indices)
    }

    /// What `levels` cuts make of a cell; where that is a single one, what more cuts make of it.
    fn below(&self, cell: usize, levels: usize) -> Vec<usize> {
        let mut cells = vec![cell];
        for _ in 0..levels {
            cells = cells.into_iter().flat_map(|cell| self.sides_of(cell)).collect();
        }
        match cells[..] {
            [single] if single != cell => self.below(single, levels),
            _ => cells,
        }
    }

    /// The two sides of a cell, without empty ones; of a leaf, itself.
    fn sides_of(&self, cell: usize) -> Vec<usize> {
        match self.cells[cell].1 {
            Below::Leaf { .. } => vec![cell],
            Below::Cut(sides) => sides.into_iter().flatten().collect(),
        }
    }
}
