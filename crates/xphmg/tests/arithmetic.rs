//! Numbers against outside truth: `rustc_apfloat` for conversions and operations, exact rationals
//! for boxes and triangles.
//!
//! `rustc_apfloat` is a second opinion on bits. Its flags are not RISC-V's, it keeps the payload of
//! NaNs, and its E4M3 deviates from the IEEE choice on overflow; those are left to the vectors.

#![allow(clippy::unwrap_used)] // also in the helpers, which clippy does not know for tests

use geometry::exact::{line_triangle, ray_box};
use geometry::{Aabb, Ray, Triangle, Vec3};
use num_rational::BigRational;
use proptest::prelude::*;
use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};
use xphmg::instruction::bbox::{BboxOptions, SlabRounding, bbox};
use xphmg::instruction::tri::{TriOptions, tri};
use xphmg::instruction::{RayElements, Verdict};
use xphmg::numeric::{ElementFormat, Rounding, fp32, narrow, widen};
use xphmg::policy::Policy;

fn round_of(mode: Rounding) -> Round {
    match mode {
        Rounding::Rne => Round::NearestTiesToEven,
        Rounding::Rtz => Round::TowardZero,
        Rounding::Rdn => Round::TowardNegative,
        Rounding::Rup => Round::TowardPositive,
        Rounding::Rmm => Round::NearestTiesToAway,
    }
}

fn single(x: f32) -> Single {
    Single::from_bits(x.to_bits().into())
}

/// Every pattern of a small format widens to what the other library says, and comes back.
fn all_patterns<F: Float + FloatConvert<Single>>(format: ElementFormat) {
    let policy = Policy::of_format(format);
    for bits in 0..1u32 << format.bits() {
        let theirs: Single = F::from_bits(bits.into()).convert(&mut false).value;
        let ours = widen(bits, &policy).value;
        if theirs.is_nan() {
            assert!(ours.is_nan(), "{format} {bits:#x}");
            continue;
        }
        assert_eq!(u128::from(ours.to_bits()), theirs.to_bits(), "{format} {bits:#x}");
        let back = narrow(ours, &policy);
        assert_eq!((back.bits, back.raised), (bits, Default::default()), "{format} {bits:#x}");
    }
}

#[test]
fn every_pattern_of_the_small_formats_is_exact() {
    all_patterns::<Half>(ElementFormat::Fp16);
    all_patterns::<BFloat>(ElementFormat::Bf16);
    all_patterns::<Float8E5M2>(ElementFormat::E5M2);
    all_patterns::<Float8E4M3FN>(ElementFormat::E4M3);
}

/// Every midpoint between neighbours, and its own neighbours, in every mode.
fn around_every_boundary<F: Float>(format: ElementFormat)
where
    Single: FloatConvert<F>,
{
    let policy = Policy::of_format(format);
    let top = format.float_layout().unwrap().largest_finite() as u32;
    for bits in 0..top {
        let (low, high) = (widen(bits, &policy).value, widen(bits + 1, &policy).value);
        let middle = ((f64::from(low) + f64::from(high)) / 2.0) as f32;
        for value in [middle.next_down(), middle, middle.next_up(), low.next_up()] {
            for value in [value, -value] {
                for mode in Rounding::ALL {
                    let theirs: F = single(value).convert_r(round_of(mode), &mut false).value;
                    let ours = narrow(value, &Policy { rounding: mode, ..policy }).bits;
                    assert_eq!(u128::from(ours), theirs.to_bits(), "{value:e} {format} {mode}");
                }
            }
        }
    }
}

#[test]
fn narrowing_agrees_around_every_boundary() {
    around_every_boundary::<Half>(ElementFormat::Fp16);
    around_every_boundary::<BFloat>(ElementFormat::Bf16);
    around_every_boundary::<Float8E5M2>(ElementFormat::E5M2);
    around_every_boundary::<Float8E4M3FN>(ElementFormat::E4M3);
}

/// Finite numbers of all magnitudes, with neighbours of interesting ones.
fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<u32>().prop_map(f32::from_bits).prop_filter("finite", |x| x.is_finite()),
        -8f32..8.0,
        (0u32..4, -140i32..127).prop_map(|(n, e)| n as f32 * 2f32.powi(e)),
        (0u32..0x0100_0000).prop_map(f32::from_bits),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn operations_are_rounded_once(a in number(), b in number()) {
        for mode in Rounding::ALL {
            let round = round_of(mode);
            let theirs = [
                single(a).add_r(single(b), round).value,
                single(a).sub_r(single(b), round).value,
                single(a).mul_r(single(b), round).value,
                single(a).div_r(single(b), round).value,
            ];
            let ours = [
                fp32::add(mode, a, b),
                fp32::sub(mode, a, b),
                fp32::mul(mode, a, b),
                fp32::div(mode, a, b),
            ];
            for (k, (ours, theirs)) in ours.into_iter().zip(theirs).enumerate() {
                if theirs.is_nan() {
                    prop_assert!(ours.is_nan());
                } else {
                    prop_assert_eq!(u128::from(ours.to_bits()), theirs.to_bits(), "{} of {:e} {:e} \
                        {}", k, a, b, mode);
                }
            }
        }
    }

    #[test]
    fn edge_functions_in_fp64_are_rounded_twice(
        a in number(),
        b in number(),
        c in number(),
        d in number(),
    ) {
        let double = |x: f32| -> Double { single(x).convert(&mut false).value };
        for mode in Rounding::ALL {
            let round = round_of(mode);
            let left = double(a).mul_r(double(b), round).value;
            let right = double(c).mul_r(double(d), round).value;
            let difference = left.sub_r(right, round).value;
            let theirs: Single = difference.convert_r(round, &mut false).value;
            let ours = fp32::product_difference_wide(mode, [a, b], [c, d]);
            prop_assert_eq!(u128::from(ours.to_bits()), theirs.to_bits(), "{}", mode);
        }
    }
}

fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![-20f32..20.0, (-12i32..12).prop_map(|n| n as f32), -1e-3f32..1e3]
}

fn vector() -> impl Strategy<Value = [f32; 3]> {
    [coordinate(), coordinate(), coordinate()]
}

fn elements(origin: [f32; 3], direction: [f32; 3], tmin: f32, tmax: f32) -> RayElements {
    RayElements { origin, direction, tmin, tmax }
}

fn rational(x: f32) -> BigRational {
    geometry::exact::rational(x)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// The conservative box test accepts whatever the exact ray meets, and everything that RT.BBOX
    /// accepts; its interval contains the exact one.
    #[test]
    fn conservative_boxes_lose_nothing(
        origin in vector(), direction in vector(), a in vector(), b in vector(),
        aimed in any::<bool>(), at in (0f32..1.0, 0f32..1.0),
    ) {
        let (min, max) = (Vec3::from(a).min(b.into()), Vec3::from(a).max(b.into()));
        // Half of the rays graze an edge of the box.
        let edge = Vec3::new(min.x, min.y + (max.y - min.y) * at.0, max.z);
        let direction = if aimed { edge - Vec3::from(origin) } else { direction.into() };
        prop_assume!(direction != Vec3::ZERO);
        let ray = Ray::new(origin.into(), direction).between(0.0, 1e4);
        let bounds = Aabb::new(min, max);
        let elements = elements(origin, direction.to_array(), 0.0, 1e4);
        let test = |rounding| {
            let options = BboxOptions { rounding, clamp: true, w: None };
            bbox(&elements, min.to_array(), max.to_array(), &options)
        };
        let conservative = test(SlabRounding::Conservative);
        if let Some((enter, exit)) = ray_box(&ray, &bounds) {
            let Verdict::Hit([near, far]) = conservative else {
                return Err(TestCaseError::fail("the exact ray meets the box"));
            };
            prop_assert!(rational(near) <= enter && exit.unwrap() <= rational(far));
        }
        for mode in Rounding::ALL {
            if matches!(test(SlabRounding::Mode(mode)), Verdict::Hit(_)) {
                prop_assert!(matches!(conservative, Verdict::Hit(_)), "{}", mode);
            }
        }
    }

    /// Away from edges RT.TRI agrees with exact arithmetic, in every rounding mode.
    #[test]
    fn triangles_agree_with_exact_arithmetic(
        origin in vector(),
        a in vector(),
        b in vector(),
        c in vector(),
        weights in (0.02f32..0.96, 0.02f32..0.96),
    ) {
        let triangle = Triangle::new(a.into(), b.into(), c.into());
        let (u, v) = if weights.0 + weights.1 > 0.98 {
            (0.98 - weights.0, 0.98 - weights.1)
        } else {
            weights
        };
        let [v0, v1, v2] = triangle.vertices;
        let target = v0 + (v1 - v0) * u + (v2 - v0) * v;
        let direction = target - Vec3::from(origin);
        // Near edge-on triangles and far ones are noise by nature.
        let normal = (v1 - v0).cross(v2 - v0);
        prop_assume!(direction.dot(normal).abs() > 1e-2 * direction.length() * normal.length());
        prop_assume!(normal.length() > 1e-2 * direction.length());
        // How far a chain of roundings may move the weights and t: the products have the size of
        // reach times edge, and are divided by the area that the ray sees.
        let distances = triangle.vertices.map(|v| (v - Vec3::from(origin)).length());
        let reach = distances.into_iter().fold(0.0, f32::max);
        let edge = (v1 - v0).length().max((v2 - v0).length()).max((v2 - v1).length());
        let seen = direction.dot(normal).abs() / direction.length();
        let weight_error = 64.0 * 0.5f32.powi(24) * reach * edge / seen;
        let t_error = weight_error * (edge / direction.length()).max(1.0);
        let exact = line_triangle(&Ray::new(origin.into(), direction), &triangle);
        for rounding in Rounding::ALL {
            for watertight in [true, false] {
                let options = TriOptions { rounding, cull_back: false, epsilon: 0.0, watertight };
                let ray = elements(origin, direction.to_array(), -1e4, 1e4);
                let found = tri(&ray, [a, b, c], &options);
                let Some(exact) = &exact else { continue };
                let (low, high) = (rational(weight_error), rational(1.0 - weight_error));
                let near_edge = |w: &BigRational| *w < low || *w > high;
                let third = rational(1.0) - &exact.u - &exact.v;
                if [&exact.u, &exact.v, &third].into_iter().any(near_edge) {
                    continue;
                }
                let Verdict::Hit(values) = found.verdict else {
                    return Err(TestCaseError::fail(format!("missed in {rounding}")));
                };
                prop_assert_eq!(found.back, !exact.front);
                let weights = [(&exact.u, weight_error), (&exact.v, weight_error)];
                let truths = [(&exact.t, t_error), weights[0], weights[1]];
                for (value, (truth, error)) in values.into_iter().zip(truths) {
                    let off = rational(value) - truth;
                    prop_assert!(
                        off < rational(error) && off > rational(-error),
                        "{} {}: {} against {}", rounding, watertight, value, truth
                    );
                }
            }
        }
    }
}

/// Two triangles that share an edge never both miss a ray through it, in all five modes.
#[test]
fn shared_edges_have_no_gap() {
    let mut state = 12345u64;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32 * 2.0 - 1.0
    };
    for _ in 0..20_000 {
        let mut point = || [random(), random(), random()];
        let (a, b, origin) = (point(), point(), point());
        let (left, right) = (point(), point());
        let s = random() * 0.5 + 0.5;
        let target: [f32; 3] = std::array::from_fn(|k| a[k] + (b[k] - a[k]) * s);
        let direction: [f32; 3] = std::array::from_fn(|k| target[k] - origin[k]);
        let ray = elements(origin, direction, -1e6, 1e6);
        // The neighbours must lie on both sides of the plane through the ray and the edge.
        let along = Vec3::from(direction).cross(Vec3::from(b) - Vec3::from(a));
        let side = |p: [f32; 3]| (Vec3::from(p) - Vec3::from(a)).dot(along);
        if side(left) * side(right) > -1e-3 {
            continue;
        }
        for rounding in Rounding::ALL {
            let options = TriOptions { rounding, cull_back: false, epsilon: 0.0, watertight: true };
            let hit = |third| matches!(tri(&ray, [a, b, third], &options).verdict, Verdict::Hit(_));
            let near_ends = !(0.01..0.99).contains(&s);
            assert!(hit(left) || hit(right) || near_ends, "{rounding}");
        }
    }
}
