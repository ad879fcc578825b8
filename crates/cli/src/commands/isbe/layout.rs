//! `siliray isbe layout`: where attributes lie.

use super::args::Layout;
use super::attributes::JsonAttribute;
use super::limits;
use crate::failure::Failure;
use crate::output::{Output, Table};
use serde::Serialize;
use siliray::isbe::limits::LINE_BYTES;
use siliray::isbe::memory::map_address;
use siliray::isbe::{self, Area, AttributeId, AttributeSet, ShaderType, Sph, SphVersion, Topology};
use std::collections::BTreeMap;

/// Most columns of a table with a column for each attribute.
const WIDE: usize = 8;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    vertices: JsonArea,
    primitives: JsonArea,
    shared_base: u32,
    region_bytes: u32,
    map: JsonMap,
    /// Header dwords by number, those of the vertex attributes as inputs and as outputs.
    imap: BTreeMap<usize, String>,
    omap: BTreeMap<usize, String>,
    /// The same for the primitive attributes in the pass-through geometry header.
    geometry_omap: BTreeMap<usize, String>,
}

/// Where the indices of primitives lie in MAP.
#[derive(Serialize)]
struct JsonMap {
    topology: &'static str,
    /// Vertices of a primitive.
    corners: u32,
    /// The first index of the output MAP, behind the primitive count.
    first_index: u32,
    bytes: u32,
    /// The same of the input MAP, which has no count.
    input_first_index: u32,
    input_bytes: u32,
}

#[derive(Serialize)]
struct JsonArea {
    maximum: u32,
    base: u32,
    group_bytes: u32,
    total_bytes: u32,
    attributes: Vec<JsonAttribute>,
    groups: Vec<JsonGroup>,
}

/// The lines of 32 elements, one for each attribute.
#[derive(Serialize)]
struct JsonGroup {
    first: u32,
    last: u32,
    lines: Vec<u32>,
}

/// Computes the layout and shows it.
pub(crate) fn run(args: &Layout, output: &Output) -> Result<(), Failure> {
    let set = |ids: &[Vec<AttributeId>]| ids.iter().flatten().copied().collect::<AttributeSet>();
    let (vertex, primitive) = (set(&args.attributes), set(&args.primitive_attributes));
    let limits = limits(args.raw_limits);
    let layout = isbe::Layout::new(vertex, args.vertices, primitive, args.primitives, limits)
        .map_err(Failure::input)?;
    let json = Json {
        vertices: area(&layout.vertices),
        primitives: area(&layout.primitives),
        shared_base: layout.shared_base(),
        region_bytes: layout.shared_base() + LINE_BYTES * u32::from(args.shared_lines),
        map: map(args.topology, args.primitives),
        imap: dwords(|header| header.set_inputs(&vertex)),
        omap: dwords(|header| header.set_outputs(&vertex)),
        geometry_omap: dwords(|header| header.set_outputs(&primitive)),
    };
    output.result(&json, &text(&json))
}

fn map(topology: Topology, primitives: u32) -> JsonMap {
    let corners = topology.vertices();
    let address = |output, primitive| map_address(output, corners, primitive, 0);
    JsonMap {
        topology: topology.name(),
        corners,
        first_index: address(true, 0),
        bytes: address(true, primitives),
        input_first_index: address(false, 0),
        input_bytes: address(false, primitives),
    }
}

fn area(area: &Area) -> JsonArea {
    let attributes = area.ids().iter().copied().map(JsonAttribute::from);
    let groups = (0..area.maximum()).step_by(32).map(|first| JsonGroup {
        first,
        last: (first + 31).min(area.maximum() - 1),
        lines: (0..area.ids().len() as u32)
            .map(|line| area.element_base(first) + LINE_BYTES * line)
            .collect(),
    });
    JsonArea {
        maximum: area.maximum(),
        base: area.base(),
        group_bytes: area.group_bytes(),
        total_bytes: area.total_bytes(),
        attributes: attributes.collect(),
        groups: groups.collect(),
    }
}

/// The dwords of the masks that are not zero; the fields before the masks are left out.
fn dwords(set: impl Fn(&mut Sph)) -> BTreeMap<usize, String> {
    let mut header = Sph::new(SphVersion::V4, ShaderType::Vertex);
    set(&mut header);
    let words = header.dwords().iter().enumerate().skip(5).filter(|(_, word)| **word != 0);
    words.map(|(number, word)| (number, format!("{word:08x}"))).collect()
}

fn text(json: &Json) -> String {
    let mut text = table(&json.vertices, "vertices");
    if !json.primitives.attributes.is_empty() {
        text += &format!("\n{}", table(&json.primitives, "primitives"));
    }
    let sizes = |area: &JsonArea, what: &str, group: &str, total: &str| {
        let JsonArea { group_bytes, total_bytes, .. } = area;
        format!(
            "{what:<11} {group} = {group_bytes:#x} bytes for each group of 32, \
             {total} = {total_bytes:#x} bytes for all groups\n"
        )
    };
    let words = |words: &BTreeMap<usize, String>| {
        let words: Vec<String> =
            words.iter().map(|(n, word)| format!("dword {n} = {word}")).collect();
        words.join(", ")
    };
    text += &format!("\n{}", sizes(&json.vertices, "vertices:", "Gv", "Tv"));
    text += &sizes(&json.primitives, "primitives:", "Gp", "Tp");
    text += &format!(
        "shared memory at {:#x}, region of {:#x} bytes\n",
        json.shared_base, json.region_bytes
    );
    let JsonMap { topology, corners, first_index, bytes, input_first_index, input_bytes } =
        json.map;
    let count = json.primitives.maximum;
    text += &format!(
        "\nMAP of {count} {topology}: {bytes:#x} bytes\n  0x000..0x004  primitive count, written \
         downward through 0x3\n  {first_index:#05x}..{bytes:#05x}  corner c of primitive p at \
         {first_index:#x} + {corners}*p + c, one byte each\ninput MAP: {input_bytes:#x} bytes, \
         corner c of primitive p at {input_first_index:#x} + {corners}*p + c\n\n"
    );
    text += &format!("as outputs: {}\nas inputs:  {}\n", words(&json.omap), words(&json.imap));
    if !json.geometry_omap.is_empty() {
        text += &format!("geometry header: {}\n", words(&json.geometry_omap));
    }
    text
}

/// A column for each attribute, or a row for each where there are many.
fn table(area: &JsonArea, what: &str) -> String {
    let range = |start: &u32| format!("{start:#05x}..{:#05x}", start + LINE_BYTES);
    let elements = |group: &JsonGroup| format!("{}..{}", group.first, group.last);
    let names = area.attributes.iter().map(|attribute| attribute.name.as_str());
    if area.attributes.len() <= WIDE {
        let mut table = Table::new(&names.chain([what]).collect::<Vec<_>>()).left(WIDE + 1);
        for group in &area.groups {
            table.row(group.lines.iter().map(range).chain([elements(group)]).collect());
        }
        return table.text();
    }
    let mut table = Table::new(&["bytes", "attribute", what]).left(3);
    for group in &area.groups {
        for (line, attribute) in group.lines.iter().zip(&area.attributes) {
            table.row(vec![range(line), attribute.name.clone(), elements(group)]);
        }
    }
    table.text()
}
