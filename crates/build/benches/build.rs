//! Build time of each preset on scenes made by code, and on the benchmark meshes where they are
//! present beside the repository.

use build::{Options, Preset, unwatched};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use scene::Scene;
use scene::builtin::Builtin;
use std::path::Path;

const TRIANGLES: usize = 100_000;

fn scenes() -> Vec<Scene> {
    let mut scenes: Vec<Scene> =
        Builtin::ALL.into_iter().map(|builtin| builtin.scene(TRIANGLES)).collect();
    let meshes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/scenes");
    for name in ["bunny.ply", "sponza.ply", "bathroom.ply"] {
        scenes.extend(scene::open(meshes.join(name)));
    }
    scenes
}

fn build_presets(criterion: &mut Criterion) {
    for scene in scenes() {
        let mut group = criterion.benchmark_group(&scene.name);
        group.sample_size(10).throughput(Throughput::Elements(scene.triangle_count() as u64));
        for preset in Preset::BVHS {
            let options = Options::preset(preset);
            group.bench_with_input(
                BenchmarkId::from_parameter(preset),
                &scene,
                |bencher, scene| {
                    bencher.iter(|| build::build(scene, &options, &unwatched));
                },
            );
        }
        group.finish();
    }
}

criterion_group!(benches, build_presets);
criterion_main!(benches);
