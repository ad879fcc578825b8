//! Rays and hits as tables: columns are gathered, and written part by part.
//!
//! Parquet gets row groups of about a million rows, Arrow a record batch for each part. Of Parquet,
//! the columns that mostly repeat themselves are compressed; floats gain nothing from it.

use super::Layout;
use arrow_array::{ArrayRef, BooleanArray, Float32Array, RecordBatch, UInt32Array, UInt64Array};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use std::sync::Arc;

/// Columns that mostly repeat themselves.
const REPETITIVE: [&str; 3] = ["instance", "geometry", "ray"];

/// Why a table cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("the table cannot be written: {message}")]
pub struct TableError {
    /// What is wrong.
    pub message: String,
}

/// A table under way.
#[derive(Debug)]
pub(super) struct TableWriter {
    schema: SchemaRef,
    columns: Vec<Values>,
    sink: Sink,
}

/// What a column holds, as far as it is not written.
#[derive(Debug)]
pub(super) enum Values {
    /// Numbers of rays.
    Number(Vec<u64>),
    /// Ids.
    Id(Vec<u32>),
    /// Parameters, weights, coordinates.
    Float(Vec<f32>),
    /// Whether there is a hit.
    Truth(Vec<bool>),
}

/// A value of a row.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    Number(u64),
    Id(u32),
    Float(f32),
    Truth(bool),
}

enum Sink {
    Parquet(Box<ArrowWriter<Vec<u8>>>),
    Arrow(Box<FileWriter<Vec<u8>>>),
}

impl std::fmt::Debug for Sink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Parquet(_) => "Parquet",
            Self::Arrow(_) => "Arrow",
        })
    }
}

impl TableWriter {
    /// A table with these columns; `None` for layouts that are none.
    pub(super) fn new(
        layout: Layout,
        columns: Vec<(&str, Values)>,
    ) -> Result<Option<Self>, TableError> {
        let field = |(name, values): &(&str, Values)| Field::new(*name, values.kind(), false);
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let sink = match layout {
            Layout::Parquet => {
                let properties = WriterProperties::builder()
                    .set_dictionary_enabled(false)
                    .set_statistics_enabled(EnabledStatistics::None);
                let properties = REPETITIVE.iter().fold(properties, |properties, name| {
                    let column = ColumnPath::from(*name);
                    properties.set_column_compression(column, Compression::SNAPPY)
                });
                let properties = Some(properties.build());
                let writer = ArrowWriter::try_new(Vec::new(), Arc::clone(&schema), properties);
                Sink::Parquet(Box::new(writer.map_err(failure)?))
            }
            Layout::Arrow => {
                let writer = FileWriter::try_new(Vec::new(), &schema).map_err(failure)?;
                Sink::Arrow(Box::new(writer))
            }
            Layout::Npy | Layout::Csv | Layout::Raw => return Ok(None),
        };
        let columns = columns.into_iter().map(|(_, values)| values).collect();
        Ok(Some(Self { schema, columns, sink }))
    }

    /// Adds a row, a value for each column.
    pub(super) fn push(&mut self, row: impl Iterator<Item = Value>) {
        self.columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
    }

    /// Writes the rows that were gathered, and appends what they become.
    pub(super) fn write(&mut self, bytes: &mut Vec<u8>) -> Result<(), TableError> {
        let columns = self.columns.iter_mut().map(Values::take).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(failure)?;
        match &mut self.sink {
            _ if batch.num_rows() == 0 => {}
            Sink::Parquet(writer) => writer.write(&batch).map_err(failure)?,
            Sink::Arrow(writer) => writer.write(&batch).map_err(failure)?,
        }
        bytes.append(self.sink.bytes());
        Ok(())
    }

    /// Appends the end of the file.
    pub(super) fn finish(&mut self, bytes: &mut Vec<u8>) -> Result<(), TableError> {
        match &mut self.sink {
            Sink::Parquet(writer) => writer.finish().map(|_| ()).map_err(failure)?,
            Sink::Arrow(writer) => writer.finish().map_err(failure)?,
        }
        bytes.append(self.sink.bytes());
        Ok(())
    }
}

impl Sink {
    /// What was written and not yet taken.
    fn bytes(&mut self) -> &mut Vec<u8> {
        match self {
            Self::Parquet(writer) => writer.inner_mut(),
            Self::Arrow(writer) => writer.get_mut(),
        }
    }
}

impl Values {
    fn kind(&self) -> DataType {
        match self {
            Self::Number(_) => DataType::UInt64,
            Self::Id(_) => DataType::UInt32,
            Self::Float(_) => DataType::Float32,
            Self::Truth(_) => DataType::Boolean,
        }
    }

    /// Adds a value, which is of the column's type.
    fn push(&mut self, value: Value) {
        match (self, value) {
            (Self::Number(values), Value::Number(value)) => values.push(value),
            (Self::Id(values), Value::Id(value)) => values.push(value),
            (Self::Float(values), Value::Float(value)) => values.push(value),
            (Self::Truth(values), Value::Truth(value)) => values.push(value),
            // The columns and the rows of a content are written beside each other, in `writer`.
            _ => debug_assert!(false, "a value of another type"),
        }
    }

    fn take(&mut self) -> ArrayRef {
        match self {
            Self::Number(values) => Arc::new(UInt64Array::from(std::mem::take(values))),
            Self::Id(values) => Arc::new(UInt32Array::from(std::mem::take(values))),
            Self::Float(values) => Arc::new(Float32Array::from(std::mem::take(values))),
            Self::Truth(values) => Arc::new(BooleanArray::from(std::mem::take(values))),
        }
    }
}

fn failure(error: impl std::fmt::Display) -> TableError {
    TableError { message: error.to_string() }
}
