//! RT.TRI: one triangle (specification, section 8).
//!
//! "Watertight Möller–Trumbore" names two things (X-29): Woop, Benthin and Wald ("Watertight
//! Ray/Triangle Intersection", JCGT 2(1), 2013) decide, and the parameters are Möller and
//! Trumbore's: `u` is the weight of `v1`, `v` the weight of `v2`. Without RTCAP.WATERTIGHT it is
//! plain Möller–Trumbore.
//!
//! Every line is a chain of separately rounded FP32 operations, products before sums, left to
//! right. The chain stops at the first miss; a NaN in anything computed up to there is the NaN
//! case.

use super::{RayElements, Verdict};
use crate::numeric::{Rounding, fp32};

/// How to test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TriOptions {
    /// Rounding of every operation.
    pub rounding: Rounding,
    /// CULL_BACK.
    pub cull_back: bool,
    /// What moves the lower bound of `t`; 0 without EPS_CTL.
    pub epsilon: f32,
    /// RTCAP.WATERTIGHT.
    pub watertight: bool,
}

/// A triangle's verdict, with the side that was seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TriVerdict {
    /// The verdict; a hit's values are `t`, `u` and `v`.
    pub verdict: Verdict<3>,
    /// Whether the corners run clockwise as seen from the origin, for hits.
    pub back: bool,
}

/// Tests a triangle.
#[must_use]
pub fn tri(ray: &RayElements, vertices: [[f32; 3]; 3], options: &TriOptions) -> TriVerdict {
    if ray.has_nan() || vertices.iter().flatten().any(|x| x.is_nan()) {
        return TriVerdict { verdict: Verdict::Nan { invalid: false }, back: false };
    }
    let chain = Chain { mode: options.rounding };
    let solved = if options.watertight {
        chain.watertight(ray, vertices, options.cull_back)
    } else {
        chain.moller_trumbore(ray, vertices, options.cull_back)
    };
    match solved {
        Err(Stop::Miss) => TriVerdict { verdict: Verdict::Miss, back: false },
        Err(Stop::Nan) => TriVerdict { verdict: Verdict::INVALID, back: false },
        Ok((values, back)) => {
            // closed, on the FP32 t before it is narrowed.
            let lower = chain.add(ray.tmin, options.epsilon);
            let inside = ray.tmin <= ray.tmax && (lower..=ray.tmax).contains(&values[0]);
            TriVerdict { verdict: if inside { Verdict::Hit(values) } else { Verdict::Miss }, back }
        }
    }
}

/// Why a chain ends early.
enum Stop {
    Miss,
    Nan,
}

/// FP32 operations in one rounding mode.
#[derive(Clone, Copy)]
struct Chain {
    mode: Rounding,
}

type Vector = [f32; 3];

impl Chain {
    fn watertight(
        self,
        ray: &RayElements,
        vertices: [Vector; 3],
        cull_back: bool,
    ) -> Result<([f32; 3], bool), Stop> {
        // 1.
        let d = ray.direction;
        let kz = largest_axis(d);
        if d[kz] == 0.0 {
            return Err(Stop::Miss);
        }
        let (mut kx, mut ky) = ((kz + 1) % 3, (kz + 2) % 3);
        if d[kz] < 0.0 {
            std::mem::swap(&mut kx, &mut ky); // keeps the winding
        }
        // 2.
        let [sx, sy, sz] =
            reject_nan([self.div(d[kx], d[kz]), self.div(d[ky], d[kz]), self.div(1.0, d[kz])])?;
        // 3. and 4.
        let mut sheared = [[0.0; 2]; 3];
        let mut depths = [0.0; 3];
        for (corner, vertex) in vertices.iter().enumerate() {
            let from_origin = reject_nan(self.sub3(*vertex, ray.origin))?;
            let z = from_origin[kz];
            sheared[corner] = reject_nan([
                self.sub(from_origin[kx], self.mul(sx, z)),
                self.sub(from_origin[ky], self.mul(sy, z)),
            ])?;
            depths[corner] = z;
        }
        // 5.
        let [[ax, ay], [bx, by], [cx, cy]] = sheared;
        let edges = [([cx, by], [cy, bx]), ([ax, cy], [ay, cx]), ([bx, ay], [by, ax])];
        let mut weights =
            reject_nan(edges.map(|([a, b], [c, d])| self.sub(self.mul(a, b), self.mul(c, d))))?;
        if weights.contains(&0.0) {
            let wide = |(p, q)| fp32::product_difference_wide(self.mode, p, q);
            weights = reject_nan(edges.map(wide))?;
        }
        // 6.
        if weights.iter().any(|w| *w < 0.0) && weights.iter().any(|w| *w > 0.0) {
            return Err(Stop::Miss);
        }
        let [u, v, w] = weights;
        let det = self.add(self.add(u, v), w);
        reject_nan([det])?;
        if det == 0.0 || (cull_back && det < 0.0) {
            return Err(Stop::Miss);
        }
        // 7.
        let [az, bz, cz] = reject_nan(depths.map(|z| self.mul(sz, z)))?;
        let sum = self.add(self.mul(u, az), self.mul(v, bz));
        let [t] = reject_nan([self.add(sum, self.mul(w, cz))])?;
        let values = reject_nan([self.div(t, det), self.div(v, det), self.div(w, det)])?;
        Ok((values, det < 0.0))
    }

    fn moller_trumbore(
        self,
        ray: &RayElements,
        [v0, v1, v2]: [Vector; 3],
        cull_back: bool,
    ) -> Result<([f32; 3], bool), Stop> {
        let e1 = reject_nan(self.sub3(v1, v0))?;
        let e2 = reject_nan(self.sub3(v2, v0))?;
        let p = reject_nan(self.cross(ray.direction, e2))?;
        let [det] = reject_nan([self.dot(e1, p)])?;
        if det == 0.0 || (cull_back && det < 0.0) {
            return Err(Stop::Miss);
        }
        let s = reject_nan(self.sub3(ray.origin, v0))?;
        let q = reject_nan(self.cross(s, e1))?;
        let [u] = reject_nan([self.div(self.dot(s, p), det)])?;
        if u < 0.0 {
            return Err(Stop::Miss);
        }
        let [v] = reject_nan([self.div(self.dot(ray.direction, q), det)])?;
        let [sum] = reject_nan([self.add(u, v)])?;
        if v < 0.0 || sum > 1.0 {
            return Err(Stop::Miss);
        }
        let [t] = reject_nan([self.div(self.dot(e2, q), det)])?;
        Ok(([t, u, v], det < 0.0))
    }

    fn add(self, a: f32, b: f32) -> f32 {
        fp32::add(self.mode, a, b)
    }

    fn sub(self, a: f32, b: f32) -> f32 {
        fp32::sub(self.mode, a, b)
    }

    fn mul(self, a: f32, b: f32) -> f32 {
        fp32::mul(self.mode, a, b)
    }

    fn div(self, a: f32, b: f32) -> f32 {
        fp32::div(self.mode, a, b)
    }

    fn sub3(self, a: Vector, b: Vector) -> Vector {
        std::array::from_fn(|k| self.sub(a[k], b[k]))
    }

    fn cross(self, a: Vector, b: Vector) -> Vector {
        std::array::from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            self.sub(self.mul(a[i], b[j]), self.mul(a[j], b[i]))
        })
    }

    fn dot(self, a: Vector, b: Vector) -> f32 {
        let sum = self.add(self.mul(a[0], b[0]), self.mul(a[1], b[1]));
        self.add(sum, self.mul(a[2], b[2]))
    }
}

/// The values, unless one is NaN.
fn reject_nan<const N: usize>(values: [f32; N]) -> Result<[f32; N], Stop> {
    if values.iter().any(|x| x.is_nan()) { Err(Stop::Nan) } else { Ok(values) }
}

/// The axis on which the direction is longest; the lowest on a tie.
fn largest_axis(d: Vector) -> usize {
    let [x, y, z] = d.map(f32::abs);
    if x >= y && x >= z {
        0
    } else if y >= z {
        1
    } else {
        2
    }
}
