//! Every library that is here sees what siliray's reference machine sees.
//!
//! Libraries round differently, so a ray near an edge may get another answer: a few in ten thousand
//! are let pass. A wrong layout of rays, hits or ids shows up in most of them.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests may fail as tests do

use build::{Options, Preset, build, unwatched};
use geometry::random::Random;
use geometry::{Ray, TriangleRule};
use machine::{Hit, Machine, Reference};
use peers::{Answer, Instructions, Library, Peer, PeerError, Question};
use scene::Scene;
use scene::builtin::Builtin;

/// Not a multiple of 16, so that the last packet has idle lanes.
const RAYS: usize = 20_003;

/// Rays between points inside the box of the scene; every other one ends halfway.
fn rays(scene: &Scene) -> Vec<Ray> {
    let bounds = scene.bounds().unwrap();
    let mut random = Random(0x1234_5678);
    let mut point = || bounds.min + bounds.extent() * random.vector(0.0, 1.0);
    let size = bounds.extent().length();
    (0..RAYS)
        .map(|index| {
            let from = point();
            let ray = Ray::new(from, (point() - from).normalize());
            if index % 2 == 0 { ray } else { ray.between(0.0, 0.2 * size) }
        })
        .collect()
}

fn expected(scene: &Scene, rays: &[Ray]) -> Vec<Option<Hit>> {
    let built = build(scene, &Options::preset(Preset::Balanced), &unwatched).unwrap();
    let machine = Reference::new(&built.tree, TriangleRule::Watertight);
    rays.iter().map(|ray| machine.closest(ray).unwrap()).collect()
}

/// Whether two answers tell of the same place. Where surfaces touch, ids may differ.
fn agree(expected: Option<Hit>, answer: Answer) -> bool {
    match (expected, answer) {
        (None, Answer::Miss) | (Some(_), Answer::Occluded) => true,
        (Some(a), Answer::Closest(b)) => (a.t - b.t).abs() <= 1e-4 * a.t.max(1.0),
        _ => false,
    }
}

fn same_primitive(expected: Option<Hit>, answer: Answer) -> bool {
    let ids = |hit: &Hit| (hit.instance, hit.geometry, hit.primitive);
    let near = |a: f32, b: f32| (a - b).abs() < 1e-2;
    match (expected, answer) {
        (Some(a), Answer::Closest(b)) => ids(&a) == ids(&b) && near(a.u, b.u) && near(a.v, b.v),
        _ => true,
    }
}

fn compare(peer: &dyn Peer, rays: &[Ray], expected: &[Option<Hit>]) {
    let name = format!("{} {}", peer.library().name(), peer.mode());
    assert!(peer.bytes() > 0 && peer.build_seconds() > 0.0, "{name}");
    for question in
        [Question::Closest { coherent: false }, Question::Closest { coherent: true }, Question::Any]
    {
        let mut work = peer.load(question, rays);
        for _ in 0..2 {
            work.reset();
            work.run();
            let answers = work.answers();
            assert_eq!(answers.len(), rays.len(), "{name}");
            let pairs = || expected.iter().copied().zip(answers.iter().copied());
            let wrong = pairs().filter(|&(a, b)| !agree(a, b)).count();
            assert!(wrong * 1000 <= rays.len(), "{name} {question:?}: {wrong} differ");
            let other = pairs().filter(|&(a, b)| !same_primitive(a, b)).count();
            assert!(other * 100 <= rays.len(), "{name} {question:?}: {other} other primitives");
        }
    }
}

fn every_library_agrees(scene: &Scene) {
    let rays = rays(scene);
    let expected = expected(scene, &rays);
    let hits = expected.iter().flatten().count();
    assert!(hits > RAYS / 4 && hits < RAYS, "a fair share hits: {hits}");
    let limits = [Instructions::All, Instructions::Avx2];
    for (library, limit) in Library::ALL.into_iter().flat_map(|l| limits.map(|limit| (l, limit))) {
        match library.build(scene, limit) {
            Ok(peers) => peers.iter().for_each(|peer| compare(&**peer, &rays, &expected)),
            Err(PeerError::Missing(missing)) => assert_eq!(missing.library, library),
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_mesh() {
    every_library_agrees(&Builtin::Interior.scene(20_000));
}

#[test]
fn instances() {
    every_library_agrees(&Builtin::Forest.scene(40_000));
}
