//! One meaning for a figure: bytes, work and costs of every format and machine can be compared.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails")]

use siliray::build::{Preset, unwatched};
use siliray::compare::{Plan, Row, RowKey, Variant, compare, page, row};
use siliray::geometry::{Ray, Vec3};
use siliray::input::{encode_checked, format_options};
use siliray::machine::{AnyChecked, Counters, HitKind, MachineInput, MachineOptions, Query};
use siliray::registry::registry;
use siliray::resume::Rows;
use siliray::scene::builtin::Builtin;
use siliray::scene::{Camera, Scene, read};
use siliray::tree::Tree;
use std::sync::{Arc, Mutex};

fn tree_of(scene: &Scene, variant: &Variant, preset: Preset) -> Tree {
    let options = format_options(variant.format, &variant.settings, preset);
    options.build(scene).unwrap()
}

fn image(tree: &Tree, variant: &Variant) -> Arc<dyn AnyChecked> {
    encode_checked(tree, variant.format, &variant.settings).unwrap()
}

/// Every byte of an image is a node's, a triangle's or an id's, in every format.
#[test]
fn bytes_are_split_the_same_way() {
    let scene = Builtin::Interior.scene(3_000);
    let triangles = scene.triangle_count() as u64;
    for variant in Variant::all() {
        let (name, trees) = (variant.name(), variant.format.trees.as_ref().unwrap());
        let image = image(&tree_of(&scene, &variant, Preset::Fast), &variant);
        let split = (trees.figures)(image.image()).bytes;
        assert_eq!(split.total(), image.image().byte_count() as u64, "{name}");
        assert!(
            (trees.write)(image.image(), None).unwrap().len() as u64 >= split.total(),
            "{name}"
        );
        assert!(split.nodes > 0 && split.ids > 0, "{name}: {split:?}");
        let (plain, half) = (36 * triangles, 18 * triangles);
        let geometry = match variant.format.name {
            "tree" | "ttu" | "cwbvh" | "xphmg-fp32" => plain..=plain,
            "xphmg-fp16" | "xphmg-bf16" | "xphmg-int16q" => half..=half + 3,
            "xphmg-int8q" | "xphmg-e4m3" | "xphmg-e5m2" => half / 2..=half / 2 + 3,
            // Packed: shared corners, dropped bits, room that is left.
            _ => half / 2..=2 * plain,
        };
        assert!(geometry.contains(&split.geometry), "{name}: {split:?}");
    }
}

/// Three triangles far apart: a ray at one of them visits the root, and tests the boxes of those
/// children that it has, not of those that it has room for.
#[test]
fn boxes_are_those_of_children_that_are_there() {
    let scene = triangles_in_a_row(3);
    let ray = Ray::new(Vec3::new(0.3, 0.3, -5.0), Vec3::Z);
    let mut compared = 0;
    for variant in Variant::all() {
        let image = image(&tree_of(&scene, &variant, Preset::Balanced), &variant);
        let root = &image.tree().blases[0].bvh;
        let children = root.root().link.range();
        if root.root().link.is_leaf() || children.clone().any(|c| !root.nodes()[c].link.is_leaf()) {
            continue;
        }
        for entry in registry().readers(variant.format) {
            let input = MachineInput::Image(Arc::clone(&image));
            let machine = (entry.make)(&input, &MachineOptions::default()).unwrap();
            let answer = machine.answer(&Query::ray(HitKind::Closest, ray)).unwrap();
            let Counters { nodes, box_tests, bytes, .. } = answer.counters;
            let place = format!("{} over {}", entry.name, variant.name());
            assert_eq!((answer.hits.len(), nodes), (1, 1), "{place}");
            assert_eq!(box_tests, children.len() as u64, "{place}");
            assert!(bytes > 0 || entry.name == "hart", "{place}");
            compared += 1;
        }
    }
    assert!(compared >= 20, "{compared}");
}

/// Machines that visit what a ray meets, all of it, visit the same: the reference over the decoded
/// tree, the traversal unit over the bytes, and the loops of GFX12.
#[test]
fn machines_count_the_same_work() {
    let scene = triangles_in_a_row(40);
    // Along the row, through every box with room to spare.
    let ray = Ray::new(Vec3::new(-5.0, 0.25, 0.001), Vec3::new(1.0, 0.0, 0.000_01));
    let query = Query::ray(HitKind::All, ray);
    let mut compared = 0;
    for variant in Variant::all().iter().filter(|variant| variant.format.name != "tree") {
        let image = image(&tree_of(&scene, variant, Preset::Balanced), variant);
        let count = |name: &str| {
            let entry = registry().machine(name).unwrap();
            let input = MachineInput::Image(Arc::clone(&image));
            let machine = (entry.make)(&input, &MachineOptions::default()).unwrap();
            let Counters { nodes, box_tests, triangle_tests, bytes, .. } =
                machine.answer(&query).unwrap().counters;
            [nodes, box_tests, triangle_tests, bytes]
        };
        let expected = count("reference");
        assert!(expected[2] >= 40, "{}: {expected:?}", variant.name());
        for machine in ["ttu", "gfx12-gpurt", "offload"] {
            if (registry().machine(machine).unwrap().reads)(variant.format) {
                assert_eq!(count(machine), expected, "{machine} over {}", variant.name());
                compared += 1;
            }
        }
    }
    assert!(compared >= 12, "{compared}");
}

/// The preset `best` gives every format a cheaper tree than `fast`, and rays fewer tests of boxes
/// and primitives. The encoder of GFX12's dense policy makes leaves anew, by what nodes and
/// primitives cost, and the better tree affords less density: more boxes (docs/formats.md). There
/// it is nodes and primitives that are fewer. Where numbers have 8 bits, rounding decides how large
/// boxes are, not the tree.
#[test]
fn best_is_never_worse_than_fast() {
    let plan = Plan {
        presets: vec![Preset::Fast, Preset::Best],
        variants: Variant::all(),
        machines: Vec::new(),
        rays: 256,
    };
    for builtin in [Builtin::Interior, Builtin::Organic, Builtin::Hairball] {
        let scene = builtin.scene(4_000);
        let camera = scene.camera().unwrap_or_else(|| Camera::framing(&scene.bounds().unwrap()));
        let rows = compare(&scene, &camera, &plan, None, &unwatched).unwrap().rows;
        let (fast, best) = rows.split_at(rows.len() / 2);
        assert_eq!(fast.len(), best.len());
        for (fast, best) in fast.iter().zip(best) {
            let place = format!("{} in {}", fast.key.scene, fast.key.format);
            if ["e4m3", "e5m2", "int8q"].iter().any(|coarse| place.contains(coarse)) {
                continue;
            }
            assert!(best.sah_cost <= fast.sah_cost, "{place}: {}", best.sah_cost);
            let is_dense = ["gfx12", "gfx12:obb=on"].contains(&fast.key.format.as_str());
            let [fast, best] = [fast, best].map(|row| {
                let work = row.mean();
                if is_dense { work.nodes + work.primitives } else { work.tests() }
            });
            assert!(best <= fast, "{place}: {best}, with fast {fast}");
        }
    }
}

/// Rows that are kept in memory.
#[derive(Default)]
struct Memory(Mutex<Vec<Row>>);

impl Rows<Row> for Memory {
    fn find(&self, key: &RowKey) -> Option<Row> {
        self.0.lock().unwrap().iter().find(|row| row.key == *key).cloned()
    }

    fn keep(&self, row: &Row) -> Result<(), String> {
        self.0.lock().unwrap().push(row.clone());
        Ok(())
    }
}

#[test]
fn rows_are_the_same_each_time_and_are_not_made_twice() {
    let scene = Builtin::Organic.scene(1_000);
    let camera = scene.camera().unwrap_or_else(|| Camera::framing(&scene.bounds().unwrap()));
    let plan = |formats: &[&str]| Plan {
        presets: vec![Preset::Fast],
        variants: formats.iter().flat_map(|name| Variant::parse(name).unwrap()).collect(),
        machines: ["ttu", "reference", "gfx12-gpurt"]
            .map(|m| registry().machine(m).unwrap())
            .into(),
        rays: 100,
    };
    let run = |formats: &[&str], kept: Option<&dyn Rows<Row>>| {
        compare(&scene, &camera, &plan(formats), kept, &unwatched).unwrap()
    };
    let kept = Memory::default();
    let first = run(&["gfx12:policy=dense", "cwbvh"], Some(&kept)).rows;
    let names: Vec<&str> = first.iter().map(|row| row.key.machine.as_str()).collect();
    assert_eq!(names, ["ttu", "reference", "gfx12-gpurt", "ttu", "reference"]);
    let again = run(&["gfx12:policy=dense", "cwbvh", "tree"], Some(&kept)).rows;
    assert_eq!(again[..5], first, "times and all");
    assert_eq!((again.len(), kept.0.lock().unwrap().len()), (7, 7));
    let fresh = run(&["gfx12:policy=dense", "cwbvh"], None).rows;
    let untimed = |row: &Row| Row { build_seconds: 0.0, encode_seconds: 0.0, ..row.clone() };
    assert_eq!(
        fresh.iter().map(untimed).collect::<Vec<_>>(),
        first.iter().map(untimed).collect::<Vec<_>>()
    );
    let columns = |line: &str| line.split(',').count();
    let csv = row::to_csv(&again);
    assert_eq!(csv.lines().count(), 8);
    assert!(csv.lines().all(|line| columns(line) == row::header().len()), "{csv}");
    let html = page::to_html(&again);
    for part in ["organic", "cwbvh", "bytes a triangle", "cycles a ray", "</html>"] {
        assert!(html.contains(part), "{part}");
    }
}

/// What loses nothing loses nothing; what rounds geometry to 8 bits of mantissa answers for it.
#[test]
fn losses_are_those_of_the_format() {
    let scene = Builtin::Interior.scene(3_000);
    let camera = scene.camera().unwrap();
    let names = ["gfx12:policy=dense", "cwbvh", "tree", "xphmg-fp32", "xphmg-bf16"];
    let plan = Plan {
        presets: vec![Preset::Best],
        variants: names.iter().flat_map(|name| Variant::parse(name).unwrap()).collect(),
        machines: Vec::new(),
        rays: 512,
    };
    let rows = compare(&scene, &camera, &plan, None, &unwatched).unwrap().rows;
    let (rounded, exact) = rows.split_last().unwrap();
    for row in exact {
        assert_eq!((row.lost, row.wrong), (0, 0), "{}", row.key.format);
    }
    assert!(rounded.lost + rounded.wrong > 0, "{rounded:?}");
}

/// Triangles in a row along x, two apart, each seen from -z and from the side.
fn triangles_in_a_row(count: u32) -> Scene {
    let triangle = |n: u32| {
        let (x, first) = (2 * n, 3 * n + 1);
        let corners = format!("v {x} 0 0\nv {} 0 0.1\nv {x} 1 -0.1\n", x + 1);
        format!("{corners}f {first} {} {}\n", first + 1, first + 2)
    };
    let text: String = (0..count).map(triangle).collect();
    read("row.obj", text.as_bytes()).unwrap()
}
