//! Rays, part by part.

use super::arrow_file::{self, ArrowTable};
use super::parquet_file::{self, Chunks, ParquetTable};
use super::queries::FileQuery;
use super::record::{Numbers, Record, ray};
use super::table::{Columns, Table};
use super::{Layout, RayFileError, RayFileProblem, csv, npy};
use geometry::Ray;
use scene::FileProblem;
use std::fs::File;
use std::io::{BufReader, Cursor, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// Bytes that are read at once.
const BUFFER: usize = 1 << 20;

/// Rows that are taken apart at once.
const ROWS: usize = 1 << 14;

/// Bytes that tell text from numbers.
const SAMPLE: u64 = 4096;

/// A file of rays that is being read.
#[derive(Debug)]
pub struct RayReader {
    name: String,
    layout: Layout,
    rays: Rays,
    count: u64,
    next: u64,
}

/// Where the rays are.
#[derive(Debug)]
enum Rays {
    /// Numbers in a file, from `start` on.
    Stored { bytes: Bytes, record: Box<Record>, start: u64 },
    /// Read already.
    Listed(Vec<Numbers>),
    /// Columns, read part by part; the next row of this part.
    Table { table: Box<dyn Table>, part: Box<Columns>, row: usize },
}

/// A file, or what came through a pipe.
pub(super) trait Stream: Read + Seek + Send + std::fmt::Debug {
    /// The same for who reads here and there.
    fn chunks(self: Box<Self>, length: u64) -> Chunks;
}

impl Stream for BufReader<File> {
    fn chunks(self: Box<Self>, length: u64) -> Chunks {
        Chunks::File(Arc::new(self.into_inner()), length)
    }
}

impl Stream for Cursor<Vec<u8>> {
    fn chunks(self: Box<Self>, _: u64) -> Chunks {
        Chunks::Memory(self.into_inner().into())
    }
}

pub(super) type Bytes = Box<dyn Stream>;

impl RayReader {
    /// Opens a file, or standard input for `-`, and believes what its length bears out. A file that
    /// begins like `.npy`, Parquet or Arrow is one; text is CSV; any other holds raw numbers.
    ///
    /// # Errors
    /// When it cannot be read, is something else than its name says, has a bad header, or does not
    /// hold a whole number of rays.
    pub fn open(path: &Path) -> Result<Self, RayFileError> {
        let is_stdin = path.as_os_str() == "-";
        let name = if is_stdin { "standard input".to_owned() } else { path.display().to_string() };
        let opened = if is_stdin { in_memory(std::io::stdin().lock()) } else { open(path) };
        opened
            .and_then(|(bytes, length)| Self::begin(bytes, length, path, name.clone()))
            .map_err(|problem| RayFileError { file: name, problem })
    }

    fn begin(
        mut bytes: Bytes,
        length: u64,
        path: &Path,
        name: String,
    ) -> Result<Self, RayFileProblem> {
        let layout = layout(&mut bytes, path)?;
        let table = |(table, count): (Box<dyn Table>, u64)| {
            let rays = Rays::Table { table, part: Box::default(), row: 0 };
            Self { name: name.clone(), layout, rays, count, next: 0 }
        };
        let (record, declared, start) = match layout {
            Layout::Csv => {
                let mut text = String::new();
                bytes.read_to_string(&mut text).map_err(FileProblem::from)?;
                let rays = csv::read(&text)?;
                let count = rays.len() as u64;
                return Ok(Self { name, layout, rays: Rays::Listed(rays), count, next: 0 });
            }
            Layout::Npy => {
                bytes.seek(SeekFrom::Start(npy::MAGIC.len() as u64)).map_err(FileProblem::from)?;
                let header = npy::read(&mut bytes)?;
                let (record, rows) = Record::of_header(&header)?;
                (record, Some(rows), header.end)
            }
            Layout::Raw => (Record::plain(), None, 0),
            Layout::Parquet => {
                let (opened, count) = ParquetTable::open(bytes.chunks(length))?;
                return Ok(table((Box::new(opened), count)));
            }
            Layout::Arrow => {
                let (opened, count) = ArrowTable::open(bytes, length)?;
                return Ok(table((Box::new(opened), count)));
            }
        };
        let found = length.saturating_sub(start);
        let stride = record.stride as u64;
        let count = declared.unwrap_or(found / stride);
        if count.checked_mul(stride) != Some(found) {
            let expected = match declared {
                Some(count) => format!("{count} rays of {stride} bytes"),
                None => format!("a multiple of {stride}"),
            };
            return Err(RayFileProblem::Length { offset: start, found, expected });
        }
        let rays = Rays::Stored { bytes, record: Box::new(record), start };
        Ok(Self { name, layout, rays, count, next: 0 })
    }

    /// Rays in the file.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// What kind of file it is.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Replaces `rays` with the next ones, at most `most`; with none at the end of the file.
    ///
    /// # Errors
    /// When the file can no longer be read, or has become shorter.
    pub fn read(&mut self, rays: &mut Vec<Ray>, most: usize) -> Result<(), RayFileError> {
        rays.clear();
        self.rows(rays, most, Record::ray, |numbers| ray(|place| numbers[place]))
    }

    /// The queries of the file, at most `most`: rays and beams, with what is wanted of them.
    ///
    /// # Errors
    /// When the file can no longer be read, or one is none.
    pub fn read_queries(mut self, most: usize) -> Result<Vec<FileQuery>, RayFileError> {
        let mut rows = Vec::new();
        self.rows(&mut rows, most, Record::numbers, |numbers| *numbers)?;
        let query = |(number, row): (u64, &Numbers)| FileQuery::new(number, row);
        let queries = (0..).zip(&rows).map(query).collect::<Result<_, _>>();
        queries.map_err(|problem| RayFileError { file: self.name, problem })
    }

    /// Adds the next rows, at most `most`.
    fn rows<T>(
        &mut self,
        rays: &mut Vec<T>,
        most: usize,
        stored: impl Fn(&Record, &[u8]) -> T,
        listed: impl Fn(&Numbers) -> T,
    ) -> Result<(), RayFileError> {
        let end = self.next + (self.count - self.next).min(most as u64);
        match &mut self.rays {
            Rays::Listed(all) => {
                rays.extend(all[self.next as usize..end as usize].iter().map(listed));
            }
            Rays::Table { table, part, row } => {
                let mut next = self.next;
                while next < end {
                    if *row == part.rows() {
                        let found = table.next().and_then(|found| {
                            found.ok_or_else(|| RayFileProblem::Table {
                                message: format!("it ends after {next} of {} rows", self.count),
                            })
                        });
                        (**part, *row) = found.map(|found| (found, 0)).map_err(|problem| {
                            let file = self.name.clone();
                            RayFileError { file, problem }
                        })?;
                    }
                    let count = (end - next).min((part.rows() - *row) as u64) as usize;
                    rays.extend((*row..*row + count).map(|row| listed(&part.row(row))));
                    (*row, next) = (*row + count, next + count as u64);
                }
            }
            Rays::Stored { bytes, record, start } => {
                let mut rows = vec![0; record.stride * ROWS];
                let mut next = self.next;
                while next < end {
                    let count = (end - next).min(ROWS as u64) as usize;
                    let rows = &mut rows[..record.stride * count];
                    let place = Place { start: *start, next, all: self.count };
                    read_rows(&mut **bytes, record, &place, rows).map_err(|problem| {
                        let file = self.name.clone();
                        RayFileError { file, problem }
                    })?;
                    rays.extend(rows.chunks_exact(record.stride).map(|row| stored(record, row)));
                    next += count as u64;
                }
            }
        }
        self.next = end;
        Ok(())
    }
}

fn open(path: &Path) -> Result<(Bytes, u64), RayFileProblem> {
    if path.as_os_str().is_empty() {
        return Err(FileProblem::NoName.into());
    }
    let about = std::fs::metadata(path).map_err(FileProblem::from)?;
    if about.is_dir() {
        return Err(FileProblem::Directory.into());
    }
    let file = File::open(path).map_err(FileProblem::from)?;
    if !about.is_file() {
        return in_memory(file);
    }
    Ok((Box::new(BufReader::with_capacity(BUFFER, file)), about.len()))
}

/// A pipe has no length until it ends.
fn in_memory(mut pipe: impl Read) -> Result<(Bytes, u64), RayFileProblem> {
    let mut bytes = Vec::new();
    pipe.read_to_end(&mut bytes).map_err(FileProblem::from)?;
    let length = bytes.len() as u64;
    Ok((Box::new(Cursor::new(bytes)), length))
}

/// What a file holds by its first bytes, unless its name says otherwise.
fn layout(bytes: &mut Bytes, path: &Path) -> Result<Layout, RayFileProblem> {
    let mut sample = Vec::new();
    bytes.by_ref().take(SAMPLE).read_to_end(&mut sample).map_err(FileProblem::from)?;
    bytes.rewind().map_err(FileProblem::from)?;
    let found = match &sample[..] {
        sample if sample.starts_with(&npy::MAGIC) => Layout::Npy,
        sample if sample.starts_with(&parquet_file::MAGIC) => Layout::Parquet,
        sample if sample.starts_with(&arrow_file::MAGIC) => Layout::Arrow,
        sample if is_text(sample) => Layout::Csv,
        _ => Layout::Raw,
    };
    let named = Layout::of_name(path);
    let is_open = path.extension().is_none() || sample.is_empty();
    match named {
        // An empty file is no table without rows.
        Some(Layout::Parquet | Layout::Arrow) if sample.is_empty() => {
            Err(RayFileProblem::Table { message: "the file is empty".to_owned() })
        }
        _ if is_open || matches!(found, Layout::Npy | Layout::Parquet | Layout::Arrow) => Ok(found),
        Some(named) if named == found => Ok(found),
        named => Err(RayFileProblem::Layout { found, named }),
    }
}

/// Whether some bytes are letters and digits. No numbers are: a zero, for one, is not.
fn is_text(sample: &[u8]) -> bool {
    let text = match std::str::from_utf8(sample) {
        Ok(text) => text,
        // The sample may end within a letter.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&sample[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    !text.is_empty() && text.chars().all(|letter| !letter.is_control() || letter.is_whitespace())
}

/// Which rows are read.
struct Place {
    start: u64,
    next: u64,
    all: u64,
}

/// Reads whole rows, in whatever order their numbers lie.
fn read_rows(
    bytes: &mut dyn Stream,
    record: &Record,
    place: &Place,
    rows: &mut [u8],
) -> Result<(), RayFileProblem> {
    let Some(size) = record.column else {
        return fill(bytes, place.start + place.next * record.stride as u64, rows);
    };
    let mut column = vec![0; rows.len() / record.stride * size];
    for (number, first) in (0..record.stride).step_by(size).enumerate() {
        let before = number as u64 * place.all + place.next;
        fill(bytes, place.start + before * size as u64, &mut column)?;
        for (row, number) in rows.chunks_exact_mut(record.stride).zip(column.chunks(size)) {
            row[first..first + size].copy_from_slice(number);
        }
    }
    Ok(())
}

/// Fills a buffer from a place on.
pub(super) fn fill(
    bytes: &mut dyn Stream,
    offset: u64,
    buffer: &mut [u8],
) -> Result<(), RayFileProblem> {
    let here = bytes.stream_position().map_err(FileProblem::from)?;
    let moved = bytes.seek_relative(offset.wrapping_sub(here) as i64);
    moved.and_then(|()| bytes.read_exact(buffer)).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => RayFileProblem::Truncated { offset },
        _ => FileProblem::from(error).into(),
    })
}
