//! Where the numbers of a ray lie in a row of a `.npy` file.

use super::RayFileProblem;
use super::literal::{Literal, Value};
use super::npy::{Header, at};
use geometry::{Ray, Vec3};

/// The numbers of a ray, in the order of raw files.
const NAMES: [&str; 8] = ["ox", "oy", "oz", "tmin", "dx", "dy", "dz", "tmax"];

/// Fields of three numbers, with the place of their first in [`NAMES`].
const VECTORS: [(&str, usize); 2] = [("origin", 0), ("direction", 4)];

/// Bytes of a number.
const FLOAT: usize = 4;

/// The longest row: a ray, and room for fields that have nothing to do with it.
const MAX_STRIDE: usize = 4096;

/// Where each number lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    /// Bytes of a row.
    pub(super) stride: usize,
    offsets: [usize; 8],
}

impl Record {
    /// Eight numbers in a row.
    pub(super) const PLAIN: Self = Self { stride: 32, offsets: [0, 4, 8, 12, 16, 20, 24, 28] };

    /// What the header of a `.npy` file says, and how many rows there are.
    pub(super) fn of_header(header: &Header) -> Result<(Self, u64), RayFileProblem> {
        let wrong = |message: String| at(header.start, header.descr.offset, message);
        match (&header.descr.value, &header.shape[..]) {
            (Value::Text(kind), &[rows, 8]) if is_float(kind) => Ok((Self::PLAIN, rows)),
            (Value::Text(kind), shape) if is_float(kind) => {
                Err(wrong(format!("an array of shape {shape:?}, expected (N, 8)")))
            }
            (Value::Text(kind), _) => {
                Err(wrong(format!("numbers of type {kind:?}, expected '<f4'")))
            }
            (Value::List(fields), &[rows]) => Ok((Self::of_fields(header, fields)?, rows)),
            (Value::List(_), shape) => {
                Err(wrong(format!("records of shape {shape:?}, expected (N,)")))
            }
            _ => Err(wrong("the type is neither a name nor a list of fields".to_owned())),
        }
    }

    fn of_fields(header: &Header, fields: &[Literal]) -> Result<Self, RayFileProblem> {
        let mut places = [None; 8];
        let mut stride = 0usize;
        for field in fields {
            let wrong = |message: String| at(header.start, field.offset, message);
            let field = Field::read(field)
                .ok_or_else(|| wrong("this is no field of numbers".to_owned()))?;
            if let Some((first, count)) = field.numbers() {
                if !is_float(field.kind) {
                    let (name, kind) = (field.name, field.kind);
                    return Err(wrong(format!("field {name:?} has type {kind:?}, expected '<f4'")));
                }
                if field.count != count as u64 {
                    let (name, found) = (field.name, field.count);
                    return Err(wrong(format!(
                        "field {name:?} has {found} numbers, expected {count}"
                    )));
                }
                for (number, place) in places[first..first + count].iter_mut().enumerate() {
                    *place = Some(stride + number * FLOAT);
                }
            }
            let bytes = field
                .bytes()
                .ok_or_else(|| wrong("the size of this field is unknown".to_owned()))?;
            let next = stride.checked_add(bytes).filter(|&next| next <= MAX_STRIDE);
            stride =
                next.ok_or_else(|| wrong(format!("records of more than {MAX_STRIDE} bytes")))?;
        }
        let missing = NAMES.iter().zip(&places).find(|(_, place)| place.is_none());
        if let Some((name, _)) = missing {
            let message = format!(
                "no field {name:?}; expected {}, or origin, direction, tmin, tmax",
                NAMES.join(", ")
            );
            return Err(at(header.start, header.descr.offset, message));
        }
        Ok(Self { stride, offsets: places.map(Option::unwrap_or_default) })
    }

    /// The ray in a row of `stride` bytes.
    pub(super) fn ray(&self, row: &[u8]) -> Ray {
        let [ox, oy, oz, tmin, dx, dy, dz, tmax] = self.offsets.map(|offset| {
            let bytes = row.get(offset..offset + FLOAT).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(f32::NAN, f32::from_le_bytes)
        });
        Ray { origin: Vec3::new(ox, oy, oz), direction: Vec3::new(dx, dy, dz), tmin, tmax }
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
        let single = NAMES.iter().position(|name| *name == self.name).map(|place| (place, 1));
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

fn is_float(kind: &str) -> bool {
    kind == "<f4"
}
