//! Runs in turns, medians, answers compared.

use super::report::Row;
use super::target::{BenchTarget, Work};
use crate::failure::Failure;
use rayon::ThreadPool;
use rayon::prelude::*;
use siliray::geometry::Ray;
use siliray::workload::Workload;
use std::time::Instant;

/// Two distances agree if they differ by no more than this share of the larger.
pub(super) const TOLERANCE: f32 = 1e-3;

/// What is run.
pub(super) struct Plan<'a> {
    pub(super) workload: Workload,
    pub(super) rays: &'a [Ray],
    pub(super) threads: &'a [usize],
    pub(super) runs: usize,
}

impl Plan<'_> {
    /// A row for each number of threads and each target.
    pub(super) fn run(&self, targets: &[Box<dyn BenchTarget>]) -> Result<Vec<Row>, Failure> {
        let mut works: Vec<Vec<Box<dyn Work + '_>>> =
            targets.iter().map(|target| target.load(self.workload, self.rays)).collect();
        let mut rows = Vec::new();
        for &threads in self.threads {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|error| {
                Failure::input(format!("cannot start {threads} threads: {error}"))
            })?;
            let medians = self.medians(&mut works, &pool);
            let distances: Vec<Vec<f32>> = works.iter().map(|parts| distances(parts)).collect();
            let reference = reference(targets);
            for ((target, seconds), found) in targets.iter().zip(medians).zip(&distances) {
                let mrays_per_second = self.rays.len() as f64 / seconds / 1e6;
                rows.push(Row {
                    workload: self.workload,
                    threads,
                    tracer: target.tracer(),
                    mode: target.mode(),
                    mrays_per_second,
                    hits: found.iter().filter(|distance| distance.is_finite()).count(),
                    build_seconds: target.build_seconds(),
                    bytes: target.bytes(),
                    differing: differing(&distances[reference], found),
                });
            }
        }
        Ok(rows)
    }

    /// The median time of each target. They take turns, so that whatever slows the machine slows
    /// all of them; a first run warms caches and does not count.
    fn medians(&self, works: &mut [Vec<Box<dyn Work + '_>>], pool: &ThreadPool) -> Vec<f64> {
        let mut times = vec![Vec::with_capacity(self.runs); works.len()];
        for run in 0..=self.runs {
            for (parts, times) in works.iter_mut().zip(&mut times) {
                parts.iter_mut().for_each(|part| part.reset());
                let seconds = pool.install(|| {
                    let start = Instant::now();
                    match &mut parts[..] {
                        [whole] => whole.run(),
                        parts => parts.par_iter_mut().for_each(|part| part.run()),
                    }
                    start.elapsed().as_secs_f64()
                });
                if run > 0 {
                    times.push(seconds);
                }
            }
        }
        times.into_iter().map(median).collect()
    }
}

/// The middle one.
pub(super) fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(0.0).max(1e-9)
}

fn distances(parts: &[Box<dyn Work + '_>]) -> Vec<f32> {
    parts.iter().flat_map(|part| part.distances()).collect()
}

/// Whose answers the others are compared with: Embree's robust mode, else the first target.
fn reference(targets: &[Box<dyn BenchTarget>]) -> usize {
    targets.iter().position(|target| target.mode() == "robust").unwrap_or(0)
}

/// Rays that hit here and miss there, or hit at another distance.
fn differing(reference: &[f32], found: &[f32]) -> usize {
    let agree = |a: f32, b: f32| a == b || (a - b).abs() <= TOLERANCE * a.max(b).min(f32::MAX);
    reference.iter().zip(found).filter(|&(&a, &b)| !agree(a, b)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_differences() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        let inf = f32::INFINITY;
        let reference = [inf, 1.0, 2.0, 0.0, 5.0, inf];
        let found = [inf, 1.0005, 2.1, 0.0, inf, 7.0];
        assert_eq!(differing(&reference, &found), 3);
    }
}
