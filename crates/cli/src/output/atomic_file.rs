//! Files that are complete or not there.
//!
//! A file is written beside its place and renamed when it is complete. Because it is created before
//! the long work begins, a place that cannot be written to is found out at once.

use crate::failure::Failure;
use crate::interrupt;
use std::fs::OpenOptions;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Links of a chain that are followed; systems follow about as many.
const MOST_LINKS: usize = 40;

/// A file under way.
pub(crate) struct AtomicFile {
    file: BufWriter<Box<dyn Write + Send>>,
    place: Place,
    /// As the user named it.
    name: PathBuf,
}

/// Where the bytes go.
enum Place {
    /// Into `temporary`, which becomes `target`.
    Beside { temporary: PathBuf, target: PathBuf },
    /// Straight into a device or a pipe, which must not be replaced by a file.
    Direct,
}

impl AtomicFile {
    /// Begins the file `name`, or standard output for `-`.
    pub(crate) fn create(name: &Path) -> Result<Self, Failure> {
        if is_stdout(name) {
            let (file, name) = (Box::new(std::io::stdout()), "standard output".into());
            return Ok(Self { file: BufWriter::new(file), place: Place::Direct, name });
        }
        let cannot = |error: std::io::Error| cannot_write(name, &error);
        // Through symbolic links, so that the link stays and its target is replaced.
        let target = name.canonicalize().unwrap_or_else(|_| linked_to(name));
        let (file, place) = match name.metadata() {
            Ok(found) if found.is_dir() => {
                let message = format!("cannot write {}: it is a folder", name.display());
                return Err(Failure::input(message));
            }
            // By its own name: the pipe behind /dev/stdout has no other.
            Ok(found) if !found.is_file() => {
                (OpenOptions::new().write(true).open(name).map_err(cannot)?, Place::Direct)
            }
            found => {
                if found.is_ok() {
                    // A file that may not be written must not be replaced either.
                    OpenOptions::new().write(true).open(&target).map_err(cannot)?;
                }
                let temporary = beside(&target).ok_or_else(|| {
                    Failure::input(format!("cannot write {:?}: it names no file", name))
                })?;
                let create = || OpenOptions::new().write(true).create_new(true).open(&temporary);
                let file = interrupt::unfinished(&temporary, create).map_err(cannot)?;
                if let Ok(found) = found {
                    // Who may read the old file may read the new one, and nobody else. Where that
                    // cannot be set, the file is written all the same.
                    let _ = file.set_permissions(found.permissions());
                }
                (file, Place::Beside { temporary, target })
            }
        };
        Ok(Self { file: BufWriter::new(Box::new(file)), place, name: name.to_owned() })
    }

    /// Writes everything and puts the file in its place.
    pub(crate) fn write(mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.append(bytes)?;
        self.finish()
    }

    /// Writes a part of it.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.file.write_all(bytes).map_err(|error| cannot_write(&self.name, &error))
    }

    /// Writes its first bytes anew, such as a header that counts what follows.
    pub(crate) fn rewrite_start(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let Place::Beside { temporary, .. } = &self.place else {
            let name = self.name.display();
            let message = format!("cannot write {name}: its header is known only at the end");
            return Err(Failure::input(message).hint("write to a regular file"));
        };
        let start = self.file.flush().and_then(|()| OpenOptions::new().write(true).open(temporary));
        let written = start.and_then(|mut start| start.write_all(bytes));
        written.map_err(|error| cannot_write(&self.name, &error))
    }

    /// Puts the file in its place.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        let written = self.file.flush();
        let placed = written.and_then(|()| match &self.place {
            Place::Direct => Ok(()),
            Place::Beside { temporary, target } => {
                interrupt::finished(temporary, || std::fs::rename(temporary, target))
            }
        });
        placed.map_err(|error| cannot_write(&self.name, &error))
    }
}

impl Drop for AtomicFile {
    /// Removes what was not put in its place. After a rename there is nothing left to remove.
    fn drop(&mut self) {
        if let Place::Beside { temporary, .. } = &self.place {
            let _ = interrupt::finished(temporary, || std::fs::remove_file(temporary));
        }
    }
}

/// Where a chain of symbolic links ends though nothing is there yet. A chain that has no end is
/// left to the system to refuse.
fn linked_to(name: &Path) -> PathBuf {
    let mut place = name.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(link) = place.read_link() else { return place };
        place = place.parent().unwrap_or(Path::new("")).join(link);
    }
    name.to_owned()
}

/// Whether a name stands for standard output.
pub(crate) fn is_stdout(name: &Path) -> bool {
    name.as_os_str() == "-"
}

/// A reader that has gone away has seen enough, and needs no message.
fn cannot_write(name: &Path, error: &std::io::Error) -> Failure {
    if error.kind() == ErrorKind::BrokenPipe {
        return Failure::exit_only();
    }
    Failure::input(format!("cannot write {}: {error}", name.display()))
}

/// A name in the same folder, hidden and this process's own.
fn beside(target: &Path) -> Option<PathBuf> {
    let mut name = std::ffi::OsString::from(".");
    name.push(target.file_name()?);
    name.push(format!(".{}.part", std::process::id()));
    Some(target.with_file_name(name))
}
