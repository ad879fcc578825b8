//! `siliray` without a command: a scene built, rendered, checked and reported on.

use super::build::TreeFigures;
use super::render::{HeatMapFigures, picture};
use super::view_of;
use super::{build_tree, open};
use crate::args::Demo;
use crate::failure::Failure;
use crate::output::number::{counted, grouped, rate, seconds};
use crate::output::{AtomicFile, NewFolder, Output};
use serde::Serialize;
use siliray::build::{Built, Options, Preset};
use siliray::conformance::{aimed_rays, spot_check};
use siliray::geometry::TriangleRule;
use siliray::machine::{HitKind, RayQuery, Reference};
use siliray::render::{Measure, Rendering, Settings, Style, View};
use siliray::report::{Check, Report, SHADED, to_html};
use siliray::scene::{Camera, Scene};
use siliray::tree::Tree;
use std::path::Path;
use std::time::Instant;

const SIZE: (u32, u32) = (800, 600);
const SAMPLES: u32 = 4;
const RULE: TriangleRule = TriangleRule::Watertight;

/// The preset whose tree is rendered and checked.
const PRESET: Preset = Preset::Balanced;

/// Triangles that brute force may look at: some seconds of work on any machine.
const CHECK_TRIANGLES: usize = 150_000_000;

/// Bounds of the number of rays that are checked.
const CHECK_RAYS: (usize, usize) = (20, 500);

/// Rays that are checked between two updates of the progress bar.
const CHECK_BATCH: usize = 20;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    scene: String,
    triangles: usize,
    placed_triangles: usize,
    instances: usize,
    presets: Vec<TreeFigures>,
    preset: &'static str,
    rays: u64,
    rays_per_second: f64,
    heatmap: Option<HeatMapFigures>,
    check: JsonCheck,
    timings: Vec<Timing>,
    seconds: f64,
    files: Vec<String>,
}

#[derive(Serialize)]
struct JsonCheck {
    rays: usize,
    queries: usize,
    mismatches: usize,
}

#[derive(Serialize)]
struct Timing {
    step: &'static str,
    seconds: f64,
}

/// Runs the demo.
pub(crate) fn run(args: &Demo, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    let files = Files::create(&args.output)?;
    let mut watch = StopWatch::start();
    let scene = open(&args.scene, triangles)?;
    watch.lap("scene");
    let built = build_tree(&scene, &Options::preset(PRESET), output)?;
    watch.lap("tree");
    let reports = compare_presets(&scene, &built, output)?;
    watch.lap("trees to compare");
    let machine = Reference::new(&built.tree, RULE);
    let view = View { tree: &built.tree, scene: Some(&scene), input: None };
    let camera = view_of(&args.scene, Some(&scene), &built.tree.bounds())?;
    let settings = |style| Settings { width: SIZE.0, height: SIZE.1, style };
    let style = settings(Style::Shaded { samples: SAMPLES });
    let (shaded, shaded_seconds) = picture(&view, &machine, &camera, &style, output)?;
    watch.lap(SHADED);
    let style = settings(Style::HeatMap(Measure::Boxes));
    let (heat_map, _) = picture(&view, &machine, &camera, &style, output)?;
    watch.lap("heat map");
    let rays = rays_to_check(&scene, &built, &camera);
    let check = check(&built, &machine, &rays, output);
    watch.lap("check against brute force");

    let report = Report {
        scene: &scene.name,
        triangles: scene.triangle_count(),
        placed_triangles: scene.placed_triangle_count(),
        instances: scene.instances.len(),
        trees: &reports,
        preset: PRESET,
        shaded: &shaded,
        heat_map: &heat_map,
        check,
        timings: &watch.laps,
        threads: rayon::current_num_threads(),
    };
    let written = files.write(&shaded, &heat_map, &report)?;

    let json = Json {
        scene: scene.name.clone(),
        triangles: report.triangles,
        placed_triangles: report.placed_triangles,
        instances: report.instances,
        presets: reports.iter().map(TreeFigures::from).collect(),
        preset: PRESET.name(),
        rays: shaded.counters.queries,
        rays_per_second: shaded.counters.queries as f64 / shaded_seconds.max(1e-9),
        heatmap: heat_map.heat_map.as_ref().map(HeatMapFigures::from),
        check: JsonCheck { rays: rays.len(), queries: check.queries, mismatches: check.mismatches },
        timings: watch.laps.iter().map(|&(step, seconds)| Timing { step, seconds }).collect(),
        seconds: watch.laps.iter().map(|(_, seconds)| seconds).sum(),
        files: written,
    };
    output.result(&json, &text(&json))?;
    match check.mismatches {
        0 => Ok(()),
        wrong => Err(Failure::input(format!(
            "{wrong} of {} answers differ from brute force",
            check.queries
        ))),
    }
}

/// The files of the demo, begun before any work is done.
struct Files {
    shaded: AtomicFile,
    boxes: AtomicFile,
    report: AtomicFile,
    names: [String; 3],
    /// Last: it is removed after the files in it.
    _folder: NewFolder,
}

impl Files {
    fn create(folder: &Path) -> Result<Self, Failure> {
        let new_folder = NewFolder::create(folder).map_err(|error| {
            Failure::input(format!("cannot make the folder {}: {error}", folder.display()))
                .hint("choose another with `siliray demo -o FOLDER`")
        })?;
        let paths = ["shaded.png", "boxes.png", "report.html"].map(|name| folder.join(name));
        let [shaded, boxes, report] = &paths;
        Ok(Self {
            shaded: AtomicFile::create(shaded)?,
            boxes: AtomicFile::create(boxes)?,
            report: AtomicFile::create(report)?,
            names: paths.map(|path| path.to_string_lossy().into_owned()),
            _folder: new_folder,
        })
    }

    fn write(
        self,
        shaded: &Rendering,
        heat_map: &Rendering,
        report: &Report<'_>,
    ) -> Result<Vec<String>, Failure> {
        self.shaded.write(&shaded.picture.to_png().map_err(Failure::input)?)?;
        self.boxes.write(&heat_map.picture.to_png().map_err(Failure::input)?)?;
        self.report.write(to_html(report).map_err(Failure::input)?.as_bytes())?;
        Ok(self.names.to_vec())
    }
}

/// Seconds for each step.
struct StopWatch {
    last: Instant,
    laps: Vec<(&'static str, f64)>,
}

impl StopWatch {
    fn start() -> Self {
        Self { last: Instant::now(), laps: Vec::new() }
    }

    fn lap(&mut self, step: &'static str) {
        self.laps.push((step, self.last.elapsed().as_secs_f64()));
        self.last = Instant::now();
    }
}

/// The figures of every preset. Only one tree besides `built` exists at a time.
fn compare_presets(
    scene: &Scene,
    built: &Built,
    output: &Output,
) -> Result<Vec<siliray::build::Report>, Failure> {
    let figures = |preset| match preset {
        PRESET => Ok(built.report),
        other => Ok(build_tree(scene, &Options::preset(other), output)?.report),
    };
    Preset::ALL.into_iter().map(figures).collect()
}

/// Half of the rays are aimed at what is likely to go wrong, half go through pixels.
fn rays_to_check(scene: &Scene, built: &Built, camera: &Camera) -> Vec<RayQuery> {
    let per_ray = scene.placed_triangle_count().max(1);
    let count = (CHECK_TRIANGLES / per_ray).clamp(CHECK_RAYS.0, CHECK_RAYS.1);
    let mut rays = aimed_rays(&built.tree, 1, count / 2);
    let (width, height) = SIZE;
    let pixels = u64::from(width) * u64::from(height);
    rays.extend((0..count - count / 2).map(|index| {
        // A stride prime to the number of pixels visits them all over the picture.
        let pixel = (index as u64 * 179_424_691 % pixels) as u32;
        let (x, y) = (pixel % width, pixel / width);
        let ray = camera.ray(x as f32 + 0.5, y as f32 + 0.5, width, height);
        RayQuery::new(HitKind::Closest, ray)
    }));
    rays
}

fn check(built: &Built, machine: &Reference<&Tree>, rays: &[RayQuery], output: &Output) -> Check {
    let bar = output.bar("checking");
    let mut mismatches = 0;
    for (batch, rays_of_batch) in rays.chunks(CHECK_BATCH).enumerate() {
        mismatches += spot_check(&built.tree, machine, RULE, rays_of_batch).len();
        let done = (batch + 1) * CHECK_BATCH;
        let _ = bar.set(done as f32 / rays.len() as f32);
    }
    Check { queries: rays.len() * HitKind::ALL.len(), mismatches }
}

fn text(json: &Json) -> String {
    let mut text = format!("{}: {}", json.scene, counted(json.triangles, "triangle"));
    if json.instances > 0 {
        let (instances, placed) =
            (counted(json.instances, "instance"), grouped(json.placed_triangles as u64));
        text += &format!(", placed by {instances} as {placed}");
    }
    text.push('\n');
    for tree in &json.presets {
        text += &format!(
            "  built     {:<8}  in {:>7}, SAH cost of the wide tree {:.1}\n",
            tree.preset,
            seconds(tree.seconds),
            tree.sah_cost_wide
        );
    }
    text += &format!("  traced    {} rays, {}\n", grouped(json.rays), rate(json.rays_per_second));
    let queries = grouped(json.check.queries as u64);
    text += &match json.check.mismatches {
        0 => format!("  checked   {queries} queries against brute force: all agree\n"),
        wrong => format!("  checked   {queries} queries against brute force: {wrong} DIFFER\n"),
    };
    text += &format!("  finished  in {}\n\nWrote\n", seconds(json.seconds));
    for file in &json.files {
        text += &format!("  {file}\n");
    }
    text + "\nTry next\n  \
        siliray render forest -o forest.png    a picture of thousands of instances\n  \
        siliray build hairball                 what each preset makes of a difficult scene\n  \
        siliray conformance                    every machine against brute force\n"
}
