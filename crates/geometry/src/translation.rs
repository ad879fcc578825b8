//! A triangle that moves in a straight line against one that stands still, exactly.
//!
//! Two triangles are disjoint if and only if an axis of a finite set separates them, and for a
//! motion without rotation that set does not depend on time: the normals, the cross products of
//! edges, and, so that coplanar and degenerate triangles need no care, the coordinate axes and
//! their cross products with the edges. (Grow one triangle by a small box: these are the face
//! normals of the difference of the two bodies, which then has volume. Everything is closed and
//! bounded, so what holds for every small box holds without one.) On each axis the extents overlap
//! from one linear inequality in `t` on, and until another: see `half_lines`. In terms of features,
//! the first contact is that of a vertex with a face or of an edge with an edge.

use crate::Triangle;
use crate::beam::Contact;
use crate::beam::triangle::{cross, dot, minus};
use crate::expansion::Expansion;
use crate::half_lines::{Number, System, solve};
use glam::Vec3;

/// When `moving`, displaced by `t * along`, touches `still`, for `t` from 0 to `until`; decided
/// exactly for the coordinates as they are. A touch is enough: bodies are closed.
///
/// `first` is a lower bound of the first contact, less than two units of the last place below it.
#[must_use]
pub fn contact(moving: &Triangle, along: Vec3, still: &Triangle, until: f32) -> Option<Contact> {
    let finite = |triangle: &Triangle| triangle.vertices.iter().all(|vertex| vertex.is_finite());
    if !(finite(moving) && finite(still) && along.is_finite()) {
        return None;
    }
    let range = solve(&Translation { moving, along, still }, 0.0, until)?;
    Some(Contact { first: range.first.max(0.0), last: range.last })
}

struct Translation<'a> {
    moving: &'a Triangle,
    along: Vec3,
    still: &'a Triangle,
}

impl System for Translation<'_> {
    type Exact = Expansion;

    fn for_each_constraint<N: Number>(&self, add: &mut dyn FnMut(N, N)) -> Option<()> {
        let exact = |point: Vec3| point.to_array().map(N::new);
        let [moving, still] = [self.moving, self.still].map(|t| t.vertices.map(exact));
        let along = exact(self.along);
        let mut list = |axis: &[N; 3]| list_axis(axis, &moving, &along, &still, add);
        let unit: [[N; 3]; 3] =
            std::array::from_fn(|k| std::array::from_fn(|i| N::new(f32::from(i == k))));
        unit.iter().for_each(&mut list);
        let edges = |corners: &[[N; 3]; 3]| -> [[N; 3]; 3] {
            std::array::from_fn(|i| minus(&corners[(i + 1) % 3], &corners[i]))
        };
        let (ours, theirs) = (edges(&moving), edges(&still));
        list(&cross(&ours[0], &ours[1]));
        list(&cross(&theirs[0], &theirs[1]));
        for edge in &ours {
            theirs.iter().chain(&unit).for_each(|other| list(&cross(edge, other)));
        }
        for edge in &theirs {
            unit.iter().for_each(|other| list(&cross(edge, other)));
        }
        Some(())
    }
}

/// Both sides of one axis: each body reaches the other.
fn list_axis<N: Number>(
    axis: &[N; 3],
    moving: &[[N; 3]; 3],
    along: &[N; 3],
    still: &[[N; 3]; 3],
    add: &mut dyn FnMut(N, N),
) {
    // Seen from a corner, so that distant bodies do not lose digits.
    let height = |corner: &[N; 3]| dot(axis, &minus(corner, &still[0]));
    let extent = |[a, b, c]: [N; 3]| {
        let low = a.clone().min(b.clone()).min(c.clone());
        (low, a.max(b).max(c))
    };
    let (ours_low, ours_high) = extent(moving.each_ref().map(height));
    let (theirs_low, theirs_high) = extent(still.each_ref().map(height));
    let speed = dot(axis, along);
    add(theirs_low.minus(&ours_high), speed.clone());
    add(ours_low.minus(&theirs_high), speed.negated());
}
