//! `siliray isbe inspect`: what each byte of a dump is.

use super::args::Inspect;
use super::{bytes, readable, report};
use crate::failure::Failure;
use crate::output::number::counted;
use crate::output::{Output, Table, print};
use serde::Serialize;
use siliray::isbe::container::REGIONS;
use siliray::isbe::container::explain::explain;
use siliray::isbe::{
    AttributeId, Layout, Location, Reader, Region, Stage, Workgroup, WorkgroupView,
};
use std::collections::BTreeMap;

/// What `--json` prints with `--offset`.
#[derive(Serialize)]
struct JsonBytes {
    file: String,
    bytes: Vec<JsonByte>,
}

#[derive(Serialize)]
struct JsonByte {
    offset: u64,
    value: u8,
    place: String,
}

/// What `--json` prints for a workgroup.
#[derive(Serialize)]
struct JsonWorkgroup {
    file: String,
    workgroup: usize,
    workgroups: usize,
    index: u32,
    task: Option<u32>,
    stage: &'static str,
    vertices: Vec<JsonVertex>,
    primitives: Vec<JsonPrimitive>,
    /// What came in, as far as it was dumped.
    input_vertices: Vec<JsonVertex>,
    input_primitives: Vec<Vec<u8>>,
    /// The words of regions without a known layout.
    opaque: BTreeMap<&'static str, Vec<String>>,
}

#[derive(Serialize)]
struct JsonVertex {
    vertex: u32,
    attributes: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct JsonPrimitive {
    primitive: u32,
    vertices: Vec<u8>,
    culled: bool,
    attributes: BTreeMap<String, String>,
}

/// Explains bytes, or shows workgroups.
pub(crate) fn run(args: &Inspect, output: &Output) -> Result<(), Failure> {
    let report = report(&args.dump)?;
    let (dump, reader) = readable(&args.dump, &report)?;
    let file = args.dump.file.display().to_string();
    if !args.offset.is_empty() {
        let content = bytes(&args.dump.file)?;
        let mut explained = Vec::new();
        for &offset in &args.offset {
            let value = usize::try_from(offset).ok().and_then(|at| content.get(at));
            let value = *value.ok_or_else(|| {
                let length = content.len();
                Failure::input(format!(
                    "{file}: found offset {offset:#x}, expected less than {length:#x}"
                ))
            })?;
            let place = explain(&dump, &reader, offset as usize).to_string();
            explained.push(JsonByte { offset, value, place });
        }
        let line =
            |byte: &JsonByte| format!("{:#x}: {:#04x}  {}\n", byte.offset, byte.value, byte.place);
        let text: String = explained.iter().map(line).collect();
        return output.result(&JsonBytes { file, bytes: explained }, &text);
    }
    let view = |number: usize| {
        let workgroup = dump.workgroups.get(number).ok_or_else(|| {
            let count = dump.workgroups.len();
            Failure::input(format!("{file}: found workgroup {number}, expected less than {count}"))
        })?;
        Ok(WorkgroupView::new(&reader, workgroup))
    };
    if args.csv {
        print("workgroup,region,address,kind,index,lane,attribute,hex,value\n")?;
        let all = 0..dump.workgroups.len();
        let chosen = args.workgroup.map_or(all, |number| number..number + 1);
        return chosen
            .into_iter()
            .try_for_each(|number| print(&csv(number, &view(number)?, &reader)));
    }
    let number = args.workgroup.unwrap_or(0);
    let json = describe(&view(number)?, &reader, [number, dump.workgroups.len()], file);
    output.result(&json, &text(&json, &reader))
}

fn describe(
    view: &WorkgroupView<'_>,
    reader: &Reader,
    [number, workgroups]: [usize; 2],
    file: String,
) -> JsonWorkgroup {
    let row = |ids: &[AttributeId], word: &dyn Fn(AttributeId) -> Option<u32>| {
        let cell = |id: &AttributeId| Some((id.to_string(), id.value_text(word(*id)?)));
        ids.iter().filter_map(cell).collect()
    };
    let vertices = (0..view.vertex_count())
        .map(|vertex| {
            let attributes = row(reader.layout.vertices.ids(), &|id| view.vertex(id, vertex));
            JsonVertex { vertex, attributes }
        })
        .collect();
    let primitives = (0..view.primitive_count())
        .map(|primitive| {
            let word = |id| view.primitive_attribute(id, primitive);
            let attributes = row(reader.layout.primitives.ids(), &word);
            let (vertices, culled) =
                (view.primitive(primitive).collect(), view.is_culled(primitive));
            JsonPrimitive { primitive, vertices, culled, attributes }
        })
        .collect();
    let workgroup = view.workgroup();
    let (index, task, stage) = (workgroup.index, workgroup.task, reader.stage.name());
    let inputs = if workgroup.input.attr.is_empty() { 0 } else { reader.input.vertices.maximum() };
    let input_vertices = (0..inputs)
        .map(|vertex| {
            let word = |id| view.input_vertex(id, vertex);
            JsonVertex { vertex, attributes: row(reader.input.vertices.ids(), &word) }
        })
        .collect();
    let handles = workgroup.input.map.chunks(reader.input_corners.max(1) as usize);
    JsonWorkgroup {
        file,
        workgroup: number,
        workgroups,
        index,
        task,
        stage,
        vertices,
        primitives,
        input_vertices,
        input_primitives: handles.map(<[u8]>::to_vec).collect(),
        opaque: opaque(workgroup),
    }
}

/// The words of PATCH and PRIM of both spaces, where there are any.
fn opaque(workgroup: &Workgroup) -> BTreeMap<&'static str, Vec<String>> {
    let mut shown = BTreeMap::new();
    for (name, output, region) in REGIONS {
        let space = if output { &workgroup.output } else { &workgroup.input };
        let bytes = space.region(region);
        if matches!(region, Region::Patch | Region::Prim) && !bytes.is_empty() {
            let word = |chunk: &[u8]| chunk.iter().rev().map(|b| format!("{b:02x}")).collect();
            shown.insert(name, bytes.chunks(4).map(word).collect());
        }
    }
    shown
}

fn text(json: &JsonWorkgroup, reader: &Reader) -> String {
    let cells = |ids: &[AttributeId], row: &BTreeMap<String, String>| -> Vec<String> {
        ids.iter().map(|id| row.get(&id.to_string()).cloned().unwrap_or_default()).collect()
    };
    let header = |first: &[&str], ids: &[AttributeId]| -> Table {
        let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let all: Vec<&str> =
            first.iter().copied().chain(names.iter().map(String::as_str)).collect();
        Table::new(&all)
    };
    let vertex_table = |ids: &[AttributeId], rows: &[JsonVertex]| {
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
