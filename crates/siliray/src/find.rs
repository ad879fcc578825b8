//! Where something is in an image: the ways from the root to it, whatever the format.
//!
//! The image may be unsound: only its outline and its descriptions are read.

use geometry::{Aabb, Vec3};
use machine::{Description, EntryState, FormatEntry, ImageFile, NodeRef, Outline, OutlineEntry};
use std::collections::{BTreeMap, HashMap};

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Wanted {
    /// A primitive by its ids.
    Primitive {
        /// Any if `None`.
        geometry: Option<u32>,
        /// Which.
        primitive: u32,
    },
    /// A byte of the file.
    Offset(u64),
    /// A place; where an instance has a transform, below it in the space of the instance.
    Point([f32; 3]),
}

/// A way from the root.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// Numbers of outline entries, the root first.
    pub entries: Vec<usize>,
    /// What was found beside the last of them, if it is not that entry itself.
    pub beside: Option<Description>,
}

impl Way {
    fn to(entries: Vec<usize>) -> Self {
        Self { entries, beside: None }
    }
}

/// Finds every structure that holds what is wanted. Of a place, the deepest ones: it lies in the
/// boxes of all on the way, as far as the image has boxes for them.
#[must_use]
pub fn find(
    format: &FormatEntry,
    file: &ImageFile,
    outline: &Outline,
    wanted: &Wanted,
) -> Vec<Way> {
    match *wanted {
        Wanted::Primitive { geometry, primitive } => {
            let ways = ways_to_primitive(outline, geometry, primitive);
            ways.into_iter().map(Way::to).collect()
        }
        Wanted::Offset(offset) => at_offset(format, file, outline, offset),
        Wanted::Point(point) => at_point(format, file, outline, point),
    }
}

/// The ways to the entries that are the first to refer to a primitive.
pub(crate) fn ways_to_primitive(
    outline: &Outline,
    geometry: Option<u32>,
    primitive: u32,
) -> Vec<Vec<usize>> {
    ways(outline, |entry| {
        let ids = outline.primitives.get(entry.primitives.clone()).unwrap_or_default();
        let is_wanted = |wanted: u32| geometry.is_none_or(|geometry| geometry == wanted);
        ids.iter().any(|id| is_wanted(id.geometry) && id.primitive == primitive)
    })
}

/// The ways to the entries that a condition holds for.
pub(crate) fn ways(outline: &Outline, holds: impl Fn(&OutlineEntry) -> bool) -> Vec<Vec<usize>> {
    let mut above = Vec::new();
    let mut found = Vec::new();
    for (number, entry) in outline.entries.iter().enumerate() {
        above.truncate(entry.depth as usize);
        above.push(number);
        if holds(entry) {
            found.push(above.clone());
        }
    }
    found
}

fn at_offset(format: &FormatEntry, file: &ImageFile, outline: &Outline, offset: u64) -> Vec<Way> {
    let Some(byte) = file.address_of(offset) else { return Vec::new() };
    let covers = |address: u64, bytes: usize| {
        byte.checked_sub(address).is_some_and(|distance| distance < bytes as u64)
    };
    let is_read = |entry: &OutlineEntry| entry.state == EntryState::Read;
    let found = ways(outline, |entry| is_read(entry) && covers(entry.address, entry.bytes));
    if !found.is_empty() {
        return found.into_iter().map(Way::to).collect();
    }
    let beside = |entry: &OutlineEntry| {
        let described = (format.describe)(&file.image, entry.node).ok()?;
        described.beside.into_iter().find(|part| covers(part.address, part.bytes))
    };
    let found = ways(outline, |entry| is_read(entry) && beside(entry).is_some());
    let with_beside = found.into_iter().filter_map(|entries| {
        let beside = beside(&outline.entries[*entries.last()?]);
        Some(Way { entries, beside })
    });
    with_beside.collect()
}

/// A structure whose boxes are compared with a point in its own space.
struct Open {
    point: [f32; 3],
    /// Whether each child has a box around the point.
    children: HashMap<NodeRef, bool>,
}

fn at_point(
    format: &FormatEntry,
    file: &ImageFile,
    outline: &Outline,
    point: [f32; 3],
) -> Vec<Way> {
    let mut found: Vec<Way> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut above: Vec<usize> = Vec::new();
    for (number, entry) in outline.entries.iter().enumerate() {
        let depth = entry.depth as usize;
        if depth > open.len() {
            continue; // below something that does not hold the point
        }
        open.truncate(depth);
        above.truncate(depth);
        let verdict = open.iter().rev().find_map(|open| open.children.get(&entry.node));
        if verdict == Some(&false) || entry.state == EntryState::Outside {
            continue;
        }
        above.push(number);
        if verdict == Some(&true) {
            if found.last().is_some_and(|way| above.starts_with(&way.entries)) {
                found.pop();
            }
            found.push(Way::to(above.clone()));
        }
        let point = open.last().map_or(point, |open| open.point);
        open.push(match (format.describe)(&file.image, entry.node) {
            Ok(description) => Open {
                point: transformed(&description, point),
                children: children(&description, Vec3::from_array(point)),
            },
            Err(_) => Open { point, children: HashMap::new() },
        });
    }
    found
}

/// Which of the structures that a description leads to has a box around the point.
fn children(description: &Description, point: Vec3) -> HashMap<NodeRef, bool> {
    let mut children = HashMap::new();
    for (link, bounds) in child_boxes(description) {
        let holds = point.cmpge(bounds.min).all() && point.cmple(bounds.max).all();
        *children.entry(link).or_default() |= holds;
    }
    children
}

/// The structures that a description leads to, with the boxes that it has for them. Fields of one
/// child have a name in common: `children[3].min_x`.
#[must_use]
pub fn child_boxes(description: &Description) -> Vec<(NodeRef, Aabb)> {
    let mut groups: BTreeMap<&str, (Vec<NodeRef>, Aabb, u32)> = BTreeMap::new();
    for field in &description.fields {
        let Some((child, name)) = field.name.rsplit_once('.') else { continue };
        let (links, bounds, planes) = groups.entry(child).or_insert((Vec::new(), Aabb::EMPTY, 0));
        links.extend(field.link);
        let corner = match name {
            "min_x" => &mut bounds.min.x,
            "min_y" => &mut bounds.min.y,
            "min_z" => &mut bounds.min.z,
            "max_x" => &mut bounds.max.x,
            "max_y" => &mut bounds.max.y,
            "max_z" => &mut bounds.max.z,
            _ => continue,
        };
        if let Some(plane) = plane(&field.value) {
            *corner = plane;
            *planes += 1;
        }
    }
    let known = groups.into_values().filter(|(_, _, planes)| *planes == 6);
    known.flat_map(|(links, bounds, _)| links.into_iter().map(move |link| (link, bounds))).collect()
}

/// The number that a value ends with: a plane, or a code and its plane, as in `519 → 129.75`.
fn plane(value: &str) -> Option<f32> {
    value.rsplit("→ ").next()?.parse().ok()
}

/// The point in the space below an instance.
fn transformed(description: &Description, point: [f32; 3]) -> [f32; 3] {
    let element = |row: usize, column: usize| {
        let name = format!("world_to_object[{row}][{column}]");
        plane(&description.fields.iter().find(|field| field.name == name)?.value)
    };
    let row = |row: usize| {
        let [x, y, z] = point;
        Some(element(row, 0)? * x + element(row, 1)? * y + element(row, 2)? * z + element(row, 3)?)
    };
    match [row(0), row(1), row(2)] {
        [Some(x), Some(y), Some(z)] => [x, y, z],
        _ => point,
    }
}
