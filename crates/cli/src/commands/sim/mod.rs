//! `siliray sim`: the tree traversal unit, cycle by cycle.

mod text;

use super::{about, chosen_view, open_input_as, prepare, seen};
use crate::failure::Failure;
use crate::machine_args::{refuse_build_options, refuse_rebuild};
use crate::output::{AtomicFile, Output, ResumeLog};
use crate::sim_args::Sim;
use siliray::build::Preset;
use siliray::documents::sim::SimDocument;
use siliray::geometry::TriangleRule;
use siliray::input::{Route, build_options};
use siliray::machine::{MachineInput, Settings};
use siliray::registry::registry;
use siliray::resume::Rows;
use siliray::sim::sweep_run::{BaseError, base_config, configurations};
use siliray::sim::{
    NamedConfig, NamedQueries, Row, RunKey, SweepRun, SweepRunError, csv, report, trace_json,
};
use siliray::ttu::config::ConfigError;
use siliray::ttu::run::Options;
use siliray::ttu::{RunError, World, ttu_machine};
use std::path::Path;

/// Most events of a TTU in a trace: a file that a browser still opens.
const TRACE_EVENTS: usize = 200_000;

/// Runs every combination and shows what came of it.
pub(crate) fn run(args: &Sim, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    let Some(name) = args.scene.as_deref().filter(|_| !args.configs) else {
        return text::show_configs(output);
    };
    let all = configs(args)?;
    let one = |option: &str| {
        let message = format!("{option} is about one run, but there are {}", all.len());
        if all.len() > 1 { Err(Failure::usage(message)) } else { Ok(()) }
    };
    args.trace.iter().try_for_each(|_| one("--trace"))?;
    // Places that cannot be written to are found out before the work.
    let create =
        |path: &Option<std::path::PathBuf>| path.as_deref().map(AtomicFile::create).transpose();
    let (table, trace, html) = (create(&args.csv)?, create(&args.trace)?, create(&args.report)?);

    let input = open_input_as(name, triangles, &args.image)?;
    let asked = args.preset.asked().or_else(|| args.shape.asked());
    refuse_build_options(name, &input, args.rebuild, asked)?;
    refuse_rebuild(name, &input, args.rebuild)?;
    let preset = args.preset.preset().unwrap_or(Preset::Balanced);
    let machine = registry().machine(ttu_machine::NAME).unwrap_or(registry().machines()[0]);
    let usual = build_options(machine, args.format, Some(preset));
    let route = Route {
        machine,
        format: args.format,
        settings: Settings::default(),
        rebuild: args.rebuild,
        build: args.shape.of(usual, machine, args.format)?,
    };
    let prepared = prepare(&route, &input, name, output)?;
    let MachineInput::Image(image) = &prepared.input else {
        return Err(Failure::input("the traversal unit runs images"));
    };
    let tree = prepared.tree();
    let asked = match &args.queries {
        Some(file) => NamedQueries::of_file(file, args.rays).map_err(Failure::input)?,
        None => {
            let camera = chosen_view(&args.view, name, seen(&input, &prepared), 1.0)?;
            let workload = args.workload;
            NamedQueries::of_workload(workload, input.name(), tree, &camera, args.rays)
                .map_err(about(name))?
        }
    };
    let key = RunKey {
        scene: input.name().to_owned(),
        triangles: tree.triangle_count() as u64,
        format: prepared.input.format().to_owned(),
        source: prepared.origin.name().to_owned(),
        image_hash: RunKey::hash_of(image.image()),
        preset: prepared.origin.is_built().then(|| preset.name().to_owned()),
        workload: asked.name.clone(),
        rays: asked.queries.len() as u64,
        config_hash: String::new(),
    };
    let world = World::new(&**image, TriangleRule::Watertight).map_err(about(name))?;
    let resumed = args.resume.as_deref();
    let kept = resumed.map(|path| ResumeLog::open(path, "run of siliray sim")).transpose()?;
    let sweep = SweepRun {
        world: &world,
        asked: &asked,
        key,
        kept: kept.as_ref().map(|kept| kept as &dyn Rows<Row>),
        options: Options {
            trace_events: if args.trace.is_some() { TRACE_EVENTS } else { 0 },
            count_false_positives: args.false_positives,
            ..Options::default()
        },
        keeps_runs: args.csv.is_some() || args.trace.is_some() || args.report.is_some(),
    };
    let bar = output.bar("simulating");
    let made = sweep.run(&all, &|progress| bar.update(progress)).map_err(|error| match error {
        SweepRunError::Run(RunError::TooSmall(_) | RunError::Config(_)) => Failure::usage(error),
        _ => Failure::input(error),
    })?;
    drop(bar);
    let rows: Vec<&Row> = made.iter().map(|(row, _)| row).collect();
    if let Some(file) = table {
        let text = match &made[..] {
            [(_, Some(run))] => run.series.to_csv(),
            _ => csv::to_csv(&args.sweeps, &rows),
        };
        file.write(text.as_bytes())?;
    }
    if let Some((file, run)) = trace.zip(made[0].1.as_ref()) {
        file.write(trace_json::trace(run).to_string().as_bytes())?;
    }
    if let Some(file) = html {
        file.write(report::to_html(input.name(), &args.sweeps, &made).as_bytes())?;
    }
    output.note(&text::host_speed(&rows));
    let text = text::table(&args.sweeps, &rows);
    output.result(&SimDocument { runs: rows }, &text)
}

/// What is to be run: every combination of swept values, or the two that are compared.
fn configs(args: &Sim) -> Result<Vec<NamedConfig>, Failure> {
    let name = args.config.to_string_lossy();
    let base = base_config(Path::new(&args.config)).map_err(no_config)?;
    let mut named =
        configurations(&name, &base, &args.settings, &args.sweeps).map_err(Failure::usage)?;
    if !args.against.is_empty() {
        let (settings, configs): (Vec<String>, Vec<String>) =
            args.against.iter().cloned().partition(|text| text.contains('='));
        let (name, base, settings) = match &configs[..] {
            [] => (&*name, base, [args.settings.clone(), settings].concat()),
            [other] => {
                (other.as_str(), base_config(Path::new(other)).map_err(no_config)?, settings)
            }
            _ => return Err(Failure::usage("--against names one configuration at most")),
        };
        named.extend(configurations(name, &base, &settings, &[]).map_err(Failure::usage)?);
    }
    Ok(named)
}

fn no_config(error: BaseError) -> Failure {
    match error {
        BaseError::Config(ConfigError::UnknownName { .. }) => Failure::usage(error),
        _ => Failure::input(error),
    }
}
