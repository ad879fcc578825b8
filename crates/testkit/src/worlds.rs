//! Trees that hold every kind of primitive and instance, and rays through them.

use build::{Options, Preset};
use geometry::random::Random;
use geometry::{Aabb, InstanceFlags, Ray, Transform, Vec3};
use machine::{HitKind, RayFlags, RayQuery};
use scene::builtin::Builtin;
use scene::{Geometry, Instance, Object, Scene, Shape};
use tree::{Bvh, Node, NodeLink, Tree};

/// A bumpy sheet of quads, loose triangles and boxes, in three geometries, opaque and not.
fn geometries() -> Vec<Geometry> {
    let mut random = Random(7);
    let side = 12u32;
    let mut positions = Vec::new();
    for n in 0..side * side {
        let (x, y) = ((n % side) as f32, (n / side) as f32);
        positions.push(Vec3::new(x * 0.5, random.range(-0.4, 0.4), y * 0.7 - 1.0));
    }
    let mut indices = Vec::new();
    for cell in 0..(side - 1) * (side - 1) {
        let at = cell % (side - 1) + cell / (side - 1) * side;
        let rotated = |t: [u32; 3]| {
            let k = cell as usize % 3;
            [t[k], t[(k + 1) % 3], t[(k + 2) % 3]]
        };
        indices.push(rotated([at, at + 1, at + side]));
        indices.push(rotated([at + side, at + 1, at + side + 1]));
    }
    let loose: Vec<Vec3> = (0..90)
        .map(|_| Vec3::new(random.range(0.0, 5.0), random.range(0.0, 3.0), random.range(-1.0, 6.0)))
        .collect();
    let boxes = (0..14)
        .map(|n| {
            let low =
                Vec3::new(n as f32 * 0.4, 0.5 + random.range(0.0, 1.0), random.range(-1.0, 5.0));
            Aabb::new(low, low + Vec3::new(0.3, 0.6, 0.2))
        })
        .collect();
    let geometry = |opaque, shape| Geometry::new("", opaque, shape);
    vec![
        geometry(true, Shape::Triangles { positions, indices }),
        geometry(
            false,
            Shape::Triangles {
                indices: (0..30).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect(),
                positions: loose,
            },
        ),
        geometry(false, Shape::Boxes(boxes)),
    ]
}

fn built(scene: &Scene, preset: Preset) -> Tree {
    Options::preset(preset).build(scene).unwrap()
}

/// One level that holds every kind of primitive.
pub fn mixed() -> Tree {
    let objects = vec![Object { name: String::new(), geometries: geometries() }];
    built(&Scene { name: "mixed".into(), objects, ..Scene::default() }, Preset::Balanced)
}

/// Objects of both kinds, and of each alone, placed under every flag, turned, mirrored, masked.
pub fn instanced() -> Tree {
    let mut all = geometries();
    let boxes = all.pop().unwrap();
    let object = |geometries| Object { name: String::new(), geometries };
    let mut both = all.clone();
    both.push(boxes.clone());
    let objects = vec![object(both), object(all), object(vec![boxes])];
    let instances = (0..30u32)
        .map(|n| {
            let (sin, cos) = (n as f32 * 0.9).sin_cos();
            let mirror = if n % 4 == 1 { -1.25 } else { 1.0 };
            Instance {
                object_to_world: Transform {
                    rows: [
                        [cos * mirror, 0.1, -sin, 2.0 * (n % 6) as f32],
                        [0.0, 1.0 + 0.2 * (n % 3) as f32, 0.0, 1.5 * (n / 6) as f32],
                        [sin * mirror, 0.0, cos, 0.8 * (n % 5) as f32],
                    ],
                },
                mask: [0xFF, 0x0F, 0x81][n as usize % 3],
                custom_index: 500 + n,
                sbt_offset: 7 * n + 2,
                flags: InstanceFlags::from_bits_truncate((n % 16) as u8),
                ..Instance::new(n as usize % 3, Transform::IDENTITY)
            }
        })
        .collect();
    let name = "instanced".into();
    built(&Scene { name, objects, instances, ..Scene::default() }, Preset::Balanced)
}

/// A hierarchy over items, of `count` that there are. `divide` gives the parts of some of them;
/// what it does not divide is a leaf.
///
/// # Panics
/// When that is no hierarchy.
pub fn divided(
    items: Vec<u32>,
    count: usize,
    bounds: impl Fn(u32) -> Aabb,
    mut divide: impl FnMut(&[u32]) -> Vec<Vec<u32>>,
) -> Bvh {
    let node = |items: &[u32]| {
        let bounds = items.iter().map(|&item| bounds(item)).fold(Aabb::EMPTY, Aabb::union);
        Node { bounds, link: NodeLink::leaf(0, 0) }
    };
    let mut nodes = vec![node(&items)];
    let (mut references, mut open) = (Vec::new(), vec![(0, items)]);
    while let Some((index, items)) = open.pop() {
        let parts = divide(&items);
        nodes[index].link = if parts.is_empty() {
            references.extend(&items);
            NodeLink::leaf((references.len() - items.len()) as u32, items.len())
        } else {
            NodeLink::inner(nodes.len() as u32, parts.len())
        };
        for part in parts {
            nodes.push(node(&part));
            open.push((nodes.len() - 1, part));
        }
    }
    Bvh::new(nodes, references, count).unwrap()
}

/// As many parts of the same size, as far as there are items.
pub fn parts(items: &[u32], count: usize) -> Vec<Vec<u32>> {
    items.chunks(items.len().div_ceil(count)).map(<[u32]>::to_vec).collect()
}

/// Small versions of built-in scenes, one with spatial splits.
pub fn scenes() -> Vec<Tree> {
    let interior = Builtin::Interior.scene(1500);
    vec![
        built(&interior, Preset::Fast),
        built(&interior, Preset::Best),
        built(&Builtin::Forest.scene(1500), Preset::Balanced),
        built(&Builtin::Hairball.scene(1500), Preset::Balanced),
    ]
}

/// Rays through a scene, some aimed along axes, with bounds, masks and flags.
pub fn rays(bounds: &Aabb, seed: u64, count: usize) -> Vec<RayQuery> {
    let mut random = Random(seed);
    (0..count)
        .map(|_| {
            let (origin, target) =
                (point_in(bounds, 2.0, &mut random), point_in(bounds, 0.8, &mut random));
            let mut direction = target - origin;
            if random.below(5) == 0 {
                direction[random.below(3)] = 0.0;
            }
            let mut ray = Ray::new(origin, direction);
            if random.below(4) == 0 {
                ray = ray.between(random.range(0.0, 0.5), random.range(0.5, 2.0));
            }
            let mut query = RayQuery::new(HitKind::ALL[random.below(3)], ray);
            if random.below(3) == 0 {
                query.flags =
                    RayFlags::from_bits_truncate(random.bits() as u32 & random.bits() as u32);
                query.mask = random.bits() as u8 | 1;
            }
            query
        })
        .collect()
}

/// A point of a box that is grown about its centre.
pub fn point_in(bounds: &Aabb, grown: f32, random: &mut Random) -> Vec3 {
    bounds.center() + bounds.extent() * 0.5 * grown * random.vector(-1.0, 1.0)
}
