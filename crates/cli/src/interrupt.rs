//! Ctrl-C.
//!
//! An interrupt ends the process at once, whatever it is doing. The only thing that must not stay
//! behind is a half-written file, so files under way are listed here; whoever lists or renames one
//! holds the lock, and the handler exits while holding it.

use crate::failure::Failure;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Exit code after an interrupt, as shells report it.
const INTERRUPTED: i32 = 130;

/// Files that exist but are not complete.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Makes Ctrl-C, and a request to terminate, leave nothing behind.
pub(crate) fn install() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        let unfinished = lock();
        for path in unfinished.iter() {
            // The process ends; there is nobody left to tell.
            let _ = std::fs::remove_file(path);
        }
        let _ = std::io::stderr().write_all(b"\ninterrupted\n");
        std::process::exit(INTERRUPTED);
    })
    .map_err(|error| Failure::input(format!("cannot handle interrupts: {error}")))
}

/// Runs `create`, which makes the file `path`, and lists it. No interrupt comes between.
pub(crate) fn unfinished<T>(
    path: &Path,
    create: impl FnOnce() -> std::io::Result<T>,
) -> std::io::Result<T> {
    let mut unfinished = lock();
    let created = create()?;
    unfinished.push(path.to_owned());
    Ok(created)
}

/// Runs `finish`, which renames or removes the file `path`, and strikes it off the list.
pub(crate) fn finished<T>(path: &Path, finish: impl FnOnce() -> T) -> T {
    let mut unfinished = lock();
    let result = finish();
    unfinished.retain(|listed| listed != path);
    result
}

fn lock() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}
