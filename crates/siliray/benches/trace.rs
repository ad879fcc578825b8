//! How fast the reference machine answers: primary rays and random rays, closest and any hit.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use siliray::build::{self, Options, Preset, unwatched};
use siliray::geometry::{Ray, TriangleRule, Vec3};
use siliray::machine::{Answer, HitKind, Machine, Query, Reference};
use siliray::scene::builtin::Builtin;
use std::hint::black_box;

const SIZE: u32 = 64;

fn trace(criterion: &mut Criterion) {
    for builtin in [Builtin::Organic, Builtin::Interior, Builtin::Forest] {
        let scene = builtin.scene(100_000);
        let options = Options { preset: Preset::Best, ..Options::default() };
        let Ok(built) = build::build(&scene, &options, &unwatched) else {
            continue;
        };
        let Some(camera) = scene.camera() else { continue };
        let primary: Vec<Ray> = (0..SIZE * SIZE)
            .map(|i| camera.ray((i % SIZE) as f32 + 0.5, (i / SIZE) as f32 + 0.5, SIZE, SIZE))
            .collect();
        let bounds = built.tree.bounds();
        let random: Vec<Ray> = (0..SIZE * SIZE).map(|i| random_ray(i, &bounds)).collect();
        let machine = Reference::new(&built.tree, TriangleRule::Watertight);
        let mut group = criterion.benchmark_group(format!("trace/{}", builtin.name()));
        group.throughput(Throughput::Elements(u64::from(SIZE * SIZE)));
        for (name, rays, kind) in [
            ("primary, closest", &primary, HitKind::Closest),
            ("random, closest", &random, HitKind::Closest),
            ("random, any", &random, HitKind::Any),
        ] {
            group.bench_function(name, |bencher| {
                let mut answer = Answer::default();
                bencher.iter(|| {
                    for ray in rays {
                        let query = Query::ray(kind, *ray);
                        let _ = black_box(machine.answer_into(&query, &mut answer));
                    }
                });
            });
        }
        group.finish();
    }
}

/// A ray between two points of the box, from a Weyl sequence.
fn random_ray(index: u32, bounds: &siliray::geometry::Aabb) -> Ray {
    let weyl = |k: u32| {
        (index as f32 * [0.618_034, 0.324_718, 0.220_744][(k % 3) as usize] + k as f32 * 0.37)
            .fract()
    };
    let point =
        |k: u32| bounds.min + bounds.extent() * Vec3::new(weyl(k), weyl(k + 1), weyl(k + 2));
    Ray::new(point(0), point(3) - point(0))
}

criterion_group!(benches, trace);
criterion_main!(benches);
