//! Systems of half-lines `slope * t >= need`, decided exactly.
//!
//! Two convex bodies in linear motion overlap at `t` if and only if no axis of a finite set
//! separates them, and on each axis that is one linear inequality in `t`. A test lists its
//! inequalities once, for any [`Number`]: first as floats with error bounds, which settles nearly
//! every case, and if that leaves a doubt in exact numbers: expansions, or `Dyadic` ones where
//! the products of a test are too many for them.

use crate::expansion::{Expansion, two_sum};
use crate::rounding::{narrow_down, narrow_up};
use std::cmp::Ordering;

/// Numbers in which a test lists its inequalities.
pub(crate) trait Number: Clone {
    fn new(x: f32) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    fn min(self, other: Self) -> Self;
    /// `None` if the error leaves it open.
    fn sign(&self) -> Option<Ordering>;

    fn max(self, other: Self) -> Self {
        self.negated().min(other.negated()).negated()
    }

    fn negated(&self) -> Self {
        Self::new(0.0).minus(self)
    }
}

/// A test that lists its inequalities.
pub(crate) trait System {
    /// The exact numbers that its products fit into.
    type Exact: Exact;

    /// Hands every inequality `slope * t >= need` to `add(need, slope)`. `None` if the numbers
    /// leave open which inequalities there are.
    fn for_each_constraint<N: Number>(&self, add: &mut dyn FnMut(N, N)) -> Option<()>;
}

/// Bounds of the exact set of parameters, which is not empty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Range {
    /// Not above the exact first parameter, and less than two units of the last place below it.
    pub(crate) first: f32,
    /// Not below the exact last parameter; infinite if there is none.
    pub(crate) last: f32,
}

/// Numbers without error.
pub(crate) trait Exact: Number {
    /// The quotient of two, off by a few units of `f64`.
    fn quotient(&self, other: &Self) -> f64;
}

/// Whether some `t` in `[tmin, tmax]` satisfies every inequality, and which range does.
pub(crate) fn solve(system: &impl System, tmin: f32, tmax: f32) -> Option<Range> {
    match approximately(system, tmin, tmax) {
        Some(answer) => answer,
        None => exactly(system, tmin, tmax),
    }
}

/// A float and a bound of its error.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Approximate {
    value: f64,
    error: f64,
}

/// One rounding of `f64`, and a little more for the rounding of the bounds themselves.
const ROUNDING: f64 = f64::EPSILON * 0.5;
const SLACK: f64 = 1.0 + 8.0 * f64::EPSILON;

impl Number for Approximate {
    fn new(x: f32) -> Self {
        Self { value: f64::from(x), error: 0.0 }
    }

    fn plus(&self, other: &Self) -> Self {
        let (value, error) = two_sum(self.value, other.value);
        Self { value, error: (error.abs() + self.error + other.error) * SLACK }
    }

    fn minus(&self, other: &Self) -> Self {
        self.plus(&Self { value: -other.value, ..*other })
    }

    fn times(&self, other: &Self) -> Self {
        let value = self.value * other.value;
        let is_zero = |x: &Self| x.value == 0.0 && x.error == 0.0;
        let is_short = |x: &Self| x.error == 0.0 && is_short(x.value);
        if is_zero(self) || is_zero(other) || is_short(self) && is_short(other) {
            return Self { value, error: 0.0 };
        }
        let inherited = self.value.abs() * other.error
            + other.value.abs() * self.error
            + self.error * other.error;
        // The last term stands for what is lost below the smallest normal number.
        let error = (value.abs() * ROUNDING + inherited + f64::MIN_POSITIVE) * SLACK;
        Self { value, error }
    }

    fn min(self, other: Self) -> Self {
        Self { value: self.value.min(other.value), error: self.error.max(other.error) }
    }

    fn sign(&self) -> Option<Ordering> {
        let is_certain = self.error == 0.0 || self.value.abs() > self.error;
        is_certain.then(|| self.value.partial_cmp(&0.0)).flatten()
    }
}

impl Exact for Expansion {
    fn quotient(&self, other: &Self) -> f64 {
        self.approximate() / other.approximate()
    }
}

impl Number for Expansion {
    fn new(x: f32) -> Self {
        Self::from(x)
    }

    fn plus(&self, other: &Self) -> Self {
        self + other
    }

    fn minus(&self, other: &Self) -> Self {
        self - other
    }

    fn times(&self, other: &Self) -> Self {
        self * other
    }

    fn min(self, other: Self) -> Self {
        if (&self - &other).sign().is_gt() { other } else { self }
    }

    fn sign(&self) -> Option<Ordering> {
        Some(Self::sign(self))
    }
}

/// How much wider than exact an approximate first parameter may be and still be reported: far less
/// than the rounding of `f32`.
const TIGHT: f64 = 1.0 / (1u64 << 30) as f64;

/// The answer by floats with error bounds; `None` if they leave a doubt.
fn approximately(system: &impl System, tmin: f32, tmax: f32) -> Option<Option<Range>> {
    // Brackets of the first and of the last parameter.
    let (mut first, mut last) = ([f64::from(tmin); 2], [f64::from(tmax); 2]);
    let (mut is_empty, mut is_open) = (false, false);
    system.for_each_constraint(
        &mut |need: Approximate, slope: Approximate| match slope.sign() {
            None => is_open = true,
            Some(Ordering::Equal) => match need.sign() {
                None => is_open = true,
                Some(sign) => is_empty |= sign.is_gt(),
            },
            Some(Ordering::Greater) => {
                let [low, high] = quotient(need, slope);
                first = [first[0].max(low), first[1].max(high)];
            }
            Some(Ordering::Less) => {
                let turned = |x: Approximate| Approximate { value: -x.value, ..x };
                let [low, high] = quotient(turned(need), turned(slope));
                last = [last[0].min(low), last[1].min(high)];
            }
        },
    )?;
    if is_empty || first[0] > last[1] {
        return Some(None);
    }
    let is_tight = first[1] - first[0] <= first[1] * TIGHT;
    let is_certain = !is_open && first[1] <= last[0] && is_tight;
    is_certain.then(|| Some(Range { first: narrow_down(first[0]), last: narrow_up(last[1]) }))
}

/// Whether the value has no more digits than an `f32`: products of two such values are exact.
/// Coordinates that people type often are, so that their contacts come out to the last digit.
fn is_short(value: f64) -> bool {
    f64::from(value as f32) == value
}

/// Bounds of `need / slope` for a certainly positive slope.
pub(crate) fn quotient(need: Approximate, slope: Approximate) -> [f64; 2] {
    let nearest = need.value / slope.value;
    let is_exact = need.error == 0.0
        && slope.error == 0.0
        && is_short(nearest)
        && is_short(slope.value)
        && nearest * slope.value == need.value;
    if is_exact {
        return [nearest; 2];
    }
    let (low, high) = (need.value - need.error, need.value + need.error);
    let (small, large) = (slope.value - slope.error, slope.value + slope.error);
    // Each sum is off by half a unit and each quotient by another: two steps outward cover both.
    let low = low / if low >= 0.0 { large } else { small };
    let high = high / if high >= 0.0 { small } else { large };
    let margin = |x: f64| x.abs() * (4.0 * f64::EPSILON);
    let (low, high) = (low - margin(low), high + margin(high));
    // Products of many factors may overflow, and say nothing then.
    if (high - low).is_finite() { [low, high] } else { [f64::NEG_INFINITY, f64::INFINITY] }
}

/// `numerator / denominator`, the denominator positive.
struct Fraction<N> {
    numerator: N,
    denominator: N,
}

impl<N: Exact> Fraction<N> {
    fn is_below(&self, other: &Self) -> bool {
        let own = self.numerator.times(&other.denominator);
        own.minus(&other.numerator.times(&self.denominator)).sign() == Some(Ordering::Less)
    }

    fn approximate(&self) -> f64 {
        self.numerator.quotient(&self.denominator)
    }
}

/// The answer without error.
fn exactly<S: System>(system: &S, tmin: f32, tmax: f32) -> Option<Range> {
    let number = <S::Exact as Number>::new;
    let whole = |x: f32| Fraction { numerator: number(x), denominator: number(1.0) };
    let (mut first, mut is_empty) = (whole(tmin), false);
    let mut last = tmax.is_finite().then(|| whole(tmax));
    let sign = |x: &S::Exact| x.sign().unwrap_or(Ordering::Equal);
    system.for_each_constraint(&mut |need: S::Exact, slope: S::Exact| match sign(&slope) {
        Ordering::Equal => is_empty |= sign(&need).is_gt(),
        Ordering::Greater => {
            let bound = Fraction { numerator: need, denominator: slope };
            if first.is_below(&bound) {
                first = bound;
            }
        }
        Ordering::Less => {
            let bound = Fraction { numerator: need.negated(), denominator: slope.negated() };
            if last.as_ref().is_none_or(|last| bound.is_below(last)) {
                last = Some(bound);
            }
        }
    })?;
    if is_empty || last.as_ref().is_some_and(|last| last.is_below(&first)) {
        return None;
    }
    // The quotient of two approximations is off by a few units of f64.
    let below = first.approximate() * (1.0 - 8.0 * f64::EPSILON);
    let above = last.map_or(f64::INFINITY, |last| last.approximate() * (1.0 + 8.0 * f64::EPSILON));
    Some(Range { first: narrow_down(below).max(tmin), last: narrow_up(above).min(tmax) })
}
