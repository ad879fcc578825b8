//! `siliray trace`: the hits of the rays in a file.

use super::{about, open_input_as, prepare_silently, warn_if_stored};
use crate::args::TreeShape;
use crate::failure::Failure;
use crate::machine_args::{refuse_rebuild, rule_name};
use crate::output::number::{counted, rate, seconds};
use crate::output::{AtomicFile, Output, is_stdout};
use crate::trace_args::Trace;
use rayon::prelude::*;
use serde::Serialize;
use siliray::geometry::{Ray, TriangleRule, Vec3};
use siliray::gfx12::Gfx12;
use siliray::input::{Origin, Prepared};
use siliray::machine::{Hit, HitKind, Machine, MachineEntry, MachineError, MachineInput, downcast};
use siliray::ray_files::writer::{Content, Extras, HitRow, RowWriter};
use siliray::ray_files::{Layout, RayFileProblem, RayReader};
use siliray::render::View;
use siliray::render::surface::Surfaces;
use siliray::trace::{Mode, NAME as FAST, Options, Tracer};
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
    /// Of machines without a triangle arithmetic of their own.
    triangle_rule: Option<&'static str>,
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
    let kind = args.query.kind;
    let extras = Extras { positions: args.positions, normals: args.normals };
    let content = match kind {
        HitKind::Closest => Content::Closest(extras),
        HitKind::All => Content::All(extras),
        HitKind::Any if extras == Extras::default() => Content::Any,
        HitKind::Any => {
            let message = "--query any tells whether there is a hit, not where";
            return Err(Failure::usage(message).hint("take --query closest or all"));
        }
    };
    output.refuse_mixture(&args.output.file)?;
    let mut rays = RayReader::open(&args.rays).map_err(|error| match error.problem {
        RayFileProblem::Layout { .. } => {
            Failure::input(error).hint("`siliray help trace` says what files of rays are")
        }
        _ => Failure::input(error),
    })?;
    let layout = args.output.layout(rays.layout())?;
    if kind == HitKind::All && layout == Layout::Npy && is_stdout(&args.output.file) {
        let message = "-o -: .npy begins with the number of hits, which is known only at the end";
        return Err(Failure::usage(message).hint("add --layout csv or raw"));
    }
    let writer = RowWriter::new(content, layout).map_err(Failure::input)?;
    let mut file = AtomicFile::create(&args.output.file)?;
    let start = Instant::now();
    let walker = Walker::new(args, triangles, output)?;
    let build_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let hits = trace(&walker, writer, &mut rays, &mut file, output)?;
    let spent = start.elapsed().as_secs_f64();
    file.finish()?;
    let tracer = match &walker.tracer {
        AnyTracer::Fast(tracer) => Some(tracer),
        AnyTracer::Other(_) => None,
    };
    let json = Json {
        scene: walker.scene.clone(),
        format: walker.format,
        source: walker.origin.name(),
        machine: walker.machine.name,
        query: kind.name(),
        mode: tracer.map(|tracer| tracer.options().mode.name()),
        triangle_rule: rule_name(walker.machine, walker.rule),
        kernel: tracer.map(|tracer| tracer.kernel().name()),
        rays: rays.count(),
        hits,
        seconds: spent,
        rays_per_second: rays.count() as f64 / spent.max(1e-9),
        build_seconds,
        warnings: walker.warnings,
        output: args.output.name(),
    };
    output.written(&args.output.file, &json, &text(&json))
}

/// Who traces, and what.
struct Walker {
    scene: String,
    format: &'static str,
    machine: &'static MachineEntry,
    rule: TriangleRule,
    origin: Origin,
    /// What the check of an image warns about.
    warnings: u32,
    walked: MachineInput,
    tracer: AnyTracer,
}

/// The tracer takes rays in batches, other machines one by one.
enum AnyTracer {
    Fast(Box<Tracer>),
    Other(Box<dyn Machine>),
}

impl Walker {
    fn new(args: &Trace, triangles: Option<usize>, output: &Output) -> Result<Self, Failure> {
        let input = open_input_as(&args.scene, triangles, &args.image)?;
        let route = args.tracer.route(&args.scene, &input, TreeShape::default())?;
        let rule = args.rule.rule(route.machine)?;
        refuse_tracer_options(args, route.machine)?;
        refuse_rebuild(&args.scene, &input, args.tracer.rebuild)?;
        let mut prepared = prepare_silently(&route, &input, &args.scene, output)?;
        let machine = prepared.machine;
        let walks = if machine.name == FAST {
            let (tracer, made) = tracer(args, &prepared.input, rule)?;
            prepared.origin = match (made, prepared.origin) {
                (Some(made), Origin::Stored)
                | (Some(made @ Origin::Rebuilt), Origin::Converted { .. }) => made,
                _ => prepared.origin,
            };
            AnyTracer::Fast(Box::new(tracer))
        } else {
            AnyTracer::Other(prepared.make(&args.tracer.options(rule)).map_err(about(&args.scene))?)
        };
        let warnings = warn_if_stored(&args.scene, &input, &prepared);
        let Prepared { input: walked, origin, .. } = prepared;
        let (scene, format) = (input.name().to_owned(), walked.format());
        Ok(Self { scene, format, machine, rule, origin, warnings, walked, tracer: walks })
    }

    /// The answer of each ray.
    fn each<T: Send>(
        &self,
        rays: &[Ray],
        batch: fn(&Tracer, &[Ray]) -> Vec<T>,
        one: impl Fn(&dyn Machine, &Ray) -> Result<T, MachineError> + Sync,
    ) -> Result<Vec<T>, Failure> {
        match &self.tracer {
            AnyTracer::Fast(tracer) => Ok(batch(tracer, rays)),
            AnyTracer::Other(machine) => {
                let answers = rays.par_iter().map(|ray| one(&**machine, ray));
                let answers = answers.collect::<Result<_, MachineError>>();
                answers.map_err(|error| Failure::input(format!("{}: {error}", self.scene)))
            }
        }
    }
}

/// Refuses options of the fast tracer for other machines.
fn refuse_tracer_options(args: &Trace, machine: &MachineEntry) -> Result<(), Failure> {
    let given = [("--mode", args.mode.is_some()), ("--kernel", args.kernel.kernel.is_some())];
    match given.into_iter().find(|(_, is_given)| *is_given && machine.name != FAST) {
        None => Ok(()),
        Some((option, _)) => {
            let message = format!("the machine {} has no {option}", machine.name);
            Err(Failure::usage(message).hint(format!("the machine that does is {FAST}")))
        }
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
    let kernel = args.kernel.kernel;
    let keeps_boxes = args.mode.is_none();
    let options = |mode| Options { mode, rule, kernel, keeps_boxes, ..Options::default() };
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

/// Reads, traces and writes part by part; says how many hits there are.
fn trace(
    walker: &Walker,
    mut writer: RowWriter,
    rays: &mut RayReader,
    file: &mut AtomicFile,
    output: &Output,
) -> Result<u64, Failure> {
    let is_all = matches!(writer.content(), Content::All(_));
    file.append(&writer.header(rays.count()))?;
    let chunk = if is_all { CHUNK_OF_ALL } else { CHUNK };
    let points = Points::new(writer.content(), walker);
    let bar = output.bar("tracing");
    let (mut part, mut next, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    let (mut done, mut hits) = (0u64, 0);
    rays.read(&mut part, chunk).map_err(Failure::input)?;
    while !part.is_empty() {
        bytes.clear();
        // The next part is read while this one is traced.
        let (found, read) = rayon::join(
            || answer(&mut writer, walker, points.as_ref(), done, &part, &mut bytes),
            || rays.read(&mut next, chunk),
        );
        read.map_err(Failure::input)?;
        hits += found?;
        file.append(&bytes)?;
        done += part.len() as u64;
        let _ = bar.set((done as f64 / rays.count() as f64) as f32);
        std::mem::swap(&mut part, &mut next);
    }
    if is_all && writer.layout() == Layout::Npy {
        file.rewrite_start(&writer.header(hits))?;
    }
    bytes.clear();
    writer.finish(&mut bytes).map_err(Failure::input)?;
    file.append(&bytes)?;
    Ok(hits)
}

/// Where hits are, if that is asked for.
struct Points<'a> {
    surfaces: Surfaces<'a>,
    extras: Extras,
}

impl<'a> Points<'a> {
    fn new(content: Content, walker: &'a Walker) -> Option<Self> {
        let (Content::Closest(extras) | Content::All(extras)) = content else { return None };
        let surfaces = || Surfaces::new(View::of(walker.walked.tree()), walker.machine.name);
        (extras != Extras::default()).then(|| Self { surfaces: surfaces(), extras })
    }

    /// A hit with its point and normal; those of a miss are NaN.
    fn row(&self, ray: &Ray, hit: Hit) -> Result<HitRow, Failure> {
        let (position, normal) = if hit.is_miss() {
            (Vec3::NAN, Vec3::NAN)
        } else {
            let point = self.surfaces.at(ray, &hit).map_err(Failure::input)?;
            (point.position, point.normal)
        };
        let Extras { positions, normals } = self.extras;
        Ok(HitRow { hit, vectors: [positions.then_some(position), normals.then_some(normal)] })
    }
}

/// Appends the answers of some rays, the first of which has the number `first`; says how many hits.
fn answer(
    writer: &mut RowWriter,
    walker: &Walker,
    points: Option<&Points<'_>>,
    first: u64,
    rays: &[Ray],
    bytes: &mut Vec<u8>,
) -> Result<u64, Failure> {
    let content = writer.content();
    let mut write = |ray: usize, hit: Hit| {
        let row = match points {
            Some(points) => points.row(&rays[ray], hit)?,
            None => HitRow { hit, vectors: [None; 2] },
        };
        writer.hit(bytes, first + ray as u64, &row);
        Ok::<u64, Failure>(u64::from(!hit.is_miss()))
    };
    let hits = match content {
        Content::Closest(_) => {
            let hits = walker.each(rays, Tracer::closest, |machine, ray| {
                Ok(machine.closest(ray)?.unwrap_or(Hit::MISS))
            })?;
            hits.into_iter().enumerate().map(|(ray, hit)| write(ray, hit)).sum::<Result<_, _>>()?
        }
        Content::All(_) => {
            let all = walker.each(rays, Tracer::all, |machine, ray| machine.all(ray))?;
            let hits = all.into_iter().enumerate();
            hits.flat_map(|(ray, hits)| hits.into_iter().map(move |hit| (ray, hit)))
                .map(|(ray, hit)| write(ray, hit))
                .sum::<Result<_, _>>()?
        }
        Content::Any | Content::Rays => {
            let answers = walker.each(rays, Tracer::any, |machine, ray| machine.any(ray))?;
            answers.iter().for_each(|&hit| writer.any(bytes, hit));
            answers.iter().filter(|&&hit| hit).count() as u64
        }
    };
    writer.end_part(bytes).map_err(Failure::input)?;
    Ok(hits)
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
        json.triangle_rule.unwrap_or("by its own triangle test")
    )
}
