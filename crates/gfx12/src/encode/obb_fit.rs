//! Oriented nodes: the best rotation for the boxes of a node, where one helps.
//!
//! The cost of a node's children is the sum of their areas, each times what a visit costs: 1 for a
//! node, 1 for each reference of a leaf. A rotation is taken where it lowers that cost by a tenth
//! or more; half of the table's rotations only permute or mirror the frame of another and are left
//! out. All are tried on a few points of each child, the best few on all points.
//!
//! Boxes in a rotated frame contain `R p` exactly, for the matrix `R` of the table and every point
//! `p` below. The root is never oriented, because instances copy its boxes, nor are nodes above
//! many primitives, which gain little.

use super::boxes::Boxes;
use crate::layout::BoxNode;
use crate::obb::rotation;
use geometry::rounding::{narrow_down, narrow_up};
use geometry::{Aabb, Transform, Vec3};
use rayon::prelude::*;
use tree::primitives::Primitive;
use tree::quality::half_area;
use tree::{Bvh, Primitives};

/// Most references below a node that is oriented.
pub(crate) const MAX_REFERENCES: u32 = 1024;
/// Points of each child that all rotations are tried on.
const SAMPLE: usize = 18;
/// How many rotations are tried on all points.
const FINALISTS: usize = 3;
/// Share of the cost that a rotation must leave at most.
const WORTHWHILE: f64 = 0.9;

/// The rotations whose frames differ by more than a permutation.
fn candidates() -> impl Iterator<Item = u8> {
    [0, 1, 2, 6, 8, 9, 10, 16, 17, 18].into_iter().chain(24..=62).chain(64..=70).chain(72..=103)
}

/// What orientation does to a level.
#[derive(Debug, Default)]
pub(crate) struct Orientations {
    /// For each box node, its rotation; empty where none is wanted.
    pub(crate) rotations: Vec<u8>,
    /// Change of the cost by the surface-area heuristic, in units of the root's half area.
    pub(crate) cost_change: f64,
}

impl Orientations {
    /// The rotation of a box node.
    pub(crate) fn of(&self, place: usize) -> u8 {
        self.rotations.get(place).copied().unwrap_or(BoxNode::NO_ROTATION)
    }

    /// How many nodes are oriented.
    pub(crate) fn count(&self) -> usize {
        self.rotations.iter().filter(|&&index| index != BoxNode::NO_ROTATION).count()
    }
}

/// Chooses the rotations of a level's nodes.
pub(crate) fn orient(boxes: &Boxes<'_>, below: &[u32], primitives: &Primitives) -> Orientations {
    let choices: Vec<(u8, f64)> = (0..boxes.flat.boxes.len())
        .into_par_iter()
        .map(|place| {
            let entry = boxes.flat.boxes[place].entry as usize;
            if place == 0 || below[entry] > MAX_REFERENCES {
                return (BoxNode::NO_ROTATION, 0.0);
            }
            choose(boxes, place, primitives)
        })
        .collect();
    let unit = half_area(&boxes.bvh.root().bounds);
    let change: f64 = choices.iter().map(|choice| choice.1).sum();
    let cost_change = if unit > 0.0 { change / unit } else { 0.0 };
    Orientations { rotations: choices.into_iter().map(|choice| choice.0).collect(), cost_change }
}

/// The boxes of a node's children in a rotated frame, exact and rounded outward.
pub(crate) fn oriented_boxes(
    bvh: &Bvh,
    slots: &[u32],
    index: u8,
    primitives: &Primitives,
) -> Option<Vec<Aabb>> {
    let matrix = rotation(index)?;
    let around = |&entry: &u32| {
        let mut bounds = Aabb::EMPTY;
        points_below(bvh, entry, primitives, |point| {
            let [min, max] = rotated_interval(matrix, point);
            bounds = bounds.union(Aabb::new(min, max));
        });
        bounds
    };
    Some(slots.iter().map(around).collect())
}

/// The rotation of one node, and by how much it changes the cost.
fn choose(boxes: &Boxes<'_>, place: usize, primitives: &Primitives) -> (u8, f64) {
    let slots = boxes.slots(place);
    let points: Vec<Vec<Vec3>> = slots
        .iter()
        .map(|&entry| {
            let mut points = Vec::new();
            points_below(boxes.bvh, entry, primitives, |point| points.push(point));
            points
        })
        .collect();
    let weights: Vec<f64> = slots
        .iter()
        .map(|&entry| {
            let link = boxes.bvh.nodes()[entry as usize].link;
            if link.is_leaf() { link.count() as f64 } else { 1.0 }
        })
        .collect();
    let cost = |matrix: &Transform, most: usize| -> f64 {
        let area = |points: &Vec<Vec3>| {
            let stride = points.len().div_ceil(most).max(1);
            let rotated = points.iter().step_by(stride).map(|&point| matrix.vector(point));
            half_area(&Aabb::of_points(rotated))
        };
        points.iter().zip(&weights).map(|(points, weight)| weight * area(points)).sum()
    };
    let mut tried: Vec<(f64, u8)> =
        candidates().filter_map(|index| Some((cost(rotation(index)?, SAMPLE), index))).collect();
    tried.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let best = tried
        .into_iter()
        .take(FINALISTS)
        .filter_map(|(_, index)| Some((cost(rotation(index)?, usize::MAX), index)))
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    // Plain boxes may be cut by spatial splits, so they come from the hierarchy.
    let areas = slots.iter().map(|&entry| half_area(&boxes.bvh.nodes()[entry as usize].bounds));
    let plain: f64 = areas.zip(&weights).map(|(area, weight)| weight * area).sum();
    match best {
        Some((oriented, index)) if oriented < WORTHWHILE * plain => (index, oriented - plain),
        _ => (BoxNode::NO_ROTATION, 0.0),
    }
}

/// Every point whose hull is what lies below an entry.
fn points_below(bvh: &Bvh, entry: u32, primitives: &Primitives, mut visit: impl FnMut(Vec3)) {
    let mut open = vec![entry as usize];
    while let Some(entry) = open.pop() {
        let entry = &bvh.nodes()[entry];
        for &item in bvh.items(entry) {
            match primitives.get(item as usize) {
                Primitive::Triangle(triangle) => triangle.vertices.into_iter().for_each(&mut visit),
                Primitive::Box(bounds) => bounds.corners().into_iter().for_each(&mut visit),
            }
        }
        if !entry.link.is_leaf() {
            open.extend(entry.link.range());
        }
    }
}

/// Bounds of `R p`: three exact products in `f64`, two rounded sums with their error.
pub(crate) fn rotated_interval(matrix: &Transform, point: Vec3) -> [Vec3; 2] {
    let [mut min, mut max] = [Vec3::ZERO; 2];
    for (axis, row) in matrix.rows.iter().enumerate() {
        let terms: [f64; 3] = std::array::from_fn(|k| f64::from(row[k]) * f64::from(point[k]));
        let sum = terms[0] + terms[1] + terms[2];
        let magnitude: f64 = terms.iter().map(|term| term.abs()).sum();
        let error = 4.0 * f64::EPSILON * magnitude;
        min[axis] = narrow_down(sum - error);
        max[axis] = narrow_up(sum + error);
    }
    [min, max]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::obb::ROTATION_COUNT;
    use proptest::prelude::*;

    #[test]
    fn eighty_eight_frames_differ() {
        let kept: Vec<u8> = candidates().collect();
        assert_eq!(kept.len(), 88);
        // A frame is the set of its rows up to sign.
        let frame = |index: u8| {
            let rows = rotation(index).unwrap().rows.map(|row| {
                let positive = row.iter().find(|x| **x != 0.0).is_some_and(|x| *x > 0.0);
                row.map(|x| if positive { x } else { -x } + 0.0).map(f32::to_bits)
            });
            std::collections::BTreeSet::from(rows)
        };
        let frames: std::collections::BTreeSet<_> =
            kept.iter().map(|&index| frame(index)).collect();
        for index in 0..ROTATION_COUNT as u8 {
            let near = frames.iter().any(|kept| similar(kept, &frame(index)));
            assert!(near || frame(index).len() < 3 || is_permutation(index), "{index}");
        }
    }

    fn similar(
        a: &std::collections::BTreeSet<[u32; 4]>,
        b: &std::collections::BTreeSet<[u32; 4]>,
    ) -> bool {
        let close = |x: &[u32; 4], y: &[u32; 4]| {
            x.iter().zip(y).all(|(x, y)| (f32::from_bits(*x) - f32::from_bits(*y)).abs() < 1e-5)
        };
        b.iter().all(|row| a.iter().any(|other| close(row, other)))
    }

    fn is_permutation(index: u8) -> bool {
        let entries = rotation(index).unwrap().rows;
        entries.iter().flatten().all(|x| x.abs() == 0.0 || x.abs() == 1.0)
    }

    proptest! {
        /// In exact arithmetic: integers times a power of two.
        #[test]
        fn intervals_contain_the_exact_point(
            index in 0u8..104,
            point in any::<[i32; 3]>(),
            scale in -40i32..40,
        ) {
            let factor = f64::from(scale).exp2();
            let point = Vec3::from_array(point.map(|x| (f64::from(x) * factor) as f32));
            let matrix = rotation(index).unwrap();
            let [min, max] = rotated_interval(matrix, point);
            for axis in 0..3 {
                let exact: num_rational::BigRational = (0..3)
                    .map(|k| {
                        geometry::exact::rational(matrix.rows[axis][k])
                            * geometry::exact::rational(point[k])
                    })
                    .sum();
                prop_assert!(geometry::exact::rational(min[axis]) <= exact);
                prop_assert!(exact <= geometry::exact::rational(max[axis]));
            }
        }
    }
}
