//! Files of rays and of hits: `.npy`, as NumPy writes them, CSV, raw numbers, and tables of Parquet
//! and Arrow.
//!
//! | ending | a ray | a hit |
//! |---|---|---|
//! | raw | ox oy oz tmin dx dy dz tmax, `f32` | t u v, `f32`; instance geometry primitive, `u32` |
//! | `.npy` | a row of an array (N, 8) or (N, 6), or a record | a record with these fields |
//! | `.csv` | a line of 8 or 6 numbers, or of named columns | a line of named columns |
//! | `.parquet`, `.arrow` | a row of named columns | a row of named columns |
//!
//! Six numbers have no tmin and tmax: the ray begins at 0 and has no end. Arrays may be of `<f4` or
//! `<f8`, in C or Fortran order. A record of a ray has the fields of a raw one, or origin and
//! direction. All numbers are little-endian. A miss has t = +inf and ids 0xFFFFFFFF. What was asked
//! decides what is written: for the closest hit, one hit a ray; for any hit, one byte a ray, 1 for
//! a hit (a `bool` in `.npy`); for all hits, each hit behind the number of its ray, as `u64`.
//!
//! Raw and `.npy` files and tables are read in parts, so that they may be larger than memory; a
//! header is believed only as far as the file's length bears it out. What comes through a pipe is
//! read whole.
//!
//! | file | concept |
//! |---|---|
//! | `arrow_file` | rays in record batches |
//! | `arrow_parts` | where the columns of a batch lie, and some rows of them |
//! | `csv` | rays as text |
//! | `damage` | tables that cannot be decoded |
//! | `literal` | the Python literals of a `.npy` header |
//! | [`npy`] | the header of `.npy` files |
//! | `parquet_file` | rays in row groups |
//! | [`queries`] | rays and beams, which hits are wanted of them, and how urgently |
//! | `record` | where the numbers of a ray lie |
//! | [`reader`] | rays, part by part |
//! | `table` | columns by name |
//! | `table_writer` | rays and hits as tables |
//! | [`writer`] | rays and hits as bytes |

mod arrow_file;
mod arrow_parts;
mod csv;
mod damage;
mod literal;
pub mod npy;
mod parquet_file;
pub mod queries;
pub mod reader;
mod record;
mod table;
mod table_writer;
pub mod writer;

pub use reader::RayReader;
pub use table_writer::TableError;

use scene::FileProblem;
use std::path::Path;

/// How rays and hits are stored. What a file is called decides how it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// NumPy's.
    Npy,
    /// Lines of text.
    Csv,
    /// Numbers alone.
    Raw,
    /// A table of Parquet.
    Parquet,
    /// A table of Arrow.
    Arrow,
}

impl Layout {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Npy, Self::Csv, Self::Raw, Self::Parquet, Self::Arrow];

    /// The endings of names, with the layout that they stand for; no ending is raw.
    pub const ENDINGS: [(&'static str, Self); 9] = [
        ("npy", Self::Npy),
        ("csv", Self::Csv),
        ("txt", Self::Csv),
        ("bin", Self::Raw),
        ("raw", Self::Raw),
        ("f32", Self::Raw),
        ("parquet", Self::Parquet),
        ("arrow", Self::Arrow),
        ("feather", Self::Arrow),
    ];

    /// The name used in options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Npy => "npy",
            Self::Csv => "csv",
            Self::Raw => "raw",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
        }
    }

    /// What the name of a file stands for; `None` for an ending of something else.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Self> {
        let Some(ending) = path.extension() else { return Some(Self::Raw) };
        let known = Self::ENDINGS.iter().find(|(name, _)| ending.eq_ignore_ascii_case(name));
        known.map(|&(_, layout)| layout)
    }

    /// The endings, in words.
    #[must_use]
    pub fn endings() -> String {
        Self::ENDINGS.map(|(ending, _)| format!(".{ending}")).join(", ")
    }
}

/// Why a file holds no rays.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct RayFileError {
    /// The file as it was named.
    pub file: String,
    /// What is wrong with it.
    pub problem: RayFileProblem,
}

/// What is wrong with a file of rays.
#[derive(Debug, thiserror::Error)]
pub enum RayFileProblem {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileProblem),
    /// The header of a `.npy` file is not one.
    #[error("byte {offset}: {message}")]
    Header {
        /// Where, from the start of the file.
        offset: u64,
        /// What is found, and what was expected.
        message: String,
    },
    /// A line of text is no ray.
    #[error("line {line}: {message}")]
    Line {
        /// Which, from 1.
        line: u64,
        /// What is found, and what was expected.
        message: String,
    },
    /// A file that should hold a table holds none.
    #[error("{message}")]
    Table {
        /// What is wrong.
        message: String,
    },
    /// A table lacks a column, or its numbers are of another type.
    #[error("column {column:?}: {message}")]
    Column {
        /// Which.
        column: String,
        /// What is found, and what was expected.
        message: String,
    },
    /// A part of a table is no rays.
    #[error("{place}: {message}")]
    Part {
        /// Which row group or record batch, and which of its columns.
        place: String,
        /// What is found, and what was expected.
        message: String,
    },
    /// A row is no query.
    #[error("query {number}: {message}")]
    Query {
        /// Which, from 0.
        number: u64,
        /// What is found, and what was expected.
        message: String,
    },
    /// The name says something else than the bytes.
    #[error("{}", wrong_layout(*found, *named))]
    Layout {
        /// What its bytes look like.
        found: Layout,
        /// What its name stands for.
        named: Option<Layout>,
    },
    /// The file has more or fewer bytes than its rays need.
    #[error("byte {offset}: {found} bytes of rays, expected {expected}")]
    Length {
        /// Where the rays begin.
        offset: u64,
        /// Bytes that are there.
        found: u64,
        /// What should be there.
        expected: String,
    },
    /// It became shorter while it was read.
    #[error("the file became shorter while it was read, at byte {offset} or behind it")]
    Truncated {
        /// What could still be read lies before this.
        offset: u64,
    },
}

fn wrong_layout(found: Layout, named: Option<Layout>) -> String {
    let found = match found {
        Layout::Npy => "a NumPy array",
        Layout::Csv => "text",
        Layout::Raw => "binary, without the header of a NumPy array or a table",
        Layout::Parquet => "a table of Parquet",
        Layout::Arrow => "a table of Arrow",
    };
    match named {
        Some(named) => format!("the file is {found}, but its name says {}", named.name()),
        None => format!("files of rays end in {}; this one is {found}", Layout::endings()),
    }
}
