//! `siliray` without a command: one scene through everything.

use super::{open_to_build, view_of};
use crate::args::{DEMO_SCENE, DEMO_TRIANGLES, Demo as Args};
use crate::failure::Failure;
use crate::output::number::{counted, grouped, rate, seconds};
use crate::output::{self, AtomicFile, NewFolder, Output, Table};
use serde::Serialize;
use siliray::build::Progress;
use siliray::cameras::Seen;
use siliray::demo::formats::FormatRow;
use siliray::demo::machines::MachineRow;
use siliray::demo::page::to_html;
use siliray::demo::{Demo, run as run_demo};
use siliray::documents::build::TreeFigures;
use siliray::documents::heat::HeatMapDocument;
use siliray::render::Picture;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    scene: String,
    triangles: usize,
    placed_triangles: usize,
    instances: usize,
    presets: Vec<TreeFigures>,
    preset: &'static str,
    heatmap: Option<HeatMapDocument>,
    formats: Vec<JsonFormat>,
    pixel: [u32; 2],
    machines: Vec<JsonMachine>,
    unit: Option<JsonUnit>,
    rays_per_second: BTreeMap<&'static str, f64>,
    broken: Option<JsonBroken>,
    timings: Vec<Timing>,
    seconds: f64,
    files: Vec<String>,
}

#[derive(Serialize)]
struct JsonFormat {
    format: &'static str,
    bytes: Option<u64>,
    bytes_per_triangle: Option<f64>,
    encode_seconds: Option<f64>,
    check_seconds: Option<f64>,
    refused: Option<String>,
}

#[derive(Serialize)]
struct JsonMachine {
    machine: &'static str,
    format: &'static str,
    t: Option<f32>,
    primitive: Option<u32>,
    steps: Option<usize>,
    rays: Option<usize>,
    hits: Option<usize>,
    losses: Option<usize>,
    mismatches: Option<usize>,
    refused: Option<String>,
}

#[derive(Serialize)]
struct JsonUnit {
    rays: u64,
    cycles: u64,
    blocks_per_ray: f64,
    bound: String,
}

#[derive(Serialize)]
struct JsonBroken {
    field: String,
    before: u64,
    after: u64,
    findings: usize,
    machine: &'static str,
    hits: usize,
    losses: usize,
    lost_pixels: u64,
}

#[derive(Serialize)]
struct Timing {
    step: &'static str,
    seconds: f64,
}

/// Runs the demo.
pub(crate) fn run(args: &Args, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    let files = Files::create(&args.output)?;
    let own_size = (args.scene == DEMO_SCENE).then_some(DEMO_TRIANGLES);
    let scene = open_to_build(&args.scene, triangles.or(own_size))?;
    let [width, height] = siliray::demo::SIZE;
    let camera = view_of(&args.scene, Seen::Scene(&scene), width as f32 / height as f32)?;
    let shown = Mutex::new(None);
    let watch = |step: &'static str, progress: Progress| {
        let Ok(mut shown) = shown.lock() else { return std::ops::ControlFlow::Continue(()) };
        if !matches!(&*shown, Some((name, _)) if *name == step) {
            *shown = None;
            *shown = Some((step, output.bar(step)));
        }
        match &*shown {
            Some((_, bar)) => bar.update(progress),
            None => std::ops::ControlFlow::Continue(()),
        }
    };
    let demo = run_demo(&scene, &camera, &watch);
    drop(shown);
    let demo = demo.map_err(Failure::input)?;
    demo.shaded.warnings.iter().for_each(output::warn);
    let commands = commands(&args.output, &demo);
    let json = Json {
        files: files.write(&demo, &commands)?,
        scene: demo.scene.clone(),
        triangles: demo.triangles,
        placed_triangles: demo.placed_triangles,
        instances: demo.instances,
        presets: demo.trees.iter().map(TreeFigures::from).collect(),
        preset: demo.preset.name(),
        heatmap: demo.heat_map.heat_map.as_ref().map(HeatMapDocument::from),
        formats: demo.formats.iter().map(JsonFormat::from).collect(),
        pixel: demo.pixel,
        machines: demo.machines.iter().map(JsonMachine::from).collect(),
        unit: demo.unit.as_ref().map(|row| JsonUnit {
            rays: row.key.rays,
            cycles: row.cycles,
            blocks_per_ray: row.blocks_per_ray,
            bound: row.bound.clone(),
        }),
        rays_per_second: demo.speeds.iter().map(|(kind, speed)| (kind.name(), *speed)).collect(),
        broken: demo.broken.as_ref().map(|broken| JsonBroken {
            field: broken.field.clone(),
            before: broken.change.0,
            after: broken.change.1,
            findings: broken.findings.len(),
            machine: broken.machine,
            hits: broken.hits,
            losses: broken.losses,
            lost_pixels: broken.pixels.lost,
        }),
        timings: demo.timings.iter().map(|&(step, seconds)| Timing { step, seconds }).collect(),
        seconds: demo.seconds(),
    };
    output.result(&json, &text(&demo, &json.files, &commands))?;
    let wrong: Vec<&str> = demo.wrong_machines().collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::input(format!("these machines differ from brute force: {}", wrong.join(", "))))
}

impl From<&FormatRow> for JsonFormat {
    fn from(row: &FormatRow) -> Self {
        let figures = row.outcome.as_ref().ok();
        Self {
            format: row.name,
            bytes: figures.map(|figures| figures.bytes),
            bytes_per_triangle: figures.map(|figures| figures.bytes_per_triangle),
            encode_seconds: figures.map(|figures| figures.encode_seconds),
            check_seconds: figures.map(|figures| figures.check_seconds),
            refused: row.outcome.as_ref().err().cloned(),
        }
    }
}

impl From<&MachineRow> for JsonMachine {
    fn from(row: &MachineRow) -> Self {
        let answer = row.outcome.as_ref().ok();
        let hit = answer.and_then(|answer| answer.hit);
        Self {
            machine: row.name,
            format: row.format,
            t: hit.map(|hit| hit.t),
            primitive: hit.map(|hit| hit.primitive),
            steps: answer.map(|answer| answer.walk.steps.len()),
            rays: answer.map(|answer| answer.rays),
            hits: answer.map(|answer| answer.law.hits),
            losses: answer.map(|answer| answer.law.losses),
            mismatches: answer.map(|answer| answer.law.mismatches),
            refused: row.outcome.as_ref().err().cloned(),
        }
    }
}

/// The files of the demo, begun before any work is done.
struct Files {
    files: [AtomicFile; 6],
    names: [String; 6],
    /// Last: it is removed after the files in it.
    _folder: NewFolder,
}

/// The page first; the last two are written if there is a broken file to show.
const FILES: [&str; 6] =
    ["report.html", "shaded.png", "boxes.png", "lost.png", "scene.rra", "broken.rra"];

impl Files {
    fn create(folder: &Path) -> Result<Self, Failure> {
        let new_folder = NewFolder::create(folder).map_err(|error| {
            Failure::input(format!("cannot make the folder {}: {error}", folder.display()))
                .hint("choose another with `siliray demo -o FOLDER`")
        })?;
        let paths = FILES.map(|name| folder.join(name));
        let [a, b, c, d, e, f] = &paths;
        let create = AtomicFile::create;
        Ok(Self {
            files: [create(a)?, create(b)?, create(c)?, create(d)?, create(e)?, create(f)?],
            names: paths.map(|path| path.to_string_lossy().into_owned()),
            _folder: new_folder,
        })
    }

    fn write(self, demo: &Demo, commands: &[String]) -> Result<Vec<String>, Failure> {
        let png = |picture: &Picture| picture.to_png().map_err(Failure::input);
        let [page, shaded, boxes, lost, sound, broken] = self.files;
        page.write(to_html(demo, commands).map_err(Failure::input)?.as_bytes())?;
        shaded.write(&png(&demo.shaded.picture)?)?;
        boxes.write(&png(&demo.heat_map.picture)?)?;
        let Some(damage) = &demo.broken else { return Ok(self.names[..3].to_vec()) };
        lost.write(&png(&damage.picture.picture)?)?;
        sound.write(&damage.sound_file)?;
        broken.write(&damage.file)?;
        Ok(self.names.to_vec())
    }
}

/// What to try next, on the files that were just written.
fn commands(folder: &Path, demo: &Demo) -> Vec<String> {
    let folder = folder.display();
    let [x, y] = demo.pixel;
    if demo.broken.is_none() {
        return [
            "siliray build hairball",
            "siliray conformance",
            "siliray walk interior --pixel 400,300",
        ]
        .map(str::to_owned)
        .to_vec();
    }
    vec![
        format!("siliray check {folder}/broken.rra"),
        format!("siliray walk {folder}/scene.rra --pixel {x},{y} --machine gfx12-gpurt"),
        format!("siliray conformance {folder}/broken.rra"),
    ]
}

fn text(demo: &Demo, files: &[String], commands: &[String]) -> String {
    let mut text = format!("{}: {}", demo.scene, counted(demo.triangles, "triangle"));
    if demo.instances > 0 {
        let (instances, placed) =
            (counted(demo.instances, "instance"), grouped(demo.placed_triangles as u64));
        text += &format!(", placed by {instances} as {placed}");
    }
    text += "\n\n";
    let mut table = Table::new(&["format", "bytes/triangle", "encode", "check"]);
    for row in &demo.formats {
        table.row(match &row.outcome {
            Ok(figures) => vec![
                row.name.to_owned(),
                format!("{:.1}", figures.bytes_per_triangle),
                seconds(figures.encode_seconds),
                seconds(figures.check_seconds),
            ],
            Err(reason) => vec![row.name.to_owned(), "-".into(), "-".into(), reason.clone()],
        });
    }
    text += &table.text();
    let [x, y] = demo.pixel;
    text += &format!("\nThe ray through pixel {x},{y}, and the law's verdict on each machine\n\n");
    let mut table =
        Table::new(&["machine", "format", "t", "triangle", "steps", "lost", "wrong", "of hits"]);
    for row in &demo.machines {
        table.row(match &row.outcome {
            Ok(answer) => vec![
                row.name.to_owned(),
                row.format.to_owned(),
                answer.hit.map_or_else(|| "-".to_owned(), |hit| hit.t.to_string()),
                answer.hit.map_or_else(|| "-".to_owned(), |hit| hit.primitive.to_string()),
                grouped(answer.walk.steps.len() as u64),
                answer.law.losses.to_string(),
                answer.law.mismatches.to_string(),
                grouped(answer.law.hits as u64),
            ],
            Err(_) => {
                let mut cells = vec!["-".to_owned(); 8];
                (cells[0], cells[1]) = (row.name.to_owned(), row.format.to_owned());
                cells
            }
        });
    }
    text += &table.text();
    text.push('\n');
    if let Some(unit) = &demo.unit {
        text += &format!(
            "traversal unit  {:.0} cycles a ray, limited by {}\n",
            unit.cycles as f64 / unit.key.rays.max(1) as f64,
            unit.bound
        );
    }
    for (kind, speed) in &demo.speeds {
        text += &format!("tracer          {} rays, {}\n", kind.name(), rate(*speed));
    }
    if let Some(broken) = &demo.broken {
        text += &format!(
            "broken file     {} lowered from {} to {}: {} loses {} of {} hits\n",
            broken.field,
            broken.change.0,
            broken.change.1,
            broken.machine,
            grouped(broken.losses as u64),
            grouped(broken.hits as u64)
        );
    }
    text += &format!("finished        in {}\n\nWrote\n", seconds(demo.seconds()));
    for file in files {
        text += &format!("  {file}\n");
    }
    text += "\nTry next\n";
    for command in commands {
        text += &format!("  {command}\n");
    }
    text
}
