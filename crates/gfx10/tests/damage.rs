//! Flipped bits and cut images: a check always answers, and what it lets through can be walked.

use crate::support::{check, image, layouts};
use geometry::TriangleRule;
use gfx10::encode::{Options, Policy};
use gfx10::walk::Loop;
use gfx10::{GFX10_NAME, Generation};
use machine::Image;
use testkit::Random;
use testkit::damage::{Opened, damage, flip_bits};
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
        let kind = loop_for(generation, options.policy);
        let open = |image: Image| {
            let checked = check(image).ok()?;
            let is_named = !checked.findings.is_empty();
            let machine = checked.machine(kind, rule, 16);
            assert!(machine.is_ok() || is_named);
            Some(Opened { machine: machine.ok()?, tree: checked.tree.clone(), is_named })
        };
        let (mut named, mut harmless) = (0, 0);
        for tree in [mixed(), instanced()] {
            let sound = image(&tree, generation, &options);
            let queries = rays(&tree.bounds(), 1, 8);
            let counts = flip_bits(&sound, rule, &queries, 100, &mut random, open);
            (named, harmless) = (named + counts[0], harmless + counts[1]);
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
            damage(&mut image, &mut random, round % 3 == 0);
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
