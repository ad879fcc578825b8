//! What is measured: siliray in its modes. Other libraries implement the same traits in `peers`.

use crate::commands::about;
use crate::failure::Failure;
use siliray::build::Preset;
use siliray::geometry::Ray;
use siliray::machine::Hit;
use siliray::scene::Scene;
use siliray::trace::{Kernel, Mode, Options, Tracer};
use siliray::workload::Workload;
use std::ffi::OsStr;
use std::sync::Arc;
use std::time::Instant;

/// Rays that a thread takes at once where the tracer has no batches of its own.
pub(super) const CHUNK: usize = 4096;

/// Rays of a small call.
const SMALL: usize = 16;

/// A tracer with a scene in it.
pub(super) trait BenchTarget {
    /// Who it is.
    fn tracer(&self) -> &'static str;

    /// How it is used.
    fn mode(&self) -> &'static str;

    /// Time from the scene in memory to what can be traced.
    fn build_seconds(&self) -> f64;

    /// Memory that it walks.
    fn bytes(&self) -> u64;

    /// The rays in its own layout, in parts that threads may share.
    fn load<'a>(&'a self, workload: Workload, rays: &'a [Ray]) -> Vec<Box<dyn Work + 'a>>;
}

/// All that are compared.
pub(super) type BenchTargets = Vec<Box<dyn BenchTarget>>;

/// Rays laid out for a tracer, with room for its answers.
pub(super) trait Work: Send {
    /// Forgets the answers.
    fn reset(&mut self);

    /// Answers every ray. This is what is timed.
    fn run(&mut self);

    /// How far each ray gets: infinity for a miss, and 0 for an occluded ray.
    fn distances(&self) -> Vec<f32>;
}

/// siliray in a mode.
struct Siliray {
    tracer: Arc<Tracer>,
    mode: &'static str,
    build_seconds: f64,
    calls: Calls,
}

/// How many rays are asked about in a call.
#[derive(Clone, Copy)]
enum Calls {
    All,
    Small,
    One,
}

/// siliray in every mode, with a kernel and a preset, and the tracer of the first.
pub(super) fn siliray(
    scene: &Scene,
    kernel: Kernel,
    preset: Preset,
) -> Result<(BenchTargets, Arc<Tracer>), Failure> {
    let mut modes = Vec::new();
    for mode in Mode::ALL {
        let start = Instant::now();
        let options = Options { mode, kernel: Some(kernel), preset, ..Options::default() };
        let tracer =
            Arc::new(Tracer::with_options(scene, options).map_err(about(OsStr::new(&scene.name)))?);
        let build_seconds = start.elapsed().as_secs_f64();
        let mode = if mode == Mode::Prepared { "prepared" } else { "in_place" };
        modes.push(Siliray { tracer, mode, build_seconds, calls: Calls::All });
    }
    let Siliray { tracer, build_seconds, .. } = &modes[0];
    let (tracer, build_seconds) = (Arc::clone(tracer), *build_seconds);
    for (mode, calls) in [("calls16", Calls::Small), ("single", Calls::One)] {
        modes.push(Siliray { tracer: Arc::clone(&tracer), mode, build_seconds, calls });
    }
    let boxed = modes.into_iter().map(|mode| Box::new(mode) as Box<dyn BenchTarget>);
    Ok((boxed.collect(), tracer))
}

impl BenchTarget for Siliray {
    fn tracer(&self) -> &'static str {
        "siliray"
    }

    fn mode(&self) -> &'static str {
        self.mode
    }

    fn build_seconds(&self) -> f64 {
        self.build_seconds
    }

    fn bytes(&self) -> u64 {
        self.tracer.byte_count() as u64
    }

    fn load<'a>(&'a self, workload: Workload, rays: &'a [Ray]) -> Vec<Box<dyn Work + 'a>> {
        let any = workload == Workload::Occlusion;
        let tracer = &*self.tracer;
        let (part_rays, call) = match self.calls {
            Calls::All => (rays.len().max(1), rays.len().max(1)),
            Calls::Small => (CHUNK, SMALL),
            Calls::One => (CHUNK, 1),
        };
        let part = |rays: &'a [Ray]| -> Box<dyn Work + 'a> {
            let hits = || vec![Hit::MISS; rays.len()];
            if let Calls::One = self.calls {
                Box::new(Singles { tracer, any, rays, hits: hits() })
            } else if any {
                Box::new(AnyBatches { tracer, rays, call, answers: vec![false; rays.len()] })
            } else {
                Box::new(ClosestBatches { tracer, rays, call, hits: hits() })
            }
        };
        rays.chunks(part_rays).map(part).collect()
    }
}

/// Batches of `call` rays.
struct ClosestBatches<'a> {
    tracer: &'a Tracer,
    rays: &'a [Ray],
    call: usize,
    hits: Vec<Hit>,
}

impl Work for ClosestBatches<'_> {
    fn reset(&mut self) {
        self.hits.fill(Hit::MISS);
    }

    fn run(&mut self) {
        for (rays, hits) in self.rays.chunks(self.call).zip(self.hits.chunks_mut(self.call)) {
            self.tracer.batch().closest_into(rays, hits);
        }
    }

    fn distances(&self) -> Vec<f32> {
        self.hits.iter().map(|hit| hit.t).collect()
    }
}

/// The same for any hit.
struct AnyBatches<'a> {
    tracer: &'a Tracer,
    rays: &'a [Ray],
    call: usize,
    answers: Vec<bool>,
}

impl Work for AnyBatches<'_> {
    fn reset(&mut self) {
        self.answers.fill(false);
    }

    fn run(&mut self) {
        for (rays, answers) in self.rays.chunks(self.call).zip(self.answers.chunks_mut(self.call)) {
            self.tracer.batch().any_into(rays, answers);
        }
    }

    fn distances(&self) -> Vec<f32> {
        self.answers.iter().map(|&hit| if hit { 0.0 } else { f32::INFINITY }).collect()
    }
}

struct Singles<'a> {
    tracer: &'a Tracer,
    any: bool,
    rays: &'a [Ray],
    hits: Vec<Hit>,
}

impl Work for Singles<'_> {
    fn reset(&mut self) {
        self.hits.fill(Hit::MISS);
    }

    fn run(&mut self) {
        for (ray, hit) in self.rays.iter().zip(&mut self.hits) {
            *hit = if !self.any {
                self.tracer.closest_one(ray)
            } else if self.tracer.any_one(ray) {
                Hit { t: 0.0, ..Hit::MISS }
            } else {
                Hit::MISS
            };
        }
    }

    fn distances(&self) -> Vec<f32> {
        self.hits.iter().map(|hit| hit.t).collect()
    }
}
