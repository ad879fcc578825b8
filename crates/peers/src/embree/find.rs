//! Where Embree may lie: where an environment variable says, where the system looks for libraries,
//! and beside the Python package `embreex`, which brings a copy of Embree 4.

use super::library::{Functions, Version};
use crate::PeerError;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Prints the folder that `embreex` lies in, without running any of it.
const ASK_PYTHON: &str = "import importlib.util as u, os; \
    s = u.find_spec('embreex'); print(os.path.dirname(os.path.dirname(s.origin)) if s else '')";

/// Opens the first library that is there.
pub(super) fn library(version: Version) -> Result<Functions, PeerError> {
    if let Some(path) = std::env::var_os(version.variable()) {
        return Functions::open(version, &path).map_err(|error| {
            let message = format!("{} names {path:?}: {error}", version.variable());
            version.library().failed(message)
        });
    }
    candidates(version)
        .iter()
        .find_map(|path| Functions::open(version, path).ok())
        .ok_or_else(|| version.library().missing())
}

fn candidates(version: Version) -> Vec<OsString> {
    let system = match version {
        Version::Three => ["libembree3.so.3", "libembree3.so", "libembree3.dylib"],
        Version::Four => ["libembree4.so.4", "libembree4.so", "libembree4.dylib"],
    };
    let mut paths: Vec<OsString> = system.map(OsString::from).to_vec();
    if version == Version::Four {
        paths.extend(beside_python_package().into_iter().map(PathBuf::into_os_string));
    }
    paths
}

/// The libraries that the wheel of `embreex` brought along.
fn beside_python_package() -> Vec<PathBuf> {
    ["python3", "python"]
        .into_iter()
        .filter_map(site_packages)
        .flat_map(|site| bundled(&site))
        .collect()
}

fn site_packages(python: &str) -> Option<PathBuf> {
    let output = Command::new(python)
        .args(["-c", ASK_PYTHON])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let folder = String::from_utf8(output.stdout).ok()?;
    let folder = folder.trim();
    (output.status.success() && !folder.is_empty()).then(|| PathBuf::from(folder))
}

/// Wheels keep foreign libraries in `NAME.libs` (Linux) or `NAME/.dylibs` (macOS).
fn bundled(site: &Path) -> Vec<PathBuf> {
    let folders = [site.join("embreex.libs"), site.join("embreex").join(".dylibs")];
    let is_embree = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libembree4"))
    };
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_embree).collect()
}
