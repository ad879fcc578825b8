//! Every rule, broken by one edit.

use machine::{Format, Image, Severity, TreeFormat};
use std::collections::BTreeSet;
use testkit::worlds::instanced;
use ttu::format::block::{Block, Lead};
use ttu::format::{Rule, TtuFormat};

/// An image with the places that edits need.
struct Victim {
    image: Image,
    blocks: usize,
    references: usize,
    triangles: usize,
    instances: usize,
    levels: usize,
}

impl Victim {
    fn new() -> Self {
        let image = TtuFormat.encode(&instanced()).unwrap();
        let word = |at: usize| {
            u32::from_le_bytes(image.segments[0].bytes()[at..at + 4].try_into().unwrap()) as usize
        };
        let (blocks, references, instances, levels) = (word(32), word(40), word(48), word(12));
        let triangles = word(128 + 16);
        Self { blocks, references, triangles, instances, levels, image }
    }

    fn block(&self, number: usize) -> Block {
        let at = self.blocks + 128 * number;
        Block::from_bytes(self.image.segments[0].bytes()[at..at + 128].try_into().unwrap())
    }

    /// The first block of the BLASes with a node that leads there.
    fn find(&self, wanted: fn(&Lead) -> bool) -> (usize, usize) {
        let has = |number: usize| {
            let node = self.block(number).nodes.iter().position(|node| wanted(&node.lead));
            node.map(|node| (number, node))
        };
        (0..).find_map(has).unwrap()
    }

    fn record(&self, level: usize) -> usize {
        128 + 64 * level
    }
}

/// Where the edit goes, and the bytes.
type Edit = (usize, Vec<u8>);

fn word(at: usize, word: u32) -> Edit {
    (at, word.to_le_bytes().to_vec())
}

fn edits(victim: &Victim) -> Vec<(Rule, Edit)> {
    let block = |number: usize| victim.blocks + 128 * number;
    let node = |(number, index): (usize, usize)| block(number) + Block::node_offset(index);
    let inside = victim.find(|lead| matches!(lead, Lead::Inside { .. }));
    let foreign = victim.find(|lead| matches!(lead, Lead::Foreign { .. }));
    let leaf = victim.find(|lead| matches!(lead, Lead::Leaf { .. }));
    let (last, tlas) = (victim.levels - 1, victim.record(victim.levels - 1));
    let full = (0..).find(|&n| victim.block(n).nodes.len() < 12).unwrap();
    vec![
        (Rule::Header, (0, b"SILITB13".to_vec())),
        (Rule::Header, word(8, 1)),
        (Rule::LevelCount, word(12, 0)),
        (Rule::LevelCount, word(12, 1 << 30)),
        (Rule::ArrayRange, word(16, 1 << 27)),
        (Rule::ArrayRange, (48, u64::MAX.to_le_bytes().to_vec())),
        (Rule::ArrayRange, word(victim.record(0) + 8, u32::MAX)),
        (Rule::BlockAlignment, word(32, victim.blocks as u32 + 64)),
        (Rule::LevelKind, word(victim.record(0), 1)),
        (Rule::LevelKind, word(tlas, 0)),
        (Rule::LevelKind, word(tlas, 7)),
        (Rule::LevelKind, word(tlas + 8, 1)),
        (Rule::Root, word(victim.record(0) + 4, 1 << 26)),
        (Rule::InstanceLevel, word(victim.instances + 100, last as u32)),
        (Rule::InstanceLevel, word(victim.instances + 96, 1)),
        (Rule::Transform, (victim.instances, vec![0; 48])),
        (Rule::Version, (block(0) + 27, vec![0x20])),
        (Rule::NodeCount, (block(0) + 15, vec![0x70])),
        (Rule::NodeCount, (block(0) + 15, vec![0x7D])),
        (Rule::NodeCount, (block(0) + 15, vec![0x31])),
        (Rule::Origin, word(block(0), f32::NAN.to_bits())),
        (Rule::Exponent, (block(0) + 12, vec![101])),
        (Rule::Exponent, (block(0) + 14, vec![0x9B])),
        (Rule::NodeKind, (node(leaf) + 6, vec![3])),
        (Rule::PlaneOrder, (node(leaf), vec![200, 0, 0, 10])),
        (Rule::ChildRange, (node(inside) + 7, vec![0])),
        (Rule::ChildRange, (node(inside) + 7, vec![12])),
        (Rule::ChildParent, (node(inside) + 6, vec![0])),
        (Rule::BlockRange, word(block(foreign.0) + 16, u32::MAX - 1)),
        (Rule::ReachedTwice, word(block(foreign.0) + 16, 0)),
        (Rule::ReachedTwice, word(victim.record(1) + 4, 0)),
        (Rule::ReferenceRange, word(block(leaf.0) + 20, u32::MAX)),
        (Rule::ReferenceKind, word(victim.references, 0x8000_0000)),
        (Rule::ReferenceKind, word(victim.references, 0x7FFF_FFFF)),
        (Rule::VertexFinite, word(victim.triangles + 4, f32::NAN.to_bits())),
        (Rule::Contained, (node(leaf) + 3, victim.block(leaf.0).nodes[leaf.1].min.to_vec())),
        (Rule::Parent, word(block(1) + 28, 12_345)),
        (Rule::UnusedNode, (node((full, 11)), vec![0; 8])),
        (
            Rule::RefitDirty,
            (block(0) + 15, vec![victim.image.segments[0].bytes()[block(0) + 15] | 0x80]),
        ),
        (
            Rule::Mask,
            (node(leaf) + 6, vec![victim.image.segments[0].bytes()[node(leaf) + 6] | 0x20]),
        ),
        (Rule::Opacity, (block(0) + 27, vec![1])),
        (Rule::Orphan, {
            // A leaf where a block was: nobody leads there any more.
            (node(foreign) + 6, vec![2, 0])
        }),
    ]
}

#[test]
fn every_rule_has_its_finding() {
    let victim = Victim::new();
    let clean = TtuFormat::check(victim.image.clone());
    assert!(clean.findings.is_empty(), "{:?}", clean.findings.first());
    let mut broken = BTreeSet::new();
    for (rule, (at, bytes)) in edits(&victim) {
        let mut image = victim.image.clone();
        image.segments[0].bytes_mut()[at..at + bytes.len()].copy_from_slice(&bytes);
        let report = TtuFormat::check(image);
        let finding = report.findings.iter().find(|finding| finding.rule == rule.name());
        let finding = finding.unwrap_or_else(|| panic!("{rule:?} at {at}: {:?}", report.findings));
        assert_eq!(finding.severity, rule.severity());
        assert_eq!(report.checked.is_some(), report.is_sound());
        assert_eq!(
            report.checked.is_none(),
            report.findings.iter().any(|f| f.severity == Severity::Error)
        );
        broken.insert(rule);
    }
    let untested: Vec<_> = Rule::ALL.iter().filter(|rule| !broken.contains(rule)).collect();
    assert!(untested.is_empty(), "{untested:?}");
}

/// The finding stands where the edit was.
/// A box that is too small hides nothing of the boxes below: they are stored as they were.
#[test]
fn boxes_below_a_broken_one_are_as_stored() {
    let victim = Victim::new();
    let (number, index) = victim.find(|lead| matches!(lead, Lead::Inside { .. }));
    let at = victim.blocks + 128 * number + Block::node_offset(index);
    let mut broken = victim.image.clone();
    broken.segments[0].bytes_mut()[at + 3] = victim.block(number).nodes[index].min[0];
    let trees = [victim.image, broken]
        .map(|image| TtuFormat::check(image).checked.unwrap().tree().blases.clone());
    let levels = trees[0].iter().zip(&trees[1]);
    let nodes = levels.flat_map(|(a, b)| a.bvh.nodes().iter().zip(b.bvh.nodes()));
    assert_eq!(nodes.filter(|(a, b)| a.bounds != b.bounds).count(), 1);
}

#[test]
fn findings_are_located() {
    let victim = Victim::new();
    let mut image = victim.image.clone();
    let at = victim.blocks + 128 * 3 + 12;
    image.segments[0].bytes_mut()[at] = 120;
    let report = TtuFormat::check(image);
    let finding = report.findings.iter().find(|finding| finding.rule == "exponent").unwrap();
    assert_eq!((finding.offset, finding.bits.clone()), (at as u64, 0..8));
    assert_eq!((finding.place.as_str(), finding.found.as_str()), ("block 3", "120"));
}
