//! Rays in Arrow's file format: record batch after record batch.
//!
//! | bytes | meaning |
//! |---|---|
//! | 0..6 | `ARROW1` |
//! | … | record batches: a message (flatbuffer), then the buffers of the columns |
//! | … | the footer (flatbuffer): schema, and where each message lies |
//! | last 10 | length of the footer, `i32`; `ARROW1` |
//!
//! Everything that a message says about places is compared with the length of its body before
//! anything is decoded. Of a body, only the buffers of the columns that are wanted are read: row by
//! row where they are plain numbers, or lists of them; whole where they are compressed, or one of
//! the columns is a dictionary's.
//!
//! Source: the Arrow columnar format, "IPC File Format".

use super::RayFileProblem;
use super::arrow_parts::{Parts, Place, is_plain, places};
use super::damage::decoded;
use super::reader::{Bytes, fill};
use super::table::{Columns, Mistake, Table, Wanted, wanted};
use arrow_array::{ArrayRef, make_array};
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, Footer, Message, RecordBatch, root_as_footer, root_as_message};
use arrow_schema::SchemaRef;
use std::ops::Range;
use std::sync::Arc;

/// What every Arrow file begins and ends with.
pub(super) const MAGIC: [u8; 6] = *b"ARROW1";

/// Length and mark at the end.
const TRAILER: usize = 10;

/// A mark and the length of a message stand before it.
const PREFIX: usize = 8;

/// Before a compressed buffer stands the length of what comes out.
const LENGTH: usize = 8;

/// Rows that are decoded at once.
const ROWS: u64 = 1 << 18;

/// A file of rays.
#[derive(Debug)]
pub(super) struct ArrowTable {
    bytes: Bytes,
    schema: SchemaRef,
    batches: Vec<Batch>,
    /// Each column, and who decodes it alone.
    columns: Vec<(Wanted, FileDecoder)>,
    /// The batch that is being read, and how many of its rows have been.
    next: usize,
    done: u64,
}

/// Where a record batch lies.
#[derive(Debug, Clone, Copy)]
struct Batch {
    block: Block,
    offset: u64,
    metadata: usize,
    body: usize,
}

impl ArrowTable {
    /// Opens a file of so many bytes; says how many rows it has.
    pub(super) fn open(mut bytes: Bytes, length: u64) -> Result<(Self, u64), RayFileProblem> {
        let wrong = |message: &str| RayFileProblem::Table { message: message.to_owned() };
        let end = length.checked_sub(TRAILER as u64).ok_or_else(|| wrong("it has no end"))?;
        let mut trailer = [0; TRAILER];
        fill(&mut *bytes, end, &mut trailer)?;
        let footer = read_footer_length(trailer).map_err(|error| wrong(&error.to_string()))?;
        let start = end.checked_sub(footer as u64);
        let start = start.ok_or_else(|| wrong("its footer is longer than the file"))?;
        let mut footer = vec![0; footer];
        fill(&mut *bytes, start, &mut footer)?;
        let footer = root_as_footer(&footer).map_err(|error| wrong(&error.to_string()))?;
        let schema = footer.schema().ok_or_else(|| wrong("its footer has no schema"))?;
        let schema = decoded(|| fb_to_schema(schema)).map_err(|message| wrong(&message))?;
        let schema = Arc::new(schema);
        let columns = wanted(&schema)?.into_iter().map(|wanted| {
            let decoder = FileDecoder::new(Arc::clone(&schema), footer.version());
            let field = wanted.field;
            (wanted, decoder.with_projection(vec![field]))
        });
        let columns = columns.collect();
        let blocks = footer.recordBatches().into_iter().flatten();
        let batches = blocks.enumerate().map(|(number, block)| {
            Batch::new(*block, start)
                .ok_or_else(|| part(number, None, "it lies outside of the file".to_owned()))
        });
        let batches = batches.collect::<Result<Vec<_>, _>>()?;
        let mut table = Self { bytes, schema, batches, columns, next: 0, done: 0 };
        table.read_dictionaries(&footer, start)?;
        let mut rows = 0u64;
        for number in 0..table.batches.len() {
            let batch = table.batches[number];
            let metadata = batch.metadata(&mut table.bytes)?;
            let found = batch.rows(&metadata).map_err(|message| part(number, None, message))?;
            rows = rows.saturating_add(found);
        }
        Ok((table, rows))
    }

    /// Reads the dictionaries of the columns that are wanted.
    fn read_dictionaries(&mut self, footer: &Footer<'_>, end: u64) -> Result<(), RayFileProblem> {
        let fields = footer.schema().and_then(|schema| schema.fields());
        let id = |field| Some(fields?.iter().nth(field)?.dictionary()?.id());
        for (wanted, decoder) in &mut self.columns {
            let Some(id) = id(wanted.field) else { continue };
            let wrong = |message| RayFileProblem::Column { column: wanted.name.clone(), message };
            for block in footer.dictionaries().into_iter().flatten() {
                let place = Batch::new(*block, end)
                    .ok_or_else(|| wrong("its dictionary lies outside of the file".to_owned()))?;
                let mut bytes = place.metadata(&mut self.bytes)?;
                let message = place.message(&bytes).map_err(wrong)?;
                let is_its = message.header_as_dictionary_batch().is_some_and(|it| it.id() == id);
                if !is_its {
                    continue;
                }
                bytes.resize(place.metadata + place.body, 0);
                let body = place.offset + place.metadata as u64;
                fill(&mut *self.bytes, body, &mut bytes[place.metadata..])?;
                let values = place.message(&bytes).map_err(wrong)?.header_as_dictionary_batch();
                if let Some(values) = values.and_then(|dictionary| dictionary.data()) {
                    place.check(values).map_err(wrong)?;
                    place.check_lengths(values, &bytes, 0..usize::MAX).map_err(wrong)?;
                }
                let bytes = Buffer::from(bytes);
                decoded(|| decoder.read_dictionary(block, &bytes))
                    .and_then(|read| read.map_err(|error| error.to_string()))
                    .map_err(wrong)?;
            }
        }
        Ok(())
    }

    /// The wanted columns of so many rows of a batch, from where their buffers lie.
    fn some_rows(
        &mut self,
        batch: Batch,
        message: RecordBatch<'_>,
        places: &[Place],
        rows: u64,
    ) -> Result<Vec<ArrayRef>, RayFileProblem> {
        let body = batch.offset + batch.metadata as u64;
        let mut arrays = Vec::new();
        for ((wanted, _), place) in self.columns.iter().zip(places) {
            let problem = |message| part(self.next, Some(&wanted.name), message);
            let mut parts = Parts::new(&mut *self.bytes, body, &message, place);
            let kind = self.schema.field(wanted.field).data_type();
            let array = parts.rows(kind, self.done..self.done + rows, &problem)?;
            arrays.push(make_array(array));
        }
        Ok(arrays)
    }

    /// The wanted columns of a whole batch.
    fn whole(
        &mut self,
        batch: Batch,
        metadata: &[u8],
        message: RecordBatch<'_>,
        places: &[Place],
    ) -> Result<Vec<ArrayRef>, RayFileProblem> {
        // What is not read is zeros that no memory is taken for.
        let mut bytes = vec![0; batch.metadata + batch.body];
        bytes[..batch.metadata].copy_from_slice(metadata);
        let buffers = message.buffers().unwrap_or_default();
        for place in places {
            for buffer in buffers.iter().take(place.buffers.end).skip(place.buffers.start) {
                let start = batch.metadata + buffer.offset() as usize;
                let bytes = &mut bytes[start..start + buffer.length() as usize];
                fill(&mut *self.bytes, batch.offset + start as u64, bytes)?;
            }
        }
        let number = self.next;
        for place in places {
            batch
                .check_lengths(message, &bytes, place.buffers.clone())
                .map_err(|message| part(number, None, message))?;
        }
        let bytes = Buffer::from(bytes);
        let array = |(wanted, decoder): &(Wanted, FileDecoder)| {
            decoded(|| decoder.read_record_batch(&batch.block, &bytes))
                .and_then(|read| read.map_err(|error| error.to_string()))
                .and_then(|read| read.ok_or_else(|| "there is no record batch".to_owned()))
                .map(|read| read.column(0).clone())
                .map_err(|message| part(number, Some(&wanted.name), message))
        };
        self.columns.iter().map(array).collect()
    }
}

impl Table for ArrowTable {
    fn next(&mut self) -> Result<Option<Columns>, RayFileProblem> {
        let Some(&batch) = self.batches.get(self.next) else { return Ok(None) };
        let number = self.next;
        let wrong = |message| part(number, None, message);
        let metadata = batch.metadata(&mut self.bytes)?;
        let all = batch.rows(&metadata).map_err(wrong)?;
        if all == 0 {
            self.next += 1;
            return Ok(Some(Columns::of_rows(0)));
        }
        let message = batch.message(&metadata).map_err(wrong)?;
        let version = message.version();
        let message = message
            .header_as_record_batch()
            .ok_or_else(|| wrong("there is no record batch".to_owned()))?;
        let mut fields = self.columns.iter().map(|(wanted, _)| wanted.field);
        let is_plain = message.compression().is_none()
            && fields.all(|field| is_plain(self.schema.field(field).data_type()));
        let fields = self.columns.iter().map(|(wanted, _)| wanted.field);
        let places = places(&self.schema, version, &message, fields).map_err(wrong)?;
        let rows = if is_plain { (all - self.done).min(ROWS) } else { all };
        let arrays = if is_plain {
            self.some_rows(batch, message, &places, rows)?
        } else {
            self.whole(batch, &metadata, message, &places)?
        };
        let mut columns = Columns::of_rows(rows as usize);
        for ((wanted, _), array) in self.columns.iter().zip(&arrays) {
            columns.add(wanted, array).map_err(|Mistake { row, message }| {
                let row = row.map(|row| format!("row {}: ", self.done + row as u64));
                part(number, Some(&wanted.name), row.unwrap_or_default() + &message)
            })?;
        }
        self.done += rows;
        if self.done == all {
            (self.next, self.done) = (number + 1, 0);
        }
        Ok(Some(columns))
    }
}

impl Batch {
    /// A block, if it ends before the footer begins.
    fn new(block: Block, end: u64) -> Option<Self> {
        let offset = u64::try_from(block.offset()).ok()?;
        let metadata = usize::try_from(block.metaDataLength()).ok().filter(|&n| n > PREFIX)?;
        let body = usize::try_from(block.bodyLength()).ok()?;
        let after = offset.checked_add(metadata as u64)?.checked_add(body as u64)?;
        (after <= end).then_some(Self { block, offset, metadata, body })
    }

    fn message<'a>(&self, metadata: &'a [u8]) -> Result<Message<'a>, String> {
        root_as_message(&metadata[PREFIX..]).map_err(|error| error.to_string())
    }

    fn metadata(&self, bytes: &mut Bytes) -> Result<Vec<u8>, RayFileProblem> {
        let mut metadata = vec![0; self.metadata];
        fill(&mut **bytes, self.offset, &mut metadata)?;
        Ok(metadata)
    }

    /// How many rows it has. Its buffers lie in its body.
    fn rows(&self, metadata: &[u8]) -> Result<u64, String> {
        let message = self.message(metadata)?;
        let batch = message.header_as_record_batch().ok_or("there is no record batch")?;
        self.check(batch)
    }

    /// The same of what a message holds.
    fn check(&self, batch: RecordBatch<'_>) -> Result<u64, String> {
        let is_inside = |offset: i64, length: i64| {
            let end = u64::try_from(offset).ok()?.checked_add(u64::try_from(length).ok()?)?;
            Some(end <= self.body as u64)
        };
        let mut buffers = batch.buffers().into_iter().flatten();
        if buffers.any(|buffer| is_inside(buffer.offset(), buffer.length()) != Some(true)) {
            return Err("a buffer lies outside of its body".to_owned());
        }
        let rows = u64::try_from(batch.length()).ok();
        let nodes = batch.nodes().into_iter().flatten();
        let is_sound = |node: &arrow_ipc::FieldNode| {
            node.length() >= 0 && (0..=node.length()).contains(&node.null_count())
        };
        rows.filter(|_| nodes.into_iter().all(is_sound))
            .ok_or_else(|| "the numbers of its rows make no sense".to_owned())
    }

    /// Whether there is room for what these of its compressed buffers say that comes out of them.
    fn check_lengths(
        &self,
        batch: RecordBatch<'_>,
        bytes: &[u8],
        which: Range<usize>,
    ) -> Result<(), String> {
        if batch.compression().is_none() {
            return Ok(());
        }
        let buffers = batch.buffers().into_iter().flatten();
        let buffers = buffers.take(which.end).skip(which.start);
        for buffer in buffers.filter(|one| one.length() > 0) {
            let start = self.metadata + buffer.offset() as usize;
            let length = bytes[start..start + buffer.length() as usize].first_chunk::<LENGTH>();
            let length = length.map(|length| i64::from_le_bytes(*length));
            let length = length.ok_or("a compressed buffer has no length")?;
            let room = |length: usize| Vec::<u8>::new().try_reserve_exact(length).is_ok();
            // -1 says that the buffer is not compressed.
            if length != -1 && !usize::try_from(length).is_ok_and(room) {
                return Err(format!("a buffer is {length} bytes long without compression"));
            }
        }
        Ok(())
    }
}

fn part(number: usize, column: Option<&str>, message: String) -> RayFileProblem {
    let column = column.map(|column| format!(", column {column:?}")).unwrap_or_default();
    RayFileProblem::Part { place: format!("record batch {number}{column}"), message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ray_files::parquet_file::Chunks;
    use crate::ray_files::reader::Stream;
    use arrow_array::builder::{Float32Builder, ListBuilder};
    use arrow_array::{FixedSizeBinaryArray, Float32Array, Int16Array};
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
    use std::io::{Cursor, Read, Seek, SeekFrom};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Bytes in memory that know how many of them were read, and how many at most at once.
    #[derive(Debug)]
    struct Watched(Cursor<Vec<u8>>, Arc<[AtomicUsize; 2]>);

    impl Read for Watched {
        fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
            let found = self.0.read(bytes)?;
            self.1[0].fetch_add(found, Ordering::Relaxed);
            self.1[1].fetch_max(found, Ordering::Relaxed);
            Ok(found)
        }
    }

    impl Seek for Watched {
        fn seek(&mut self, place: SeekFrom) -> std::io::Result<u64> {
            self.0.seek(place)
        }
    }

    impl Stream for Watched {
        fn chunks(self: Box<Self>, length: u64) -> Chunks {
            Box::new(self.0).chunks(length)
        }
    }

    /// One batch of more rows than are decoded at once, with columns of several kinds, and others
    /// that are larger than they are.
    fn file(rows: usize, compression: Option<CompressionType>) -> Vec<u8> {
        let mut directions = ListBuilder::new(Float32Builder::new());
        for row in 0..rows {
            directions.values().append_slice(&[row as f32, 1.0, 2.0]);
            directions.append(true);
        }
        let others = FixedSizeBinaryArray::try_from_iter((0..rows).map(|row| {
            let mut random = geometry::random::Random::new(3, row);
            std::array::from_fn::<u8, 64, _>(|_| random.below(256) as u8)
        }));
        let bounds = (0..rows).map(|row| (row % 3 != 0).then_some(row as f32));
        let columns: [(&str, ArrayRef); 6] = [
            ("before", Arc::new(others.unwrap())),
            ("oz", Arc::new((0..rows).map(|row| (row % 1000) as i16).collect::<Int16Array>())),
            ("direction", Arc::new(directions.finish())),
            ("ox", Arc::new((0..rows).map(|row| row as f32).collect::<Float32Array>())),
            ("tmax", Arc::new(bounds.collect::<Float32Array>())),
            ("oy", Arc::new(Float32Array::from(vec![0.5; rows]))),
        ];
        let batch = arrow_array::RecordBatch::try_from_iter(columns).unwrap();
        let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
        let writer = FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options);
        let mut writer = writer.unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    }

    /// Of a batch only the columns that are wanted are read, in parts unless they are compressed.
    #[test]
    fn what_is_not_wanted_is_not_read() {
        let rows = ROWS as usize + 77;
        for compression in [None, Some(CompressionType::LZ4_FRAME)] {
            let bytes = file(rows, compression);
            let (length, counts) = (bytes.len(), Arc::new([const { AtomicUsize::new(0) }; 2]));
            let watched = Watched(Cursor::new(bytes), Arc::clone(&counts));
            let (mut table, count) = ArrowTable::open(Box::new(watched), length as u64).unwrap();
            assert_eq!(count, rows as u64);
            let mut first = 0;
            while let Some(part) = table.next().unwrap() {
                for row in (0..part.rows()).step_by(7) {
                    let (numbers, number) = (part.row(row), (first + row) as f32);
                    let [ox, oy, oz, tmin, dx, dy, dz, tmax] = *numbers.first_chunk().unwrap();
                    let origin = [ox, oy, oz, tmin].map(|number| number.unwrap_or(-1.0));
                    assert_eq!(origin, [number, 0.5, ((first + row) % 1000) as f32, -1.0]);
                    assert_eq!([dx, dy, dz], [Some(number), Some(1.0), Some(2.0)]);
                    assert_eq!(tmax, ((first + row) % 3 != 0).then_some(number));
                }
                first += part.rows();
            }
            assert_eq!(first, rows);
            let [read, at_once] = &*counts;
            // Four floats, a short and three more with their offset, and a few nulls.
            assert!(read.load(Ordering::Relaxed) < rows * 36, "{compression:?}");
            if compression.is_none() {
                assert!(at_once.load(Ordering::Relaxed) <= ROWS as usize * 12);
            }
        }
    }
}
