//! The proof of an untrusted image.
//!
//! Three passes: the directory and the arrays that it names, the instances, then every level from
//! its root down. A block is visited once, so the pass ends whatever the bytes say. Only if all of
//! that is sound is the geometry looked at (`contents`).

use super::block::{BLOCK_BYTES, Block, EXPONENTS, Lead, MAX_ROOT_CHILDREN, NO_BLOCK};
use super::contents;
use super::directory::{
    Directory, HEADER_BYTES, HeaderFields, INSTANCE, INSTANCE_BYTES, LevelKind, LevelRecord, MAGIC,
    Parts, RECORD_BYTES,
};
use super::rule::{Findings, Rule};
use super::{Proof, TtuFormat};
use geometry::GridAxis;
use geometry::grid::outer_box;
use machine::bits::NodeBits;
use machine::{CheckReport, Checked, Image, ProvedFacts};

/// Proves `image`, or says what is wrong with it. Offsets count from the image's base.
#[must_use]
pub fn check(image: Image) -> CheckReport<TtuFormat> {
    let mut findings = Findings::default();
    let mut nodes = 0;
    let bytes = image_bytes(&image);
    let directory = read_directory(bytes, &mut findings);
    if let Some(directory) = &directory {
        let parts = Parts { bytes, directory };
        if findings.is_sound() {
            check_instances(&parts, &mut findings);
            let visits = visit_levels(&parts, &mut findings);
            nodes = visits.nodes;
            if findings.is_sound() {
                contents::check(&parts, &visits.levels, &mut findings);
            }
        }
    }
    let Some(directory) = directory.filter(|_| findings.is_sound()) else {
        return CheckReport { checked: None, findings: findings.into_sorted(), nodes };
    };
    let finite = findings.holds(Rule::VertexFinite);
    let facts = ProvedFacts {
        lossless: finite && findings.holds(Rule::Contained) && findings.holds(Rule::Mask),
        parents: findings.holds(Rule::Parent),
        finite,
    };
    let checked = Some(Checked::new(image, facts, Proof { directory }));
    CheckReport { checked, findings: findings.into_sorted(), nodes }
}

/// The directory of an image as it stands, and the bytes that it counts in.
pub(super) fn directory_of(image: &Image) -> Option<(&[u8], Directory)> {
    let bytes = image_bytes(image);
    read_directory(bytes, &mut Findings::default()).map(|directory| (bytes, directory))
}

/// The bytes from the base on.
pub(super) fn image_bytes(image: &Image) -> &[u8] {
    let base = image.bases.first().copied().unwrap_or(0);
    let holds = |segment: &&machine::Segment| segment.get(base, 1).is_some();
    image.segments.iter().find(holds).map_or(&[][..], |segment| {
        segment.bytes().get((base - segment.address) as usize..).unwrap_or_default()
    })
}

fn read_directory(bytes: &[u8], findings: &mut Findings) -> Option<Directory> {
    let Some(header) = bytes.get(..HEADER_BYTES) else {
        let found = format!("{} bytes", bytes.len());
        findings.add(Rule::Header, 0, 0..1024, "header", found, "128 bytes at least");
        return None;
    };
    let fields = HeaderFields::decode(&NodeBits::from_bytes(header));
    if header[..8] != MAGIC || fields.version != 0 {
        let found = format!("{:02x?}, version {}", &header[..8], fields.version);
        findings.add(Rule::Header, 0, 0..96, "header", found, "SILITB12, version 0");
        return None;
    }
    let count = u64::from(fields.level_count);
    let records =
        Parts::array(bytes, HEADER_BYTES as u64, count, RECORD_BYTES as u64).filter(|_| count > 0);
    let Some(records) = records else {
        let fit = (bytes.len() - HEADER_BYTES) / RECORD_BYTES;
        let expected = format!("1 to {fit}");
        findings.add(Rule::LevelCount, 12, 0..32, "header", count.to_string(), expected);
        return None;
    };
    let directory = Directory {
        block_count: fields.block_count,
        reference_count: fields.reference_count,
        instance_count: fields.instance_count,
        blocks: fields.blocks,
        references: fields.references,
        instances: fields.instances,
        levels: records.chunks_exact(RECORD_BYTES).map(LevelRecord::from_bytes).collect(),
    };
    check_arrays(bytes, &directory, findings);
    check_kinds(&directory, findings);
    findings.is_sound().then_some(directory)
}

/// Every array lies in the image: nothing is taken on the directory's word.
fn check_arrays(bytes: &[u8], directory: &Directory, findings: &mut Findings) {
    let mut array = |name: &str, at: u64, offset: u64, count: u64, size: usize| {
        if Parts::array(bytes, offset, count, size as u64).is_none() {
            let found = format!("{count} {name} of {size} bytes from {offset:#x} on");
            let expected = format!("memory below {:#x}", bytes.len());
            findings.add(Rule::ArrayRange, at, 0..64, name, found, expected);
        }
    };
    let Directory { block_count, reference_count, instance_count, .. } = *directory;
    array("blocks", 32, directory.blocks, block_count.into(), BLOCK_BYTES);
    array("references", 40, directory.references, reference_count.into(), 4);
    array("instances", 48, directory.instances, instance_count.into(), INSTANCE_BYTES);
    for (level, record) in directory.levels.iter().enumerate() {
        let at = (HEADER_BYTES + RECORD_BYTES * level) as u64;
        array("triangles", at + 16, record.triangles, record.triangle_count.into(), 36);
        array("boxes", at + 24, record.boxes, record.box_count.into(), 24);
        array("ids", at + 32, record.ids, record.item_count(), 12);
    }
    if !directory.blocks.is_multiple_of(BLOCK_BYTES as u64) {
        let found = format!("{:#x}", directory.blocks);
        findings.add(Rule::BlockAlignment, 32, 0..64, "header", found, "a multiple of 128");
    }
}

fn check_kinds(directory: &Directory, findings: &mut Findings) {
    let last = directory.levels.len() - 1;
    let has_top = directory.levels[last].kind == LevelKind::Tlas;
    for (level, record) in directory.levels.iter().enumerate() {
        let at = (HEADER_BYTES + RECORD_BYTES * level) as u64;
        let place = format!("level {level}");
        let fits = match record.kind {
            LevelKind::Blas => level < last || last == 0,
            LevelKind::Tlas => level == last,
            LevelKind::Unknown(_) => false,
        };
        if !fits {
            let found = format!("{:?}", record.kind);
            let expected = if level < last { "BLAS (0)" } else { "TLAS (1) behind BLASes" };
            findings.add(Rule::LevelKind, at, 0..32, &place, found, expected);
        }
        if record.root != NO_BLOCK && record.root >= directory.block_count {
            let expected = format!("below {}", directory.block_count);
            findings.add(Rule::Root, at + 4, 0..32, &place, record.root.to_string(), expected);
        }
        if record.kind == LevelKind::Tlas && record.item_count() != 0 {
            findings.add(Rule::LevelKind, at + 8, 0..64, &place, "primitives", "none in a TLAS");
        }
    }
    if !has_top && directory.instance_count != 0 {
        let found = directory.instance_count.to_string();
        findings.add(Rule::LevelKind, 24, 0..32, "header", found, "0 instances without a TLAS");
    }
}

fn check_instances(parts: &Parts<'_>, findings: &mut Findings) {
    let levels = &parts.directory.levels;
    let blases = levels.iter().filter(|level| level.kind == LevelKind::Blas).count();
    for (number, (instance, root)) in parts.instances().iter().enumerate() {
        let at = parts.directory.instances + (INSTANCE_BYTES * number) as u64;
        let place = format!("instance {number}");
        let level = instance.blas as usize;
        if level >= blases {
            let expected = format!("below {blases}");
            let found = level.to_string();
            findings.add(Rule::InstanceLevel, at + 100, 0..32, &place, found, expected);
        } else if levels[level].root != *root {
            let expected = format!("block {}, the root of level {level}", levels[level].root);
            let found = format!("block {root}");
            findings.add(Rule::InstanceLevel, at + 96, 0..32, &place, found, expected);
        }
        if let Err(singular) = instance.world_to_object.inverse() {
            let expected = "an invertible transform";
            findings.add(Rule::Transform, at, 0..384, &place, singular.to_string(), expected);
        }
    }
}

/// The blocks of a level, each behind its parent.
pub(super) type LevelBlocks = Vec<u32>;

struct Visits {
    levels: Vec<LevelBlocks>,
    nodes: usize,
}

fn visit_levels(parts: &Parts<'_>, findings: &mut Findings) -> Visits {
    let mut visits = Visits { levels: Vec::new(), nodes: 0 };
    let mut reached = vec![false; parts.directory.block_count as usize];
    for (level, record) in parts.directory.levels.iter().enumerate() {
        let mut visit = Visit { parts, record, level, findings, reached: &mut reached };
        let mut blocks = Vec::new();
        let mut open: Vec<(u32, u32)> = Vec::new();
        if record.root != NO_BLOCK && visit.reach(record.root, NO_BLOCK, 0) {
            open.push((record.root, NO_BLOCK));
        }
        while let Some((number, parent)) = open.pop() {
            let block = parts.block(number);
            visits.nodes += block.nodes.len();
            blocks.push(number);
            visit.block(number, &block, parent, &mut open);
        }
        visits.levels.push(blocks);
    }
    for (number, _) in reached.iter().enumerate().filter(|(_, reached)| !**reached) {
        let at = parts.directory.blocks + (BLOCK_BYTES * number) as u64;
        let place = format!("block {number}");
        findings.add(Rule::Orphan, at, 0..1024, &place, "no root above it", "a root above it");
    }
    visits
}

struct Visit<'a, 'b> {
    parts: &'a Parts<'a>,
    record: &'a LevelRecord,
    level: usize,
    findings: &'b mut Findings,
    reached: &'b mut [bool],
}

impl Visit<'_, '_> {
    /// Whether the block is reached for the first time.
    fn reach(&mut self, number: u32, parent: u32, node: usize) -> bool {
        let first = !std::mem::replace(&mut self.reached[number as usize], true);
        if !first {
            let (at, place) = if parent == NO_BLOCK {
                let at = (HEADER_BYTES + RECORD_BYTES * self.level + 4) as u64;
                (at, format!("level {}", self.level))
            } else {
                (self.offset(parent) + Block::node_offset(node) as u64, node_name(parent, node))
            };
            let found = format!("block {number}, which has a parent already");
            self.findings.add(Rule::ReachedTwice, at, 0..64, &place, found, "a block of its own");
        }
        first
    }

    fn offset(&self, number: u32) -> u64 {
        self.parts.directory.blocks + BLOCK_BYTES as u64 * u64::from(number)
    }

    fn block(&mut self, number: u32, block: &Block, parent: u32, open: &mut Vec<(u32, u32)>) {
        let (at, place) = (self.offset(number), format!("block {number}"));
        let bytes = self.parts.block_bytes(number);
        let stored_nodes = usize::from(bytes[15] & 0xF);
        if stored_nodes != block.nodes.len()
            || block.nodes.is_empty()
            || usize::from(block.root_children) > block.nodes.len()
        {
            let found = format!("{stored_nodes} nodes, {} below the root", block.root_children);
            let expected =
                format!("1 to 12 nodes, 1 to {MAX_ROOT_CHILDREN} of them below the root");
            self.findings.add(Rule::NodeCount, at + 15, 0..7, &place, found, expected);
            return;
        }
        if block.version() != 0 {
            let found = block.version().to_string();
            self.findings.add(Rule::Version, at + 27, 5..8, &place, found, "0");
        }
        if block.refit_dirty {
            self.findings.add(Rule::RefitDirty, at + 15, 7..8, &place, "1", "0");
        }
        if block.parent != parent {
            let (found, expected) = (name_of(block.parent), name_of(parent));
            self.findings.add(Rule::Parent, at + 28, 0..32, &place, found, expected);
        }
        self.grid(number, block);
        for index in block.nodes.len()..super::block::MAX_NODES {
            if !Block::is_unused(&bytes, index) {
                let offset = Block::node_offset(index);
                let found = format!("{:02x?}", &bytes[offset..offset + 8]);
                let expected = "ff ff ff 00 00 00 03 00";
                let place = node_name(number, index);
                let at = at + offset as u64;
                self.findings.add(Rule::UnusedNode, at, 0..64, &place, found, expected);
            }
        }
        self.nodes(number, block, open);
    }

    /// Origin, exponents and planes.
    fn grid(&mut self, number: u32, block: &Block) {
        let (at, place) = (self.offset(number), format!("block {number}"));
        for (k, &exponent) in block.exponents.iter().enumerate() {
            if !EXPONENTS.contains(&i16::from(exponent)) {
                let (found, at) = (exponent.to_string(), at + 12 + k as u64);
                self.findings.add(Rule::Exponent, at, 0..8, &place, found, "-100 to 100");
            }
        }
        let axes = axes_of(block);
        let bounds = outer_box(&axes, [0; 3], block.root_max);
        if block.origin.iter().any(|origin| !origin.is_finite()) || !bounds.is_finite() {
            let found = format!("{:?} to {:?}", block.origin, bounds.max.to_array());
            self.findings.add(Rule::Origin, at, 0..96, &place, found, "finite planes");
        }
    }

    fn nodes(&mut self, number: u32, block: &Block, open: &mut Vec<(u32, u32)>) {
        let count = block.nodes.len();
        let mut parents = [0u8; super::block::MAX_NODES];
        parents[..usize::from(block.root_children)].fill(1);
        for (index, node) in block.nodes.iter().enumerate() {
            let at = self.offset(number) + Block::node_offset(index) as u64;
            let place = node_name(number, index);
            if (0..3).any(|k| node.min[k] > node.max[k]) && node.lead != Lead::Unused {
                let found = format!("{:?} above {:?}", node.min, node.max);
                let expected = "lower planes not above upper ones";
                self.findings.add(Rule::PlaneOrder, at, 0..48, &place, found, expected);
            }
            match node.lead {
                Lead::Inside { first, count: children } => {
                    let range = usize::from(first)..usize::from(first) + usize::from(children);
                    if range.start <= index || range.end > count {
                        let (found, expected) =
                            (format!("nodes {range:?}"), format!("within {:?}", index + 1..count));
                        self.findings.add(Rule::ChildRange, at + 6, 2..16, &place, found, expected);
                    } else {
                        parents[range].iter_mut().for_each(|parents| *parents += 1);
                    }
                }
                Lead::Foreign { offset } => {
                    let child = u64::from(block.block_base) + u64::from(offset);
                    if child >= u64::from(self.parts.directory.block_count) {
                        let found = format!("block {child}");
                        let expected = format!("below {}", self.parts.directory.block_count);
                        self.findings.add(Rule::BlockRange, at + 7, 0..8, &place, found, expected);
                    } else if self.reach(child as u32, number, index) {
                        open.push((child as u32, number));
                    }
                }
                Lead::Leaf { offset, count } => self.leaf(block, offset, count, at, &place),
                Lead::Unused => {
                    self.findings.add(Rule::NodeKind, at + 6, 0..2, &place, "unused (3)", "0 to 2");
                }
            }
        }
        for (index, &parents) in parents[..count].iter().enumerate() {
            if parents != 1 {
                let at = self.offset(number) + Block::node_offset(index) as u64;
                let place = node_name(number, index);
                let found = format!("{parents} parents");
                self.findings.add(Rule::ChildParent, at, 0..64, &place, found, "1");
            }
        }
    }

    fn leaf(&mut self, block: &Block, offset: u8, count: u8, at: u64, place: &str) {
        let first = u64::from(block.reference_base) + u64::from(offset);
        let end = first + u64::from(count);
        if end > u64::from(self.parts.directory.reference_count) {
            let found = format!("references {first}..{end}");
            let expected = format!("within 0..{}", self.parts.directory.reference_count);
            self.findings.add(Rule::ReferenceRange, at + 6, 2..16, place, found, expected);
            return;
        }
        let (tag, items) = match self.record.kind {
            LevelKind::Tlas => (INSTANCE, u64::from(self.parts.directory.instance_count)),
            _ => (0, self.record.item_count()),
        };
        for number in first..end {
            let reference = self.parts.reference(number as u32);
            if reference & INSTANCE != tag || u64::from(reference & !INSTANCE) >= items {
                let kind = if tag == 0 { "primitives" } else { "instances, bit 31 set" };
                let expected = format!("one of {items} {kind}");
                let found = format!("{reference:#010x}");
                let at = self.parts.directory.references + 4 * number;
                let place = format!("reference {number}, {place}");
                self.findings.add(Rule::ReferenceKind, at, 0..32, &place, found, expected);
            }
        }
    }
}

/// The grids of a block.
pub(super) fn axes_of(block: &Block) -> [GridAxis; 3] {
    std::array::from_fn(|k| GridAxis {
        origin: block.origin[k],
        exponent: block.exponents[k].into(),
    })
}

pub(super) fn node_name(block: u32, node: usize) -> String {
    format!("block {block}, node {node}")
}

fn name_of(block: u32) -> String {
    if block == NO_BLOCK { "no block".into() } else { format!("block {block}") }
}
