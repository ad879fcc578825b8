//! Files with flipped bits, opened by the tracer: an error, or answers, never a panic. Where the
//! check proves that the image still loses nothing, every kernel in both modes gives the reference
//! machine's hits on what it now holds. `SILIRAY_FLIPS=20000 cargo test -p siliray-trace --test
//! tests flips::` flips more.
#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use crate::common;

use build::{Options as BuildOptions, Preset};
use common::{bits, expected, kernels};
use geometry::random::Random;
use geometry::{Aabb, Ray, TriangleRule, Vec3};
use gfx12::encode::{Options as EncodeOptions, Policy, encode};
use gfx12::rra;
use machine::{HitKind, RayFlags};
use scene::builtin::Builtin;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use trace::{Hit, Mode, Options, Tracer};

/// A camera's tile, then as many rays in all directions.
const RAYS: usize = 64;

fn file(builtin: Builtin, options: &EncodeOptions) -> Vec<u8> {
    let build = BuildOptions { preset: Preset::Balanced, ..BuildOptions::default() };
    let built = build::build(&builtin.scene(500), &build, &|_| ControlFlow::Continue(())).unwrap();
    rra::write(&encode(&built.tree, options).unwrap().image).unwrap()
}

fn rays(bounds: &Aabb, random: &mut Random) -> Vec<Ray> {
    let is_sane = !bounds.is_empty() && bounds.extent().is_finite();
    let bounds = if is_sane { *bounds } else { Aabb::new(Vec3::NEG_ONE, Vec3::ONE) };
    let eye = bounds.max + bounds.extent();
    let step = bounds.extent() * Vec3::new(0.01, -0.015, 0.005);
    let tile = (0..RAYS).map(|n| Ray::new(eye, bounds.center() + step * (n as f32 - 32.0) - eye));
    let mut rays: Vec<Ray> = tile.collect();
    rays.extend((0..RAYS).map(|_| {
        let from = random.point(bounds.min, bounds.max);
        Ray::new(from, random.point(bounds.min, bounds.max) - from)
    }));
    rays
}

/// Whether the file could be opened, and whether it was proved to lose nothing.
fn ask(path: &Path, bytes: &[u8], random: &mut Random, place: &str) -> (bool, bool) {
    std::fs::write(path, bytes).unwrap();
    let Ok(prepared) = Tracer::open(path) else {
        let options = Options { mode: Mode::InPlace, ..Options::default() };
        assert!(Tracer::open_with(path, options).is_err(), "{place}: the modes disagree");
        return (false, false);
    };
    drop(prepared);
    let image = gfx12::check::check(rra::read(bytes).unwrap().open(None).unwrap().image);
    let image = image.checked.unwrap();
    let tree = image.tree();
    let rays = rays(&tree.bounds(), random);
    let is_lossless = image.facts().lossless;
    let (rule, flags) = (TriangleRule::Watertight, RayFlags::empty());
    let wanted = match is_lossless {
        true => expected(tree, rule, HitKind::Closest, flags, &rays),
        false => Vec::new(),
    };
    for (mode, kernel) in
        Mode::ALL.iter().flat_map(|&mode| kernels().into_iter().map(move |kernel| (mode, kernel)))
    {
        let options = Options { mode, kernel: Some(kernel), ..Options::default() };
        let tracer = Tracer::open_with(path, options).unwrap();
        let (hits, any) = (tracer.closest(&rays), tracer.any(&rays));
        let _ = tracer.all(&rays);
        for (n, wanted) in wanted.iter().enumerate() {
            let best = wanted.first().unwrap_or(&Hit::MISS);
            let place = format!("{place}, {mode:?} {kernel} ray {n}: {:?}", rays[n]);
            assert_eq!(bits(&hits[n]), bits(best), "{place}");
            assert_eq!(any[n], !best.is_miss(), "{place}");
        }
    }
    (true, is_lossless)
}

/// Flips one to three bits of a file, again and again.
fn flip(name: &str, whole: &[u8]) {
    let flips: usize = std::env::var("SILIRAY_FLIPS").map_or(150, |text| text.parse().unwrap());
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("flipped-{name}.rra"));
    let mut random = Random(name.len() as u64);
    assert_eq!(ask(&path, whole, &mut random, name), (true, true));
    let (mut opened, mut lossless) = (0, 0);
    for flip in 0..flips {
        let mut bytes = whole.to_vec();
        let mut place = format!("{name} flip {flip}:");
        for _ in 0..1 + flip % 3 {
            // As many in headers, tables and TLASes as elsewhere.
            let range = if random.below(3) == 0 { 2_000.min(bytes.len()) } else { bytes.len() };
            let (byte, bit) = (random.below(range), random.below(8));
            bytes[byte] ^= 1 << bit;
            place += &format!(" {byte:#x}.{bit}");
        }
        let (is_open, is_lossless) = ask(&path, &bytes, &mut random, &place);
        opened += usize::from(is_open);
        lossless += usize::from(is_lossless);
    }
    std::fs::remove_file(&path).unwrap();
    assert!(
        opened < flips && lossless > flips / 20,
        "{name}: {opened} opened, {lossless} lossless"
    );
}

#[test]
fn in_a_blas() {
    let tracers_own = EncodeOptions { margin: false, ..EncodeOptions::new(Policy::Dense) };
    flip("dense", &file(Builtin::Interior, &tracers_own));
}

#[test]
fn in_pairs() {
    flip("pairs", &file(Builtin::Organic, &EncodeOptions::new(Policy::Gpurt)));
}

#[test]
fn in_oriented_nodes() {
    let oriented = EncodeOptions { obb: true, ..EncodeOptions::default() };
    flip("oriented", &file(Builtin::Hairball, &oriented));
}

#[test]
fn in_a_top_level() {
    flip("instances", &file(Builtin::Forest, &EncodeOptions::default()));
}
