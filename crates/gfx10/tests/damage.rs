//! Flipped bits and cut images: a check always answers, and what it lets through can be walked.

use crate::support::{check, image, layouts};
use geometry::TriangleRule;
use gfx10::encode::{Options, Policy};
use gfx10::walk::Loop;
use gfx10::{GFX10_NAME, Generation};
use machine::{HitKind, Image, Oracle, Segment};
use testkit::Random;
use testkit::worlds::{instanced, mixed, rays};

/// The loop for images of a generation and policy.
fn loop_for(generation: Generation, policy: Policy) -> Loop {
    let name = match (generation, policy) {
        (Generation::Gfx10, Policy::Radv) => "gfx10-radv",
        (Generation::Gfx10, _) => "gfx10-gpurt",
        (Generation::Gfx11, Policy::Radv) => "gfx11-radv",
        (Generation::Gfx11, _) => "gfx11-gpurt",
    };
    Loop::of_name(name).unwrap()
}

/// What a flip may do without a finding: nothing that parts a machine from the oracle.
#[test]
fn one_flipped_bit_is_named_or_harmless() {
    let mut random = Random(99);
    let rule = TriangleRule::Watertight;
    for (generation, options) in layouts() {
        // Without a margin the hardware loses hits by itself.
        let options = Options { margin: true, ..options };
        let (mut named, mut harmless) = (0, 0);
        for tree in [mixed(), instanced()] {
            let sound = image(&tree, generation, &options);
            let queries = rays(&tree.bounds(), 1, 8);
            for _ in 0..100 {
                let mut image = sound.clone();
                let segment = random.below(image.segments.len());
                let bytes = image.segments[segment].bytes_mut();
                let (byte, bit) = (random.below(bytes.len()), random.below(8));
                bytes[byte] ^= 1 << bit;
                let Ok(checked) = check(image) else {
                    named += 1;
                    continue;
                };
                let kind = loop_for(generation, options.policy);
                let Ok(machine) = checked.machine(kind, rule, 16) else {
                    assert!(!checked.findings.is_empty());
                    named += 1;
                    continue;
                };
                let oracle = Oracle::new(&*checked.tree, rule);
                let is_named = !checked.findings.is_empty();
                for query in &queries {
                    use machine::Machine;
                    let got = machine.answer(&(*query).into()).unwrap().hits;
                    if is_named {
                        continue; // that the walk came back is enough
                    }
                    let expected = oracle.answer(&(*query).into()).unwrap().hits;
                    if query.kind == HitKind::Any {
                        assert_eq!(got.is_empty(), expected.is_empty());
                    } else {
                        let place = format!("segment {segment}, byte {byte:#x}, bit {bit}");
                        assert_eq!(got, expected, "{generation:?} {options:?} {place}");
                    }
                }
                named += usize::from(is_named);
                harmless += usize::from(!is_named);
            }
        }
        let counted = format!("{generation:?} {options:?}: {named} named, {harmless} harmless");
        assert!(named > 20 && harmless > 20, "{counted}");
    }
}

#[test]
fn many_flips_and_cuts_never_crash() {
    let mut random = Random(5);
    for (generation, options) in layouts() {
        let sound = image(&instanced(), generation, &options);
        let kind = loop_for(generation, options.policy);
        for round in 0..60 {
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
            walk_if_sound(image, kind);
        }
        for root in [0, 4, 6, 7, 0x15, 0xFFFF_FFFD, 0xFFFF_FFFF, u64::MAX] {
            walk_if_sound(Image { root, ..sound.clone() }, kind);
        }
        for code in [0, 1, 2, 3, 4, 5, u64::MAX] {
            let mut image = sound.clone();
            image.bases[2] = code;
            walk_if_sound(image, kind);
        }
    }
    let nothing = Image { format: GFX10_NAME, segments: vec![], bases: vec![], root: 5 };
    assert!(check(nothing).is_err());
}

fn walk_if_sound(image: Image, kind: Loop) {
    use machine::{Answer, Machine, Step};
    let outline = bvh4::image::outline::<gfx10::structure::Structure>(&image);
    for entry in &outline.entries {
        let _ = gfx10::describe::describe(&image, entry.node);
    }
    if let Ok(checked) = check(image) {
        let bounds = checked.tree.bounds();
        if let Ok(machine) = checked.machine(kind, TriangleRule::MollerTrumbore, 16) {
            for query in rays(&bounds, 2, 5) {
                let (mut answer, mut steps) = (Answer::default(), Vec::<Step>::new());
                machine.watch(&query.into(), &mut answer, &mut steps).unwrap();
            }
        }
    }
}
