//! What a hierarchy is worth.
//!
//! The cost is that of the surface-area heuristic (Goldsmith and Salmon 1987; MacDonald and Booth
//! 1990) with 1 for a visited inner node and 1 for a tested item: the sum over inner nodes of their
//! area, plus the sum over leaves of area times items, over the root's area. The end-point overlap
//! (Aila, Karras, Laine 2013, "On quality metrics of bounding volume hierarchies") counts what the
//! first figure cannot see: the same sum over the boxes that a point of a surface lies in although
//! the surface is not below them, on average over all points of all surfaces.

use crate::{Blas, Bvh, Node, Tree};
use geometry::{Aabb, SingularTransform, Vec3};

/// Figures of one hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Quality {
    /// Cost by the surface-area heuristic; 0 where the root has no area.
    pub sah_cost: f64,
    /// Inner nodes.
    pub nodes: usize,
    /// Leaves, the empty one of a hierarchy over nothing not counted.
    pub leaves: usize,
    /// Items in all leaves; one that two leaves hold counts twice.
    pub references: usize,
    /// Most nodes on a path from the root down to a leaf.
    pub depth: usize,
}

impl Quality {
    /// Measures a hierarchy.
    #[must_use]
    pub fn of(bvh: &Bvh) -> Self {
        let mut quality = Self::default();
        let mut depths = vec![0u32; bvh.nodes().len()];
        depths[0] = 1;
        let mut weighted_area = 0.0;
        for (index, node) in bvh.nodes().iter().enumerate() {
            let count = node.link.count();
            if node.link.is_leaf() {
                quality.leaves += usize::from(count > 0);
                quality.references += count;
                quality.depth = quality.depth.max(depths[index] as usize);
            } else {
                quality.nodes += 1;
                let below = depths[index] + 1;
                depths[node.link.range()].fill(below);
            }
            weighted_area += visit_cost(node) * half_area(&node.bounds);
        }
        let root_area = half_area(&bvh.root().bounds);
        quality.sah_cost = if root_area > 0.0 { weighted_area / root_area } else { 0.0 };
        quality
    }
}

/// What it costs to visit a node: 1 if it is inner, 1 for each item of a leaf.
fn visit_cost(node: &Node) -> f64 {
    if node.link.is_leaf() { node.link.count() as f64 } else { 1.0 }
}

/// Costs of the hierarchies of a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelCosts {
    /// Of each BLAS.
    pub blases: Vec<f64>,
    /// Of the TLAS.
    pub tlas: Option<f64>,
}

impl LevelCosts {
    /// The costs of hierarchies as they are.
    #[must_use]
    pub fn of(tree: &Tree) -> Self {
        let cost = |bvh: &Bvh| Quality::of(bvh).sah_cost;
        Self {
            blases: tree.blases.iter().map(|blas| cost(&blas.bvh)).collect(),
            tlas: tree.tlas.as_ref().map(|tlas| cost(&tlas.bvh)),
        }
    }

    /// The cost that a ray which meets the box of the tree has to expect: the TLAS's, and for each
    /// instance that of its BLAS times the share of the area that the instance's box has.
    ///
    /// # Errors
    /// The first instance with a singular transform.
    pub fn expected(&self, tree: &Tree) -> Result<f64, (usize, SingularTransform)> {
        let (Some(tlas), Some(tlas_cost)) = (&tree.tlas, self.tlas) else {
            return Ok(self.blases.first().copied().unwrap_or(0.0));
        };
        let world_area = half_area(&tlas.bvh.root().bounds);
        let mut below = 0.0;
        for (number, instance) in tlas.instances.iter().enumerate() {
            let blas = instance.blas as usize;
            let bounds = instance
                .world_bounds(&tree.blases[blas].bvh.root().bounds)
                .map_err(|singular| (number, singular))?;
            below += half_area(&bounds) * self.blases[blas];
        }
        Ok(if world_area > 0.0 { tlas_cost + below / world_area } else { 0.0 })
    }
}

/// Half the surface area of a box, which cannot overflow in double precision.
#[must_use]
pub fn half_area(bounds: &Aabb) -> f64 {
    if bounds.is_empty() {
        return 0.0;
    }
    let e = bounds.max.as_dvec3() - bounds.min.as_dvec3();
    e.x * e.y + e.y * e.z + e.z * e.x
}

/// The largest share of each box that lies in another one of them, by area.
#[must_use]
pub fn overlaps(boxes: &[Aabb]) -> Vec<f32> {
    let areas: Vec<f64> = boxes.iter().map(half_area).collect();
    let mut shares = vec![0.0f64; boxes.len()];
    for (one, bounds) in boxes.iter().enumerate() {
        for (other, second) in boxes.iter().enumerate().skip(one + 1) {
            let common = half_area(&bounds.intersection(*second));
            for each in [one, other] {
                if common > shares[each] * areas[each] {
                    shares[each] = common / areas[each];
                }
            }
        }
    }
    shares.into_iter().map(|share| share.min(1.0) as f32).collect()
}

/// The end-point overlap of a BLAS, estimated from about `samples` points that are spread over its
/// triangles by area. The same level gives the same figure. 0 where no triangle has an area.
#[must_use]
pub fn end_point_overlap(blas: &Blas, samples: usize) -> f64 {
    let triangles = &blas.primitives.triangles;
    let areas = || triangles.iter().map(|t| 0.5 * t.scaled_normal().as_dvec3().length());
    let total: f64 = areas().sum();
    if !(total > 0.0 && total.is_finite()) || samples == 0 {
        return 0.0;
    }
    let spacing = total / samples as f64;
    let (mut passed, mut next, mut taken, mut sum) = (0.0, 0.5 * spacing, 0u32, 0.0);
    let mut open = Vec::new();
    for (item, area) in areas().enumerate() {
        passed += area;
        while next < passed {
            let point = spread_point(&triangles[item].vertices, taken);
            sum += foreign_cost(&blas.bvh, point, item as u32, &mut open);
            next += spacing;
            taken += 1;
        }
    }
    if taken == 0 { 0.0 } else { sum / f64::from(taken) }
}

/// Point `index` of a sequence that covers a triangle evenly: the additive recurrence of Roberts,
/// folded onto the triangle.
fn spread_point(vertices: &[Vec3; 3], index: u32) -> Vec3 {
    const STEP: [f64; 2] = [0.754_877_666_246_692_7, 0.569_840_290_998_053_2];
    let [mut u, mut v] = STEP.map(|step| (0.5 + step * f64::from(index)).fract());
    if u + v > 1.0 {
        (u, v) = (1.0 - u, 1.0 - v);
    }
    let [v0, v1, v2] = vertices.map(|vertex| vertex.as_dvec3());
    (v0 * (1.0 - u - v) + v1 * u + v2 * v).as_vec3()
}

/// The cost of all nodes whose box contains `point` but that have no leaf there with `item`.
fn foreign_cost(bvh: &Bvh, point: Vec3, item: u32, open: &mut Vec<Visit>) -> f64 {
    let mut cost = 0.0;
    let mut own_path = Vec::new();
    open.clear();
    open.push(Visit { node: 0, depth: 0 });
    let mut path: Vec<usize> = Vec::new();
    while let Some(Visit { node: index, depth }) = open.pop() {
        let node = &bvh.nodes()[index];
        if !node.bounds.contains_point(point) {
            continue;
        }
        cost += visit_cost(node);
        path.truncate(depth);
        path.push(index);
        if bvh.items(node).contains(&item) {
            own_path.extend_from_slice(&path);
        } else if !node.link.is_leaf() {
            open.extend(node.link.range().map(|node| Visit { node, depth: depth + 1 }));
        }
    }
    own_path.sort_unstable();
    own_path.dedup();
    cost - own_path.iter().map(|&index| visit_cost(&bvh.nodes()[index])).sum::<f64>()
}

/// A node to be looked at.
struct Visit {
    node: usize,
    depth: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NodeLink, Primitives};
    use geometry::Triangle;

    fn slab(x0: f32, x1: f32) -> Aabb {
        Aabb::new(Vec3::new(x0, 0.0, 0.0), Vec3::new(x1, 2.0, 3.0))
    }

    /// Two leaves, with 2 and 1 references, whose boxes overlap in 2 <= x <= 3.
    fn two_leaves() -> Bvh {
        let nodes = vec![
            Node { bounds: slab(0.0, 5.0), link: NodeLink::inner(1, 2) },
            Node { bounds: slab(0.0, 3.0), link: NodeLink::leaf(0, 2) },
            Node { bounds: slab(2.0, 5.0), link: NodeLink::leaf(2, 1) },
        ];
        Bvh::new(nodes, vec![0, 1, 2], 3).unwrap()
    }

    #[test]
    fn figures_of_two_leaves() {
        // Half areas: 5x2x3 has 31, 3x2x3 has 21.
        let quality = Quality::of(&two_leaves());
        let expected = (31.0 + 2.0 * 21.0 + 21.0) / 31.0;
        assert!((quality.sah_cost - expected).abs() < 1e-12);
        let Quality { nodes, leaves, references, depth, .. } = quality;
        assert_eq!((nodes, leaves, references, depth), (1, 2, 3, 2));
    }

    #[test]
    fn overlaps_are_shares_of_area() {
        let a_box = |min: [f32; 3], max: [f32; 3]| Aabb::new(min.into(), max.into());
        let boxes = [
            a_box([0.0; 3], [4.0, 2.0, 3.0]),
            a_box([3.0, 0.0, 1.0], [8.0, 2.0, 2.0]),
            a_box([3.5, 1.0, 1.0], [9.0, 5.0, 6.0]),
            a_box([20.0; 3], [21.0; 3]),
            a_box([4.0, 1.0, 1.0], [4.0, 2.0, 1.0]),
        ];
        // Half areas: 26, 17, 69.5, 3 and 0; of the first three each two share 5, 3.5 and 10.
        let expected = [5.0 / 26.0, 10.0 / 17.0, 10.0 / 69.5, 0.0, 0.0];
        assert_eq!(overlaps(&boxes), expected.map(|share: f64| share as f32));
    }

    #[test]
    fn nothing_has_no_cost() {
        let quality = Quality::of(&Bvh::empty());
        assert_eq!(quality, Quality { depth: 1, ..Quality::default() });
    }

    /// Triangle 0 spans the left leaf only; of its area, the share with x > 2 lies in the right
    /// leaf's box, which costs 1 there.
    #[test]
    fn overlap_is_the_share_of_area_in_foreign_boxes() {
        let y = |x: f32, y: f32| Vec3::new(x, y, 1.0);
        let own = Triangle::new(y(0.0, 0.0), y(3.0, 0.0), y(0.0, 2.0));
        let nothing = Triangle::new(y(4.0, 1.0), y(4.0, 1.0), y(4.0, 1.0));
        let triangles = vec![own, nothing, nothing];
        let primitives = Primitives { triangles, ..Primitives::default() };
        let overlap = end_point_overlap(&Blas { primitives, bvh: two_leaves() }, 10_000);
        // Above x = 2 a triangle of a third of the size remains.
        assert!((overlap - 1.0 / 9.0).abs() < 2e-3, "{overlap}");
    }
}
