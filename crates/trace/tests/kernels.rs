//! Every kernel against the reference machine, in batches: the same hits, bit for bit.
#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use crate::common;

use build::Preset;
use common::{bits, checked_with, expected, kernels, world};
use geometry::random::Random;
use geometry::{Ray, TriangleRule, Vec3};
use machine::{Counters, HitKind, RayFlags};
use scene::builtin::Builtin;
use trace::{Hit, Kernel, Mode, Options, Tracer};
use tree::Tree;

/// Rays at corners, along edges and axes, off surfaces, and rays that are out of the ordinary.
fn rays(tree: &Tree, count: usize, seed: u64) -> Vec<Ray> {
    let mut random = Random(seed);
    let bounds = tree.bounds();
    let (low, high) = (bounds.min - bounds.extent() * 0.3, bounds.max + bounds.extent() * 0.3);
    let triangles = &tree.blases[0].primitives.triangles;
    (0..count)
        .map(|_| {
            let corners = triangles[random.below(triangles.len())].vertices;
            let on_edge = corners[0] + (corners[1] - corners[0]) * random.unit();
            let target = match random.below(4) {
                0 => corners[2],
                1 => on_edge,
                2 => random.point(low, high),
                _ => on_edge + (corners[2] - on_edge) * random.unit(),
            };
            let from = if random.below(3) == 0 { corners[1] } else { random.point(low, high) };
            let mut direction = target - from;
            match random.below(12) {
                0 => {
                    direction = Vec3::select(
                        direction.abs().cmpeq(Vec3::splat(direction.abs().max_element())),
                        direction,
                        Vec3::ZERO,
                    )
                }
                1 => direction.y = -0.0,
                2 => direction *= 1e-30,
                3 => direction *= 1e20,
                4 => direction.x = 1e-41,
                5 => direction.z *= 1e-14,
                _ => (),
            }
            let ray = Ray::new(from, direction);
            match random.below(20) {
                0 => ray.between(0.0, 1.0),
                1 => ray.between(0.5, 2.0),
                2 => Ray { origin: Vec3::new(f32::NAN, 0.0, 1.0), ..ray },
                3 => Ray { direction: Vec3::ZERO, ..ray },
                4 => Ray { direction: Vec3::new(f32::INFINITY, 0.0, 1.0), ..ray },
                5 => ray.between(2.0, 1.0),
                _ => ray,
            }
        })
        .collect()
}

#[test]
fn batches_equal_the_reference() {
    for (builtin, preset) in [
        (Builtin::Interior, Preset::Best),
        (Builtin::Forest, Preset::Balanced),
        (Builtin::Hairball, Preset::Best),
        (Builtin::Organic, Preset::Fast),
    ] {
        let (image, tree) = world(builtin, 3_000, preset);
        let rays = rays(&tree, 3_000, 17);
        for rule in TriangleRule::ALL {
            // A tree with splits may lose what this rule accepts beside a triangle.
            if rule == TriangleRule::MollerTrumbore && preset == Preset::Best {
                continue;
            }
            for flags in [RayFlags::empty(), RayFlags::CULL_BACK | RayFlags::CULL_NON_OPAQUE] {
                let closest = expected(&tree, rule, HitKind::Closest, flags, &rays);
                let all = expected(&tree, rule, HitKind::All, flags, &rays);
                for (mode, kernel) in
                    Mode::ALL.iter().flat_map(|&mode| kernels().into_iter().map(move |k| (mode, k)))
                {
                    let options =
                        Options { mode, rule, kernel: Some(kernel), ..Options::default() };
                    let tracer = Tracer::from_image(image.clone(), options).unwrap();
                    let batch = tracer.batch().flags(flags);
                    let hits = batch.closest(&rays);
                    let any = batch.any(&rays);
                    let lists = batch.all(&rays);
                    for (n, ray) in rays.iter().enumerate() {
                        let place = format!(
                            "{builtin:?} {preset} {rule} {mode:?} {kernel} ray {n}: {ray:?}"
                        );
                        let best = closest[n].first().unwrap_or(&Hit::MISS);
                        assert_eq!(bits(&hits[n]), bits(best), "{place}");
                        assert_eq!(any[n], !closest[n].is_empty(), "{place}");
                        let found: Vec<_> = lists[n].iter().map(bits).collect();
                        let wanted: Vec<_> = all[n].iter().map(bits).collect();
                        assert_eq!(found, wanted, "{place}");
                        if n % 3 == 0 && flags.is_empty() {
                            assert_eq!(bits(&tracer.closest_one(ray)), bits(best), "{place}");
                            assert_eq!(tracer.any_one(ray), any[n], "{place}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn counting_changes_nothing() {
    let (image, tree) = world(Builtin::Interior, 2_000, Preset::Best);
    let rays = rays(&tree, 500, 3);
    for kernel in kernels() {
        let options = Options { kernel: Some(kernel), ..Options::default() };
        let tracer = Tracer::from_image(image.clone(), options).unwrap();
        let (hits, counters) = tracer.batch().closest_counted(&rays);
        assert_eq!(hits, tracer.closest(&rays));
        assert_eq!(counters.queries, 500);
        assert!(counters.nodes > 500 && counters.box_tests > counters.nodes, "{counters:?}");
        assert!(counters.triangle_tests >= counters.leaves && counters.leaves > 0, "{counters:?}");
    }
}

/// Rays that are asked about one by one take the steps that they take in a batch.
#[test]
fn a_ray_alone_does_what_it_does_in_a_batch() {
    let (image, tree) = world(Builtin::Forest, 2_000, Preset::Balanced);
    let rays = rays(&tree, 500, 5);
    for (mode, kernel) in
        Mode::ALL.into_iter().flat_map(|m| kernels().into_iter().map(move |k| (m, k)))
    {
        let options = Options { mode, kernel: Some(kernel), ..Options::default() };
        let tracer = Tracer::from_image(image.clone(), options).unwrap();
        let (hits, together) = tracer.batch().closest_counted(&rays);
        let mut alone = Counters::default();
        for (ray, hit) in rays.iter().zip(&hits) {
            let (found, counters) = tracer.batch().closest_counted(&[*ray]);
            assert_eq!(bits(&found[0]), bits(hit), "{mode:?} {kernel}: {ray:?}");
            alone += counters;
        }
        assert_eq!(alone, together, "{mode:?} {kernel}");
    }
}

/// Oriented nodes lose no hit, and save tests.
#[test]
fn oriented_nodes_change_no_hit() {
    let counted = [false, true].map(|obb| {
        let (image, tree) = checked_with(&Builtin::Hairball.scene(6_000), Preset::Best, obb);
        let rays = rays(&tree, 6_000, 5);
        let rule = TriangleRule::Watertight;
        let closest = expected(&tree, rule, HitKind::Closest, RayFlags::empty(), &rays);
        let bounds = tree.bounds();
        let mut random = Random(9);
        let mut point = || random.point(bounds.min, bounds.max);
        let ordinary: Vec<Ray> = (0..2_000)
            .map(|_| {
                let from = point();
                Ray::new(from, point() - from)
            })
            .collect();
        let mut tests = 0;
        for kernel in kernels() {
            let options =
                Options { mode: Mode::InPlace, rule, kernel: Some(kernel), ..Options::default() };
            let tracer = Tracer::from_image(image.clone(), options).unwrap();
            let hits = tracer.closest(&rays);
            for (n, hit) in hits.iter().enumerate() {
                let best = closest[n].first().unwrap_or(&Hit::MISS);
                assert_eq!(bits(hit), bits(best), "{kernel} oriented {obb} ray {n}: {:?}", rays[n]);
            }
            // Of the fastest kernel. Rays out of the ordinary visit all children of oriented nodes.
            tests = tracer.batch().closest_counted(&ordinary).1.triangle_tests;
        }
        tests
    });
    if Kernel::Avx512.is_available() {
        assert!(counted[1] < counted[0], "{counted:?}");
    }
}

/// A tracer over a tree asks that tree: ids, instances and hits are those of the reference machine
/// over it.
#[test]
fn a_tree_is_traced_as_it_is() {
    for builtin in [Builtin::Forest, Builtin::Hairball] {
        let how = Tracer::build_options(Tracer::PRESET);
        let keep_going = |_| std::ops::ControlFlow::Continue(());
        let tree = build::build(&builtin.scene(3_000), &how, &keep_going).unwrap().tree;
        let rays = rays(&tree, 3_000, 5);
        let rule = TriangleRule::Watertight;
        let closest = expected(&tree, rule, HitKind::Closest, RayFlags::empty(), &rays);
        for kernel in kernels() {
            let options = Options { kernel: Some(kernel), ..Options::default() };
            let tracer = Tracer::from_tree(&tree, options).unwrap();
            for (n, hit) in tracer.closest(&rays).iter().enumerate() {
                let best = closest[n].first().unwrap_or(&Hit::MISS);
                assert_eq!(bits(hit), bits(best), "{kernel} ray {n}: {:?}", rays[n]);
            }
        }
    }
}

/// Rays beyond the number of answers, and answers beyond the number of rays, are left alone.
#[test]
fn answers_may_be_fewer_or_more_than_rays() {
    let scene = Builtin::Organic.scene(2_000);
    let (_, tree) = world(Builtin::Organic, 2_000, Preset::Balanced);
    let rays = rays(&tree, 3_000, 11);
    for (mode, kernel) in Mode::ALL
        .into_iter()
        .flat_map(|mode| kernels().into_iter().map(move |kernel| (mode, kernel)))
    {
        let options = Options { mode, kernel: Some(kernel), ..Options::default() };
        let tracer = Tracer::with_options(&scene, options).unwrap();
        let expected = tracer.closest(&rays);
        for count in [0, 1, 10, 2_999, 3_000, 3_100] {
            let mut hits = vec![Hit::MISS; count];
            tracer.batch().closest_into(&rays, &mut hits);
            let known = count.min(rays.len());
            let equal = hits.iter().zip(&expected).all(|(a, b)| bits(a) == bits(b));
            assert!(equal, "{kernel} {count}");
            assert!(hits[known..].iter().all(Hit::is_miss));
        }
    }
}
