//! Rays that no one should ask, among ordinary ones, and worlds out of the ordinary: the hits of
//! the reference machine, bit for bit, from every kernel in both modes.
#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use crate::common;

use build::Preset;
use common::{bits, checked, expected, kernels};
use geometry::random::Random;
use geometry::{Aabb, Ray, TriangleRule, Vec3};
use gfx12::Gfx12;
use machine::{Checked, HitKind, RayFlags};
use scene::builtin::Builtin;
use scene::{Scene, Shape};
use std::sync::Arc;
use trace::{Hit, Mode, Options, Tracer};
use tree::Tree;

/// Rays of a bundle.
const TILE: usize = 64;

/// Groups of rays, every other of which runs side by side as a camera's do; about every eighth ray
/// of most groups is spoilt.
fn rays(bounds: &Aabb, groups: usize, random: &mut Random) -> Vec<Ray> {
    let (low, high) = (bounds.min - bounds.extent() * 0.3, bounds.max + bounds.extent() * 0.3);
    let mut rays = Vec::new();
    for group in 0..groups {
        let (eye, target) = (random.point(low, high), random.point(bounds.min, bounds.max));
        let side = bounds.extent() * Vec3::new(1e-3, -2e-3, 1e-3);
        let is_coherent = group % 2 == 0;
        for n in 0..TILE {
            let ray = if is_coherent {
                Ray::new(eye, target + side * (n as f32 - 31.5) - eye)
            } else {
                let from = random.point(low, high);
                Ray::new(from, random.point(bounds.min, bounds.max) - from)
            };
            let is_spoilt = group % 5 != 4 && random.below(8) == 0;
            rays.push(if is_spoilt { spoilt(ray, random) } else { ray });
        }
    }
    rays
}

/// A ray with something wrong, or at the edge of what is right.
fn spoilt(mut ray: Ray, random: &mut Random) -> Ray {
    let axis = random.below(3);
    let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
    let denormal = f32::from_bits(1 + random.below(0x7F_FFFF) as u32);
    let back = |ray: Ray, far: f32| Ray { origin: ray.origin - ray.direction * far, ..ray };
    match random.below(26) {
        0 => ray.origin[axis] = f32::NAN,
        1 => ray.direction[axis] = f32::NAN,
        2 => ray.origin[axis] = sign * f32::INFINITY,
        3 => ray.direction[axis] = sign * f32::INFINITY,
        4 => ray.direction = Vec3::ZERO,
        5 => ray.direction = Vec3::new(-0.0, 0.0, -0.0),
        6 => ray.direction = Vec3::splat(denormal) * ray.direction.signum(),
        7 => ray.direction[axis] = sign * denormal,
        8 => ray.origin[axis] = sign * denormal,
        9 => ray = ray.between(0.5, 0.25),
        10 => ray.tmin = -1.0,
        11 => ray.tmin = f32::NAN,
        12 => ray.tmax = f32::NAN,
        13 => ray = ray.between(f32::INFINITY, f32::INFINITY),
        14 => ray.tmax = f32::NEG_INFINITY,
        15 => ray = ray.between(0.5, 0.5),
        16 => ray = ray.between(0.0, 0.0),
        17 => ray.tmax = denormal,
        18 => ray = ray.between(denormal, f32::MAX),
        19 => ray = back(ray, 1e15),
        20 => ray = back(ray, 1e35),
        21 => ray.origin[axis] = sign * f32::MAX,
        22 => ray.direction[axis] = sign * f32::MAX,
        23 => ray.direction[axis] = sign * f32::MIN_POSITIVE,
        24 => ray.direction *= [1e-35, 1e-13, 1e13, 1e30][random.below(4)],
        _ => {
            let mut any = || f32::from_bits(random.bits() as u32);
            let [ox, oy, oz, dx, dy, dz, tmin, tmax] = std::array::from_fn(|_| any());
            let (origin, direction) = (Vec3::new(ox, oy, oz), Vec3::new(dx, dy, dz));
            ray = Ray { origin, direction, tmin, tmax };
        }
    }
    ray
}

fn compare(name: &str, (image, tree): &(Arc<Checked<Gfx12>>, Tree), rays: &[Ray]) {
    let (rule, flags) = (TriangleRule::Watertight, RayFlags::empty());
    let closest = expected(tree, rule, HitKind::Closest, flags, rays);
    let all = expected(tree, rule, HitKind::All, flags, rays);
    let hit_count = closest.iter().filter(|hits| !hits.is_empty()).count();
    assert!(hit_count > rays.len() / 4, "{name}: {hit_count} hits of {}", rays.len());
    for (mode, kernel) in
        Mode::ALL.iter().flat_map(|&mode| kernels().into_iter().map(move |kernel| (mode, kernel)))
    {
        let options = Options { mode, kernel: Some(kernel), ..Options::default() };
        let tracer = Tracer::from_image(image.clone(), options).unwrap();
        let (hits, any, lists) = (tracer.closest(rays), tracer.any(rays), tracer.all(rays));
        for (n, ray) in rays.iter().enumerate() {
            let place = format!("{name} {mode:?} {kernel} ray {n}: {ray:?}");
            let best = closest[n].first().unwrap_or(&Hit::MISS);
            assert_eq!(bits(&hits[n]), bits(best), "{place}");
            assert_eq!(any[n], !closest[n].is_empty(), "{place}");
            let found: Vec<_> = lists[n].iter().map(bits).collect();
            let wanted: Vec<_> = all[n].iter().map(bits).collect();
            assert_eq!(found, wanted, "{place}");
            if n % 3 == 0 {
                assert_eq!(bits(&tracer.closest_one(ray)), bits(best), "{place}");
            }
        }
    }
}

#[test]
fn hostile_rays_among_ordinary_ones() {
    let builtins = [Builtin::Interior, Builtin::Forest, Builtin::Hairball, Builtin::Organic];
    for (builtin, seed) in builtins.into_iter().zip(90..) {
        let world = checked(&builtin.scene(2_000), Preset::Best);
        let rays = rays(&world.1.bounds(), 60, &mut Random(seed));
        compare(&format!("{builtin:?}"), &world, &rays);
    }
}

#[test]
fn worlds_out_of_the_ordinary() {
    let places: [(f32, Vec3); 5] = [
        (1e30, Vec3::ZERO),
        (1e-30, Vec3::ZERO),
        (1e-42, Vec3::ZERO),
        (1.0, Vec3::new(1e7, -3e6, 2e5)),
        (1.0, Vec3::new(0.0, 1e14, 0.0)),
    ];
    for ((scale, shift), seed) in places.into_iter().zip(70..) {
        let mut scene = Builtin::Organic.scene(1_000);
        move_vertices(&mut scene, |vertex| vertex * scale + shift);
        let world = checked(&scene, Preset::Balanced);
        let bounds = world.1.bounds();
        let mut rays = rays(&bounds, 24, &mut Random(seed));
        // Worlds so small or far are nearly flat; their own corners are sure to be hit.
        let triangles = &world.1.blases[0].primitives.triangles;
        for (ray, triangle) in rays.iter_mut().step_by(2).zip(triangles) {
            let [a, b, c] = triangle.vertices;
            let normal =
                (b - a).as_dvec3().cross((c - a).as_dvec3()).normalize_or(Vec3::Z.as_dvec3());
            let away = normal.as_vec3() * bounds.extent().max_element().max(f32::MIN_POSITIVE);
            *ray = Ray::new(a + away, -away);
        }
        compare(&format!("scale {scale:e}, shift {shift}"), &world, &rays);
    }
}

fn move_vertices(scene: &mut Scene, place: impl Fn(Vec3) -> Vec3) {
    for geometry in scene.objects.iter_mut().flat_map(|object| &mut object.geometries) {
        if let Shape::Triangles { positions, .. } = &mut geometry.shape {
            positions.iter_mut().for_each(|vertex| *vertex = place(*vertex));
        }
    }
}
