//! Exact numbers of any size: `digits * 2^exponent`, which is what floats are.
//!
//! Sums and products are exact whatever the degree of a polynomial; quotients are not needed, since
//! fractions are compared by cross multiplication. Slower than expansions, which end at degree 6.

use crate::half_lines::{Exact, Number};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::cmp::Ordering;

/// An exact number.
#[derive(Debug, Clone)]
pub(crate) struct Dyadic {
    digits: BigInt,
    exponent: i32,
}

impl Dyadic {
    /// The digits of both by the smaller exponent.
    fn aligned(&self, other: &Self) -> (BigInt, BigInt, i32) {
        let exponent = self.exponent.min(other.exponent);
        let shifted = |x: &Self| &x.digits << (x.exponent - exponent);
        (shifted(self), shifted(other), exponent)
    }

    /// Its first 64 digits, and the exponent that belongs to them.
    fn leading(&self) -> (f64, i32) {
        let excess = self.digits.bits() as i32 - 64;
        let kept =
            if excess > 0 { &self.digits >> excess } else { &self.digits << excess.unsigned_abs() };
        (kept.to_f64().unwrap_or(f64::NAN), self.exponent + excess)
    }
}

impl Number for Dyadic {
    fn new(x: f32) -> Self {
        let (bits, magnitude) = (x.abs().to_bits(), x.abs().to_bits() & 0x7F_FFFF);
        let digits = if x.abs() < f32::MIN_POSITIVE { magnitude } else { magnitude | 0x80_0000 };
        let digits = BigInt::from(digits) * if x < 0.0 { -1 } else { 1 };
        Self { digits, exponent: (bits >> 23).max(1) as i32 - 150 }
    }

    fn plus(&self, other: &Self) -> Self {
        let (a, b, exponent) = self.aligned(other);
        Self { digits: a + b, exponent }
    }

    fn minus(&self, other: &Self) -> Self {
        let (a, b, exponent) = self.aligned(other);
        Self { digits: a - b, exponent }
    }

    fn times(&self, other: &Self) -> Self {
        Self { digits: &self.digits * &other.digits, exponent: self.exponent + other.exponent }
    }

    fn min(self, other: Self) -> Self {
        let (a, b, _) = self.aligned(&other);
        if a > b { other } else { self }
    }

    fn sign(&self) -> Option<Ordering> {
        Some(self.digits.cmp(&BigInt::ZERO))
    }
}

impl Exact for Dyadic {
    fn quotient(&self, other: &Self) -> f64 {
        let ((a, a_exponent), (b, b_exponent)) = (self.leading(), other.leading());
        // Beyond these, the quotient is beyond any `f32`.
        let power = (a_exponent - b_exponent).clamp(-1022, 1023);
        a / b * f64::from_bits(((power + 1023) as u64) << 52)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::rational;
    use num_rational::BigRational;
    use num_traits::Pow;
    use proptest::prelude::*;

    fn value(x: &Dyadic) -> BigRational {
        BigRational::from(x.digits.clone()) * BigRational::from(BigInt::from(2)).pow(x.exponent)
    }

    fn finite() -> impl Strategy<Value = f32> {
        any::<u32>().prop_map(f32::from_bits).prop_filter("finite", |x| x.is_finite())
    }

    proptest! {
        #[test]
        fn agrees_with_fractions(x in proptest::array::uniform4(finite())) {
            let ([a, b, c, d], [p, q, r, s]) = (x.map(Dyadic::new), x.map(rational));
            prop_assert_eq!(value(&a), p.clone());
            let mut power = a.minus(&b).times(&c.plus(&d));
            let mut exact = (&p - &q) * (&r + &s);
            for _ in 0..4 {
                (power, exact) = (power.times(&power), &exact * &exact);
            }
            prop_assert_eq!(value(&power.minus(&a)), &exact - &p);
            prop_assert_eq!(power.minus(&a).sign(), Some(exact.cmp(&p)));
            prop_assert_eq!(value(&Number::min(b, c)), q.min(r));
        }

        #[test]
        fn quotients_are_close(x in proptest::array::uniform3(1e-30f32..1e30)) {
            let ([a, b, c], [p, q, r]) = (x.map(Dyadic::new), x.map(rational));
            let quotient = a.times(&b).quotient(&c.times(&c));
            let exact = crate::exact::approximately(&(p * q / (&r * &r)));
            prop_assert!((quotient / exact - 1.0).abs() < 4.0 * f64::EPSILON);
        }
    }
}
