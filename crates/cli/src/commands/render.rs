//! `siliray render`: a picture.

use super::{about, build_tree, open};
use crate::args::{MeasureArg, Render};
use crate::failure::Failure;
use crate::output::number::{counted, rate, seconds};
use crate::output::{AtomicFile, Output};
use serde::Serialize;
use siliray::build::Preset;
use siliray::geometry::TriangleRule;
use siliray::machine::Machine;
use siliray::machines::{LaidOut, MachineError, MachineName};
use siliray::render::{HeatMap, Rendering, Settings, Style};
use siliray::scene::{Camera, Scene};
use siliray::tree::Tree;
use std::collections::BTreeMap;
use std::time::Instant;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    scene: String,
    picture: String,
    width: u32,
    height: u32,
    samples: u32,
    format: &'static str,
    machine: &'static str,
    preset: &'static str,
    triangle_rule: &'static str,
    camera: [f32; 7],
    rays: u64,
    seconds: f64,
    rays_per_second: f64,
    build_seconds: f64,
    counters: BTreeMap<&'static str, u64>,
    heatmap: Option<HeatMapFigures>,
}

/// The scale of a heat map.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct HeatMapFigures {
    pub(crate) measure: &'static str,
    pub(crate) brightest: u64,
    pub(crate) least: u64,
    pub(crate) median: u64,
    pub(crate) mean: f64,
    pub(crate) percentile_99: u64,
    pub(crate) most: u64,
}

impl From<&HeatMap> for HeatMapFigures {
    fn from(map: &HeatMap) -> Self {
        Self {
            measure: map.measure.name(),
            brightest: map.brightest,
            least: map.least,
            median: map.median,
            mean: map.mean,
            percentile_99: map.percentile_99,
            most: map.most,
        }
    }
}

/// Renders and writes the picture.
pub(crate) fn run(args: &Render, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    require_png(args)?;
    require_counts(args)?;
    let file = AtomicFile::create(&args.output)?;
    let scene = open(&args.scene, triangles)?;
    let preset = args.preset.map(Preset::from);
    let options = args.shape.of(args.tracer.machine().build_options(preset));
    let built = build_tree(&scene, &options, output)?;
    let rule = TriangleRule::from(args.triangle_rule);
    let camera = args.camera.unwrap_or_else(|| default_camera(&scene, &built.tree.bounds()));
    let laid_out = lay_out(built.tree, args)?;
    let machine = laid_out.machine(rule).map_err(about(&args.scene))?;
    let style = match args.heatmap {
        Some(measure) => Style::HeatMap(measure.into()),
        None => Style::Shaded { samples: args.samples as u32 },
    };
    let settings = Settings { width: args.size.width, height: args.size.height, style };
    let (rendering, spent) = picture(&scene, &*machine, &camera, &settings, output)?;
    file.write(&rendering.picture.to_png().map_err(Failure::input)?)?;

    let rays = rendering.counters.queries;
    let json = Json {
        scene: scene.name.clone(),
        picture: args.output.to_string_lossy().into_owned(),
        width: settings.width,
        height: settings.height,
        samples: if args.heatmap.is_some() { 1 } else { args.samples as u32 },
        format: laid_out.format().name(),
        machine: machine.name(),
        preset: options.preset.name(),
        triangle_rule: rule.name(),
        camera: numbers(&camera),
        rays,
        seconds: spent,
        rays_per_second: rays as f64 / spent.max(1e-9),
        build_seconds: built.report.seconds,
        counters: rendering.counters.named().into_iter().collect(),
        heatmap: rendering.heat_map.as_ref().map(HeatMapFigures::from),
    };
    output.result(&json, &text(&json))
}

/// Blocks, bytes and cycles are counted by one machine alone.
fn require_counts(args: &Render) -> Result<(), Failure> {
    match args.heatmap {
        Some(MeasureArg::Blocks | MeasureArg::Bytes | MeasureArg::Cycles)
            if args.tracer.machine() != MachineName::Ttu =>
        {
            let machine = args.tracer.machine().name();
            Err(Failure::usage(format!("the machine {machine} counts no blocks, bytes or cycles"))
                .hint("add `--machine ttu`, or take --heatmap boxes, triangles or nodes"))
        }
        _ => Ok(()),
    }
}

/// The tree as the machine walks it.
fn lay_out(tree: Tree, args: &Render) -> Result<LaidOut, Failure> {
    let tracer = args.tracer;
    LaidOut::new(tree, tracer.format(), tracer.machine()).map_err(|error| match error {
        MachineError::Format { .. } => Failure::usage(&error)
            .hint(format!("it walks {}", tracer.machine().own_format().name())),
        _ => about(&args.scene)(&error),
    })
}

/// Renders with a progress bar; also says how many seconds it took.
pub(crate) fn picture(
    scene: &Scene,
    machine: &dyn Machine,
    camera: &Camera,
    settings: &Settings,
    output: &Output,
) -> Result<(Rendering, f64), Failure> {
    let bar = output.bar("rendering");
    let start = Instant::now();
    let rendering =
        siliray::render::render(scene, machine, camera, settings, &|progress| bar.update(progress))
            .map_err(Failure::input)?;
    Ok((rendering, start.elapsed().as_secs_f64()))
}

/// The scene's own camera, else one that sees everything.
pub(crate) fn default_camera(scene: &Scene, bounds: &siliray::geometry::Aabb) -> Camera {
    scene.camera.unwrap_or_else(|| Camera::framing(bounds))
}

/// Any other ending would name a picture that is not what it says.
fn require_png(args: &Render) -> Result<(), Failure> {
    match args.output.extension() {
        Some(ending) if !ending.eq_ignore_ascii_case("png") => {
            let name = args.output.display();
            Err(Failure::usage(format!(
                "pictures are written as PNG, and {name} is called otherwise"
            ))
            .hint(format!("try `-o {}`", args.output.with_extension("png").display())))
        }
        _ => Ok(()),
    }
}

fn numbers(camera: &Camera) -> [f32; 7] {
    let ([ex, ey, ez], [tx, ty, tz]) = (camera.eye.to_array(), camera.target.to_array());
    [ex, ey, ez, tx, ty, tz, camera.fov]
}

fn text(json: &Json) -> String {
    let mut text = format!(
        "{}: {}x{} pixels, {} in {} ({})\n",
        json.picture,
        json.width,
        json.height,
        counted(json.rays, "ray"),
        seconds(json.seconds),
        rate(json.rays_per_second)
    );
    if let Some(map) = &json.heatmap {
        text += &format!(
            "{} for each pixel: median {}, mean {:.1}, 99 % below {}, most {}; yellow is {} and more\n",
            map.measure,
            map.median,
            map.mean,
            map.percentile_99 + 1,
            map.most,
            map.brightest
        );
    }
    text
}
