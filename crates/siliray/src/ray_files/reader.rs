//! Rays, part by part.

use super::record::Record;
use super::{RayFileError, RayFileProblem, npy};
use geometry::Ray;
use scene::FileProblem;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek};
use std::path::Path;

/// Bytes that are read at once.
const BUFFER: usize = 1 << 20;

/// Rows that are taken apart at once.
const ROWS: usize = 1 << 10;

/// A file of rays that is being read.
#[derive(Debug)]
pub struct RayReader {
    file: BufReader<File>,
    name: String,
    record: Record,
    /// Where the rays begin.
    start: u64,
    count: u64,
    next: u64,
}

impl RayReader {
    /// Opens a file and believes what its length bears out. A file that begins like `.npy` is one;
    /// any other holds raw numbers.
    ///
    /// # Errors
    /// When it cannot be read, has a bad header, or does not hold a whole number of rays.
    pub fn open(path: &Path) -> Result<Self, RayFileError> {
        let name = path.display().to_string();
        Self::begin(path, &name).map_err(|problem| RayFileError { file: name, problem })
    }

    fn begin(path: &Path, name: &str) -> Result<Self, RayFileProblem> {
        if path.as_os_str().is_empty() {
            return Err(FileProblem::NoName.into());
        }
        let about = std::fs::metadata(path).map_err(FileProblem::from)?;
        if about.is_dir() {
            return Err(FileProblem::Directory.into());
        }
        if !about.is_file() {
            return Err(FileProblem::NotRegular.into());
        }
        let mut file =
            BufReader::with_capacity(BUFFER, File::open(path).map_err(FileProblem::from)?);
        let mut magic = Vec::new();
        let magic_length = npy::MAGIC.len() as u64;
        (&mut file).take(magic_length).read_to_end(&mut magic).map_err(FileProblem::from)?;
        let (record, declared, start) = if magic == npy::MAGIC {
            let header = npy::read(&mut file)?;
            let (record, rows) = Record::of_header(&header)?;
            (record, Some(rows), header.end)
        } else {
            file.rewind().map_err(FileProblem::from)?;
            (Record::PLAIN, None, 0)
        };
        let found = about.len().saturating_sub(start);
        let stride = record.stride as u64;
        let count = declared.unwrap_or(found / stride);
        let fits = count.checked_mul(stride) == Some(found);
        if !fits {
            let expected = match declared {
                Some(count) => format!("{count} rays of {stride} bytes"),
                None => format!("a multiple of {stride}"),
            };
            return Err(RayFileProblem::Length { offset: start, found, expected });
        }
        Ok(Self { file, name: name.to_owned(), record, start, count, next: 0 })
    }

    /// Rays in the file.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Replaces `rays` with the next ones, at most `most`; with none at the end of the file.
    ///
    /// # Errors
    /// When the file can no longer be read, or has become shorter.
    pub fn read(&mut self, rays: &mut Vec<Ray>, most: usize) -> Result<(), RayFileError> {
        rays.clear();
        let mut rows = vec![0; self.record.stride * ROWS];
        let end = self.next + (self.count - self.next).min(most as u64);
        while self.next < end {
            let count = (end - self.next).min(ROWS as u64) as usize;
            let rows = &mut rows[..self.record.stride * count];
            let found = fill(&mut self.file, rows).map_err(|error| self.broken(error))?;
            let whole = found / self.record.stride;
            rays.extend(
                rows.chunks_exact(self.record.stride).take(whole).map(|row| self.record.ray(row)),
            );
            self.next += whole as u64;
            if whole < count {
                return Err(self.broken(ErrorKind::UnexpectedEof.into()));
            }
        }
        Ok(())
    }

    fn broken(&self, error: std::io::Error) -> RayFileError {
        let problem = if error.kind() == ErrorKind::UnexpectedEof {
            let offset = self.start + self.next * self.record.stride as u64;
            RayFileProblem::Truncated { offset, ray: self.next }
        } else {
            FileProblem::from(error).into()
        };
        RayFileError { file: self.name.clone(), problem }
    }
}

/// Reads until the buffer is full or the file ends; says how far it came.
fn fill(file: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut found = 0;
    while found < buffer.len() {
        match file.read(&mut buffer[found..]) {
            Ok(0) => break,
            Ok(more) => found += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => (),
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}
