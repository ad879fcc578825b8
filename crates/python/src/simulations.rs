//! Simulations of the traversal unit: what is walked and asked, prepared once, and runs of it.

use crate::job::Watch;
use crate::scene::Scene;
use crate::walker::{ViewChoice, chosen_preset, seen, view};
use crate::{document, errors, job, names};
use pyo3::prelude::*;
use siliray::build::Preset;
use siliray::documents::sim::SimDocument;
use siliray::geometry::TriangleRule;
use siliray::input::{Route, build_options};
use siliray::machine::{MachineInput, Settings};
use siliray::sim::sweep_run::{
    BaseError, CompletedRun, NamedConfig, SweepRun, base_config, configurations,
};
use siliray::sim::{NamedQueries, ParameterSweep, RunKey, Workload, report};
use siliray::ttu::run::Options;
use siliray::ttu::{World, ttu_machine};
use std::path::PathBuf;

/// Runs beyond these are not kept for a report.
const REPORTED_RUNS: usize = 12;

/// What is walked and asked.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct SimChoice {
    workload: String,
    rays: Option<usize>,
    queries: Option<PathBuf>,
    camera: Option<ViewChoice>,
    format: Option<String>,
    preset: Option<String>,
    rebuild: bool,
    false_positives: bool,
}

/// Name or file, and settings.
type ConfigChoice = (PathBuf, Vec<String>);

/// What every run needs, whatever its configuration.
#[pyclass(frozen, module = "siliray._native")]
pub(crate) struct Simulator {
    world: World,
    asked: NamedQueries,
    key: RunKey,
    options: Options,
}

#[pymethods]
impl Simulator {
    #[new]
    fn new(py: Python<'_>, scene: &Scene, choice: SimChoice) -> PyResult<Self> {
        job::run(py, 0, None, |watch| Self::prepare(scene, &choice, watch))?
    }

    /// The document of a configuration's run.
    fn run(&self, py: Python<'_>, config: ConfigChoice) -> PyResult<String> {
        let all = named_configs(&[config], &[])?;
        let made = job::run(py, 0, None, |watch| self.made(&all, false, watch))??;
        text(&made)
    }
}

impl Simulator {
    fn prepare(scene: &Scene, choice: &SimChoice, watch: &Watch) -> PyResult<Self> {
        let input = &*scene.input;
        let workload = names::one_of("workload", &choice.workload, &Workload::ALL, |workload| {
            workload.name()
        })?;
        let format = choice.format.as_deref().map(names::format).transpose()?;
        let preset = chosen_preset(input, choice.preset.as_deref(), choice.rebuild)?;
        let preset = preset.unwrap_or(Preset::Balanced);
        let machine = names::machine(ttu_machine::NAME)?;
        let build = build_options(machine, format, Some(preset));
        let settings = Settings::default();
        let route = Route { machine, format, settings, rebuild: choice.rebuild, build };
        let prepared =
            route.prepare(input, &|_| watch.verdict()).map_err(|error| errors::route(&error))?;
        let MachineInput::Image(image) = &prepared.input else {
            return Err(errors::image("the traversal unit runs images"));
        };
        let asked = match &choice.queries {
            Some(file) => NamedQueries::of_file(file, choice.rays),
            None => {
                let seen = seen(input, &prepared);
                let camera = view(scene, seen, choice.camera.as_ref(), 1.0)?;
                let (name, tree) = (input.name(), prepared.tree());
                NamedQueries::of_workload(workload, name, tree, &camera, choice.rays)
            }
        };
        let asked = asked.map_err(|error| match choice.queries {
            Some(_) => errors::option(format!("queries: {error}")),
            None => errors::option(error),
        })?;
        let key = RunKey {
            scene: input.name().to_owned(),
            triangles: prepared.tree().triangle_count() as u64,
            format: prepared.input.format().to_owned(),
            image_hash: RunKey::hash_of(image.image()),
            source: prepared.origin.name().to_owned(),
            preset: prepared.origin.is_built().then(|| preset.name().to_owned()),
            workload: asked.name.clone(),
            rays: asked.queries.len() as u64,
            config_hash: String::new(),
        };
        let world = World::new(&**image, TriangleRule::Watertight).map_err(errors::machine)?;
        let count_false_positives = choice.false_positives;
        let options = Options { count_false_positives, ..Options::default() };
        Ok(Self { world, asked, key, options })
    }

    fn made(
        &self,
        all: &[NamedConfig],
        keeps_runs: bool,
        watch: &Watch,
    ) -> PyResult<Vec<CompletedRun>> {
        let (world, asked, key) = (&self.world, &self.asked, self.key.clone());
        let sweep = SweepRun { world, asked, key, kept: None, options: self.options, keeps_runs };
        sweep.run(all, &|progress| watch.tell(progress)).map_err(errors::machine)
    }
}

/// Runs of the traversal unit: the document, and the report.
#[pyfunction]
pub(crate) fn simulate(
    py: Python<'_>,
    scene: &Scene,
    configs: Vec<ConfigChoice>,
    sweeps: Vec<(String, Vec<String>)>,
    choice: SimChoice,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, String)> {
    let sweeps = sweeps.into_iter().map(|(key, values)| ParameterSweep { key, values });
    let sweeps: Vec<ParameterSweep> = sweeps.collect();
    let all = named_configs(&configs, &sweeps)?;
    job::run(py, 0, progress, |watch| {
        let simulator = Simulator::prepare(scene, &choice, watch)?;
        let made = simulator.made(&all, all.len() <= REPORTED_RUNS, watch)?;
        watch.finish();
        let html = report::to_html(scene.input.name(), &sweeps, &made);
        Ok((text(&made)?, html))
    })?
}

/// The configurations, each with every combination of the swept values.
fn named_configs(
    configs: &[ConfigChoice],
    sweeps: &[ParameterSweep],
) -> PyResult<Vec<NamedConfig>> {
    let mut all = Vec::new();
    for (name, settings) in configs {
        let base = base_config(name).map_err(|error| match &error {
            BaseError::Unreadable(unreadable) => errors::file(unreadable),
            _ => errors::option(error),
        })?;
        let name = name.display().to_string();
        let named = configurations(&name, &base, settings, sweeps).map_err(errors::option)?;
        all.extend(named);
    }
    Ok(all)
}

fn text(made: &[CompletedRun]) -> PyResult<String> {
    document::text(&SimDocument { runs: made.iter().map(|(row, _)| row).collect() })
}
