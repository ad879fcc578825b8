//! Operands, local memory and matrices.

use super::hart::{BASE, Bench, FP32, OPERAND, RAY};
use xphmg::Trap;

const EVENTS: u16 = 0x7EE;

#[test]
fn x40_rtbase_stands_in_for_a_zero_base() {
    let mut bench = Bench::new(&[]);
    bench.write(0x7F0, 0);
    assert_eq!(bench.trap("rt.bbox a1, (a0)").0, Trap::LOAD_ACCESS);
    bench.write(0x8A3, OPERAND);
    bench.ok(&["rt.bbox a1, (a0)"]);
    assert_eq!(bench.hart.x[11], 1);
}

#[test]
fn x41_indices_come_from_nowhere_a_register_or_memory() {
    let mut bench = Bench::new(&[]);
    bench.write(0x7F0, OPERAND - 64);
    bench.write(0x7F2, 0xFF & !7 | 4); // scale 16, signed
    assert_eq!(bench.read(0x7F2), 0x3C);
    for (index, source) in [(15u64, 15u64), (BASE + 0x900, BASE + 0x900)] {
        bench.hart.x[15] = 0xDEAD_0000_0000_0004;
        bench.hart.put_words(BASE + 0x900, &[4]);
        bench.write(0x7F1, source);
        bench.ok(&["rt.bbox a1, (a0)"]);
        assert_eq!(bench.hart.x[11], 1, "{index:#x}");
    }
    bench.write(0x7F2, 7); // reserved scales are stored as 0
    assert_eq!(bench.read(0x7F2), 0);
    bench.write(0x7F1, BASE + 0x902);
    assert_eq!(bench.trap("rt.bbox a1, (a0)"), (Trap::MISALIGNED, BASE + 0x902));
}

#[test]
fn x42_what_lies_outside_memory() {
    let outside = 0x4000_0000;
    for (mode, traps, invalid) in [(0, true, 0), (1, true, 1), (3, false, 1), (2, true, 0)] {
        let mut bench = Bench::new(&[]);
        bench.write(0x7F0, outside);
        bench.write(0x7F4, mode);
        let got = bench.run("rt.bbox a1, (a0)");
        assert_eq!((got.is_err(), bench.read(EVENTS)), (traps, invalid), "mode {mode}");
        bench.write(EVENTS, 1);
        assert_eq!(bench.read(EVENTS), 0);
    }
    let mut bench = Bench::new(&[]);
    bench.write(0x7F4, 3);
    bench.hart.x[10] = outside; // the ray always faults
    assert_eq!(bench.trap("rt.bbox a1, (a0)"), (Trap::LOAD_ACCESS, outside));
    bench.hart.x[10] = RAY + 2;
    assert_eq!(bench.trap("rt.bbox a1, (a0)"), (Trap::MISALIGNED, RAY + 2));
    assert_eq!(bench.read(EVENTS), 1);
    // The fault names the first element that is not there.
    bench.hart.x[10] = RAY;
    bench.write(0x7F4, 0);
    bench.write(0x7F0, BASE + 0x1_0000 - 8);
    assert_eq!(bench.trap("rt.bbox a1, (a0)"), (Trap::LOAD_ACCESS, BASE + 0x1_0000));
}

#[test]
fn x44_local_memory_is_handed_out() {
    let mut bench = Bench::new(&[]);
    bench.hart.x[11] = 100;
    bench.ok(&[
        "xlds.alloc a2, a1",
        "xlds.alloc a3, a1",
        "xlds.free a2",
        "xlds.alloc a4, a1",
        "xlds.bar",
    ]);
    assert_eq!([12, 13, 14].map(|n| bench.hart.x[n]), [0x7000_0000, 0x7000_0080, 0x7000_0000]);
    bench.hart.x[11] = 1 << 20;
    bench.ok(&["xlds.alloc a2, a1"]);
    assert_eq!((bench.hart.x[12], bench.read(EVENTS)), (0, 4));
}

#[test]
fn x55_the_cause_of_fp_traps_can_be_chosen() {
    for (reading, cause) in [("fp_trap_cause=24", 24), ("fp_trap_cause=63", 63)] {
        let mut bench = Bench::new(&[reading]);
        bench.write(0x7D3, 0x10);
        bench.hart.put_words(RAY, &[0x7F80_0001]);
        assert_eq!(bench.trap("rt.bbox a1, (a0)"), (cause, 0x50));
        assert_eq!(bench.hart.x[11], 0);
    }
}

#[test]
fn x56_x57_x58_a_ray_goes_to_instance_space() {
    let mut bench = Bench::new(&[]);
    // Row by row: x' = 2x + 1, y' = z, z' = -y + 3.
    let matrix = [2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 3.0, 0.0, 0.0, 0.0, 1.0];
    bench.hart.put_floats(BASE + 0x400, &matrix);
    bench.hart.put_floats(BASE + 0x500, &[0.5, 2.0, 7.0, 1.0, 1.0, 0.0, -1.0, 0.0]);
    bench.hart.x[11] = BASE + 0x400;
    bench.hart.x[12] = BASE + 0x500;
    bench.hart.x[13] = BASE + 0x600;
    bench.ok(&["mtx.ld (a1), 4x4, rowmajor", "mtx.mul a3, (a2), 4x4, n=2"]);
    let out = bench.hart.words(BASE + 0x600, 8);
    let expected = [2.0f32, 7.0, 1.0, 1.0, 2.0, -1.0, 0.0, 0.0];
    assert_eq!(out, expected.map(f32::to_bits));
    assert_eq!(bench.read(0x8DC), u64::from(2f32.to_bits()));
    assert_eq!(bench.read(0x8DF), 0x7F);
    // Transposed, and with the bias that follows the matrix.
    bench.hart.put_floats(BASE + 0x440, &[10.0, 20.0, 30.0, 40.0]);
    bench.ok(&["mtx.ld (a1), 4x4, rowmajor|with_bias", "mtx.mad a3, (a2), 4x4, n=1, transpose"]);
    let out = bench.hart.words(BASE + 0x600, 4);
    assert_eq!(out, [11.0f32, 13.0, 32.0, 62.5].map(f32::to_bits));
    assert_eq!(xphmg::encoding::Shape::from_code(0xB), None); // 3x4
}

/// A shape that MTXCAP does not show is an illegal instruction, and the others are not.
#[test]
fn x67_shapes_can_be_taken_away() {
    for (number, shape) in xphmg::encoding::Shape::ALL.iter().enumerate() {
        let without = format!("mtxcap={:#x}", 0x7F & !(1 << number));
        let mut bench = Bench::new(&[without.as_str()]);
        bench.hart.put_floats(BASE + 0x400, &[1.0; 20]);
        bench.hart.x[11] = BASE + 0x400;
        assert_eq!(bench.read(0x8DF), 0x7F & !(1 << number));
        let load = |shape: &xphmg::encoding::Shape| {
            format!("mtx.ld (a1), {}x{}", shape.rows, shape.columns)
        };
        assert_eq!(bench.trap(&load(shape)).0, Trap::ILLEGAL);
        let others = xphmg::encoding::Shape::ALL.iter().filter(|other| *other != shape);
        let others: Vec<String> = others.map(load).collect();
        bench.ok(&others.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn x58_partial_sums_are_rounded_to_the_accumulator() {
    let mut bench = Bench::new(&[]);
    bench.hart.put_floats(BASE + 0x400, &[1.0, 1.0, 1.0, 1.0]);
    bench.hart.put_floats(BASE + 0x500, &[2048.0, 1.0]);
    bench.hart.x[11] = BASE + 0x400;
    bench.hart.x[12] = BASE + 0x500;
    bench.hart.x[13] = BASE + 0x600;
    for (code, sum) in [(2u64, 2049.0f32), (1, 2048.0)] {
        bench.write(0x7D0, FP32 & !(3 << 22) | code << 22);
        bench.ok(&["mtx.ld (a1), 2x2", "mtx.mul a3, (a2), 2x2, n=1"]);
        assert_eq!(bench.hart.words(BASE + 0x600, 2), [sum.to_bits(); 2]);
    }
    // A store that faults leaves nothing.
    bench.hart.x[13] = 0x1000;
    assert_eq!(bench.trap("mtx.mul a3, (a2), 2x2, n=1"), (Trap::STORE_ACCESS, 0x1000));
}
