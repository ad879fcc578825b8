//! Beams through the machine: the oracle's answers, in every configuration that matters to them.

use crate::hand_made::{chain, latency};
use geometry::{Aabb, Beam, Vec3};
use machine::beam::{BeamHit, BeamKind, BeamMachine, BeamOracle, BeamQuery, LeafRule};
use machine::{BlockFormat, Counters, TreeFormat};
use std::ops::ControlFlow;
use testkit::Random;
use testkit::worlds::{instanced, mixed, point_in, scenes};
use tree::Tree;
use ttu::run::Options;
use ttu::{Config, Query, TtuFormat, TtuMachine, World, simulate};

/// Boxes on their way through a scene, some growing, some standing still.
fn beams(bounds: &Aabb, count: usize) -> Vec<BeamQuery> {
    let mut random = Random(11);
    let size = bounds.extent().max_element();
    let mut all = Vec::new();
    while all.len() < count {
        let start = point_in(bounds, 1.5, &mut random);
        let half =
            Vec3::new(random.range(0.0, 0.1), random.range(0.0, 0.1), random.range(0.0, 0.1));
        let first = Aabb::new(start - half * size, start + half * size);
        let to = point_in(bounds, 1.5, &mut random);
        let beam = match random.below(4) {
            0 => Beam::swept(&first, Vec3::ZERO, 1.0),
            1 => Beam::swept(&first, to - start, 1.0),
            2 => {
                Beam::from_aabbs(&first, &Aabb::new(to - half * size * 2.0, to + half * size * 2.0))
            }
            _ => Beam::swept(&first, Vec3::new(to.x - start.x, 0.0, 0.0), 1.0),
        };
        let leaf = LeafRule::ALL[random.below(2)];
        let mask = if random.below(4) == 0 { random.bits() as u8 } else { 0xFF };
        all.extend(beam.ok().map(|beam| BeamQuery { beam, leaf, mask }));
    }
    all
}

fn checked(format: &dyn BlockFormat, tree: &Tree) -> World {
    let image = format.check(format.encode(tree).unwrap()).checked.unwrap();
    World::new(format, &image, geometry::TriangleRule::Watertight).unwrap()
}

fn try_world(world: &World, queries: &[BeamQuery], settings: &[&str]) -> usize {
    let oracle = BeamOracle::new(world.tree()).unwrap();
    let config = Config::default().with_all(settings).unwrap();
    let asked: Vec<Query> = queries
        .iter()
        .flat_map(|query| BeamKind::ALL.map(|kind| Query::Beam(*query, kind)))
        .collect();
    let options = Options::default();
    let run = simulate(world, &config, &asked, options, &|_| ControlFlow::Continue(())).unwrap();
    let mut met = 0;
    for (query, answers) in queries.iter().zip(run.answers.chunks(3)) {
        let mut counters = Counters::default();
        let mut all: Vec<BeamHit> = Vec::new();
        oracle.collect(query, &mut all, &mut counters).unwrap();
        let first = oracle.first(query, &mut counters).unwrap();
        assert_eq!(answers[0].beam_hits.is_empty(), all.is_empty());
        assert_eq!(answers[1].beam_hits.first().copied(), first);
        assert_eq!(answers[2].beam_hits, all);
        met += all.len();
    }
    met
}

#[test]
fn answers_are_the_oracles() {
    let mut trees = scenes();
    trees.extend([mixed(), instanced()]);
    for tree in &trees {
        for format in [&TtuFormat as &dyn BlockFormat, &TreeFormat] {
            let world = checked(format, tree);
            let queries = beams(&tree.bounds(), 60);
            assert!(try_world(&world, &queries, &[]) > 100);
            for settings in [
                &["slots=1"][..],
                &["l0_lines=2", "dispatch=a"],
                &["push_order=as_is", "t_feedback=900"],
                &["gpcs=2", "l2_kib=16"],
                &["rcp=ttu", "port_bytes=8"],
            ] {
                try_world(&world, &queries, settings);
            }
        }
    }
}

/// A beam takes two beats where a ray takes one.
#[test]
fn five_blocks_and_one_beat_more() {
    let origin = Vec3::new(0.0, 1.0, 1.0);
    let beam = Beam::swept(&Aabb::new(origin, origin), Vec3::X, 10.0).unwrap();
    // By the exact rule: the triangle of these blocks lies outside of their boxes.
    let query = BeamQuery { leaf: LeafRule::Exact, ..BeamQuery::new(beam) };
    let query = Query::Beam(query, BeamKind::Collect);
    assert_eq!(latency(&chain(5, 8), &[], query), 972);
}

#[test]
fn the_machine_of_single_questions() {
    let tree = instanced();
    let world = checked(&TtuFormat, &tree);
    let machine = TtuMachine::new(checked(&TtuFormat, &tree), Config::default()).unwrap();
    let oracle = BeamOracle::new(world.tree()).unwrap();
    for query in beams(&tree.bounds(), 20) {
        let mut counters = Counters::default();
        let ask = |machine: &dyn BeamMachine, counters: &mut Counters| {
            let mut all = Vec::new();
            machine.collect(&query, &mut all, counters).unwrap();
            let first = machine.first(&query, counters).unwrap();
            (all, first, machine.any(&query, counters).unwrap())
        };
        let got = ask(&machine, &mut counters);
        assert!(counters.cycles > 0 || query.mask == 0);
        assert_eq!(got, ask(&oracle, &mut Counters::default()));
    }
}
