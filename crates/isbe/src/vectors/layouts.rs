//! Layouts, their errors, MAP addresses and writes.

use super::{attribute, attribute_set, headers};
use crate::layout::{Area, Layout, Location, check_sizes};
use crate::limits::LINE_BYTES;
use crate::memory::{self, Access, MapOrder, Memory, Region, Size, Space};
use crate::{AttributeId, Limits, Topology};
use vectors::{Case, Comparison, Json, VectorError};

pub(super) fn layout(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let (vertex, primitive) =
        (attribute_set(&case.field("V")?)?, attribute_set(&case.field("P")?)?);
    let maxima = [case.field("max_vertices")?.number()?, case.field("max_primitives")?.number()?];
    let layout = match Layout::new(vertex, maxima[0], primitive, maxima[1], Limits::Driver) {
        Ok(layout) => layout,
        Err(error) => {
            comparison.check("layout", &"none", &error.id());
            return Ok(());
        }
    };
    let sizes = [
        ("Gv", layout.vertices.group_bytes()),
        ("Tv", layout.vertices.total_bytes()),
        ("Gp", layout.primitives.group_bytes()),
        ("Tp", layout.primitives.total_bytes()),
        ("shared_base", layout.shared_base()),
    ];
    for (name, got) in sizes {
        if let Some(expected) = case.optional(name)? {
            comparison.check(name, &expected.hex()?, &got);
        }
    }
    if let Some(lines) = case.optional("lines")? {
        comparison.check("lines", &lines.number()?, &(layout.shared_base() / LINE_BYTES));
    }
    points(case, "vertex_points", &layout.vertices, comparison)?;
    points(case, "primitive_points", &layout.primitives, comparison)?;
    inverse(case, &layout, comparison)?;
    table(case, &layout.vertices, comparison)?;
    headers::masks(case, &vertex, &["imap", "omap", "vmap"], comparison)?;
    if let Some(expected) = case.optional("gs_omap")? {
        comparison.check(
            "gs_omap",
            &super::dwords(&expected)?,
            &headers::mask_dwords(&primitive, "omap"),
        );
    }
    Ok(())
}

fn points(
    case: &Json<'_>,
    name: &str,
    area: &Area,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    let Some(points) = case.optional(name)? else { return Ok(()) };
    for point in points.elements()? {
        let [id, index, address] = point.exactly()?;
        let got = area.address(attribute(&id)?, index.number()?);
        comparison.check(point.place(), &Some(address.hex()?), &got);
    }
    Ok(())
}

type Inverse = (String, u32, Option<AttributeId>, u32, u32, bool);

fn inverse(
    case: &Json<'_>,
    layout: &Layout,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    let Some(points) = case.optional("inverse")? else { return Ok(()) };
    for point in points.elements()? {
        let [address, expected] = point.exactly()?;
        let area = expected.field("area")?.text()?;
        let expected: Inverse = if area == "shared" {
            (area.to_owned(), expected.field("offset")?.number()?, None, 0, 0, false)
        } else {
            (
                area.to_owned(),
                expected.field("group")?.number()?,
                Some(attribute(&expected.field("attr")?)?),
                expected.field("index")?.number()?,
                expected.field("byte")?.number()?,
                expected.field("padding")?.boolean()?,
            )
        };
        let (area, element) = match layout.locate(address.hex()?) {
            Location::Vertex(element) => ("vertex", element),
            Location::Primitive(element) => ("primitive", element),
            Location::Shared { offset } => {
                let got = ("shared".to_owned(), offset, None, 0, 0, false);
                comparison.check(point.place(), &expected, &got);
                continue;
            }
        };
        let (group, attribute) = (element.group, Some(element.attribute));
        let got = (area.to_owned(), group, attribute, element.index, element.byte, element.padding);
        comparison.check(point.place(), &expected, &got);
    }
    Ok(())
}

/// Rows of a table: the first byte of each attribute's line, one past the last line, the vertices.
fn table(case: &Json<'_>, area: &Area, comparison: &mut Comparison) -> Result<(), VectorError> {
    let Some(table) = case.optional("table")? else { return Ok(()) };
    for row in table.elements()? {
        let cells = row.elements()?;
        let [starts @ .., end, first, last] = cells.as_slice() else {
            return Err(row.wrong("line addresses, an end, a first and a last vertex"));
        };
        let (first, last): (u32, u32) = (first.number()?, last.number()?);
        let got = area.ids().iter().map(|id| area.address(*id, first)).collect::<Vec<_>>();
        let expected = starts.iter().map(|s| s.hex().map(Some)).collect::<Result<Vec<_>, _>>()?;
        comparison.check(row.place(), &expected, &got);
        let last_address = area.ids().last().and_then(|id| area.address(*id, last));
        comparison.check(
            row.place(),
            &Some(end.hex()?),
            &last_address.map(|a| a / 128 * 128 + 128),
        );
    }
    Ok(())
}

pub(super) fn layout_error(
    case: &Case<'_>,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    let sizes = check_sizes(
        case.field("V_count")?.number()?,
        case.field("max_vertices")?.number()?,
        case.field("P_count")?.number()?,
        case.field("max_primitives")?.number()?,
        Limits::Driver,
    );
    let got = sizes.err().map_or("none", |error| error.id());
    comparison.check("error", &case.field("error")?.text()?, &got);
    Ok(())
}

pub(super) fn map_address(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let topology = case.field("topology")?;
    let vertices = match (Topology::from_name(topology.text()?), topology.text()?) {
        (Some(topology), _) => topology.vertices(),
        (None, "lines_adjacency") => 4,
        (None, "triangles_adjacency") => 6,
        (None, _) => return Err(topology.wrong("a topology")),
    };
    let primitive: u16 = case.field("primitive")?.number()?;
    let corner: u16 = case.field("corner")?.number()?;
    for (name, output) in [("output", true), ("input", false)] {
        if let Some(expected) = case.optional(name)? {
            let got = memory::map_address(output, vertices, primitive.into(), corner.into());
            comparison.check(name, &expected.hex()?, &got);
        }
    }
    Ok(())
}

pub(super) fn map_write(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let map = case.field("init")?.bytes()?;
    let mut memory = Memory::new(Space::default(), Space { map, ..Space::default() });
    let order = case.field("order")?;
    memory.map_order = match order.text()? {
        "LittleAtLow" => MapOrder::LittleAtLow,
        "Reversed" => MapOrder::Reversed,
        _ => return Err(order.wrong("LittleAtLow or Reversed")),
    };
    let size = case.field("size")?;
    let size = match size.number()? {
        8u8 => Size::B8,
        16 => Size::B16,
        32 => Size::B32,
        _ => return Err(size.wrong("8, 16 or 32")),
    };
    let access = Access { output: true, region: Region::Map, skew: false, size };
    let written = memory.write(access, case.field("addr")?.hex()?, case.field("value")?.hex()?);
    let got = written.err().map_or("none", |fault| fault.id());
    let expected = case.optional("error")?;
    comparison.check("error", &expected.as_ref().map_or(Ok("none"), Json::text)?, &got);
    if let Some(bytes) = case.optional("bytes")? {
        comparison.check("bytes", &bytes.bytes()?, &memory.output.map);
    }
    Ok(())
}
