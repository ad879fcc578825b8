//! Cycles of whole runs, as they were: a change of the model shows here, a change of the code must
//! not.

use crate::hand_made::laid_out;
use geometry::TriangleRule;
use machine::{PlainTree, Query, TreeFormat};
use std::ops::ControlFlow;
use testkit::worlds::{instanced, mixed, rays, scenes};
use tree::Tree;
use ttu::config::shipped;
use ttu::run::Options;
use ttu::{Run, TtuFormat, World, simulate};

/// Settings that use every part of the machine, on top of the shipped configurations.
const SETTINGS: [&[&str]; 8] = [
    &[],
    &["dispatch=a", "wakeup=plain", "policy=oldest"],
    &["policy=last_line", "l0_lines=2", "l0_mshrs=2", "merge=1", "push_order=as_is"],
    &["stack_on_chip=2", "spill_group=2", "l2_kib=2", "l2_bytes_per_cycle=8", "l1=true"],
    &["rcp=ttu", "port_bytes=8", "accept_per_cycle=2", "result_queue=1", "smu_per_cycle=3"],
    &["slots=3", "pick_per_cycle=2", "t_pop=3", "l0_lookups_per_cycle=2", "t_feedback=0"],
    &["unit_slots=1", "writable=2", "units=3", "tests_per_unit=3", "policy=priority"],
    &["gpcs=2", "tpcs_per_gpc=2", "ttus_per_tpc=2", "l2_kib=4", "dram_bytes_per_cycle=4"],
];

/// A world, and what is asked of it.
fn subject<F: TreeFormat>(format: &F, tree: &Tree) -> (World, Vec<Query>) {
    let queries = rays(&tree.bounds(), 5, 300).into_iter().map(Query::from).collect();
    (laid_out(format, tree, TriangleRule::Watertight), queries)
}

fn run((world, queries): &(World, Vec<Query>), name: &str, settings: &[&str]) -> Run {
    let config = shipped::named(name).unwrap().with_all(settings).unwrap();
    let options = Options { sample_every: 16, trace_events: 0, count_false_positives: true };
    simulate(world, &config, queries, options, &|_| ControlFlow::Continue(())).unwrap()
}

/// For each of the settings and each shipped configuration: the cycles of the four subjects.
const CYCLES: [[[u64; 4]; 3]; 8] = [
    [[9827, 8299, 33875, 86561], [2975, 3811, 9730, 10503], [5137, 3779, 8476, 17535]],
    [[10881, 11338, 39869, 84550], [4772, 5665, 18557, 20591], [4275, 3874, 8385, 18238]],
    [[50336, 25993, 157137, 384369], [20539, 9980, 41328, 104266], [14557, 6242, 26268, 66589]],
    [[7302, 8087, 21624, 29620], [4075, 4460, 10589, 10715], [7187, 6706, 9991, 15719]],
    [[10286, 8725, 33673, 86932], [4480, 5999, 18373, 19479], [4368, 3889, 7973, 17465]],
    [[66396, 52686, 298810, 370011], [22478, 21366, 78801, 129829], [16492, 10487, 53318, 65417]],
    [[10495, 10406, 38013, 85694], [7835, 8556, 28719, 30637], [4441, 4153, 8783, 18195]],
    [[7204, 5020, 19568, 74541], [4358, 2266, 4219, 13448], [7350, 3656, 20252, 79937]],
];

#[test]
fn cycles_are_as_they_were() {
    let worlds = [
        subject(&TtuFormat, &scenes()[0]),
        subject(&TtuFormat, &mixed()),
        subject(&TtuFormat, &instanced()),
        subject(&PlainTree, &instanced()),
    ];
    let mut cycles = Vec::new();
    for settings in SETTINGS {
        for name in shipped::names() {
            cycles.extend(worlds.iter().map(|world| run(world, name, settings).cycles));
        }
    }
    assert_eq!(cycles, CYCLES.as_flattened().as_flattened(), "{cycles:?}");
}
