//! One bit of a file flipped: the check names it, or every machine still equals the oracle on what
//! the image now holds. Nothing panics, nothing hangs.
//!
//! Bits are drawn evenly over the whole file: container, headers, boxes, primitives, instances and
//! tables. `SILIRAY_FLIPS=20000 cargo test --release -p siliray --test flips` flips more of them.
// Helpers of tests may fail and report as tests do.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use rayon::prelude::*;
use siliray::build::{Options as BuildOptions, Preset};
use siliray::conformance::spot_check;
use siliray::geometry::random::Random;
use siliray::geometry::{Ray, TriangleRule, Vec3};
use siliray::gfx12::bvh4x2::{self, BoxPrecision, Options as Bvh4x2Options, file as bvh4x2_file};
use siliray::gfx12::encode::{self, Options as EncodeOptions, Policy};
use siliray::gfx12::layout::RadvHeader;
use siliray::gfx12::rra;
use siliray::machine::{
    AnyChecked, FormatEntry, HitKind, Image, Machine, MachineInput, MachineOptions, RayFlags,
    RayQuery, ReadError, ReadOptions, Reference, Severity,
};
use siliray::registry::registry;
use siliray::scene::builtin::Builtin;
use siliray::stats::{csv, totals};
use siliray::tree::Tree;
use std::sync::Arc;

/// What a flip came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// An error: the image is not walked.
    Refused,
    /// A warning.
    Named,
    /// Not a word, and nothing was lost.
    Silent,
}

fn built(builtin: Builtin) -> Tree {
    BuildOptions::preset(Preset::Balanced).build(&builtin.scene(500)).unwrap()
}

fn compressed(tree: &Tree, options: &EncodeOptions) -> Vec<u8> {
    rra::write(&encode::encode(tree, options).unwrap().image).unwrap()
}

fn bvh4x2(tree: &Tree, precision: BoxPrecision) -> Vec<u8> {
    bvh4x2_file::write(&bvh4x2::encode::encode(tree, &Bvh4x2Options::new(precision)).unwrap())
}

/// The format of a file; damaged ones are read as GFX12's.
fn format_of(bytes: &[u8]) -> &'static FormatEntry {
    let known = registry().formats().iter().find(|format| (format.sniff)(bytes));
    known.copied().unwrap_or_else(|| registry().format(siliray::gfx12::NAME).unwrap())
}

/// Every machine that can be made over an image.
fn machines(image: &Arc<dyn AnyChecked>, rule: TriangleRule) -> Vec<Box<dyn Machine>> {
    let reference = Reference::new(Arc::clone(image.tree()), rule);
    let mut machines: Vec<Box<dyn Machine>> = vec![Box::new(reference)];
    let input = MachineInput::Image(Arc::clone(image));
    for stack_size in [Some(2), Some(16)] {
        for name in ["gfx12-gpurt", "gfx12-radv", "gfx12-hiprt", "gfx12-dual"] {
            let entry = registry().machine(name).unwrap();
            machines.extend((entry.make)(
                &input,
                &MachineOptions { rule, stack_size, ..MachineOptions::default() },
            ));
        }
    }
    machines
}

/// Rays through the world, half of them at a triangle.
fn rays(tree: &Tree, random: &mut Random, count: usize) -> Vec<RayQuery> {
    let bounds = tree.bounds();
    let ray = |_| {
        let mut point = |grown: f32| match bounds.is_empty() || !bounds.is_finite() {
            true => random.vector(-grown, grown),
            false => bounds.center() + bounds.extent() * random.vector(-0.5, 0.5) * grown,
        };
        let (origin, mut target) = (point(2.0), point(1.0));
        if random.one_in(2) {
            target = on_a_triangle(tree, random).unwrap_or(target);
        }
        let flags = match random.one_in(4) {
            true => RayFlags::from_bits_truncate((random.bits() & random.bits()) as u32),
            false => RayFlags::empty(),
        };
        let mask = if random.one_in(4) { random.bits() as u8 } else { 0xFF };
        RayQuery {
            mask,
            flags,
            ..RayQuery::new(HitKind::Closest, Ray::new(origin, target - origin))
        }
    };
    (0..count).map(ray).collect()
}

/// A point well inside a triangle, in world space.
fn on_a_triangle(tree: &Tree, random: &mut Random) -> Option<Vec3> {
    let instance = tree.tlas.as_ref().and_then(|tlas| {
        let number = random.below(tlas.instances.len());
        tlas.instances.get(number)
    });
    let blas = tree.blases.get(instance.map_or(0, |instance| instance.blas as usize))?;
    let triangles = &blas.primitives.triangles;
    let [a, b, c] = triangles.get(random.below(triangles.len()))?.vertices;
    let (u, v) = (random.range(0.1, 0.4), random.range(0.1, 0.4));
    let point = a + (b - a) * u + (c - a) * v;
    Some(instance.map_or(point, |instance| instance.object_to_world.point(point)))
}

fn outcome(bytes: &[u8], seed: u64, place: &str) -> Outcome {
    let format = format_of(bytes);
    let file = match (format.read)(bytes, &ReadOptions::default()) {
        Ok(file) => file,
        Err(ReadError::Broken(finding)) => {
            let around = ["file header", "index", "chunk"];
            assert!(around.iter().any(|it| finding.place.contains(it)), "{place}: {finding}");
            return Outcome::Refused;
        }
        Err(ReadError::NoStructure { .. }) => return Outcome::Refused,
    };
    let report = file.check(format.check);
    // Known habits of a writer are no faults, and boxes with a margin lose nothing.
    let mut findings = report.findings;
    let is_fault = |rule: &str, severity| severity != Severity::Note && rule != "slack";
    findings.retain(|finding| is_fault(finding.rule, finding.severity));
    let Some(image) = report.checked else { return Outcome::Refused };
    let tree = image.tree();
    let mut random = Random::new(seed, 1);
    let rule = TriangleRule::ALL[random.below(2)];
    let rays = rays(tree, &mut random, 8);
    for machine in machines(&image, rule) {
        if findings.is_empty() {
            let found = spot_check(tree, &*machine, rule, &rays);
            assert!(found.is_empty(), "{place}, {}: {found:#?}", machine.name());
        } else {
            for query in &rays {
                let _ = machine.answer(&(*query).into());
            }
        }
    }
    if findings.is_empty() { Outcome::Silent } else { Outcome::Named }
}

/// How many bits of a file are flipped, one at a time.
fn flips() -> usize {
    std::env::var("SILIRAY_FLIPS").map_or(1000, |text| text.parse().unwrap())
}

fn flip(name: &str, bytes: &[u8]) {
    let flips = flips();
    assert_eq!(outcome(bytes, 0, name), Outcome::Silent, "{name}: not a bit flipped");
    let bits = 8 * bytes.len();
    let outcomes: Vec<Outcome> = (0..flips)
        .into_par_iter()
        .map(|number| {
            // One bit of each of as many equal parts.
            let part = number * bits / flips..(number + 1) * bits / flips;
            let bit = part.start + Random::new(7, number).below(part.len());
            let mut flipped = bytes.to_vec();
            flipped[bit / 8] ^= 1 << (bit % 8);
            outcome(
                &flipped,
                number as u64,
                &format!("{name}: byte {:#x}, bit {}", bit / 8, bit % 8),
            )
        })
        .collect();
    let [refused, named, silent] = [Outcome::Refused, Outcome::Named, Outcome::Silent]
        .map(|kind| outcomes.iter().filter(|&&outcome| outcome == kind).count());
    println!("{name}: of {flips} flips {refused} refused, {named} named, {silent} harmless");
    assert!(refused + named > flips / 10 && silent > flips / 20, "{refused} {named} {silent}");
}

#[test]
fn in_a_blas() {
    let tree = built(Builtin::Interior);
    let margin = true;
    flip("dense", &compressed(&tree, &EncodeOptions::default()));
    flip(
        "gpurt",
        &compressed(&tree, &EncodeOptions { margin, ..EncodeOptions::new(Policy::Gpurt) }),
    );
    flip("radv", &compressed(&tree, &EncodeOptions { margin, ..EncodeOptions::new(Policy::Radv) }));
}

#[test]
fn in_oriented_nodes() {
    let options = EncodeOptions { obb: true, ..EncodeOptions::default() };
    flip("oriented", &compressed(&built(Builtin::Hairball), &options));
}

#[test]
fn in_a_top_level() {
    let tree = built(Builtin::Forest);
    flip("instances", &compressed(&tree, &EncodeOptions::default()));
}

#[test]
fn in_bvh4x2_nodes() {
    flip("bvh4x2", &bvh4x2(&built(Builtin::Interior), BoxPrecision::Fp32));
    flip("bvh4x2 instances", &bvh4x2(&built(Builtin::Forest), BoxPrecision::Fp32));
    flip("bvh4x2 high", &bvh4x2(&built(Builtin::Organic), BoxPrecision::High));
}

/// Memory as drivers leave it: as it is, dumped as gamma files, and serialized by a program.
#[test]
fn in_memory_of_drivers() {
    for (level, tree) in [("blas", built(Builtin::Interior)), ("tlas", built(Builtin::Forest))] {
        for policy in [Policy::Radv, Policy::Hiprt] {
            let options = EncodeOptions { margin: true, ..EncodeOptions::new(policy) };
            let image = encode::encode(&tree, &options).unwrap().image;
            let memory = siliray::gfx12::dump::write_memory(&image).unwrap();
            flip(&format!("{policy} {level}"), &memory);
            if policy == Policy::Radv {
                let gamma = siliray::gfx12::dump::write_gamma(&image).unwrap();
                flip(&format!("gamma {level}"), &gamma);
            }
            if policy == Policy::Radv && tree.tlas.is_none() {
                flip("serialized", &serialized(&image));
            }
        }
    }
}

/// A structure as `vkCmdCopyAccelerationStructureToMemoryKHR` writes it.
fn serialized(image: &Image) -> Vec<u8> {
    let memory = image.segments[0].bytes();
    let header = RadvHeader::of_bytes(memory).unwrap();
    let sizes = [header.serialization_size, header.compacted_size, 0];
    [&[0xA5; 32], sizes.map(u64::to_le_bytes).as_flattened(), memory].concat()
}

/// A driver's CSV with a bit flipped is refused by line and column, or compared with what it was.
#[test]
fn in_figures_of_a_driver() {
    let text = "app,name,type,allocated_size,compacted_size,max_depth,sah,scene_sah\n\
                \"room.exe\",Floor, left,blas,127948,127948,7,15036189,0\n\
                \"room.exe\",,blas,4096,3072,3,2000000,0\n\
                \"room.exe\",World,tlas,8192,8192,4,3000000,17000000\n";
    let old = csv::read(text.as_bytes()).unwrap();
    assert_eq!(totals::totals(&old, &old).affected, 0);
    let (mut refused, mut named, mut silent) = (0, 0, 0);
    for number in 0..flips() {
        let bit = Random::new(11, number).below(8 * text.len());
        let mut flipped = text.as_bytes().to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let Ok(new) = csv::read(&flipped) else {
            refused += 1;
            continue;
        };
        let found = totals::totals(&old, &new);
        assert!(found.text().starts_with("Totals from "));
        match found.affected > 0 || found.unmatched != [0; 2] {
            true => named += 1,
            false => silent += 1,
        }
    }
    println!("figures: {refused} refused, {named} named, {silent} harmless");
    assert!(refused > 0 && named > 0 && silent > 0, "{refused} {named} {silent}");
}
