//! Arrays of NumPy as rays, vertices and triangles.
//!
//! `siliray._arrays` has seen to shapes, byte order and alignment; strides are taken as they are.

use crate::columns::filled;
use crate::errors;
use numpy::ndarray::{ArrayView1, ArrayView2, ArrayViewMut1, Axis, Slice, Zip};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use siliray::geometry::{Ray, Vec3};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A table of floats.
#[derive(FromPyObject)]
pub(crate) enum Floats<'py> {
    /// As rays have them.
    Single(PyReadonlyArray2<'py, f32>),
    /// Rounded to the nearest when they are read.
    Double(PyReadonlyArray2<'py, f64>),
}

/// One bound for each ray.
#[derive(FromPyObject)]
pub(crate) enum FloatColumn<'py> {
    /// As rays have them.
    Single(PyReadonlyArray1<'py, f32>),
    /// Rounded to the nearest when they are read.
    Double(PyReadonlyArray1<'py, f64>),
}

/// A table of integers.
#[derive(FromPyObject)]
pub(crate) enum Integers<'py> {
    /// Signed, 32 bits.
    I32(PyReadonlyArray2<'py, i32>),
    /// Signed, 64 bits.
    I64(PyReadonlyArray2<'py, i64>),
    /// Unsigned, 32 bits.
    U32(PyReadonlyArray2<'py, u32>),
    /// Unsigned, 64 bits.
    U64(PyReadonlyArray2<'py, u64>),
}

/// Rows of at least three floats.
#[derive(Clone, Copy)]
enum Rows<'a> {
    Single(RowsOf<'a, f32>),
    Double(RowsOf<'a, f64>),
}

/// Rows of floats of one type.
#[derive(Clone, Copy)]
enum RowsOf<'a, F> {
    /// Without gaps: so many floats a row.
    Packed(&'a [F], usize),
    /// However they lie.
    Any(ArrayView2<'a, F>),
}

/// Three floats of a row.
trait Point: Copy {
    fn from_single(floats: [f32; 3]) -> Self;
    /// Rounded to the nearest if need be.
    fn from_double(floats: [f64; 3]) -> Self;
}

impl Point for Vec3 {
    fn from_single(floats: [f32; 3]) -> Self {
        Self::from_array(floats)
    }

    fn from_double(floats: [f64; 3]) -> Self {
        Self::from_array(floats.map(|float| float as f32))
    }
}

impl Point for [f64; 3] {
    fn from_single(floats: [f32; 3]) -> Self {
        floats.map(f64::from)
    }

    fn from_double(floats: [f64; 3]) -> Self {
        floats
    }
}

/// Bounds of rays.
#[derive(Clone, Copy)]
enum Column<'a> {
    Single(ArrayView1<'a, f32>),
    Double(ArrayView1<'a, f64>),
}

impl Floats<'_> {
    fn rows(&self) -> Rows<'_> {
        match self {
            Self::Single(array) => Rows::Single(RowsOf::new(array.as_array())),
            Self::Double(array) => Rows::Double(RowsOf::new(array.as_array())),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Single(array) => array.as_array().nrows(),
            Self::Double(array) => array.as_array().nrows(),
        }
    }

    const fn is_wide(&self) -> bool {
        matches!(self, Self::Double(_))
    }

    fn columns(&self) -> usize {
        match self {
            Self::Single(array) => array.as_array().ncols(),
            Self::Double(array) => array.as_array().ncols(),
        }
    }

    /// The rows without Python.
    pub(crate) fn point_rows(&self) -> PointRows<'_> {
        PointRows { rows: self.rows(), count: self.len() }
    }
}

/// Points in an array, without Python.
#[derive(Clone, Copy)]
pub(crate) struct PointRows<'a> {
    rows: Rows<'a>,
    count: usize,
}

impl PointRows<'_> {
    /// How many there are.
    pub(crate) const fn len(self) -> usize {
        self.count
    }

    /// The rows as points, all of which single floats can hold unless they were infinite before.
    pub(crate) fn held(self, name: &str) -> PyResult<Vec<Vec3>> {
        let points = self.read(Vec3::ZERO)?;
        for row in (0..points.len()).filter(|&row| !points[row].is_finite()) {
            let mut wide = [[0.0; 3]];
            self.rows.read(0, row..row + 1, &mut wide, |point, row| *point = row);
            if is_too_large(wide[0]) {
                return Err(errors::range(beyond(name, row, wide[0])));
            }
        }
        Ok(points)
    }

    /// The same in doubles.
    pub(crate) fn wide(self) -> PyResult<Vec<[f64; 3]>> {
        self.read([0.0; 3])
    }

    fn read<P: Point>(self, zero: P) -> PyResult<Vec<P>> {
        let mut points = filled(zero, self.count, "points")?;
        self.rows.read(0, 0..points.len(), &mut points, |point, row| *point = row);
        Ok(points)
    }
}

impl FloatColumn<'_> {
    fn column(&self) -> Column<'_> {
        match self {
            Self::Single(array) => Column::Single(array.as_array()),
            Self::Double(array) => Column::Double(array.as_array()),
        }
    }
}

impl<'a, F: Copy> RowsOf<'a, F> {
    fn new(view: ArrayView2<'a, F>) -> Self {
        match (view.to_slice(), view.ncols()) {
            (Some(slice), columns @ 1..) => Self::Packed(slice, columns),
            _ => Self::Any(view),
        }
    }

    /// Three floats of each row of a range, the first of them in `column`.
    fn read<T>(
        self,
        column: usize,
        range: Range<usize>,
        to: &mut [T],
        set: impl Fn(&mut T, [F; 3]),
    ) {
        match self {
            Self::Packed(floats, columns) => {
                let rows = floats[range.start * columns..range.end * columns].chunks_exact(columns);
                for (to, row) in to.iter_mut().zip(rows) {
                    let row = &row[column..column + 3];
                    set(to, [row[0], row[1], row[2]]);
                }
            }
            Self::Any(view) => {
                let view = view.slice_axis_move(Axis(0), Slice::from(range));
                let [x, y, z] = [0, 1, 2].map(|place| view.index_axis(Axis(1), column + place));
                let to = ArrayViewMut1::from(to);
                Zip::from(to).and(x).and(y).and(z).for_each(|to, &x, &y, &z| set(to, [x, y, z]));
            }
        }
    }
}

impl Rows<'_> {
    /// Hands three floats of each row of a range, the first of them in `column`, to `set`.
    fn read<T, P: Point>(
        self,
        column: usize,
        range: Range<usize>,
        to: &mut [T],
        set: impl Fn(&mut T, P),
    ) {
        match self {
            Self::Single(rows) => {
                rows.read(column, range, to, |to, row| set(to, P::from_single(row)));
            }
            Self::Double(rows) => {
                rows.read(column, range, to, |to, row| set(to, P::from_double(row)));
            }
        }
    }
}

impl Column<'_> {
    fn read(self, range: Range<usize>, rays: &mut [Ray], set: impl Fn(&mut Ray, f32)) {
        let rays = rays.iter_mut();
        match self {
            Self::Single(view) => {
                rays.zip(view.iter().skip(range.start)).for_each(|(ray, &t)| set(ray, t))
            }
            Self::Double(view) => {
                rays.zip(view.iter().skip(range.start)).for_each(|(ray, &t)| set(ray, t as f32));
            }
        }
    }
}

/// Rays in arrays: (N, 3) and (N, 3), or (N, 6), or (N, 8) as in files: with `tmin` in column 3 and
/// `tmax` in column 7.
#[derive(FromPyObject)]
pub(crate) struct RayArrays<'py> {
    #[pyo3(item(0))]
    origins: Floats<'py>,
    #[pyo3(item(1))]
    directions: Option<Floats<'py>>,
    #[pyo3(item(2))]
    tmin: Option<FloatColumn<'py>>,
    #[pyo3(item(3))]
    tmax: Option<FloatColumn<'py>>,
}

/// The same without Python.
pub(crate) struct Rays<'a> {
    count: usize,
    origins: Rows<'a>,
    directions: Rows<'a>,
    /// Where a direction begins in a row: 0 in arrays of their own, 3 and 4 in rows of 6 and of 8.
    direction: usize,
    tmin: Option<Column<'a>>,
    tmax: Option<Column<'a>>,
    /// Whether any of them are doubles.
    is_wide: bool,
    /// The first ray read so far that single floats cannot hold.
    first_beyond: AtomicUsize,
}

impl RayArrays<'_> {
    /// What is in them.
    pub(crate) fn rays(&self) -> PyResult<Rays<'_>> {
        let count = self.origins.len();
        let columns = self.origins.columns();
        let lengths = self.directions.iter().map(Floats::len);
        if columns < 3 || lengths.clone().any(|length| length != count) {
            return Err(errors::array("rays of different numbers"));
        }
        let origins = self.origins.rows();
        let (directions, direction) = match &self.directions {
            Some(directions) => (directions.rows(), 0),
            None => (origins, columns / 2),
        };
        Ok(Rays {
            count,
            origins,
            directions,
            direction,
            tmin: self.tmin.as_ref().map(FloatColumn::column),
            tmax: self.tmax.as_ref().map(FloatColumn::column),
            is_wide: self.origins.is_wide()
                || self.directions.as_ref().is_some_and(Floats::is_wide),
            first_beyond: AtomicUsize::new(usize::MAX),
        })
    }
}

impl Rays<'_> {
    /// How many there are.
    pub(crate) const fn len(&self) -> usize {
        self.count
    }

    /// Replaces `rays` by those of a range.
    pub(crate) fn read(&self, range: Range<usize>, rays: &mut Vec<Ray>) {
        rays.clear();
        if let (Rows::Single(RowsOf::Packed(floats, columns)), 3) = (self.origins, self.direction) {
            // What most callers have, in one pass.
            let rows = floats[range.start * columns..range.end * columns].chunks_exact(columns);
            let vector = |row: &[f32]| Vec3::new(row[0], row[1], row[2]);
            rays.extend(rows.map(|row| Ray::new(vector(&row[..3]), vector(&row[3..6]))));
            self.note_beyond(range.start, rays);
        } else {
            rays.resize(range.len(), Ray::new(Vec3::ZERO, Vec3::ZERO));
            self.origins.read(0, range.clone(), rays, |ray, origin| ray.origin = origin);
            let set = |ray: &mut Ray, direction| ray.direction = direction;
            self.directions.read(self.direction, range.clone(), rays, set);
            self.note_beyond(range.start, rays);
        }
        if self.direction == 4 {
            self.origins.read(1, range.clone(), rays, |ray, row: Vec3| ray.tmin = row.z);
            self.origins.read(5, range.clone(), rays, |ray, row: Vec3| ray.tmax = row.z);
        }
        if let Some(tmin) = self.tmin {
            tmin.read(range.clone(), rays, |ray, t| ray.tmin = t);
        }
        if let Some(tmax) = self.tmax {
            tmax.read(range, rays, |ray, t| ray.tmax = t);
        }
    }

    /// Replaces `rays` by those of a range, which start nearer by `shift` and have no bounds.
    pub(crate) fn read_moved(&self, range: Range<usize>, shift: [f64; 3], rays: &mut Vec<Ray>) {
        rays.clear();
        rays.resize(range.len(), Ray::new(Vec3::ZERO, Vec3::ZERO));
        let set = |ray: &mut Ray, origin: [f64; 3]| {
            ray.origin = Vec3::from_double([0, 1, 2].map(|axis| origin[axis] - shift[axis]));
        };
        self.origins.read(0, range.clone(), rays, set);
        let set = |ray: &mut Ray, direction| ray.direction = direction;
        self.directions.read(self.direction, range.clone(), rays, set);
        self.note_beyond(range.start, rays);
    }

    /// Looks for rays, the first of which has the number `start`, whose directions are too small,
    /// or that lost more than digits when doubles became single floats.
    fn note_beyond(&self, start: usize, rays: &[Ray]) {
        let is_odd = |ray: &Ray| {
            // No bit of an exponent is set in zero and in subnormal numbers.
            let bits = ray.direction.to_array().map(f32::to_bits);
            let is_tiny = (bits[0] | bits[1] | bits[2]) & f32::INFINITY.to_bits() == 0;
            is_tiny || self.is_wide && !(ray.direction.is_finite() && ray.origin.is_finite())
        };
        for row in (start..).zip(rays).filter(|(_, ray)| is_odd(ray)).map(|(row, _)| row) {
            let (origin, direction) = self.wide(row);
            if is_too_large(origin) || is_too_large(direction) || is_too_small(direction) {
                self.first_beyond.fetch_min(row, Ordering::Relaxed);
            }
        }
    }

    fn wide(&self, row: usize) -> WideRay {
        let mut rays = [WideRay::default()];
        self.read_wide(row..row + 1, &mut rays);
        rays[0]
    }

    /// An error if one of the rays that were read is nothing that single floats can hold.
    pub(crate) fn held(&self) -> PyResult<()> {
        let row = self.first_beyond.load(Ordering::Relaxed);
        if row == usize::MAX {
            return Ok(());
        }
        let (origin, direction) = self.wide(row);
        let (name, numbers) = match is_too_large(origin) {
            true => ("origins", origin),
            false => ("directions", direction),
        };
        let name = if self.direction == 0 { name } else { "rays" };
        Err(errors::range(beyond(name, row, numbers)))
    }

    /// Origins and directions of a range in doubles, into `rays`.
    pub(crate) fn read_wide(&self, range: Range<usize>, rays: &mut [WideRay]) {
        self.origins.read(0, range.clone(), rays, |ray, origin| ray.0 = origin);
        self.directions.read(self.direction, range, rays, |ray, direction| ray.1 = direction);
    }
}

/// Whether finite doubles are infinite as single floats.
fn is_too_large(numbers: [f64; 3]) -> bool {
    numbers.iter().all(|number| number.is_finite())
        && numbers.iter().any(|&number| (number as f32).is_infinite())
}

/// Whether a direction in doubles is none, or hardly one, in single floats.
fn is_too_small(direction: [f64; 3]) -> bool {
    let size = direction.iter().fold(0.0, |size: f64, number| size.max(number.abs()));
    size > 0.0 && size < f64::from(f32::MIN_POSITIVE)
}

fn beyond(name: &str, row: usize, [x, y, z]: [f64; 3]) -> String {
    let most = f32::MAX;
    format!(
        "{name}: found [{x:?}, {y:?}, {z:?}] in row {row}, expected what single floats hold \
         (1.2e-38 to {most:.1e}); scale it"
    )
}

/// Origin and direction of a ray, in doubles.
pub(crate) type WideRay = ([f64; 3], [f64; 3]);

/// Triangles in an array, without Python.
#[derive(Clone, Copy)]
pub(crate) enum TriangleRows<'a> {
    I32(ArrayView2<'a, i32>),
    I64(ArrayView2<'a, i64>),
    U32(ArrayView2<'a, u32>),
    U64(ArrayView2<'a, u64>),
}

impl Integers<'_> {
    /// The rows without Python.
    pub(crate) fn triangle_rows(&self) -> TriangleRows<'_> {
        match self {
            Self::I32(array) => TriangleRows::I32(array.as_array()),
            Self::I64(array) => TriangleRows::I64(array.as_array()),
            Self::U32(array) => TriangleRows::U32(array.as_array()),
            Self::U64(array) => TriangleRows::U64(array.as_array()),
        }
    }
}

impl TriangleRows<'_> {
    /// The corners of triangles.
    pub(crate) fn triangles(self) -> PyResult<Vec<[u32; 3]>> {
        fn corners<T>(view: ArrayView2<'_, T>) -> PyResult<Vec<[u32; 3]>>
        where
            T: Copy + std::fmt::Display,
            u32: TryFrom<T>,
        {
            let corner = |triangle: usize, index: T| {
                let wrong = |_| {
                    let text = format!("faces: triangle {triangle} names vertex {index}");
                    errors::scene(text + ", which cannot be")
                };
                u32::try_from(index).map_err(wrong)
            };
            let rows = view.rows().into_iter().enumerate();
            rows.map(|(triangle, row)| {
                let corner = |column: usize| corner(triangle, row[column]);
                Ok([corner(0)?, corner(1)?, corner(2)?])
            })
            .collect()
        }
        match self {
            Self::I32(view) => corners(view),
            Self::I64(view) => corners(view),
            Self::U32(view) => corners(view),
            Self::U64(view) => corners(view),
        }
    }
}
