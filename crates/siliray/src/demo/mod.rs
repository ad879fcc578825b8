//! One scene through everything: what `siliray` shows when it is asked for nothing else.
//!
//! | file | concept |
//! |---|---|
//! | [`formats`] | one tree in every format, with its bytes |
//! | [`machines`] | one ray, and a sample of the law, on every machine |
//! | [`broken`] | a file with one wrong field, and what becomes of it |
//! | [`page`] | all of it as one HTML file |

pub mod broken;
pub mod formats;
pub mod machines;
pub mod page;

use crate::conformance::ImageError;
use crate::input::{RouteError, StoredImage, encode_checked};
use crate::registry::registry;
use crate::render::{Measure, RenderError, Rendering, Settings as Picture, Style, View, render};
use crate::sim::{self, Row, RunKey, RunLabel, SimulateError, simulate_image};
use crate::workload::{Workload, WorkloadError, rays};
use broken::{Broken, BrokenError};
use build::{BuildError, Built, Options, Preset, Progress};
use formats::FormatRow;
use geometry::{Ray, TriangleRule};
use machine::{HitKind, Reference, Settings, tree_format};
use machines::{MachineAnswer, MachineRow};
use scene::{Camera, Scene};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;
use trace::{TraceError, Tracer};
use tree::Tree;
use ttu::config::{ConfigError, shipped};

/// Pixels of a picture, in a row and rows.
pub const SIZE: [u32; 2] = [800, 600];

/// Points of each pixel.
const SAMPLES: u32 = 4;

/// The preset whose tree everything stands on.
const PRESET: Preset = Preset::Balanced;

/// Rays that the traversal unit answers.
const UNIT_RAYS: usize = 4_096;

/// The shipped configuration of the traversal unit.
const UNIT_CONFIG: &str = "patent";

/// Rays with which the tracer is timed.
const TIMED_RAYS: usize = 1 << 18;

/// What was found out.
#[derive(Debug, Clone)]
pub struct Demo {
    /// Name of the scene.
    pub scene: String,
    /// Triangles stored.
    pub triangles: usize,
    /// Triangles seen, counted as often as they are placed.
    pub placed_triangles: usize,
    /// Instances; 0 for a scene that is one object.
    pub instances: usize,
    /// Figures of the trees, one for each preset.
    pub trees: Vec<build::Report>,
    /// The preset that everything else stands on.
    pub preset: Preset,
    /// A shaded picture, by the tracer.
    pub shaded: Rendering,
    /// Boxes tested for each pixel, by the reference machine.
    pub heat_map: Rendering,
    /// The tree in every format.
    pub formats: Vec<FormatRow>,
    /// The ray that every machine is asked, by its pixel.
    pub pixel: [u32; 2],
    /// What the machines say.
    pub machines: Vec<MachineRow>,
    /// The traversal unit; `None` if it does not take the tree.
    pub unit: Option<Row>,
    /// The tracer's rays a second.
    pub speeds: Vec<(Workload, f64)>,
    /// A broken file; `None` if nothing that was tried breaks it.
    pub broken: Option<Broken>,
    /// What was done, in order, and how many seconds each took.
    pub timings: Vec<(&'static str, f64)>,
    /// How many threads did it.
    pub threads: usize,
}

impl Demo {
    /// Machines that took the scene, and what they said.
    pub fn answers(&self) -> impl Iterator<Item = (&MachineRow, &MachineAnswer)> {
        self.machines.iter().filter_map(|row| Some((row, row.outcome.as_ref().ok()?)))
    }

    /// How many answers were compared with brute force.
    #[must_use]
    pub fn law_answers(&self) -> usize {
        self.answers().map(|(_, answer)| answer.rays * HitKind::ALL.len()).sum()
    }

    /// Machines that differ from brute force in a way that they are not known for.
    pub fn wrong_machines(&self) -> impl Iterator<Item = &'static str> {
        self.answers().filter(|(_, answer)| answer.law.is_wrong()).map(|(row, _)| row.name)
    }

    /// The format with the fewest bytes a triangle, and how many.
    #[must_use]
    pub fn smallest_format(&self) -> Option<(&'static str, f64)> {
        let figures = self
            .formats
            .iter()
            .filter_map(|row| Some((row.name, row.outcome.as_ref().ok()?.bytes_per_triangle)));
        figures.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Seconds for everything.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.timings.iter().map(|(_, seconds)| seconds).sum()
    }
}

/// Why there is no demo.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The scene has no tree.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The tree reaches no machine.
    #[error(transparent)]
    Route(#[from] RouteError),
    /// There is no picture.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// There is no tracer.
    #[error(transparent)]
    Tracer(#[from] TraceError),
    /// There are no rays to time.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// There is no work for the traversal unit.
    #[error(transparent)]
    UnitWorkload(#[from] sim::WorkloadError),
    /// The traversal unit has no configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The traversal unit does not take the tree, or stops.
    #[error(transparent)]
    Unit(#[from] SimulateError),
    /// The law cannot be asked.
    #[error(transparent)]
    Law(#[from] ImageError),
    /// There is no broken file.
    #[error(transparent)]
    Broken(#[from] BrokenError),
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

/// Told which step is under way, and how far it is.
pub type StepFn<'a> = dyn Fn(&'static str, Progress) -> ControlFlow<()> + Sync + 'a;

/// Takes `scene` through everything.
///
/// # Errors
/// When a step fails, or the caller cancels.
pub fn run(scene: &Scene, camera: &Camera, watch: &StepFn<'_>) -> Result<Demo, DemoError> {
    let mut clock = Clock { watch, last: Instant::now(), timings: Vec::new() };
    let built = clock.step("tree", |watch| build::build(scene, &Options::preset(PRESET), watch))?;
    let trees = clock.step("trees by preset", |watch| trees(scene, &built, watch))?;
    let tree = Arc::new(built.tree);

    let tracer = Tracer::from_tree(&tree, trace::Options::default())?;
    clock.lap("tracer")?;
    let view = View { tree: &tree, scene: Some(scene), input: None };
    let picture = |style| Picture { width: SIZE[0], height: SIZE[1], style };
    let shaded = clock.step("picture", |watch| {
        render(&view, &tracer, camera, &picture(Style::Shaded { samples: SAMPLES }), watch)
    })?;
    let reference = Reference::new(&*tree, TriangleRule::Watertight);
    let heat_map = clock.step("heat map", |watch| {
        render(&view, &reference, camera, &picture(Style::HeatMap(Measure::Boxes)), watch)
    })?;
    let speeds = speeds(scene, &tree, &tracer, camera)?;
    clock.lap("speed of the tracer")?;

    let formats = registry().formats().iter().filter_map(|entry| formats::row(entry, &tree));
    let formats = formats.collect();
    clock.lap("formats")?;
    let (pixel, ray) = shown_ray(&tracer, camera);
    let machines = clock.step("machines", |watch| machines(&tree, ray, watch))?;
    let unit = unit(&scene.name, &tree, camera)?;
    clock.lap("traversal unit")?;
    let broken = broken::broken(&tree, camera, SIZE)?;
    clock.lap("broken file")?;
    Ok(Demo {
        scene: scene.name.clone(),
        triangles: scene.triangle_count(),
        placed_triangles: scene.placed_triangle_count(),
        instances: scene.instances.len(),
        trees,
        preset: PRESET,
        shaded,
        heat_map,
        formats,
        pixel,
        machines,
        unit,
        speeds,
        broken,
        timings: clock.timings,
        threads: rayon::current_num_threads(),
    })
}

/// Seconds for each step.
struct Clock<'a> {
    watch: &'a StepFn<'a>,
    last: Instant,
    timings: Vec<(&'static str, f64)>,
}

impl Clock<'_> {
    fn step<T, E>(
        &mut self,
        name: &'static str,
        work: impl FnOnce(&build::ProgressFn<'_>) -> Result<T, E>,
    ) -> Result<T, DemoError>
    where
        DemoError: From<E>,
    {
        let made = work(&|progress| (self.watch)(name, progress))?;
        self.lap(name)?;
        Ok(made)
    }

    fn lap(&mut self, name: &'static str) -> Result<(), DemoError> {
        self.timings.push((name, self.last.elapsed().as_secs_f64()));
        self.last = Instant::now();
        match (self.watch)(name, Progress { fraction: 1.0 }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(DemoError::Cancelled),
        }
    }
}

/// The figures of every preset. Only one tree besides `built` exists at a time.
fn trees(
    scene: &Scene,
    built: &Built,
    watch: &build::ProgressFn<'_>,
) -> Result<Vec<build::Report>, BuildError> {
    let figures = |preset| match preset {
        PRESET => Ok(built.report),
        other => Ok(build::build(scene, &Options::preset(other), watch)?.report),
    };
    Preset::BVHS.into_iter().map(figures).collect()
}

/// Millions of rays of each kind, timed once they are warm.
fn speeds(
    scene: &Scene,
    tree: &Tree,
    tracer: &Tracer,
    camera: &Camera,
) -> Result<Vec<(Workload, f64)>, WorkloadError> {
    let timed = |kind| {
        let rays = rays(kind, &scene.name, tree, tracer, camera, TIMED_RAYS)?;
        let ask = || match kind {
            Workload::Occlusion => drop(tracer.any(&rays)),
            Workload::Primary | Workload::Bounce => drop(tracer.closest(&rays)),
        };
        ask();
        let start = Instant::now();
        ask();
        Ok((kind, rays.len() as f64 / start.elapsed().as_secs_f64().max(1e-9)))
    };
    Workload::ALL.into_iter().map(timed).collect()
}

/// The pixel nearest to the middle of the picture that shows something, and its ray.
fn shown_ray(tracer: &Tracer, camera: &Camera) -> ([u32; 2], Ray) {
    let [width, height] = SIZE;
    let ray = |[x, y]: [u32; 2]| camera.ray(x as f32 + 0.5, y as f32 + 0.5, width, height);
    let grid = |size: u32| (0..size / GRID).map(|step| step * GRID + GRID / 2);
    let mut pixels: Vec<[u32; 2]> =
        grid(height).flat_map(|y| grid(width).map(move |x| [x, y])).collect();
    pixels.sort_by_key(|&[x, y]| x.abs_diff(width / 2).pow(2) + y.abs_diff(height / 2).pow(2));
    let rays: Vec<Ray> = pixels.iter().copied().map(ray).collect();
    let hits = tracer.closest(&rays);
    let shown = hits.iter().position(|hit| !hit.is_miss()).unwrap_or(0);
    (pixels[shown], rays[shown])
}

/// Pixels between those that are tried for a ray to show.
const GRID: u32 = 20;

/// One ray on every machine.
fn machines(
    tree: &Tree,
    ray: Ray,
    watch: &build::ProgressFn<'_>,
) -> Result<Vec<MachineRow>, DemoError> {
    let Some(format) = registry().format(tree_format::NAME) else { return Ok(Vec::new()) };
    let plain = StoredImage {
        name: "the tree".to_owned(),
        format,
        checked: encode_checked(tree, format, &Settings::default())?,
        findings: Vec::new(),
        places: Vec::new(),
        structures: Vec::new(),
    };
    let entries = registry().machines();
    let mut rows = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        rows.push(machines::row(entry, &plain, ray)?);
        let fraction = (number + 1) as f32 / entries.len() as f32;
        if watch(Progress { fraction }).is_break() {
            return Err(DemoError::Cancelled);
        }
    }
    Ok(rows)
}

/// The traversal unit over its own blocks, with camera rays.
fn unit(scene: &str, tree: &Tree, camera: &Camera) -> Result<Option<Row>, DemoError> {
    let Some(format) = registry().format(ttu::format::NAME) else { return Ok(None) };
    let Ok(image) = encode_checked(tree, format, &Settings::default()) else { return Ok(None) };
    let workload = sim::Workload::Rays(Workload::Primary);
    let queries = workload.queries(scene, image.tree(), camera, UNIT_RAYS)?;
    let config = shipped::named(UNIT_CONFIG)?;
    let key = RunKey {
        scene: scene.to_owned(),
        triangles: tree.triangle_count() as u64,
        format: format.name.to_owned(),
        source: "built".to_owned(),
        image_hash: RunKey::hash_of(image.image()),
        preset: Some(PRESET.name().to_owned()),
        workload: workload.name().to_owned(),
        rays: queries.len() as u64,
        config_hash: config.hash(),
    };
    let run = simulate_image(&*image, &config, &queries)?;
    Ok(Some(Row::new(key, RunLabel::new(UNIT_CONFIG, []), &run)))
}
