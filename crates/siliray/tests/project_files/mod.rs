//! The files of this project, for tests that read them.

#![allow(clippy::panic)] // helpers of tests may fail as tests do

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder that holds the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every file of the project whose name ends in `.extension`, or has no ending if that is empty,
/// relative to the root, in order: what git tracks, or, outside of a checkout, what lies in the
/// folders.
pub(crate) fn with_extension(extension: &str) -> Vec<PathBuf> {
    let mut files = tracked().unwrap_or_else(|| {
        let mut found = Vec::new();
        walk(Path::new(""), &mut found);
        found
    });
    files.retain(|file| file.extension().unwrap_or_default() == extension);
    files.retain(|file| root().join(file).is_file());
    files.sort();
    assert!(!files.is_empty(), "no *.{extension} files below {}", root().display());
    files
}

/// The text of a file.
pub(crate) fn text(file: &Path) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

fn tracked() -> Option<Vec<PathBuf>> {
    let listing = Command::new("git").arg("ls-files").current_dir(root()).output().ok()?;
    let names = String::from_utf8(listing.stdout).ok()?;
    listing.status.success().then(|| names.lines().map(PathBuf::from).collect())
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(root().join(folder)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let path = folder.join(&name);
        if entry.path().is_file() {
            found.push(path);
        } else if name != "target" && !name.to_string_lossy().starts_with('.') {
            walk(&path, found);
        }
    }
}
