//! The closed forms of the specification, as golden numbers.

use super::hand_made::{chain, crowd, latency, nested, ray_at, run};

/// Cycles of one block: a lone ray spends one cycle on its beat.
fn block(k: usize, j: usize, settings: &[&str]) -> u64 {
    latency(&chain(1, k), settings, ray_at(j)) - 1
}

/// A second visit to a block in the L0 costs the difference of two and one.
fn hit(k: usize, j: usize) -> u64 {
    // With lines of 1024 bytes, the first of eight blocks brings the others along.
    let lines = ["l0_line_bytes=1024", "fill_bytes_per_cycle=256"];
    latency(&chain(2, k), &lines, ray_at(j)) - latency(&chain(1, k), &lines, ray_at(j))
}

#[test]
fn an_iteration_in_the_l0() {
    assert_eq!(hit(8, 0), 27);
    assert_eq!(hit(8, 7), 28);
    assert_eq!(hit(4, 0), 25);
    assert_eq!(hit(3, 2), 26);
}

#[test]
fn an_iteration_from_memory() {
    assert_eq!(block(8, 0, &[]), 194);
    assert_eq!(block(8, 0, &["l2_kib=64"]), 294);
    assert_eq!(block(8, 7, &[]), 195);
    assert_eq!(block(8, 0, &["l1=true"]), 194, "the L1 is empty");
}

#[test]
fn five_blocks_from_the_l2() {
    assert_eq!(latency(&chain(5, 8), &[], ray_at(0)), 971);
}

#[test]
fn dispatch_a_pays_in_completions() {
    let spread = |met: usize| {
        let world = crowd(8, met);
        let miss = 160 + 4 + 1 + 2;
        latency(&world, &["dispatch=a"], ray_at(0)) - 1 - miss
    };
    assert_eq!([spread(0), spread(1), spread(2)], [27, 28, 29]);
}

#[test]
fn a_root_that_is_missed_costs_twelve_cycles() {
    let miss = 160 + 4 + 1 + 2;
    let beside = ray_at(20);
    assert_eq!(latency(&chain(1, 8), &[], beside) - 1 - miss, 12);
    let run = run(&chain(1, 8), &[], &[beside]);
    assert_eq!((run.counters.root_rejects, run.counters.launches), (1, 0));
}

/// A chain of nodes inside a block costs the depth of the pipeline each.
#[test]
fn chains_inside_a_block() {
    for depth in 2..8 {
        let more = latency(&nested(depth), &[], ray_at(0)) - latency(&nested(1), &[], ray_at(0));
        assert_eq!(more, 12 * (depth as u64 - 1));
    }
}

/// Each latency parameter adds what the closed form says.
#[test]
fn every_latency_has_its_share() {
    let base = block(8, 0, &[]);
    let with = |setting: &str| block(8, 0, &[setting]) - base;
    assert_eq!(with("t_pop=4"), 3);
    assert_eq!(with("t_l0=5"), 6, "looked up twice");
    assert_eq!(with("t_setup=9"), 3);
    assert_eq!(with("t_box=20"), 8);
    assert_eq!(with("t_l2=200"), 40);
    assert_eq!(with("fill_bytes_per_cycle=8"), 12);
    assert_eq!(with("rcp=ttu"), 8 + 3 - 1);
    assert_eq!(with("port_bytes=8"), 3, "four beats");
    assert_eq!(with("t_leaf=400"), 0, "leaves are drained later");
}

/// A leaf popped in cycle c has its result at c + t_leaf.
#[test]
fn the_end_waits_for_the_last_leaf() {
    let whole = |settings: &[&str]| run(&chain(1, 8), settings, &[ray_at(0)]);
    // The leaf is pushed three cycles before the completion, and both are popped a cycle later.
    let run = whole(&[]);
    let leaf_popped = 1 + 194 - 1 - 3;
    assert_eq!(run.answers[0].latency(), leaf_popped + 40);
    assert_eq!(run.latencies.max(), leaf_popped + 40);
    assert_eq!(run.counters.state_drain, leaf_popped + 40 - 195);
    assert_eq!(whole(&["t_leaf=1"]).answers[0].latency(), 195);
}

/// Latency of a lone query is monotone in every latency parameter.
#[test]
fn latency_is_monotone() {
    let world = chain(3, 7);
    for key in ["t_pop", "t_l0", "t_setup", "t_box", "t_l2", "t_dram", "t_l1", "t_leaf", "t_rcp"] {
        let mut last = 0;
        for value in [1, 2, 3, 7, 20, 90, 300] {
            let setting = format!("{key}={value}");
            let settings = [setting.as_str(), "l2_kib=64", "rcp=ttu", "l1=true"];
            let run = run(&world, &settings, &[ray_at(4)]);
            let latency = run.answers[0].latency();
            assert!(latency >= last, "{setting}: {latency} < {last}");
            last = latency;
        }
    }
}
