//! The scenes that are tried: small versions of the built-in ones, and two made to be difficult.

use geometry::{Aabb, InstanceFlags, Transform, Vec3};
use machine::{FormatEntry, Settings, TreeEntry};
use scene::builtin::Builtin;
use scene::{Geometry, Instance, Object, Scene, Shape};

/// A scene with its name in the table.
#[derive(Debug)]
pub(super) struct World {
    pub(super) name: &'static str,
    pub(super) make: fn() -> Scene,
}

impl World {
    /// The scene as far as a format can hold it with such settings: without procedural boxes where
    /// it has none.
    pub(super) fn for_format(&self, format: &FormatEntry, settings: &Settings) -> Scene {
        let mut scene = (self.make)();
        let holds = |trees: &TreeEntry| (trees.capabilities)(settings).procedural;
        if !format.trees.as_ref().is_some_and(holds) {
            for object in &mut scene.objects {
                object.geometries.retain(|geometry| !matches!(geometry.shape, Shape::Boxes(_)));
            }
        }
        scene
    }
}

/// Triangles of the built-in scenes: few enough for the oracle, enough for several levels of nodes.
const SIZE: usize = 3000;

/// All of them, in the order of the table.
pub(super) static WORLDS: &[World] = &[
    World { name: "organic", make: || Builtin::Organic.scene(SIZE) },
    World { name: "interior", make: || Builtin::Interior.scene(SIZE) },
    World { name: "hairball", make: || Builtin::Hairball.scene(SIZE) },
    World { name: "forest", make: || Builtin::Forest.scene(SIZE) },
    World { name: "mixed", make: mixed },
    World { name: "mixed-instanced", make: mixed_instanced },
];

/// Everything that a single level can hold: axis-aligned faces, several geometries, opaque and not,
/// procedural boxes, zero-area and duplicate triangles, one huge and one tiny triangle.
fn mixed() -> Scene {
    Scene {
        name: "mixed".into(),
        objects: vec![Object { name: String::new(), geometries: mixed_geometries() }],
        ..Scene::default()
    }
}

/// The same as an object, beside a second one, placed under every flag, mirrored, stretched,
/// sheared, overlapping, with masks that share no bit with some rays.
fn mixed_instanced() -> Scene {
    let objects = vec![
        Object { name: "mixed".into(), geometries: mixed_geometries() },
        Object { name: "slab".into(), geometries: vec![blocks(2, Vec3::new(3.0, 0.2, 1.0), true)] },
    ];
    let mut instances = Vec::new();
    for n in 0..24u32 {
        let turn = n as f32 * 0.7;
        let (sin, cos) = if n % 6 == 0 { (0.0, 1.0) } else { turn.sin_cos() };
        let mirror = if n % 5 == 3 { -1.0 } else { 1.0 };
        let stretch = 1.0 + 0.3 * (n % 4) as f32;
        let shear = if n % 7 == 2 { 0.4 } else { 0.0 };
        let place = [3.0 * (n % 5) as f32, 1.5 * (n / 5) as f32, 2.0 * (n % 3) as f32];
        instances.push(Instance {
            object_to_world: Transform {
                rows: [
                    [cos * mirror, shear, -sin, place[0]],
                    [0.0, stretch, 0.0, place[1]],
                    [sin * mirror, 0.0, cos, place[2]],
                ],
            },
            mask: [0xFF, 0x01, 0xF0, 0x80][n as usize % 4],
            custom_index: 1000 + n,
            sbt_offset: 3 * n + 1,
            flags: InstanceFlags::from_bits_truncate((n % 16) as u8),
            ..Instance::new((n % 3 == 1).into(), Transform::IDENTITY)
        });
    }
    Scene { name: "mixed-instanced".into(), objects, instances, ..Scene::default() }
}

fn mixed_geometries() -> Vec<Geometry> {
    let floating: Vec<Aabb> = (0..12)
        .map(|n| {
            let low =
                Vec3::new((n % 4) as f32 * 0.9 - 1.0, (n / 4) as f32 * 0.7, 1.2 - 0.1 * n as f32);
            Aabb::new(low, low + Vec3::new(0.5, 0.3, 0.4))
        })
        .collect();
    vec![
        blocks(4, Vec3::new(0.6, 0.4, 0.5), true),
        blocks(3, Vec3::new(0.3, 0.9, 0.2), false),
        geometry(true, Shape::Boxes(floating.clone())),
        geometry(false, Shape::Boxes(floating[3..7].to_vec())),
        oddities(),
    ]
}

/// A grid of axis-aligned boxes made of triangles; neighbours share faces, so hits tie.
fn blocks(n: usize, size: Vec3, opaque: bool) -> Geometry {
    const QUADS: [[u32; 4]; 6] =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let (mut positions, mut indices) = (Vec::new(), Vec::new());
    for cell in 0..n * n * 2 {
        let at =
            Vec3::new((cell % n) as f32, (cell / n % n) as f32, (cell / (n * n)) as f32) * size;
        let base = positions.len() as u32;
        positions.extend(Aabb::new(at, at + size).corners());
        for [a, b, c, d] in QUADS {
            indices.extend([[a, b, c], [a, c, d]].map(|face| face.map(|i| i + base)));
        }
    }
    geometry(opaque, Shape::Triangles { positions, indices })
}

/// Zero-area triangles, duplicates, one triangle a hundred times larger than the rest and one a
/// thousand times smaller.
fn oddities() -> Geometry {
    let positions = vec![
        Vec3::new(-60.0, -1.0, -45.0),
        Vec3::new(70.0, -1.25, -30.0),
        Vec3::new(5.0, -0.75, 80.0),
        Vec3::new(0.5, 0.5, 0.5),
        Vec3::new(0.501, 0.5, 0.5),
        Vec3::new(0.5, 0.5005, 0.5007),
        Vec3::new(2.0, 2.0, 2.0),
        Vec3::new(1.0, 1.0, 1.0),
    ];
    let indices = vec![[0, 1, 2], [0, 1, 2], [3, 4, 5], [3, 3, 4], [6, 6, 6], [3, 7, 6], [2, 1, 0]];
    geometry(true, Shape::Triangles { positions, indices })
}

fn geometry(opaque: bool, shape: Shape) -> Geometry {
    Geometry::new("", opaque, shape)
}
