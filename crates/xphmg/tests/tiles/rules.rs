//! Each rule is broken by one change and found by name; an untouched image breaks none.

use super::support::{checked, organic, tree};
use machine::{Format, Image, Severity};
use scene::builtin::Builtin;
use xphmg::tiles::Rule;
use xphmg::tiles::contents::Contents;
use xphmg::{Precision, Tiles};

const FORMAT: Tiles = Tiles::new(Precision::Fp32);

/// Where things are in the image.
struct Places {
    node0: usize,
    range0: usize,
    triangle0: usize,
    names: usize,
}

fn places(image: &Image) -> Places {
    let contents = Contents::new(image).unwrap();
    let at = |address| contents.offset(address) as usize;
    Places {
        node0: at(contents.header.base),
        range0: at(contents.range_address(contents.first_range() as u32)),
        triangle0: at(contents.header.triangle_base),
        names: at(contents.header.names),
    }
}

#[test]
fn every_rule_is_enforced_and_located() {
    let image = checked(&organic(), &FORMAT).image().clone();
    let Places { node0, range0, triangle0, names } = places(&image);
    let word = |value: u32| value.to_le_bytes().to_vec();
    let wide = |value: u64| value.to_le_bytes().to_vec();
    let nan = word(f32::NAN.to_bits());
    // Rule, place of the change, bytes, place of the finding.
    let changes: Vec<(Rule, usize, Vec<u8>, usize)> = vec![
        (Rule::Header, 0, b"X".to_vec(), 0),
        (Rule::Registers, 8, word(0x0180_0000), 8), // unsigned
        (Rule::Options, 16, word(1), 16),
        (Rule::Alignment, 32, wide(0x8100_0044), 32),
        (Rule::ArrayRange, 28, word(u32::MAX), 40),
        (Rule::NodeCount, 20, word(0), 20),
        (Rule::ChildKind, node0 + 124, vec![0xFF], node0 + 124),
        (Rule::NodeIndex, node0 + 112, word(0xFF_FFFF), node0 + 112),
        (Rule::ReachedTwice, node0 + 112, word(0), node0 + 112),
        (Rule::RangeBase, range0 + 8, wide(8), range0 + 8),
        (Rule::RangeTriangles, range0 + 4, word(1 << 20), range0),
        (Rule::BoxNan, node0 + 8, nan.clone(), node0),
        (Rule::VertexNan, triangle0 + 40, nan, triangle0 + 36),
        (Rule::NameOrder, names + 8, word(9999), names + 12),
        (Rule::Finite, triangle0, word(f32::INFINITY.to_bits()), triangle0),
        (Rule::Contained, node0 + 12, word((-1000f32).to_bits()), node0),
        (Rule::Reserved, node0 + 100, vec![7], node0 + 96),
        (Rule::Orphan, node0 + 124, vec![0], node0 + 128),
    ];
    for (rule, at, bytes, offset) in changes {
        let mut broken = image.clone();
        broken.segments[0].bytes_mut()[at..at + bytes.len()].copy_from_slice(&bytes);
        let report = Tiles::check(broken);
        let found = report.findings.iter().find(|finding| finding.rule == rule.name());
        let found = found.unwrap_or_else(|| panic!("{rule:?} in {:?}", report.findings));
        assert_eq!((found.offset, found.severity), (offset as u64, rule.severity()), "{found}");
        assert!(!found.to_string().contains("Vec3"), "{found}");
        assert_eq!(report.checked.is_none(), rule.severity() == Severity::Error, "{rule:?}");
    }
}

/// A leaf whose index lies among the nodes, and ranges that refer to everything again and again.
#[test]
fn leaves_and_references_are_bounded() {
    let image = checked(&organic(), &FORMAT).image().clone();
    let contents = Contents::new(&image).unwrap();
    let (nodes, ranges) = (contents.header.nodes, contents.header.ranges);
    let width = contents.shape.width();
    let leaf = (0..nodes).flat_map(|node| (0..width - 1).map(move |slot| (node, slot))).find(
        |(node, slot)| contents.child(*node, *slot).kind == xphmg::layout::node::ChildKind::Leaf,
    );
    let (node, slot) = leaf.unwrap();
    let at =
        contents.offset(contents.node_address(node)) as usize + contents.shape.index_offset(slot);
    let mut broken = image.clone();
    broken.segments[0].bytes_mut()[at..at + 4].copy_from_slice(&0u32.to_le_bytes());
    let report = Tiles::check(broken);
    assert!(report.findings.iter().any(|f| f.rule == "range_index" && f.offset == at as u64));

    let mut broken = image.clone();
    let first = contents.first_range() as u32;
    let all = contents.header.triangles;
    for index in first..first + ranges {
        let at = contents.offset(contents.range_address(index)) as usize;
        let range = [0u32.to_le_bytes(), all.to_le_bytes()].concat();
        broken.segments[0].bytes_mut()[at..at + 8].copy_from_slice(&range);
    }
    let report = Tiles::check(broken);
    assert!(report.findings.iter().any(|finding| finding.rule == "references"));
    assert!(report.checked.is_none());
}

/// A report lists the first findings of a rule; one more says how many there are beside them.
#[test]
fn findings_that_are_not_listed_are_counted() {
    let tree = tree(&Builtin::Organic.scene(3000));
    let mut image = checked(&tree, &FORMAT).image().clone();
    let contents = Contents::new(&image).unwrap();
    let triangles = contents.header.triangles;
    let places: Vec<usize> = (0..triangles)
        .map(|number| contents.offset(contents.triangle_address(number)) as usize)
        .collect();
    for at in places {
        image.segments[0].bytes_mut()[at..at + 4]
            .copy_from_slice(&f32::NAN.to_bits().to_le_bytes());
    }
    let report = Tiles::check(image);
    let broken = report.findings.iter().filter(|f| f.rule == Rule::VertexNan.name());
    assert_eq!(broken.map(|finding| finding.count).sum::<u32>(), triangles);
}
