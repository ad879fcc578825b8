//! The bytes of a dump become a scene.

use super::import::{ImportError, ImportOptions, Imported, import};
use crate::container::check::{UnsoundDump, read};

/// Why the bytes of a dump are no scene.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DumpError {
    /// The bytes are no sound dump.
    #[error(transparent)]
    Unsound(#[from] UnsoundDump),
    /// The dump holds no scene.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// Nothing of it can be seen.
    #[error("found no triangle that can be seen, expected one at least")]
    NoTriangles,
}

/// Reads a dump that must be sound and show something.
///
/// # Errors
/// When it is not or does not.
pub fn read_scene(bytes: &[u8], options: &ImportOptions) -> Result<Imported, DumpError> {
    let imported = import(&read(bytes, options.limits)?, options)?;
    let boxes = imported.report.points_and_lines > 0 && options.boxes;
    if imported.scene.placed_triangle_count() == 0 && !boxes {
        return Err(DumpError::NoTriangles);
    }
    Ok(imported)
}
