//! `siliray trace`: the hits of the rays in a file.

use super::{about, open_input};
use crate::failure::Failure;
use crate::machine_args::no_route;
use crate::output::number::{counted, rate, seconds};
use crate::output::{AtomicFile, Output};
use crate::trace_args::{QueryArg, Trace};
use rayon::prelude::*;
use serde::Serialize;
use siliray::build::Preset;
use siliray::geometry::{Ray, TriangleRule};
use siliray::gfx12::Gfx12;
use siliray::input::{Input, Origin, Prepared, StoredImage};
use siliray::machine::{Hit, Machine, MachineError, MachineInput, MachineOptions, downcast};
use siliray::ray_files::writer::{Content, push_hit, push_numbered_hit};
use siliray::ray_files::{Layout, RayReader};
use siliray::trace::{Mode, NAME as FAST, Options, Tracer};
use std::io::Write;
use std::time::Instant;

/// Rays that are in memory at once, where each has one answer.
const CHUNK: usize = 1 << 20;

/// The same where a ray may have any number of hits.
const CHUNK_OF_ALL: usize = 1 << 14;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    scene: String,
    format: &'static str,
    /// Whether the bytes of a file were walked as stored, or what was made of them.
    source: &'static str,
    machine: &'static str,
    query: &'static str,
    /// Of the fast tracer.
    mode: Option<&'static str>,
    triangle_rule: &'static str,
    /// Of the fast tracer.
    kernel: Option<&'static str>,
    rays: u64,
    hits: u64,
    seconds: f64,
    rays_per_second: f64,
    build_seconds: f64,
    /// Of the check of an image: geometry may lie outside boxes, and be lost.
    warnings: u32,
    output: String,
}

/// Traces and writes.
pub(crate) fn run(args: &Trace, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    let mut rays = RayReader::open(&args.rays).map_err(Failure::input)?;
    let mut file = AtomicFile::create(&args.output)?;
    let rule = TriangleRule::from(args.rule);
    let start = Instant::now();
    let walker = Walker::new(args, triangles, rule, output)?;
    let build_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let hits = trace(args, &walker, &mut rays, &mut file, output)?;
    let spent = start.elapsed().as_secs_f64();
    file.finish()?;
    let tracer = match &walker.who {
        Who::Fast(tracer) => Some(tracer),
        Who::Other(_) => None,
    };
    let json = Json {
        scene: walker.scene.clone(),
        format: walker.format,
        source: walker.origin.name(),
        machine: walker.machine,
        query: args.query.content().1,
        mode: tracer.map(|tracer| tracer.options().mode.name()),
        triangle_rule: rule.name(),
        kernel: tracer.map(|tracer| tracer.kernel().name()),
        rays: rays.count(),
        hits,
        seconds: spent,
        rays_per_second: rays.count() as f64 / spent.max(1e-9),
        build_seconds,
        warnings: walker.warnings,
        output: args.output.to_string_lossy().into_owned(),
    };
    output.result(&json, &text(&json))
}

/// Who traces, and what.
struct Walker {
    scene: String,
    format: &'static str,
    machine: &'static str,
    origin: Origin,
    /// What the check of an image warns about.
    warnings: u32,
    who: Who,
}

/// The tracer takes rays in batches, other machines one by one.
enum Who {
    Fast(Box<Tracer>),
    Other(Box<dyn Machine>),
}

impl Walker {
    fn new(
        args: &Trace,
        triangles: Option<usize>,
        rule: TriangleRule,
        output: &Output,
    ) -> Result<Self, Failure> {
        let input = open_input(&args.scene, triangles)?;
        let preset = args.preset.map(Preset::from);
        let route = args.tracer.route(&input, |build| build, preset);
        let bar = output.bar("building");
        let prepared = route.prepare(&input, &|progress| bar.update(progress));
        drop(bar);
        let Prepared { input: walked, mut origin, machine } =
            prepared.map_err(no_route(&args.scene))?;
        let warnings = match &input {
            Input::Image(image) if origin == Origin::Stored => warned(image),
            _ => 0,
        };
        let who = if machine.name == FAST {
            let (tracer, made) = tracer(args, &walked, rule)?;
            origin = match (made, origin) {
                (Some(made), Origin::Stored)
                | (Some(made @ Origin::Rebuilt), Origin::Converted { .. }) => made,
                _ => origin,
            };
            Who::Fast(Box::new(tracer))
        } else {
            let options = MachineOptions { rule, ..MachineOptions::default() };
            let made = (machine.make)(&walked, &options);
            Who::Other(made.map_err(about(&args.scene))?)
        };
        let (scene, format) = (input.name().to_owned(), walked.format());
        Ok(Self { scene, format, machine: machine.name, origin, warnings, who })
    }
}

/// The tracer over a tree, or over an image: as the machine `fast` walks it unless a mode is named.
/// Then a copy has boxes of its own, and a tree is encoded to be walked in place: what that makes
/// of an image is said too.
fn tracer(
    args: &Trace,
    walked: &MachineInput,
    rule: TriangleRule,
) -> Result<(Tracer, Option<Origin>), Failure> {
    let kernel = args.kernel;
    let options = |mode| Options { mode, rule, kernel, keeps_boxes: args.mode.is_none() };
    let image = match walked {
        MachineInput::Image(image) => downcast::<Gfx12>(image),
        MachineInput::Tree(_) => None,
    };
    let is_image = image.is_some();
    let tracer = match image {
        Some(image) => Tracer::from_image(image, options(args.mode.unwrap_or(Mode::InPlace))),
        None => Tracer::from_tree(walked.tree(), options(args.mode.unwrap_or_default())),
    };
    let made = match args.mode {
        Some(Mode::Prepared) => Some(Origin::Rebuilt),
        Some(Mode::InPlace) if !is_image => Some(Origin::Converted { from: walked.format() }),
        Some(Mode::InPlace) | None => None,
    };
    Ok((tracer.map_err(about(&args.scene))?, made))
}

/// Tells what the check of an image warns about, and how many warnings there are.
fn warned(image: &StoredImage) -> u32 {
    let warnings = image.warnings();
    if warnings > 0 {
        let (of, name) = (counted(warnings, "warning"), &image.name);
        // Nobody is left to be warned if standard error is closed.
        let _ = writeln!(
            std::io::stderr(),
            "warning: {name}: {of}, so hits may be lost; which ones depends on --mode; see \
             `siliray check {name}`"
        );
    }
    warnings
}

/// Reads, traces and writes part by part; says how many hits there are.
fn trace(
    args: &Trace,
    walker: &Walker,
    rays: &mut RayReader,
    file: &mut AtomicFile,
    output: &Output,
) -> Result<u64, Failure> {
    let (content, _) = args.query.content();
    let layout = Layout::of_name(&args.output);
    file.append(&content.header(layout, rays.count()))?;
    let chunk = if args.query == QueryArg::All { CHUNK_OF_ALL } else { CHUNK };
    let bar = output.bar("tracing");
    let (mut part, mut next, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    let (mut done, mut hits) = (0u64, 0);
    rays.read(&mut part, chunk).map_err(Failure::input)?;
    while !part.is_empty() {
        bytes.clear();
        // The next part is read while this one is traced.
        let (found, read) = rayon::join(
            || answer(args.query, walker, done, &part, &mut bytes),
            || rays.read(&mut next, chunk),
        );
        read.map_err(Failure::input)?;
        hits += found.map_err(about(&args.scene))?;
        file.append(&bytes)?;
        done += part.len() as u64;
        let _ = bar.set((done as f64 / rays.count() as f64) as f32);
        std::mem::swap(&mut part, &mut next);
    }
    let header = content.header(layout, hits);
    if args.query == QueryArg::All && !header.is_empty() {
        file.rewrite_start(&header)?;
    }
    Ok(hits)
}

/// Appends the answers of some rays, the first of which has the number `first`; says how many hits.
fn answer(
    query: QueryArg,
    walker: &Walker,
    first: u64,
    rays: &[Ray],
    bytes: &mut Vec<u8>,
) -> Result<u64, MachineError> {
    Ok(match query {
        QueryArg::Closest => {
            let hits = match &walker.who {
                Who::Fast(tracer) => Tracer::closest(tracer, rays),
                Who::Other(machine) => {
                    let one = |ray| Ok(machine.closest(ray)?.unwrap_or(Hit::MISS));
                    rays.par_iter().map(one).collect::<Result<_, MachineError>>()?
                }
            };
            hits.iter().for_each(|hit| push_hit(bytes, hit));
            hits.iter().filter(|hit| !hit.is_miss()).count() as u64
        }
        QueryArg::Any => {
            let answers = match &walker.who {
                Who::Fast(tracer) => Tracer::any(tracer, rays),
                Who::Other(machine) => {
                    rays.par_iter().map(|ray| machine.any(ray)).collect::<Result<_, _>>()?
                }
            };
            bytes.extend(answers.iter().map(|&hit| u8::from(hit)));
            answers.iter().filter(|&&hit| hit).count() as u64
        }
        QueryArg::All => {
            let all = match &walker.who {
                Who::Fast(tracer) => Tracer::all(tracer, rays),
                Who::Other(machine) => {
                    rays.par_iter().map(|ray| machine.all(ray)).collect::<Result<_, _>>()?
                }
            };
            for (hits, ray) in all.iter().zip(first..) {
                hits.iter().for_each(|hit| push_numbered_hit(bytes, ray, hit));
            }
            all.iter().map(|hits| hits.len() as u64).sum()
        }
    })
}

impl QueryArg {
    /// What is written, and what it is called.
    const fn content(self) -> (Content, &'static str) {
        match self {
            Self::Closest => (Content::Closest, "closest"),
            Self::Any => (Content::Any, "any"),
            Self::All => (Content::All, "all"),
        }
    }
}

fn text(json: &Json) -> String {
    format!(
        "{}: {} of {} in {} ({}), {} on {} ({}), {}\n",
        json.output,
        counted(json.hits, "hit"),
        counted(json.rays, "ray"),
        seconds(json.seconds),
        rate(json.rays_per_second),
        json.mode.map_or(json.machine.to_owned(), |mode| format!("{} {mode}", json.machine)),
        json.format,
        json.source,
        json.triangle_rule
    )
}
