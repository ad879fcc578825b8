//! Cycles of whole runs, as they were: a change of the model shows here, a change of the code must
//! not.

use super::hand_made::laid_out;
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
    [[11973, 12668, 46013, 90963], [3634, 4355, 11462, 11621], [6225, 5728, 14062, 19987]],
    [[12471, 13240, 48856, 91076], [6297, 6800, 20986, 22534], [5815, 5853, 14272, 20216]],
    [[53108, 29308, 161206, 380037], [21509, 10543, 40800, 114231], [15015, 7888, 29865, 64345]],
    [[11003, 12341, 39724, 40383], [6033, 5347, 13656, 13820], [10777, 8319, 18767, 23785]],
    [[11988, 11751, 47572, 90795], [4966, 6620, 18998, 20691], [6006, 5734, 14493, 19924]],
    [[92961, 86410, 414410, 479059], [54503, 52759, 210688, 258222], [24749, 17287, 77366, 91056]],
    [[12359, 12369, 46407, 93486], [8661, 9283, 32094, 33594], [5968, 6133, 14558, 19705]],
    [[37667, 19105, 134222, 204018], [26642, 14396, 36948, 63975], [39222, 18914, 135417, 205856]],
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
        for name in &shipped::names()[..3] {
            cycles.extend(worlds.iter().map(|world| run(world, name, settings).cycles));
        }
    }
    assert_eq!(cycles, CYCLES.as_flattened().as_flattened(), "{cycles:?}");
}
