//! Scenes made by code, and the check of everything that a tree promises.

use build::{Built, Options, Preset, unwatched};
use geometry::random::Random;
use geometry::{Aabb, Triangle, Vec3};
use scene::{Geometry, Object, Scene, Shape};
use tree::Bvh;

pub(crate) fn build_with(scene: &Scene, options: &Options) -> Built {
    build::build(scene, options, &unwatched).unwrap()
}

pub(crate) fn object_of(shapes: Vec<Shape>) -> Object {
    let part = |shape| Geometry::new("", true, shape);
    Object { name: String::new(), geometries: shapes.into_iter().map(part).collect() }
}

pub(crate) fn shape_of(triangles: &[Triangle]) -> Shape {
    let positions = triangles.iter().flat_map(|t| t.vertices).collect();
    let indices = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Shape::Triangles { positions, indices }
}

pub(crate) fn mesh_of(triangles: &[Triangle]) -> Scene {
    Scene { objects: vec![object_of(vec![shape_of(triangles)])], ..Scene::default() }
}

/// Triangles in a flat brick; some long and thin (`stretch`), some of zero area, some twice.
pub(crate) fn random_triangles(count: usize, seed: u64, stretch: f32) -> Vec<Triangle> {
    let mut random = Random(seed);
    let mut next = || random.unit();
    let mut triangles: Vec<Triangle> = Vec::with_capacity(count);
    while triangles.len() < count {
        let mut point = |scale: Vec3| Vec3::new(next() - 0.4, next() - 0.7, next() - 0.5) * scale;
        let corner = point(Vec3::new(90.0, 20.0, 50.0));
        let mut edge = || point(Vec3::new(stretch, 1.0, 0.3 * stretch));
        let (mut e1, e2) = (edge(), edge());
        match triangles.len() % 11 {
            3 => e1 = e2 * 0.5,
            5 => triangles.extend(triangles.last().copied()),
            7 => e1 *= 20.0,
            _ => {}
        }
        triangles.push(Triangle::new(corner, corner + e1, corner + e2));
    }
    triangles.truncate(count);
    triangles
}

/// What the box of a leaf is.
#[derive(Clone, Copy, PartialEq)]
enum Leaves {
    /// The smallest box around its items, each of which is in one leaf.
    Tight,
    /// Inside that box: an item may be in several leaves.
    Split,
    /// The part of a cell that its items are in. A full cell becomes several leaves of one box.
    Cells,
}

/// Checks every promise of the crate's documentation on all levels.
pub(crate) fn check_tree(built: &Built, options: &Options) {
    let leaves = match options.preset {
        Preset::Balanced | Preset::Best if options.split_budget() > 0.0 => Leaves::Split,
        Preset::Fast | Preset::Balanced | Preset::Best => Leaves::Tight,
        Preset::Octree | Preset::KdTree => Leaves::Cells,
    };
    for blas in &built.tree.blases {
        let bounds: Vec<Aabb> =
            (0..blas.primitives.len()).map(|i| blas.primitives.bounds(i)).collect();
        check_level(&blas.bvh, &bounds, options.width, options.max_leaf, leaves);
    }
    if let Some(tlas) = &built.tree.tlas {
        let bounds: Vec<Aabb> = tlas
            .instances
            .iter()
            .map(|instance| {
                let blas = &built.tree.blases[instance.blas as usize];
                instance.world_bounds(&blas.bvh.root().bounds).unwrap()
            })
            .collect();
        check_level(&tlas.bvh, &bounds, options.width, 1, Leaves::Tight);
    }
}

fn check_level(bvh: &Bvh, bounds: &[Aabb], width: usize, max_leaf: usize, leaves: Leaves) {
    let mut times = vec![0; bounds.len()];
    for (index, node) in bvh.nodes().iter().enumerate() {
        if node.link.is_leaf() {
            let items = bvh.items(node);
            assert!(items.len() <= max_leaf, "leaf {index} of {}", items.len());
            let mut around = Aabb::EMPTY;
            for (position, &item) in items.iter().enumerate() {
                assert!(!items[..position].contains(&item), "leaf {index} has {item} twice");
                times[item as usize] += 1;
                around = around.union(bounds[item as usize]);
            }
            match leaves {
                Leaves::Tight => assert_eq!(around, node.bounds, "leaf {index} not tight"),
                Leaves::Split => {
                    assert!(around.contains(&node.bounds), "leaf {index} too large");
                }
                Leaves::Cells => {
                    let reach =
                        |&item: &u32| !bounds[item as usize].intersection(node.bounds).is_empty();
                    assert!(items.iter().all(reach), "leaf {index} has an item of another cell");
                }
            }
        } else {
            assert!((2..=width).contains(&node.link.count()), "node {index}");
            let children = bvh.children(node);
            let around = children.iter().fold(Aabb::EMPTY, |all, child| all.union(child.bounds));
            assert_eq!(around, node.bounds, "node {index} not tight");
        }
    }
    for (item, (&times, bounds)) in times.iter().zip(bounds).enumerate() {
        assert!((times > 0) != bounds.is_empty(), "item {item} referred to {times} times");
        assert!(leaves != Leaves::Tight || times <= 1, "item {item} referred to {times} times");
    }
}
