//! The proof of an untrusted image: arrays first, then every node from node 0 on, then the
//! geometry.

use super::contents::{Contents, Parsed};
use super::header::{HEADER_BYTES, Header, NAME_BYTES};
use super::instance::{BLAS_BYTES, BlasRecord, INSTANCE_BYTES, InstanceRecord, LAST_ROW};
use super::rule::{Findings, Rule};
use super::target::Target;
use super::{Proof, Tiles};
use crate::layout::node::{Child, ChildKind};
use crate::layout::records::{TRI_RANGE_BYTES, triangle_bytes};
use crate::numeric::{ElementFormat, Rounding};
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
        let levels = 0..=contents.header.blases;
        let orders: Vec<Vec<u32>> =
            levels.map(|level| visits(&contents, level, &mut findings)).collect();
        nodes = orders.iter().map(Vec::len).sum();
        check_triangles(&contents, &mut findings);
        check_instances(&contents, &mut findings);
        if findings.is_sound() {
            check_boxes(&contents, &orders, &mut findings);
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
    let is_plain = contents.policy.format == ElementFormat::Fp32 && !header.flattened;
    if header.blases != 0 && !is_plain {
        let found = format!("{} BLASes", header.blases);
        let expected = "none, with these elements and flattened instances";
        findings.add(Rule::Levels, at + 60, 8..32, place(), found, expected);
        return None;
    }
    check_arrays(&contents, at, findings);
    if findings.is_sound() {
        check_blases(&contents, findings);
    }
    findings.is_sound().then_some(contents)
}

/// BLASes lie one behind the other, behind the TLAS, and share out the triangles in order: so that
/// all of them together are no more than the image.
fn check_blases(contents: &Contents<'_>, findings: &mut Findings) {
    let stride = contents.shape.stride() as u64;
    let mut end = contents.blas_address(contents.header.blases);
    let mut triangles = 0;
    for number in 0..contents.header.blases {
        let BlasRecord { base, nodes, ranges, first_triangle, triangles: count } =
            contents.blas(number);
        let length = u64::from(nodes) * stride + u64::from(ranges) * TRI_RANGE_BYTES as u64;
        let there = usize::try_from(length).ok().and_then(|len| contents.bytes(base, len));
        let is_behind = base >= end && base % 64 == 0 && nodes != 0;
        let is_last = number + 1 == contents.header.blases;
        let after = u64::from(first_triangle) + u64::from(count);
        let is_shared = u64::from(first_triangle) == triangles
            && after <= u64::from(contents.header.triangles)
            && (!is_last || after == u64::from(contents.header.triangles));
        if there.is_none() || !is_behind || !is_shared {
            let at = contents.offset(contents.blas_address(number));
            let found = format!(
                "{nodes} nodes and {ranges} ranges at {base:#x}, triangles {first_triangle} to \
                 below {after}"
            );
            let expected = format!(
                "at least a node from {end:#x} on, at a multiple of 64 in memory, and triangles \
                 from {triangles} on, {} of all BLASes",
                contents.header.triangles
            );
            let place = format!("BLAS {number}");
            findings.add(Rule::BlasRecord, at, 0..192, place, found, expected);
            return;
        }
        (end, triangles) = (base + length, after);
    }
}

fn check_instances(contents: &Contents<'_>, findings: &mut Findings) {
    let instances = if contents.has_instances() { contents.header.ranges } else { 0 };
    for number in 0..instances {
        let Some(record) = contents.instance(number) else { return };
        let address = contents.range_address(contents.instance_index(number));
        let at = contents.offset(address);
        let place = format!("instance {number}");
        let blases = contents.header.blases;
        let base = contents.blas(record.blas).base;
        if record.blas >= blases || record.base != base {
            let found = format!("BLAS {} at {:#x}", record.blas, record.base);
            let expected = match record.blas < blases {
                true => format!("address {base:#x}"),
                false => format!("a BLAS below {blases}"),
            };
            findings.add(Rule::InstanceBlas, at + 112, 0..128, place.clone(), found, expected);
        }
        let InstanceRecord { world_to_object, object_to_world, last_row, .. } = record;
        let is_map = world_to_object.inverse().is_ok() && object_to_world.is_finite();
        if !is_map || last_row != LAST_ROW {
            let found = format!("{:?}, {last_row:?}", world_to_object.rows);
            let expected = "a map with an inverse, and [0, 0, 0, 1]";
            findings.add(Rule::InstanceTransform, at, 0..896, place, found, expected);
        }
    }
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
    let record = if contents.has_instances() { INSTANCE_BYTES } else { TRI_RANGE_BYTES } as u64;
    let tiles = u64::from(nodes) * stride
        + u64::from(ranges) * record
        + u64::from(contents.header.blases) * BLAS_BYTES as u64;
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

/// The nodes of a level that are reached from its node 0, parents before children.
fn visits(image: &Contents<'_>, level: u32, findings: &mut Findings) -> Vec<u32> {
    let contents = &image.level(level);
    let mut visit = Visit {
        contents,
        image,
        level,
        findings,
        nodes: vec![false; contents.header.nodes as usize],
        ranges: vec![false; contents.header.ranges as usize],
        references: 0,
    };
    let mut order = vec![0];
    visit.nodes[0] = true;
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        next += 1;
        for slot in 0..contents.shape.width() {
            let child = contents.child(node, slot);
            order.extend(visit.child(node, slot, &child));
        }
        visit.reserved(node);
    }
    visit.finish();
    order
}

struct Visit<'a, 'b> {
    /// The level.
    contents: &'a Contents<'a>,
    image: &'a Contents<'a>,
    level: u32,
    findings: &'b mut Findings,
    nodes: Vec<bool>,
    /// Of a TLAS, its instances.
    ranges: Vec<bool>,
    references: u64,
}

/// Something of a level, in words.
fn place_in(level: u32, what: String) -> String {
    match level.checked_sub(1) {
        None => what,
        Some(blas) => format!("BLAS {blas}, {what}"),
    }
}

impl Visit<'_, '_> {
    /// Checks a child; gives the node that it leads to, if that is reached for the first time.
    fn child(&mut self, node: u32, slot: usize, child: &Child) -> Option<u32> {
        let contents = self.contents;
        let shape = contents.shape;
        let at = contents.offset(contents.node_address(node));
        let level = self.level;
        let place = || place_in(level, format!("node {node}, child {slot}"));
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
        if contents.has_instances() {
            return self.instance(index, at, bits, place);
        }
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
        let place = place_in(self.level, format!("range {index}"));
        if range.base != 0 && range.base != contents.header.triangle_base {
            let found = format!("base {:#x}", range.base);
            let expected = format!("0 or {:#x}", contents.header.triangle_base);
            self.findings.add(Rule::RangeBase, at + 8, 0..64, place.clone(), found, expected);
        }
        let end = u64::from(range.first) + u64::from(range.count);
        let own = self.image.level_triangles(self.level);
        let is_own = range.first >= own.start && end <= u64::from(own.end);
        if !is_own || range.count as usize > tree::bvh::MAX_LEAF {
            let found = format!("triangles {} to below {end}", range.first);
            let expected = format!("{} to below {}", own.start, own.end);
            self.findings.add(Rule::RangeTriangles, at, 0..64, place, found, expected);
        } else {
            self.references += u64::from(range.count);
        }
    }

    /// A leaf of a TLAS.
    fn instance(&mut self, index: u32, at: u64, bits: std::ops::Range<u32>, place: String) {
        let Some(number) = self.contents.instance_number(index) else {
            let first = self.contents.instance_index(0);
            let count = self.contents.header.ranges;
            let (found, expected) =
                (format!("index {index}"), format!("one of {count}, each 8 behind, from {first}"));
            self.findings.add(Rule::InstanceIndex, at, bits, place, found, expected);
            return;
        };
        if std::mem::replace(&mut self.ranges[number as usize], true) {
            let found = format!("instance {number}, which has a leaf already");
            let expected = "an instance of its own";
            self.findings.add(Rule::ReachedTwice, at, bits, place, found, expected);
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
                let place = place_in(self.level, format!("node {node}"));
                self.findings.add(Rule::Reserved, at, bits, place, found, "zeros");
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
            let place = place_in(self.level, format!("node {node}"));
            self.findings.add(Rule::Orphan, at, 0..512, place, missing, "a parent");
        }
        for (number, _) in (0..).zip(&self.ranges).filter(|(_, reached)| !**reached) {
            let (index, what) = match contents.has_instances() {
                true => {
                    let blas = contents.instance(number).map_or(0, |record| record.blas);
                    if contents.blas(blas).triangles == 0 {
                        continue;
                    }
                    (contents.instance_index(number), format!("instance {number}"))
                }
                false => {
                    let index = contents.first_range() as u32 + number;
                    (index, format!("range {index}"))
                }
            };
            let at = contents.offset(contents.range_address(index));
            let place = place_in(self.level, what);
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

/// Compares every box with the geometry below it, from the last node of a level to the first, and
/// of the BLASes before the TLAS.
fn check_boxes(image: &Contents<'_>, orders: &[Vec<u32>], findings: &mut Findings) {
    // What each level holds.
    let mut held = vec![Aabb::EMPTY; orders.len()];
    let levels = (0..).zip(orders).skip(1).chain((0..).zip(orders).take(1));
    for (level, order) in levels {
        let contents = &image.level(level);
        let mut below = vec![Aabb::EMPTY; contents.header.nodes as usize];
        for &node in order.iter().rev() {
            let mut whole = Aabb::EMPTY;
            for slot in 0..contents.shape.width() {
                let child = contents.child(node, slot);
                let inside = match Target::of_child(image, level, &child) {
                    None => continue,
                    Some(Target::Instance(index)) => {
                        let number = contents.instance_number(index).unwrap_or(0);
                        let placed = contents.instance(number).map(|record| record.instance());
                        let bounds = placed.and_then(|placed| {
                            placed.world_bounds(&held[placed.blas as usize + 1]).ok()
                        });
                        bounds.unwrap_or(Aabb::EMPTY)
                    }
                    Some(Target::Range(_, index)) => {
                        let range = contents.range(index);
                        let triangles = range.first..range.first + range.count;
                        let bounds = triangles.map(|number| contents.triangle(number).bounds());
                        bounds.fold(Aabb::EMPTY, Aabb::union)
                    }
                    Some(_) => below[child.index as usize],
                };
                if !contents.bounds(&child).contains(&inside) {
                    let at = contents.offset(contents.node_address(node));
                    let at = at + contents.shape.element_offset(slot, 0) as u64;
                    let bits = 0..6 * contents.policy.format.bits();
                    let place = place_in(level, format!("node {node}, child {slot}"));
                    let found = contents.bounds(&child).to_string();
                    let expected = format!("a box around {inside}");
                    findings.add(Rule::Contained, at, bits, place, found, expected);
                }
                whole = whole.union(inside);
            }
            below[node as usize] = whole;
        }
        held[level as usize] = below[0];
    }
}
