//! Runs of the traversal unit as rows, traces and reports.
#![allow(clippy::unwrap_used)]

use siliray::build::{Options as BuildOptions, Preset};
use siliray::geometry::TriangleRule;
use siliray::input::encode_checked;
use siliray::machine::Settings;
use siliray::registry::registry;
use siliray::scene::builtin::Builtin;
use siliray::sim::{Load, Row, RunKey, report, trace_json};
use siliray::ttu::run::{Options, Run};
use siliray::ttu::{Config, World, simulate};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

fn run(load: Load, settings: &[&str]) -> Run {
    let scene = Builtin::Interior.scene(2_000);
    let built = siliray::build::build(&scene, &BuildOptions::preset(Preset::Fast), &|_| {
        ControlFlow::Continue(())
    });
    let format = registry().format("ttu").unwrap();
    let image = encode_checked(&built.unwrap().tree, format, &Settings::default()).unwrap();
    let world = World::new(&*image, TriangleRule::Watertight).unwrap();
    let camera = scene.camera.unwrap();
    let queries = load.queries(&scene.name, image.tree(), &camera, 300).unwrap();
    let config = Config::default().with_all(settings).unwrap();
    let options = Options { trace_events: 100_000, ..Options::default() };
    simulate(&world, &config, &queries, options, &|_| ControlFlow::Continue(())).unwrap()
}

fn row(run: &Run) -> Row {
    let key = RunKey {
        scene: "interior".into(),
        triangles: 2_000,
        format: "ttu".into(),
        source: "built".into(),
        preset: Some("fast".into()),
        workload: "primary".into(),
        rays: run.answers.len() as u64,
        config_hash: run.config.hash(),
    };
    Row::new(key, run)
}

/// A row that was written can be read back: a sweep is resumed from such lines.
#[test]
fn rows_come_back() {
    for load in Load::ALL {
        let row = row(&run(load, &[]));
        let back: Row = serde_json::from_str(&serde_json::to_string(&row).unwrap()).unwrap();
        assert_eq!((back.key, back.config, back.counters), (row.key, row.config, row.counters));
        assert!(row.invariants.values().all(|[left, right]| left == right));
    }
}

/// Complete events with a named track each, and no two at a time on one track; counters in the
/// order of time.
#[test]
fn traces_are_well_formed() {
    let trace = trace_json::trace(&run(Load::Bounce, &["gpcs=2", "dispatch=a"]));
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
    let run = run(Load::Primary, &[]);
    let html = report::to_html("a <scene>", &[(row(&run), Some(run.clone())), (row(&run), None)]);
    assert!(html.contains("a &lt;scene&gt;") && html.contains(&run.config.hash()));
    assert!(html.contains(run.bound.name()) && html.contains("Slots in use over time"));
    assert!(!html.contains("http") && !html.contains("<script src"));
}
