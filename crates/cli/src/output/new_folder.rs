//! Folders that do not stay behind empty.

use crate::interrupt;
use std::path::{Path, PathBuf};

/// A folder that exists, and those on the way to it that were made for it. When it is dropped, or
/// at an interrupt, those that hold nothing are removed.
pub(crate) struct NewFolder {
    /// The outermost first.
    made: Vec<PathBuf>,
}

impl NewFolder {
    /// Makes `folder`, and what is missing on the way to it.
    pub(crate) fn create(folder: &Path) -> std::io::Result<Self> {
        let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        let missing: Vec<&Path> = folder.ancestors().take_while(is_missing).collect();
        let mut made = Self { made: Vec::new() };
        for path in missing.into_iter().rev() {
            interrupt::unfinished(path, || std::fs::create_dir(path))?;
            made.made.push(path.to_owned());
        }
        // Says what is wrong if something that is no folder has the name.
        std::fs::create_dir_all(folder)?;
        Ok(made)
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        for path in self.made.iter().rev() {
            // One that holds files stays.
            let _ = interrupt::finished(path, || std::fs::remove_dir(path));
        }
    }
}
