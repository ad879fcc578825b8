//! The proof by example that spatial splits lose nothing: in exact arithmetic, every point of a
//! triangle lies in the box of one of its references.

use crate::binary::Node;
use crate::cells::{self, Cut};
use crate::primitives;
use crate::progress::{Monitor, unwatched};
use crate::spatial_split::{self, CutThreshold};
use crate::tagged_box::{Bounds, TaggedBox};
use geometry::exact::{ExactVec3, rational, vector};
use geometry::random::Random;
use geometry::{Triangle, Vec3};
use num_rational::BigRational;
use tree::Primitives;

/// Long thin triangles that lie askew and almost parallel, among small ones.
fn needles(count: usize, seed: u64, scale: f32) -> Vec<Triangle> {
    let mut random = Random(seed);
    let mut point = |size: f32| random.vector(-1.0, 1.0) * size;
    (0..count)
        .map(|i| {
            let corner = point(9.0);
            let along = if i % 4 == 0 { Vec3::new(17.0, -11.0, 6.0) } else { Vec3::ZERO };
            let vertices = [corner, corner + along + point(0.3), corner + point(0.2)];
            Triangle { vertices: vertices.map(|vertex| vertex * scale) }
        })
        .collect()
}

/// The boxes of all references, by triangle.
fn reference_boxes(primitives: &Primitives) -> Vec<Vec<Bounds>> {
    let monitor = Monitor::new(&unwatched, 1);
    let references = primitives::references(primitives);
    let nodes =
        spatial_split::build(references, primitives, 2.0, CutThreshold::BEST, &monitor).unwrap();
    let mut boxes = vec![Vec::new(); primitives.triangles.len()];
    let mut open = vec![0];
    while let Some(index) = open.pop() {
        let node: &TaggedBox = &nodes[index];
        match node.first_child() {
            Some(child) => open.extend([child, child + 1]),
            None => boxes[node.item() as usize].push(node.bounds()),
        }
    }
    boxes
}

/// Corners, points on edges (some very near a corner), and points inside.
fn points_of(triangle: &Triangle, random: &mut Random) -> Vec<ExactVec3> {
    let corners = triangle.vertices.map(vector);
    let mut weights = vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..12 {
        let [a, b, c] = random.vector(1e-3, 1.0).to_array();
        weights.extend([[a, b, c], [a, b, 0.0], [0.0, a, b * 1e-6], [a, 0.0, c]]);
    }
    weights
        .into_iter()
        .map(|weights| {
            let weights = weights.map(rational);
            let sum: BigRational = weights.iter().sum();
            std::array::from_fn(|k| {
                (0..3).map(|v| &weights[v] * &corners[v][k]).sum::<BigRational>() / &sum
            })
        })
        .collect()
}

/// The points where edges cross the planes of the boxes: there a rounding in the wrong direction
/// would leave a gap.
fn crossings(triangle: &Triangle, boxes: &[Bounds]) -> Vec<ExactVec3> {
    let corners = triangle.vertices.map(vector);
    let mut points = Vec::new();
    for (axis, bounds) in (0..3).flat_map(|axis| boxes.iter().map(move |bounds| (axis, bounds))) {
        for plane in [bounds.min[axis], bounds.max[axis]].map(rational) {
            for edge in 0..3 {
                let (from, to) = (&corners[edge], &corners[(edge + 1) % 3]);
                if from[axis].clone().min(to[axis].clone()) < plane
                    && plane < from[axis].clone().max(to[axis].clone())
                {
                    let share = (&plane - &from[axis]) / (&to[axis] - &from[axis]);
                    points.push(std::array::from_fn(|k| &from[k] + (&to[k] - &from[k]) * &share));
                }
            }
        }
    }
    points
}

fn contains(bounds: &Bounds, point: &ExactVec3) -> bool {
    (0..3).all(|k| rational(bounds.min[k]) <= point[k] && point[k] <= rational(bounds.max[k]))
}

#[test]
fn no_point_of_a_triangle_is_lost() {
    let mut random = Random(99);
    for (seed, scale) in [(1, 1.0), (2, 1e-3), (3, 3.7e5), (4, 1e-19), (5, 1e17), (6, 1e-38)] {
        let primitives =
            Primitives { triangles: needles(200, seed, scale), ..Primitives::default() };
        let boxes = reference_boxes(&primitives);
        let cut = boxes.iter().filter(|boxes| boxes.len() > 1).count();
        // The areas of the last scene vanish: nothing is known to be worth a cut.
        assert!(cut > 20 || scale == 1e-38, "only {cut} triangles were cut at scale {scale}");
        for (triangle, boxes) in primitives.triangles.iter().zip(&boxes) {
            let mut points = points_of(triangle, &mut random);
            points.extend(crossings(triangle, boxes));
            for point in points {
                assert!(boxes.iter().any(|bounds| contains(bounds, &point)), "{triangle:?}");
            }
            let whole = Bounds::from(triangle.bounds());
            assert!(boxes.iter().all(|part| whole.union(*part) == whole));
        }
    }
}

/// The leaves of a tree of cells: boxes, and what they refer to.
fn leaf_cells(cut: Cut, primitives: &Primitives) -> Vec<(Bounds, Vec<u32>)> {
    let monitor = Monitor::new(&unwatched, 1);
    let references = primitives::references(primitives);
    let count = primitives.len();
    let built = cells::build(cut, &references, primitives, count, (8, 4), &monitor).unwrap();
    let leaves = built.bvh.nodes().iter().filter(|node| node.link.is_leaf());
    leaves.map(|leaf| (leaf.bounds.into(), built.bvh.items(leaf).to_vec())).collect()
}

#[test]
fn no_point_of_a_triangle_is_outside_of_its_cells() {
    let mut random = Random(98);
    for (seed, scale) in [(7, 1.0), (8, 3.7e5), (9, 1e-19), (10, 1e-38)] {
        let primitives =
            Primitives { triangles: needles(200, seed, scale), ..Primitives::default() };
        for cut in [Cut::Octree, Cut::KdTree] {
            let leaves = leaf_cells(cut, &primitives);
            let references: usize = leaves.iter().map(|(_, items)| items.len()).sum();
            assert!((201..=8 * 200).contains(&references), "{cut:?} {scale}: {references}");
            for (item, triangle) in (0..).zip(&primitives.triangles) {
                let own = leaves.iter().filter(|(_, items)| items.contains(&item));
                let boxes: Vec<Bounds> = own.map(|(bounds, _)| *bounds).collect();
                let mut points = points_of(triangle, &mut random);
                points.extend(crossings(triangle, &boxes));
                for point in points {
                    let is_inside = boxes.iter().any(|bounds| contains(bounds, &point));
                    assert!(is_inside, "{cut:?} {scale}: {triangle:?}");
                }
            }
        }
    }
}

/// All boxes lie in the cell, and where they differ, on one side of each cut of it.
fn assert_halves(boxes: &[Bounds], cell: Bounds, cuts: usize) {
    assert!(boxes.iter().all(|own| cell.union(*own) == cell), "{cell:?}: {boxes:?}");
    if boxes.iter().all(|own| *own == boxes[0]) {
        return; // a full cell is several leaves
    }
    let (axis, plane) = cells::middle(&cell, cuts).unwrap();
    let (mut low, mut high) = (cell, cell);
    low.max[axis] = plane;
    high.min[axis] = plane;
    let (left, right) = boxes.iter().partition::<Vec<_>, _>(|own| own.max[axis] <= plane);
    assert_halves(&left, low, cuts + 1);
    assert_halves(&right, high, cuts + 1);
}

#[test]
fn cells_do_not_overlap_and_those_of_an_octree_are_halves_of_halves() {
    let primitives = Primitives { triangles: needles(300, 5, 2.0), ..Primitives::default() };
    let whole = primitives.triangles.iter().map(primitives::triangle_bounds);
    let whole = whole.fold(Bounds::EMPTY, Bounds::union);
    for cut in [Cut::Octree, Cut::KdTree] {
        let mut leaves: Vec<Bounds> = leaf_cells(cut, &primitives).iter().map(|l| l.0).collect();
        leaves.dedup();
        assert!(leaves.len() > 50, "{cut:?}: {}", leaves.len());
        for (place, a) in leaves.iter().enumerate() {
            for b in leaves[..place].iter().filter(|b| *b != a) {
                let (min, max) = (a.min.max(b.min), a.max.min(b.max));
                assert!(min.cmpge(max).any(), "{cut:?}: {a:?} {b:?}");
            }
        }
        if cut == Cut::Octree {
            assert_halves(&leaves, whole, 0);
        }
    }
}
