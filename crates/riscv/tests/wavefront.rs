//! The programs of examples/riscv: they compile to what is embedded, and answer as brute force
//! does.
// Helpers of tests may do as tests do.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use crate::common;

use build::{Options, Preset};
use common::has;
use geometry::random::Random;
use geometry::{Ray, Triangle, Vec3};
use machine::{Format, Hit, HitKind, Machine, RayFlags, RayQuery, Step, TreeFormat};
use riscv::machine::{HartMachine, OFFLOAD, Options as HartOptions, WAVEFRONT};
use scene::builtin::Builtin;
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use testkit::walks::watched;
use testkit::worlds::divided;
use tree::{Blas, PrimitiveFlags, PrimitiveId, Primitives, Tree};
use xphmg::machines::{BruteForce, TilesImage};
use xphmg::readings::NodeLayout;
use xphmg::tiles::outline::outline;
use xphmg::{Precision, Tiles};

fn image(tiles: &Tiles) -> (TilesImage, Vec3, Vec3) {
    let scene = Builtin::Interior.scene(1500);
    let options = Options { width: 4, ..Options::preset(Preset::Fast) };
    let tree = options.build(&scene).unwrap();
    image_of(tiles, &tree)
}

fn image_of(tiles: &Tiles, tree: &Tree) -> (TilesImage, Vec3, Vec3) {
    let image = tiles.encode(tree).unwrap();
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
        let hart = HartMachine::new(tiles.clone(), HartOptions::default()).unwrap();
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
        let hart = HartMachine::new(tiles.clone(), HartOptions::default()).unwrap();
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
    let options = HartOptions { program: OFFLOAD, ..HartOptions::default() };
    let program = HartMachine::new(tiles.clone(), options).unwrap();
    let truth = BruteForce::new(tiles);
    let mut random = Random(13);
    for _ in 0..60 {
        let query = RayQuery::new(HitKind::Closest, ray(&mut random, least, most));
        assert_eq!(answers(&program, &query), answers(&truth, &query), "{query:?}");
    }
}

/// Layouts that differ in how the program reads them: packed and not, four, eight and three
/// children, boxes that RT.BBOX can read where they lie and boxes that it cannot.
fn layouts() -> Vec<Tiles> {
    let mut layouts = Vec::new();
    for precision in [Precision::Fp32, Precision::Fp16, Precision::Int8q, Precision::E4m3] {
        for wide in [false, true] {
            layouts.push(Tiles { wide, ..Tiles::new(precision) });
        }
        let layout = NodeLayout::Literal88;
        layouts.push(Tiles { layout, wide: true, ..Tiles::new(precision) });
    }
    layouts
}

/// Asks a hart and brute force about random rays; how many hits there were.
fn compare(hart: &HartMachine, truth: &BruteForce, rays: &[Ray], context: &str) -> usize {
    let mut found = 0;
    for (round, ray) in rays.iter().enumerate() {
        let kind = HitKind::ALL[round % 3];
        let flags = if round % 5 == 0 { RayFlags::CULL_BACK } else { RayFlags::empty() };
        let query = RayQuery { flags, ..RayQuery::new(kind, *ray) };
        let (ours, theirs) = (answers(hart, &query), answers(truth, &query));
        found += theirs.len();
        if kind == HitKind::Any {
            assert_eq!(ours.is_empty(), theirs.is_empty(), "{context}: {query:?}");
        } else {
            assert_eq!(ours, theirs, "{context}: {query:?}");
        }
    }
    found
}

fn rays(seed: u64, count: usize, least: Vec3, most: Vec3) -> Vec<Ray> {
    let mut random = Random(seed);
    (0..count).map(|_| ray(&mut random, least, most)).collect()
}

/// A stack of any size loses nothing: what it drops is found again from the root.
#[test]
fn x63_a_short_stack_loses_nothing() {
    for tiles in layouts() {
        let (image, least, most) = image(&tiles);
        let truth = BruteForce::by_narrowed_t(image.clone());
        let rays = rays(21, 24, least, most);
        for stack_size in [1, 2, 16, 255] {
            let options = HartOptions { stack_size, ..HartOptions::default() };
            let hart = HartMachine::new(image.clone(), options).unwrap();
            let context = format!("{tiles:?}, {stack_size} entries");
            assert!(compare(&hart, &truth, &rays, &context) > 10, "{context}");
            let (mut overflows, mut restarts) = (0, 0);
            for ray in &rays {
                let (steps, _) = watched(&hart, &RayQuery::new(HitKind::All, *ray).into());
                overflows += steps.iter().filter(|it| matches!(it, Step::Overflow { .. })).count();
                restarts += steps.iter().filter(|it| matches!(it, Step::Restart { .. })).count();
            }
            // What is lost is looked for, once each time that the stack is empty.
            assert!(restarts <= overflows, "{context}: {restarts} of {overflows}");
            let is_short = stack_size < 3;
            assert_eq!((overflows > 0, restarts > 0), (is_short, is_short), "{context}");
        }
    }
    let (image, ..) = image(&Tiles::new(Precision::Fp32));
    let none = HartOptions { stack_size: 0, ..HartOptions::default() };
    let text = HartMachine::new(image, none).unwrap_err().to_string();
    assert_eq!(text, "the program's stack has 0 entries, expected at least 1");
}

/// A tree that is a chain: each node has a leaf, and a node for all that lies behind it.
#[test]
fn x63_a_deep_tree_is_walked_with_one_entry() {
    const DEPTH: u32 = 700;
    let triangle = |n: u32| {
        let (x, z) = ((n % 7) as f32 * 0.125, n as f32 * 0.5);
        let corner = |a: f32, b: f32| Vec3::new(a - x, b, z + 0.25 * a);
        Triangle { vertices: [corner(-2.0, -1.0), corner(3.0, -1.5), corner(0.5, 4.0)] }
    };
    let triangles: Vec<Triangle> = (0..DEPTH).map(triangle).collect();
    let id = |primitive| PrimitiveId { geometry: 0, primitive, flags: PrimitiveFlags::OPAQUE };
    let bounds = |n: u32| triangles[n as usize].bounds();
    let bvh = divided((0..DEPTH).collect(), DEPTH as usize, bounds, |items| match items {
        [first, behind @ ..] if !behind.is_empty() => vec![vec![*first], behind.to_vec()],
        _ => Vec::new(),
    });
    let primitives = Primitives { ids: (0..DEPTH).map(id).collect(), boxes: Vec::new(), triangles };
    let tree = Tree { blases: vec![Blas { primitives, bvh }], tlas: None };
    let (image, ..) = image_of(&Tiles::new(Precision::Fp32), &tree);
    let truth = BruteForce::by_narrowed_t(image.clone());
    let options = HartOptions { stack_size: 1, ..HartOptions::default() };
    let hart = HartMachine::new(image, options).unwrap();
    // Along the chain, against it, and across.
    for (origin, direction) in [
        (Vec3::new(0.1, 0.2, -3.0), Vec3::new(0.0005, 0.0002, 1.0)),
        (Vec3::new(-0.1, 0.3, 400.0), Vec3::new(0.0002, -0.0003, -1.0)),
        (Vec3::new(-9.0, 0.1, 100.0), Vec3::new(1.0, 0.01, 0.05)),
    ] {
        for kind in [HitKind::Closest, HitKind::All] {
            let query = RayQuery::new(kind, Ray::new(origin, direction).between(0.0, 1000.0));
            let (ours, theirs) = (answers(&hart, &query), answers(&truth, &query));
            assert!(!theirs.is_empty(), "{query:?}");
            assert_eq!(ours, theirs, "{query:?}");
        }
    }
}

/// RTCAP with each feature taken away, and with none at all: the same hits.
#[test]
fn x64_programs_do_without_features() {
    for tiles in layouts() {
        let (image, least, most) = image(&tiles);
        let truth = BruteForce::by_narrowed_t(image.clone());
        let rays = rays(22, 12, least, most);
        let without = (0..6).map(|bit| 0x3F & !(1 << bit));
        for rtcap in without.chain([0x3F, 0]) {
            let mut options = HartOptions::default();
            options.readings.rtcap = rtcap;
            let hart = HartMachine::new(image.clone(), options).unwrap();
            compare(&hart, &truth, &rays, &format!("{tiles:?}, RTCAP {rtcap:#x}"));
        }
        let mut one_lane = HartOptions::default();
        one_lane.readings.rsv_vlmax = 1;
        let hart = HartMachine::new(image.clone(), one_lane).unwrap();
        compare(&hart, &truth, &rays, &format!("{tiles:?}, one lane"));
    }
}

/// Without the queue, without its nodes, and where its triangles would not be watertight, the
/// offload program walks by itself: the counts of its walk say so.
#[test]
fn x64_the_offload_program_walks_where_no_job_can() {
    for (wide, needed) in [(false, 0b10_0101), (true, 0b10_0110)] {
        let tiles = Tiles { wide, ..Tiles::new(Precision::Fp32) };
        let (image, least, most) = image(&tiles);
        let truth = BruteForce::new(image.clone());
        let rays = rays(23, 12, least, most);
        for rtcap in (0..6).map(|bit| 0x3F & !(1 << bit)).chain([0x3F, 0]) {
            let mut options = HartOptions { program: OFFLOAD, ..HartOptions::default() };
            options.readings.rtcap = rtcap;
            let program = HartMachine::new(image.clone(), options).unwrap();
            for ray in &rays {
                let query = RayQuery::new(HitKind::Closest, *ray);
                let answer = program.answer(&query.into()).unwrap();
                let walks = rtcap & needed != needed;
                assert_eq!(answer.hits, answers(&truth, &query), "RTCAP {rtcap:#x}: {query:?}");
                assert_eq!(answer.counters.nodes > 0, walks, "RTCAP {rtcap:#x}, wide {wide}");
            }
        }
    }
}

fn forest(tiles: &Tiles) -> (TilesImage, Vec3, Vec3) {
    let scene = Builtin::Forest.scene(3000);
    let options = Options { width: 4, ..Options::preset(Preset::Fast) };
    let tree = options.build(&scene).unwrap();
    let image = tiles.encode(&tree).unwrap();
    let bounds = tree.bounds();
    let checked = Arc::new(Tiles::check(image).checked.unwrap());
    (TilesImage::new(checked), bounds.min, bounds.max)
}

/// The program enters instances, by MTX.MUL or by its own arithmetic, with any stack.
#[test]
fn x65_the_program_enters_instances() {
    let fp32 = Tiles::new(Precision::Fp32);
    let literal = NodeLayout::Literal88;
    for tiles in [fp32, Tiles { wide: true, ..fp32 }, Tiles { layout: literal, ..fp32 }] {
        let (image, least, most) = forest(&tiles);
        let truth = BruteForce::by_narrowed_t(image.clone());
        let rays = rays(31, 30, least, most);
        for (stack_size, program) in
            [(16, WAVEFRONT), (2, WAVEFRONT), (1, WAVEFRONT), (16, OFFLOAD)]
        {
            let options = HartOptions { program, stack_size, ..HartOptions::default() };
            let hart = HartMachine::new(image.clone(), options).unwrap();
            let context = format!("{tiles:?}, {stack_size} entries");
            assert!(compare(&hart, &truth, &rays, &context) > 20, "{context}");
            for ray in &rays {
                let (steps, answer) = watched(&hart, &RayQuery::new(HitKind::All, *ray).into());
                let count = |wanted: &dyn Fn(&Step) -> bool| {
                    steps.iter().filter(|step| wanted(step)).count() as u64
                };
                let entered = count(&|step| matches!(step, Step::Instance { .. }));
                assert_eq!(entered, answer.counters.instances, "{context}");
                let left = count(&|step| matches!(step, Step::Leave));
                assert!(left == entered || left + 1 == entered, "{context}: {left} of {entered}");
                let nodes = count(&|step| matches!(step, Step::Node { kind: "node", .. }));
                assert_eq!(nodes, answer.counters.nodes, "{context}");
            }
        }
        for (rtcap, mtxcap) in [(0x3B, 0x7F), (0x3F, 0x3F), (0, 0)] {
            let mut options = HartOptions::default();
            (options.readings.rtcap, options.readings.mtxcap) = (rtcap, mtxcap);
            let hart = HartMachine::new(image.clone(), options).unwrap();
            let context = format!("{tiles:?}, RTCAP {rtcap:#x}, MTXCAP {mtxcap:#x}");
            compare(&hart, &truth, &rays, &context);
        }
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
        let hart = HartMachine::new(tiles, HartOptions::default()).unwrap();
        let mut random = Random(14);
        let (mut accepted, mut behind) = (0, 0);
        for round in 0..24 {
            let kind = HitKind::ALL[round % 3];
            let mut query = RayQuery::new(kind, ray(&mut random, least, most));
            if round % 4 == 0 {
                query.flags = RayFlags::CULL_FRONT;
            }
            let (steps, answer) = watched(&hart, &query.into());
            let (mut nodes, mut leaves, mut tiles, mut boxes) = (0, 0, 0, 0);
            let (mut triangles, mut tested) = (0, 0);
            let mut visited = Vec::new();
            let mut hits = Vec::new();
            for step in &steps {
                match step {
                    Step::Node { pointer, address, kind } => {
                        assert_eq!(known.get(&(*pointer, address.unwrap())), Some(kind));
                        nodes += u64::from(*kind == "node");
                        leaves += u64::from(*kind == "range");
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
            assert_eq!((leaves, tested), (counters.leaves, counters.triangle_tests));
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
