//! Exact sums of `f64` (Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997).
//!
//! A number is kept as a sum of floats that do not overlap, smallest first. Sums and products are
//! exact as long as no term over- or underflows: polynomials up to degree 6 in `f32` values
//! are safe, since their terms are multiples of `2^-894` below `2^800`.

use crate::rounding::{narrow_down, narrow_up};
use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

/// An exact number.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Expansion {
    /// Increasing in magnitude, not overlapping, none of them zero.
    terms: Vec<f64>,
}

impl Expansion {
    /// The sign of the exact value: that of the largest term.
    pub(crate) fn sign(&self) -> Ordering {
        let largest = self.terms.last().copied().unwrap_or(0.0);
        largest.total_cmp(&0.0)
    }

    /// The value, off by less than two units of the last place.
    pub(crate) fn approximate(&self) -> f64 {
        self.terms.iter().sum()
    }

    /// The smallest `f32` that is not below the value.
    pub(crate) fn round_up(&self) -> f32 {
        let near = narrow_up(self.approximate());
        self.step(near, Ordering::Less, f32::next_up)
    }

    /// The largest `f32` that is not above the value.
    pub(crate) fn round_down(&self) -> f32 {
        let near = narrow_down(self.approximate());
        self.step(near, Ordering::Greater, f32::next_down)
    }

    /// `near`, stepped while it lies on the wrong side; the approximation is at most one step off.
    fn step(&self, near: f32, wrong: Ordering, next: fn(f32) -> f32) -> f32 {
        let is_wrong = near.is_finite() && (&Self::from(near) - self).sign() == wrong;
        if is_wrong { next(near) } else { near }
    }

    /// Adds one float.
    fn grow(&mut self, addend: f64) {
        let mut carried = addend;
        let mut kept = 0;
        for index in 0..self.terms.len() {
            let (sum, error) = two_sum(carried, self.terms[index]);
            if error != 0.0 {
                self.terms[kept] = error;
                kept += 1;
            }
            carried = sum;
        }
        self.terms.truncate(kept);
        if carried != 0.0 {
            self.terms.push(carried);
        }
    }
}

impl From<f32> for Expansion {
    fn from(x: f32) -> Self {
        Self { terms: if x == 0.0 { Vec::new() } else { vec![f64::from(x)] } }
    }
}

impl Add for &Expansion {
    type Output = Expansion;

    fn add(self, other: Self) -> Expansion {
        let mut sum = self.clone();
        other.terms.iter().for_each(|&term| sum.grow(term));
        sum
    }
}

impl Sub for &Expansion {
    type Output = Expansion;

    fn sub(self, other: Self) -> Expansion {
        let mut difference = self.clone();
        other.terms.iter().for_each(|&term| difference.grow(-term));
        difference
    }
}

impl Mul for &Expansion {
    type Output = Expansion;

    fn mul(self, other: Self) -> Expansion {
        let mut product = Expansion::default();
        for &a in &self.terms {
            for &b in &other.terms {
                let high = a * b;
                product.grow(a.mul_add(b, -high));
                product.grow(high);
            }
        }
        product
    }
}

/// `(s, e)` with `s = fl(a + b)` and `s + e = a + b` exactly (Knuth).
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_seen = sum - a;
    let a_seen = sum - b_seen;
    (sum, (a - a_seen) + (b - b_seen))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::rational;
    use num_rational::BigRational;
    use num_traits::Zero;
    use proptest::prelude::*;

    fn value(expansion: &Expansion) -> BigRational {
        let terms = expansion.terms.iter().map(|&x| BigRational::from_float(x).unwrap());
        terms.fold(BigRational::zero(), |sum, term| sum + term)
    }

    fn finite() -> impl Strategy<Value = f32> {
        any::<u32>().prop_map(f32::from_bits).prop_filter("finite", |x| x.is_finite())
    }

    proptest! {
        /// Any finite floats, of any exponents: degree 6 is exact.
        #[test]
        fn polynomials_are_exact(x in proptest::array::uniform6(finite())) {
            let [a, b, c, d, e, f] = x.map(Expansion::from);
            let [p, q, r, s, t, u] = x.map(rational);
            let cubic = |a: &Expansion, b: &Expansion, c: &Expansion| &(&(a - b) * &(b + c)) * c;
            let both = &(&cubic(&a, &b, &c) * &cubic(&d, &e, &f)) - &cubic(&a, &e, &d);
            let left = (&p - &q) * (&q + &r) * &r * ((&s - &t) * (&t + &u) * &u);
            let exact = left - (&p - &t) * (&t + &s) * &s;
            prop_assert_eq!(value(&both), exact.clone());
            prop_assert_eq!(both.sign(), exact.cmp(&BigRational::zero()));
        }

        #[test]
        fn rounding_is_directed_and_tight(a in -1e9f32..1e9, b in -1e3f32..1e3, c in finite()) {
            let number = &(&Expansion::from(a) * &Expansion::from(b)) + &Expansion::from(c * 1e-20);
            let (down, up) = (number.round_down(), number.round_up());
            let exact = value(&number);
            prop_assert!(rational(down) <= exact && exact <= rational(up));
            prop_assert!(up == down || up == down.next_up());
        }
    }
}
