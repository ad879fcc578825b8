//! Untrusted bytes: flipped bits, moved nodes and noise never stop a check, and what it passes
//! without a word still obeys the law.

use super::dump::hiprt_image;
use super::edit::flip;
use super::oriented::oriented_image;
use super::worlds::{KINDS, Random, scene, tree};
use build::Preset;
use geometry::{Ray, TriangleRule, Vec3};
use gfx12::encode::{Options, Policy, encode};
use gfx12::{check, decode};
use machine::{HitKind, Image, Machine, Oracle, RayQuery, Reference, Segment};
use tree::Tree;

/// Small images of every kind.
fn images() -> Vec<Image> {
    let mut images = vec![hiprt_image(), oriented_image(3), oriented_image(5)];
    for (seed, kind) in (0..).zip(KINDS) {
        let tree = tree(&scene(kind, 40 + seed), Preset::Balanced);
        for policy in Policy::ALL {
            // HIPRT has no procedurals.
            images.extend(encode(&tree, &Options::new(policy)).map(|encoded| encoded.image));
        }
    }
    images
}

/// Asks both machines the same questions.
fn obeys_the_law(tree: &Tree, random: &mut Random, rays: usize) {
    let bounds = tree.bounds();
    for _ in 0..rays {
        let mut point = || {
            let t = Vec3::new(
                random.range(-0.2, 1.2),
                random.range(-0.2, 1.2),
                random.range(-0.2, 1.2),
            );
            if bounds.is_empty() { t } else { bounds.min + (bounds.max - bounds.min) * t }
        };
        let (origin, target) = (point(), point());
        let mut query = RayQuery::new(HitKind::All, Ray::new(origin, target - origin));
        query.mask = if random.below(3) == 0 { random.bits() as u8 } else { 0xFF };
        for rule in TriangleRule::ALL {
            let got = Reference::new(tree, rule).answer(&query.into()).unwrap().hits;
            let expected = Oracle::new(tree, rule).answer(&query.into()).unwrap().hits;
            assert_eq!(got, expected, "{query:?}");
        }
    }
}

#[test]
fn a_flipped_bit_is_named_or_harmless() {
    let random = &mut Random(77);
    let (mut named, mut harmless) = (0, 0);
    for image in images() {
        let baseline = check::check(image.clone());
        let bits = 8 * image.byte_count() as u64;
        for _ in 0..20_000 / 18 + 1 {
            let mut flipped = image.clone();
            flip(&mut flipped, random.bits() % bits);
            let report = check::check(flipped);
            let is_silent = report.findings == baseline.findings;
            let Some(checked) = report.checked else {
                named += 1;
                continue;
            };
            if is_silent && checked.facts().lossless {
                harmless += 1;
                obeys_the_law(checked.tree(), random, 4);
            } else {
                named += 1;
            }
        }
    }
    assert!(named > 2000 && harmless > 2000, "{named} {harmless}");
}

/// Everything that takes an image, sound or not.
fn survives(image: Image, random: &mut Random) {
    for node in decode::nodes(&image) {
        assert_eq!(node.body.bits().to_bytes(), image.get(node.address, 128).unwrap());
    }
    let report = check::check(image);
    for finding in &report.findings {
        assert!(!finding.to_string().is_empty());
    }
    if let Some(checked) = report.checked {
        let tree = checked.tree();
        if checked.facts().lossless {
            obeys_the_law(tree, random, 2);
        }
    }
}

#[test]
fn noise_is_survived() {
    let random = &mut Random(5);
    for round in 0..3000 {
        let bytes: Vec<u8> = (0..128 * (1 + random.below(24)) + random.below(3) * 37)
            .map(|_| {
                if round % 3 == 0 {
                    random.bits() as u8 & random.bits() as u8
                } else {
                    random.bits() as u8
                }
            })
            .collect();
        let base = random.bits() >> (16 + random.below(48)) & !63;
        let primitive_base = if round % 4 == 0 { base + 64 * random.below(9) as u64 } else { base };
        let root = [0x5, 0x15, 0x0, 0x13, random.bits() >> 32][random.below(5)];
        let segments = vec![Segment::new(base, &bytes)];
        survives(
            Image { format: gfx12::NAME, segments, bases: vec![base, primitive_base], root },
            random,
        );
    }
}

#[test]
fn shuffled_nodes_are_survived() {
    let random = &mut Random(6);
    for image in images() {
        for _ in 0..60 {
            let mut image = image.clone();
            for _ in 0..1 + random.below(3) {
                let segment = random.below(image.segments.len());
                let bytes = image.segments[segment].bytes_mut();
                let nodes = bytes.len() / 128;
                if nodes < 3 {
                    continue;
                }
                let (from, to) = (random.below(nodes - 1) + 1, random.below(nodes - 1) + 1);
                match random.below(3) {
                    0 => bytes.copy_within(128 * from..128 * from + 128, 128 * to),
                    1 => bytes[128 * to..128 * to + 128].fill_with(|| random.bits() as u8),
                    _ => bytes[128 * to + 4 * random.below(32)..][..4].fill(random.bits() as u8),
                }
            }
            if random.below(5) == 0 {
                let segment = random.below(image.segments.len());
                let (address, bytes) = {
                    let s = &image.segments[segment];
                    (s.address, s.bytes()[..random.below(s.bytes().len())].to_vec())
                };
                image.segments[segment] = Segment::new(address, &bytes);
            }
            survives(image, random);
        }
    }
}

/// A chain of boxes, each the only child of the one before, ends in no stack overflow.
#[test]
fn depth_does_not_matter() {
    let tree = tree(&scene("triangles", 3), Preset::Balanced);
    let image = encode(&tree, &Options::new(Policy::Gpurt)).unwrap().image;
    let (_, _, mut node) = super::edit::boxes(&image, 0).remove(0);
    let last = super::edit::primitive_nodes(&image, 0).remove(0).1;
    let depth = 300_000u32;
    let mut bytes = vec![0; 128 * (depth as usize + 1)];
    node.child_count = 1;
    node.frame.exponents = [200; 3];
    node.frame.origin = [-1e12; 3];
    let slot = &mut node.children[0];
    (slot.min, slot.max, slot.mask, slot.range_length) = ([0; 3], [4095; 3], 0xFF, 1);
    slot.cull_flags = gfx12::layout::CullFlags::empty();
    node.children[1..].fill(gfx12::layout::ChildEntry::UNUSED);
    node.index_in_parent = 0;
    for n in 0..depth {
        node.internal_base = 0x10 * (n + 1);
        node.primitive_base = 0x10 * depth;
        node.children[0].node_type = if n + 1 == depth { 0 } else { 5 };
        node.parent =
            gfx12::layout::NodePointer(if n == 0 { u32::MAX } else { 0x10 * (n - 1) + 5 });
        node.encode().write_bytes(&mut bytes[128 * n as usize..][..128]);
    }
    last.bits().write_bytes(&mut bytes[128 * depth as usize..]);
    let segments = vec![Segment::new(0x10000, &bytes)];
    let image = Image { format: gfx12::NAME, segments, bases: vec![0x10000; 2], root: 5 };
    let report = check::check(image);
    assert!(report.findings.iter().all(|finding| finding.rule == "loose_box"));
    assert_eq!(report.nodes, depth as usize + 1);
    let checked = report.checked.unwrap();
    assert_eq!(checked.tree().blases[0].bvh.nodes().len(), depth as usize + 1);
}
