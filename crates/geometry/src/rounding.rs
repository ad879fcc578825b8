//! Sums and differences rounded upward or downward.
//!
//! The machine rounds to nearest. The exact error of a sum is recovered with Knuth's two-sum; when
//! it points the wrong way the result steps to the neighbouring `f32`. Results are monotone in both
//! operands, which is what the proofs in [`crate::slab`] need. Overflow gives infinities and an
//! error term of NaN, which never steps.

/// `(s, e)` with `s = fl(a + b)` and `s + e = a + b` exactly, barring overflow.
fn two_sum(a: f32, b: f32) -> (f32, f32) {
    let sum = a + b;
    let b_seen = sum - a;
    let a_seen = sum - b_seen;
    (sum, (a - a_seen) + (b - b_seen))
}

/// The smallest `f32` not below `a + b`.
#[must_use]
pub fn add_up(a: f32, b: f32) -> f32 {
    let (sum, error) = two_sum(a, b);
    if error > 0.0 { sum.next_up() } else { sum }
}

/// The largest `f32` not above `a + b`.
#[must_use]
pub fn add_down(a: f32, b: f32) -> f32 {
    let (sum, error) = two_sum(a, b);
    if error < 0.0 { sum.next_down() } else { sum }
}

/// The smallest `f32` not below `a - b`.
#[must_use]
pub fn sub_up(a: f32, b: f32) -> f32 {
    add_up(a, -b)
}

/// The largest `f32` not above `a - b`.
#[must_use]
pub fn sub_down(a: f32, b: f32) -> f32 {
    add_down(a, -b)
}

/// The smallest `f32` not below `x`.
#[must_use]
pub fn narrow_up(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) < x { near.next_up() } else { near }
}

/// The largest `f32` not above `x`.
#[must_use]
pub fn narrow_down(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) > x { near.next_down() } else { near }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_rational::BigRational;
    use proptest::prelude::*;

    fn exact(x: f32) -> BigRational {
        crate::exact::rational(x)
    }

    proptest! {
        #[test]
        fn directed_sums_bracket_the_exact_one(a in -1e6f32..1e6, b in -1e-3f32..1e3) {
            let sum = exact(a) + exact(b);
            let (down, up) = (add_down(a, b), add_up(a, b));
            prop_assert!(exact(down) <= sum && sum <= exact(up));
            prop_assert!(up == down || up == down.next_up());
        }

        #[test]
        fn narrowing_brackets(x in any::<f64>().prop_filter("in range", |x| x.abs() < 1e38)) {
            prop_assert!(f64::from(narrow_down(x)) <= x && x <= f64::from(narrow_up(x)));
        }
    }

    #[test]
    fn exact_sums_do_not_move() {
        assert_eq!(add_up(1.5, 2.25), 3.75);
        assert_eq!(sub_down(1.5, 2.25), -0.75);
        assert_eq!(add_up(f32::MAX, f32::MAX), f32::INFINITY);
        assert_eq!(add_up(1.0, f32::from_bits(1)), 1.0f32.next_up());
        assert_eq!(add_down(1.0, f32::from_bits(1)), 1.0);
    }
}
