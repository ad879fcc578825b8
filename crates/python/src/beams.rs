//! Beams, spheres and frusta: shapes by their numbers, and what they meet.

use crate::columns::{Columns, PyColumns};
use crate::errors;
use crate::tracer::Tracer;
use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use rayon::prelude::*;
use siliray::geometry::{Aabb, Beam, Frustum, Sphere, Vec3};
use siliray::machine::{BeamShape, LeafRule};
use siliray::trace::Hit;
use siliray::trace::beam::BeamAsk;

/// Shapes of one task.
const CHUNK: usize = 64;

/// What a shape is, and how many numbers it has.
const KINDS: [(&str, usize); 3] = [("beam", 12), ("sphere", 4), ("frustum", 14)];

/// A beam (two boxes), a sphere (centre, radius) or a frustum (eye, forward, right, up, near, far).
pub(crate) fn shape(kind: &str, numbers: &[f32], exact: bool) -> Result<BeamShape, String> {
    let count = KINDS.iter().find(|(name, _)| *name == kind).map_or(0, |(_, count)| *count);
    if numbers.len() != count || count == 0 {
        return Err(format!("found {} numbers, expected {count}", numbers.len()));
    }
    let leaf = if exact { LeafRule::Exact } else { LeafRule::Conservative };
    let vector = |place: usize| Vec3::from_slice(&numbers[3 * place..]);
    let made = match kind {
        "beam" => {
            let (from, to) = (Aabb::new(vector(0), vector(1)), Aabb::new(vector(2), vector(3)));
            let beam = Beam::from_aabbs_shrinking(&from, &to);
            return beam.map(|beam| BeamShape::new(beam, leaf)).map_err(|e| e.to_string());
        }
        "sphere" => BeamShape::volume(Sphere { center: vector(0), radius: numbers[3] }, leaf),
        _ => {
            let [near, far] = [numbers[12], numbers[13]];
            let (eye, forward, right, up) = (vector(0), vector(1), vector(2), vector(3));
            BeamShape::volume(Frustum { eye, forward, right, up, near, far }, leaf)
        }
    };
    made.map_err(|error| error.to_string())
}

/// Shapes of one kind, and which contacts count.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Shapes<'py> {
    kind: String,
    numbers: PyReadonlyArray2<'py, f32>,
    exact: bool,
    mask: u8,
}

/// Whether each shape meets anything.
#[pyfunction]
pub(crate) fn touches<'py>(
    py: Python<'py>,
    tracer: &Tracer,
    shapes: Shapes<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let answers = tracer.each_shape(py, &shapes, progress, |ask| ask.any())?;
    Ok(PyArray1::from_vec(py, answers))
}

/// What each shape meets first.
#[pyfunction]
pub(crate) fn first_contact<'py>(
    py: Python<'py>,
    tracer: &Tracer,
    shapes: Shapes<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<PyColumns<'py>> {
    let hits = tracer.each_shape(py, &shapes, progress, |ask| ask.first())?;
    let mut columns = Columns::default();
    let nothing = Hit { u: f32::INFINITY, ..Hit::MISS };
    hits.iter().for_each(|hit| columns.push(hit.as_ref().unwrap_or(&nothing)));
    Ok(columns.into_python(py))
}

/// Everything that each shape meets: where the contacts of each begin, and the contacts.
#[pyfunction]
pub(crate) fn contacts<'py>(
    py: Python<'py>,
    tracer: &Tracer,
    shapes: Shapes<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyArray1<i64>>, PyColumns<'py>)> {
    let hits = tracer.each_shape(py, &shapes, progress, |ask| {
        let mut hits = Vec::new();
        ask.collect(&mut hits);
        hits
    })?;
    let mut columns = Columns::default();
    let mut offsets = vec![0i64];
    for hits in &hits {
        hits.iter().for_each(|hit| columns.push(hit));
        offsets.push(columns.len() as i64);
    }
    Ok((PyArray1::from_vec(py, offsets), columns.into_python(py)))
}

impl Tracer {
    /// An answer for each shape.
    fn each_shape<T: Send>(
        &self,
        py: Python<'_>,
        shapes: &Shapes<'_>,
        progress: Option<&Bound<'_, PyAny>>,
        answer: impl Fn(BeamAsk<'_>) -> T + Sync,
    ) -> PyResult<Vec<T>> {
        let table = shapes.numbers.as_array();
        let numbers = table.to_slice().ok_or_else(|| errors::array("shapes with gaps"))?;
        let width = table.ncols().max(1);
        let Shapes { kind, exact, mask, .. } = shapes;
        if *exact && kind == "beam" && self.fast().instance_count().is_some() {
            let message = "exact beams need a world without instances, and this scene has some";
            return Err(errors::option(message));
        }
        self.run(py, table.nrows(), progress, |watch| {
            let parts = numbers.par_chunks(CHUNK * width).enumerate();
            let parts = parts.map(|(part, numbers)| {
                let mut answers = Vec::with_capacity(numbers.len() / width);
                if watch.is_cancelled() {
                    return Ok(answers);
                }
                for (row, numbers) in numbers.chunks(width).enumerate() {
                    let number = part * CHUNK + row;
                    let shape = shape(kind, numbers, *exact)
                        .map_err(|error| errors::array(format!("{kind} {number}: {error}")))?;
                    let ask = self.fast().shape(shape).map_err(errors::machine)?;
                    answers.push(answer(ask.mask(*mask)));
                }
                let _ = watch.advance(answers.len());
                Ok(answers)
            });
            let answers: Vec<Vec<T>> = parts.collect::<PyResult<_>>()?;
            Ok(answers.into_iter().flatten().collect())
        })?
    }
}
