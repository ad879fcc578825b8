//! The bounds on throughput are approached, and named.

use super::hand_made::{chain, ray_at, run};
use machine::Query;
use ttu::Run;

fn many(length: usize, count: usize, settings: &[&str]) -> Run {
    let queries: Vec<Query> = (0..count).map(|n| ray_at(n % 8)).collect();
    run(&chain(length, 8), settings, &queries)
}

fn blocks_per_cycle(run: &Run) -> f64 {
    run.counters.setups as f64 / run.cycles as f64
}

/// Slots over latency, while the slots are few.
#[test]
fn few_slots_limit_by_latency() {
    // Every block is fetched anew: one line, and a long chain.
    for slots in [1u32, 2, 4] {
        let setting = format!("slots={slots}");
        let run = many(40, 256, &[&setting, "l0_lines=1", "wakeup=plain", "t_leaf=1"]);
        let bound = run.bound.limits.iter().find(|limit| limit.name == "slots").unwrap();
        let (reached, allowed) = (blocks_per_cycle(&run), bound.blocks_per_cycle);
        assert!(
            reached <= allowed * 1.02 && reached > allowed * 0.7,
            "{slots}: {reached} {allowed}"
        );
    }
}

/// With everything in the L0, 8 tests a cycle allow one block of 8 children a cycle, and 32 slots
/// about 0.8.
#[test]
fn hits_are_limited_by_slots_over_forty_cycles() {
    // A foreign block and a completion go through the SMU for each block.
    let settings = ["l0_lines=64", "t_leaf=1", "active_slots=64", "smu_per_cycle=2"];
    let run = many(40, 4096, &settings);
    let reached = blocks_per_cycle(&run);
    assert!((0.75..=1.0).contains(&reached), "{reached}");
}

/// Half the tests a cycle, half the blocks.
#[test]
fn box_tests_limit() {
    let base = ["l0_lines=64", "t_leaf=1", "active_slots=64", "slots=128", "smu_per_cycle=4"];
    let narrow: Vec<&str> =
        base.iter().copied().chain(["units=2", "unit_slots=16", "readable=16"]).collect();
    let run = many(40, 4096, &narrow);
    let reached = blocks_per_cycle(&run);
    assert_eq!(run.bound.name(), "box_tests");
    assert!((0.45..=0.5).contains(&reached), "{reached}");
}

/// With one place a unit, a block waits for the one before it to leave.
#[test]
fn places_over_the_cycles_of_a_block() {
    let base = ["l0_lines=64", "t_leaf=1", "active_slots=64", "slots=128", "smu_per_cycle=4"];
    for depth in ["t_box=6", "t_box=12", "t_box=48"] {
        let deep: Vec<&str> = base.iter().copied().chain(["unit_slots=1", depth]).collect();
        let run = many(40, 4096, &deep);
        let (reached, allowed) = (blocks_per_cycle(&run), run.bound.blocks_per_cycle());
        assert_eq!(run.bound.name(), "unit_slots");
        assert!(reached <= allowed && reached > 0.8 * allowed, "{depth}: {reached} {allowed}");
    }
}

/// A chain inside a block caps a unit at readable slots over pipeline depth.
#[test]
fn readable_slots_over_pipeline_depth() {
    let world = super::hand_made::nested(12);
    let queries: Vec<Query> = (0..2000).map(|_| ray_at(0)).collect();
    let settings = ["slots=128", "active_slots=64", "t_leaf=1", "units=1", "smu_per_cycle=4"];
    let run = run(&world, &settings, &queries);
    let issues = run.issues[1..].iter().sum::<u64>() as f64 / run.cycles as f64;
    // Five slots hold blocks; four of them can be read in a cycle, but all five issue in turn.
    assert!((4.0 / 12.0..=5.0 / 12.0 + 0.01).contains(&issues), "{issues}");
}

/// A miss for each block: the fill port brings a line in four cycles.
#[test]
fn memory_limits() {
    let settings =
        ["l0_lines=1", "slots=200", "active_slots=64", "l0_mshrs=64", "t_leaf=1", "wakeup=plain"];
    let run = many(40, 4096, &settings);
    let lines = run.counters.fills as f64 / run.cycles as f64;
    assert!(lines <= 0.25, "{lines}");
}
