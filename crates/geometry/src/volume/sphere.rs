//! Spheres that grow from their centre: what they meet first is what is nearest.
//!
//! The points of a polygon that can be nearest are those of finitely many features: a corner, the
//! foot on an edge, the foot on the face. Each has a squared distance that is a quotient of
//! polynomials in the coordinates, and whether it exists is a matter of signs. So "farther than r?"
//! is decided exactly, and the distance, rounded down, is the largest `f32` for which the answer is
//! not "no".
//!
//! A body that a map `x -> Ax + m` leads to lies in the world at `A^-1 (v - m)`. There the vector
//! `v - (Ac + m)` from the centre `c` to a corner, and so any other, is `adj(A) v / det A`, and a
//! cross product of two of them is the transpose of `A` times theirs, over `det A`: polynomials
//! again, so a map of any kind, one that shears too, costs no rounding.

use super::{Body, VolumeError, check_finite, check_sign, moved};
use crate::Transform;
use crate::beam::construct::Corners;
use crate::beam::triangle::{cross, dot, minus};
use crate::beam::{Beam, Contact};
use crate::dyadic::Dyadic;
use crate::half_lines::{Approximate, Number, quotient};
use crate::rounding::narrow_down;
use glam::Vec3;
use std::cmp::Ordering;

/// A sphere: at parameter `t`, from 0 to the radius, all points not farther than `t`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    /// Its centre.
    pub center: Vec3,
    /// Its radius at the end.
    pub radius: f32,
}

impl Sphere {
    /// The beam around it: at `t`, the cube with edges of `2t`.
    ///
    /// # Errors
    /// The first rule that the numbers break; `tmax` is the radius.
    pub fn beam(&self) -> Result<Beam, VolumeError> {
        check_finite("center", &self.center.to_array())?;
        check_finite("radius", &[self.radius])?;
        check_sign("radius", self.radius)?;
        Ok(Beam::new(&Corners {
            upper_origin: self.center,
            lower_origin: self.center,
            upper_direction: Vec3::ONE,
            lower_direction: Vec3::NEG_ONE,
            tmin: 0.0,
            tmax: self.radius,
        })?)
    }

    pub(super) fn contact(&self, body: Body<'_>, map: Option<&Transform>) -> Option<Contact> {
        let seen = Seen { center: self.center, body, map };
        let last = self.radius;
        let (bracket, squared) = (seen.bracket(), f64::from(last) * f64::from(last));
        if bracket[0] > squared {
            return None;
        }
        let order = if bracket[1] < squared { Ordering::Less } else { seen.compare(last) };
        let first = match order {
            Ordering::Greater => return None,
            Ordering::Equal => last,
            Ordering::Less => seen.distance_down(bracket, last),
        };
        Some(Contact { first, last })
    }
}

/// A body as seen from a centre.
struct Seen<'a> {
    center: Vec3,
    body: Body<'a>,
    map: Option<&'a Transform>,
}

impl Seen<'_> {
    /// Bounds of the squared distance, by floats with error bounds.
    fn bracket(&self) -> [f64; 2] {
        let (mut low, mut high) = (f64::INFINITY, f64::INFINITY);
        self.for_each_feature(&mut |squared: Approximate, scale: Approximate, is_certain| {
            let bounds = match scale.sign() {
                Some(Ordering::Greater) => quotient(squared, scale),
                _ => [0.0, f64::INFINITY],
            };
            low = low.min(bounds[0]);
            if is_certain {
                high = high.min(bounds[1]);
            }
        });
        [low.max(0.0), high]
    }

    /// How the distance compares with a radius, exactly.
    fn compare(&self, radius: f32) -> Ordering {
        let (radius, mut least) = (Dyadic::new(radius), Ordering::Greater);
        let limit = radius.times(&radius);
        self.for_each_feature(&mut |squared: Dyadic, scale, _| {
            let order = squared.minus(&limit.times(&scale)).sign();
            least = order.map_or(least, |order| least.min(order));
        });
        least
    }

    /// The largest float that is not above the distance, which is below `most` and whose square
    /// lies in the bracket.
    fn distance_down(&self, bracket: [f64; 2], most: f32) -> f32 {
        let [low, high] = bracket.map(f64::sqrt);
        let low = narrow_down(low * (1.0 - 2.0 * f64::EPSILON));
        let high = narrow_down(high * (1.0 + 2.0 * f64::EPSILON)).next_up().min(most);
        // Floats that are not negative are ordered as their bits are.
        let (mut low, mut high) = (low.to_bits(), high.to_bits());
        // A face that may not exist leaves a wide bracket, whose end is then the distance.
        if high - low > 4 && self.compare(f32::from_bits(high - 2)).is_ge() {
            low = high - 2;
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.compare(f32::from_bits(middle)).is_ge() {
                low = middle;
            } else {
                high = middle;
            }
        }
        f32::from_bits(low)
    }

    /// Hands the squared distance of every feature that can be nearest to
    /// `add(numerator, denominator, is_certain)`, the denominator positive; uncertain ones may not
    /// exist, which inexact numbers leave open.
    fn for_each_feature<N: Number>(&self, add: &mut dyn FnMut(N, N, bool)) {
        let (center, back) = (moved(self.center, 1.0, self.map), Back::new(self.map));
        let bounds = match self.body {
            Body::Triangle(triangle) => return back.polygon(&triangle.vertices, &center, add),
            Body::Box(bounds) => bounds,
        };
        // The nearest point lies on a face whose outer side the centre is on.
        let (mut faces, mut is_outside, mut nearest) = (Vec::new(), false, self.center);
        for (axis, side) in (0..3).flat_map(|axis| [(axis, 0), (axis, 1)]) {
            let plane = [bounds.min, bounds.max][side][axis];
            let beyond = N::new(plane).minus(&center[axis]);
            let beyond = if side == 0 { beyond } else { beyond.negated() };
            match beyond.sign() {
                Some(Ordering::Less | Ordering::Equal) => continue,
                Some(Ordering::Greater) => is_outside = true,
                None => {}
            }
            nearest[axis] = plane;
            let [next, last] = [1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3)];
            faces.push([0, next, next | last, last].map(|corner| corner | side << axis));
        }
        if !is_outside {
            add(N::new(0.0), N::new(1.0), faces.is_empty());
        } else if self.map.is_none() {
            let away = minus(&nearest.to_array().map(N::new), &center);
            return add(dot(&away, &away), N::new(1.0), true);
        }
        let corners = bounds.corners();
        for face in faces {
            back.polygon(&face.map(|corner| corners[corner]), &center, add);
        }
    }
}

/// The way back from the space that a map leads to.
struct Back<N> {
    /// The adjugate and the transpose of the linear part, by rows; without a map neither is needed.
    rows: Option<[[[N; 3]; 3]; 2]>,
    /// The square of its determinant.
    scale: N,
}

impl<N: Number> Back<N> {
    fn new(map: Option<&Transform>) -> Self {
        let Some(map) = map else { return Self { rows: None, scale: N::new(1.0) } };
        let rows = map.rows.map(|[x, y, z, _]| [x, y, z].map(N::new));
        let columns = |rows: &[[N; 3]; 3]| -> [[N; 3]; 3] {
            std::array::from_fn(|k| rows.each_ref().map(|row| row[k].clone()))
        };
        let crossed = std::array::from_fn(|k| cross(&rows[(k + 1) % 3], &rows[(k + 2) % 3]));
        let determinant = dot(&rows[0], &crossed[0]);
        let scale = determinant.times(&determinant);
        Self { rows: Some([columns(&crossed), columns(&rows)]), scale }
    }

    /// A vector in the world, times the determinant.
    fn vector(&self, v: &[N; 3]) -> [N; 3] {
        self.rows.as_ref().map_or(v.clone(), |[rows, _]| rows.each_ref().map(|row| dot(row, v)))
    }

    /// A cross product in the world, times the determinant.
    fn normal(&self, v: &[N; 3]) -> [N; 3] {
        self.rows.as_ref().map_or(v.clone(), |[_, rows]| rows.each_ref().map(|row| dot(row, v)))
    }

    /// The features of a flat convex polygon.
    fn polygon(&self, corners: &[Vec3], center: &[N; 3], add: &mut dyn FnMut(N, N, bool)) {
        let point = |place: usize| corners[place % corners.len()].to_array().map(N::new);
        let edge = |place: usize| minus(&point(place + 1), &point(place));
        let own_normal = cross(&edge(0), &edge(1));
        let normal = self.normal(&own_normal);
        let is_positive = |x: &N| x.sign().map(Ordering::is_gt);
        // The foot lies in the face if the centre is on the inner side of every edge.
        let mut is_above = Some(true);
        for place in 0..corners.len() {
            let (own_corner, own_edge) = (minus(&point(place), center), edge(place));
            let (corner, edge) = (self.vector(&own_corner), self.vector(&own_edge));
            let across = self.normal(&cross(&own_corner, &own_edge));
            let (along, length) = (dot(&corner, &edge).negated(), dot(&edge, &edge));
            let is_beside = both(is_positive(&along), is_positive(&length.minus(&along)));
            if is_beside != Some(false) {
                add(dot(&across, &across), length, is_beside.is_some());
            }
            add(dot(&corner, &corner), self.scale.clone(), true);
            is_above = both(is_above, is_positive(&dot(&across, &normal)));
        }
        if is_above != Some(false) {
            let height = dot(&minus(&point(0), center), &own_normal);
            add(height.times(&height), dot(&normal, &normal), is_above.is_some());
        }
    }
}

/// Whether both hold, if that is known.
fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    if a == Some(false) || b == Some(false) { Some(false) } else { a.and(b) }
}
