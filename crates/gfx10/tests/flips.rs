//! Bits flipped in every kind of file: a finding, or the same answers.

use crate::files::entry;
use crate::support::{image, serialized};
use geometry::TriangleRule;
use gfx10::Generation;
use gfx10::encode::{Options, Policy};
use gfx10::registry::MACHINES;
use gfx10::rra;
use machine::{
    Hit, HitKind, Image, Machine, MachineInput, MachineOptions, Oracle, RawLayout, RayQuery,
    ReadOptions, Reference,
};
use std::sync::Arc;
use testkit::Random;
use testkit::worlds::{instanced, mixed, rays};
use tree::Tree;

fn machine_for(generation: Generation, policy: Policy) -> &'static str {
    match (generation, policy) {
        (Generation::Gfx10, Policy::Radv) => "gfx10-radv",
        (Generation::Gfx10, _) => "gfx10-gpurt",
        (Generation::Gfx11, Policy::Radv) => "gfx11-radv",
        (Generation::Gfx11, _) => "gfx11-gpurt",
    }
}

/// Files of one generation: siliray's container, memory, for the viewer, gamma dumps, serialized.
fn files(tree: &Tree, generation: Generation) -> Vec<(Policy, &'static str, Vec<u8>)> {
    let write = entry(generation).trees.as_ref().unwrap().write;
    let mut files = Vec::new();
    for policy in Policy::ALL {
        // Planes in halves reach beyond those above, and RADV's exporter makes boxes of them.
        let options = Options { margin: true, half: false, ..Options::new(policy) };
        let image: Image = image(tree, generation, &options);
        // siliray's own layout is GPURT's in files for the viewer.
        let endings: &[&str] = match policy {
            Policy::Own => &["bin"],
            Policy::Gpurt => &["bin", "rra"],
            Policy::Radv => &["bin", "rra", "gamma"],
        };
        files.extend(
            endings.iter().map(|&ending| (policy, ending, write(&image, Some(ending)).unwrap())),
        );
        if policy == Policy::Radv && tree.tlas.is_none() {
            files.push((policy, "serialized", serialized(image.segments[0].bytes())));
        }
    }
    files
}

/// Flips of each file: more where somebody asks for them.
fn flips() -> usize {
    std::env::var("SILIRAY_FLIPS").map_or(1000, |text| text.parse().unwrap())
}

#[test]
fn a_thousand_flips_of_each_file_are_named_or_harmless() {
    let rule = TriangleRule::Watertight;
    let mut random = Random(2024);
    let flips = flips();
    for generation in Generation::ALL {
        for (tree, flips) in [(mixed(), flips / 2), (instanced(), flips / 2)] {
            let queries = rays(&tree.bounds(), 3, 4);
            for (policy, ending, bytes) in files(&tree, generation) {
                let (mut named, mut harmless) = (0, 0);
                for _ in 0..flips {
                    let (byte, bit) = (random.below(bytes.len()), random.below(8));
                    let mut damaged = bytes.clone();
                    damaged[byte] ^= 1 << bit;
                    let place = format!("{generation:?} {policy:?} {ending} {byte:#x}.{bit}");
                    if silent(&damaged, generation, policy, &queries, rule, &place) {
                        harmless += 1;
                    } else {
                        named += 1;
                    }
                }
                assert!(named > flips / 20 && harmless > flips / 50, "{policy:?} {ending} {named}");
            }
        }
    }
}

/// Whether a damaged file is read without a word. Then machines answer as the oracle.
fn silent(
    bytes: &[u8],
    generation: Generation,
    policy: Policy,
    queries: &[machine::RayQuery],
    rule: TriangleRule,
    place: &str,
) -> bool {
    let entry = entry(generation);
    let _ = rra::generation(bytes);
    let Ok(file) = (entry.read)(bytes, &ReadOptions::default()) else { return false };
    let report = file.check(entry.check);
    let is_named = report.findings.iter().any(|found| found.rule != "header_counted");
    let Ok(checked) = report.into_checked() else { return false };
    let name = machine_for(generation, policy);
    let make = MACHINES.iter().find(|machine| machine.name == name).unwrap().make;
    let input = MachineInput::Image(Arc::clone(&checked));
    let machine = make(&input, &MachineOptions { rule, ..MachineOptions::default() });
    let Ok(machine) = machine else {
        assert!(is_named, "{place}");
        return false;
    };
    let oracle = Oracle::new(&**checked.tree(), rule);
    for query in queries {
        let got = machine.answer(&(*query).into()).unwrap().hits;
        if is_named {
            continue; // that the walk came back is enough
        }
        same_answer(query, &got, &oracle, place);
    }
    !is_named
}

fn same_answer(query: &RayQuery, got: &[Hit], oracle: &dyn Machine, place: &str) {
    let expected = oracle.answer(&(*query).into()).unwrap().hits;
    match query.kind {
        HitKind::Any => assert_eq!(got.is_empty(), expected.is_empty(), "{place}"),
        _ => assert_eq!(got, expected, "{place}"),
    }
}

/// HIPRT's memory keeps no parents of leaves, so that the plainest machine walks it.
#[test]
fn a_thousand_flips_of_hiprts_memory_are_named_or_harmless() {
    let bytes = include_bytes!("vectors/hiprt-cornell-bvh4.bin");
    let entry = entry(Generation::Gfx10);
    let writer = Some("hiprt");
    let (base, primitive_base) = (0x40, Some(0xBC0));
    let raw = Some(RawLayout { address: 0, base, primitive_base, root: 5, writer });
    let options = ReadOptions { raw, ..ReadOptions::default() };
    let mut random = Random(7);
    let (mut named, mut harmless) = (0, 0);
    for _ in 0..flips() {
        let (byte, bit) = (random.below(bytes.len()), random.below(8));
        let mut damaged = bytes.to_vec();
        damaged[byte] ^= 1 << bit;
        let file = (entry.read)(&damaged, &options).unwrap();
        let report = file.check(entry.check);
        let is_named = !report.findings.is_empty();
        if let Ok(checked) = report.into_checked() {
            let tree = Arc::clone(checked.tree());
            let oracle = Oracle::new(&*tree, TriangleRule::Watertight);
            let reference = Reference::new(Arc::clone(&tree), TriangleRule::Watertight);
            for query in rays(&tree.bounds(), 4, 4) {
                let got = reference.answer(&query.into()).unwrap().hits;
                if !is_named {
                    same_answer(&query, &got, &oracle, &format!("{byte:#x}.{bit}"));
                }
            }
        }
        named += usize::from(is_named);
        harmless += usize::from(!is_named);
    }
    assert!(named > harmless / 10 && harmless > 0, "{named} named, {harmless} harmless");
}
