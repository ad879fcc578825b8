//! Rays in Parquet: row group after row group, page after page.
//!
//! Each column has a reader of its own, so that what is wrong is known to be wrong in that column.
//! Of a row group no more is in memory than the pages that are being read.

use super::RayFileProblem;
use super::damage::decoded;
use super::table::{Columns, Mistake, Table, Wanted, wanted};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;

/// What every Parquet file begins and ends with.
pub(super) const MAGIC: [u8; 4] = *b"PAR1";

/// Rows that are decoded at once.
const ROWS: usize = 1 << 16;

/// A file of rays.
pub(super) struct ParquetTable {
    bytes: Chunks,
    metadata: ArrowReaderMetadata,
    wanted: Vec<Wanted>,
    /// The row group that is being read, and the readers of its columns; none before its start.
    group: usize,
    columns: Vec<ParquetRecordBatchReader>,
    /// Rows of this group that have been read.
    done: usize,
}

/// A file, or what came through a pipe.
#[derive(Debug, Clone)]
pub(super) enum Chunks {
    /// A file.
    File(Arc<File>, u64),
    /// What came through a pipe.
    Memory(Bytes),
}

impl ParquetTable {
    /// Opens a file; says how many rows it has.
    pub(super) fn open(bytes: Chunks) -> Result<(Self, u64), RayFileProblem> {
        // The schema of Parquet says all that is needed, and is there whoever wrote the file.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = decoded(|| ArrowReaderMetadata::load(&bytes, options))
            .and_then(|metadata| metadata.map_err(|error| error.to_string()))
            .map_err(|message| RayFileProblem::Table { message })?;
        let wanted = wanted(metadata.schema())?;
        let groups = metadata.metadata().row_groups();
        let rows = groups
            .iter()
            .try_fold(0u64, |sum, group| sum.checked_add(u64::try_from(group.num_rows()).ok()?));
        let rows = rows.ok_or_else(|| RayFileProblem::Table {
            message: "the numbers of rows of its row groups make no sense".to_owned(),
        })?;
        let table = Self { bytes, metadata, wanted, group: 0, columns: Vec::new(), done: 0 };
        Ok((table, rows))
    }

    /// The readers of the columns of this row group.
    fn readers(&self) -> Result<Vec<ParquetRecordBatchReader>, RayFileProblem> {
        let reader = |wanted: &Wanted| {
            let mask = ProjectionMask::roots(self.metadata.parquet_schema(), [wanted.field]);
            let input = self.bytes.clone();
            let reader =
                ParquetRecordBatchReaderBuilder::new_with_metadata(input, self.metadata.clone())
                    .with_projection(mask)
                    .with_row_groups(vec![self.group])
                    .with_batch_size(ROWS);
            decoded(|| reader.build())
                .and_then(|reader| reader.map_err(|error| error.to_string()))
                .map_err(|message| self.problem(&wanted.name, message))
        };
        self.wanted.iter().map(reader).collect()
    }

    fn problem(&self, column: &str, message: String) -> RayFileProblem {
        let place = format!("row group {}, column {column:?}", self.group);
        RayFileProblem::Part { place, message }
    }

    fn mistake(&self, column: &str, mistake: Mistake) -> RayFileProblem {
        let row = mistake.row.map(|row| format!("row {}: ", self.done + row));
        self.problem(column, row.unwrap_or_default() + &mistake.message)
    }
}

impl Table for ParquetTable {
    fn next(&mut self) -> Result<Option<Columns>, RayFileProblem> {
        while let Some(group) = self.metadata.metadata().row_groups().get(self.group) {
            let expected = usize::try_from(group.num_rows()).unwrap_or_default();
            if self.columns.is_empty() {
                self.columns = self.readers()?;
            }
            let mut part: Option<Columns> = None;
            for (number, wanted) in self.wanted.iter().enumerate() {
                let name = &wanted.name;
                let column = &mut self.columns[number];
                let batch = decoded(|| column.next().transpose())
                    .and_then(|batch| batch.map_err(|error| error.to_string()))
                    .map_err(|message| self.problem(name, message))?;
                let found = batch.as_ref().map_or(0, |batch| batch.num_rows());
                let is_short = found == 0 && self.done < expected;
                if is_short || self.done + found > expected {
                    let rows = self.done + found;
                    let message = format!("found {rows} rows, expected {expected}");
                    return Err(self.problem(name, message));
                }
                let Some(batch) = batch else { continue };
                part.get_or_insert_with(|| Columns::of_rows(found))
                    .add(wanted, batch.column(0))
                    .map_err(|mistake| self.mistake(name, mistake))?;
            }
            if let Some(part) = part {
                self.done += part.rows();
                return Ok(Some(part));
            }
            self.columns.clear();
            (self.group, self.done) = (self.group + 1, 0);
        }
        Ok(None)
    }
}

impl std::fmt::Debug for ParquetTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (wanted, group, done) = (&self.wanted, self.group, self.done);
        f.debug_struct("ParquetTable")
            .field("wanted", wanted)
            .field("group", &group)
            .field("done", &done)
            .finish_non_exhaustive()
    }
}

impl Length for Chunks {
    fn len(&self) -> u64 {
        match self {
            Self::File(_, length) => *length,
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }
}

impl ChunkReader for Chunks {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        match self {
            Self::File(file, _) => {
                let mut file = file.try_clone()?;
                file.seek(SeekFrom::Start(start))?;
                Ok(Box::new(BufReader::new(file)))
            }
            Self::Memory(bytes) => {
                let mut bytes = Cursor::new(bytes.clone());
                bytes.set_position(start);
                Ok(Box::new(bytes))
            }
        }
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let end = start.checked_add(length as u64).filter(|&end| end <= self.len());
        let Some(end) = end else {
            let message = format!("{length} bytes at byte {start} end behind the file");
            return Err(ParquetError::EOF(message));
        };
        if let Self::Memory(bytes) = self {
            return Ok(bytes.slice(start as usize..end as usize));
        }
        let mut buffer = vec![0; length];
        self.get_read(start)?.read_exact(&mut buffer)?;
        Ok(buffer.into())
    }
}
