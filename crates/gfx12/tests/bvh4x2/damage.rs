//! Flipped bits and cut images: a check always answers, and what it lets through can be walked.

use geometry::TriangleRule;
use gfx12::bvh4x2::check::check;
use gfx12::bvh4x2::encode::encode;
use gfx12::bvh4x2::{BoxPrecision, Options};
use gfx12::walk::{self, Dual};
use machine::{Answer, Image, Machine, Step};
use std::sync::Arc;
use testkit::Random;
use testkit::damage::{Opened, damage, flip_bits};
use testkit::worlds::{instanced, mixed, rays};

/// What a flip may do without a finding: nothing that changes an answer.
#[test]
fn one_flipped_bit_is_named_or_harmless() {
    let mut random = Random(99);
    let rule = TriangleRule::Watertight;
    for (tree, precision) in [
        (mixed(), BoxPrecision::Fp32),
        (instanced(), BoxPrecision::Fp32),
        (mixed(), BoxPrecision::High),
    ] {
        let sound = encode(&tree, &Options::new(precision)).unwrap();
        let queries = rays(&tree.bounds(), 1, 12);
        let open = |image: Image| {
            let report = check(image);
            let checked = Arc::new(report.checked?);
            let tree = Arc::clone(checked.tree());
            let machine = Dual::new(checked, walk::Options::dual(rule)).ok()?;
            let is_named = !report.findings.is_empty();
            Some(Opened { machine: Box::new(machine), tree, is_named })
        };
        let [named, harmless] = flip_bits(&sound, rule, &queries, 350, &mut random, open);
        assert!(named > 30 && harmless > 30, "{named} named, {harmless} harmless");
    }
}

#[test]
fn many_flips_and_cuts_never_crash() {
    let mut random = Random(5);
    let sound = encode(&instanced(), &Options::default()).unwrap();
    for round in 0..300 {
        let mut image = sound.clone();
        damage(&mut image, &mut random, round % 3 == 0);
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
