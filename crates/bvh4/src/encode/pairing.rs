//! Two triangles in one node.
//!
//! Triangles of one geometry make a pair if an edge of the first, from p to q, runs from q to p in
//! the second, corners compared by bits. The node keeps them as v1 = p, v2 = q, v0 and v3 = the
//! third corners. The unit then tests (v0, v1, v2) and (v1, v3, v2), which are rotations of the
//! triangles' own orders; a nibble of the id word states which:
//!
//! | shared edge of triangle 0 | of triangle 1 | nibble |
//! |---|---|---|
//! | 1 (own order v0, v1, v2) | 2 (own order v1, v3, v2) | 0x9 |
//! | 0 (v1, v2, v0) | 1 (v3, v2, v1) | 0x2 |
//! | 2 (v2, v0, v1) | 0 (v2, v1, v3) | 0x4 |
//!
//! Facing is kept because the winding is. Pairs are formed greedily in the order of the primitives:
//! a triangle takes the free partner with the smallest ratio of the common box's area to the sum of
//! the two boxes' areas, the earliest on a tie, if the ratio is at most GPURT's 1.15.

use geometry::{Aabb, Triangle, Vec3};
use tree::Primitives;

/// The largest ratio of areas at which triangles pair up.
const MAX_RATIO: f32 = 1.15;

/// References that are looked at together; the search is quadratic.
const GROUP: usize = 64;

/// A reference to a primitive, and the part of the primitive's box that it stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reference {
    /// The primitive.
    pub item: u32,
    /// The part of its box.
    pub bounds: Aabb,
}

/// Shared edges of triangles 0 and 1: edge `k` runs from corner `k` to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedEdge {
    /// The edges of both.
    pub edges: [usize; 2],
}

/// A partner found for a reference, by their positions in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partner {
    /// Where the partner is.
    pub position: usize,
    /// What they share.
    pub edge: SharedEdge,
}

/// What becomes of each reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairRole {
    /// It has no partner.
    Alone,
    /// Triangle 0 of a pair.
    First(Partner),
    /// Triangle 1 of a pair.
    Second,
}

/// Pairs up the triangles among some references, in groups of 64.
#[must_use]
pub fn pair_up(references: &[Reference], primitives: &Primitives) -> Vec<PairRole> {
    let mut roles = vec![PairRole::Alone; references.len()];
    for (group, start) in references.chunks(GROUP).zip((0..).step_by(GROUP)) {
        let mut order: Vec<usize> = (start..start + group.len()).collect();
        order.sort_by_key(|&position| (references[position].item, position));
        for (rank, &first) in order.iter().enumerate() {
            if roles[first] != PairRole::Alone {
                continue;
            }
            let free = order[rank + 1..].iter().filter(|&&second| roles[second] == PairRole::Alone);
            let best = free
                .filter_map(|&position| {
                    let [a, b] = [&references[first], &references[position]];
                    let ratio = area_ratio(&a.bounds, &b.bounds);
                    let edge = (ratio <= MAX_RATIO)
                        .then(|| shared_edge(primitives, a.item, b.item))
                        .flatten()?;
                    Some((ratio, Partner { position, edge }))
                })
                .min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((_, partner)) = best {
                roles[first] = PairRole::First(partner);
                roles[partner.position] = PairRole::Second;
            }
        }
    }
    roles
}

/// The edge by which two primitives can pair up, if they are triangles of one geometry that have
/// one.
#[must_use]
pub fn shared_edge(primitives: &Primitives, a: u32, b: u32) -> Option<SharedEdge> {
    let [a, b] = [a as usize, b as usize];
    let (first, second) = (primitives.triangles.get(a)?, primitives.triangles.get(b)?);
    if a == b || primitives.ids[a].geometry != primitives.ids[b].geometry {
        return None;
    }
    let (first, second) = (first.to_bits(), second.to_bits());
    let edge = |corners: &[[u32; 3]; 3], k: usize| [corners[k], corners[(k + 1) % 3]];
    (0..3)
        .flat_map(|k| (0..3).map(move |j| [k, j]))
        .find(|&[k, j]| {
            let [p, q] = edge(&first, k);
            edge(&second, j) == [q, p]
        })
        .map(|edges| SharedEdge { edges })
}

impl SharedEdge {
    /// v0..=v3 of the node.
    #[must_use]
    pub fn vertices(self, first: &Triangle, second: &Triangle) -> [Vec3; 4] {
        let [k, j] = self.edges;
        let corner = |triangle: &Triangle, n: usize| triangle.vertices[n % 3];
        [corner(first, k + 2), corner(first, k), corner(first, k + 1), corner(second, j + 2)]
    }

    /// I and J sources of both triangles, as the low nibbles of their bytes.
    #[must_use]
    pub fn nibbles(self) -> [u8; 2] {
        let [k, j] = self.edges;
        [[0x2, 0x9, 0x4][k % 3], [0x4, 0x2, 0x9][j % 3]]
    }
}

/// Half the area of the common box over the sum of both.
fn area_ratio(a: &Aabb, b: &Aabb) -> f32 {
    let sum = a.half_area() + b.half_area();
    let common = a.union(*b).half_area();
    if sum > 0.0 || common > 0.0 { common / sum } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::triangle_info::{TriangleInfo, corners};
    use tree::{PrimitiveFlags, PrimitiveId};

    fn primitives(triangles: Vec<Triangle>, geometries: &[u32]) -> Primitives {
        let id = |(n, &geometry): (usize, &u32)| PrimitiveId {
            geometry,
            primitive: n as u32,
            flags: PrimitiveFlags::empty(),
        };
        let ids = geometries.iter().enumerate().map(id).collect();
        Primitives { triangles, boxes: Vec::new(), ids }
    }

    fn references(primitives: &Primitives) -> Vec<Reference> {
        (0..primitives.len())
            .map(|n| Reference { item: n as u32, bounds: primitives.bounds(n) })
            .collect()
    }

    fn rotated(triangle: Triangle, by: usize) -> Triangle {
        let mut vertices = triangle.vertices;
        vertices.rotate_left(by);
        Triangle { vertices }
    }

    /// Every rotation of both triangles: the node's test orders are rotations of the own orders,
    /// and the sources lead back to the own corners.
    #[test]
    fn nibbles_lead_back_to_the_own_order() {
        let p = [[0.0, 0.5, 1.0], [2.0, 0.25, 1.5], [0.5, 3.0, 1.25], [2.5, 3.5, 0.5]];
        let [a, b, c, d] = p.map(Vec3::from_array);
        for turns in 0..9 {
            let first = rotated(Triangle::new(a, b, c), turns % 3);
            let second = rotated(Triangle::new(c, b, d), turns / 3);
            let primitives = primitives(vec![first, second], &[0, 0]);
            let edge = shared_edge(&primitives, 0, 1).unwrap();
            let [low, high] = edge.nibbles();
            let vertices = edge.vertices(&first, &second);
            for (which, own) in [first, second].iter().enumerate() {
                let tested = corners(&vertices, which).vertices;
                let TriangleInfo { i_source, j_source, .. } =
                    TriangleInfo::from_byte([low, high][which]);
                assert_eq!(tested[usize::from(i_source)], own.vertices[1]);
                assert_eq!(tested[usize::from(j_source)], own.vertices[2]);
                let turned = (0..3).any(|by| rotated(*own, by).vertices == tested);
                assert!(turned, "the winding is kept");
            }
        }
    }

    #[test]
    fn neighbours_of_other_geometries_and_windings_stay_alone() {
        let [a, b, c, d] =
            [[0.0, 0.0, 1.0], [2.0, 0.0, 1.0], [0.0, 2.0, 1.0], [2.0, 2.5, 1.0]].map(Vec3::from);
        let quad = |geometries: &[u32], second| {
            let primitives = primitives(vec![Triangle::new(a, b, c), second], geometries);
            pair_up(&references(&primitives), &primitives)
        };
        let edge = SharedEdge { edges: [1, 0] };
        let paired = [PairRole::First(Partner { position: 1, edge }), PairRole::Second];
        assert_eq!(quad(&[3, 3], Triangle::new(c, b, d)), paired);
        assert_eq!(quad(&[3, 4], Triangle::new(c, b, d)), [PairRole::Alone; 2]);
        assert_eq!(quad(&[3, 3], Triangle::new(b, c, d)), [PairRole::Alone; 2]);
        let negative_zero = Vec3::new(-0.0, 2.0, 1.0);
        assert_eq!(quad(&[3, 3], Triangle::new(negative_zero, b, d)), [PairRole::Alone; 2]);
    }

    /// Two needles that point in different directions share an edge, but their common box is large.
    #[test]
    fn a_ratio_too_large_keeps_triangles_apart() {
        let [a, b] = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(0.1, 0.1, 0.1)];
        let along = |tip: [f32; 3]| {
            let second = Triangle::new(b, a, Vec3::from(tip));
            let first = Triangle::new(a, b, Vec3::new(10.0, 0.0, 0.0));
            let primitives = primitives(vec![first, second], &[0, 0]);
            pair_up(&references(&primitives), &primitives)[0]
        };
        assert_eq!(along([0.0, 10.0, 0.0]), PairRole::Alone);
        assert!(matches!(along([9.0, 0.1, 0.0]), PairRole::First(_)));
    }

    /// A strip of three: the first takes the better partner, although the other comes earlier.
    #[test]
    fn the_smallest_ratio_wins() {
        let [a, b, c] = [[0.0, 0.0, 0.0], [4.0, 0.0, 1.0], [0.0, 4.0, 0.0]].map(Vec3::from);
        let worse = Triangle::new(b, a, Vec3::new(2.0, -3.5, 0.5));
        let better = Triangle::new(c, b, Vec3::new(4.0, 4.0, 1.0));
        let triangles = vec![Triangle::new(a, b, c), worse, better];
        let primitives = primitives(triangles, &[0, 0, 0]);
        let roles = pair_up(&references(&primitives), &primitives);
        assert!(matches!(roles[0], PairRole::First(Partner { position: 2, .. })), "{roles:?}");
        assert_eq!(roles[1..], [PairRole::Alone, PairRole::Second]);
    }
}
