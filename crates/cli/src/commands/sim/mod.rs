//! `siliray sim`: the tree traversal unit, cycle by cycle.

mod text;

use super::{about, chosen_view, open_input, prepare, seen};
use crate::failure::Failure;
use crate::machine_args::refuse_build_options;
use crate::output::{AtomicFile, Bar, Output, ResumeLog};
use crate::sim_args::Sim;
use rayon::prelude::*;
use serde::Serialize;
use siliray::build::Preset;
use siliray::geometry::TriangleRule;
use siliray::input::{Route, build_options};
use siliray::machine::{MachineInput, Query, Settings};
use siliray::ray_files::RayReader;
use siliray::ray_files::queries::fingerprint;
use siliray::registry::registry;
use siliray::sim::sweep::combinations;
use siliray::sim::{Row, RunKey, RunLabel, Workload, csv, report, trace_json};
use siliray::ttu::config::{Config, ConfigError, shipped};
use siliray::ttu::run::{Options, Questions, Run};
use siliray::ttu::{RunError, World, simulate, ttu_machine};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most events of a TTU in a trace: a file that a browser still opens.
const TRACE_EVENTS: usize = 200_000;

/// What `--json` prints.
#[derive(Serialize)]
struct Json<'a> {
    runs: Vec<&'a Row>,
}

/// A row, and its run if it was made just now and is needed.
pub(super) type CompletedRun = (Row, Option<Run>);

/// Runs every combination and shows what came of it.
pub(crate) fn run(args: &Sim, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    let Some(name) = args.scene.as_deref().filter(|_| !args.configs) else {
        return text::show_configs(output);
    };
    let all = configurations(args)?;
    let one = |option: &str| {
        let message = format!("{option} is about one run, but there are {}", all.len());
        if all.len() > 1 { Err(Failure::usage(message)) } else { Ok(()) }
    };
    args.trace.iter().try_for_each(|_| one("--trace"))?;
    // Places that cannot be written to are found out before the work.
    let create =
        |path: &Option<std::path::PathBuf>| path.as_deref().map(AtomicFile::create).transpose();
    let (table, trace, html) = (create(&args.csv)?, create(&args.trace)?, create(&args.report)?);

    let input = open_input(name, triangles)?;
    let asked = args.preset.asked().or_else(|| args.shape.asked());
    refuse_build_options(name, &input, args.rebuild, asked)?;
    let preset = args.preset.preset().unwrap_or(Preset::Balanced);
    let machine = registry().machine(ttu_machine::NAME).unwrap_or(registry().machines()[0]);
    let route = Route {
        machine,
        format: args.format,
        settings: Settings::default(),
        rebuild: args.rebuild,
        build: args.shape.of(build_options(machine, args.format, Some(preset))),
    };
    let prepared = prepare(&route, &input, name, output)?;
    let MachineInput::Image(image) = &prepared.input else {
        return Err(Failure::input("the traversal unit runs images"));
    };
    let tree = prepared.tree();
    let asked = match &args.queries {
        Some(file) => Asked::of_file(file, args.rays)?,
        None => {
            let camera = chosen_view(&args.view, name, seen(&input, &prepared), 1.0)?;
            let (workload, rays) = (Workload::from(args.workload), args.rays.unwrap_or(RAYS));
            let queries = workload.queries(input.name(), tree, &camera, rays);
            let queries = queries.map_err(about(name))?;
            Asked { name: workload.name().to_owned(), queries, priorities: Vec::new() }
        }
    };
    let key = RunKey {
        scene: input.name().to_owned(),
        triangles: tree.triangle_count() as u64,
        format: prepared.input.format().to_owned(),
        source: prepared.origin.name().to_owned(),
        preset: prepared.origin.is_built().then(|| preset.name().to_owned()),
        workload: asked.name.clone(),
        rays: asked.queries.len() as u64,
        config_hash: String::new(),
    };
    let world = World::new(&**image, TriangleRule::Watertight).map_err(about(name))?;
    let resumed = args.resume.as_deref();
    let kept = resumed.map(|path| ResumeLog::open(path, "run of siliray sim")).transpose()?;
    let sweep = SweepRunner {
        world: &world,
        asked: &asked,
        key,
        kept: kept.as_ref(),
        options: Options {
            trace_events: if args.trace.is_some() { TRACE_EVENTS } else { 0 },
            count_false_positives: args.false_positives,
            ..Options::default()
        },
        keeps_runs: args.csv.is_some() || args.trace.is_some() || args.report.is_some(),
    };
    let made = sweep.run(&all, output)?;
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
    output.result(&Json { runs: rows }, &text)
}

/// A configuration to run, and what it is called.
type Named = (RunLabel, Config);

/// What is to be run: every combination of swept values, or the two that are compared.
fn configurations(args: &Sim) -> Result<Vec<Named>, Failure> {
    let base = base_config(&args.config)?.with_all(&args.settings).map_err(Failure::usage)?;
    let name = args.config.to_string_lossy();
    let all = combinations(&base, &args.sweeps).map_err(Failure::usage)?;
    let named = all
        .into_iter()
        .map(|one| (RunLabel::new(&name, args.settings.iter().chain(&one.settings)), one.config));
    let mut named: Vec<Named> = named.collect();
    if !args.against.is_empty() {
        let (settings, configs): (Vec<String>, Vec<String>) =
            args.against.iter().cloned().partition(|text| text.contains('='));
        named.push(match &configs[..] {
            [] => {
                let config = base.with_all(&settings).map_err(Failure::usage)?;
                (RunLabel::new(&name, args.settings.iter().chain(&settings)), config)
            }
            [other] => {
                let config = base_config(OsStr::new(other))?;
                let config = config.with_all(&settings).map_err(Failure::usage)?;
                (RunLabel::new(other, &settings), config)
            }
            _ => return Err(Failure::usage("--against names one configuration at most")),
        });
    }
    Ok(named)
}

/// The shipped configuration or the file.
fn base_config(name: &OsStr) -> Result<Config, Failure> {
    let path = Path::new(name);
    let named = name.to_str().filter(|name| shipped::names().contains(name));
    match named {
        Some(name) => shipped::named(name).map_err(Failure::input),
        None if path.is_file() => {
            let bytes = siliray::scene::read_file(path).map_err(Failure::input)?;
            let text = String::from_utf8(bytes)
                .map_err(|_| Failure::input(format!("{}: not UTF-8 text", path.display())))?;
            Config::from_toml(&path.display().to_string(), &text).map_err(Failure::input)
        }
        None => {
            let name = path.display().to_string();
            Err(Failure::usage(ConfigError::UnknownName { name }))
        }
    }
}

/// How many queries are made, if nothing is said.
const RAYS: usize = 16_384;

/// What is asked.
struct Asked {
    name: String,
    queries: Vec<Query>,
    /// One for each query of a file that has a column of them.
    priorities: Vec<Option<u8>>,
}

impl Asked {
    /// The queries of a file, at most `most`.
    fn of_file(file: &Path, most: Option<usize>) -> Result<Self, Failure> {
        let reader = RayReader::open(file).map_err(Failure::input)?;
        let all = reader.read_queries(most.unwrap_or(usize::MAX)).map_err(Failure::input)?;
        if all.is_empty() {
            return Err(Failure::input(format!("{}: no queries", file.display())));
        }
        let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
        Ok(Self {
            // Runs are kept by what they are about: by the queries, not by what a file is called.
            name: format!("{name} ({:016x})", fingerprint(&all)),
            queries: all.iter().map(|asked| asked.query).collect(),
            priorities: all.iter().map(|asked| asked.priority).collect(),
        })
    }
}

struct SweepRunner<'a> {
    world: &'a World,
    asked: &'a Asked,
    /// Of all runs, but for the configuration.
    key: RunKey,
    kept: Option<&'a ResumeLog<Row>>,
    options: Options,
    keeps_runs: bool,
}

impl SweepRunner<'_> {
    fn run(&self, all: &[Named], output: &Output) -> Result<Vec<CompletedRun>, Failure> {
        let bar = output.bar("simulating");
        let whole = (all.len() * self.asked.queries.len()) as f32;
        let answered = AtomicU64::new(0);
        all.par_iter().map(|named| self.one(named, &bar, &answered, whole)).collect()
    }

    fn one(
        &self,
        (label, config): &Named,
        bar: &Bar,
        answered: &AtomicU64,
        whole: f32,
    ) -> Result<CompletedRun, Failure> {
        let key = RunKey { config_hash: config.hash(), ..self.key.clone() };
        // A kept row has no events, and perhaps not the counter that is asked for.
        let is_enough = |row: &Row| {
            self.options.trace_events == 0
                && (!self.options.count_false_positives || row.averages.false_positives.is_some())
        };
        if let Some(row) =
            self.kept.and_then(|kept| kept.find(|row| row.key == key)).filter(is_enough)
        {
            answered.fetch_add(self.asked.queries.len() as u64, Ordering::Relaxed);
            return Ok((Row { label: label.clone(), ..row }, None));
        }
        let told = AtomicU64::new(0);
        let keep_going = |so_far: u64| {
            let before = told.swap(so_far, Ordering::Relaxed);
            let more = so_far.saturating_sub(before);
            let all = answered.fetch_add(more, Ordering::Relaxed) + more;
            bar.set(all as f32 / whole)
        };
        let questions =
            Questions { queries: &self.asked.queries, priorities: &self.asked.priorities };
        let run = simulate(self.world, config, questions, self.options, &keep_going);
        let mut run = run.map_err(|error| match error {
            RunError::TooSmall(_) | RunError::Config(_) => Failure::usage(error),
            _ => Failure::input(error),
        })?;
        let row = Row::new(key, label.clone(), &run);
        if let Some(kept) = self.kept {
            kept.add(&row).map_err(Failure::input)?;
        }
        run.answers = Vec::new();
        Ok((row, self.keeps_runs.then_some(run)))
    }
}
