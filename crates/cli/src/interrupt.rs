//! Ctrl-C, and the limit of a file's size.
//!
//! An interrupt ends the process at once, whatever it is doing. The only thing that must not stay
//! behind is a half-written file, so files under way are listed here; whoever lists or renames one
//! holds the lock, and the handler exits while holding it.
//!
//! A write beyond the limit that a shell sets on files would end the process by a signal, before
//! anything could be cleaned up. With a handler in place the write fails instead.

use crate::failure::Failure;
use std::io::Write;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::sync::Arc;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Exit code after an interrupt, as shells report it.
const INTERRUPTED: i32 = 130;

/// Files that exist but are not complete, and folders made for them. A folder stands before what is
/// in it.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Makes Ctrl-C, a request to terminate, and a file that grows too large leave nothing behind.
pub(crate) fn install() -> Result<(), Failure> {
    let cannot =
        |error: &dyn std::error::Error| Failure::input(format!("cannot handle signals: {error}"));
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default())
        .map_err(|error| cannot(&error))?;
    ctrlc::set_handler(|| {
        let unfinished = lock();
        for path in unfinished.iter().rev() {
            // The process ends; there is nobody left to tell. A folder with other files in it
            // stays.
            let _ = std::fs::remove_file(path).or_else(|_| std::fs::remove_dir(path));
        }
        let _ = std::io::stderr().write_all(b"\ninterrupted\n");
        std::process::exit(INTERRUPTED);
    })
    .map_err(|error| cannot(&error))
}

/// Runs `create`, which makes the file or folder `path`, and lists it. No interrupt comes between.
pub(crate) fn unfinished<T>(
    path: &Path,
    create: impl FnOnce() -> std::io::Result<T>,
) -> std::io::Result<T> {
    let mut unfinished = lock();
    let created = create()?;
    unfinished.push(path.to_owned());
    Ok(created)
}

/// Runs `finish`, which renames, removes or keeps what is at `path`, and strikes it off the list.
pub(crate) fn finished<T>(path: &Path, finish: impl FnOnce() -> T) -> T {
    let mut unfinished = lock();
    let result = finish();
    unfinished.retain(|listed| listed != path);
    result
}

fn lock() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}
