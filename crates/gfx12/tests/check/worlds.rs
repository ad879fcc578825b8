//! Small random scenes with everything that the format can hold.

use build::{Options as BuildOptions, Preset};
pub(crate) use geometry::random::Random;
use geometry::{Aabb, InstanceFlags, Transform, Vec3};
use scene::{Geometry, Instance, Object, Scene, Shape};
use tree::Tree;

/// A point in a box that is not a cube.
fn flat_point(random: &mut Random, size: f32) -> Vec3 {
    let mut coordinate = || random.range(-size, size);
    Vec3::new(coordinate(), coordinate() * 0.6, coordinate() * 1.7)
}

/// A patch of a bumpy surface: shared vertices, so that pairs and prefixes form.
fn patch(random: &mut Random, n: u32, opaque: bool) -> Geometry {
    let (corner, size) = (flat_point(random, 3.0), random.range(0.2, 2.0));
    let step = if random.below(2) == 0 { 0.25 } else { size };
    let mut positions = Vec::new();
    for k in 0..(n + 1) * (n + 1) {
        let flat = Vec3::new((k % (n + 1)) as f32, 0.0, (k / (n + 1)) as f32) * step;
        positions.push(corner + flat + Vec3::Y * random.range(-0.1, 0.1));
    }
    let mut indices = Vec::new();
    for k in 0..n * n {
        let a = k / n * (n + 1) + k % n;
        indices.extend([[a, a + n + 1, a + 1], [a + 1, a + n + 1, a + n + 2]]);
    }
    let shape = Shape::Triangles { positions, indices };
    Geometry::new("", opaque, shape)
}

fn crumbs(random: &mut Random, count: usize, opaque: bool) -> Geometry {
    let boxes = (0..count)
        .map(|_| {
            let low = flat_point(random, 2.5);
            let size = Vec3::new(random.range(0.1, 0.6), random.range(0.05, 0.9), 0.25);
            Aabb::new(low, low + size)
        })
        .collect();
    Geometry::new("", opaque, Shape::Boxes(boxes))
}

fn triangles(random: &mut Random) -> Object {
    let geometries = vec![patch(random, 5, true), patch(random, 3, false)];
    Object { name: String::new(), geometries }
}

fn procedurals(random: &mut Random) -> Object {
    Object {
        name: String::new(),
        geometries: vec![crumbs(random, 9, true), crumbs(random, 4, false)],
    }
}

fn mixed(random: &mut Random) -> Object {
    let geometries =
        vec![patch(random, 4, true), crumbs(random, 5, false), patch(random, 2, false)];
    Object { name: String::new(), geometries }
}

fn single(object: Object) -> Scene {
    Scene { name: "random".into(), objects: vec![object], ..Scene::default() }
}

fn instanced(random: &mut Random, count: usize) -> Scene {
    let empty = Object { name: String::new(), geometries: Vec::new() };
    let objects = vec![triangles(random), empty, mixed(random), procedurals(random)];
    let instances = (0..count)
        .map(|n| {
            let (sin, cos) = random.range(-3.0, 3.0).sin_cos();
            let stretch = random.range(0.3, 2.0);
            let at = flat_point(random, 9.0);
            let rows =
                [[cos, 0.1, -sin, at.x], [0.0, stretch, 0.2, at.y], [sin * 1.5, 0.0, cos, at.z]];
            Instance {
                mask: [0xFF, 0x01, 0xF0, 0x80][n % 4],
                custom_index: random.bits() as u32 & 0x00FF_FFFF,
                sbt_offset: random.bits() as u32 & 0x00FF_FFFF,
                flags: InstanceFlags::from_bits_truncate(random.bits() as u8),
                ..Instance::new((n % 4) as _, Transform { rows })
            }
        })
        .collect();
    Scene { name: "random".into(), objects, instances, ..Scene::default() }
}

/// The kinds of random scenes.
pub(crate) const KINDS: [&str; 5] = ["triangles", "procedurals", "mixed", "instanced", "empty"];

/// A random scene of a kind.
pub(crate) fn scene(kind: &str, seed: u64) -> Scene {
    let random = &mut Random(seed);
    match kind {
        "triangles" => single(triangles(random)),
        "procedurals" => single(procedurals(random)),
        "mixed" => single(mixed(random)),
        "instanced" => instanced(random, 11),
        _ => single(Object { name: String::new(), geometries: Vec::new() }),
    }
}

/// The tree of a scene.
pub(crate) fn tree(scene: &Scene, preset: Preset) -> Tree {
    BuildOptions::preset(preset).build(scene).unwrap()
}
