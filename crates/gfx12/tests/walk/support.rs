//! Worlds, rays, and the comparison with brute force.

use build::{Options as BuildOptions, Preset};
pub(crate) use geometry::random::Random;
use geometry::{Aabb, Ray, Triangle, TriangleRule, Vec3};
use gfx12::encode::Options as EncodeOptions;
use gfx12::{Gfx12, encode};
use machine::{Checked, Format, Hit, HitKind, Image, Machine, Oracle, RayFlags, RayQuery};
use scene::{Geometry, Object, Scene, Shape};
use std::sync::Arc;
use tree::Tree;

/// A proved image and the tree that it stands for.
pub(crate) struct World {
    pub(crate) image: Arc<Checked<Gfx12>>,
    pub(crate) tree: Arc<Tree>,
}

impl World {
    pub(crate) fn new(scene: &Scene, options: &EncodeOptions) -> Self {
        Self::of_tree(&built(scene), options)
    }

    pub(crate) fn of_tree(tree: &Tree, options: &EncodeOptions) -> Self {
        Self::of_image(encode::encode(tree, options).unwrap().image).unwrap()
    }

    /// `None` if the image is unsound.
    pub(crate) fn of_image(image: Image) -> Option<Self> {
        let image = Arc::new(Gfx12::check(image).checked?);
        Some(Self { tree: Arc::clone(image.tree()), image })
    }
}

pub(crate) fn built(scene: &Scene) -> Tree {
    BuildOptions::preset(Preset::Balanced).build(scene).unwrap()
}

/// Large triangles in a small space: boxes overlap, and every ray meets many.
pub(crate) fn soup(triangles: usize, seed: u64) -> Scene {
    let mut random = Random(seed);
    let (mut positions, mut indices) = (Vec::new(), Vec::new());
    for n in 0..triangles as u32 {
        let center = random.vector(-1.0, 1.0) * Vec3::new(5.0, 3.0, 4.0);
        positions.extend([0; 3].map(|_| center + random.vector(-1.5, 1.5)));
        indices.push([3 * n, 3 * n + 1, 3 * n + 2]);
    }
    let shape = Shape::Triangles { positions, indices };
    let geometry = Geometry::new("", true, shape);
    let object = Object { name: String::new(), geometries: vec![geometry] };
    Scene { name: "soup".into(), objects: vec![object], ..Scene::default() }
}

/// A point in the box grown by `factor` about its centre.
fn around(random: &mut Random, bounds: &Aabb, factor: f32) -> Vec3 {
    bounds.center() + bounds.extent() * random.vector(-1.0, 1.0) * factor
}

/// A ray across the world.
pub(crate) fn across(tree: &Tree, random: &mut Random) -> RayQuery {
    let bounds = tree.bounds();
    let (origin, target) = (around(random, &bounds, 1.0), around(random, &bounds, 0.5));
    RayQuery::new(HitKind::Closest, Ray::new(origin, target - origin))
}

/// A ray at a corner or an edge of a triangle, or along an axis in a plane of its box.
pub(crate) fn aimed(tree: &Tree, random: &mut Random) -> RayQuery {
    let bounds = tree.bounds();
    let [a, b, _] = placed_triangle(tree, random).vertices;
    let mut origin = around(random, &bounds, 1.2);
    let mut target = match random.below(3) {
        0 => a,
        1 => a * 0.5 + b * 0.5,
        _ => a + (b - a) * random.range(0.0, 1.0),
    };
    if random.below(3) == 0 {
        let axis = random.below(3);
        for other in (0..3).filter(|&other| other != axis) {
            origin[other] = a[other];
        }
        target = origin;
        target[axis] += if random.below(2) == 0 { 1.0 } else { -1.0 };
    }
    let flags = match random.below(4) {
        0 => RayFlags::from_bits_truncate(random.bits() as u32 & random.bits() as u32),
        _ => RayFlags::empty(),
    };
    let mask = if random.below(6) == 0 { random.bits() as u8 } else { 0xFF };
    let ray = Ray::new(origin, target - origin);
    RayQuery { flags, mask, ..RayQuery::new(HitKind::Closest, ray) }
}

fn placed_triangle(tree: &Tree, random: &mut Random) -> Triangle {
    let (blas, instance) = match &tree.tlas {
        None => (&tree.blases[0], None),
        Some(tlas) => {
            let instance = &tlas.instances[random.below(tlas.instances.len())];
            (&tree.blases[instance.blas as usize], Some(instance))
        }
    };
    let triangles = &blas.primitives.triangles;
    let Triangle { mut vertices } = triangles[random.below(triangles.len())];
    vertices.rotate_left(random.below(3));
    if let Some(instance) = instance {
        vertices = vertices.map(|vertex| instance.object_to_world.point(vertex));
    }
    Triangle { vertices }
}

/// Rays with everything that they hit.
pub(crate) struct Questions {
    pub(crate) asked: Vec<(RayQuery, Vec<Hit>)>,
}

impl Questions {
    pub(crate) fn new(
        tree: &Tree,
        rule: TriangleRule,
        seed: u64,
        count: usize,
        ray: impl Fn(&Tree, &mut Random) -> RayQuery,
    ) -> Self {
        let oracle = Oracle::new(tree, rule);
        let mut random = Random(seed);
        let ask = |_| {
            let query = RayQuery { kind: HitKind::All, ..ray(tree, &mut random) };
            (query, ask(&oracle, &query))
        };
        Self { asked: (0..count).map(ask).collect() }
    }

    /// How many answers are wrong, for each kind of query; a wrong answer must be a lost hit.
    pub(crate) fn losses(&self, machine: &dyn Machine) -> [usize; 3] {
        HitKind::ALL.map(|kind| {
            let wrong = self.asked.iter().filter(|(query, truth)| {
                let got = ask(machine, &RayQuery { kind, ..*query });
                assert!(got.iter().all(|hit| truth.contains(hit)), "{query:?} {kind:?}: {got:?}");
                match kind {
                    HitKind::Closest => got.first() != truth.first(),
                    HitKind::Any => got.is_empty() != truth.is_empty(),
                    HitKind::All => got != *truth,
                }
            });
            wrong.count()
        })
    }

    /// How many rays hit something.
    pub(crate) fn hitting(&self) -> usize {
        self.asked.iter().filter(|(_, truth)| !truth.is_empty()).count()
    }
}

pub(crate) fn ask(machine: &dyn Machine, query: &RayQuery) -> Vec<Hit> {
    machine.answer(&(*query).into()).unwrap().hits
}
