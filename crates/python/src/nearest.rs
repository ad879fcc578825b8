//! The nearest points of the surface.

use crate::arrays::Floats;
use crate::columns::{Columns, PyColumns, filled};
use crate::errors;
use crate::tracer::Tracer;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;
use siliray::trace::NearestPoint;

/// Points of one task.
const CHUNK: usize = 1 << 8;

/// Points; distance, u, v, instance, geometry and primitive of each; whether each is inside.
type PyNearest<'py> = (Bound<'py, PyArray2<f64>>, PyColumns<'py, f64>, Bound<'py, PyArray1<bool>>);

/// The nearest point of the surface for each point, of instances that share a bit with `mask`, no
/// farther than `within`.
#[pyfunction]
pub(crate) fn nearest_points<'py>(
    py: Python<'py>,
    tracer: &Tracer,
    points: Floats<'py>,
    ask: (u8, f64),
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<PyNearest<'py>> {
    let (mask, within) = ask;
    if within.is_nan() || within < 0.0 {
        return Err(errors::option(format!("within: found {within}, expected at least 0")));
    }
    let points = points.point_rows();
    let points = py.detach(|| points.held("points"))?;
    let mut found = filled(NearestPoint::MISS, points.len(), "answers")?;
    tracer.run(py, points.len(), progress, |watch| {
        let ask = tracer.fast().nearest().mask(mask).within(within);
        let parts = points.par_chunks(CHUNK).zip(found.par_chunks_mut(CHUNK));
        let _ = parts.into_par_iter().try_for_each(|(points, found)| {
            ask.points_into(points, found);
            watch.advance(points.len())
        });
    })?;
    let (columns, places, is_inside) = py.detach(|| {
        let mut columns = Columns::with_room(found.len())?;
        for NearestPoint { distance, u, v, instance, geometry, primitive, .. } in &found {
            columns.push_row([*distance, *u, *v], [*instance, *geometry, *primitive]);
        }
        let places: Vec<f64> = found.iter().flat_map(|found| found.point).collect();
        let is_inside: Vec<bool> = found.iter().map(|found| found.is_inside).collect();
        Ok::<_, PyErr>((columns, places, is_inside))
    })?;
    let places = PyArray1::from_vec(py, places).reshape([found.len(), 3])?;
    Ok((places, columns.into_python(py), PyArray1::from_vec(py, is_inside)))
}
