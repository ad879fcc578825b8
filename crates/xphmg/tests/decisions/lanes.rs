//! Lanes.

use super::hart::{BASE, Bench, OPERAND, RAY};
use xphmg::Trap;

const SVSTATE: u16 = 0x7F8;
const INDICES: u64 = BASE + 0x800;

/// Four boxes, of which the ray meets the first and the third; indices in memory, elements FP32.
fn four_boxes(readings: &[&str]) -> Bench {
    let mut bench = Bench::new(readings);
    for (n, z) in [(0, 4.0), (1, 40.0), (2, 2.0), (3, 50.0)] {
        bench.hart.put_floats(OPERAND + 24 * n, &[-1.0, -1.0, z, 1.0, 1.0, z + 1.0]);
    }
    bench.hart.put_words(INDICES, &[0, 3, 6, 9]);
    bench.write(0x7F1, INDICES);
    bench.write(0x7F2, 3);
    bench.write(0x7F9, 0x800); // one ray for all lanes
    bench
}

#[test]
fn x33_lengths_are_clamped_and_registers_wrap() {
    let mut bench = four_boxes(&[]);
    for (asked, length) in [(0, 1), (1, 1), (64, 64), (200, 64), (256, 1)] {
        bench.hart.x[5] = asked;
        bench.ok(&["svsetvl t1, t0"]);
        assert_eq!(bench.hart.x[6], length);
    }
    let mut short = four_boxes(&["rsv_vlmax=2"]);
    short.ok(&["svsetvl t1, 9"]);
    assert_eq!(short.hart.x[6], 2);
    // Rays in x31, x0, x1 …: x0 is no address.
    bench.write(0x7F9, 0);
    bench.hart.x[31] = RAY;
    bench.ok(&["svsetvl x0, 2", "svon.one"]);
    assert_eq!(bench.trap("rt.bbox a1, (t6), pred_only"), (Trap::LOAD_ACCESS, 0));
}

#[test]
fn x33_steps_of_a_prefix_are_no_hidden_state() {
    let mut bench = four_boxes(&[]);
    bench.ok(&["svp.one.vlstep 4, 0, 3"]);
    assert_eq!([0x7F9, 0x7FA, 0x7FB].map(|n| bench.read(n)), [0x800, 0x800, 0xB00]);
    assert_eq!(bench.read(SVSTATE) & 0xFF_0003, 0x03_0003);
}

#[test]
fn x34_prefixes_see_through_prefixes() {
    let mut bench = four_boxes(&[]);
    bench.ok(&["svon.fpctl rup, 1, 1", "svsetvl x0, 4", "svon.one"]);
    assert_eq!(bench.read(SVSTATE) & 7, 7);
    bench.ok(&["rt.bbox a1, (a0), pred_only"]);
    assert_eq!(bench.read(SVSTATE) & 7, 2);
}

#[test]
fn x35_other_instructions_are_illegal_or_run_once() {
    for (reading, passes) in [("rsv_scope=rt", false), ("rsv_scope=scalar_once", true)] {
        let mut bench = four_boxes(&[reading]);
        bench.ok(&["svon.blk 2"]);
        assert_eq!(bench.unit.before_instruction(0x13).is_ok(), passes);
        assert_eq!(bench.read(SVSTATE) >> 8 & 0xFF, if passes { 1 } else { 2 });
        assert_eq!(bench.run("xlds.bar").is_ok(), passes);
        assert_eq!(bench.last_error(), 0);
    }
    // EN by the CSR alone acts as one-shot.
    let mut bench = four_boxes(&[]);
    bench.write(SVSTATE, 1 | 3 << 16);
    bench.ok(&["rt.bbox a1, (a0), pred_only"]);
    assert_eq!((bench.read(SVSTATE) & 1, bench.read(0x7FC)), (0, 0xFFFF_FFF5));
}

#[test]
fn x36_unpacked_lanes_need_room() {
    let mut bench = four_boxes(&[]);
    for (step, legal) in [(0u64, false), (1, false), (2, false), (3, true), (5, false)] {
        bench.write(0x7FB, 1 << 11 | step << 8);
        bench.write(0x7FC, u64::MAX);
        bench.ok(&["svsetvl x0, 4", "svon.one"]);
        let got = bench.run("rt.bbox s0, (a0)");
        assert_eq!(got.is_ok(), legal, "step code {step}");
        bench.ok(&["svend"]);
    }
    assert_eq!([8, 12, 16, 20].map(|n| bench.hart.x[n]), [1, 0, 1, 0]);
    assert_eq!((bench.floats(9, 2), bench.floats(17, 2)), (vec![4.0, 5.0], vec![2.0, 3.0]));
    // The last lane's triple would pass x31.
    bench.write(0x7FB, 0xB00);
    bench.ok(&["svsetvl x0, 4", "svon.one"]);
    assert_eq!(bench.trap("rt.bbox s2, (a0)").0, Trap::ILLEGAL); // x18, x22, x26, x30
    assert_eq!(bench.last_error(), 1);
}

#[test]
fn x37_a_trap_in_a_late_lane_leaves_everything_as_it_was() {
    let mut bench = four_boxes(&[]);
    bench.hart.put_words(INDICES + 12, &[0x0FFF_FFFF]);
    bench.write(0x7FB, 0xB00);
    bench.ok(&["svsetvl x0, 4", "svon.one"]);
    let before = (bench.hart.x, bench.read(0x7FC), bench.read(0x8AA), bench.read(SVSTATE));
    let trap = bench.run("rt.bbox s0, (a0)").unwrap_err();
    assert_eq!((trap.cause, trap.lane, bench.read(0x7FF)), (Trap::LOAD_ACCESS, Some(3), 3));
    let after = (bench.hart.x, bench.read(0x7FC), bench.read(0x8AA), bench.read(SVSTATE));
    assert_eq!(before, after);
    bench.hart.put_words(INDICES + 12, &[9]);
    bench.ok(&["rt.bbox s0, (a0)"]); // restarts
    assert_eq!(bench.read(0x7FC), 0xFFFF_FFF5);
}

#[test]
fn x39_a_fault_of_the_first_active_lane_traps_or_is_quiet() {
    for (reading, traps) in [("fof_first_lane=trap", true), ("fof_first_lane=quiet", false)] {
        let mut bench = four_boxes(&[reading]);
        bench.hart.put_words(INDICES + 4, &[0x0FFF_FFFF]);
        bench.write(0x7F2, 3 | 1 << 5);
        bench.write(0x7FC, 0xFFFF_FFFE);
        bench.ok(&["svsetvl x0, 4", "svon.one"]);
        assert_eq!(bench.run("rt.bbox a1, (a0), pred_only").is_err(), traps);
        assert_eq!((bench.read(0x7FF), bench.read(0x7FC)), (1, 0xFFFF_FFFE));
    }
    // FP traps are not covered.
    let mut bench = four_boxes(&[]);
    bench.hart.put_words(OPERAND + 48, &[0x7F80_0001]);
    bench.write(0x7F2, 3 | 1 << 5);
    bench.write(0x7D3, 0x10);
    bench.ok(&["svsetvl x0, 4", "svon.one"]);
    let trap = bench.run("rt.bbox a1, (a0), pred_only").unwrap_err();
    assert_eq!((trap.cause, trap.lane), (24, Some(2)));
}
