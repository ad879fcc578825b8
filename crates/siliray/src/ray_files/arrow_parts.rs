//! Parts of the columns of Arrow's record batches: where their buffers lie, and some rows of them.
//!
//! A message lists a node (rows, nulls) and buffers for each column, depth first; only the schema
//! says which of them are whose.
//!
//! Source: the Arrow columnar format, "Recursive flattening" and "Buffer listing for each layout".

use super::RayFileProblem;
use super::reader::{Stream, fill};
use arrow_array::OffsetSizeTrait;
use arrow_buffer::{BooleanBuffer, Buffer, MutableBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_ipc::{Buffer as Stored, FieldNode, MetadataVersion, RecordBatch};
use arrow_schema::{DataType, Schema, UnionMode};
use std::ops::Range;

/// The nodes and buffers of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    nodes: Range<usize>,
    pub(super) buffers: Range<usize>,
}

/// Whether rows of such a column can be read from the middle of its buffers.
pub(super) fn is_plain(kind: &DataType) -> bool {
    match kind {
        DataType::FixedSizeList(item, _) | DataType::List(item) | DataType::LargeList(item) => {
            is_plain(item.data_type())
        }
        kind => kind.is_numeric(),
    }
}

/// Where some columns lie in a batch.
pub(super) fn places(
    schema: &Schema,
    version: MetadataVersion,
    batch: &RecordBatch<'_>,
    fields: impl Iterator<Item = usize>,
) -> Result<Vec<Place>, String> {
    let mut views = batch.variadicBufferCounts().into_iter().flatten();
    let mut starts = vec![[0, 0]];
    let mut end = [0, 0];
    for field in schema.fields() {
        count(field.data_type(), version, &mut views, &mut end)?;
        starts.push(end);
    }
    let has = [
        batch.nodes().map_or(0, |nodes| nodes.len()),
        batch.buffers().map_or(0, |buffers| buffers.len()),
    ];
    if end[0] > has[0] || end[1] > has[1] {
        return Err("it has fewer buffers than its columns need".to_owned());
    }
    let place = |field: usize| {
        let ([first_node, first_buffer], [node, buffer]) = (starts[field], starts[field + 1]);
        Place { nodes: first_node..node, buffers: first_buffer..buffer }
    };
    Ok(fields.map(place).collect())
}

/// Adds the nodes and buffers of a column of this type.
fn count(
    kind: &DataType,
    version: MetadataVersion,
    views: &mut impl Iterator<Item = i64>,
    sum: &mut [usize; 2],
) -> Result<(), String> {
    let own = match kind {
        DataType::Null | DataType::RunEndEncoded(..) => 0,
        DataType::FixedSizeList(..) | DataType::Struct(_) => 1,
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::ListView(_)
        | DataType::LargeListView(_) => 3,
        DataType::Utf8View | DataType::BinaryView => {
            let more = views.next().and_then(|count| u32::try_from(count).ok());
            2 + more.ok_or("a column of views does not say how many buffers it has")? as usize
        }
        DataType::Union(_, mode) => {
            let has_nulls = version < MetadataVersion::V5;
            1 + usize::from(has_nulls) + usize::from(*mode == UnionMode::Dense)
        }
        _ => 2,
    };
    *sum = [sum[0] + 1, sum[1] + own];
    let mut item = |kind: &DataType| count(kind, version, views, sum);
    match kind {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => item(field.data_type()),
        DataType::Struct(fields) => fields.iter().try_for_each(|field| item(field.data_type())),
        DataType::Union(fields, _) => {
            fields.iter().try_for_each(|(_, field)| item(field.data_type()))
        }
        DataType::RunEndEncoded(ends, values) => {
            item(ends.data_type())?;
            item(values.data_type())
        }
        _ => Ok(()),
    }
}

/// A column of a batch that is not compressed.
pub(super) struct Parts<'a> {
    bytes: &'a mut dyn Stream,
    /// Where the body of the batch begins.
    body: u64,
    nodes: Vec<FieldNode>,
    buffers: Vec<Stored>,
}

impl<'a> Parts<'a> {
    pub(super) fn new(
        bytes: &'a mut dyn Stream,
        body: u64,
        batch: &RecordBatch<'_>,
        place: &Place,
    ) -> Self {
        let nodes = batch.nodes().into_iter().flatten().take(place.nodes.end);
        let buffers = batch.buffers().into_iter().flatten().take(place.buffers.end);
        // The last first, to be taken from the end.
        let mut nodes: Vec<_> = nodes.skip(place.nodes.start).copied().collect();
        let mut buffers: Vec<_> = buffers.skip(place.buffers.start).copied().collect();
        nodes.reverse();
        buffers.reverse();
        Self { bytes, body, nodes, buffers }
    }

    /// Some rows.
    pub(super) fn rows(
        &mut self,
        kind: &DataType,
        rows: Range<u64>,
        problem: &dyn Fn(String) -> RayFileProblem,
    ) -> Result<ArrayData, RayFileProblem> {
        let node = self.nodes.pop().filter(|node| rows.end <= node.length() as u64);
        let node = node.ok_or_else(|| problem("it has fewer rows than others".to_owned()))?;
        let validity = self.bits(&rows, node.null_count() > 0, problem)?;
        let (mut buffers, mut children) = (Vec::new(), Vec::new());
        match kind {
            DataType::FixedSizeList(item, count) => {
                let count = u64::try_from(*count).unwrap_or_default();
                let inner = rows.start.checked_mul(count).zip(rows.end.checked_mul(count));
                let (start, end) = inner.unwrap_or((u64::MAX, u64::MAX));
                children.push(self.rows(item.data_type(), start..end, problem)?);
            }
            DataType::List(item) => {
                let (offsets, inner) = self.offsets::<i32>(&rows, problem)?;
                buffers.push(offsets);
                children.push(self.rows(item.data_type(), inner, problem)?);
            }
            DataType::LargeList(item) => {
                let (offsets, inner) = self.offsets::<i64>(&rows, problem)?;
                buffers.push(offsets);
                children.push(self.rows(item.data_type(), inner, problem)?);
            }
            kind => {
                let width = kind.primitive_width().unwrap_or_default() as u64;
                buffers.push(self.bytes(&rows, width, problem)?);
            }
        }
        let length = (rows.end - rows.start) as usize;
        ArrayData::try_new(kind.clone(), length, validity, 0, buffers, children)
            .map_err(|error| problem(error.to_string()))
    }

    /// Which rows are not null, from the next buffer; nothing if all of them are not.
    fn bits(
        &mut self,
        rows: &Range<u64>,
        has_nulls: bool,
        problem: &dyn Fn(String) -> RayFileProblem,
    ) -> Result<Option<Buffer>, RayFileProblem> {
        if !has_nulls {
            self.buffers.pop();
            return Ok(None);
        }
        let bytes = self.bytes(&(rows.start / 8..rows.end.div_ceil(8)), 1, problem)?;
        let (skipped, length) = ((rows.start % 8) as usize, (rows.end - rows.start) as usize);
        Ok(Some(BooleanBuffer::new(bytes, skipped, length).sliced()))
    }

    /// Where the lists of some rows begin and end, counted from the first; and which items are
    /// theirs.
    fn offsets<O: OffsetSizeTrait>(
        &mut self,
        rows: &Range<u64>,
        problem: &dyn Fn(String) -> RayFileProblem,
    ) -> Result<(Buffer, Range<u64>), RayFileProblem> {
        let bytes = self.bytes(&(rows.start..rows.end + 1), size_of::<O>() as u64, problem)?;
        let offsets = ScalarBuffer::<O>::from(bytes);
        let (first, last) = (offsets.first().copied(), offsets.last().copied());
        let (first, last) = first.zip(last).unwrap_or_default();
        if first < O::default() || !offsets.is_sorted() {
            return Err(problem("its lists end before they begin".to_owned()));
        }
        let items = first.as_usize() as u64..last.as_usize() as u64;
        let offsets: ScalarBuffer<O> = offsets.iter().map(|&offset| offset - first).collect();
        Ok((offsets.into_inner(), items))
    }

    /// Rows of so many bytes of the next buffer.
    fn bytes(
        &mut self,
        rows: &Range<u64>,
        width: u64,
        problem: &dyn Fn(String) -> RayFileProblem,
    ) -> Result<Buffer, RayFileProblem> {
        let stored = self.buffers.pop();
        let place = stored.zip(rows.end.checked_mul(width));
        let place = place.filter(|(stored, end)| *end <= stored.length() as u64);
        let (stored, end) =
            place.ok_or_else(|| problem("a buffer is shorter than its rows".to_owned()))?;
        let start = rows.start * width;
        let mut bytes = MutableBuffer::from_len_zeroed((end - start) as usize);
        let offset = self.body + stored.offset() as u64 + start;
        fill(self.bytes, offset, bytes.as_slice_mut())?;
        Ok(bytes.into())
    }
}
