//! Columns as Arrow tables, through the PyCapsule interface, without a copy.

use crate::errors;
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::types::{ArrowPrimitiveType, Float64Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, ListArray, NullArray, RecordBatch,
    RecordBatchOptions, StringArray,
};
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

/// A column of a document; what is missing is null.
#[derive(FromPyObject)]
pub(crate) enum Values {
    Truths(Vec<Option<bool>>),
    Integers(Vec<Option<i64>>),
    Floats(Vec<Option<f64>>),
    Texts(Vec<Option<String>>),
    IntegerLists(Vec<Option<Vec<Option<i64>>>>),
    FloatLists(Vec<Option<Vec<Option<f64>>>>),
    TextLists(Vec<Option<Vec<Option<String>>>>),
}

impl Values {
    fn into_array(self) -> ArrayRef {
        fn lists<T, A: ArrowPrimitiveType<Native = T>>(
            lists: Vec<Option<Vec<Option<T>>>>,
        ) -> ArrayRef {
            Arc::new(ListArray::from_iter_primitive::<A, _, _>(lists))
        }
        match self {
            Self::Truths(values) if values.iter().all(Option::is_none) => {
                Arc::new(NullArray::new(values.len()))
            }
            Self::Truths(values) => Arc::new(BooleanArray::from(values)),
            Self::Integers(values) => Arc::new(Int64Array::from(values)),
            Self::Floats(values) => Arc::new(Float64Array::from(values)),
            Self::Texts(values) => Arc::new(StringArray::from(values)),
            Self::IntegerLists(values) => lists::<i64, Int64Type>(values),
            Self::FloatLists(values) => lists::<f64, Float64Type>(values),
            Self::TextLists(values) => {
                let mut builder = ListBuilder::new(StringBuilder::new());
                values.into_iter().for_each(|list| builder.append_option(list));
                Arc::new(builder.finish())
            }
        }
    }
}

/// Rows of a document, by columns, as a table of one batch.
#[pyfunction]
pub(crate) fn rows(names: Vec<String>, columns: Vec<Values>) -> PyArrowResult<PyTable> {
    let columns: Vec<ArrayRef> = columns.into_iter().map(Values::into_array).collect();
    let field =
        |(name, column): (String, &ArrayRef)| Field::new(name, column.data_type().clone(), true);
    let fields: Vec<Field> = names.into_iter().zip(&columns).map(field).collect();
    let schema = Arc::new(Schema::new(fields));
    let wrong = |error: ArrowError| errors::array(error);
    // A table without columns does not know how long it is.
    let count = columns.first().map_or(0, |column| column.len());
    let options = RecordBatchOptions::new().with_row_count(Some(count));
    let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), columns, &options);
    let batch = batch.map_err(wrong)?;
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
