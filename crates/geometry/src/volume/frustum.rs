//! Frusta: pyramids that are cut off near and far.
//!
//! At depth `t` a frustum is the parallelogram `eye + t (forward + a right + b up)` with `a` and
//! `b` from -1 to 1. It keeps its edges' directions and grows with `t`, so along a fixed axis its
//! extent is linear in `t`, and the axes that can separate it from a box or a triangle do not
//! depend on `t`: each is two half-lines of parameters, as for beams. An affine map makes another
//! frustum of a frustum, depth by depth, whose numbers are polynomials in those of both.
//!
//! Against a box these are the cross products of any two of the directions of its edges and of
//! `right` and `up`: 10 axes. Against a triangle they are the two normals, the cross products of
//! its edges with `right` and `up`, and, for a triangle in the plane of the parallelogram, the
//! normals of all edges in that plane: 13 axes.
//!
//! Degenerate cases need no care: at depth `t`, let the parallelogram be as wide as it is at
//! `t + s` with `s > 0`. It has an area, also at depth 0, so that the axes are complete; and what
//! they do not separate at `s = 0` they do not for any `s`, so that it meets for every `s` and,
//! everything being closed and bounded, at `s = 0`.

use super::{Body, VolumeError, check_finite, check_sign, moved};
use crate::Transform;
use crate::beam::construct::Corners;
use crate::beam::triangle::{cross, dot, minus};
use crate::beam::{Beam, Contact};
use crate::dyadic::Dyadic;
use crate::half_lines::{Number, System, solve};
use crate::rounding::{add_down, add_up};
use glam::Vec3;
use std::cmp::Ordering;

/// A frustum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frustum {
    /// The tip of the pyramid.
    pub eye: Vec3,
    /// From the tip to the middle of the cross-section at depth 1.
    pub forward: Vec3,
    /// From there to the middle of its right side.
    pub right: Vec3,
    /// From there to the middle of its upper side.
    pub up: Vec3,
    /// The first depth.
    pub near: f32,
    /// The last depth; infinite for "no limit".
    pub far: f32,
}

impl Frustum {
    /// The beam around it: at each depth, the box around the cross-section.
    ///
    /// # Errors
    /// The first rule that the numbers break.
    pub fn beam(&self) -> Result<Beam, VolumeError> {
        let Self { eye, forward, right, up, near, far } = *self;
        for (part, v) in [("eye", eye), ("forward", forward), ("right", right), ("up", up)] {
            check_finite(part, &v.to_array())?;
        }
        check_finite("near", &[near])?;
        check_sign("near", near)?;
        if far != f32::INFINITY {
            check_finite("far", &[far])?;
        }
        if far < near {
            return Err(VolumeError::Inverted { near, far });
        }
        let [f, r, u] = [forward, right, up].map(|v| v.to_array().map(Dyadic::new));
        if dot(&f, &cross(&r, &u)).sign() == Some(Ordering::Equal) {
            return Err(VolumeError::Flat);
        }
        let (right, up) = (right.abs(), up.abs());
        let direction = |add: fn(f32, f32) -> f32, sign: f32| {
            let sum = |k: usize| add(add(forward[k], sign * right[k]), sign * up[k]);
            Vec3::from_array(std::array::from_fn(sum))
        };
        Ok(Beam::new(&Corners {
            upper_origin: eye,
            lower_origin: eye,
            upper_direction: direction(add_up, 1.0),
            lower_direction: direction(add_down, -1.0),
            tmin: near,
            tmax: far,
        })?)
    }

    pub(super) fn contact(&self, body: Body<'_>, map: Option<&Transform>) -> Option<Contact> {
        let range = solve(&Apart { frustum: self, body, map }, self.near, self.far)?;
        Some(Contact { first: range.first, last: range.last })
    }
}

/// The inequalities of all axes, in the space of the body.
struct Apart<'a> {
    frustum: &'a Frustum,
    body: Body<'a>,
    map: Option<&'a Transform>,
}

impl System for Apart<'_> {
    type Exact = Dyadic;

    fn for_each_constraint<N: Number>(&self, add: &mut dyn FnMut(N, N)) -> Option<()> {
        let Frustum { eye, forward, right, up, .. } = *self.frustum;
        let eye: [N; 3] = moved(eye, 1.0, self.map);
        let [forward, right, up] = [forward, right, up].map(|v| moved(v, 0.0, self.map));
        for axis in self.axes(&right, &up) {
            let magnitude = |v: &[N; 3]| {
                let along = dot(&axis, v);
                along.clone().max(along.negated())
            };
            let (middle, half) = (dot(&axis, &forward), magnitude(&right).plus(&magnitude(&up)));
            let (least, most) = self.extent(&axis, &eye);
            add(least, middle.plus(&half));
            add(most.negated(), half.minus(&middle));
        }
        Some(())
    }
}

impl Apart<'_> {
    /// The axes that can separate the body from a parallelogram with the edges `right` and `up`.
    fn axes<N: Number>(&self, right: &[N; 3], up: &[N; 3]) -> Vec<[N; 3]> {
        let normal = cross(right, up);
        let both = |edge: &[N; 3]| [cross(right, edge), cross(up, edge)];
        let mut axes = match self.body {
            Body::Box(_) => {
                let unit = |k: usize| std::array::from_fn(|i| N::new(f32::from(i == k)));
                let units: [[N; 3]; 3] = std::array::from_fn(unit);
                let crossed: Vec<[N; 3]> = units.iter().flat_map(both).collect();
                crossed.into_iter().chain(units).collect()
            }
            Body::Triangle(triangle) => {
                let corners = triangle.vertices.map(|v| v.to_array().map(N::new));
                let edges: [[N; 3]; 3] =
                    std::array::from_fn(|i| minus(&corners[(i + 1) % 3], &corners[i]));
                let in_plane = edges.iter().chain([right, up]).map(|edge| cross(&normal, edge));
                let mut axes: Vec<[N; 3]> = edges.iter().flat_map(both).chain(in_plane).collect();
                axes.push(cross(&edges[0], &edges[1]));
                axes
            }
        };
        axes.push(normal);
        axes
    }

    /// How far the body reaches along an axis, seen from the eye.
    fn extent<N: Number>(&self, axis: &[N; 3], eye: &[N; 3]) -> (N, N) {
        match self.body {
            Body::Box(bounds) => {
                let mut extent = (N::new(0.0), N::new(0.0));
                for k in 0..3 {
                    let planes = [bounds.min[k], bounds.max[k]];
                    let [a, b] = planes.map(|x| axis[k].times(&N::new(x).minus(&eye[k])));
                    extent.0 = extent.0.plus(&a.clone().min(b.clone()));
                    extent.1 = extent.1.plus(&a.max(b));
                }
                extent
            }
            Body::Triangle(triangle) => {
                let place = |v: Vec3| dot(axis, &minus(&v.to_array().map(N::new), eye));
                let [a, b, c] = triangle.vertices.map(place);
                (a.clone().min(b.clone()).min(c.clone()), a.max(b).max(c))
            }
        }
    }
}
