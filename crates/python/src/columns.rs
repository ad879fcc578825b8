//! Hits and nearest points as columns: arrays of NumPy, one for each thing that is said of them.

use crate::errors;
use numpy::{Element, PyArray1, PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;
use siliray::trace::Hit;

/// Hits, or nearest points, as columns: three floats and three ids of each.
#[derive(Debug, Clone)]
pub(crate) struct Columns<F = f32> {
    floats: [Vec<F>; 3],
    ids: [Vec<u32>; 3],
}

/// Columns as Python has them: of hits t, u, v, instance, geometry, primitive.
pub(crate) type PyColumns<'py, F = f32> = (
    Bound<'py, PyArray1<F>>,
    Bound<'py, PyArray1<F>>,
    Bound<'py, PyArray1<F>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u32>>,
);

impl<F> Default for Columns<F> {
    fn default() -> Self {
        Self { floats: [const { Vec::new() }; 3], ids: [const { Vec::new() }; 3] }
    }
}

impl Columns {
    /// Adds a hit at the end.
    pub(crate) fn push(&mut self, hit: &Hit) {
        self.push_row([hit.t, hit.u, hit.v], [hit.instance, hit.geometry, hit.primitive]);
    }
}

impl<F: Element + Copy> Columns<F> {
    /// How many rows there are.
    pub(crate) const fn len(&self) -> usize {
        self.floats[0].len()
    }

    /// Adds a row at the end.
    pub(crate) fn push_row(&mut self, floats: [F; 3], ids: [u32; 3]) {
        self.floats.iter_mut().zip(floats).for_each(|(column, float)| column.push(float));
        self.ids.iter_mut().zip(ids).for_each(|(column, id)| column.push(id));
    }

    /// None, with room for so many.
    pub(crate) fn with_room(count: usize) -> PyResult<Self> {
        let mut columns = Self::default();
        let floats = columns.floats.iter_mut().map(|column| column.try_reserve_exact(count));
        let ids = columns.ids.iter_mut().map(|column| column.try_reserve_exact(count));
        let made: Result<(), _> = floats.chain(ids).collect();
        made.map_err(|_| errors::room(count, "hits"))?;
        Ok(columns)
    }

    /// Adds other rows at the end.
    pub(crate) fn append(&mut self, other: &Self) {
        let floats = self.floats.iter_mut().zip(&other.floats);
        floats.for_each(|(to, from)| to.extend_from_slice(from));
        self.ids.iter_mut().zip(&other.ids).for_each(|(to, from)| to.extend_from_slice(from));
    }

    /// The columns for Python, without a copy.
    pub(crate) fn into_python(self, py: Python<'_>) -> PyColumns<'_, F> {
        let [x, y, z] = self.floats.map(|column| PyArray1::from_vec(py, column));
        let [instance, geometry, primitive] = self.ids.map(|ids| PyArray1::from_vec(py, ids));
        (x, y, z, instance, geometry, primitive)
    }
}

/// Columns that come back from Python.
#[derive(FromPyObject)]
pub(crate) struct HitArrays<'py>(
    PyReadonlyArray1<'py, f32>,
    PyReadonlyArray1<'py, f32>,
    PyReadonlyArray1<'py, f32>,
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, u32>,
);

/// The same without Python.
#[derive(Clone, Copy)]
pub(crate) struct HitColumns<'a> {
    floats: [&'a [f32]; 3],
    ids: [&'a [u32]; 3],
}

impl HitArrays<'_> {
    /// What is in them.
    pub(crate) fn columns(&self) -> PyResult<HitColumns<'_>> {
        let Self(t, u, v, instance, geometry, primitive) = self;
        let count = t.as_array().len();
        let floats = [full(t, count)?, full(u, count)?, full(v, count)?];
        let ids = [full(instance, count)?, full(geometry, count)?, full(primitive, count)?];
        Ok(HitColumns { floats, ids })
    }
}

impl HitColumns<'_> {
    /// How many hits there are.
    pub(crate) const fn len(&self) -> usize {
        self.floats[0].len()
    }

    /// One of them.
    pub(crate) fn hit(&self, row: usize) -> Hit {
        let ([t, u, v], [instance, geometry, primitive]) =
            (self.floats.map(|column| column[row]), self.ids.map(|column| column[row]));
        Hit { t, u, v, instance, geometry, primitive }
    }
}

/// Columns of Python's that hits are written to: t, u, v, instance, geometry, primitive.
///
/// Memory is NumPy's, which asks for large pages: with small ones, the kernel would spend a tenth
/// of the time that tracing takes on making pages.
#[derive(FromPyObject)]
pub(crate) struct HitRoom<'py>(
    PyReadwriteArray1<'py, f32>,
    PyReadwriteArray1<'py, f32>,
    PyReadwriteArray1<'py, f32>,
    PyReadwriteArray1<'py, u32>,
    PyReadwriteArray1<'py, u32>,
    PyReadwriteArray1<'py, u32>,
);

/// The same without Python.
pub(crate) type HitSlices<'a> =
    (&'a mut [f32], &'a mut [f32], &'a mut [f32], &'a mut [u32], &'a mut [u32], &'a mut [u32]);

impl HitRoom<'_> {
    /// The columns, if there is room for so many hits.
    pub(crate) fn slices(&mut self, count: usize) -> PyResult<HitSlices<'_>> {
        let Self(t, u, v, instance, geometry, primitive) = self;
        Ok((
            room(t, count)?,
            room(u, count)?,
            room(v, count)?,
            room(instance, count)?,
            room(geometry, count)?,
            room(primitive, count)?,
        ))
    }
}

/// A column of so many elements, one behind the other.
fn full<'a, T: Element>(column: &'a PyReadonlyArray1<'_, T>, count: usize) -> PyResult<&'a [T]> {
    let slice = column.as_slice().ok().filter(|slice| slice.len() == count);
    slice.ok_or_else(|| errors::array("columns of hits have gaps or different lengths"))
}

/// So many elements, if there is room for them.
pub(crate) fn filled<T: Clone>(element: T, count: usize, things: &str) -> PyResult<Vec<T>> {
    let mut elements = Vec::new();
    elements.try_reserve_exact(count).map_err(|_| errors::room(count, things))?;
    elements.resize(count, element);
    Ok(elements)
}

/// An array to write so many elements to.
pub(crate) fn room<'a, T: Element>(
    array: &'a mut PyReadwriteArray1<'_, T>,
    count: usize,
) -> PyResult<&'a mut [T]> {
    let slice = array.as_slice_mut().ok().filter(|slice| slice.len() == count);
    slice.ok_or_else(|| errors::array("no room for the results"))
}
