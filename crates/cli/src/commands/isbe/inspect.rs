//! `siliray isbe inspect`: what each byte of a dump is.

use super::args::Inspect;
use super::{bytes, readable, report};
use crate::failure::Failure;
use crate::output::number::counted;
use crate::output::{Output, Table, print};
use siliray::documents::isbe::workgroup::{
    ByteDocument, BytesDocument, VertexDocument, WorkgroupDocument, opaque, view,
};
use siliray::isbe::{AttributeId, Layout, Location, Reader, Stage, WorkgroupView};
use std::collections::BTreeMap;

/// Explains bytes, or shows workgroups.
pub(crate) fn run(args: &Inspect, output: &Output) -> Result<(), Failure> {
    let report = report(&args.dump)?;
    let (dump, reader) = readable(&args.dump, &report)?;
    let file = args.dump.file.display().to_string();
    if !args.offset.is_empty() {
        let content = bytes(&args.dump.file)?;
        let json = BytesDocument::new(file, &content, &dump, &reader, &args.offset)
            .map_err(Failure::input)?;
        let line = |byte: &ByteDocument| {
            format!("{:#x}: {:#04x}  {}\n", byte.offset, byte.value, byte.place)
        };
        let text: String = json.bytes.iter().map(line).collect();
        return output.result(&json, &text);
    }
    let view = |number: usize| view(&file, &dump, &reader, number).map_err(Failure::input);
    if args.csv {
        print("workgroup,region,address,kind,index,lane,attribute,hex,value\n")?;
        let all = 0..dump.workgroups.len();
        let chosen = args.workgroup.map_or(all, |number| number..number + 1);
        return chosen
            .into_iter()
            .try_for_each(|number| print(&csv(number, &view(number)?, &reader)));
    }
    let number = args.workgroup.unwrap_or(0);
    let json = WorkgroupDocument::new(
        &view(number)?,
        &reader,
        [number, dump.workgroups.len()],
        file.clone(),
    );
    output.result(&json, &text(&json, &reader))
}

fn text(json: &WorkgroupDocument, reader: &Reader) -> String {
    let cells = |ids: &[AttributeId], row: &BTreeMap<String, String>| -> Vec<String> {
        ids.iter().map(|id| row.get(&id.to_string()).cloned().unwrap_or_default()).collect()
    };
    let header = |first: &[&str], ids: &[AttributeId]| -> Table {
        let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let all: Vec<&str> =
            first.iter().copied().chain(names.iter().map(String::as_str)).collect();
        Table::new(&all)
    };
    let vertex_table = |ids: &[AttributeId], rows: &[VertexDocument]| {
        let mut vertices = header(&["vertex", "lane"], ids);
        for row in rows {
            let mut line = vec![row.vertex.to_string(), (row.vertex % 32).to_string()];
            line.extend(cells(ids, &row.attributes));
            vertices.row(line);
        }
        vertices.text()
    };
    let ids = reader.layout.primitives.ids();
    let mut primitives = header(&["primitive", "vertices", "culled"], ids);
    for row in &json.primitives {
        let corners: Vec<String> = row.vertices.iter().map(ToString::to_string).collect();
        let culled = if row.culled { "culled" } else { "" };
        let mut line = vec![row.primitive.to_string(), corners.join(" "), culled.to_owned()];
        line.extend(cells(ids, &row.attributes));
        primitives.row(line);
    }
    let task = json.task.map_or(String::new(), |task| format!(" of task {task}"));
    let unit = reader.stage.unit();
    let stage =
        if reader.stage == Stage::Mesh { String::new() } else { format!(", {}", json.stage) };
    let title = format!("{unit} {} (number {}{task}{stage})", json.workgroup, json.index);
    let mut parts = vec![title];
    if !json.input_vertices.is_empty() {
        let table = vertex_table(reader.input.vertices.ids(), &json.input_vertices);
        parts.push(format!("input\n{table}").trim_end().to_owned());
    }
    if !json.input_primitives.is_empty() {
        let mut table = Table::new(&["primitive", "input vertices"]);
        for (number, handles) in json.input_primitives.iter().enumerate() {
            let handles: Vec<String> = handles.iter().map(ToString::to_string).collect();
            table.row(vec![number.to_string(), handles.join(" ")]);
        }
        parts.push(table.text().trim_end().to_owned());
    }
    parts.push(vertex_table(reader.layout.vertices.ids(), &json.vertices).trim_end().to_owned());
    if reader.topology.is_some() {
        parts.push(primitives.text().trim_end().to_owned());
    }
    for (name, words) in &json.opaque {
        let rows: Vec<String> = words.chunks(8).map(|row| format!("  {}", row.join(" "))).collect();
        parts.push(format!("{name}, words of a layout that is not known\n{}", rows.join("\n")));
    }
    match json.workgroups - json.workgroup - 1 {
        0 => {}
        1 => parts.push(format!("1 {unit} follows; --workgroup shows it")),
        more => parts.push(format!("{} follow; --workgroup shows them", counted(more, unit))),
    }
    parts.join("\n\n") + "\n"
}

/// A row for each byte of MAP behind the count, and for each word of the other regions.
fn csv(number: usize, view: &WorkgroupView<'_>, reader: &Reader) -> String {
    let mut rows = String::new();
    let unit = view.workgroup();
    if let Some(count) = view.stored_count() {
        rows += &format!("{number},MAP,0x0000,count,,,,{count:08x},{count}\n");
    }
    let map = unit.output.map.iter().enumerate().skip(4);
    rows += &csv_indices(number, "MAP", map, view.corners() as usize);
    rows += &csv_attributes(number, "ATTR", &unit.output.attr, &reader.layout);
    rows += &csv_attributes(number, "input ATTR", &unit.input.attr, &reader.input);
    let map = unit.input.map.iter().enumerate();
    rows += &csv_indices(number, "input MAP", map, reader.input_corners as usize);
    for (name, words) in opaque(unit) {
        for (at, word) in words.iter().enumerate() {
            rows += &format!("{number},{name},{:#06x},word,{at},,,{word},\n", 4 * at);
        }
    }
    rows
}

fn csv_indices<'a>(
    number: usize,
    region: &str,
    indices: impl Iterator<Item = (usize, &'a u8)>,
    corners: usize,
) -> String {
    let mut rows = String::new();
    for (at, (address, index)) in indices.enumerate() {
        let (primitive, corner) = (at / corners.max(1), at % corners.max(1));
        let place = format!("{number},{region},{address:#06x}");
        rows += &format!("{place},index,{primitive},,corner{corner},{index:02x},{index}\n");
    }
    rows
}

fn csv_attributes(number: usize, region: &str, attr: &[u8], layout: &Layout) -> String {
    let mut rows = String::new();
    for (address, bytes) in (0u32..).step_by(4).zip(attr.as_chunks().0) {
        let word = u32::from_le_bytes(*bytes);
        let row = |kind, index: u32, lane: &str, id: &str, value: &str| {
            format!(
                "{number},{region},{address:#06x},{kind},{index},{lane},{id},{word:08x},{value}\n"
            )
        };
        let (kind, element) = match layout.locate(address) {
            Location::Vertex(element) => ("vertex", element),
            Location::Primitive(element) => ("primitive", element),
            Location::Shared { offset } => {
                rows += &row("shared", offset, "", "", &word.to_string());
                continue;
            }
        };
        let kind = if element.padding { "padding" } else { kind };
        let (lane, id) = ((element.index % 32).to_string(), element.attribute);
        rows += &row(kind, element.index, &lane, &id.to_string(), &id.value_text(word));
    }
    rows
}
