//! Files of rays and of hits: `.npy`, as NumPy writes them, and raw numbers.
//!
//! | file | a ray | a hit |
//! |---|---|---|
//! | raw | ox oy oz tmin dx dy dz tmax, `f32` | t u v, `f32`; instance geometry primitive, `u32` |
//! | `.npy` | a row of an array (N, 8) of `<f4`, or a record | a record with these fields |
//!
//! A record of a ray has the fields of a raw one, or origin, direction, tmin and tmax. All numbers
//! are little-endian. A miss has t = +inf and ids 0xFFFFFFFF. What was asked decides what is
//! written: for the closest hit, one hit a ray; for any hit, one byte a ray, 1 for a hit (a `bool`
//! in `.npy`); for all hits, each hit behind the number of its ray, as `u64`.
//!
//! Rays are read in parts, so that a file may be larger than memory; a header is believed only as
//! far as the file's length bears it out.
//!
//! | file | concept |
//! |---|---|
//! | `literal` | the Python literals of a `.npy` header |
//! | [`npy`] | the header of `.npy` files |
//! | `record` | where the numbers of a ray lie in a row |
//! | [`reader`] | rays, part by part |
//! | [`writer`] | rays and hits as bytes |

mod literal;
pub mod npy;
pub mod reader;
mod record;
pub mod writer;

pub use reader::RayReader;

use scene::FileProblem;
use std::path::Path;

/// What a file is called decides how it is written; how it begins, how it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// NumPy's.
    Npy,
    /// Numbers alone.
    Raw,
}

impl Layout {
    /// The layout of a file that is to be written.
    #[must_use]
    pub fn of_name(path: &Path) -> Self {
        match path.extension() {
            Some(ending) if ending.eq_ignore_ascii_case("npy") => Self::Npy,
            _ => Self::Raw,
        }
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
    #[error("byte {offset}: the file ends here, within ray {ray}")]
    Truncated {
        /// Where it ends.
        offset: u64,
        /// The ray that is cut off.
        ray: u64,
    },
}
