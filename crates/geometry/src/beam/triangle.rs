//! A beam against a triangle, exactly.
//!
//! `Box(t)` and a triangle meet if and only if none of 13 axes separates them: the three coordinate
//! axes, the normal of the triangle, and the cross products of the coordinate axes with its three
//! edges. None of them depends on `t`, and the extent of `Box(t)` along a fixed axis is linear in
//! `t`: the sign of a component of the axis says which face counts. So each side of each axis is
//! one half-line of parameters, and the beam meets the triangle exactly where all 26 of them and
//! the range do. The first such parameter is the first contact. (In terms of the convex hull of the
//! first and the last box this is the same set; no hull has to be formed, and an unbounded range
//! needs no care.)
//!
//! Degenerate cases need no care either. Grow every box by an amount `s > 0`: it has volume, so the
//! 13 axes are complete for any triangle, also one that is a segment or a point. If nothing
//! separates at `s = 0`, the grown boxes meet the triangle for every `s`, and, everything being
//! closed and bounded, so does the box itself.

use super::decide::{Verdict, list_axis};
use super::{Axis, Beam};
use crate::expansion::Expansion;
use crate::half_lines::{Number, System, solve};
use crate::{Aabb, Triangle};
use std::cmp::Ordering;

/// When a beam and a primitive touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// A guaranteed lower bound of the exact first contact.
    pub first: f32,
    /// A guaranteed upper bound of the exact last contact.
    pub last: f32,
}

/// Contacts later than this do not count: beyond it boxes around the triangle may be missed (B-1),
/// and the answer would depend on the tree.
const LATEST_CONTACT: f32 = f32::from_bits(0x7F00_0000); // 2^127

impl Beam {
    /// The conservative contact with a box (B-11): the normative test, with guaranteed bounds.
    #[must_use]
    pub fn contact(&self, bounds: &Aabb) -> Option<Contact> {
        let overlap = self.overlap(bounds)?;
        Some(Contact { first: self.t_lower(&overlap), last: self.t_upper(&overlap) })
    }

    /// The contact with a box, decided exactly; the bounds are those of [`Beam::contact`].
    #[must_use]
    pub fn exact_box_contact(&self, bounds: &Aabb) -> Option<Contact> {
        match self.decide(bounds) {
            Verdict::CertainMiss | Verdict::FalsePositive => None,
            Verdict::CertainHit | Verdict::CloseHit => self.contact(bounds),
        }
    }

    /// The contact with a triangle, decided exactly for its corners as they are. `first` is less
    /// than two units of the last place below the exact first contact.
    #[must_use]
    pub fn triangle_contact(&self, triangle: &Triangle) -> Option<Contact> {
        let own_box = self.overlap(&triangle.bounds())?;
        if !triangle.vertices.iter().all(|vertex| vertex.is_finite()) {
            return None;
        }
        // No contact lies outside; a short range keeps the floats of the first attempt small.
        let (tmin, tmax) = (self.t_lower(&own_box), self.t_upper(&own_box).min(LATEST_CONTACT));
        let system = TriangleSystem { axes: self.axes(), triangle };
        let range = solve(&system, tmin, tmax)?;
        Some(Contact { first: range.first, last: range.last })
    }
}

/// The 26 inequalities.
struct TriangleSystem<'a> {
    axes: &'a [Axis; 3],
    triangle: &'a Triangle,
}

impl System for TriangleSystem<'_> {
    type Exact = Expansion;

    fn for_each_constraint<N: Number>(&self, add: &mut dyn FnMut(N, N)) -> Option<()> {
        let bounds = self.triangle.bounds();
        for (k, axis) in self.axes.iter().enumerate() {
            list_axis(axis, bounds.min[k], bounds.max[k], add);
        }
        let corners = self.triangle.vertices.map(|v| v.to_array().map(N::new));
        let edges: [[N; 3]; 3] = std::array::from_fn(|i| minus(&corners[(i + 1) % 3], &corners[i]));
        let zero = N::new(0.0);
        let normal = cross(&edges[0], &edges[1]);
        self.list_both_sides(&normal, &corners[0], &zero, add)?;
        for (i, edge) in edges.iter().enumerate() {
            // The edge itself projects to one point; the third corner lies on one side of it.
            let third = minus(&corners[(i + 2) % 3], &corners[i]);
            for k in 0..3 {
                let (next, last) = ((k + 1) % 3, (k + 2) % 3);
                let mut direction = [zero.clone(), zero.clone(), zero.clone()];
                direction[next] = edge[last].negated();
                direction[last] = edge[next].clone();
                let height = dot(&direction, &third);
                self.list_both_sides(&direction, &corners[i], &height, add)?;
            }
        }
        Some(())
    }
}

impl TriangleSystem<'_> {
    /// Both sides of an axis on which the triangle reaches from 0 to `height` (of either sign),
    /// seen from `corner`.
    fn list_both_sides<N: Number>(
        &self,
        direction: &[N; 3],
        corner: &[N; 3],
        height: &N,
        add: &mut dyn FnMut(N, N),
    ) -> Option<()> {
        let zero = N::new(0.0);
        self.list_side(direction, corner, height.clone().min(zero.clone()), add)?;
        let turned = direction.each_ref().map(N::negated);
        self.list_side(&turned, corner, height.negated().min(zero), add)
    }

    /// The farthest point of `Box(t)` along `direction` reaches the nearest of the triangle.
    fn list_side<N: Number>(
        &self,
        direction: &[N; 3],
        corner: &[N; 3],
        nearest: N,
        add: &mut dyn FnMut(N, N),
    ) -> Option<()> {
        let (mut need, mut slope) = (nearest, N::new(0.0));
        for (k, axis) in self.axes.iter().enumerate() {
            let (origin, velocity) = match direction[k].sign()? {
                Ordering::Equal => continue,
                Ordering::Greater => (axis.upper_origin, axis.upper_direction),
                Ordering::Less => (axis.lower_origin, axis.lower_direction),
            };
            need = need.minus(&direction[k].times(&N::new(origin).minus(&corner[k])));
            slope = slope.plus(&direction[k].times(&N::new(velocity)));
        }
        add(need, slope);
        Some(())
    }
}

/// `a - b`.
pub(crate) fn minus<N: Number>(a: &[N; 3], b: &[N; 3]) -> [N; 3] {
    std::array::from_fn(|k| a[k].minus(&b[k]))
}

/// The cross product.
pub(crate) fn cross<N: Number>(a: &[N; 3], b: &[N; 3]) -> [N; 3] {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i].times(&b[j]).minus(&a[j].times(&b[i]))
    })
}

/// The scalar product.
pub(crate) fn dot<N: Number>(a: &[N; 3], b: &[N; 3]) -> N {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2]))
}
