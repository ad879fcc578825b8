//! Priorities, tasks that give way, and who shares units: answers stay, and the clock shows it.

use super::hand_made::laid_out;
use geometry::TriangleRule;
use machine::{Hit, HitKind, Query};
use std::ops::ControlFlow;
use testkit::worlds::{instanced, mixed, rays, scenes};
use tree::Tree;
use ttu::run::{Options, Questions};
use ttu::{Config, Run, TtuFormat, World, simulate};

/// Settings under which little is hidden from memory.
const SLOW_MEMORY: [&str; 3] = ["t_l2=600", "l0_lines=2", "wakeup=plain"];

fn subject(tree: &Tree, count: usize) -> (World, Vec<Query>) {
    let queries = rays(&tree.bounds(), 21, count).into_iter().map(Query::from).collect();
    (laid_out(&TtuFormat, tree, TriangleRule::Watertight), queries)
}

fn run(world: &World, questions: Questions<'_>, settings: &[&str]) -> Run {
    let config = Config::default().with_all(settings).unwrap();
    let keep_going = |_| ControlFlow::Continue(());
    simulate(world, &config, questions, Options::default(), &keep_going).unwrap()
}

fn hits(run: &Run, queries: &[Query]) -> Vec<Vec<Hit>> {
    // Which hit answers "any" is up to timing.
    let hits = run.answers.iter().zip(queries).map(|(answer, query)| match query.kind {
        HitKind::Any => vec![],
        HitKind::Closest | HitKind::All => answer.hits.clone(),
    });
    hits.collect()
}

#[test]
fn what_is_urgent_comes_first() {
    let (world, queries) = subject(&scenes()[0], 2000);
    let priorities: Vec<Option<u8>> =
        (0..queries.len()).map(|n| (n % 40 < 4).then_some(9)).collect();
    let questions = Questions { queries: &queries, priorities: &priorities };
    let mean = |run: &Run, priority: u8| {
        let own = run.urgencies.iter().find(|urgency| urgency.priority == priority).unwrap();
        own.latencies.mean()
    };
    let fair = run(&world, questions, &SLOW_MEMORY);
    assert_eq!(fair.counters.overtakes, 0);
    assert_eq!(fair.urgencies.iter().map(|u| u.latencies.total()).sum::<u64>(), 2000);
    for policy in ["policy=priority", "policy=priority_oldest"] {
        let urgent = run(&world, questions, &[&SLOW_MEMORY[..], &[policy]].concat());
        assert_eq!(hits(&urgent, &queries), hits(&fair, &queries));
        assert!(urgent.counters.overtakes > 0);
        let gain = mean(&fair, 9) / mean(&urgent, 9);
        assert!(gain > 1.1, "{policy}: urgent queries are {gain} times as fast");
        assert!(mean(&urgent, 9) < mean(&urgent, 0), "{policy}");
    }
    assert!(run(&world, (&queries).into(), &[]).urgencies.is_empty());
}

#[test]
fn classes_have_priorities() {
    let (world, queries) = subject(&mixed(), 600);
    let settings = ["policy=priority", "priority_any=7", "priority_all=3"];
    let by_class = run(&world, (&queries).into(), &settings);
    let count = |kind: HitKind| queries.iter().filter(|q| q.kind == kind).count() as u64;
    let found: Vec<(u8, u64)> =
        by_class.urgencies.iter().map(|u| (u.priority, u.latencies.total())).collect();
    let expected = [(7, HitKind::Any), (3, HitKind::All), (0, HitKind::Closest)];
    assert_eq!(found, expected.map(|(priority, kind)| (priority, count(kind))));
    // A priority of its own counts more than that of the class.
    let own = vec![Some(7); queries.len()];
    let questions = Questions { queries: &queries, priorities: &own };
    assert!(run(&world, questions, &settings).urgencies.is_empty());
}

#[test]
fn urgent_tasks_leave_the_pending_pool_first() {
    let (world, queries) = subject(&scenes()[0], 16 * 32);
    let mut priorities = vec![None; queries.len()];
    priorities[15 * 32..].fill(Some(200));
    let questions = Questions { queries: &queries, priorities: &priorities };
    let settings = ["active_slots=1", "policy=priority"];
    let done = |run: &Run| run.answers[15 * 32..].iter().map(|a| a.done_at).max().unwrap();
    let urgent = run(&world, questions, &settings);
    let others = urgent.answers[..15 * 32].iter().map(|answer| answer.done_at).max().unwrap();
    assert!(done(&urgent) < others / 4, "{} of {others}", done(&urgent));
    assert!(done(&run(&world, (&queries).into(), &settings)) >= others / 2);
}

/// A queue: the slot that became ready first is picked first, whatever its number.
#[test]
fn a_queue_gives_the_same_answers() {
    for tree in [&scenes()[0], &instanced()] {
        let (world, queries) = subject(tree, 400);
        let plain = run(&world, (&queries).into(), &["wakeup=plain"]);
        let queue = run(&world, (&queries).into(), &["wakeup=plain", "policy=fifo"]);
        assert_eq!(hits(&queue, &queries), hits(&plain, &queries));
        assert_ne!(queue.cycles, plain.cycles);
    }
}

#[test]
fn idle_tasks_give_way() {
    let (world, queries) = subject(&scenes()[0], 2000);
    let few = ["slots=128", "active_slots=1", "l0_mshrs=64", "t_l2=600"];
    let kept = run(&world, (&queries).into(), &few);
    let evicting = run(&world, (&queries).into(), &[&few[..], &["evict=true"]].concat());
    assert_eq!(hits(&evicting, &queries), hits(&kept, &queries));
    let (c, none) = (&evicting.counters, &kept.counters);
    assert!(c.tasks_evicted > 10 && c.tasks_resumed > 0, "{}", c.tasks_evicted);
    assert_eq!([none.tasks_evicted, none.leaves_held], [0, 0]);
    let gain = kept.cycles as f64 / evicting.cycles as f64;
    assert!(gain > 1.2, "{gain} times as fast");
}

/// Nothing waits in a circle, however few slots and places there are.
#[test]
fn eviction_never_gets_stuck() {
    let trees = [mixed(), instanced(), scenes()[1].clone()];
    for tree in &trees {
        let (world, queries) = subject(tree, 200);
        let truth = hits(&run(&world, (&queries).into(), &[]), &queries);
        let priorities: Vec<Option<u8>> = (0..200).map(|n| Some((n / 32 % 3) as u8)).collect();
        let questions = Questions { queries: &queries, priorities: &priorities };
        for slots in ["slots=1", "slots=5", "slots=32"] {
            for pool in ["active_slots=1", "active_slots=3"] {
                for policy in ["policy=round_robin", "policy=priority"] {
                    for pending in ["pending_slots=1", "pending_slots=16"] {
                        let settings = [
                            slots,
                            pool,
                            policy,
                            pending,
                            "evict=true",
                            "l0_lines=1",
                            "t_l2=300",
                            "l0_mshrs=2",
                        ];
                        let run = run(&world, questions, &settings);
                        assert_eq!(hits(&run, &queries), truth, "{settings:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn units_may_be_shared() {
    let (world, queries) = subject(&instanced(), 1500);
    let truth = hits(&run(&world, (&queries).into(), &[]), &queries);
    let size = ["tpcs_per_gpc=2", "sms_per_tpc=2", "ttus_per_tpc=2", "active_slots=8", "l1=true"];
    let cycles = ["attach=sm", "attach=tpc", "attach=gpc"].map(|attach| {
        let shared = run(&world, (&queries).into(), &[&size[..], &[attach]].concat());
        assert_eq!(hits(&shared, &queries), truth, "{attach}");
        assert_eq!(shared.unit_tests.len(), 4, "{attach}");
        shared.cycles
    });
    assert!(cycles[0] != cycles[1] && cycles[1] != cycles[2], "{cycles:?}");
    // One SM a TPC: its units are its own either way.
    let alone = |attach| run(&world, (&queries).into(), &["ttus_per_tpc=2", attach]).cycles;
    assert_eq!(alone("attach=sm"), alone("attach=tpc"));
    let refused = Config::default().with_all(&["sms_per_tpc=2", "attach=sm"]).unwrap_err();
    let expected = "a multiple of sms_per_tpc = 2, with attach = sm";
    assert!(refused.to_string().contains(expected), "{refused}");
}

#[test]
fn a_link_takes_time_either_way() {
    let (world, queries) = subject(&scenes()[0], 1);
    let lone = |link: &str| run(&world, (&queries).into(), &[link]).latencies.max();
    let (near, far) = (lone("t_link=0"), lone("t_link=50"));
    assert!(far >= near + 50, "{near} {far}");
}
