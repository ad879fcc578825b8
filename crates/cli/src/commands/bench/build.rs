//! `siliray bench build`: how long it takes until the first ray, beside Embree's builders.

use super::memory;
use super::peers::Builds;
use super::report::Machine;
use super::{build_tree, chosen_view, is_builtin, median, open};
use crate::args::Global;
use crate::commands::about;
use crate::failure::Failure;
use crate::output::number::{counted, seconds};
use crate::output::{Output, Table};
use crate::shared_args::CameraChoice;
use crate::trace_args::BenchBuild;
use serde::Serialize;
use siliray::build::{Options, Preset};
use siliray::cameras::Seen;
use siliray::geometry::Vec3;
use siliray::machine::Hit;
use siliray::scene::{Scene, Shape};
use siliray::trace::{Kernel, Mode, Options as TracerOptions, Tracer};
use siliray::workload::{self, Workload};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Instant;

/// Rays by which trees are compared.
const RAYS: usize = 1 << 17;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    machine: Machine,
    threads: usize,
    runs: usize,
    rows: Vec<Row>,
}

/// One thing that was timed, beside Embree's like if there is one.
#[derive(Serialize)]
struct Row {
    scene: String,
    triangles: usize,
    what: String,
    seconds: f64,
    /// What Embree calls it.
    embree: Option<&'static str>,
    embree_seconds: Option<f64>,
    bytes_per_triangle: Option<f64>,
    /// Bytes that the build took at most, over those of what it built.
    peak_over_result: Option<f64>,
    /// Million bounce rays a second, on one thread.
    mrays_per_second: Option<f64>,
    /// Of a file that is read.
    gigabytes_per_second: Option<f64>,
}

/// Times builds, refits and loads; the figures are medians of runs in turns.
pub(super) fn run(args: &BenchBuild, global: &Global, output: &Output) -> Result<(), Failure> {
    let machine = Machine::this(Kernel::fastest());
    let threads = global.threads.unwrap_or(machine.cores);
    let mut rows = Vec::new();
    for name in &args.scenes {
        let scene = open(name, global.triangles.filter(|_| is_builtin(name)))?;
        if let Some(preset) = args.peak_of {
            return peak(&scene, name, preset, args, threads, output);
        }
        rows.extend(Bench::new(&scene, name, threads, args, global, output)?.rows()?);
    }
    let json = Json { machine, threads, runs: args.runs, rows };
    output.result(&json, &json.text())
}

/// Prints how many bytes one build takes at most, and nothing else: what the others ask for in a
/// process of its own.
fn peak(
    scene: &Scene,
    name: &OsStr,
    preset: Preset,
    args: &BenchBuild,
    threads: usize,
    output: &Output,
) -> Result<(), Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(Failure::input)?;
    let mode = if args.peak_in_place { Mode::InPlace } else { Mode::Prepared };
    let options = TracerOptions { preset, mode, ..TracerOptions::default() };
    let build = || pool.install(|| Tracer::with_options(scene, options));
    let (tracer, bytes) = memory::peak(build);
    drop(tracer.map_err(about(name))?);
    output.result(&bytes, &bytes.map(|bytes| bytes.to_string()).unwrap_or_default())
}

struct Bench<'a> {
    scene: &'a Scene,
    moved: Scene,
    name: &'a OsStr,
    args: &'a BenchBuild,
    global: &'a Global,
    threads: usize,
    runs: usize,
    pool: rayon::ThreadPool,
    embree: Option<Builds>,
    output: &'a Output,
}

impl<'a> Bench<'a> {
    fn new(
        scene: &'a Scene,
        name: &'a OsStr,
        threads: usize,
        args: &'a BenchBuild,
        global: &'a Global,
        output: &'a Output,
    ) -> Result<Self, Failure> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(Failure::input)?;
        let embree = Builds::new(scene, threads);
        let (moved, runs) = (bent(scene), args.runs);
        Ok(Self { scene, moved, name, args, global, threads, runs, pool, embree, output })
    }

    fn tracer(&self, preset: Preset, mode: Mode) -> Result<Tracer, Failure> {
        let options = TracerOptions { preset, mode, ..TracerOptions::default() };
        self.pool.install(|| Tracer::with_options(self.scene, options)).map_err(about(self.name))
    }

    fn rows(mut self) -> Result<Vec<Row>, Failure> {
        let presets = &self.args.presets[..];
        let usual = presets.iter().position(|&preset| preset == Tracer::PRESET).unwrap_or(0);
        let mut built = Vec::new();
        for &preset in presets {
            built.push(self.build(preset, Mode::Prepared)?);
        }
        built.push(self.build(presets[usual], Mode::InPlace)?);
        let (mut rows, mut tracers): (Vec<Row>, Vec<Tracer>) = built.into_iter().unzip();
        for (row, speed) in rows.iter_mut().zip(self.speeds(&tracers)?) {
            row.mrays_per_second = Some(speed);
        }
        let mut usual = tracers.swap_remove(usual);
        drop(tracers);
        rows.push(self.refits(&mut usual)?);
        rows.push(self.loads(&usual)?);
        Ok(rows)
    }

    /// Builds beside Embree's builder of that quality; the last tracer is kept.
    fn build(&self, preset: Preset, mode: Mode) -> Result<(Row, Tracer), Failure> {
        let embree = match (preset, mode) {
            (Preset::Fast, Mode::Prepared) => Some("medium commit"),
            (Preset::Balanced, Mode::Prepared) => Some("high-quality commit"),
            _ => None,
        };
        let (mut ours, mut theirs, mut built) = (Vec::new(), Vec::new(), None);
        for _ in 0..=self.runs {
            drop(built.take());
            let start = Instant::now();
            built = Some(self.tracer(preset, mode)?);
            ours.push(start.elapsed().as_secs_f64());
            if let (Some(builds), Some(_)) = (&self.embree, embree) {
                theirs.push(builds.commit(self.scene, preset == Preset::Balanced)?);
            }
        }
        let place = if mode == Mode::InPlace { ", in place" } else { "" };
        let mut row = self.row(format!("build, {preset}{place}"), ours, embree, theirs);
        let tracer = built.ok_or_else(|| Failure::input("no run was asked for"))?;
        let bytes = tracer.byte_count() as f64;
        row.bytes_per_triangle = Some(bytes / self.scene.placed_triangle_count().max(1) as f64);
        row.peak_over_result = self.peak(preset, mode)?.map(|peak| peak as f64 / bytes);
        Ok((row, tracer))
    }

    /// The memory of a build, by a process that does nothing else.
    fn peak(&self, preset: Preset, mode: Mode) -> Result<Option<u64>, Failure> {
        let mut arguments: Vec<OsString> =
            vec!["--threads".into(), self.threads.to_string().into()];
        if let Some(triangles) = self.global.triangles.filter(|_| is_builtin(self.name)) {
            arguments.extend(["--triangles".into(), triangles.to_string().into()]);
        }
        arguments.extend(["bench", "build", "--peak-of", preset.name()].map(OsString::from));
        if mode == Mode::InPlace {
            arguments.push("--peak-in-place".into());
        }
        arguments.extend(["--".into(), self.name.to_owned()]);
        memory::of_a_process(&arguments)
    }

    fn row(
        &self,
        what: String,
        ours: Vec<f64>,
        embree: Option<&'static str>,
        theirs: Vec<f64>,
    ) -> Row {
        let counted = |times: Vec<f64>| median(times.into_iter().skip(1).collect());
        let embree_seconds = (!theirs.is_empty()).then(|| counted(theirs));
        Row {
            scene: self.scene.name.clone(),
            triangles: self.scene.placed_triangle_count(),
            what,
            seconds: counted(ours),
            embree: embree.filter(|_| embree_seconds.is_some()),
            embree_seconds,
            bytes_per_triangle: None,
            peak_over_result: None,
            mrays_per_second: None,
            gigabytes_per_second: None,
        }
    }

    /// How fast each tracer answers bounce rays, on one thread.
    fn speeds(&self, tracers: &[Tracer]) -> Result<Vec<f64>, Failure> {
        let tree = build_tree(self.scene, &Options::preset(Preset::Fast), self.output)?.tree;
        let camera =
            chosen_view(&CameraChoice { camera: None }, self.name, Seen::Scene(self.scene), 1.0)?;
        let name = &self.scene.name;
        let rays = workload::rays(Workload::Bounce, name, &tree, &tracers[0], &camera, RAYS);
        let rays = rays.map_err(Failure::input)?;
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(Failure::input)?;
        let mut times = vec![Vec::new(); tracers.len()];
        let mut hits = vec![Hit::MISS; rays.len()];
        for _ in 0..self.runs {
            for (tracer, times) in tracers.iter().zip(&mut times) {
                times.push(one.install(|| {
                    let start = Instant::now();
                    tracer.batch().closest_into(&rays, &mut hits);
                    start.elapsed().as_secs_f64()
                }));
            }
        }
        Ok(times.into_iter().map(|times| rays.len() as f64 / median(times) / 1e6).collect())
    }

    /// Follows a mesh that bends and straightens again.
    fn refits(&mut self, tracer: &mut Tracer) -> Result<Row, Failure> {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for run in 0..=2 * self.runs {
            let scene = if run % 2 == 0 { &self.moved } else { self.scene };
            let start = Instant::now();
            self.pool.install(|| tracer.refit(scene)).map_err(Failure::input)?;
            ours.push(start.elapsed().as_secs_f64());
            // What Embree refits are meshes, so a scene of instances has no like.
            if let Some(builds) = self.embree.as_mut().filter(|_| scene.instances.is_empty()) {
                theirs.push(builds.refit(scene)?);
            }
        }
        Ok(self.row("refit".to_owned(), ours, Some("refit"), theirs))
    }

    /// Saves a tracer beside other temporary files, and reads it back.
    fn loads(&self, tracer: &Tracer) -> Result<Row, Failure> {
        let name = format!("siliray-bench-{}.tracer", std::process::id());
        let file = Temporary(std::env::temp_dir().join(name));
        tracer.save(&file.0).map_err(Failure::input)?;
        let bytes = std::fs::metadata(&file.0).map_err(Failure::input)?.len();
        let mut times = Vec::new();
        for _ in 0..=self.runs {
            let start = Instant::now();
            let read = self.pool.install(|| Tracer::load(&file.0)).map_err(Failure::input)?;
            times.push(start.elapsed().as_secs_f64());
            drop(read);
        }
        let mut row = self.row("load, warm file".to_owned(), times, None, Vec::new());
        row.gigabytes_per_second = Some(bytes as f64 / row.seconds / 1e9);
        Ok(row)
    }
}

/// A file that goes when it is no longer needed.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The scene, bent by a hundredth of its size.
fn bent(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    let size = scene.bounds().map_or(1.0, |bounds| bounds.extent().max_element()).max(1e-30);
    for geometry in scene.objects.iter_mut().flat_map(|object| &mut object.geometries) {
        if let Shape::Triangles { positions, .. } = &mut geometry.shape {
            for position in positions {
                let turned = *position * (7.0 / size);
                *position +=
                    Vec3::new(turned.y.sin(), turned.z.sin(), turned.x.sin()) * 0.01 * size;
            }
        }
    }
    scene
}

impl Json {
    fn text(&self) -> String {
        let Machine { cpu, cores, kernel } = &self.machine;
        let mut text = format!(
            "{cpu}, {}, kernel {kernel}; {}, medians of {}\n",
            counted(*cores, "core"),
            counted(self.threads, "thread"),
            counted(self.runs, "run")
        );
        for rows in self.rows.chunk_by(|a, b| a.scene == b.scene) {
            let triangles = counted(rows[0].triangles, "triangle");
            text += &format!("\n{}: {triangles}\n\n", rows[0].scene);
            let mut table = Table::new(&[
                "what", "siliray", "Embree 4", "", "times", "bounce", "bytes", "peak", "GB/s",
            ])
            .left(1);
            for row in rows {
                let number =
                    |x: Option<f64>| x.map_or_else(|| "–".to_owned(), |x| format!("{x:.2}"));
                table.row(vec![
                    row.what.clone(),
                    seconds(row.seconds),
                    row.embree_seconds.map_or_else(|| "–".to_owned(), seconds),
                    row.embree.unwrap_or_default().to_owned(),
                    number(row.embree_seconds.map(|theirs| row.seconds / theirs)),
                    number(row.mrays_per_second),
                    number(row.bytes_per_triangle),
                    number(row.peak_over_result),
                    number(row.gigabytes_per_second),
                ]);
            }
            text += &table.text();
        }
        text + "\ntimes: siliray's time over Embree's; bounce: million rays a second, one thread; \
                bytes: a triangle;\npeak: what the build took at most, over what it built\n"
    }
}
