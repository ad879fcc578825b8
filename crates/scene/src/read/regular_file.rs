//! All bytes of a file, if it has an end.

use std::path::Path;

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {reason}")]
pub struct FileError {
    /// The file as it was named; `""` for no name at all.
    pub file: String,
    /// What is in the way.
    pub reason: FileProblem,
}

/// What keeps a file from being read.
#[derive(Debug, thiserror::Error)]
pub enum FileProblem {
    /// No name was given.
    #[error("the name of the file is empty")]
    NoName,
    /// The name is that of a folder.
    #[error("this is a directory, not a file")]
    Directory,
    /// A pipe or a device, which may never end.
    #[error("this is not a regular file")]
    NotRegular,
    /// The system refuses.
    #[error(transparent)]
    System(#[from] std::io::Error),
}

impl FileProblem {
    /// The system's number for it, if it has one.
    #[must_use]
    pub fn code(&self) -> Option<i32> {
        match self {
            Self::System(error) => error.raw_os_error(),
            Self::NoName | Self::Directory | Self::NotRegular => None,
        }
    }
}

/// Reads a whole file. Pipes and devices are not opened: they may never end.
///
/// # Errors
/// When there is no such file, it is not a regular one, or the system refuses.
pub fn read_file(path: impl AsRef<Path>) -> Result<Vec<u8>, FileError> {
    let path = path.as_ref();
    read(path).map_err(|reason| {
        let file =
            if path.as_os_str().is_empty() { "\"\"".into() } else { path.display().to_string() };
        FileError { file, reason }
    })
}

fn read(path: &Path) -> Result<Vec<u8>, FileProblem> {
    if path.as_os_str().is_empty() {
        return Err(FileProblem::NoName);
    }
    let about = std::fs::metadata(path)?;
    if about.is_dir() {
        return Err(FileProblem::Directory);
    }
    if !about.is_file() {
        return Err(FileProblem::NotRegular);
    }
    Ok(std::fs::read(path)?)
}
