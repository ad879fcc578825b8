//! Columns as Arrow tables, through the PyCapsule interface, without a copy.

use crate::errors;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, Field, Schema};
use pyo3::prelude::*;
use pyo3_arrow::buffer::AnyBufferProtocol;
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::{PyRecordBatch, PyTable};
use std::sync::Arc;

/// Columns, which must be contiguous, as a record batch.
#[pyfunction]
pub(crate) fn record_batch(
    names: Vec<String>,
    columns: Vec<AnyBufferProtocol>,
) -> PyArrowResult<PyRecordBatch> {
    Ok(PyRecordBatch::new(batch(names, columns)?))
}

/// The same as a table of one batch.
#[pyfunction]
pub(crate) fn table(names: Vec<String>, columns: Vec<AnyBufferProtocol>) -> PyArrowResult<PyTable> {
    let batch = batch(names, columns)?;
    let schema = batch.schema();
    Ok(PyTable::try_new(vec![batch], schema)?)
}

fn batch(names: Vec<String>, columns: Vec<AnyBufferProtocol>) -> PyArrowResult<RecordBatch> {
    let columns = columns.into_iter().map(AnyBufferProtocol::into_arrow_array);
    let columns = columns.collect::<PyArrowResult<Vec<ArrayRef>>>()?;
    let field =
        |(name, column): (String, &ArrayRef)| Field::new(name, column.data_type().clone(), false);
    let fields: Vec<Field> = names.into_iter().zip(&columns).map(field).collect();
    let wrong = |error: ArrowError| errors::array(error);
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(wrong)?)
}
