//! Rays that a generator makes while they are traced.

use crate::arrays::{RayArrays, Rays};
use crate::columns::filled;
use crate::tracer::CHUNK;
use crate::{errors, job};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;
use siliray::generators::{Generated, Generator, PlacedTriangles};
use siliray::geometry::Ray;
use std::ops::Range;
use std::sync::Arc;

/// Some rays of a generator.
#[pyclass(frozen, module = "siliray._native")]
pub(crate) struct GeneratedRays {
    rays: Generated,
    first: u64,
    count: usize,
}

impl GeneratedRays {
    /// `count` rays from number `first` on of a generator as JSON; `ground` is asked for if they
    /// start from the scene.
    pub(crate) fn new(
        json: &str,
        first: u64,
        count: Option<u64>,
        ground: impl FnOnce() -> PyResult<Arc<PlacedTriangles>>,
    ) -> PyResult<Self> {
        let generator = Generator::from_json(json).map_err(errors::option)?;
        let ground = if generator.needs_triangles() { Some(ground()?) } else { None };
        let rays = Generated::new(generator, ground).map_err(errors::option)?;
        let range = rays.range(first, count).map_err(errors::option)?;
        let count = range.end - range.start;
        let count = usize::try_from(count).map_err(|_| errors::room(count, "answers"))?;
        Ok(Self { rays, first, count })
    }
}

/// Rows of eight floats.
pub(crate) type PyRows<'py> = Bound<'py, PyArray2<f32>>;

#[pymethods]
impl GeneratedRays {
    /// The rays themselves, (N, 8): ox oy oz tmin dx dy dz tmax.
    fn to_numpy<'py>(slf: &Bound<'py, Self>) -> PyResult<PyRows<'py>> {
        rows(slf.py(), 0, &AnyRays::Generated(slf.get()))
    }

    fn __len__(&self) -> usize {
        self.count
    }

    /// The same, also where it is more than Python's lengths can be.
    #[getter]
    const fn count(&self) -> usize {
        self.count
    }

    /// All that the generator makes.
    #[getter]
    fn total(&self) -> u64 {
        self.rays.count()
    }
}

/// Rays as Python has them.
#[derive(FromPyObject)]
pub(crate) enum RaySource<'py> {
    /// To be made.
    Generated(Bound<'py, GeneratedRays>),
    /// In arrays.
    Arrays(RayArrays<'py>),
}

/// The same without Python.
pub(crate) enum AnyRays<'a> {
    Generated(&'a GeneratedRays),
    Arrays(Rays<'a>),
}

impl RaySource<'_> {
    /// What is in them.
    pub(crate) fn rays(&self) -> PyResult<AnyRays<'_>> {
        Ok(match self {
            Self::Generated(generated) => AnyRays::Generated(generated.get()),
            Self::Arrays(arrays) => AnyRays::Arrays(arrays.rays()?),
        })
    }
}

/// Rays as files have them: ox oy oz tmin dx dy dz tmax.
pub(crate) fn rows<'py>(
    py: Python<'py>,
    threads: usize,
    rays: &AnyRays<'_>,
) -> PyResult<PyRows<'py>> {
    let mut rows = filled([0.0f32; 8], rays.len(), "rays")?;
    job::run(py, threads, None, |watch| {
        let parts = rows.par_chunks_mut(CHUNK).enumerate();
        let _ = parts.try_for_each_init(Vec::new, |part, (number, rows)| {
            let start = number * CHUNK;
            rays.read(start..start + rows.len(), part);
            for (row, ray) in rows.iter_mut().zip(&*part) {
                ray.origin.write_to_slice(row);
                ray.direction.write_to_slice(&mut row[4..]);
                (row[3], row[7]) = (ray.tmin, ray.tmax);
            }
            watch.verdict()
        });
    })?;
    rays.held()?;
    PyArray1::from_vec(py, rows.into_flattened()).reshape([rays.len(), 8])
}

impl AnyRays<'_> {
    /// How many there are.
    pub(crate) const fn len(&self) -> usize {
        match self {
            Self::Generated(generated) => generated.count,
            Self::Arrays(rays) => rays.len(),
        }
    }

    /// As [`Rays::held`]; what is generated is single floats.
    pub(crate) fn held(&self) -> PyResult<()> {
        match self {
            Self::Generated(_) => Ok(()),
            Self::Arrays(rays) => rays.held(),
        }
    }

    /// Replaces `rays` by those of a range.
    pub(crate) fn read(&self, range: Range<usize>, rays: &mut Vec<Ray>) {
        match self {
            Self::Generated(generated) => {
                let numbers = [range.start, range.end].map(|place| generated.first + place as u64);
                generated.rays.rays(numbers[0]..numbers[1], rays);
            }
            Self::Arrays(arrays) => arrays.read(range, rays),
        }
    }
}
