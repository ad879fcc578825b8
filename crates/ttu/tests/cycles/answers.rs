//! Answers do not depend on timing: every configuration of the required sweeps gives the oracle's.

use super::hand_made::laid_out;
use geometry::TriangleRule;
use machine::{Format, Hit, HitKind, Machine, Oracle, PlainTree, Query, RayQuery, TreeFormat};
use std::ops::ControlFlow;
use std::sync::Arc;
use testkit::worlds::{instanced, mixed, rays, scenes};
use tree::Tree;
use ttu::run::Options;
use ttu::{Config, Run, TtuFormat, World, simulate};

/// Every policy.
const POLICIES: [&str; 6] =
    ["round_robin", "oldest", "fifo", "priority", "priority_oldest", "last_line"];

struct Subject {
    world: World,
    takes_two_lines: bool,
    queries: Vec<RayQuery>,
    truth: Vec<Vec<Hit>>,
}

impl Subject {
    fn new<F: TreeFormat>(format: &F, tree: &Tree, rule: TriangleRule, count: usize) -> Self {
        Self::of(laid_out(format, tree, rule), rule, count)
    }

    fn of(world: World, rule: TriangleRule, count: usize) -> Self {
        let queries = rays(&world.tree().bounds(), 77, count);
        let oracle = Oracle::new(world.tree(), rule);
        let all = |query: &RayQuery| RayQuery { kind: HitKind::All, ..*query }.into();
        let truth = queries.iter().map(|query| oracle.answer(&all(query)).unwrap().hits).collect();
        Self { world, takes_two_lines: false, queries, truth }
    }

    fn run(&self, settings: &[&str]) -> Run {
        let config = Config::default().with_all(settings).unwrap();
        let queries: Vec<Query> = self.queries.iter().map(|query| (*query).into()).collect();
        let options = Options::default();
        simulate(&self.world, &config, &queries, options, &|_| ControlFlow::Continue(())).unwrap()
    }

    fn check(&self, settings: &[&str]) -> Run {
        let run = self.run(settings);
        for ((query, truth), answer) in self.queries.iter().zip(&self.truth).zip(&run.answers) {
            let expected = match query.kind {
                HitKind::All => &truth[..],
                HitKind::Closest | HitKind::Any => &truth[..truth.len().min(1)],
            };
            match query.kind {
                HitKind::Any => {
                    assert_eq!(answer.hits.len(), expected.len(), "{settings:?} {query:?}");
                    assert!(answer.hits.iter().all(|hit| truth.contains(hit)), "{settings:?}");
                }
                _ => assert_eq!(answer.hits, expected, "{settings:?} {query:?}"),
            }
        }
        run
    }
}

fn worlds() -> Vec<Subject> {
    let rule = TriangleRule::Watertight;
    let mut all: Vec<Subject> =
        scenes().iter().map(|tree| Subject::new(&TtuFormat, tree, rule, 60)).collect();
    all.extend([mixed(), instanced()].iter().map(|tree| Subject::new(&TtuFormat, tree, rule, 60)));
    let plain = Subject::new(&PlainTree, &instanced(), rule, 60);
    all.push(Subject { takes_two_lines: true, ..plain });
    all.push(Subject::new(&TtuFormat, &instanced(), TriangleRule::MollerTrumbore, 60));
    all
}

#[test]
fn the_required_sweeps() {
    let sweeps: &[(&str, &[&str])] = &[
        ("slots", &["1", "8", "32", "200"]),
        ("l0_lines", &["1", "2", "8", "64"]),
        ("t_l2", &["20", "160", "254"]),
        ("t_box", &["1", "12", "24"]),
        ("dispatch", &["a", "b"]),
        ("policy", &POLICIES),
        ("wakeup", &["grouped", "plain"]),
        ("push_order", &["near_first", "as_is"]),
        ("unit_slots", &["1", "5"]),
        ("root_test", &["true", "false"]),
        ("result_queue", &["1", "16"]),
        ("stack_on_chip", &["8", "32"]),
        ("t_feedback", &["0", "2000"]),
        ("l0_assoc", &["0", "2"]),
        ("l0_replace", &["lru", "fifo"]),
        ("units", &["1", "3", "8"]),
        ("tests_per_unit", &["1", "8"]),
        ("smu_per_cycle", &["1", "3"]),
        ("pick_per_cycle", &["1", "4"]),
        ("l0_lookups_per_cycle", &["1", "3"]),
        ("rcp", &["sm", "ttu"]),
        ("merge", &["0", "1"]),
        ("l2_kib", &["0", "2", "512"]),
        ("l1", &["false", "true"]),
        ("evict", &["false", "true"]),
        ("attach", &["sm", "tpc", "gpc"]),
        ("sms_per_tpc", &["1", "3"]),
        ("t_link", &["0", "30"]),
    ];
    for subject in worlds() {
        for (key, values) in sweeps {
            for value in *values {
                // An uncompressed block takes two lines.
                if *key == "l0_lines" && *value == "1" && subject.takes_two_lines {
                    continue;
                }
                subject.check(&[&format!("{key}={value}")]);
            }
        }
    }
}

/// A line for one block only, with every policy and both wake-ups: nothing waits in a circle.
#[test]
fn one_line_is_enough() {
    let subject = Subject::new(&TtuFormat, &instanced(), TriangleRule::Watertight, 200);
    for policy in POLICIES {
        for wakeup in ["grouped", "plain"] {
            let (policy, wakeup) = (format!("policy={policy}"), format!("wakeup={wakeup}"));
            subject.check(&["l0_lines=1", "l0_mshrs=2", "unit_slots=1", &policy, &wakeup]);
        }
    }
}

/// Blocks of one to four half lines, one after another: they begin and end within lines, and lie
/// within each other's.
fn packed(tree: &Tree) -> World {
    let image = PlainTree::check(PlainTree.encode(tree).unwrap()).checked.unwrap();
    let mut blocks = PlainTree::blocks(&image).unwrap();
    let mut address = 64;
    for (block, halves) in blocks.blocks.iter_mut().zip([3, 1, 4, 2, 2].into_iter().cycle()) {
        (block.address, block.bytes) = (address, 64 * halves);
        address += u64::from(block.bytes);
    }
    World::of_blocks(&blocks, Arc::clone(image.tree()), TriangleRule::Watertight).unwrap()
}

/// Where blocks share lines, few lines are enough too.
#[test]
fn blocks_that_begin_within_lines() {
    let subject = Subject::of(packed(&instanced()), TriangleRule::Watertight, 400);
    for lines in ["l0_lines=3", "l0_lines=4", "l0_lines=8"] {
        for wakeup in ["wakeup=grouped", "wakeup=plain"] {
            for merge in ["merge=0", "merge=1", "merge=3"] {
                subject.check(&[lines, wakeup, merge]);
            }
            for policy in ["policy=oldest", "policy=priority", "policy=last_line"] {
                subject.check(&[lines, wakeup, policy, "l0_mshrs=4", "unit_slots=1"]);
            }
        }
    }
}

/// Many TTUs, apart and with a shared L2, give the same answers; figures do not depend on the
/// host's threads.
#[test]
fn clusters_and_threads() {
    let subject = Subject::new(&TtuFormat, &instanced(), TriangleRule::Watertight, 400);
    for shared in ["l2_kib=0", "l2_kib=64"] {
        let settings = ["gpcs=3", "tpcs_per_gpc=2", "ttus_per_tpc=2", "active_slots=2", shared];
        let run_on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut run = pool.install(|| subject.check(&settings));
            run.wall = Default::default();
            run
        };
        let (one, four) = (run_on(1), run_on(4));
        assert_eq!(one, four);
        let lone = subject.check(&[shared]);
        assert!(one.cycles < lone.cycles, "{} {}", one.cycles, lone.cycles);
    }
}
