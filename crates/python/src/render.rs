//! Pictures, heat maps and maps of lost pixels.

use crate::scene::Scene;
use crate::walker::{ViewChoice, Walker, seen, view};
use crate::{document, errors, job, names};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use siliray::documents::render::RenderDocument;
use siliray::render::{Measure, Settings, Style, View, render as picture, render_losses};
use std::time::Instant;

/// What is seen.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct RenderChoice {
    size: [u32; 2],
    samples: u32,
    heatmap: Option<String>,
    scale: Option<u64>,
    losses: bool,
    camera: Option<ViewChoice>,
}

/// The document, a PNG file, the pixels, and the counts of a heat map.
type Rendered<'py> =
    (String, Bound<'py, PyBytes>, Bound<'py, PyArray3<u8>>, Option<Bound<'py, PyArray2<u32>>>);

/// Renders what a machine sees.
#[pyfunction]
pub(crate) fn render<'py>(
    py: Python<'py>,
    scene: &Scene,
    walker: Walker,
    choice: RenderChoice,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Rendered<'py>> {
    let input = &*scene.input;
    let (route, options) = (walker.route(input)?, walker.options()?);
    let measure = choice.heatmap.as_deref();
    let measure = measure.map(|name| names::one_of("heatmap", name, &Measure::ALL, |m| m.name()));
    let measure = measure.transpose()?;
    let counted = measure.map(|measure| measure.counted_by(route.machine)).transpose();
    let measure = counted.map_err(|error| errors::option(error.to_string()))?;
    let [width, height] = choice.size;
    let style = match measure {
        Some(measure) => Style::HeatMap(measure),
        None => Style::Shaded { samples: choice.samples },
    };
    let settings = Settings { width, height, style };
    let made = job::run(py, 0, progress, |watch| {
        let start = Instant::now();
        let [first, second] = [watch.part(0, 2), watch.part(1, 2)];
        let prepared = route.prepare(input, &first).map_err(|error| errors::route(&error))?;
        let build_seconds = start.elapsed().as_secs_f64();
        let machine = prepared.make(&options).map_err(|error| errors::route(&error))?;
        let shown =
            View { tree: prepared.tree(), scene: input.as_scene(), input: Some(&prepared.input) };
        let aspect = width as f32 / height.max(1) as f32;
        let camera = view(scene, seen(input, &prepared), choice.camera.as_ref(), aspect)?;
        let start = Instant::now();
        let made = if choice.losses {
            let who = (prepared.machine, &*machine);
            let (walked, rule) = (&prepared.input, options.rule);
            render_losses(walked, who, rule, &camera, choice.size, &second)
                .map(|(rendering, lost)| (rendering, Some(lost)))
        } else {
            picture(&shown, &*machine, &camera, &settings, &second)
                .map(|rendering| (rendering, None))
        };
        let (mut rendering, lost) = made.map_err(|error| errors::render(&error))?;
        let times = [start.elapsed().as_secs_f64(), build_seconds];
        rendering.heat_map = rendering.heat_map.map(|map| match choice.scale {
            Some(brightest) => map.rescaled(brightest),
            None => map,
        });
        let walked = (&prepared, &route, options.rule);
        let shown = (&rendering, lost);
        let document = RenderDocument::new(input, walked, &camera, &settings, shown, times);
        let document = document::text(&document)?;
        let (picture, map) = match &rendering.heat_map {
            Some(map) => (map.picture(), Some(map)),
            None => (rendering.picture, None),
        };
        let png = map.map_or_else(|| picture.to_png(), |map| map.with_legend().to_png());
        let counts = map.map(|map| map.counts.clone());
        Ok::<_, PyErr>((document, png.map_err(errors::machine)?, picture, counts))
    })?;
    let (document, png, picture, counts) = made?;
    let [width, height] = [width, height].map(|side| side as usize);
    let pixels = PyArray1::from_vec(py, picture.pixels.into_flattened());
    let counts = counts.map(|counts| PyArray1::from_vec(py, counts).reshape([height, width]));
    Ok((document, PyBytes::new(py, &png), pixels.reshape([height, width, 3])?, counts.transpose()?))
}
