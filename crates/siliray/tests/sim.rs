//! Runs of the traversal unit as rows, traces and reports.
#![allow(clippy::unwrap_used)]

use siliray::build::{Options as BuildOptions, Preset};
use siliray::geometry::TriangleRule;
use siliray::input::encode_checked;
use siliray::machine::Settings;
use siliray::registry::registry;
use siliray::scene::builtin::Builtin;
use siliray::sim::{
    ParameterSweep, Row, RunKey, RunLabel, Workload, csv, report, side_by_side, simulate_image,
    trace_json,
};
use siliray::ttu::counters::Counters;
use siliray::ttu::run::{LIMITS, Options, Run, STATES};
use siliray::ttu::{Config, World, simulate};
use siliray::workload::Workload as RayWorkload;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

const PRIMARY: Workload = Workload::Rays(RayWorkload::Primary);

fn run(workload: Workload, settings: &[&str]) -> Run {
    let scene = Builtin::Interior.scene(2_000);
    let built = siliray::build::build(&scene, &BuildOptions::preset(Preset::Fast), &|_| {
        ControlFlow::Continue(())
    });
    let format = registry().format("ttu").unwrap();
    let image = encode_checked(&built.unwrap().tree, format, &Settings::default()).unwrap();
    let world = World::new(&*image, TriangleRule::Watertight).unwrap();
    let camera = scene.camera().unwrap();
    let queries = workload.queries(&scene.name, image.tree(), &camera, 300).unwrap();
    let config = Config::default().with_all(settings).unwrap();
    let options = Options { trace_events: 100_000, ..Options::default() };
    simulate(&world, &config, &queries, options, &|_| ControlFlow::Continue(())).unwrap()
}

fn row(run: &Run, settings: &[&str]) -> Row {
    let key = RunKey {
        scene: "interior".into(),
        triangles: 2_000,
        format: "ttu".into(),
        source: "built".into(),
        image_hash: String::new(),
        preset: Some("fast".into()),
        workload: "primary".into(),
        rays: run.answers.len() as u64,
        config_hash: run.config.hash(),
    };
    let settings: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
    Row::new(key, RunLabel::new("patent", &settings), run)
}

/// A row that was written can be read back: a sweep is resumed from such lines.
#[test]
fn rows_come_back() {
    for workload in Workload::ALL {
        let row = row(&run(workload, &[]), &[]);
        let back: Row = serde_json::from_str(&serde_json::to_string(&row).unwrap()).unwrap();
        assert_eq!((back.key, back.config, back.counters), (row.key, row.config, row.counters));
        assert!(row.invariants.values().all(|[left, right]| left == right));
    }
}

/// Complete events with a named track each, and no two at a time on one track; counters in the
/// order of time.
#[test]
fn traces_are_well_formed() {
    let trace =
        trace_json::trace(&run(Workload::Rays(RayWorkload::Bounce), &["gpcs=2", "dispatch=a"]));
    let events = trace["traceEvents"].as_array().unwrap();
    let mut tracks: BTreeMap<(u64, u64), Vec<(u64, u64)>> = BTreeMap::new();
    let (mut named, mut counted) = (Vec::new(), Vec::new());
    for event in events {
        let number = |key: &str| event[key].as_u64().unwrap();
        match event["ph"].as_str().unwrap() {
            "M" => named.push((number("pid"), number("tid"))),
            "C" => counted.push(number("ts")),
            "X" => {
                let stretch = (number("ts"), number("ts") + number("dur"));
                tracks.entry((number("pid"), number("tid"))).or_default().push(stretch);
            }
            other => assert_eq!(other, "X"),
        }
    }
    assert!(counted.len() > 3 && counted.is_sorted());
    assert!(tracks.len() > 2 * 32);
    for (track, mut stretches) in tracks {
        assert!(named.contains(&track), "{track:?}");
        stretches.sort_unstable();
        assert!(stretches.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{track:?}");
    }
}

#[test]
fn reports_need_nothing_else() {
    let run = run(PRIMARY, &[]);
    let row = row(&run, &[]);
    let html = report::to_html("a <scene>", &[], &[(row.clone(), Some(run.clone())), (row, None)]);
    assert!(html.contains("a &lt;scene&gt;") && html.contains(&run.config.hash()));
    assert!(html.contains(run.bound.name()) && html.contains("Slots in use over time"));
    assert!(!html.contains("http") && !html.contains("<script src"));
}

/// Swept values, axes and meanings are in the report of a sweep, and in its CSV.
#[test]
fn sweeps_are_called_by_their_values() {
    let sweep: ParameterSweep = "l0_mshrs=1,16".parse().unwrap();
    let made: Vec<(Row, Option<Run>)> = ["l0_mshrs=1", "l0_mshrs=16"]
        .map(|setting| {
            let run = run(PRIMARY, &[setting]);
            (row(&run, &[setting]), Some(run))
        })
        .to_vec();
    let html = report::to_html("interior", std::slice::from_ref(&sweep), &made);
    for part in [
        "<h2>l0_mshrs = 16</h2>",
        "<h2>Over l0_mshrs</h2>",
        ">rays a cycle</text>",
        ">cycles</text>",
        "nothing is left to walk",
        "lines on their way to the L0 over the latency of memory; widened by l0_mshrs",
    ] {
        assert!(html.contains(part), "{part}");
    }
    let rows: Vec<&Row> = made.iter().map(|(row, _)| row).collect();
    let csv = csv::to_csv(&[sweep], &rows);
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("l0_mshrs,configuration,scene,") && lines.len() == 3);
    assert!(lines[0].contains(",counter_sm_fetch_bytes,"));
    assert!(lines[2].starts_with("16,\"patent, l0_mshrs=16\",interior,ttu,primary,300,"));
    let commas = |line: &str| line.replace("\"patent, ", "").matches(',').count();
    assert!(lines.iter().all(|line| commas(line) == commas(lines[0])));
}

#[test]
fn two_configurations_side_by_side() {
    let runs = ["l0_mshrs=2", "l0_mshrs=8"].map(|setting| run(PRIMARY, &[setting]));
    let rows = runs.each_ref().map(|run| row(run, &[]));
    let sections = side_by_side::side_by_side([&rows[0], &rows[1]]);
    assert_eq!(sections[0].lines.len(), 1);
    assert_eq!(sections[0].lines[0].values, ["2", "8"]);
    let line = |name: &str| {
        let mut lines = sections.iter().flat_map(|section| &section.lines);
        lines.find(|line| line.name == name).unwrap().clone()
    };
    let cycles = line("cycles").ratio.unwrap();
    assert_eq!(cycles, runs[1].cycles as f64 / runs[0].cycles as f64);
    assert!(cycles < 0.9, "{cycles}");
    // Misses are about as many, lines on their way four times.
    assert!((3.0..5.0).contains(&line("mshrs").ratio.unwrap()));
}

/// What advice promises is a bound: the doubled parameter gives no more, and something.
#[test]
fn advice_is_an_upper_bound() {
    for settings in [&["l0_mshrs=2"][..], &["slots=2"], &["smu_per_cycle=1", "l0_lines=512"]] {
        let before = run(PRIMARY, settings);
        let advice = before.bound.advice(&before.config, &before.counters, before.cycles);
        let (key, from, to) = advice.change.unwrap();
        assert_eq!(to, 2 * from);
        let mut wider = settings.to_vec();
        let setting = format!("{key}={to}");
        wider.push(&setting);
        let gain = before.cycles as f64 / run(PRIMARY, &wider).cycles as f64;
        assert!(gain <= 1.1 * advice.gain, "{advice}: {gain}");
        assert!(gain > 1.1, "{advice}: {gain}");
    }
}

/// The SM reads leaves in every format with blocks, whatever their layout: the lines of their
/// primitives at least, and not many times as many.
#[test]
fn leaves_are_fetched_alike_in_every_format() {
    let scene = Builtin::Interior.scene(2_000);
    let tree = BuildOptions::preset(Preset::Fast).build(&scene).unwrap();
    let with = |key: &str, value: &str| Settings::default().with(key, value);
    let mut formats = 0;
    for format in registry().formats() {
        let Some(trees) = format.trees.as_ref().filter(|trees| trees.has_blocks) else { continue };
        formats += 1;
        let policies = trees.settings.iter().find(|setting| setting.key == "policy");
        let mut all = vec![Settings::default()];
        all.extend(policies.iter().flat_map(|p| p.values.iter().map(|v| with("policy", v))));
        for settings in all {
            let image = encode_checked(&tree, format, &settings).unwrap();
            let camera = scene.camera().unwrap();
            let queries = PRIMARY.queries(&scene.name, image.tree(), &camera, 300).unwrap();
            let config = Config::default().with("l0_mshrs=16").unwrap();
            let counters = simulate_image(&*image, &config, &queries).unwrap().counters;
            let a_leaf = counters.sm_fetch_bytes as f64 / counters.leaves as f64;
            assert!((64.0..1600.0).contains(&a_leaf), "{} {settings:?} {a_leaf}", format.name);
            assert!(counters.l2_bytes >= counters.l0_fill_bytes + counters.sm_fetch_bytes);
        }
    }
    assert!(formats >= 8, "{formats}");
}

/// What the code says of states, limits and counters stands in the documents, word by word.
#[test]
fn the_page_explains_every_name() {
    let page = include_str!("../../../docs/ttu.md");
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let counters = Counters::EXPLAINED.iter();
    let counters = counters.map(|e| format!("* `{}` ({}): {}", e.name, e.unit, e.meaning));
    let states = STATES.iter().map(|state| format!("* `{}`: {}", state.name, state.meaning));
    let limits = LIMITS.iter().map(|kind| {
        let key = kind.widened_by.map_or_else(String::new, |key| format!(" (`{key}`)"));
        format!("* `{}`: {}{key}", kind.explained.name, kind.explained.meaning)
    });
    for line in counters.chain(states).chain(limits) {
        assert!(page.contains(&line), "docs/ttu.md lacks: {line}");
    }
}
