//! Results.

use super::hart::{Bench, OPERAND, RAY};
use xphmg::Trap;

#[test]
fn x26_unpacked_results_take_consecutive_registers() {
    let mut bench = Bench::new(&[]).with_triangle();
    bench.hart.put_floats(RAY, &[0.25, 0.5, 8.0, 0.0, 0.0, 1.0, -16.0, 16.0]);
    bench.ok(&["rt.tri t3, (a0)"]); // x28 to x31
    assert_eq!((bench.hart.x[28], bench.floats(29, 3)), (1, vec![-4.0, 0.5, 0.25]));
    assert_eq!(bench.hart.x[29] >> 32, 0xFFFF_FFFF); // sign-extended, as FMV.X.W does
    assert_eq!(bench.trap("rt.tri t4, (a0)").0, Trap::ILLEGAL);
    bench.ok(&["rt.tri x0, (a0)", "rt.tri t6, (a0), pred_only"]);
    assert_eq!(bench.hart.x[1], 0);
}

#[test]
fn x26_packing_is_a_hint_that_needs_room() {
    let mut bench = Bench::new(&[]);
    assert_eq!(bench.trap("rt.bbox t6, (a0), pack_hint").0, Trap::ILLEGAL); // FP32 does not fit
    bench.write(0x7D0, 0x809A_0000);
    let halves = |values: &[u16]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>();
    bench.hart.put(RAY, &halves(&[0, 0, 0, 0, 0, 0x3C00, 0, 0x4C00]));
    bench.hart.put(OPERAND, &halves(&[0xBC00, 0xBC00, 0x4400, 0x3C00, 0x3C00, 0x4800]));
    bench.ok(&["rt.bbox t6, (a0), pack_hint"]);
    assert_eq!(bench.hart.x[31], 0x8000_0000_4800_4400);
    bench.write(0x8A0, 4); // PACK_HINT_DFLT
    bench.ok(&["rt.bbox t5, (a0)"]);
    assert_eq!(bench.hart.x[30], bench.hart.x[31]);
}

#[test]
fn x26_a_miss_gives_zeros_and_the_nan_case_nans() {
    let mut bench = Bench::new(&[]);
    bench.hart.x[12..14].fill(9);
    bench.hart.put_floats(RAY, &[5.0]);
    bench.ok(&["rt.bbox a1, (a0)"]);
    assert_eq!(bench.hart.x[11..14], [0; 3]);
    bench.hart.put_floats(RAY, &[f32::NAN]);
    bench.ok(&["rt.bbox a1, (a0)"]);
    assert_eq!(bench.hart.x[11..14], [0, 0x7FC0_0000, 0x7FC0_0000]);
}

/// The NaN case takes precedence over a miss on an earlier axis.
#[test]
fn x27_nan_before_miss() {
    let mut bench = Bench::new(&[]);
    let inf = f32::INFINITY;
    bench.hart.put_floats(RAY, &[5.0, inf, 0.0, 0.0, 1.0, 1.0, 0.0, 16.0]);
    bench.hart.put_floats(OPERAND, &[-1.0, -1.0, 4.0, 1.0, inf, 8.0]);
    bench.ok(&["rt.bbox a1, (a0)"]);
    assert_eq!((bench.hart.x[12], bench.read(0x7D4)), (0x7FC0_0000, 0x10));
}
