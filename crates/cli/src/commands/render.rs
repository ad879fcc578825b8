//! `siliray render`: a picture.

use super::{about, chosen_view, open_input_as, prepare, seen};
use crate::args::Render;
use crate::failure::Failure;
use crate::machine_args::refuse_rebuild;
use crate::output::number::{counted, rate, seconds};
use crate::output::{self, AtomicFile, Output};
use siliray::documents::heat::LossDocument;
use siliray::documents::render::RenderDocument;
use siliray::machine::Machine;
use siliray::render::{Rendering, Settings, Style, View, render_losses};
use siliray::scene::Camera;
use std::time::Instant;

/// Renders and writes the picture.
pub(crate) fn run(args: &Render, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    let kind = FileKind::of(args)?;
    let file = AtomicFile::create(&args.output)?;
    let input = open_input_as(&args.scene, triangles, &args.image)?;
    refuse_rebuild(&args.scene, &input, args.tracer.rebuild)?;
    let route = args.tracer.route(&args.scene, &input, args.shape)?;
    let measure = args.heatmap.map(|measure| measure.counted_by(route.machine)).transpose();
    let measure = measure.map_err(|error| Failure::usage(error.to_string()))?;
    let rule = args.rule.rule(route.machine)?;
    let start = Instant::now();
    let prepared = prepare(&route, &input, &args.scene, output)?;
    let build_seconds = start.elapsed().as_secs_f64();
    let machine = prepared.make(&args.tracer.options(rule)).map_err(about(&args.scene))?;
    let scene = input.as_scene();
    let view = View { tree: prepared.tree(), scene, input: Some(&prepared.input) };
    let seen = seen(&input, &prepared);
    let camera = chosen_view(&args.view, &args.scene, seen, args.size.aspect())?;
    let style = match measure {
        Some(measure) => Style::HeatMap(measure),
        None => Style::Shaded { samples: args.samples as u32 },
    };
    let settings = Settings { width: args.size.width, height: args.size.height, style };
    let start = Instant::now();
    let (rendering, lost) = if args.losses {
        let bar = output.bar("rendering");
        let watch = |progress| bar.update(progress);
        let size = [settings.width, settings.height];
        let who = (prepared.machine, &*machine);
        let map = render_losses(&prepared.input, who, rule, &camera, size, &watch);
        let (rendering, lost) = map.map_err(Failure::input)?;
        (rendering, Some(lost))
    } else {
        (picture(&view, &*machine, &camera, &settings, output)?.0, None)
    };
    rendering.warnings.iter().for_each(output::warn);
    let spent = start.elapsed().as_secs_f64();
    let rendering = rescaled(rendering, args.scale);
    file.write(&kind.bytes(&rendering)?)?;

    let walked = (&prepared, &route, rule);
    let shown = (&rendering, lost);
    let times = [spent, build_seconds];
    let document = RenderDocument::new(&input, walked, &camera, &settings, shown, times);
    let name = args.output.to_string_lossy().into_owned();
    let json = RenderDocument { output: Some(name), ..document };
    output.result(&json, &text(&json))
}

/// Renders with a progress bar; also says how many seconds it took.
pub(crate) fn picture(
    view: &View<'_>,
    machine: &dyn Machine,
    camera: &Camera,
    settings: &Settings,
    output: &Output,
) -> Result<(Rendering, f64), Failure> {
    let bar = output.bar("rendering");
    let start = Instant::now();
    let watch = |progress| bar.update(progress);
    let rendering =
        siliray::render::render(view, machine, camera, settings, &watch).map_err(Failure::input)?;
    Ok((rendering, start.elapsed().as_secs_f64()))
}

/// A heat map on the scale that was asked for.
fn rescaled(rendering: Rendering, scale: Option<usize>) -> Rendering {
    let map = rendering.heat_map.map(|map| match scale {
        Some(brightest) => map.rescaled(brightest as u64),
        None => map,
    });
    Rendering { heat_map: map, ..rendering }
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileKind {
    Png,
    Npy,
}

impl FileKind {
    /// By the ending of the file; any other would name a picture that is not what it says.
    fn of(args: &Render) -> Result<Self, Failure> {
        let ending = args.output.extension().map(|ending| ending.to_ascii_lowercase());
        match ending.as_deref().and_then(|ending| ending.to_str()) {
            None if ending.is_none() => Ok(Self::Png),
            Some("png") => Ok(Self::Png),
            Some("npy") if args.heatmap.is_some() => Ok(Self::Npy),
            Some("npy") => Err(Failure::usage("only heat maps are written as .npy")
                .hint("add `--heatmap boxes`, or call the picture .png")),
            _ => {
                let name = args.output.display();
                Err(Failure::usage(format!(
                    "pictures are written as PNG, and {name} is called otherwise"
                ))
                .hint(format!("try `-o {}`", args.output.with_extension("png").display())))
            }
        }
    }

    fn bytes(self, rendering: &Rendering) -> Result<Vec<u8>, Failure> {
        match (&rendering.heat_map, self) {
            (Some(map), Self::Npy) => Ok(map.to_npy()),
            (Some(map), Self::Png) => map.with_legend().to_png().map_err(Failure::input),
            (None, _) => rendering.picture.to_png().map_err(Failure::input),
        }
    }
}

fn text(json: &RenderDocument) -> String {
    let mut text = format!(
        "{}: {}x{} pixels, {} in {} ({})\n",
        json.output.as_deref().unwrap_or_default(),
        json.width,
        json.height,
        counted(json.rays, "ray"),
        seconds(json.seconds),
        rate(json.rays_per_second)
    );
    text += &format!("walked: {} on {} ({})\n", json.machine, json.format, json.source);
    if let Some(LossDocument { hits, lost, wrong }) = &json.losses {
        text += &format!("{lost} of {hits} pixels with something in them are lost");
        text += &if *wrong > 0 { format!(", {wrong} are wrong\n") } else { "\n".to_owned() };
    }
    if let Some(map) = &json.heatmap {
        text += &format!(
            "{} for each pixel: median {}, mean {:.1}, 99 % below {}, most {}; yellow is {} and \
             more\n",
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
