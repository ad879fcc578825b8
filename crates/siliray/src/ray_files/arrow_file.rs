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
//! anything is decoded. A record batch is in memory as a whole.
//!
//! Source: the Arrow columnar format, "IPC File Format".

use super::RayFileProblem;
use super::damage::decoded;
use super::reader::{Bytes, fill};
use super::table::{Columns, Mistake, Table, Wanted, wanted};
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, Message, root_as_footer, root_as_message};
use std::sync::Arc;

/// What every Arrow file begins and ends with.
pub(super) const MAGIC: [u8; 6] = *b"ARROW1";

/// Length and mark at the end.
const TRAILER: usize = 10;

/// A mark and the length of a message stand before it.
const PREFIX: usize = 8;

/// Before a compressed buffer stands the length of what comes out.
const LENGTH: usize = 8;

/// A file of rays.
#[derive(Debug)]
pub(super) struct ArrowTable {
    bytes: Bytes,
    batches: Vec<Batch>,
    /// Each column, and who decodes it alone.
    columns: Vec<(Wanted, FileDecoder)>,
    next: usize,
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
        let mut table = Self { bytes, batches, columns, next: 0 };
        let mut rows = 0u64;
        for number in 0..table.batches.len() {
            let batch = table.batches[number];
            let mut metadata = vec![0; batch.metadata];
            fill(&mut *table.bytes, batch.offset, &mut metadata)?;
            let found = batch.rows(&metadata).map_err(|message| part(number, None, message))?;
            rows = rows.saturating_add(found);
        }
        Ok((table, rows))
    }
}

impl Table for ArrowTable {
    fn next(&mut self) -> Result<Option<Columns>, RayFileProblem> {
        let Some(batch) = self.batches.get(self.next) else { return Ok(None) };
        let number = self.next;
        let mut bytes = vec![0; batch.metadata + batch.body];
        fill(&mut *self.bytes, batch.offset, &mut bytes)?;
        let wrong = |message| part(number, None, message);
        let rows = batch.rows(&bytes[..batch.metadata]).map_err(wrong)?;
        batch.check_lengths(&bytes).map_err(wrong)?;
        let mut part_of_rays = Columns::of_rows(rows as usize);
        let bytes = Buffer::from(bytes);
        for (wanted, decoder) in &self.columns {
            let problem = |message| part(number, Some(&wanted.name), message);
            let read = decoded(|| decoder.read_record_batch(&batch.block, &bytes))
                .and_then(|read| read.map_err(|error| error.to_string()))
                .map_err(problem)?;
            let read = read.ok_or_else(|| problem("there is no record batch".to_owned()))?;
            part_of_rays.add(wanted, read.column(0)).map_err(|Mistake { row, message }| {
                let row = row.map(|row| format!("row {row}: ")).unwrap_or_default();
                problem(row + &message)
            })?;
        }
        self.next += 1;
        Ok(Some(part_of_rays))
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

    /// How many rows it has. Its buffers lie in its body.
    fn rows(&self, metadata: &[u8]) -> Result<u64, String> {
        let message = self.message(metadata)?;
        let batch = message.header_as_record_batch().ok_or("there is no record batch")?;
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

    /// Whether there is room for what its compressed buffers say that comes out of them.
    fn check_lengths(&self, bytes: &[u8]) -> Result<(), String> {
        let message = self.message(&bytes[..self.metadata])?;
        let Some(batch) = message.header_as_record_batch() else { return Ok(()) };
        if batch.compression().is_none() {
            return Ok(());
        }
        for buffer in batch.buffers().into_iter().flatten().filter(|one| one.length() > 0) {
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
