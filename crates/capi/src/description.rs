//! A node of an image, field by field.

use crate::boundary::{self, Out, c_text};
use crate::context::{Context, Thing};
use crate::ids::Id;
use crate::report::beyond;
use crate::status::{CError, SilirayStatus, failed, guarded};
use siliray::machine::{self, DescribedField, ImageFile, NodeRef};
use std::ffi::{CString, c_char};
use std::sync::Arc;

/// An offset that is none: the structure lies outside the input.
pub const SILIRAY_NOWHERE: u64 = u64::MAX;

/// A structure: the node itself is record 0, and what lies beside it and belongs to it follows.
/// Texts live until the description is released.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Record {
    /// What it is.
    pub kind: *const c_char,
    /// As its parent names it.
    pub pointer: u64,
    /// Where it lies in memory.
    pub address: u64,
    /// Where it lies in the input, or SILIRAY_NOWHERE.
    pub offset: u64,
    /// How many bytes it has.
    pub bytes: usize,
    /// How many fields.
    pub fields: usize,
}

/// A field of a structure.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct RecordField {
    /// Its name, as in `children[3].min_x`.
    pub name: *const c_char,
    /// Its bits, from the structure's first byte on: the first one.
    pub first_bit: u32,
    /// The one behind the last.
    pub end_bit: u32,
    /// What stands there.
    pub raw: u64,
    /// That in words; empty where nothing reads it.
    pub value: *const c_char,
    /// What the field is for.
    pub meaning: *const c_char,
    /// Whether it leads to another structure.
    pub is_link: bool,
    /// The pointer of that.
    pub link: u64,
}

/// The records of a node.
#[derive(Debug)]
pub(crate) struct Description {
    records: Vec<KeptRecord>,
}

#[derive(Debug)]
struct KeptRecord {
    kind: CString,
    pointer: u64,
    address: u64,
    offset: Option<u64>,
    bytes: usize,
    fields: Vec<KeptField>,
}

#[derive(Debug)]
struct KeptField {
    field: DescribedField,
    /// Name, value, meaning.
    texts: [CString; 3],
}

impl Description {
    fn new(file: &ImageFile, described: machine::Description) -> Self {
        let mut records = Vec::new();
        let mut waiting = vec![described];
        while let Some(machine::Description {
            node, kind, address, bytes, fields, beside, ..
        }) = waiting.pop()
        {
            records.push(KeptRecord {
                kind: c_text(kind),
                pointer: node.pointer,
                address,
                offset: file.offset_of(address),
                bytes,
                fields: fields.into_iter().map(KeptField::from).collect(),
            });
            waiting.extend(beside.into_iter().rev());
        }
        Self { records }
    }
}

impl From<DescribedField> for KeptField {
    fn from(field: DescribedField) -> Self {
        let texts = [field.name.as_str(), &field.value, field.meaning].map(c_text);
        Self { field, texts }
    }
}

/// Describes a node of an image of any bytes, by the pointer that names it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_describe(
    context: *const Context,
    image: Id,
    pointer: u64,
    description: *mut Id,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let context = boundary::context(context)?;
        let place = Out::new(description, "description")?;
        let image = context.image(image)?;
        let file = image.file()?;
        let node = NodeRef::from_root(&file.image, pointer);
        let described = context.run(|| {
            let described = (image.opened.format.describe)(&file.image, node);
            described.map(|described| Description::new(file, file.amended(described)))
        });
        let kept = described.map_err(failed(SilirayStatus::NoStructure))?;
        place.put(context.keep(Thing::Description(Arc::new(kept)))?);
        Ok(())
    })
}

/// A record of a description, by number. Record 0 is always there; SILIRAY_STATUS_INDEX ends the
/// list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_description_record(
    context: *const Context,
    description: Id,
    index: usize,
    record: *mut Record,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let place = Out::new(record, "record")?;
        let described = boundary::context(context)?.description(description)?;
        let records = &described.records;
        let KeptRecord { kind, pointer, address, offset, bytes, fields } =
            records.get(index).ok_or_else(beyond(index, records.len()))?;
        place.put(Record {
            kind: kind.as_ptr(),
            pointer: *pointer,
            address: *address,
            offset: offset.unwrap_or(SILIRAY_NOWHERE),
            bytes: *bytes,
            fields: fields.len(),
        });
        Ok(())
    })
}

/// A field of a record, both by number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_description_field(
    context: *const Context,
    description: Id,
    record: usize,
    index: usize,
    field: *mut RecordField,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let place = Out::new(field, "field")?;
        let described = boundary::context(context)?.description(description)?;
        let records = &described.records;
        let fields = &records.get(record).ok_or_else(beyond(record, records.len()))?.fields;
        let KeptField { field, texts } =
            fields.get(index).ok_or_else(beyond(index, fields.len()))?;
        let [name, value, meaning] = texts.each_ref().map(|text| text.as_ptr());
        place.put(RecordField {
            name,
            first_bit: field.bits.start,
            end_bit: field.bits.end,
            raw: field.raw,
            value,
            meaning,
            is_link: field.link.is_some(),
            link: field.link.map_or(0, |link| link.pointer),
        });
        Ok(())
    })
}
