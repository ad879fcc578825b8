//! What a report says: where, and how often.

use super::instanced;
use crate::check::edit::{boxes, edit_bits};
use crate::check::worlds::tree;
use build::Preset;
use gfx12::check::check;
use gfx12::encode::{Options, Policy, encode};
use machine::{FilePlace, ImageFile};

/// Offsets are those of the node at fault, over all segments or in a file.
#[test]
fn offsets_lead_to_the_node() {
    let mut image = instanced();
    let (address, pointer, _) = boxes(&image, 3)[0];
    edit_bits(&mut image, address, |bits| bits.set(217..220, 0));
    edit_bits(&mut image, address, |bits| bits.set_word(2, 0x77));
    let inside = address - image.segments[3].address;
    let before: u64 = image.segments[..3].iter().map(|s| s.bytes().len() as u64).sum();
    let findings = check(image.clone()).findings;
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].offset, findings[0].bits.clone()), (before + inside, 64..96));
    assert_eq!(findings[0].place, format!("box {pointer}"));
    let places = [1, 2, 3, 5, 6].map(|place: u64| FilePlace::at(place << 20)).to_vec();
    let report = ImageFile::of(image, places).check(gfx12::registry::FORMATS[0].check);
    assert_eq!(report.findings[0].offset, (5 << 20) + inside);
}

/// A report is bounded: a thousand findings of a rule, and their sum.
#[test]
fn many_findings_are_summed_up() {
    let scene = scene::builtin::Builtin::Organic.scene(24_000);
    let tree = tree(&scene, Preset::Fast);
    let mut image = encode(&tree, &Options::new(Policy::Dense)).unwrap().image;
    let nodes = boxes(&image, 0);
    assert!(nodes.len() > 1200);
    for (address, _, _) in &nodes {
        edit_bits(&mut image, *address, |bits| bits.set_word(2, 0x77));
    }
    let findings = check(image).findings;
    assert_eq!(findings.len(), 1001);
    let sum = format!("{} findings of this rule in all", nodes.len());
    assert_eq!(findings.iter().filter(|finding| finding.found == sum).count(), 1);
    let stood_for: usize = findings.iter().map(|finding| finding.count as usize).sum();
    assert_eq!(stood_for, nodes.len());
    let mut offsets: Vec<u64> = nodes.iter().map(|node| node.0 - 0x1_0000).collect();
    offsets.sort_unstable();
    let listed: Vec<u64> = findings[..1000].iter().map(|finding| finding.offset).collect();
    assert_eq!(listed, offsets[..1000]);
}
