//! Beams through the machine: the oracle's answers, in every configuration that matters to them.

use super::hand_made::{chain, laid_out, latency};
use geometry::{Aabb, Beam, TriangleRule, Vec3};
use machine::{
    BeamQuery, BeamShape, Hit, HitKind, LeafRule, Machine, Oracle, PlainTree, Query, TreeFormat,
};
use std::ops::ControlFlow;
use testkit::Random;
use testkit::worlds::{instanced, mixed, point_in, scenes};
use tree::Tree;
use ttu::run::Options;
use ttu::{Config, TtuFormat, TtuMachine, World, simulate};

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
        all.extend(beam.ok().map(|beam| {
            let query = BeamQuery::new(HitKind::All, BeamShape::new(beam, leaf));
            BeamQuery { mask, ..query }
        }));
    }
    all
}

fn checked<F: TreeFormat>(format: &F, tree: &Tree) -> World {
    laid_out(format, tree, TriangleRule::Watertight)
}

/// The question by every kind.
fn kinds(query: &BeamQuery) -> [Query; 3] {
    HitKind::ALL.map(|kind| BeamQuery { kind, ..*query }.into())
}

/// An answer is the oracle's; of any hits which one is up to the machine.
fn assert_right(query: &Query, hits: &[Hit], truth: &[Hit]) {
    match query.kind {
        HitKind::Any => assert_eq!(hits.is_empty(), truth.is_empty()),
        HitKind::Closest | HitKind::All => assert_eq!(hits, truth, "{query:?}"),
    }
}

fn try_world(world: &World, queries: &[BeamQuery], settings: &[&str]) -> usize {
    let oracle = Oracle::new(world.tree(), TriangleRule::Watertight);
    let config = Config::default().with_all(settings).unwrap();
    let asked: Vec<Query> = queries.iter().flat_map(kinds).collect();
    let options = Options::default();
    let run = simulate(world, &config, &asked, options, &|_| ControlFlow::Continue(())).unwrap();
    let mut met = 0;
    for (query, answer) in asked.iter().zip(&run.answers) {
        let truth = oracle.answer(query).unwrap().hits;
        assert_right(query, &answer.hits, &truth);
        met += if query.kind == HitKind::All { truth.len() } else { 0 };
    }
    met
}

#[test]
fn answers_are_the_oracles() {
    let mut trees = scenes();
    trees.extend([mixed(), instanced()]);
    for tree in &trees {
        for world in [checked(&TtuFormat, tree), checked(&PlainTree, tree)] {
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
    let query = Query::beam(HitKind::All, beam, LeafRule::Exact);
    assert_eq!(latency(&chain(5, 8), &[], query), 972);
}

#[test]
fn the_machine_of_single_questions() {
    let tree = instanced();
    let world = checked(&TtuFormat, &tree);
    let machine = TtuMachine::new(checked(&TtuFormat, &tree), Config::default()).unwrap();
    let oracle = Oracle::new(world.tree(), TriangleRule::Watertight);
    for query in beams(&tree.bounds(), 20).iter().flat_map(kinds) {
        let answer = machine.answer(&query).unwrap();
        assert!(answer.counters.cycles > 0 || query.mask == 0);
        assert_right(&query, &answer.hits, &oracle.answer(&query).unwrap().hits);
    }
}
