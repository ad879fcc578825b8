//! Runs of the traversal unit.

use crate::document::Document;
use crate::question::Simulate;
use crate::walks::chosen_camera;
use crate::{PageError, Response, watch};
use serde_json::{Value, json};
use siliray::geometry::TriangleRule;
use siliray::sim::sweep::combinations;
use siliray::sim::{ParameterSweep, Row, RunKey, RunLabel, Workload};
use siliray::ttu::config::{Config, shipped};
use siliray::ttu::run::{Options, Run, STATES, Sample, Timeline};
use siliray::ttu::{World, simulate as run_unit, ttu_machine};

/// Queries of a run, if nothing is said.
const RAYS: usize = 2_048;

/// Runs what is asked for.
pub(crate) fn simulate(document: &mut Document, wanted: &Simulate) -> Result<Response, PageError> {
    let camera = chosen_camera(document, wanted.camera)?;
    let rule = TriangleRule::Watertight;
    let prepared = document.ready(Some(ttu_machine::NAME), rule)?.prepared;
    let siliray::machine::MachineInput::Image(image) = &prepared.input else {
        return Err(PageError::Refused("the traversal unit runs images".to_owned()));
    };
    let workload = workload(wanted.workload.as_deref())?;
    let rays = wanted.rays.unwrap_or(RAYS);
    let tree = prepared.tree();
    let refused = |error: &dyn ToString| PageError::Refused(error.to_string());
    let queries = workload.queries(&document.name, tree, &camera, rays);
    let queries = queries.map_err(|error| refused(&error))?;
    let world = World::new(&**image, TriangleRule::Watertight).map_err(|error| refused(&error))?;
    let key = RunKey {
        scene: document.name.clone(),
        triangles: tree.triangle_count() as u64,
        format: prepared.input.format().to_owned(),
        source: prepared.origin.name().to_owned(),
        image_hash: RunKey::hash_of(image.image()),
        preset: None,
        workload: workload.name().to_owned(),
        rays: queries.len() as u64,
        config_hash: String::new(),
    };
    let (mut rows, mut runs) = (Vec::new(), Vec::new());
    let configurations = configurations(wanted)?;
    let all = (configurations.len() * queries.len()).max(1);
    for (label, config) in configurations {
        let options = Options { trace_events: wanted.timeline.unwrap_or(0), ..Options::default() };
        let before = runs.len() * queries.len();
        let go_on = |answered| watch::keep_going((before + answered as usize) as f32 / all as f32);
        let run = run_unit(&world, &config, &queries[..], options, &go_on);
        let run = run.map_err(|error| refused(&error))?;
        rows.push(Row::new(key.clone(), label, &run));
        runs.push(run);
    }
    let series = runs.iter().map(|run| {
        json!({
            "interval": run.series.interval,
            "slots": run.config.slots * run.config.ttus(),
            "units": run.config.units * run.config.ttus(),
            "ttus": run.config.ttus(),
            "samples": run.series.samples.len(),
        })
    });
    let mut answer = json!({"runs": rows, "series": series.collect::<Vec<_>>()});
    let first = runs.first().and_then(|run| run.timelines.get(wanted.ttu));
    if first.is_none() && wanted.timeline.is_some() {
        let ttus = runs.first().map_or(0, |run| run.timelines.len());
        return Err(PageError::Refused(format!("there is no TTU {} of {ttus}", wanted.ttu)));
    }
    let second = runs.get(1).and_then(|run| run.timelines.get(wanted.ttu));
    let second = second.filter(|_| !wanted.against.is_empty());
    answer["timeline"] = timeline(first);
    answer["other_timeline"] = timeline(second);
    let response = with_samples(Response::new(answer), &runs);
    Ok(with_events(with_events(response, "", first), "other_", second))
}

/// Figures over time, the samples of one run behind those of another.
fn with_samples(response: Response, runs: &[Run]) -> Response {
    let samples: Vec<&Sample> = runs.iter().flat_map(|run| &run.series.samples).collect();
    let small = |figure: fn(&Sample) -> u64| -> Vec<u32> {
        samples.iter().map(|sample| u32::try_from(figure(sample)).unwrap_or(u32::MAX)).collect()
    };
    let large = |figure: fn(&Sample) -> u64| -> Vec<f64> {
        samples.iter().map(|sample| figure(sample) as f64).collect()
    };
    response
        .with("cycle", &large(|sample| sample.cycle))
        .with("slots", &small(|sample| sample.slots))
        .with("fetching", &small(|sample| sample.fetching))
        .with("units", &small(|sample| sample.units))
        .with("results", &small(|sample| sample.results))
        .with("finished", &small(|sample| sample.finished))
        .with("bytes", &large(|sample| sample.bytes))
        .with("tests", &large(|sample| sample.tests))
}

/// What a timeline covers.
fn timeline(timeline: Option<&Timeline>) -> Value {
    let Some(timeline) = timeline else { return Value::Null };
    json!({"states": STATES.map(|state| state.name), "cut": timeline.is_cut})
}

/// What slots and units did, behind a prefix of their names.
fn with_events(response: Response, prefix: &str, timeline: Option<&Timeline>) -> Response {
    let Some(Timeline { events, units, .. }) = timeline else { return response };
    let state = |name: &str| STATES.iter().position(|state| state.name == name).unwrap_or(0) as u8;
    macro_rules! each {
        ($list:ident, $item:ident => $value:expr) => {
            &$list.iter().map(|$item| $value).collect::<Vec<_>>()
        };
    }
    let name = |name: &str| format!("{prefix}{name}");
    response
        .with(&name("event_slot"), each!(events, event => event.slot as u16))
        .with(&name("event_state"), each!(events, event => state(event.state)))
        .with(&name("event_start"), each!(events, event => event.start as u32))
        .with(&name("event_end"), each!(events, event => event.end as u32))
        .with(&name("event_job"), each!(events, event => event.job))
        .with(&name("held_unit"), each!(units, held => held.unit as u16))
        .with(&name("held_place"), each!(units, held => held.place))
        .with(&name("held_slot"), each!(units, held => held.slot as u16))
        .with(&name("held_block"), each!(units, held => held.block))
        .with(&name("held_start"), each!(units, held => held.start as u32))
        .with(&name("held_end"), each!(units, held => held.end as u32))
}

fn configurations(wanted: &Simulate) -> Result<Vec<(RunLabel, Config)>, PageError> {
    let base = shipped::named(&wanted.config)?.with_all(&wanted.set)?;
    let sweeps: Result<Vec<ParameterSweep>, _> = wanted.sweep.iter().map(|s| s.parse()).collect();
    let refused = |error: siliray::sim::SweepError| PageError::Refused(error.to_string());
    let all = combinations(&base, &sweeps.map_err(refused)?).map_err(refused)?;
    let label =
        |settings: &[String]| RunLabel::new(&wanted.config, wanted.set.iter().chain(settings));
    let mut named: Vec<(RunLabel, Config)> =
        all.into_iter().map(|one| (label(&one.settings), one.config)).collect();
    if !wanted.against.is_empty() {
        let (settings, configs): (Vec<String>, Vec<String>) =
            wanted.against.iter().cloned().partition(|text| text.contains('='));
        named.push(match configs.first() {
            None => (label(&settings), base.with_all(&settings)?),
            Some(other) => {
                (RunLabel::new(other, &settings), shipped::named(other)?.with_all(&settings)?)
            }
        });
    }
    Ok(named)
}

fn workload(name: Option<&str>) -> Result<Workload, PageError> {
    let Some(name) = name else { return Ok(Workload::ALL[0]) };
    let unknown = || PageError::Unknown { what: "workload", name: name.to_owned() };
    Workload::ALL.into_iter().find(|workload| workload.name() == name).ok_or_else(unknown)
}
