//! Polygons become triangles: a fan where the polygon is convex, ears cut off one by one where it
//! is not (Meisters 1975), so that a concave polygon is covered once and nothing outside it.
//!
//! The polygon is looked at along its Newell normal's greatest axis, in `f64`, where the sign of a
//! turn between `f32` points is right but for cancellation at the last bit.

use geometry::Vec3;
use glam::DVec2;

/// Clipping takes time with the square of the corners, so a polygon with more than this is fanned.
const MOST_CORNERS_TO_CLIP: usize = 2048;

/// Adds the triangles of a polygon, `corners - 2` of them, in its own winding. All corners must be
/// valid positions.
pub(crate) fn triangulate(corners: &[u32], positions: &[Vec3], triangles: &mut Vec<[u32; 3]>) {
    if let &[a, b, c] = corners {
        triangles.push([a, b, c]);
    } else if let Some(order) = ears(corners, positions) {
        triangles.extend(order.iter().map(|ear| ear.map(|corner| corners[corner])));
    } else if let Some((&first, rest)) = corners.split_first() {
        triangles.extend(rest.windows(2).map(|pair| [first, pair[0], pair[1]]));
    }
}

/// The ears of a concave polygon in the order in which they are cut; nothing where a fan will do.
fn ears(corners: &[u32], positions: &[Vec3]) -> Option<Vec<[usize; 3]>> {
    if corners.len() > MOST_CORNERS_TO_CLIP {
        return None;
    }
    let points = flatten(corners, positions)?;
    let count = points.len();
    let bends = |i: usize| turn(points[i], points[(i + 1) % count], points[(i + 2) % count]) < 0.0;
    if !(0..count).any(bends) {
        return None;
    }
    Some(Clipper::new(&points).clip())
}

/// A polygon from which ears are cut. Cutting one can only change its two neighbours (Eberly 2002),
/// so the whole takes time with the square of the corners.
struct Clipper<'a> {
    points: &'a [DVec2],
    before: Vec<usize>,
    after: Vec<usize>,
    /// Corners that bend inward, or did before their neighbours were cut: only they can lie in an
    /// ear.
    inward: Vec<usize>,
    is_ear: Vec<bool>,
}

impl<'a> Clipper<'a> {
    fn new(points: &'a [DVec2]) -> Self {
        let count = points.len();
        let mut clipper = Self {
            points,
            before: (0..count).map(|i| (i + count - 1) % count).collect(),
            after: (0..count).map(|i| (i + 1) % count).collect(),
            inward: Vec::new(),
            is_ear: vec![false; count],
        };
        clipper.inward = (0..count).filter(|&i| clipper.turn_at(i) <= 0.0).collect();
        clipper.is_ear = (0..count).map(|i| clipper.tests_as_ear(i)).collect();
        clipper
    }

    fn clip(mut self) -> Vec<[usize; 3]> {
        let mut order = Vec::with_capacity(self.points.len() - 2);
        let mut corner = 0;
        for left in (4..=self.points.len()).rev() {
            // A polygon that crosses itself may have no ear: then any corner goes.
            let mut steps = 0;
            while !self.is_ear[corner] && steps < left {
                corner = self.after[corner];
                steps += 1;
            }
            let (before, after) = (self.before[corner], self.after[corner]);
            order.push([before, corner, after]);
            (self.after[before], self.before[after]) = (after, before);
            self.inward.retain(|&i| i != corner);
            for neighbour in [before, after] {
                self.is_ear[neighbour] = self.tests_as_ear(neighbour);
            }
            // The corner after next: ears all around make better triangles than a fan.
            corner = self.after[after];
        }
        order.push([self.before[corner], corner, self.after[corner]]);
        order
    }

    fn turn_at(&self, corner: usize) -> f64 {
        let [a, b, c] = [self.before[corner], corner, self.after[corner]].map(|i| self.points[i]);
        turn(a, b, c)
    }

    /// Whether a corner sticks out and no inward corner lies in its triangle.
    fn tests_as_ear(&self, corner: usize) -> bool {
        let ear = [self.before[corner], corner, self.after[corner]];
        let [a, b, c] = ear.map(|i| self.points[i]);
        if turn(a, b, c) <= 0.0 {
            return false;
        }
        self.inward.iter().filter(|i| !ear.contains(i)).map(|&i| self.points[i]).all(|p| {
            let outside = turn(a, b, p) < 0.0 || turn(b, c, p) < 0.0 || turn(c, a, p) < 0.0;
            // A corner that coincides with one of the ear's does not block it: holes are often
            // joined to the rim by a bridge that is walked twice.
            outside || p == a || p == b || p == c
        })
    }
}

/// The polygon in the plane, counter-clockwise; nothing if it has no area to tell its plane by.
fn flatten(corners: &[u32], positions: &[Vec3]) -> Option<Vec<DVec2>> {
    let points: Vec<_> = corners.iter().map(|&i| positions[i as usize].as_dvec3()).collect();
    // Relative to the first corner, so that a small polygon far away keeps its digits.
    let origin = *points.first()?;
    let normal = (0..points.len())
        .map(|i| (points[i] - origin).cross(points[(i + 1) % points.len()] - origin))
        .sum::<glam::DVec3>();
    let axis = normal.abs().max_position();
    if normal[axis] == 0.0 || !normal[axis].is_finite() {
        return None;
    }
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let (u, v) = if normal[axis] > 0.0 { (u, v) } else { (v, u) };
    Some(points.iter().map(|p| DVec2::new(p[u] - origin[u], p[v] - origin[v])).collect())
}

/// Positive where the path a, b, c turns left.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn area(corners: &[u32], positions: &[Vec3]) -> f64 {
        let at = |i: u32| positions[i as usize].as_dvec3();
        let normals = (1..corners.len() - 1)
            .map(|k| (at(corners[k]) - at(corners[0])).cross(at(corners[k + 1]) - at(corners[0])));
        0.5 * normals.sum::<glam::DVec3>().length()
    }

    /// Covered once: the triangles' areas add up to the polygon's, and none is turned over.
    fn assert_covered(positions: &[Vec3]) {
        let corners: Vec<u32> = (0..positions.len() as u32).collect();
        let mut triangles = Vec::new();
        triangulate(&corners, positions, &mut triangles);
        assert_eq!(triangles.len(), corners.len() - 2);
        let whole = area(&corners, positions);
        let parts: f64 = triangles.iter().map(|t| area(t, positions)).sum();
        assert!((whole - parts).abs() <= 1e-5 * whole, "{whole} {parts} {triangles:?}");
    }

    #[test]
    fn an_arrowhead_is_not_fanned_across_its_notch() {
        let p = [(0.0, 0.0), (4.0, -3.0), (1.0, 0.0), (4.0, 3.0)];
        assert_covered(&p.map(|(x, y)| Vec3::new(x, 7.0, y)));
        let mut turned = p.map(|(x, y)| Vec3::new(0.5 * x + y, x, -y));
        turned.rotate_left(1);
        assert_covered(&turned);
    }

    #[test]
    fn a_comb_is_covered() {
        let mut comb = vec![Vec3::ZERO, Vec3::new(9.0, 0.0, 0.0)];
        for tooth in (0..9).rev() {
            let height = if tooth % 2 == 0 { 5.0 } else { 1.0 };
            comb.push(Vec3::new(tooth as f32 + 0.5, height, 0.0));
        }
        assert_covered(&comb);
    }

    #[test]
    fn hopeless_polygons_still_become_triangles() {
        let line: Vec<Vec3> = (0..6).map(|i| Vec3::splat(i as f32)).collect();
        let mut triangles = Vec::new();
        triangulate(&[0, 1, 2, 3, 4, 5], &line, &mut triangles);
        assert_eq!(triangles.len(), 4);
        let bow =
            [(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.3)].map(|(x, y)| Vec3::new(x, y, 0.0));
        triangulate(&[0, 1, 2, 3], &bow, &mut triangles);
        assert_eq!(triangles.len(), 6);
    }

    proptest! {
        /// Stars about a centre are simple polygons, mostly concave.
        #[test]
        fn stars_are_covered(
            radii in prop::collection::vec(0.2f32..3.0, 4..24),
            tilt in -2.0f32..2.0,
        ) {
            let count = radii.len() as f32;
            let star: Vec<Vec3> = radii.iter().enumerate().map(|(i, r)| {
                let (sin, cos) = (i as f32 / count * std::f32::consts::TAU).sin_cos();
                Vec3::new(r * cos, r * sin + tilt * r * cos, r * sin - r * cos)
            }).collect();
            assert_covered(&star);
        }
    }
}
