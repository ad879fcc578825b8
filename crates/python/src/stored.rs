//! Tracers in files, and tracers that follow a scene which moves.

use crate::scene::Scene;
use crate::tracer::Tracer;
use crate::{errors, job, names};
use pyo3::prelude::*;
use siliray::input::{Input, Origin};
use siliray::trace::{RefitError, Tracer as Fast};
use std::path::PathBuf;
use std::sync::Arc;

/// Writes a tracer to a file.
#[pyfunction]
pub(crate) fn save(py: Python<'_>, tracer: &Tracer, path: PathBuf) -> PyResult<()> {
    let saved = job::run(py, tracer.thread_choice(), None, |_| tracer.fast().save(&path))?;
    saved.map_err(|error| errors::stored(&path, &error))
}

/// Reads a tracer from a file, and says where hits on its scene are if that is given.
#[pyfunction]
pub(crate) fn load(
    py: Python<'_>,
    path: PathBuf,
    scene: Option<&Scene>,
    kernel: Option<&str>,
    threads: usize,
) -> PyResult<Tracer> {
    let kernel = kernel.map(names::kernel).transpose()?;
    let fast = job::run(py, threads, None, |_| Fast::load_with(&path, kernel))?;
    let fast = fast.map_err(|error| errors::stored(&path, &error))?;
    let input = scene.map(|scene| Arc::clone(&scene.input));
    if let Some(input) = input.as_deref() {
        let (expected, found) = (size(&fast), size_of(input));
        if expected != found {
            let text = |[triangles, instances]: [usize; 2]| {
                format!("{triangles} triangles and {instances} instances")
            };
            let (path, name) = (path.display(), input.name());
            let (expected, found) = (text(expected), text(found));
            let message = format!("scene: {name} has {found}, but {path} has {expected}");
            return Err(errors::scene(message));
        }
    }
    Ok(Tracer::over(input, Origin::Stored.name(), fast, threads))
}

/// Triangles and instances.
fn size(fast: &Fast) -> [usize; 2] {
    [fast.triangle_count(), fast.instance_count().unwrap_or(0)]
}

fn size_of(input: &Input) -> [usize; 2] {
    match input {
        Input::Scene(scene) => [scene.triangle_count(), scene.instances.len()],
        Input::Image(image) => {
            let tree = image.checked.tree();
            let instances = tree.tlas.as_ref().map_or(0, |tlas| tlas.instances.len());
            [tree.triangle_count(), instances]
        }
    }
}

/// How much the trees of objects and the tree over instances have decayed, and how much was built
/// anew.
type Decay = (Vec<f64>, Option<f64>, usize);

/// A tracer that has followed a scene; what has decayed by more than `limit` is built anew. The old
/// one is left as it is: hits that it has found keep their places.
#[pyfunction]
pub(crate) fn refit(
    py: Python<'_>,
    tracer: &Tracer,
    moved: &Scene,
    limit: Option<f64>,
) -> PyResult<(Tracer, Decay)> {
    let threads = tracer.thread_choice();
    let made = job::run(py, threads, None, |_| {
        let scene = moved.input.scene().map_err(|error| errors::input(&error))?;
        let mut fast = tracer.fast().clone();
        let refit = match limit {
            Some(limit) => fast.refit_or_rebuild(&scene, limit),
            None => fast.refit(&scene),
        };
        let refit = refit.map_err(|error| match error {
            RefitError::InPlace => errors::trace(error),
            _ => errors::scene(error),
        })?;
        Ok::<_, PyErr>((fast, (refit.objects, refit.instances, refit.rebuilt)))
    })?;
    let (fast, decay) = made?;
    let input = Some(Arc::clone(&moved.input));
    Ok((Tracer::over(input, tracer.source_name(), fast, threads), decay))
}
