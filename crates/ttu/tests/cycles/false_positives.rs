//! Boxes that a test reports although the query misses them: the counter, against what can be told
//! by hand.

use super::hand_made::{crowd, laid_out};
use geometry::{Aabb, Beam, Ray, TriangleRule, Vec3};
use machine::{HitKind, LeafRule, Query};
use std::ops::ControlFlow;
use testkit::worlds::{instanced, rays};
use ttu::run::Options;
use ttu::{Config, Run, TtuFormat, World, simulate};

fn run(world: &World, queries: &[Query], count_false_positives: bool) -> Run {
    let options = Options { count_false_positives, ..Options::default() };
    let keep_going = &|_| ControlFlow::Continue(());
    simulate(world, &Config::default(), queries, options, keep_going).unwrap()
}

/// A flat box and a ray on their way along x; children 0 to 2 of the block end at y = 2.
fn along_x(y: f32) -> [Query; 2] {
    let from = Vec3::new(0.0, y, 1.0);
    let beam = Beam::swept(&Aabb::new(from, from), Vec3::X, 9.0).unwrap();
    let ray = Ray::new(from, Vec3::X);
    [Query::beam(HitKind::All, beam, LeafRule::Exact), Query::ray(HitKind::All, ray)]
}

#[test]
fn a_box_that_is_passed_closely_counts_and_one_that_is_touched_does_not() {
    let world = crowd(8, 3);
    for (y, hit, missed) in [(2.0, 3, 0), (2.0f32.next_up(), 3, 3), (2.5, 0, 0), (1.0, 3, 0)] {
        for query in along_x(y) {
            let counters = run(&world, &[query], true).counters;
            assert_eq!((counters.children_hit, counters.false_positives), (hit, missed), "{y}");
            assert_eq!(run(&world, &[query], false).counters.false_positives, 0);
        }
    }
}

#[test]
fn counting_changes_nothing_else() {
    let tree = instanced();
    let world = laid_out(&TtuFormat, &tree, TriangleRule::Watertight);
    let queries: Vec<Query> = rays(&tree.bounds(), 3, 400).into_iter().map(Query::from).collect();
    let (plain, counted) = (run(&world, &queries, false), run(&world, &queries, true));
    assert_eq!((plain.cycles, &plain.answers), (counted.cycles, &counted.answers));
    let (false_positives, hits) = (counted.counters.false_positives, counted.counters.children_hit);
    assert!(false_positives < hits / 100, "{false_positives} of {hits}");
}
