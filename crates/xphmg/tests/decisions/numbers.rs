//! Numbers.

use super::hart::{Bench, EDGED, FP32, OPERAND, RAY, grazing_rays};
use xphmg::flags::{Exceptions, Raised, Stickies};
use xphmg::numeric::{ElementFormat, Narrowed, Rounding, narrow};
use xphmg::policy::Policy;

const FP16: u64 = 0x809A_0000;
const STAT: u16 = 0x7D2;

fn half(bench: &mut Bench, address: u64, elements: &[u16]) {
    let bytes: Vec<u8> = elements.iter().flat_map(|element| element.to_le_bytes()).collect();
    bench.hart.put(address, &bytes);
}

#[test]
fn x16_only_narrowing_is_inexact() {
    let mut bench = Bench::new(&[]);
    bench.hart.put_floats(RAY, &[0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 16.0]);
    bench.ok(&["rt.bbox a1, (a0)"]); // 4/3 and 8/3 in FP32
    assert_eq!((bench.read(0x7D4), bench.read(STAT) >> 12 & 0xF), (0, 0));
    bench.write(0x7D0, FP16);
    half(&mut bench, RAY, &[0, 0, 0, 0, 0, 0x4200, 0, 0x4C00]);
    half(&mut bench, OPERAND, &[0xBC00, 0xBC00, 0x4400, 0x3C00, 0x3C00, 0x4800]);
    bench.ok(&["rt.bbox a1, (a0), pred_only"]);
    assert_eq!(bench.read(0x7D4), 0); // nothing is narrowed
    bench.ok(&["rt.bbox a1, (a0)"]);
    assert_eq!((bench.read(0x7D4), bench.read(STAT) >> 14 & 1), (1, 1));
}

/// Result, exceptions and stickies of every row of the specification's table, and of the steps that
/// it leaves out.
#[test]
fn x19_results_are_rounded_saturated_and_flushed_in_this_order() {
    use ElementFormat::{E4M3, E5M2, Fp16, Fp32};
    use Rounding::{Rdn, Rmm, Rne, Rtz, Rup};
    let (of, uf, nx) = (Exceptions::OF, Exceptions::UF, Exceptions::NX);
    let (none, quiet) = (Exceptions::empty(), Stickies::empty());
    let tiny = 2f32.powi(-14);
    let cases = [
        (65520.0, Fp16, Rne, "", 0x7C00, of | nx, quiet),
        (65520.0, Fp16, Rtz, "", 0x7BFF, nx, quiet),
        (65536.0, Fp16, Rtz, "", 0x7BFF, of | nx, quiet),
        (65536.0, Fp16, Rne, "sat", 0x7BFF, nx, Stickies::SAT_HIT),
        (464.0, E4M3, Rne, "", 0x7E, nx, quiet),
        (464.0, E4M3, Rmm, "", 0x7F, of | nx, quiet),
        (-456.0, E4M3, Rdn, "", 0x7F, of | nx, quiet),
        (480.0, E4M3, Rtz, "", 0x7E, of | nx, quiet),
        (61440.0, E5M2, Rne, "", 0x7C, of | nx, quiet),
        (-65536.0, Fp16, Rup, "", 0xFBFF, of | nx, quiet),
        (f32::NEG_INFINITY, Fp16, Rne, "", 0xFC00, none, quiet),
        (f32::NEG_INFINITY, Fp32, Rne, "sat", 0xFF7F_FFFF, nx, Stickies::SAT_HIT),
        (f32::INFINITY, E4M3, Rne, "", 0x7F, of | nx, quiet),
        (tiny - 2f32.powi(-25), Fp16, Rne, "", 0x0400, uf | nx, quiet),
        (tiny - 2f32.powi(-26), Fp16, Rne, "", 0x0400, nx, quiet),
        (-tiny / 2.0, Fp16, Rne, "", 0x8200, none, quiet),
        (-tiny / 2.0, Fp16, Rne, "ftz", 0x8000, uf | nx, Stickies::FTZ_HIT),
        (-2f32.powi(-30), Fp16, Rne, "ftz", 0x8000, uf | nx, quiet),
        (f32::from_bits(0x7F80_0001), Fp16, Rne, "", 0x7E00, Exceptions::NV, quiet),
        (f32::NAN, Fp16, Rne, "sat", 0x7E00, none, quiet),
    ];
    for (value, format, rounding, switch, bits, exceptions, stickies) in cases {
        let (saturate, flush) = (switch == "sat", switch == "ftz");
        let policy = Policy { rounding, saturate, flush, ..Policy::of_format(format) };
        let expected = Narrowed { bits, raised: Raised { exceptions, stickies } };
        assert_eq!(narrow(value, &policy), expected, "{value:e} {format} {rounding} {switch}");
    }
}

#[test]
fn x20_subnormal_elements_are_flushed_and_intermediates_are_not() {
    let mut bench = Bench::new(&[]);
    // d = 2^-130: with the flush the direction is zero on every axis, and the origin lies outside.
    bench.hart.put_floats(RAY, &[0.0, 0.0, 0.0, 0.0, 0.0, 2f32.powi(-130), 0.0, f32::INFINITY]);
    bench.ok(&["rt.bbox a1, (a0)"]);
    assert_eq!(bench.hart.x[11], 1);
    bench.write(0x7D0, FP32 | 1 << 26);
    bench.ok(&["rt.bbox a1, (a0)"]);
    assert_eq!((bench.hart.x[11], bench.read(STAT) >> 12 & 1), (0, 1));
    // The difference 2^-127 of two normal numbers is no element.
    let (a, b) = (1.5 * 2f32.powi(-126), 2f32.powi(-126));
    bench.hart.put_floats(RAY, &[0.0, 0.0, b, 0.0, 0.0, b, 0.0, 1.0]);
    bench.hart.put_floats(OPERAND, &[-1.0, -1.0, a, 1.0, 1.0, 1.0]);
    bench.write(0x7D0, FP32 | 1 << 26);
    bench.ok(&["rt.bbox a1, (a0)"]);
    assert_eq!((bench.floats(12, 1), bench.read(STAT) >> 12 & 1), (vec![0.5], 0));
}

#[test]
fn x21_the_direction_of_the_scale_can_be_turned() {
    for (reading, near) in [("scale_sh=real_is_q_times", 2), ("scale_sh=real_is_q_over", 32)] {
        let mut bench = Bench::new(&[reading]);
        bench.write(0x7D0, 0x8280_0000); // INT8, Q
        bench.write(0x7D1, 1 << 63 | 1 << 30 | 2 << 9); // 2^2
        // o = 0, d = 1 step, box from 2 to 4 steps: t counts directions, and is quantised again.
        bench.hart.put(RAY, &[0, 0, 0, 0, 0, 1, 0, 127]);
        bench.hart.put(OPERAND, &[0xFF, 0xFF, 8, 1, 1, 16]);
        bench.ok(&["rt.bbox a1, (a0)"]);
        assert_eq!(bench.hart.x[12], near, "{reading}");
    }
}

#[test]
fn x22_the_accumulator_has_no_effect_on_rt() {
    let results = [0u64, 1, 2, 3].map(|code| {
        let mut bench = Bench::new(&[]).with_triangle();
        bench.write(0x7D0, FP32 & !(3 << 22) | code << 22);
        bench.hart.put_floats(RAY, &[0.3, 0.4, 0.0, 0.1, 0.05, 0.7, 0.0, 16.0]);
        bench.ok(&["rt.tri a1, (a0)"]);
        bench.floats(12, 3)
    });
    assert!(results.iter().all(|values| *values == results[0]));
}

#[test]
fn x27_the_published_box_test_loses_grazing_rays_and_the_conservative_one_does_not() {
    let hit = |reading: &str, ray: &[f32; 8]| {
        let mut bench = Bench::new(&[reading]);
        bench.hart.put_floats(RAY, ray);
        bench.hart.put_floats(OPERAND, &EDGED);
        bench.ok(&["rt.bbox a1, (a0), pred_only"]);
        bench.read(0x8AA) == 1
    };
    let mut lost = 0;
    for ray in grazing_rays() {
        assert!(hit("bbox_rounding=conservative", &ray));
        lost += usize::from(!hit("bbox_rounding=mode", &ray));
    }
    assert!(lost > 0);
}

#[test]
fn x28_w_is_a_ninth_element() {
    let mut bench = Bench::new(&[]);
    for (w, hit) in [(0.0, 0), (-0.0, 0), (2.0, 1)] {
        bench.hart.put_floats(RAY + 32, &[w]);
        bench.ok(&["rt.bbox a1, (a0), w_guard"]);
        assert_eq!(bench.hart.x[11], hit);
        bench.ok(&["rt.bbox a1, (a0)"]);
        assert_eq!(bench.hart.x[11], 1);
    }
}

#[test]
fn x29_u_and_v_are_the_weights_of_v1_and_v2_in_both_algorithms() {
    for rtcap in ["rtcap=0x3F", "rtcap=0x3B"] {
        let mut bench = Bench::new(&[rtcap]).with_triangle();
        bench.ok(&["rt.tri a1, (a0)"]);
        assert_eq!((bench.hart.x[11], bench.floats(12, 3)), (1, vec![4.0, 0.5, 0.25]), "{rtcap}");
    }
}

#[test]
fn x30_front_is_counter_clockwise_as_seen_from_the_origin() {
    let mut bench = Bench::new(&[]).with_triangle();
    bench.ok(&["rt.tri a1, (a0), cull_back"]);
    assert_eq!(bench.hart.x[11], 1);
    bench.hart.put_floats(RAY, &[0.25, 0.5, 8.0, 0.0, 0.0, -1.0, 0.0, 16.0]);
    bench.ok(&["rt.tri a1, (a0), cull_back"]);
    assert_eq!(bench.hart.x[11], 0);
    bench.ok(&["rt.tri a1, (a0)"]);
    assert_eq!((bench.hart.x[11], bench.floats(12, 3)), (1, vec![4.0, 0.5, 0.25]));
}

#[test]
fn x31_the_interval_is_closed() {
    for (tmin, tmax, hit) in
        [(4.0, 4.0, 1), (4.0, 9.0, 1), (0.0, 4.0, 1), (4.0f32.next_up(), 9.0, 0), (5.0, 3.0, 0)]
    {
        let mut bench = Bench::new(&[]).with_triangle();
        bench.hart.put_floats(RAY + 24, &[tmin, tmax]);
        bench.ok(&["rt.tri a1, (a0)"]);
        assert_eq!(bench.hart.x[11], hit, "{tmin} {tmax}");
    }
}

#[test]
fn x32_epsilon_counts_units_of_the_format() {
    let mut bench = Bench::new(&[]).with_triangle();
    bench.hart.put_floats(RAY + 24, &[4.0 - 4.0 * f32::EPSILON]);
    bench.ok(&["rt.tri a1, (a0), eps_ctl"]);
    assert_eq!(bench.hart.x[11], 1); // N = 0
    bench.write(0x8A0, 4 << 8); // EPS_DFLT
    bench.ok(&["rt.tri a1, (a0), eps_ctl"]);
    assert_eq!(bench.hart.x[11], 1); // 4 units reach t exactly
    bench.write(0x8A7, 8); // EPS_SCALE
    bench.ok(&["rt.tri a1, (a0), eps_ctl"]);
    assert_eq!(bench.hart.x[11], 0);
    bench.ok(&["rt.tri a1, (a0)"]);
    assert_eq!(bench.hart.x[11], 1);
}
