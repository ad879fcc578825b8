//! Flipped bits and cut images: a check always answers, and what it lets through can be walked.

use geometry::TriangleRule;
use gfx12::bvh4x2::check::check;
use gfx12::bvh4x2::encode::encode;
use gfx12::bvh4x2::{BoxPrecision, Options};
use gfx12::walk::{self, Dual};
use machine::{Answer, Image, Machine, Oracle, Segment, Step};
use std::sync::Arc;
use testkit::Random;
use testkit::worlds::{instanced, mixed, rays};

/// What a flip may do without a finding: nothing that changes an answer.
#[test]
fn one_flipped_bit_is_named_or_harmless() {
    let mut random = Random(99);
    for (tree, precision) in [
        (mixed(), BoxPrecision::Fp32),
        (instanced(), BoxPrecision::Fp32),
        (mixed(), BoxPrecision::High),
    ] {
        let sound = encode(&tree, &Options::new(precision)).unwrap();
        let queries = rays(&tree.bounds(), 1, 12);
        let (mut named, mut harmless) = (0, 0);
        for _ in 0..350 {
            let mut image = sound.clone();
            let segment = random.below(image.segments.len());
            let bytes = image.segments[segment].bytes_mut();
            let (byte, bit) = (random.below(bytes.len()), random.below(8));
            bytes[byte] ^= 1 << bit;
            let report = check(image);
            let Some(checked) = report.checked.map(Arc::new) else {
                named += 1;
                continue;
            };
            let rule = TriangleRule::Watertight;
            let Ok(dual) = Dual::new(Arc::clone(&checked), walk::Options::dual(rule)) else {
                named += 1;
                continue;
            };
            let oracle = Oracle::new(&**checked.tree(), rule);
            for query in &queries {
                let got = dual.answer(&(*query).into()).unwrap().hits;
                if !report.findings.is_empty() {
                    continue; // named; that the walk came back is enough
                }
                let expected = oracle.answer(&(*query).into()).unwrap().hits;
                if query.kind == machine::HitKind::Any {
                    assert_eq!(got.is_empty(), expected.is_empty());
                } else {
                    assert_eq!(got, expected, "segment {segment}, byte {byte:#x}, bit {bit}");
                }
            }
            if report.findings.is_empty() {
                harmless += 1;
            } else {
                named += 1;
            }
        }
        assert!(named > 30 && harmless > 30, "{named} named, {harmless} harmless");
    }
}

#[test]
fn many_flips_and_cuts_never_crash() {
    let mut random = Random(5);
    let sound = encode(&instanced(), &Options::default()).unwrap();
    for round in 0..300 {
        let mut image = sound.clone();
        for _ in 0..1 + random.below(30) {
            let segment = random.below(image.segments.len());
            let bytes = image.segments[segment].bytes_mut();
            let at = random.below(bytes.len());
            bytes[at] = random.bits() as u8;
        }
        if round % 3 == 0 {
            let cut = random.below(image.segments.len());
            let segment = &image.segments[cut];
            let kept = random.below(segment.bytes().len());
            image.segments[cut] = Segment::new(segment.address, &segment.bytes()[..kept]);
        }
        walk_if_sound(image);
    }
    let nothing = Image { format: gfx12::bvh4x2::NAME, segments: vec![], bases: vec![], root: 5 };
    assert!(!check(nothing).is_sound());
    for root in [0, 4, 6, 7, 0xFFFF_FFFD, 0xFFFF_FFFF, u64::MAX] {
        walk_if_sound(Image { root, ..sound.clone() });
    }
}

fn walk_if_sound(image: Image) {
    if let Some(checked) = check(image).checked {
        let bounds = checked.tree().bounds();
        let options = walk::Options::dual(TriangleRule::MollerTrumbore);
        if let Ok(dual) = Dual::new(Arc::new(checked), options) {
            for query in rays(&bounds, 2, 5) {
                let (mut answer, mut steps) = (Answer::default(), Vec::<Step>::new());
                dual.watch(&query.into(), &mut answer, &mut steps).unwrap();
            }
        }
    }
}
