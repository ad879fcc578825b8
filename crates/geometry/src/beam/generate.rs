//! Cases that are likely to go wrong, for tests and for measuring how often they do.
//!
//! | name | what |
//! |---|---|
//! | `g0` | uniform random boxes and beams, half with a finite range |
//! | `g1` | near grazing: the entry of one axis at the exit of another (or at `tmax`), rounded |
//! | `g2` | integers from -12 to 12, many zero directions, exact touches |
//! | `g3` | exact grazing at `t = p/m`: every case is a true touch |
//! | `gx` | exponent extremes |
//! | `sc` | each sign case, plane and one-step offset, with `tmin`, `tmax` or another axis there |
//! | `rat` | pairs of integers with equal quotients whose rounded products disagree |
//!
//! Any of them may be mirrored on any axis.

use super::construct::Corners;
use crate::Aabb;
use glam::Vec3;

/// A beam and a box, both valid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Encounter {
    /// The beam.
    pub corners: Corners,
    /// The box.
    pub bounds: Aabb,
}

/// A source of cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generator {
    /// Uniform.
    G0,
    /// Near grazing.
    G1,
    /// Small integers.
    G2,
    /// Exact grazing.
    G3,
    /// Exponent extremes.
    Gx,
    /// Sign cases.
    Sc,
    /// Equal quotients, different products.
    Rat,
}

impl Generator {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::G0, Self::G1, Self::G2, Self::G3, Self::Gx, Self::Sc, Self::Rat];

    /// The name used in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::G0 => "g0",
            Self::G1 => "g1",
            Self::G2 => "g2",
            Self::G3 => "g3",
            Self::Gx => "gx",
            Self::Sc => "sc",
            Self::Rat => "rat",
        }
    }

    /// One case, made of random bits.
    pub fn encounter(self, bits: &mut dyn FnMut() -> u64) -> Encounter {
        let mut random = Source(bits);
        let mut encounter = match self {
            Self::G0 => uniform(&mut random),
            Self::G1 => near_grazing(&mut random),
            Self::G2 => integers(&mut random),
            Self::G3 => {
                let m = [3, 5, 7, 9, 11, 13, 17, 19, 23][random.below(9)] as f32;
                let p = 1.0 + random.below(60) as f32;
                let factors = (1.0 + random.below(64) as f32, 1.0 + random.below(64) as f32);
                grazing(&mut random, m, p, factors)
            }
            Self::Gx => extreme(&mut random),
            Self::Sc => sign_case(&mut random),
            Self::Rat => equal_quotients(&mut random),
        };
        for axis in 0..3 {
            if random.one_in(2) {
                encounter.mirror(axis);
            }
        }
        encounter
    }
}

impl Encounter {
    /// Turns one axis round.
    fn mirror(&mut self, axis: usize) {
        let Self { corners: c, bounds } = self;
        let turned = |upper: &mut Vec3, lower: &mut Vec3| {
            (upper[axis], lower[axis]) = (-lower[axis], -upper[axis]);
        };
        turned(&mut c.upper_origin, &mut c.lower_origin);
        turned(&mut c.upper_direction, &mut c.lower_direction);
        turned(&mut bounds.max, &mut bounds.min);
    }

    /// A loose box around everything, and a beam from random origins and directions.
    fn loose(random: &mut Source<'_>, reach: f32) -> Self {
        let (lower_origin, upper_origin) = random.ordered(-1.0, 1.0);
        let (lower_direction, upper_direction) = random.ordered(-1.0, 1.0);
        Self {
            corners: Corners {
                upper_origin,
                lower_origin,
                upper_direction,
                lower_direction,
                tmin: 0.0,
                tmax: f32::INFINITY,
            },
            bounds: Aabb::new(Vec3::splat(-reach), Vec3::splat(reach)),
        }
    }

    /// Makes the beam enter `MIN` of `axis` at `t`, up to the rounding of the plane.
    fn enter_at(&mut self, axis: usize, t: f64) {
        let c = &self.corners;
        self.bounds.min[axis] = plane_at(c.upper_origin[axis], c.upper_direction[axis], t);
    }

    /// Makes the beam leave `MAX` of `axis` at `t`, likewise.
    fn leave_at(&mut self, axis: usize, t: f64) {
        let c = &self.corners;
        self.bounds.max[axis] = plane_at(c.lower_origin[axis], c.lower_direction[axis], t);
    }
}

fn plane_at(origin: f32, direction: f32, t: f64) -> f32 {
    (f64::from(origin) + t * f64::from(direction)) as f32
}

fn uniform(random: &mut Source<'_>) -> Encounter {
    let mut encounter = Encounter::loose(random, 1.0);
    let (min, max) = random.ordered(-4.0, 4.0);
    encounter.bounds = Aabb::new(min, max);
    if random.one_in(2) {
        encounter.corners.tmin = random.range(0.0, 1.0);
        encounter.corners.tmax = encounter.corners.tmin + random.range(0.0, 4.0);
    }
    encounter
}

fn near_grazing(random: &mut Source<'_>) -> Encounter {
    let mut encounter = Encounter::loose(random, 1000.0);
    let enters = random.below(3);
    let leaves = (enters + 1 + random.below(2)) % 3;
    let fast = random.range(0.1, 1.0);
    encounter.corners.upper_direction[enters] = fast;
    encounter.corners.lower_direction[enters] = random.range(-1.0, fast);
    let slow = random.range(0.1, 1.0);
    encounter.corners.lower_direction[leaves] = slow;
    encounter.corners.upper_direction[leaves] = random.range(slow, 1.0);
    let t = f64::from(random.range(0.1, 4.0));
    encounter.enter_at(enters, t);
    if random.one_in(5) {
        encounter.corners.tmax = t as f32;
    } else {
        encounter.leave_at(leaves, t);
    }
    encounter
}

fn integers(random: &mut Source<'_>) -> Encounter {
    let mut encounter = Encounter::loose(random, 1.0);
    let c = &mut encounter.corners;
    for k in 0..3 {
        (c.lower_origin[k], c.upper_origin[k]) = random.ordered_integers();
        let (low, high) = random.ordered_integers();
        let (low, high) = match random.below(4) {
            0 => (0.0, 0.0),
            1 => (low, low),
            2 => (low.min(0.0), high.max(0.0)),
            _ => (low, high),
        };
        (c.lower_direction[k], c.upper_direction[k]) = (low, high);
        (encounter.bounds.min[k], encounter.bounds.max[k]) = random.ordered_integers();
    }
    c.tmin = [0.0, 0.5, 1.0][random.below(3)];
    if random.one_in(2) {
        c.tmax = c.tmin + random.below(12) as f32;
    }
    encounter
}

/// One axis enters at exactly `p / m`, another leaves then; directions are multiples of `m`.
fn grazing(random: &mut Source<'_>, m: f32, p: f32, factors: (f32, f32)) -> Encounter {
    let mut encounter = Encounter::loose(random, 100_000.0);
    let enters = random.below(3);
    let leaves = (enters + 1 + random.below(2)) % 3;
    let c = &mut encounter.corners;
    for k in 0..3 {
        (c.lower_origin[k], c.upper_origin[k]) = random.ordered_integers();
    }
    c.upper_direction[enters] = m * factors.0;
    c.lower_direction[enters] = m * factors.0 - random.below(9) as f32;
    c.lower_direction[leaves] = m * factors.1;
    c.upper_direction[leaves] = m * factors.1 + random.below(9) as f32;
    encounter.bounds.min[enters] = c.upper_origin[enters] + p * factors.0;
    encounter.bounds.max[leaves] = c.lower_origin[leaves] + p * factors.1;
    encounter
}

/// Retries until the two computed quotients disagree.
fn equal_quotients(random: &mut Source<'_>) -> Encounter {
    for _ in 0..64 {
        let m = 3.0 + random.below(300) as f32;
        let p = 1.0 + random.below(600) as f32;
        let factors = (1.0 + random.below(60) as f32, 1.0 + random.below(60) as f32);
        let quotient = |factor: f32| (p * factor) * (1.0 / (m * factor));
        if quotient(factors.0) > quotient(factors.1) {
            return grazing(random, m, p, factors);
        }
    }
    grazing(random, 7.0, 3.0, (7.0, 1.0))
}

/// Magnitudes from the smallest normal number to the limits of validity, contacts included.
fn extreme(random: &mut Source<'_>) -> Encounter {
    let mut encounter = Encounter::loose(random, 1.0);
    let t = random.power(-120, 110);
    for k in 0..3 {
        let (o, d) = (random.pair(-126, 124), random.pair(-126, 125));
        let c = &mut encounter.corners;
        (c.lower_origin[k], c.upper_origin[k]) = o;
        (c.lower_direction[k], c.upper_direction[k]) = d;
        let (near, far) = (
            plane_at(c.upper_origin[k], c.upper_direction[k], f64::from(t)),
            plane_at(c.lower_origin[k], c.lower_direction[k], f64::from(t)),
        );
        let (min, max) = match random.below(5) {
            0 => (near, f32::INFINITY),
            1 => (f32::NEG_INFINITY, far),
            2 => (far.min(near), near.max(far)),
            3 => random.pair(-126, 125),
            _ => (f32::NEG_INFINITY, f32::INFINITY),
        };
        let limit = super::error::LARGEST;
        let fits = |plane: f32| plane.abs() <= limit;
        encounter.bounds.min[k] = if fits(min) { min } else { f32::NEG_INFINITY };
        encounter.bounds.max[k] = if fits(max) { max } else { f32::INFINITY };
    }
    if random.one_in(2) {
        encounter.corners.tmax = random.power(-126, 119);
    }
    if random.one_in(3) {
        encounter.corners.tmin = random.power(-126, 119).min(encounter.corners.tmax);
    }
    encounter
}

/// One axis of a chosen sign case touches at `t = 1, 2 or 4` exactly or one step off, and something
/// else happens then.
fn sign_case(random: &mut Source<'_>) -> Encounter {
    let mut encounter = Encounter::loose(random, 64.0);
    let axis = random.below(3);
    let t = [1.0, 2.0, 4.0][random.below(3)];
    let (low, high) = [(1.0, 3.0), (0.0, 2.0), (0.0, 0.0), (-3.0, -1.0), (-2.0, 0.0), (-1.0, 2.0)]
        [random.below(6)];
    let c = &mut encounter.corners;
    (c.lower_origin[axis], c.upper_origin[axis]) = random.ordered_integers();
    (c.lower_direction[axis], c.upper_direction[axis]) = (low, high);
    let step = |plane: f32, random: &mut Source<'_>| match random.below(3) {
        0 => plane.next_down(),
        1 => plane,
        _ => plane.next_up(),
    };
    if random.one_in(2) {
        let plane = c.upper_origin[axis] + t * high;
        encounter.bounds.min[axis] = step(plane, random);
    } else {
        let plane = c.lower_origin[axis] + t * low;
        encounter.bounds.max[axis] = step(plane, random);
    }
    match random.below(4) {
        0 => c.tmin = t,
        1 => c.tmax = t,
        2 => {
            let other = (axis + 1) % 3;
            c.lower_direction[other] = 0.5;
            c.upper_direction[other] = 1.0;
            encounter.leave_at(other, f64::from(t));
        }
        _ => {
            let other = (axis + 2) % 3;
            c.upper_direction[other] = 1.0;
            encounter.enter_at(other, f64::from(t));
        }
    }
    encounter
}

/// Numbers out of random bits.
struct Source<'a>(&'a mut dyn FnMut() -> u64);

impl Source<'_> {
    fn below(&mut self, n: usize) -> usize {
        (self.0() % n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Uniform in `[low, high)`.
    fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.0() >> 40) as f32 / 16_777_216.0)
    }

    /// The lower and the upper of two points.
    fn ordered(&mut self, low: f32, high: f32) -> (Vec3, Vec3) {
        let mut point = || Vec3::from_array(std::array::from_fn(|_| self.range(low, high)));
        let (a, b) = (point(), point());
        (a.min(b), a.max(b))
    }

    fn ordered_integers(&mut self) -> (f32, f32) {
        let (a, b) = (self.below(25) as f32 - 12.0, self.below(25) as f32 - 12.0);
        (a.min(b), a.max(b))
    }

    /// A positive number with a random exponent.
    fn power(&mut self, from: i32, to: i32) -> f32 {
        let exponent = from + self.below((to - from + 1) as usize) as i32;
        self.range(1.0, 2.0) * 2f32.powi(exponent)
    }

    /// Two numbers of either sign, or zero, with random exponents, in order.
    fn pair(&mut self, from: i32, to: i32) -> (f32, f32) {
        let mut number = || match self.below(8) {
            0 => 0.0,
            kind if kind % 2 == 0 => self.power(from, to),
            _ => -self.power(from, to),
        };
        let a = number();
        let b = if self.one_in(3) { a } else { self.power(from, to) };
        (a.min(b), a.max(b))
    }
}
