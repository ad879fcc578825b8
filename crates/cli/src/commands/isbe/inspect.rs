//! `siliray isbe inspect`: what each byte of a dump is.

use super::args::Inspect;
use super::{bytes, readable, report};
use crate::failure::Failure;
use crate::output::number::counted;
use crate::output::{Output, Table, print};
use serde::Serialize;
use siliray::isbe::container::explain::explain;
use siliray::isbe::{AttributeId, Location, Reader, WorkgroupView};
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
    vertices: Vec<JsonVertex>,
    primitives: Vec<JsonPrimitive>,
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
    let (index, task) = (workgroup.index, workgroup.task);
    JsonWorkgroup { file, workgroup: number, workgroups, index, task, vertices, primitives }
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
    let ids = reader.layout.vertices.ids();
    let mut vertices = header(&["vertex", "lane"], ids);
    for row in &json.vertices {
        let mut line = vec![row.vertex.to_string(), (row.vertex % 32).to_string()];
        line.extend(cells(ids, &row.attributes));
        vertices.row(line);
    }
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
    let title = format!("workgroup {} (number {}{task})", json.workgroup, json.index);
    let follow = match json.workgroups - json.workgroup - 1 {
        0 => String::new(),
        1 => "\n1 workgroup follows; --workgroup shows it\n".to_owned(),
        more => format!("\n{} follow; --workgroup shows them\n", counted(more, "workgroup")),
    };
    format!("{title}\n\n{}\n{}{follow}", vertices.text(), primitives.text())
}

/// A row for each byte of MAP behind the count, and for each word of ATTR.
fn csv(number: usize, view: &WorkgroupView<'_>, reader: &Reader) -> String {
    let mut rows = String::new();
    let count = view.stored_count().unwrap_or(0);
    rows += &format!("{number},MAP,0x0000,count,,,,{count:08x},{count}\n");
    let corners = view.corners();
    for at in 0..view.workgroup().map.len().saturating_sub(4) as u32 {
        let (primitive, corner) = (at / corners, at % corners);
        if let Some(index) = view.index(primitive, corner) {
            let address = at + 4;
            rows += &format!(
                "{number},MAP,{address:#06x},index,{primitive},,corner{corner},\
                     {index:02x},{index}\n"
            );
        }
    }
    for (address, bytes) in (0u32..).step_by(4).zip(view.workgroup().attr.as_chunks().0) {
        let word = u32::from_le_bytes(*bytes);
        let (kind, element) = match reader.layout.locate(address) {
            Location::Vertex(element) => ("vertex", element),
            Location::Primitive(element) => ("primitive", element),
            Location::Shared { offset } => {
                rows +=
                    &format!("{number},ATTR,{address:#06x},shared,{offset},,,{word:08x},{word}\n");
                continue;
            }
        };
        let kind = if element.padding { "padding" } else { kind };
        let (index, lane, id) = (element.index, element.index % 32, element.attribute);
        let value = id.value_text(word);
        rows += &format!(
            "{number},ATTR,{address:#06x},{kind},{index},{lane},{id},{word:08x},{value}\n"
        );
    }
    rows
}
