//! The proof of an untrusted image.
//!
//! The directory comes first, then instances and references, then every node by itself, then the
//! way from the root to each of them. Only if all of that is sound is the geometry looked at
//! (`contents`).

use crate::directory::{
    HEADER_BYTES, INSTANCE_BYTES, Level, LevelFields, REFERENCE_BYTES, array, record_address,
    records,
};
use crate::node::{Child, EXPONENTS, Node, SLOTS};
use crate::rule::{Findings, Rule};
use crate::{Cwbvh, Proof, contents};
use machine::{CheckReport, Checked, Image, ProvedFacts};
use std::ops::Range;

pub(crate) fn check(image: Image) -> CheckReport<Cwbvh> {
    let mut check = Check { image: &image, findings: Findings::default(), nodes: 0 };
    let records = check.directory();
    if check.findings.is_sound() {
        check.levels(&records);
    }
    let Check { findings, nodes, .. } = check;
    if !findings.is_sound() {
        return CheckReport { checked: None, findings: findings.into_sorted(), nodes };
    }
    let finite = findings.holds(Rule::VertexFinite);
    let lossless = finite && findings.holds(Rule::Contained);
    let facts = ProvedFacts { lossless, parents: false, finite };
    let checked = Some(Checked::new(image, facts, Proof { levels: records }));
    CheckReport { checked, findings: findings.into_sorted(), nodes }
}

/// A check under way.
pub(crate) struct Check<'a> {
    image: &'a Image,
    findings: Findings,
    nodes: usize,
}

impl<'a> Check<'a> {
    /// Notes that bits of what lies at an address break a rule.
    pub(crate) fn find(
        &mut self,
        rule: Rule,
        address: u64,
        bits: Range<u32>,
        place: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        let offset = offset_of(self.image, address);
        self.findings.add(rule, offset, bits, place, found, expected);
    }

    fn directory(&mut self) -> Vec<LevelFields> {
        let root = self.image.root;
        let Some((header, records)) = records(self.image) else {
            let found = format!("no memory at address {root:#x}");
            let expected = format!("a header of {HEADER_BYTES} bytes");
            self.find(Rule::Directory, root, 0..32, "image", found, expected);
            return Vec::new();
        };
        if records.is_empty() || records.len() != header.level_count as usize {
            let (found, fit) = (format!("{} levels", header.level_count), records.len());
            let expected = format!("1 or more, as many as there are records, {fit}");
            self.find(Rule::Directory, root, 0..32, "header", found, expected);
            return Vec::new();
        }
        let last = records.len() - 1;
        for (level, record) in records.iter().enumerate() {
            let kind_fits = match record.kind {
                0 => level < last || last == 0,
                1 => level == last,
                _ => false,
            };
            let at = self.record_address(level);
            if !kind_fits {
                let found = format!("kind {} in record {level} of {}", record.kind, last + 1);
                let expected = "0, or 1 in the last record behind others";
                let bits = LevelFields::kind.bits();
                self.find(Rule::LevelKind, at, bits, format!("level {level}"), found, expected);
                continue;
            }
            let fields = [LevelFields::nodes, LevelFields::items, LevelFields::side_table];
            for (place, field) in record.arrays().into_iter().zip(fields) {
                if array(self.image, place).is_none() {
                    let (address, count, size) = place;
                    let found = format!("{count} elements of {size} bytes at address {address:#x}");
                    let place = format!("level {level}, {}", field.name);
                    let expected = "memory of the image";
                    self.find(Rule::ArrayRange, at, field.bits(), place, found, expected);
                }
            }
        }
        records
    }

    fn record_address(&self, level: usize) -> u64 {
        record_address(self.image, level as u32).unwrap_or(self.image.root)
    }

    fn levels(&mut self, records: &[LevelFields]) {
        let image = self.image;
        let levels: Vec<Level<'a>> =
            records.iter().map(|record| Level::open(image, record)).collect();
        let mut orders = Vec::with_capacity(levels.len());
        for (number, level) in levels.iter().enumerate() {
            if level.record.is_tlas() {
                self.instances(level, number);
            }
            for node in 0..u64::from(level.record.node_count) {
                self.node(level, number, node);
            }
            self.nodes += level.record.node_count as usize;
            orders.push(if self.findings.is_sound() {
                self.reach(level, number)
            } else {
                Vec::new()
            });
        }
        if self.findings.is_sound() {
            contents::check(self, &levels, &orders);
        }
    }

    fn instances(&mut self, level: &Level<'_>, blases: usize) {
        let count = level.record.instance_count;
        for (number, instance) in level.instances().enumerate() {
            let at = level.record.side_table + (INSTANCE_BYTES * number) as u64;
            let place = format!("instance {number}");
            if instance.blas as usize >= blases {
                let found = format!("level {}", instance.blas);
                let expected = format!("a level below {blases}");
                self.find(Rule::InstanceLevel, at, 768..800, &place, found, expected);
            }
            let rows = instance.world_to_object.rows;
            if !rows.as_flattened().iter().all(|x| x.is_finite())
                || instance.world_to_object.inverse().is_err()
            {
                let (found, expected) = (format!("{rows:?}"), "a finite one with an inverse");
                self.find(Rule::Transform, at, 0..384, &place, found, expected);
            }
        }
        for number in 0..u64::from(level.record.item_count) {
            let reference = level.reference(number).unwrap_or(u32::MAX);
            if reference >= count {
                let at = level.item_address(number);
                let (place, found) = (format!("reference {number}"), reference.to_string());
                let expected = format!("an instance below {count}");
                self.find(
                    Rule::Reference,
                    at,
                    0..8 * REFERENCE_BYTES as u32,
                    place,
                    found,
                    expected,
                );
            }
        }
    }

    /// A node by itself: its frame, its slots, and whether they lead into the arrays.
    fn node(&mut self, level: &Level<'_>, level_number: usize, number: u64) {
        let Some(node) = level.node(number) else { return };
        let (at, place) = (level.node_address(number), node_name(level_number, number));
        self.frame(&node, at, &place);
        let mut inner = 0u8;
        for slot in 0..SLOTS {
            let place = format!("{place}, slot {slot}");
            let bits = Node::meta.element_bits(slot);
            let Some(child) = node.child(slot) else {
                let found = format!("{:#010b}", node.meta[slot]);
                let expected = format!("0, {:#010b}, or a leaf", 0b0011_1000 + slot);
                self.find(Rule::Meta, at, bits, place, found, expected);
                continue;
            };
            match child {
                Child::Empty => continue,
                Child::Node(child) => {
                    inner |= 1 << slot;
                    let count = u64::from(level.record.node_count);
                    if child >= count {
                        let (found, expected) =
                            (format!("node {child}"), format!("a node below {count}"));
                        let bits = Node::child_base.bits();
                        self.find(Rule::ChildRange, at, bits, &place, found, expected);
                    }
                }
                Child::Leaf { first, count } => {
                    let end = first + u64::from(count);
                    let available = u64::from(level.record.item_count);
                    if end > available {
                        let (found, expected) =
                            (format!("items {first}..{end}"), format!("items below {available}"));
                        let bits = Node::triangle_base.bits();
                        self.find(Rule::ItemRange, at, bits, &place, found, expected);
                    }
                }
            }
            let (low, high) = (node.low(slot), node.high(slot));
            if let Some(k) = (0..3).find(|&k| low[k] > high[k]) {
                let field = [Node::qlo_x, Node::qlo_y, Node::qlo_z][k];
                let found = format!("{} = {}", field.name, low[k]);
                let expected = format!("at most {}", high[k]);
                let bits = field.element_bits(slot);
                self.find(Rule::PlaneOrder, at, bits, &place, found, expected);
            }
        }
        let is_known = (0..SLOTS).all(|slot| node.child(slot).is_some());
        if is_known && node.meta == [0; SLOTS] {
            let bits = Node::meta.bits();
            self.find(Rule::Children, at, bits, &place, "eight empty slots", "a child");
        }
        if is_known && inner != node.imask {
            let (found, expected) = (format!("{:#010b}", node.imask), format!("{inner:#010b}"));
            self.find(Rule::Imask, at, Node::imask.bits(), &place, found, expected);
        }
    }

    fn frame(&mut self, node: &Node, at: u64, place: &str) {
        for (k, axis) in node.axes().iter().enumerate() {
            let origin = axis.origin;
            if !EXPONENTS.contains(&axis.exponent) {
                let bits = Node::exponents.element_bits(k);
                let found = node.exponents[k].to_string();
                self.find(Rule::Frame, at, bits, place, found, "1 to 254");
            } else if !origin.is_finite() || !self.planes_are_finite(node, k) {
                let (found, bits) = (format!("origin {origin}"), Node::origin.element_bits(k));
                self.find(Rule::Frame, at, bits, place, found, "finite planes");
            }
        }
    }

    fn planes_are_finite(&self, node: &Node, k: usize) -> bool {
        let axis = node.axes()[k];
        let mut used =
            node.children().flat_map(|(slot, _)| [node.low(slot)[k], node.high(slot)[k]]);
        used.all(|cell| axis.plane_above(cell).is_finite() && axis.plane_below(cell).is_finite())
    }

    /// The nodes from the root on, parents before children. Each is visited once, so this ends.
    fn reach(&mut self, level: &Level<'_>, level_number: usize) -> Vec<u64> {
        let count = level.record.node_count as usize;
        if count == 0 {
            return Vec::new();
        }
        let mut is_reached = vec![false; count];
        is_reached[0] = true;
        let mut order = vec![0];
        let mut next = 0;
        while let Some(&number) = order.get(next) {
            next += 1;
            let Some(node) = level.node(number) else { continue };
            for (slot, child) in node.children() {
                let Child::Node(child) = child else { continue };
                if std::mem::replace(&mut is_reached[child as usize], true) {
                    let place = format!("{}, slot {slot}", node_name(level_number, number));
                    let found = format!("node {child}, which has a parent or is the root");
                    let (at, bits) = (level.node_address(number), Node::child_base.bits());
                    self.find(Rule::ReachedTwice, at, bits, place, found, "another node");
                } else {
                    order.push(child);
                }
            }
        }
        for number in (0u64..).zip(&is_reached).filter(|(_, is)| !**is).map(|(number, _)| number) {
            let place = node_name(level_number, number);
            let at = level.node_address(number);
            self.find(Rule::Orphan, at, 0..640, place, "a node without a parent", "a parent");
        }
        order
    }
}

/// How findings name a node.
pub(crate) fn node_name(level: usize, number: u64) -> String {
    format!("level {level}, node {number}")
}

/// An address as an offset over the segments, one after the other.
fn offset_of(image: &Image, address: u64) -> u64 {
    let mut before = 0;
    for segment in &image.segments {
        let length = segment.bytes().len() as u64;
        if let Some(byte) = address.checked_sub(segment.address).filter(|&byte| byte < length) {
            return before + byte;
        }
        before += length;
    }
    0
}
