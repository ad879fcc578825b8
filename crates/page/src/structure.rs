//! One structure: its fields, its bytes, what is wrong with it; and bits that are changed.

use crate::document::Document;
use crate::question::{Edit, Place, Wanted};
use crate::{PageError, Response, number};
use serde_json::{Value, json};
use siliray::documents::findings::CheckDocument;
use siliray::documents::structure::StructureDocument;
use siliray::find::{self, find as ways_to};
use siliray::machine::{Description, EntryState, ImageFile, NodeRef, Segment};

/// Most bits that are changed at once.
const MOST_BITS: u32 = 64;

/// A structure with its bytes.
pub(crate) fn node(document: &Document, place: &Place) -> Result<Response, PageError> {
    let (entry, node) = match place {
        Place::Entry { entry } => {
            let found = document.entries.node(*entry);
            let node = found.ok_or_else(|| PageError::Refused(format!("no entry {entry}")))?;
            (Some(*entry), node)
        }
        Place::Pointer { pointer, base } => {
            let pointer = number(pointer)?;
            let node = match base {
                Some(base) => NodeRef { base: number(base)?, pointer },
                None => NodeRef::from_root(&document.file.image, pointer),
            };
            (document.entries.position(node), node)
        }
    };
    described(document, entry, node)
}

fn described(
    document: &Document,
    entry: Option<usize>,
    node: NodeRef,
) -> Result<Response, PageError> {
    let description = (document.format.describe)(&document.file.image, node)?;
    let description = document.file.amended(description);
    let bytes = document.file.image.get(description.address, description.bytes);
    let shown = StructureDocument::new(&document.file, &description);
    let mut object = json!(shown);
    explain(&mut object, &description);
    object["entry"] = json!(entry);
    object["base"] = json!(format!("{:#x}", node.base));
    object["children"] = children(document, entry, &description);
    object["findings"] = findings_at(document, description.address, description.bytes);
    object["links"] = links(&description);
    // A rotation: what leads back is its transpose.
    let back = description.frame.and_then(|frame| frame.inverse().ok());
    object["frame"] = json!(back.map(|back| back.rows));
    Ok(Response::new(object).with("data", bytes.unwrap_or_default()))
}

/// What fields count, and where that comes from.
fn explain(object: &mut Value, description: &Description) {
    for (number, field) in description.fields.iter().enumerate() {
        object["fields"][number]["unit"] = json!(field.unit);
        object["fields"][number]["source"] = json!(field.source);
    }
    for (number, beside) in description.beside.iter().enumerate() {
        explain(&mut object["beside"][number], beside);
    }
}

/// The bases that links of fields count from, by field.
fn links(description: &Description) -> Value {
    let fields = description.fields.iter().enumerate();
    let links = fields.filter_map(|(number, field)| {
        let link = field.link?;
        Some(json!({
            "field": number,
            "pointer": link.to_string(),
            "base": format!("{:#x}", link.base),
        }))
    });
    links.collect()
}

/// The boxes of the children, as far as the structure holds them.
fn children(document: &Document, entry: Option<usize>, description: &Description) -> Value {
    let below: Vec<usize> =
        entry.into_iter().flat_map(|entry| document.hierarchy().children(entry)).collect();
    let boxes = find::child_boxes(description);
    let child = |(link, bounds): &(NodeRef, siliray::geometry::Aabb)| {
        let number = below.iter().find(|&&n| document.entries.node(n) == Some(*link));
        json!({
            "slot": number.map(|&number| document.entries.slots[number]),
            "entry": number,
            "min": bounds.min.to_array(),
            "max": bounds.max.to_array(),
        })
    };
    boxes.iter().map(child).collect()
}

fn findings_at(document: &Document, address: u64, bytes: usize) -> Value {
    let Some(start) = document.file.offset_of(address) else { return json!([]) };
    let end = start + bytes as u64;
    let all = document.findings.iter().enumerate();
    let here = all.filter(|(_, finding)| (start..end).contains(&finding.offset));
    here.map(|(number, _)| json!(number)).collect()
}

/// Some bytes of the file.
pub(crate) fn bytes(
    document: &Document,
    offset: u64,
    length: usize,
) -> Result<Response, PageError> {
    let all = document.bytes.len();
    let start = usize::try_from(offset).ok().filter(|start| *start <= all);
    let start = start.ok_or_else(|| beyond(all, offset))?;
    let data = document.bytes.get(start..start.saturating_add(length));
    let answer = json!({"offset": offset, "length": data.len(), "of": all});
    Ok(Response::new(answer).with("data", &data))
}

fn beyond(bytes: usize, offset: u64) -> PageError {
    PageError::Refused(format!("byte {offset:#x} lies beyond the file's {bytes} bytes"))
}

/// The structure that a byte belongs to.
pub(crate) fn owner(document: &Document, offset: u64) -> Result<Response, PageError> {
    let wanted = find::Wanted::Offset(offset);
    let way = ways_to(document.format, &document.file, &document.outline(), &wanted);
    let entry = way.first().and_then(|way| way.entries.last().copied());
    match entry.and_then(|entry| Some((entry, document.entries.node(entry)?))) {
        None => Ok(Response::new(json!({"entry": null, "node": null}))),
        Some((entry, node)) => {
            let mut response = described(document, Some(entry), node)?;
            response.answer = json!({"entry": entry, "node": response.answer});
            Ok(response)
        }
    }
}

/// What the check found.
pub(crate) fn check(document: &Document) -> Response {
    let findings = &document.findings;
    let shown = CheckDocument::new(document.name.clone(), document.nodes, findings, findings);
    let mut object = json!(shown);
    for (number, entry) in document.finding_entries().iter().enumerate() {
        object["findings"][number]["entry"] = json!(entry);
    }
    Response::new(object)
}

/// Where addresses lie in the file. Neighbours mostly lie in the same segment.
struct Offsets<'a> {
    file: &'a ImageFile,
    /// The segment of the last one.
    last: usize,
}

impl<'a> Offsets<'a> {
    fn new(file: &'a ImageFile) -> Self {
        Self { file, last: 0 }
    }

    /// The file offset of an address; `None` if no segment holds it.
    fn of(&mut self, address: u64) -> Option<u64> {
        let segments = &self.file.image.segments;
        let holds = |segment: &Segment| segment.get(address, 1).is_some();
        if !segments.get(self.last).is_some_and(holds) {
            self.last = segments.iter().position(holds)?;
        }
        let byte = address - segments[self.last].address;
        self.file.places.get(self.last).map(|place| place.offset(byte))
    }
}

/// The structure that each finding is about: of several around its first bit the one that begins
/// last.
pub(crate) fn finding_entries(document: &Document) -> Vec<Option<usize>> {
    let mut sorted: Vec<(u64, usize)> = document
        .findings
        .iter()
        .map(|finding| finding.offset + u64::from(finding.bits.start / 8))
        .zip(0..)
        .collect();
    sorted.sort_unstable();
    // Offset, length and number of the best so far.
    let mut best: Vec<Option<(u64, u64, usize)>> = vec![None; sorted.len()];
    if sorted.is_empty() {
        return Vec::new();
    }
    let mut offsets = Offsets::new(&document.file);
    for (number, entry) in document.entries.iter().enumerate() {
        let offset = offsets.of(entry.address).filter(|_| entry.state == EntryState::Read);
        let Some(start) = offset else { continue };
        let own = (start, entry.bytes as u64, number);
        let first = sorted.partition_point(|(offset, _)| *offset < start);
        let inside = sorted[first..].iter().take_while(|(offset, _)| offset - start < own.1);
        for (_, finding) in inside {
            best[*finding] = best[*finding].max(Some(own));
        }
    }
    best.into_iter().map(|best| best.map(|(.., entry)| entry)).collect()
}

/// The ways to something.
pub(crate) fn find(document: &Document, wanted: &Wanted) -> Response {
    let wanted = match *wanted {
        Wanted::Primitive { primitive, geometry } => {
            find::Wanted::Primitive { geometry, primitive }
        }
        Wanted::Offset { offset } => find::Wanted::Offset(offset),
        Wanted::Point { point } => find::Wanted::Point(point),
    };
    let ways = ways_to(document.format, &document.file, &document.outline(), &wanted);
    let ways: Vec<&Vec<usize>> = ways.iter().map(|way| &way.entries).collect();
    Response::new(json!({"ways": ways}))
}

/// The bytes with some bits changed, and what stood there.
pub(crate) fn edited_bytes(
    mut bytes: Vec<u8>,
    edit: &Edit,
) -> Result<(Vec<u8>, String), PageError> {
    let Edit { offset, bit, length, ref value } = *edit;
    let value = number(value)?;
    let fits = length == MOST_BITS || value < 1 << length.min(MOST_BITS - 1);
    if !(1..=MOST_BITS).contains(&length) || !fits {
        let text = format!("{value:#x} does not fit into {length} bits");
        return Err(PageError::Refused(text));
    }
    let first = offset.checked_mul(8).and_then(|bits| bits.checked_add(bit.into()));
    let first = first.ok_or_else(|| beyond(bytes.len(), offset))?;
    if (first + u64::from(length)).div_ceil(8) > bytes.len() as u64 {
        return Err(beyond(bytes.len(), offset));
    }
    let mut before = 0;
    for n in 0..u64::from(length) {
        let (byte, shift) = (((first + n) / 8) as usize, (first + n) % 8);
        before |= u64::from(bytes[byte] >> shift & 1) << n;
        bytes[byte] = bytes[byte] & !(1 << shift) | ((value >> n & 1) as u8) << shift;
    }
    Ok((bytes, format!("{before:#x}")))
}
