//! `siliray trace`: the hits of the rays in a file.

use super::{about, no_image, open};
use crate::failure::Failure;
use crate::output::number::{counted, rate, seconds};
use crate::output::{AtomicFile, Output};
use crate::trace_args::{QueryArg, Trace};
use serde::Serialize;
use siliray::geometry::{Ray, TriangleRule};
use siliray::gfx12;
use siliray::image_file::{self, is_container};
use siliray::machine::Severity;
use siliray::ray_files::writer::{Content, push_hit, push_numbered_hit};
use siliray::ray_files::{Layout, RayReader};
use siliray::trace::{Options, Tracer};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Rays that are in memory at once, where each has one answer.
const CHUNK: usize = 1 << 20;

/// The same where a ray may have any number of hits.
const CHUNK_OF_ALL: usize = 1 << 14;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    scene: String,
    query: &'static str,
    mode: &'static str,
    triangle_rule: &'static str,
    kernel: &'static str,
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
    let mode = args.mode;
    let rule = TriangleRule::from(args.rule);
    let start = Instant::now();
    let Opened { scene, tracer, warnings } =
        tracer(args, triangles, Options { mode, rule, kernel: args.kernel })?;
    let build_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let hits = trace(args, &tracer, &mut rays, &mut file, output)?;
    let spent = start.elapsed().as_secs_f64();
    file.finish()?;
    let json = Json {
        scene,
        query: args.query.content().1,
        mode: mode.name(),
        triangle_rule: rule.name(),
        kernel: tracer.kernel().name(),
        rays: rays.count(),
        hits,
        seconds: spent,
        rays_per_second: rays.count() as f64 / spent.max(1e-9),
        build_seconds,
        warnings,
        output: args.output.to_string_lossy().into_owned(),
    };
    output.result(&json, &text(&json))
}

/// A tracer, and what it is over.
struct Opened {
    scene: String,
    tracer: Tracer,
    /// What the check of an image warns about.
    warnings: u32,
}

/// A tracer over a scene, or over the image that a file holds.
fn tracer(args: &Trace, triangles: Option<usize>, options: Options) -> Result<Opened, Failure> {
    let path = Path::new(&args.scene);
    if triangles.is_none() && is_container(path) {
        let file = image_file::open(path, None, None).map_err(no_image)?;
        if file.image.format == gfx12::NAME {
            let report = file.check_image();
            let Some(image) = report.checked else {
                let errors = report.findings.iter().filter(|f| f.severity == Severity::Error);
                let first = errors.map(|finding| format!(": {finding}")).next().unwrap_or_default();
                let path = path.display();
                let message = format!("{path}: the image is not safe to walk{first}");
                return Err(Failure::input(message).hint(format!("try `siliray check {path}`")));
            };
            let warnings = report.findings.iter().filter(|f| f.severity == Severity::Warning);
            let warnings = warnings.map(|finding| finding.count).sum();
            if warnings > 0 {
                let of = counted(warnings, "warning");
                let path = path.display();
                // Nobody is left to be warned if standard error is closed.
                let _ = writeln!(
                    std::io::stderr(),
                    "warning: {path}: {of}, so hits may be lost, other ones in each mode; see \
                     `siliray check {path}`"
                );
            }
            let tracer = Tracer::from_image(image, options).map_err(about(&args.scene))?;
            let name = path.file_name().unwrap_or(path.as_os_str());
            return Ok(Opened { scene: name.to_string_lossy().into_owned(), tracer, warnings });
        }
    }
    let scene = open(&args.scene, triangles)?;
    let tracer = Tracer::with_options(&scene, options).map_err(about(&args.scene))?;
    Ok(Opened { scene: scene.name, tracer, warnings: 0 })
}

/// Reads, traces and writes part by part; says how many hits there are.
fn trace(
    args: &Trace,
    tracer: &Tracer,
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
            || answer(args.query, tracer, done, &part, &mut bytes),
            || rays.read(&mut next, chunk),
        );
        read.map_err(Failure::input)?;
        hits += found;
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
fn answer(query: QueryArg, tracer: &Tracer, first: u64, rays: &[Ray], bytes: &mut Vec<u8>) -> u64 {
    match query {
        QueryArg::Closest => {
            let hits = tracer.closest(rays);
            hits.iter().for_each(|hit| push_hit(bytes, hit));
            hits.iter().filter(|hit| !hit.is_miss()).count() as u64
        }
        QueryArg::Any => {
            let answers = tracer.any(rays);
            bytes.extend(answers.iter().map(|&hit| u8::from(hit)));
            answers.iter().filter(|&&hit| hit).count() as u64
        }
        QueryArg::All => {
            let all = tracer.all(rays);
            for (hits, ray) in all.iter().zip(first..) {
                hits.iter().for_each(|hit| push_numbered_hit(bytes, ray, hit));
            }
            all.iter().map(|hits| hits.len() as u64).sum()
        }
    }
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
        "{}: {} of {} in {} ({}), {} {}\n",
        json.output,
        counted(json.hits, "hit"),
        counted(json.rays, "ray"),
        seconds(json.seconds),
        rate(json.rays_per_second),
        json.mode,
        json.triangle_rule
    )
}
