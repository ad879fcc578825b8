//! Rays that a generator makes while they are traced.

use crate::arrays::{RayArrays, Rays};
use crate::errors;
use pyo3::prelude::*;
use siliray::generators::{Generated, Generator, Ground};
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
        ground: impl FnOnce() -> PyResult<Arc<Ground>>,
    ) -> PyResult<Self> {
        let generator = Generator::from_json(json).map_err(errors::option)?;
        let ground = if generator.needs_ground() { Some(ground()?) } else { None };
        let rays = Generated::new(generator, ground).map_err(errors::option)?;
        let range = rays.range(first, count).map_err(errors::option)?;
        let count = range.end - range.start;
        let count = usize::try_from(count).map_err(|_| errors::room(count, "answers"))?;
        Ok(Self { rays, first, count })
    }
}

#[pymethods]
impl GeneratedRays {
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
