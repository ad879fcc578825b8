//! What the memory path, the stacks and the box tests cost, where the patent is silent: T-19 to
//! T-21.

use super::hand_made::{
    bush, chains, crowd, leaf_of_references, leaves_in_memory, near_and_far, ray_at, run,
};
use machine::{HitKind, Query};

/// Unit cycles by the number of tests issued, whatever a unit's width.
#[test]
fn issues_are_counted_for_any_width() {
    let issues = |width: &str| run(&crowd(7, 1), &[width, "units=1"], &[ray_at(0)]).issues;
    assert_eq!(issues("tests_per_unit=1")[1..], [7]);
    assert_eq!(issues("tests_per_unit=2")[1..], [1, 3]);
    assert_eq!(issues("tests_per_unit=4")[1..], [0, 0, 1, 1]);
    assert_eq!(issues("tests_per_unit=8")[1..], [0, 0, 0, 0, 0, 0, 1, 0]);
}

/// T-19: a box is judged by the range that is known when its test is issued.
#[test]
fn boxes_are_tested_with_the_range_of_their_issue() {
    let leaves = |feedback: &str| {
        // The chain behind the leaf takes 100 cycles a node, far longer than the leaf's way to the
        // SM and back.
        let settings = ["t_box=100", "t_leaf=1", feedback];
        run(&near_and_far(), &settings, &[Query { kind: HitKind::Closest, ..ray_at(0) }])
    };
    let (early, late) = (leaves("t_feedback=1"), leaves("t_feedback=5000"));
    assert_eq!((early.counters.leaves, late.counters.leaves), (1, 2));
    assert_eq!(early.answers[0].hits, late.answers[0].hits);
    assert_eq!(early.answers[0].hits[0].t, 3.0);
}

/// T-20: fetches of many queries are limited by what the L2 moves, of one cluster or of several
/// together.
#[test]
fn the_l2_limits() {
    let queries: Vec<Query> = (0..512).map(|n| ray_at(n % 8)).collect();
    for clusters in ["gpcs=1", "gpcs=4"] {
        let many = |limit: &str| run(&chains(40), &[clusters, limit], &queries);
        let (wide, narrow) = (many("l2_bytes_per_cycle=0"), many("l2_bytes_per_cycle=2"));
        let bytes = narrow.counters.l2_bytes as f64 / narrow.cycles as f64;
        assert!((1.9..=2.0).contains(&bytes), "{clusters} {bytes}");
        assert_eq!(narrow.bound.name(), "l2");
        assert!(wide.cycles * 2 < narrow.cycles, "{} {}", wide.cycles, narrow.cycles);
        assert_eq!(narrow.counters.l2_bytes, narrow.counters.l0_fill_bytes);
    }
}

/// T-20: leaves come into the SM one behind the other.
#[test]
fn leaves_take_the_port_of_the_sm() {
    let cycles = |k: usize, bytes: u32, port: &str| {
        let world = leaves_in_memory(k, bytes);
        run(&world, &[port, "tests_per_unit=8"], &[ray_at(0)]).answers[0].latency()
    };
    let (free, narrow) = ("sm_fetch_bytes_per_cycle=0", "sm_fetch_bytes_per_cycle=8");
    assert_eq!(cycles(1, 128, narrow), cycles(1, 128, free) + 128 / 8 - 1);
    assert_eq!(cycles(1, 512, narrow), cycles(1, 512, free) + 512 / 8 - 1);
    // The last of eight leaves is asked for seven cycles after the first.
    assert_eq!(cycles(8, 128, narrow), cycles(1, 128, free) + 8 * 128 / 8 - 1);
}

/// T-21: spilled entries go through the L2, and come back through it.
#[test]
fn spills_take_the_port_of_the_l2() {
    let small = ["stack_on_chip=2", "spill_group=2", "l0_lines=64"];
    let spills = |settings: &[&str]| {
        let all: Vec<&str> = small.iter().copied().chain(settings.iter().copied()).collect();
        run(&bush(4, 4), &all, &[ray_at(0)])
    };
    let run = spills(&[]);
    assert!(run.counters.spills > 5 && run.counters.spills == run.counters.spill_fills);
    assert_eq!(run.counters.spill_bytes, 16 * 2 * run.counters.spills);
    assert_eq!(run.counters.l2_bytes, run.counters.spill_bytes + run.counters.l0_fill_bytes);
    // Reading takes as many cycles more as bytes, and waits for what is written before.
    let narrow = spills(&["l2_bytes_per_cycle=1"]);
    let reads = 127 * run.counters.fills + 15 * run.counters.spill_fills;
    assert!(narrow.cycles > run.cycles + reads, "{} {}", narrow.cycles, run.cycles + reads);
}

/// All that DRAM moves counts, whoever asked for it: here the lines of leaves.
#[test]
fn dram_limits() {
    let queries: Vec<Query> = (0..32).map(|_| ray_at(0)).collect();
    let settings =
        ["l2_kib=2", "dram_bytes_per_cycle=2", "sm_fetch_bytes_per_cycle=0", "tests_per_unit=8"];
    let run = run(&leaves_in_memory(8, 4096), &settings, &queries);
    let bytes = run.counters.dram_bytes as f64 / run.cycles as f64;
    assert!((1.9..=2.0).contains(&bytes), "{bytes}");
    assert_eq!(run.bound.name(), "dram");
    let bound = run.bound.blocks_per_cycle();
    assert!(run.bound.reached <= bound && run.bound.reached > 0.95 * bound);
    assert!(run.counters.dram_bytes >= run.counters.sm_fetch_bytes);
    assert!(run.counters.bytes_from_dram * 100 < run.counters.dram_bytes, "L0s had little of it");
}

/// T-20: a leaf is read in sectors, first what names its items, then these, each sector once.
#[test]
fn leaves_that_name_their_items_are_read_twice() {
    let (own, named) = (leaves_in_memory(1, 32), leaf_of_references());
    let latency = |world| run(world, &[], &[ray_at(0)]).answers[0].latency();
    let bytes = |world| run(world, &[], &[ray_at(0)]).counters.sm_fetch_bytes;
    // Two items share a sector, one lies across two.
    assert_eq!((bytes(&own), bytes(&named)), (32, 32 + 3 * 32));
    // The port of the SM takes 32 bytes a cycle.
    assert_eq!(latency(&named), latency(&own) + 160 + 2 + 2);
}
