//! The machine, watched.

use geometry::{Aabb, Beam, TriangleRule, Vec3};
use machine::{Format, HitKind, LeafRule, Query, Step, TreeFormat, Verdict};
use std::collections::{HashMap, HashSet};
use testkit::walks::watched;
use testkit::worlds::{instanced, mixed, rays, scenes};
use ttu::{Config, TtuFormat, TtuMachine, World};

/// What was counted and what was reported are the same; blocks go by the names of the outline.
#[test]
fn every_block_and_every_test_is_reported_once() {
    let spills = ["stack_on_chip=2", "spill_group=1"];
    let (mut overflows, mut culls) = (0, 0);
    let mut seen = HashSet::new();
    let settings: [&[&str]; 2] = [&[], &spills];
    let trees = [mixed(), instanced()].into_iter().chain(scenes());
    for (tree, settings) in trees.zip(settings.into_iter().cycle()) {
        let image = TtuFormat::check(TtuFormat.encode(&tree).unwrap()).checked.unwrap();
        let entries = ttu::format::outline::outline(image.image()).entries;
        let places: HashSet<(u64, u64)> =
            entries.iter().map(|entry| (entry.node.pointer, entry.address)).collect();
        let pointers: HashSet<u64> = entries.iter().map(|entry| entry.node.pointer).collect();
        let world = World::new(&image, TriangleRule::Watertight).unwrap();
        let bounds = world.tree().bounds();
        let config = Config::default().with_all(settings).unwrap();
        let machine = TtuMachine::new(world, config).unwrap();
        let queries = rays(&bounds, 31, 60).into_iter().map(Query::from);
        for query in queries.chain([beam(&bounds)]) {
            let (steps, answer) = watched(&machine, &query);
            let mut counts: HashMap<&str, u64> = HashMap::new();
            let mut hits = Vec::new();
            let mut pushed: HashMap<u64, u64> = HashMap::new();
            let mut last_cycle = 0;
            for step in &steps {
                let what = match step {
                    Step::Node { pointer, address, kind: "block" } => {
                        assert!(places.contains(&(*pointer, address.unwrap())));
                        "block"
                    }
                    Step::Node { kind, .. } => kind,
                    Step::Child(child) => {
                        assert!(pointers.contains(&child.pointer), "{child:?}");
                        let is_met = child.interval.is_some();
                        assert!(
                            is_met || !matches!(child.verdict, Verdict::Visit | Verdict::Behind)
                        );
                        seen.insert(child.verdict);
                        "child"
                    }
                    Step::Push { pointer, .. } => {
                        *pushed.entry(*pointer).or_default() += 1;
                        "push"
                    }
                    Step::Pop { pointer, .. } => {
                        let times = pushed.get_mut(&pointer.unwrap()).unwrap();
                        *times = times.checked_sub(1).unwrap();
                        "pop"
                    }
                    Step::Skip { .. } => "skip",
                    Step::Overflow { .. } => "overflow",
                    Step::Instance { .. } => "instance",
                    Step::Primitive(_) => "primitive",
                    Step::Accept { hit } => {
                        hits.push(*hit);
                        "accept"
                    }
                    Step::Clock { cycle, .. } => {
                        assert!(*cycle >= last_cycle, "the clock goes back");
                        last_cycle = *cycle;
                        "clock"
                    }
                    _ => "other",
                };
                *counts.entry(what).or_default() += 1;
            }
            let count = |what: &str| counts.get(what).copied().unwrap_or(0);
            let counters = &answer.counters;
            assert_eq!(count("block"), counters.blocks);
            assert_eq!(count("child"), counters.box_tests);
            assert_eq!(count("leaf"), counters.leaves);
            assert_eq!(count("instance"), counters.instances);
            assert!(last_cycle <= counters.cycles);
            // A question that is settled tests nothing more, and counts it all the same.
            let tests = counters.triangle_tests;
            assert!(count("primitive") == tests || query.kind == HitKind::Any);
            if query.kind == HitKind::All {
                assert_eq!(hits.len(), answer.hits.len());
                assert!(answer.hits.iter().all(|hit| hits.contains(hit)));
            } else {
                assert_eq!(hits.last(), answer.hits.first());
            }
            overflows += count("overflow");
            culls += count("skip");
        }
    }
    assert!(overflows > 10 && culls > 10, "{overflows} spills, {culls} skipped blocks");
    let verdicts = [Verdict::Visit, Verdict::Miss, Verdict::Behind];
    assert_eq!(verdicts.map(|verdict| seen.contains(&verdict)), [true; 3]);
}

/// A box through the whole scene.
fn beam(bounds: &Aabb) -> Query {
    let size = bounds.extent();
    let first = Aabb::new(bounds.min, bounds.min + size * Vec3::new(0.25, 0.5, 0.125));
    let beam = Beam::swept(&first, size * Vec3::new(0.5, 0.25, 0.75), 1.0).unwrap();
    Query::beam(HitKind::All, beam, LeafRule::Conservative)
}
