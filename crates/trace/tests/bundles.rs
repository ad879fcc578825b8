//! Rays that run together, against the reference machine: the same hits, bit for bit.
#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use crate::common;

use build::Preset;
use common::{bits, checked, expected, kernels, world};
use geometry::random::Random;
use geometry::{Ray, TriangleRule, Vec3};
use machine::{HitKind, RayFlags};
use scene::builtin::Builtin;
use trace::{Hit, Mode, Options, Tracer};
use tree::Tree;

/// Rays of a tile.
const TILE: usize = 64;

/// A camera's tile: eight by eight rays from one point, along `forward` and apart by `pitch`.
fn tile(random: &mut Random, eye: Vec3, forward: Vec3, pitch: f32) -> Vec<Ray> {
    let side = forward.any_orthonormal_vector();
    let up = forward.cross(side).normalize();
    let corner = [random.unit() - 0.5, random.unit() - 0.5];
    (0..TILE)
        .map(|n| {
            let [x, y] = [n % 8, n / 8].map(|k| k as f32 * pitch);
            Ray::new(eye, forward + side * (corner[0] + x) + up * (corner[1] + y))
        })
        .collect()
}

/// Groups of [`TILE`] rays that run together, some of them with a few that do not.
fn groups(tree: &Tree, count: usize, seed: u64) -> Vec<Ray> {
    let mut random = Random(seed);
    let bounds = tree.bounds();
    let (low, high) = (bounds.min - bounds.extent() * 0.4, bounds.max + bounds.extent() * 0.4);
    let primitives = &tree.blases[0].primitives.triangles;
    let mut rays = Vec::new();
    for group in 0..count {
        let eye = random.point(low, high);
        let target = random.point(bounds.min, bounds.max);
        let pitch = [1e-5, 1e-3, 1e-2, 0.05][random.below(4)];
        let mut tile = tile(&mut random, eye, (target - eye).normalize(), pitch);
        match group % 12 {
            // Along an axis, so that a tile spans octants, and some directions have zeros.
            0 | 1 => {
                let axis = random.below(3);
                let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
                for (n, ray) in tile.iter_mut().enumerate() {
                    ray.direction = Vec3::ZERO;
                    ray.direction[axis] = sign;
                    ray.direction[(axis + 1) % 3] = (n % 8) as f32 * pitch - 3.0 * pitch;
                    ray.direction[(axis + 2) % 3] = 3.0 * pitch - (n / 8) as f32 * pitch;
                }
            }
            // From one point to corners and edges of triangles that lie together.
            2..5 => {
                let first = random.below(primitives.len());
                for (n, ray) in tile.iter_mut().enumerate() {
                    let [a, b, c] = primitives[(first + n / 6) % primitives.len()].vertices;
                    let (from, to) = [(a, b), (b, c), (c, a)][n % 3];
                    let target = if n % 2 == 0 { from } else { from + (to - from) * random.unit() };
                    ray.direction = target - ray.origin;
                }
            }
            // Side by side, from a corner of a triangle.
            5 => {
                let corner = primitives[random.below(primitives.len())].vertices[1];
                let direction = random.point(Vec3::NEG_ONE, Vec3::ONE);
                for (n, ray) in tile.iter_mut().enumerate() {
                    let step = bounds.extent() * (0.001 * n as f32);
                    *ray = Ray::new(corner + step, direction);
                }
            }
            // All the same.
            6 => tile = vec![tile[0]; TILE],
            // With bounds of their own.
            7 | 8 => {
                let size = bounds.extent().length();
                for ray in &mut tile {
                    let [a, b] = [0, 0].map(|_| random.unit() * size);
                    *ray = ray.between(a.min(b) * random.below(2) as f32, a.max(b));
                }
            }
            // With lengths of their own, and a few that are out of the ordinary.
            9 => {
                for ray in &mut tile {
                    ray.direction *= [1.0, 1e-3, 7.5, 1e5][random.below(4)];
                }
                let place = random.below(TILE);
                tile[place].direction.y = 1e-41;
                tile[(place + 20) % TILE].direction *= 1e30;
                tile[(place + 30) % TILE].origin.x = f32::NAN;
                tile[(place + 40) % TILE].direction = Vec3::ZERO;
                tile[(place + 50) % TILE].tmin = 1e20;
            }
            _ => (),
        }
        rays.extend(tile);
    }
    // A last group that is not full.
    rays.truncate(rays.len() - 27);
    rays
}

#[test]
fn bundles_equal_the_reference() {
    for (builtin, preset) in [
        (Builtin::Interior, Preset::Best),
        (Builtin::Forest, Preset::Best),
        (Builtin::Hairball, Preset::Best),
        (Builtin::Organic, Preset::Fast),
    ] {
        let (image, tree) = world(builtin, 5_000, preset);
        let rays = groups(&tree, 180, 23);
        let rule = TriangleRule::Watertight;
        let flags = RayFlags::empty();
        let closest = expected(&tree, rule, HitKind::Closest, flags, &rays);
        let hit_count = closest.iter().filter(|hits| !hits.is_empty()).count();
        assert!(hit_count > rays.len() / 5, "{builtin:?}: {hit_count} hits of {}", rays.len());
        for kernel in kernels() {
            let options = Options { kernel: Some(kernel), ..Options::default() };
            let tracer = Tracer::from_image(image.clone(), options).unwrap();
            let hits = tracer.closest(&rays);
            let any = tracer.any(&rays);
            for (n, ray) in rays.iter().enumerate() {
                let place = format!("{builtin:?} {preset} {kernel} ray {n}: {ray:?}");
                let best = closest[n].first().unwrap_or(&Hit::MISS);
                assert_eq!(bits(&hits[n]), bits(best), "{place}");
                assert_eq!(any[n], !closest[n].is_empty(), "{place}");
            }
        }
    }
}

/// The memory of calls is used again by the next ones: of other numbers of rays, over other worlds.
#[test]
fn small_calls_equal_large_ones() {
    let scenes = [Builtin::Forest.scene(3_000), Builtin::Interior.scene(3_000)];
    for kernel in kernels() {
        for mode in Mode::ALL {
            let options = Options { kernel: Some(kernel), mode, ..Options::default() };
            let worlds = scenes.each_ref().map(|scene| {
                let (_, tree) = checked(scene, Preset::Fast);
                let tracer = Tracer::with_options(scene, options).unwrap();
                let rays = groups(&tree, 24, 5);
                let (hits, any) = (tracer.closest(&rays), tracer.any(&rays));
                (tracer, rays, hits, any)
            });
            let mut first = 0;
            for size in [16, 1, 16, 40, 9, 64, 16, 70, 8, 16, 2].into_iter().cycle().take(44) {
                for (tracer, rays, hits, any) in &worlds {
                    let range = first..(first + size).min(rays.len());
                    let found = tracer.closest(&rays[range.clone()]);
                    for (found, expected) in found.iter().zip(&hits[range.clone()]) {
                        assert_eq!(bits(found), bits(expected), "{kernel} {mode:?} {range:?}");
                    }
                    assert_eq!(tracer.any(&rays[range.clone()]), any[range]);
                }
                first += size;
            }
        }
    }
}
