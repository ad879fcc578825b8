//! The rows as JSON and as tables.

use super::measure::TOLERANCE;
use super::ratios::{self, Ratio, ratios};
use crate::output::Table;
use crate::output::number::{counted, grouped, seconds};
use serde::Serialize;
use siliray::trace::Kernel;
use siliray::workload::Workload;

/// Where it was measured.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Machine {
    pub(super) cpu: String,
    pub(super) cores: usize,
    /// The instructions that siliray uses.
    pub(super) kernel: &'static str,
}

/// Another library that is not here.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Missing {
    pub(super) tracer: &'static str,
    pub(super) install: String,
}

/// Everything that was measured.
pub(super) struct Report {
    pub(super) machine: Machine,
    pub(super) scenes: Vec<SceneReport>,
    pub(super) missing: Vec<Missing>,
}

/// One scene.
pub(super) struct SceneReport {
    pub(super) name: String,
    /// As placed.
    pub(super) triangles: usize,
    /// Of each workload.
    pub(super) rays: usize,
    pub(super) rows: Vec<Row>,
}

/// One tracer on one workload.
pub(super) struct Row {
    pub(super) workload: Workload,
    pub(super) threads: usize,
    pub(super) tracer: &'static str,
    pub(super) mode: &'static str,
    pub(super) mrays_per_second: f64,
    pub(super) hits: usize,
    pub(super) build_seconds: f64,
    pub(super) bytes: u64,
    /// Rays whose answer is not that of the reference.
    pub(super) differing: usize,
}

/// What `--json` prints.
#[derive(Serialize)]
pub(super) struct Json<'a> {
    machine: &'a Machine,
    rows: Vec<JsonRow<'a>>,
    ratios: Vec<Ratio<'a>>,
    missing: &'a [Missing],
}

#[derive(Serialize)]
struct JsonRow<'a> {
    scene: &'a str,
    triangles: usize,
    workload: &'static str,
    threads: usize,
    tracer: &'static str,
    mode: &'static str,
    mrays_per_second: f64,
    hits: usize,
    build_seconds: f64,
    bytes_per_triangle: f64,
}

impl Machine {
    /// This one.
    pub(super) fn this(kernel: Kernel) -> Self {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = info.lines().find(|line| line.starts_with("model name"));
        let cpu =
            model.and_then(|line| line.split_once(':')).map(|(_, name)| name.trim().to_owned());
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let cpu = cpu.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
        Self { cpu, cores, kernel: kernel.name() }
    }
}

impl Report {
    /// As JSON.
    pub(super) fn json(&self) -> Json<'_> {
        let rows = self.scenes.iter().flat_map(|scene| {
            scene.rows.iter().map(|row| JsonRow {
                scene: &scene.name,
                triangles: scene.triangles,
                workload: row.workload.name(),
                threads: row.threads,
                tracer: row.tracer,
                mode: row.mode,
                mrays_per_second: row.mrays_per_second,
                hits: row.hits,
                build_seconds: row.build_seconds,
                bytes_per_triangle: scene.bytes_per_triangle(row),
            })
        });
        let ratios = self.scenes.iter().flat_map(|scene| {
            let of_threads = |threads| ratios(&scene.name, &scene.rows_with(threads));
            scene.numbers_of_threads().into_iter().flat_map(of_threads)
        });
        Json {
            machine: &self.machine,
            rows: rows.collect(),
            ratios: ratios.collect(),
            missing: &self.missing,
        }
    }

    /// A table for each scene and number of threads, with ratios and what the others do better;
    /// then who is missing.
    pub(super) fn text(&self) -> String {
        let Machine { cpu, cores, kernel } = &self.machine;
        let mut text = format!("{cpu}, {}, kernel {kernel}\n", counted(*cores, "core"));
        for scene in &self.scenes {
            text += &scene.text();
        }
        if !self.missing.is_empty() {
            text += "\nnot measured\n";
        }
        // One command may bring several.
        for alike in self.missing.chunk_by(|a, b| a.install == b.install) {
            let tracers: Vec<&str> = alike.iter().map(|missing| missing.tracer).collect();
            text += &format!("  {}: {}\n", tracers.join(", "), alike[0].install);
        }
        text
    }
}

impl SceneReport {
    fn bytes_per_triangle(&self, row: &Row) -> f64 {
        row.bytes as f64 / self.triangles.max(1) as f64
    }

    fn numbers_of_threads(&self) -> Vec<usize> {
        let mut numbers: Vec<usize> = self.rows.iter().map(|row| row.threads).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    fn rows_with(&self, threads: usize) -> Vec<&Row> {
        self.rows.iter().filter(|row| row.threads == threads).collect()
    }

    fn text(&self) -> String {
        self.numbers_of_threads().into_iter().map(|threads| self.table(threads)).collect()
    }

    fn table(&self, threads: usize) -> String {
        let rows = self.rows_with(threads);
        let (scale, what) = match rows.iter().any(|row| is_embree_single(row)) {
            true => ("times Embree 4 with single rays", is_embree_single as fn(&Row) -> bool),
            false => ("times siliray prepared", is_prepared as fn(&Row) -> bool),
        };
        let mut table = Table::new(&[
            "tracer",
            "mode",
            "primary",
            "",
            "occlusion",
            "",
            "bounce",
            "",
            "build",
            "bytes",
            "differ",
        ])
        .left(2);
        let first = |row: &&Row| row.workload == Workload::Primary;
        for row in rows.iter().copied().filter(|row| first(row)) {
            let mut cells = vec![row.tracer.to_owned(), row.mode.to_owned()];
            let mut differing = Vec::new();
            for workload in Workload::ALL {
                let same = |other: &&&Row| other.workload == workload;
                let mine = rows.iter().filter(same).find(|other| other.is_like(row));
                let base = rows.iter().filter(same).find(|other| what(other));
                let speed = mine.map_or(0.0, |row| row.mrays_per_second);
                let ratio = base.map_or(0.0, |base| speed / base.mrays_per_second);
                cells.extend([format!("{speed:.2}"), format!("{ratio:.2}")]);
                differing.push(mine.map_or(0, |row| row.differing).to_string());
            }
            cells.extend([
                seconds(row.build_seconds),
                format!("{:.1}", self.bytes_per_triangle(row)),
                differing.join("/"),
            ]);
            table.row(cells);
        }
        format!(
            "\n{}: {}, {} of each kind, {}\nmillion rays a second; beside them, {scale}; bytes a \
             triangle; answers that differ by more than {TOLERANCE}\n\n{}{}{}",
            self.name,
            counted(self.triangles, "triangle"),
            grouped(self.rays as u64) + " rays",
            counted(threads, "thread"),
            table.text(),
            ratios::text(&ratios(&self.name, &rows)),
            faster_than_siliray(&rows)
        )
    }
}

/// Where another library is faster than siliray's fastest mode: a line for each.
fn faster_than_siliray(rows: &[&Row]) -> String {
    let best = |workload| {
        let ours = rows.iter().filter(|row| row.workload == workload && row.tracer == "siliray");
        ours.map(|row| row.mrays_per_second).fold(1e-9, f64::max)
    };
    let others = rows.iter().filter(|row| row.workload == Workload::Primary);
    let line = |other: &&&Row| {
        let faster: Vec<String> = rows
            .iter()
            .filter(|row| row.is_like(other) && row.mrays_per_second > best(row.workload))
            .map(|row| {
                let times = row.mrays_per_second / best(row.workload);
                format!("{} {times:.2} times", row.workload.name())
            })
            .collect();
        let (tracer, mode) = (other.tracer, other.mode);
        let list = faster.join(", ");
        (!faster.is_empty()).then(|| format!("faster than siliray: {tracer} {mode}, {list}\n"))
    };
    others.filter_map(|other| line(&other)).collect()
}

impl Row {
    fn is_like(&self, other: &Self) -> bool {
        self.tracer == other.tracer && self.mode == other.mode
    }
}

fn is_embree_single(row: &Row) -> bool {
    row.tracer == "embree4" && row.mode == "single"
}

fn is_prepared(row: &Row) -> bool {
    row.tracer == "siliray" && row.mode == "prepared"
}
