//! Tracers in files.
//!
//! ```no_run
//! # use trace::Tracer;
//! # let scene = scene::builtin::Builtin::Interior.scene(5_000);
//! Tracer::new(&scene)?.save("interior.tracer")?;
//! let tracer = Tracer::load("interior.tracer")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A file holds the CPU's copy as it lies in memory, so that reading it is all that loading takes;
//! it belongs to one version of the layout and to one byte order, and others refuse it. It is
//! believed only after a look at all of it: a checksum finds what was damaged, and every pointer,
//! number and order that walks rely on is checked besides, so that a file made by hand can at worst
//! give the answers of another scene.
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | `siliray` and a zero |
//! | 8..12 | `0x01020304` in the byte order of the file |
//! | 12..16 | the version of the file and of the layout of nodes and leaves |
//! | 16..24 | bytes of the tables |
//! | 24..32 | bytes of nodes and leaves |
//! | 32..40 | checksum of the tables |
//! | 40..48 | checksum of nodes and leaves |
//! | 48..56 | checksum of the bytes before |
//! | 56..64 | zero |
//! | 64.. | tables (`tables`), then nodes and leaves, as `world` describes them |
//!
//! | file | concept |
//! |---|---|
//! | `tables` | everything but nodes and leaves, as bytes |
//! | `checksum` | sums that find damage |
//! | `check` | the proof that walks stay within a world that was read |
//! | `error` | why a tracer was not written or read |

mod check;
mod checksum;
mod error;
mod tables;
#[cfg(test)]
mod tests;

pub use error::StoredError;

use crate::tracer::Storage;
use crate::world::{Arena, World};
use crate::{Kernel, Mode, Options, Tracer};
use checksum::{CHUNK, checksum, combined};
use rayon::prelude::*;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

const MAGIC: [u8; 8] = *b"siliray\0";
const BYTE_ORDER: u32 = 0x0102_0304;
/// Grows with every change of the file, of nodes or of leaves.
const VERSION: u32 = 2;
const HEADER: usize = 64;

impl Tracer {
    /// Writes the tracer to a file, for [`Tracer::load`]: beside its place, and then renamed.
    ///
    /// # Errors
    /// When it cannot be written, or walks in place: then it is its image, which has files of its
    /// own.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), StoredError> {
        let path = path.as_ref();
        let Storage::Prepared(world) = &self.storage else { return Err(StoredError::InPlace) };
        let tables = tables::write(world, &self.options());
        let arena = world.arena.bytes();
        let mut header = Vec::with_capacity(HEADER);
        header.extend(MAGIC);
        header.extend(BYTE_ORDER.to_ne_bytes());
        header.extend(VERSION.to_ne_bytes());
        for number in [tables.len() as u64, arena.len() as u64, sum(&tables), sum(arena)] {
            header.extend(number.to_ne_bytes());
        }
        header.extend(checksum(&header).to_ne_bytes());
        header.resize(HEADER, 0);
        let failed = |source| StoredError::Unwritable { path: path.to_owned(), source };
        let beside = beside(path);
        let written = File::create_new(&beside).and_then(|mut file| {
            [&header, &tables, arena].into_iter().try_for_each(|bytes| file.write_all(bytes))?;
            drop(file);
            std::fs::rename(&beside, path)
        });
        written.map_err(|error| {
            let _ = std::fs::remove_file(&beside);
            failed(error)
        })
    }

    /// Reads a tracer that [`Tracer::save`] has written. It uses the fastest kernel of this
    /// processor, whatever wrote it.
    ///
    /// # Errors
    /// When the file cannot be read, is not such a file, belongs to another version or byte order,
    /// or is damaged.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, StoredError> {
        Self::load_with(path, None)
    }

    /// The same with a kernel of one's choice.
    ///
    /// # Errors
    /// As [`Tracer::load`], and when the processor lacks the kernel.
    pub fn load_with(path: impl AsRef<Path>, kernel: Option<Kernel>) -> Result<Self, StoredError> {
        let path = path.as_ref();
        let failed = |source| StoredError::Unreadable { path: path.to_owned(), source };
        let mut file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let mut start = [0; HEADER];
        if length < HEADER as u64 {
            return Err(StoredError::NotATracer);
        }
        file.read_exact(&mut start).map_err(failed)?;
        let header = Header::read(&start, length)?;
        let mut tables = vec![0; header.tables];
        file.read_exact(&mut tables).map_err(failed)?;
        if sum(&tables) != header.sums[0] {
            return Err(StoredError::Damaged { part: "tables" });
        }
        let too_large = || StoredError::broken("there is not enough memory for what it holds");
        let mut arena = Arena::of_bytes(header.arena).ok_or_else(too_large)?;
        let first = (HEADER + header.tables) as u64;
        let found = read_summed(&mut file, first, arena.bytes_mut()).map_err(failed)?;
        if found != header.sums[1] {
            return Err(StoredError::Damaged { part: "nodes and leaves" });
        }
        let (mut world, options): (World, Options) = tables::read(&tables, arena)?;
        world.stack_size = check::stack_size(&world)?;
        let options = Options { mode: Mode::Prepared, kernel, ..options };
        Self::over(Storage::Prepared(world), options).map_err(|_| StoredError::Kernel)
    }
}

/// What the first bytes say.
struct Header {
    tables: usize,
    arena: usize,
    sums: [u64; 2],
}

impl Header {
    fn read(bytes: &[u8; HEADER], length: u64) -> Result<Self, StoredError> {
        let word = |at: usize| u32::from_ne_bytes(std::array::from_fn(|k| bytes[at + k]));
        let number = |at: usize| u64::from_ne_bytes(std::array::from_fn(|k| bytes[at + k]));
        if bytes[..8] != MAGIC {
            return Err(StoredError::NotATracer);
        }
        match word(8) {
            BYTE_ORDER => (),
            other if other == BYTE_ORDER.swap_bytes() => return Err(StoredError::ByteOrder),
            _ => return Err(StoredError::Damaged { part: "header" }),
        }
        if number(48) != checksum(&bytes[..48]) || number(56) != 0 {
            // Another version may have another header.
            return Err(match word(12) {
                VERSION => StoredError::Damaged { part: "header" },
                found => StoredError::Version { found, expected: VERSION },
            });
        }
        if word(12) != VERSION {
            return Err(StoredError::Version { found: word(12), expected: VERSION });
        }
        let (tables, arena) = (number(16), number(24));
        let expected = tables.checked_add(arena).and_then(|sum| sum.checked_add(HEADER as u64));
        if expected != Some(length) {
            return Err(StoredError::Length { found: length, expected });
        }
        let size = |bytes: u64| usize::try_from(bytes).map_err(|_| StoredError::NotATracer);
        Ok(Self { tables: size(tables)?, arena: size(arena)?, sums: [number(32), number(40)] })
    }
}

/// The checksum of many bytes.
fn sum(bytes: &[u8]) -> u64 {
    let parts: Vec<u64> = bytes.par_chunks(CHUNK).map(checksum).collect();
    combined(&parts)
}

/// Reads bytes from a place of the file on, in parts side by side; returns their checksum, which is
/// formed while they are near.
#[cfg(unix)]
fn read_summed(file: &mut File, first: u64, bytes: &mut [u8]) -> std::io::Result<u64> {
    use std::os::unix::fs::FileExt;
    let file = &*file;
    let chunks = bytes.par_chunks_mut(CHUNK).enumerate();
    let parts: Vec<u64> = chunks
        .map(|(number, part)| {
            file.read_exact_at(part, first + (number * CHUNK) as u64)?;
            Ok(checksum(part))
        })
        .collect::<std::io::Result<_>>()?;
    Ok(combined(&parts))
}

#[cfg(not(unix))]
fn read_summed(file: &mut File, _: u64, bytes: &mut [u8]) -> std::io::Result<u64> {
    file.read_exact(bytes)?;
    Ok(sum(bytes))
}

/// Where a file is written before it is renamed.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.partial", std::process::id()));
    path.with_file_name(name)
}
