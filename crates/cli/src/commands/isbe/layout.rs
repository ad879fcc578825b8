//! `siliray isbe layout`: where attributes lie.

use super::args::Layout;
use super::limits;
use crate::failure::Failure;
use crate::output::{Output, Table};
use siliray::documents::isbe::layout::{AreaDocument, GroupDocument, LayoutDocument, MapDocument};
use siliray::isbe::limits::LINE_BYTES;
use siliray::isbe::{self, AttributeId, AttributeSet};
use std::collections::BTreeMap;

/// Most columns of a table with a column for each attribute.
const WIDE: usize = 8;

/// Computes the layout and shows it.
pub(crate) fn run(args: &Layout, output: &Output) -> Result<(), Failure> {
    let set = |ids: &[Vec<AttributeId>]| ids.iter().flatten().copied().collect::<AttributeSet>();
    let (vertex, primitive) = (set(&args.attributes), set(&args.primitive_attributes));
    let limits = limits(args.raw_limits);
    let layout = isbe::Layout::new(vertex, args.vertices, primitive, args.primitives, limits)
        .map_err(Failure::input)?;
    let lines = args.shared_lines;
    let json = LayoutDocument::new(&layout, [&vertex, &primitive], args.topology, lines);
    output.result(&json, &text(&json))
}

fn text(json: &LayoutDocument) -> String {
    let mut text = table(&json.vertices, "vertices");
    if !json.primitives.attributes.is_empty() {
        text += &format!("\n{}", table(&json.primitives, "primitives"));
    }
    let sizes = |area: &AreaDocument, what: &str, group: &str, total: &str| {
        let AreaDocument { group_bytes, total_bytes, .. } = area;
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
    let MapDocument { topology, corners, first_index, bytes, input_first_index, input_bytes } =
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
fn table(area: &AreaDocument, what: &str) -> String {
    let range = |start: &u32| format!("{start:#05x}..{:#05x}", start + LINE_BYTES);
    let elements = |group: &GroupDocument| format!("{}..{}", group.first, group.last);
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
