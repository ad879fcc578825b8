//! What every preset promises of every tree, on random and on nasty scenes.

use crate::promises::{build_with, check_tree, mesh_of, random_triangles};
use build::{Options, Preset};
use geometry::{Triangle, Vec3};
use proptest::prelude::*;

fn presets() -> impl Strategy<Value = Preset> {
    prop::sample::select(&Preset::ALL[..])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn random_meshes(
        count in 1usize..700,
        seed: u64,
        preset in presets(),
        width in 2usize..=8,
        max_leaf in 1usize..=12,
        stretch in 0.001f32..30.0,
    ) {
        let triangles = random_triangles(count, seed, stretch);
        let options = Options { width, max_leaf, ..Options::preset(preset) };
        let built = build_with(&mesh_of(&triangles), &options);
        check_tree(&built, &options);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_tree() {
    let scene = mesh_of(&random_triangles(90_000, 5, 0.3));
    let split = Options { split_budget: Some(0.2), ..Options::preset(Preset::Balanced) };
    for options in Preset::ALL.map(Options::preset).into_iter().chain([split]) {
        let trees = [1, 2, 7].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| build_with(&scene, &options)).tree
        });
        assert!(trees[0] == trees[1] && trees[0] == trees[2], "{options:?}");
    }
}

#[test]
fn copies_of_one_triangle() {
    let one = Triangle::new(
        Vec3::new(1.0, 2.0, 3.0),
        Vec3::new(-4.0, 5.5, 3.25),
        Vec3::new(0.5, -7.0, 9.0),
    );
    let split = Options { split_budget: Some(0.2), ..Options::preset(Preset::Balanced) };
    for options in Preset::ALL.map(Options::preset).into_iter().chain([split]) {
        let built = build_with(&mesh_of(&vec![one; 100_000]), &options);
        check_tree(&built, &options);
        assert!(built.report.depth < 24, "{options:?}: depth {}", built.report.depth);
    }
}

/// Points, segments, equal centres, coordinates whose areas overflow or vanish, and exponents that
/// invite one-sided splits.
#[test]
fn degenerate_meshes() {
    let random = random_triangles(3000, 11, 1.0);
    let mapped = |map: &dyn Fn(usize, Vec3) -> Vec3| -> Vec<Triangle> {
        random
            .iter()
            .enumerate()
            .map(|(i, t)| Triangle { vertices: t.vertices.map(|v| map(i, v)) })
            .collect()
    };
    let nested = |i: usize, v: Vec3| v.signum() * (1.0 + i as f32);
    let meshes = [
        ("points", mapped(&|i, _| Vec3::new(i as f32, (i % 7) as f32, 0.0))),
        ("one point", mapped(&|_, _| Vec3::new(3.0, -1.0, 2.0))),
        ("segments", mapped(&|_, v| Vec3::new(v.x, 0.0, 0.0))),
        ("plane", mapped(&|_, v| Vec3::new(v.x, 1.5, v.z))),
        ("nested", mapped(&nested)),
        ("huge", mapped(&|_, v| v.clamp(Vec3::splat(-100.0), Vec3::splat(100.0)) * 3e36)),
        ("denormal", mapped(&|_, v| v * 1e-42)),
        ("tiny", mapped(&|_, v| v * 1e-25)),
        ("exponents", mapped(&|i, v| v * 2f32.powi(i as i32 % 200 - 110))),
    ];
    for (name, triangles) in meshes {
        for preset in Preset::ALL {
            let options = Options::preset(preset);
            let built = build_with(&mesh_of(&triangles), &options);
            check_tree(&built, &options);
            let depth = built.report.depth;
            assert!(depth <= 100, "{name}, {preset}: depth {depth}");
            assert!(built.report.sah_cost.is_finite(), "{name}, {preset}");
        }
    }
}
