//! The proof of an untrusted image: arrays first, then every node from node 0 on, then the
//! geometry.

use super::contents::{Contents, Parsed};
use super::header::{HEADER_BYTES, Header, NAME_BYTES};
use super::rule::{Findings, Rule};
use super::{Proof, Tiles};
use crate::layout::node::{Child, ChildKind};
use crate::layout::records::{TRI_RANGE_BYTES, triangle_bytes};
use crate::numeric::Rounding;
use crate::offload::JobOptions;
use crate::policy::Policy;
use geometry::Aabb;
use machine::{CheckReport, Checked, Image, ProvedFacts};

/// Proves an image, or says what is wrong with it.
#[must_use]
pub fn check(image: Image) -> CheckReport<Tiles> {
    let mut findings = Findings::default();
    let mut nodes = 0;
    let contents = checked_header(&image, &mut findings);
    if let Some(contents) = contents {
        let visits = Visits::new(&contents, &mut findings);
        nodes = visits.order.len();
        check_triangles(&contents, &mut findings);
        if findings.is_sound() {
            check_boxes(&contents, &visits, &mut findings);
        }
    }
    let facts = ProvedFacts {
        lossless: findings.holds(Rule::Contained),
        parents: false,
        finite: findings.holds(Rule::Finite),
    };
    let parsed = Parsed::new(&image).filter(|_| findings.is_sound());
    let checked = parsed.map(|parsed| Checked::new(image, facts, Proof { parsed }));
    CheckReport { checked, findings: findings.into_sorted(), nodes }
}

/// The contents, if the header and the arrays that it names are sound.
fn checked_header<'a>(image: &'a Image, findings: &mut Findings) -> Option<Contents<'a>> {
    let place = || "header".to_owned();
    let bytes = image.get(image.root, HEADER_BYTES);
    let Some(header) = bytes.and_then(Header::from_bytes) else {
        let found = bytes.map_or("no memory".to_owned(), |bytes| format!("{:02x?}", &bytes[..8]));
        findings.add(Rule::Header, 0, 0..64, place(), found, "SILIXPHM");
        return None;
    };
    let start = image.segments.iter().find(|s| s.get(image.root, HEADER_BYTES).is_some());
    let at = start.map_or(0, |segment| image.root - segment.address);
    let supported =
        |policy: &Policy| policy.rounding == Rounding::Rne && !policy.flush && !policy.unsigned;
    if header.registers.policy().filter(supported).is_none() {
        let found = format!("{:#x}, {:#x}", header.registers.mode, header.registers.alt);
        let expected = "MODE and ALT of a format, signed and to nearest even";
        findings.add(Rule::Registers, at + 8, 0..64, place(), found, expected);
        return None;
    }
    if header.options & !JobOptions::NODE8.bits() != 0 {
        let found = format!("{:#x}", header.options);
        findings.add(Rule::Options, at + 16, 0..32, place(), found, "0 or 0x200");
        return None;
    }
    let contents = Contents::new(image)?;
    check_arrays(&contents, at, findings);
    findings.is_sound().then_some(contents)
}

fn check_arrays(contents: &Contents<'_>, at: u64, findings: &mut Findings) {
    let Header { base, triangle_base, names, nodes, ranges, triangles, .. } = contents.header;
    let place = || "header".to_owned();
    let element = contents.policy.format.bytes() as u64;
    if base % 64 != 0 {
        let found = format!("node 0 at address {base:#x}");
        findings.add(Rule::Alignment, at + 32, 0..64, place(), found, "a multiple of 64");
    }
    if triangle_base % element != 0 {
        let (found, expected) = (
            format!("triangle 0 at address {triangle_base:#x}"),
            format!("a multiple of {element}"),
        );
        findings.add(Rule::Alignment, at + 40, 0..64, place(), found, expected);
    }
    if nodes == 0 {
        findings.add(Rule::NodeCount, at + 20, 0..32, place(), "0 nodes", "at least 1");
    }
    let stride = contents.shape.stride() as u64;
    let tiles = u64::from(nodes) * stride + u64::from(ranges) * TRI_RANGE_BYTES as u64;
    let buffer = u64::from(triangles) * triangle_bytes(contents.policy.format) as u64;
    let table = u64::from(triangles) * NAME_BYTES as u64;
    for (field, what, address, length) in [
        (32, "nodes and ranges", base, tiles),
        (40, "triangles", triangle_base, buffer),
        (48, "names", names, table),
    ] {
        let there = usize::try_from(length).ok().and_then(|len| contents.bytes(address, len));
        if there.is_none() {
            let found = format!("{length} bytes of {what} at address {address:#x}");
            let expected = "memory of the image";
            findings.add(Rule::ArrayRange, at + field, 0..64, place(), found, expected);
        }
    }
}

/// What is reached from node 0.
struct Visits {
    /// Nodes, parents before children, with the node and slot above.
    order: Vec<u32>,
}

impl Visits {
    fn new(contents: &Contents<'_>, findings: &mut Findings) -> Self {
        let mut visit = Visit {
            contents,
            findings,
            nodes: vec![false; contents.header.nodes as usize],
            ranges: vec![false; contents.header.ranges as usize],
            references: 0,
        };
        let mut visits = Self { order: vec![0] };
        visit.nodes[0] = true;
        let mut next = 0;
        while let Some(&node) = visits.order.get(next) {
            next += 1;
            for slot in 0..contents.shape.width() {
                let child = contents.child(node, slot);
                visits.order.extend(visit.child(node, slot, &child));
            }
            visit.reserved(node);
        }
        visit.finish();
        visits
    }
}

struct Visit<'a, 'b> {
    contents: &'a Contents<'a>,
    findings: &'b mut Findings,
    nodes: Vec<bool>,
    ranges: Vec<bool>,
    references: u64,
}

impl Visit<'_, '_> {
    /// Checks a child; gives the node that it leads to, if that is reached for the first time.
    fn child(&mut self, node: u32, slot: usize, child: &Child) -> Option<u32> {
        let contents = self.contents;
        let shape = contents.shape;
        let at = contents.offset(contents.node_address(node));
        let place = || format!("node {node}, child {slot}");
        let flags_at = at + shape.flags_offset(slot / shape.tile_width()) as u64;
        let in_tile = 2 * (slot % shape.tile_width()) as u32;
        let (index_at, index_bits) = match shape.has_short_index(slot) {
            true => (flags_at, 8..32),
            false => (at + shape.index_offset(slot) as u64, 0..32),
        };
        match child.kind {
            ChildKind::Empty => return None,
            ChildKind::Reserved => {
                let bits = in_tile..in_tile + 2;
                self.findings.add(Rule::ChildKind, flags_at, bits, place(), "3", "0 to 2");
                return None;
            }
            ChildKind::Node | ChildKind::Leaf => {}
        }
        let bounds = contents.bounds(child);
        if bounds.min.is_nan() || bounds.max.is_nan() {
            let found = format!("{:?} to {:?}", bounds.min.to_array(), bounds.max.to_array());
            let at = at + shape.element_offset(slot, 0) as u64;
            let bits = 0..6 * contents.policy.format.bits();
            self.findings.add(Rule::BoxNan, at, bits, place(), found, "numbers");
        }
        if child.kind == ChildKind::Leaf {
            self.leaf(child.index, index_at, index_bits, place());
            return None;
        }
        let Some(reached) = self.nodes.get_mut(child.index as usize) else {
            let (found, expected) =
                (format!("node {}", child.index), format!("below {}", contents.header.nodes));
            self.findings.add(Rule::NodeIndex, index_at, index_bits, place(), found, expected);
            return None;
        };
        if std::mem::replace(reached, true) {
            let found = format!("node {}, which has a parent already", child.index);
            let expected = "a node of its own";
            self.findings.add(Rule::ReachedTwice, index_at, index_bits, place(), found, expected);
            return None;
        }
        Some(child.index)
    }

    fn leaf(&mut self, index: u32, at: u64, bits: std::ops::Range<u32>, place: String) {
        let contents = self.contents;
        let first = contents.first_range();
        let number = u64::from(index).checked_sub(first);
        let known = number.and_then(|number| self.ranges.get_mut(number as usize));
        let Some(reached) = known else {
            let last = first + u64::from(contents.header.ranges);
            let (found, expected) = (format!("index {index}"), format!("{first} to below {last}"));
            self.findings.add(Rule::RangeIndex, at, bits, place, found, expected);
            return;
        };
        if std::mem::replace(reached, true) {
            let found = format!("range {index}, which has a leaf already");
            let expected = "a range of its own";
            self.findings.add(Rule::ReachedTwice, at, bits, place, found, expected);
            return;
        }
        let range = contents.range(index);
        let at = contents.offset(contents.range_address(index));
        let place = format!("range {index}");
        if range.base != 0 && range.base != contents.header.triangle_base {
            let found = format!("base {:#x}", range.base);
            let expected = format!("0 or {:#x}", contents.header.triangle_base);
            self.findings.add(Rule::RangeBase, at + 8, 0..64, place.clone(), found, expected);
        }
        let end = u64::from(range.first) + u64::from(range.count);
        if end > u64::from(contents.header.triangles) || range.count as usize > tree::bvh::MAX_LEAF
        {
            let found = format!("triangles {} to below {end}", range.first);
            let expected = format!("below {}", contents.header.triangles);
            self.findings.add(Rule::RangeTriangles, at, 0..64, place, found, expected);
        } else {
            self.references += u64::from(range.count);
        }
    }

    fn reserved(&mut self, node: u32) {
        let contents = self.contents;
        let shape = contents.shape;
        let bytes = contents.node(node);
        for tile in 0..shape.width() / shape.tile_width() {
            let last = tile * shape.tile_width() + shape.tile_width() - 1;
            let start = shape.element_offset(last, 5) + contents.policy.format.bytes();
            let end = shape.index_offset(tile * shape.tile_width());
            let reserved = bytes.get(start..end).unwrap_or_default();
            if reserved.iter().any(|byte| *byte != 0) {
                let at = contents.offset(contents.node_address(node)) + start as u64;
                let bits = 0..8 * reserved.len() as u32;
                let found = format!("{reserved:02x?}");
                self.findings.add(Rule::Reserved, at, bits, format!("node {node}"), found, "zeros");
            }
        }
    }

    /// What was not reached, and whether ranges refer to more than could be meant.
    fn finish(self) {
        let contents = self.contents;
        let most = 64 * u64::from(contents.header.triangles);
        if self.references > most {
            let found = format!("{} references", self.references);
            let expected = format!("at most {most}");
            let at = contents.offset(contents.header.base);
            self.findings.add(Rule::References, at, 0..64, "ranges", found, expected);
        }
        let missing = "no node leads to it";
        for (node, _) in (0..).zip(&self.nodes).filter(|(_, reached)| !**reached) {
            let at = contents.offset(contents.node_address(node));
            let place = format!("node {node}");
            self.findings.add(Rule::Orphan, at, 0..512, place, missing, "a parent");
        }
        let first = contents.first_range() as u32;
        for (number, _) in (0..).zip(&self.ranges).filter(|(_, reached)| !**reached) {
            let index = first + number;
            let at = contents.offset(contents.range_address(index));
            let place = format!("range {index}");
            self.findings.add(Rule::Orphan, at, 0..128, place, missing, "a leaf");
        }
    }
}

fn check_triangles(contents: &Contents<'_>, findings: &mut Findings) {
    let bits = 9 * contents.policy.format.bits();
    let mut before = None;
    for number in 0..contents.header.triangles {
        let at = contents.offset(contents.triangle_address(number));
        let vertices = contents.triangle(number).vertices;
        if !vertices.iter().all(|vertex| vertex.is_finite()) {
            let is_nan = vertices.iter().any(|vertex| vertex.is_nan());
            let rule = if is_nan { Rule::VertexNan } else { Rule::Finite };
            let place = format!("triangle {number}");
            let found = format!("{:?}", vertices.map(|vertex| vertex.to_array()));
            findings.add(rule, at, 0..bits, place, found, "finite numbers");
        }
        let name = contents.name(number);
        if before.is_some_and(|before| before > name) {
            let at = contents.offset(contents.header.names) + u64::from(number) * NAME_BYTES as u64;
            let place = format!("name {number}");
            let found = format!("{name:?}");
            findings.add(Rule::NameOrder, at, 0..96, place, found, "not before the name before it");
        }
        before = Some(name);
    }
}

/// Compares every box with the geometry below it, from the last node to the first.
fn check_boxes(contents: &Contents<'_>, visits: &Visits, findings: &mut Findings) {
    let mut below = vec![Aabb::EMPTY; contents.header.nodes as usize];
    for &node in visits.order.iter().rev() {
        let mut whole = Aabb::EMPTY;
        for slot in 0..contents.shape.width() {
            let child = contents.child(node, slot);
            let inside = match child.kind {
                ChildKind::Node => below[child.index as usize],
                ChildKind::Leaf => {
                    let range = contents.range(child.index);
                    let triangles = range.first..range.first + range.count;
                    let bounds = triangles.map(|number| contents.triangle(number).bounds());
                    bounds.fold(Aabb::EMPTY, Aabb::union)
                }
                ChildKind::Empty | ChildKind::Reserved => continue,
            };
            if !contents.bounds(&child).contains(&inside) {
                let at = contents.offset(contents.node_address(node));
                let at = at + contents.shape.element_offset(slot, 0) as u64;
                let bits = 0..6 * contents.policy.format.bits();
                let place = format!("node {node}, child {slot}");
                let found = text(&contents.bounds(&child));
                let expected = format!("a box around {}", text(&inside));
                findings.add(Rule::Contained, at, bits, place, found, expected);
            }
            whole = whole.union(inside);
        }
        below[node as usize] = whole;
    }
}

fn text(bounds: &Aabb) -> String {
    let Aabb { min, max } = bounds;
    format!("[{}, {}, {}] to [{}, {}, {}]", min.x, min.y, min.z, max.x, max.y, max.z)
}
