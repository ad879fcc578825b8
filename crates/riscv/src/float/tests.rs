//! Against rustc_apfloat (a port of LLVM's) in every mode, and against the host's own arithmetic.

use super::*;
use proptest::prelude::*;
use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, FloatConvert, Round, Status, StatusAnd};
use xphmg::numeric::Rounding;

const MODES: [(Rounding, Round); 5] = [
    (Rounding::Rne, Round::NearestTiesToEven),
    (Rounding::Rtz, Round::TowardZero),
    (Rounding::Rdn, Round::TowardNegative),
    (Rounding::Rup, Round::TowardPositive),
    (Rounding::Rmm, Round::NearestTiesToAway),
];

/// Numbers where something happens: near the ends of the range, short fractions, and anything.
fn nasty(format: Format) -> impl Strategy<Value = u64> {
    let width = format.sign().trailing_zeros() + 1;
    let all = u64::MAX >> (64 - width);
    let near =
        |centre: u64| (0..9_u64).prop_map(move |step| centre.wrapping_add(step).wrapping_sub(4));
    let one = (format.infinity(false) / 2) & !((1 << format.layout().fraction_bits) - 1);
    let magnitude = prop_oneof![
        any::<u64>(),
        near(0),
        near(one),
        near(format.infinity(false)),
        near(1 << format.layout().fraction_bits),
        any::<u64>().prop_map(move |bits| bits & !((1 << (format.layout().fraction_bits - 3)) - 1)),
    ];
    (magnitude, any::<bool>())
        .prop_map(move |(bits, negative)| (bits & all & !format.sign()) | format.zero(negative))
}

/// The second opinion differs knowingly: NaNs keep their payload; overflow to the largest number is
/// not called overflow; a tiny number delivered as the smallest normal one is not called underflow.
/// A comparison of the other flags, and of OF and UF where it reports them, is left.
fn agree(format: Format, ours: (u64, u8), theirs: StatusAnd<u128>, what: &str) {
    let their_bits = theirs.value as u64;
    if format.is_nan(their_bits) {
        assert_eq!(ours.0, format.nan(), "{what}");
    } else {
        assert_eq!(ours.0, their_bits, "{what}: {:#x} against {their_bits:#x}", ours.0);
    }
    let has = |status: Status, flag: u8| if theirs.status.contains(status) { flag } else { 0 };
    let sure =
        has(Status::INVALID_OP, NV) | has(Status::DIV_BY_ZERO, DZ) | has(Status::INEXACT, NX);
    let partly = has(Status::OVERFLOW, OF) | has(Status::UNDERFLOW, UF);
    assert_eq!(ours.1 & (NV | DZ | NX), sure, "{what}: flags {:#x}", ours.1);
    assert_eq!(ours.1 & partly, partly, "{what}: flags {:#x}", ours.1);
}

macro_rules! against_apfloat {
    ($name:ident, $format:expr, $type:ty) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(4000))]
            #[test]
            fn $name(a in nasty($format), b in nasty($format), c in nasty($format)) {
                let of = |bits: u64| <$type>::from_bits(u128::from(bits));
                let bits = |result: StatusAnd<$type>| result.map(|value| value.to_bits());
                let signalling_operand = [a, b].iter().any(|bits| $format.signals(*bits));
                for (ours, theirs) in MODES {
                    let what = format!("{a:#x} {b:#x} {c:#x} {ours:?}");
                    let sum = of(a).add_r(of(b), theirs);
                    // LLVM's sums and products of signalling NaNs are invalid too, as here.
                    agree($format, add($format, a, b, ours), bits(sum), &format!("add {what}"));
                    let product = of(a).mul_r(of(b), theirs);
                    agree($format, multiply($format, a, b, ours), bits(product), &format!("mul \
{what}"));
                    let quotient = of(a).div_r(of(b), theirs);
                    agree($format, divide($format, a, b, ours), bits(quotient), &format!("div \
{what}"));
                    if !signalling_operand && !$format.is_nan(c) {
                        let fused = of(a).mul_add_r(of(b), of(c), theirs);
                        let ours = fused_multiply_add($format, [a, b, c], ours);
                        agree($format, ours, bits(fused), &format!("fma {what}"));
                    }
                }
            }
        }
    };
}

against_apfloat!(singles_match_another_library, Format::Single, Single);
against_apfloat!(doubles_match_another_library, Format::Double, Double);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn conversions_match_another_library(
        wide in nasty(Format::Double),
        narrow in nasty(Format::Single),
    ) {
        for (ours, theirs) in MODES {
            let mut loses = false;
            let single: StatusAnd<Single> =
                Double::from_bits(u128::from(wide)).convert_r(theirs, &mut loses);
            if !Format::Double.is_nan(wide) {
                let what = format!("{wide:#x} {ours:?}");
                agree(Format::Single, to_single(wide, ours), single.map(|it| it.to_bits()), &what);
            }
            let range = (i128::from(i64::MIN), i128::from(i64::MAX));
            let mut exact = false;
            let integer = Double::from_bits(u128::from(wide)).to_i128_r(64, theirs, &mut exact);
            let (value, flags) = to_integer(Format::Double, wide, ours, range);
            if integer.status.contains(Status::INVALID_OP) {
                prop_assert_eq!(flags, NV);
            } else {
                prop_assert_eq!(value, integer.value);
                prop_assert_eq!(flags != 0, integer.status.contains(Status::INEXACT));
            }
            let back = from_integer(Format::Single, i128::from(wide as i64), ours).0;
            let expected = Single::from_i128_r(i128::from(wide as i64), theirs).value.to_bits();
            prop_assert_eq!(u128::from(back), expected);
        }
        if !Format::Single.is_nan(narrow) {
            let host = f64::from(f32::from_bits(narrow as u32)).to_bits();
            prop_assert_eq!(to_double(narrow), (host, 0));
        }
    }

    #[test]
    fn roots_match_the_host_and_bracket_the_exact_one(
        bits in nasty(Format::Double),
        narrow in nasty(Format::Single),
    ) {
        let (root, _) = square_root(Format::Double, bits, Rounding::Rne);
        let host = f64::from_bits(bits).sqrt();
        prop_assert_eq!(root, if host.is_nan() { Format::Double.nan() } else { host.to_bits() });
        let (root, _) = square_root(Format::Single, narrow, Rounding::Rne);
        let host = f32::from_bits(narrow as u32).sqrt();
        let host = if host.is_nan() { Format::Single.nan() as u32 } else { host.to_bits() };
        prop_assert_eq!(root as u32, host);
        // Singles have exact squares in doubles: the directed roots enclose the argument.
        let value = f64::from(f32::from_bits(narrow as u32));
        if value > 0.0 && value.is_finite() {
            let squared = |mode| {
                let bits = square_root(Format::Single, narrow, mode).0;
                let root = f64::from(f32::from_bits(bits as u32));
                root * root
            };
            let (down, up) = (squared(Rounding::Rdn), squared(Rounding::Rup));
            prop_assert!(down <= value && value <= up);
            prop_assert_eq!(square_root(Format::Single, narrow, Rounding::Rdn).1 != 0, down != up);
        }
    }

    #[test]
    fn comparisons_match_the_host(a in nasty(Format::Double), b in nasty(Format::Double)) {
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        prop_assert_eq!(equal(Format::Double, a, b).0, x == y);
        prop_assert_eq!(less(Format::Double, a, b).0, x < y);
        prop_assert_eq!(less_or_equal(Format::Double, a, b).0, x <= y);
        if !x.is_nan() && !y.is_nan() {
            let larger = if x > y || (x == y && x.is_sign_positive()) { a } else { b };
            prop_assert_eq!(maximum(Format::Double, a, b), (larger, 0));
            let smaller = if x < y || (x == y && x.is_sign_negative()) { a } else { b };
            prop_assert_eq!(minimum(Format::Double, a, b), (smaller, 0));
        }
    }
}

#[test]
fn underflow_is_judged_after_rounding() {
    // 2^-126 − 2^-150 rounds to 2^-126 even with an unbounded exponent only if it is near enough.
    let three_quarters = to_single((2_f64.powi(-126) - 2_f64.powi(-150)).to_bits(), Rounding::Rne);
    assert_eq!(three_quarters, (1 << 23, UF | NX));
    let closer = to_single((2_f64.powi(-126) - 2_f64.powi(-152)).to_bits(), Rounding::Rne);
    assert_eq!(closer, (1 << 23, NX));
}
