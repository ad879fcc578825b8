//! The header of `.npy` files, versions 1.0 to 3.0.
//!
//! | bytes | meaning |
//! |---|---|
//! | 0..6 | `93 4E 55 4D 50 59` (`\x93NUMPY`) |
//! | 6, 7 | version, major and minor |
//! | 8..10, or 8..12 from version 2 | length of what follows, little-endian |
//! | then | a Python dictionary with `descr`, `fortran_order` and `shape` |
//!
//! The dictionary is padded with spaces and ended by a line feed, so that the data begin at a
//! multiple of 64.
//!
//! ```
//! use siliray::ray_files::npy::header;
//! let header = header("'<f4'", "(2, 8)");
//! assert_eq!(header.len() % 64, 0);
//! assert_eq!(header[..10], [0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59, 1, 0, 0x76, 0]);
//! let dictionary = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 8), }";
//! assert!(header[10..].starts_with(dictionary));
//! ```
//!
//! Source: NumPy Enhancement Proposal 1, "A simple file format for NumPy arrays", and
//! `numpy.lib.format`.

use super::RayFileProblem;
use super::literal::{self, Literal, Value};
use std::io::Read;

/// What every `.npy` file begins with.
pub const MAGIC: [u8; 6] = *b"\x93NUMPY";

/// The longest dictionary that is read; NumPy itself refuses more than a tenth of it by default.
const MAX_HEADER: u64 = 100_000;

/// Data begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// What a header says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Header {
    /// What an element is.
    pub(super) descr: Literal,
    /// Elements along each axis.
    pub(super) shape: Vec<u64>,
    /// Whether the first axis is the one that lies together in memory, as in Fortran.
    pub(super) is_column_major: bool,
    /// Where the dictionary begins; places in literals count from here.
    pub(super) start: u64,
    /// Where the data begin.
    pub(super) end: u64,
}

/// A header, with `descr` and `shape` as Python writes them. It is padded so that any other shape
/// of as many digits, or fewer, gives a header of the same length.
#[must_use]
pub fn header(descr: &str, shape: &str) -> Vec<u8> {
    let dictionary = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}");
    let prefix = MAGIC.len() + 4;
    let length = (prefix + dictionary.len() + 1).next_multiple_of(ALIGNMENT) - prefix;
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(dictionary.bytes());
    bytes.resize(prefix + length - 1, b' ');
    bytes.push(b'\n');
    bytes
}

/// Reads a header behind its first six bytes.
pub(super) fn read(file: &mut impl Read) -> Result<Header, RayFileProblem> {
    let version = fixed::<2>(file, 6)?;
    let (length, start) = match version {
        [1, 0] => (u64::from(u16::from_le_bytes(fixed(file, 8)?)), 10),
        [2 | 3, 0] => (u64::from(u32::from_le_bytes(fixed(file, 8)?)), 12),
        [major, minor] => {
            let message = format!("version {major}.{minor}, expected 1.0, 2.0 or 3.0");
            return Err(RayFileProblem::Header { offset: 6, message });
        }
    };
    if length > MAX_HEADER {
        let message = format!("a header of {length} bytes, expected at most {MAX_HEADER}");
        return Err(RayFileProblem::Header { offset: 8, message });
    }
    let mut text = Vec::new();
    file.take(length).read_to_end(&mut text).map_err(scene::FileProblem::from)?;
    if text.len() as u64 != length {
        let message = format!("the file ends within its header of {length} bytes");
        return Err(RayFileProblem::Header { offset: start + text.len() as u64, message });
    }
    let dictionary =
        literal::parse(&text).map_err(|mistake| at(start, mistake.offset, mistake.message))?;
    let entry = |name: &str| {
        let Value::Table(entries) = &dictionary.value else { return None };
        let named = |key: &Literal| matches!(&key.value, Value::Text(text) if text == name);
        entries.iter().find(|(key, _)| named(key)).map(|(_, value)| value)
    };
    let wanted = |name: &str| {
        let missing = || at(start, dictionary.offset, format!("no {name:?} in the header"));
        entry(name).ok_or_else(missing)
    };
    let order = wanted("fortran_order")?;
    let Value::Truth(is_column_major) = order.value else {
        let message = "fortran_order is neither True nor False";
        return Err(at(start, order.offset, message.to_owned()));
    };
    let shape = wanted("shape")?;
    let shape = lengths(shape)
        .ok_or_else(|| at(start, shape.offset, "the shape is no list of numbers".to_owned()))?;
    let descr = wanted("descr")?.clone();
    Ok(Header { descr, shape, is_column_major, start, end: start + length })
}

fn lengths(shape: &Literal) -> Option<Vec<u64>> {
    let Value::List(items) = &shape.value else { return None };
    let number = |item: &Literal| match item.value {
        Value::Number(number) => Some(number),
        _ => None,
    };
    items.iter().map(number).collect()
}

/// A mistake in the dictionary that begins at `start`.
pub(super) fn at(start: u64, offset: usize, message: String) -> RayFileProblem {
    RayFileProblem::Header { offset: start + offset as u64, message }
}

fn fixed<const N: usize>(file: &mut impl Read, offset: u64) -> Result<[u8; N], RayFileProblem> {
    let mut bytes = [0; N];
    file.read_exact(&mut bytes).map_err(|error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => {
            let message = "the file ends within its header".to_owned();
            RayFileProblem::Header { offset, message }
        }
        _ => scene::FileProblem::from(error).into(),
    })?;
    Ok(bytes)
}
