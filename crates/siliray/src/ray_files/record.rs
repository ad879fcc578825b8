//! Where the numbers of a ray, or of another query, lie in a `.npy` file.

use super::RayFileProblem;
use super::literal::{Literal, Value};
use super::npy::{Header, at};
use geometry::{Ray, Vec3};

/// The numbers of a ray, in the order of raw files.
pub(super) const NAMES: [&str; 8] = ["ox", "oy", "oz", "tmin", "dx", "dy", "dz", "tmax"];

/// The numbers of a query: those of a ray, or of a beam's corner ray A; its corner ray B; what
/// makes it a sphere or a frustum; which hits are wanted, and how urgently.
pub(super) const QUERY_NAMES: [&str; 23] = [
    "ox", "oy", "oz", "tmin", "dx", "dy", "dz", "tmax", "lox", "loy", "loz", "ldx", "ldy", "ldz",
    "radius", "rx", "ry", "rz", "ux", "uy", "uz", "query", "priority",
];

/// Where corner ray B, the radius of a sphere and the sides of a frustum begin, which hits are
/// wanted, and how urgently, in [`QUERY_NAMES`].
pub(super) const LOWER: usize = 8;
pub(super) const RADIUS: usize = 14;
pub(super) const SIDES: usize = 15;
pub(super) const QUERY: usize = 21;
pub(super) const PRIORITY: usize = 22;

/// The numbers of a query, as far as they are there.
pub(super) type Numbers = [Option<f32>; QUERY_NAMES.len()];

/// What a ray has where a file says nothing: it begins at once and has no end.
const DEFAULTS: [f32; 8] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, f32::INFINITY];

/// Numbers that need not be there, by their places in [`NAMES`].
pub(super) const OPTIONAL: [usize; 2] = [3, 7];

/// The numbers of a row without `tmin` and `tmax`.
pub(super) const SIX: [usize; 6] = [0, 1, 2, 4, 5, 6];

/// Fields of three numbers, with the place of their first in [`QUERY_NAMES`].
pub(super) const VECTORS: [(&str, usize); 6] = [
    ("origin", 0),
    ("direction", 4),
    ("lower_origin", 8),
    ("lower_direction", 11),
    ("right", 15),
    ("up", 18),
];

/// The longest row: a ray, and room for fields that have nothing to do with it.
const MAX_STRIDE: usize = 4096;

/// A ray out of the eight numbers of [`NAMES`]; what is not there has its default.
pub(super) fn ray(number: impl Fn(usize) -> Option<f32>) -> Ray {
    let numbers = std::array::from_fn(|place| number(place).unwrap_or(DEFAULTS[place]));
    let [ox, oy, oz, tmin, dx, dy, dz, tmax] = numbers;
    Ray { origin: Vec3::new(ox, oy, oz), direction: Vec3::new(dx, dy, dz), tmin, tmax }
}

/// The first number that must be there and is not.
pub(super) fn missing(has: impl Fn(usize) -> bool) -> Option<&'static str> {
    let is_needed = |place: &usize| !OPTIONAL.contains(place) && !has(*place);
    (0..NAMES.len()).find(is_needed).map(|place| NAMES[place])
}

/// How a number is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Float {
    F32,
    F64,
    /// A whole number of so many bytes, with a sign or not; only for numbers that are whole.
    Whole {
        bytes: usize,
        is_signed: bool,
    },
}

impl Float {
    /// NumPy's name of it.
    fn named(kind: &str) -> Option<Self> {
        match kind {
            "<f4" => Some(Self::F32),
            "<f8" => Some(Self::F64),
            _ => None,
        }
    }

    /// The same for a number that may be whole.
    fn named_whole(kind: &str) -> Option<Self> {
        let whole = |bytes, is_signed| Some(Self::Whole { bytes, is_signed });
        match kind {
            "|u1" | "|b1" => whole(1, false),
            "|i1" => whole(1, true),
            "<u2" => whole(2, false),
            "<i2" => whole(2, true),
            "<u4" => whole(4, false),
            "<i4" => whole(4, true),
            "<u8" => whole(8, false),
            "<i8" => whole(8, true),
            _ => Self::named(kind),
        }
    }

    const fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F64 => 8,
            Self::Whole { bytes, .. } => bytes,
        }
    }

    /// The number at a place of some bytes; of 64 bits, the nearest of 32.
    fn read(self, bytes: &[u8], at: usize) -> Option<f32> {
        let bytes = bytes.get(at..at + self.bytes())?;
        match self {
            Self::F32 => bytes.try_into().ok().map(f32::from_le_bytes),
            Self::F64 => bytes.try_into().ok().map(|bytes| f64::from_le_bytes(bytes) as f32),
            Self::Whole { is_signed, .. } => {
                let is_negative = is_signed && bytes.last().is_some_and(|byte| byte & 0x80 != 0);
                let mut wide = [if is_negative { 0xFF } else { 0 }; 16];
                wide[..bytes.len()].copy_from_slice(bytes);
                Some(i128::from_le_bytes(wide) as f32)
            }
        }
    }
}

/// Where each number lies in a row, if it is there, and how it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    /// Bytes of a row.
    pub(super) stride: usize,
    numbers: [Option<(usize, Float)>; QUERY_NAMES.len()],
    /// Bytes of a number, if those with one place in [`NAMES`] lie together: a column of all rays
    /// follows another.
    pub(super) column: Option<usize>,
}

impl Record {
    /// Raw files: eight numbers in a row.
    pub(super) fn plain() -> Self {
        Self::array(&[0, 1, 2, 3, 4, 5, 6, 7], Float::F32, false)
    }

    fn array(places: &[usize], float: Float, is_column_major: bool) -> Self {
        let size = float.bytes();
        let mut numbers = [None; QUERY_NAMES.len()];
        for (position, &place) in places.iter().enumerate() {
            numbers[place] = Some((position * size, float));
        }
        Self { stride: places.len() * size, numbers, column: is_column_major.then_some(size) }
    }

    /// What the header of a `.npy` file says, and how many rows there are.
    pub(super) fn of_header(header: &Header) -> Result<(Self, u64), RayFileProblem> {
        let wrong = |message: String| at(header.start, header.descr.offset, message);
        match (&header.descr.value, &header.shape[..]) {
            (Value::Text(kind), shape) => {
                let float = Float::named(kind).ok_or_else(|| {
                    wrong(format!("numbers of type {kind:?}, expected '<f4' or '<f8'"))
                })?;
                let places: &[usize] = match shape {
                    [_, 8] => &[0, 1, 2, 3, 4, 5, 6, 7],
                    [_, 6] => &SIX,
                    _ => {
                        let message = format!("an array of shape {shape:?}, expected (N, 8)");
                        return Err(wrong(message + " or (N, 6)"));
                    }
                };
                Ok((Self::array(places, float, header.is_column_major), shape[0]))
            }
            (Value::List(fields), &[rows]) => Ok((Self::of_fields(header, fields)?, rows)),
            (Value::List(_), shape) => {
                Err(wrong(format!("records of shape {shape:?}, expected (N,)")))
            }
            _ => Err(wrong("the type is neither a name nor a list of fields".to_owned())),
        }
    }

    fn of_fields(header: &Header, fields: &[Literal]) -> Result<Self, RayFileProblem> {
        let mut numbers = [None; QUERY_NAMES.len()];
        let mut stride = 0usize;
        for field in fields {
            let wrong = |message: String| at(header.start, field.offset, message);
            let field = Field::read(field)
                .ok_or_else(|| wrong("this is no field of numbers".to_owned()))?;
            if let Some((first, count)) = field.numbers() {
                let (name, kind) = (field.name, field.kind);
                let (read, whole): (fn(&str) -> _, _) = match first >= QUERY {
                    true => (Float::named_whole, ", or a whole number"),
                    false => (Float::named, ""),
                };
                let float = read(kind).ok_or_else(|| {
                    let found = format!("field {name:?} has type {kind:?}");
                    wrong(found + ", expected '<f4' or '<f8'" + whole)
                })?;
                if field.count != count as u64 {
                    let found = field.count;
                    return Err(wrong(format!(
                        "field {name:?} has {found} numbers, expected {count}"
                    )));
                }
                for (position, place) in numbers[first..first + count].iter_mut().enumerate() {
                    *place = Some((stride + position * float.bytes(), float));
                }
            }
            let bytes = field
                .bytes()
                .ok_or_else(|| wrong("the size of this field is unknown".to_owned()))?;
            let next = stride.checked_add(bytes).filter(|&next| next <= MAX_STRIDE);
            stride =
                next.ok_or_else(|| wrong(format!("records of more than {MAX_STRIDE} bytes")))?;
        }
        if let Some(name) = missing(|place| numbers[place].is_some()) {
            let message = format!(
                "no field {name:?}; expected {}, or origin, direction, tmin, tmax",
                NAMES.join(", ")
            );
            return Err(at(header.start, header.descr.offset, message));
        }
        Ok(Self { stride, numbers, column: None })
    }

    /// The ray in a row of `stride` bytes.
    pub(super) fn ray(&self, row: &[u8]) -> Ray {
        ray(|place| self.number(row, place))
    }

    /// All numbers of such a row.
    pub(super) fn numbers(&self, row: &[u8]) -> Numbers {
        std::array::from_fn(|place| self.number(row, place))
    }

    fn number(&self, row: &[u8], place: usize) -> Option<f32> {
        self.numbers[place].map(|(at, float)| float.read(row, at).unwrap_or(f32::NAN))
    }
}

/// A field of a record: name, type, and how many there are in a row.
struct Field<'a> {
    name: &'a str,
    kind: &'a str,
    count: u64,
}

impl<'a> Field<'a> {
    /// `('name', '<f4')` or `('name', '<f4', (3,))`.
    fn read(field: &'a Literal) -> Option<Self> {
        let Value::List(parts) = &field.value else { return None };
        let (name, kind, lengths) = match &parts[..] {
            [name, kind] => (name, kind, None),
            [name, kind, lengths] => (name, kind, Some(lengths)),
            _ => return None,
        };
        let (Value::Text(name), Value::Text(kind)) = (&name.value, &kind.value) else {
            return None;
        };
        let number = |literal: &Literal| match literal.value {
            Value::Number(number) => Some(number),
            _ => None,
        };
        let count = match lengths.map(|lengths| &lengths.value) {
            None => 1,
            Some(Value::List(list)) => {
                list.iter().try_fold(1u64, |product, n| product.checked_mul(number(n)?))?
            }
            Some(&Value::Number(count)) => count,
            Some(_) => return None,
        };
        Some(Self { name, kind, count })
    }

    /// Which numbers of a ray it holds: the first, and how many.
    fn numbers(&self) -> Option<(usize, usize)> {
        let single = QUERY_NAMES.iter().position(|name| *name == self.name).map(|place| (place, 1));
        let vector =
            VECTORS.iter().find(|(name, _)| *name == self.name).map(|&(_, place)| (place, 3));
        single.or(vector)
    }

    /// Its size: types such as `<f4`, `|u1` or `|V12` end with theirs.
    fn bytes(&self) -> Option<usize> {
        let kind = self.kind.strip_prefix(['<', '>', '|', '=']).unwrap_or(self.kind);
        let letter = kind.chars().next().filter(|letter| "biufcVSmM".contains(*letter))?;
        let size: u64 = kind[letter.len_utf8()..].split('[').next()?.parse().ok()?;
        usize::try_from(size.checked_mul(self.count)?).ok()
    }
}
