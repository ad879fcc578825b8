//! The programs of examples/riscv: they compile to what is embedded, and answer as brute force
//! does.
// Helpers of tests may do as tests do.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use crate::common;

use build::{Options, Preset};
use common::has;
use geometry::random::Random;
use geometry::{Ray, Vec3};
use machine::{Format, Hit, HitKind, Machine, RayFlags, RayQuery, Step, TreeFormat};
use riscv::machine::{HartMachine, OFFLOAD, WAVEFRONT};
use scene::builtin::Builtin;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use testkit::walks::watched;
use xphmg::machines::{BruteForce, TilesImage};
use xphmg::tiles::outline::outline;
use xphmg::{Precision, Readings, Tiles};

fn image(tiles: &Tiles) -> (TilesImage, Vec3, Vec3) {
    let scene = Builtin::Interior.scene(1500);
    let options = Options { width: 4, ..Options::preset(Preset::Fast) };
    let built = build::build(&scene, &options, &|_| ControlFlow::Continue(())).unwrap();
    let image = tiles.encode(&built.tree).unwrap();
    let checked = Arc::new(Tiles::check(image).checked.unwrap());
    let bounds = checked.tree().blases[0].primitives.triangles.iter().fold(
        (Vec3::splat(f32::INFINITY), Vec3::splat(f32::NEG_INFINITY)),
        |(least, most), triangle| {
            let [a, b, c] = triangle.vertices;
            (least.min(a).min(b).min(c), most.max(a).max(b).max(c))
        },
    );
    (TilesImage::new(checked), bounds.0, bounds.1)
}

/// Rays between random points of the scene's box.
fn ray(random: &mut Random, least: Vec3, most: Vec3) -> Ray {
    let mut unit = || random.bits_below(1 << 24) as f32 / (1 << 24) as f32;
    let mut point = || least + (most - least) * Vec3::new(unit(), unit(), unit());
    let (from, to) = (point(), point());
    Ray::new(from, to - from).between(0.0, 1000.0)
}

fn answers(machine: &dyn Machine, query: &RayQuery) -> Vec<Hit> {
    machine.answer(&(*query).into()).unwrap().hits
}

#[test]
fn the_wavefront_loop_finds_what_brute_force_finds() {
    for tiles in [Tiles::new(Precision::Fp32), Tiles { wide: true, ..Tiles::new(Precision::Fp32) }]
    {
        let (tiles, least, most) = image(&tiles);
        let hart = HartMachine::new(tiles.clone()).unwrap();
        let truth = BruteForce::new(tiles);
        let mut random = Random(11);
        let mut found = 0;
        for round in 0..120 {
            let kind = HitKind::ALL[round % 3];
            let mut query = RayQuery::new(kind, ray(&mut random, least, most));
            if round % 5 == 0 {
                query.flags = RayFlags::CULL_BACK;
            }
            let (ours, theirs) = (answers(&hart, &query), answers(&truth, &query));
            found += theirs.len();
            if kind == HitKind::Any {
                assert_eq!(ours.is_empty(), theirs.is_empty(), "{query:?}");
            } else {
                assert_eq!(ours, theirs, "{query:?}");
            }
        }
        assert!(found > 60, "{found} hits");
    }
}

/// In narrow formats the program orders by the narrowed t: the t of its answer is the smallest of
/// all.
#[test]
fn narrow_elements_give_the_closest_narrowed_t() {
    for &precision in &Precision::ALL[1..] {
        let tiles = Tiles::new(precision);
        let (tiles, least, most) = image(&tiles);
        let hart = HartMachine::new(tiles.clone()).unwrap();
        let truth = BruteForce::new(tiles);
        let mut random = Random(12);
        for _ in 0..25 {
            let ray = ray(&mut random, least, most);
            let all = answers(&truth, &RayQuery::new(HitKind::All, ray));
            let closest = answers(&hart, &RayQuery::new(HitKind::Closest, ray));
            let expected = all.iter().min_by(|a, b| a.t.total_cmp(&b.t));
            assert_eq!(closest.first().map(|hit| hit.t), expected.map(|hit| hit.t), "{ray:?}");
        }
    }
}

#[test]
fn the_offload_program_agrees_with_the_loop() {
    let (tiles, least, most) = image(&Tiles::new(Precision::Fp32));
    let program = HartMachine::with_program(tiles.clone(), OFFLOAD, Readings::default()).unwrap();
    let truth = BruteForce::new(tiles);
    let mut random = Random(13);
    for _ in 0..60 {
        let query = RayQuery::new(HitKind::Closest, ray(&mut random, least, most));
        assert_eq!(answers(&program, &query), answers(&truth, &query), "{query:?}");
    }
}

/// Each RT instruction is reported once, with the nodes, boxes and triangles that it looks at, by
/// the names of the outline; the hits of the answer are accepted.
#[test]
fn the_wavefront_loop_can_be_watched() {
    let wide = Tiles { wide: true, ..Tiles::new(Precision::Fp32) };
    for tiles in [Tiles::new(Precision::Fp32), wide, Tiles::new(Precision::Fp16)] {
        let precision = tiles.precision;
        let (tiles, least, most) = image(&tiles);
        let entries = outline(tiles.image()).entries;
        let known: HashMap<(u64, u64), &str> =
            entries.iter().map(|it| ((it.node.pointer, it.address), it.kind)).collect();
        let hart = HartMachine::new(tiles).unwrap();
        let mut random = Random(14);
        let (mut accepted, mut behind) = (0, 0);
        for round in 0..24 {
            let kind = HitKind::ALL[round % 3];
            let mut query = RayQuery::new(kind, ray(&mut random, least, most));
            if round % 4 == 0 {
                query.flags = RayFlags::CULL_FRONT;
            }
            let (steps, answer) = watched(&hart, &query.into());
            let (mut nodes, mut tiles, mut boxes, mut triangles, mut tested) = (0, 0, 0, 0, 0);
            let mut visited = Vec::new();
            let mut hits = Vec::new();
            for step in &steps {
                match step {
                    Step::Node { pointer, address, kind } => {
                        assert_eq!(known.get(&(*pointer, address.unwrap())), Some(kind));
                        nodes += u64::from(*kind == "node");
                        assert!(!visited.contains(pointer), "{pointer:#x} is read twice");
                        visited.push(*pointer);
                    }
                    Step::Child(child) => {
                        boxes += 1;
                        behind += usize::from(child.verdict == machine::Verdict::Behind);
                    }
                    Step::Instruction(it) if it.name == "rt.bbox" => tiles += 1,
                    Step::Instruction(it) if it.name == "rt.tri" => triangles += 1,
                    Step::Primitive(_) => tested += 1,
                    Step::Accept { hit } => hits.push(*hit),
                    _ => (),
                }
            }
            // A wide node has two tiles, with an RT.BBOX each; RT.TRI is also asked for sides.
            assert!(tiles == nodes || tiles == 2 * nodes, "{tiles} {nodes}");
            let counters = &answer.counters;
            assert_eq!((nodes, boxes), (counters.nodes, counters.box_tests));
            assert_eq!(triangles, counters.triangle_tests);
            assert!(tested <= triangles && (tested > 0 || hits.is_empty()));
            assert_eq!(hits, answer.hits);
            accepted += hits.len();
        }
        // A program shortens the range of its ray in FP32 only.
        assert_eq!(behind > 0, precision == Precision::Fp32, "{behind} boxes behind");
        assert!(accepted > 10, "{accepted} accepted");
    }
}

/// The embedded files are what the cross compiler makes of the sources. Another version of it may
/// make others.
#[test]
fn embedded_programs_come_from_their_sources() {
    if !has("riscv64-unknown-elf-gcc") || !has("make") {
        return;
    }
    let version = Command::new("riscv64-unknown-elf-gcc").arg("-dumpversion").output().unwrap();
    if version.stdout != b"12.2.0\n" {
        println!("skipped: the embedded programs were made by version 12.2.0");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/riscv");
    let mut make = Command::new("make");
    make.arg("-C").arg(&sources).arg(format!("OUT={}", folder.path().display())).arg("STRIP=yes");
    let output = make.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (name, embedded) in [("wavefront", WAVEFRONT), ("offload", OFFLOAD)] {
        let made = std::fs::read(folder.path().join(format!("{name}.elf"))).unwrap();
        assert!(made == embedded, "{name}.elf differs: copy it to crates/riscv/programs");
    }
}
