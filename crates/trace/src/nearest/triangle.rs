//! The point of a triangle that is nearest to another point, in `f64`.
//!
//! The other point is the origin: whoever asks takes it off the corners first, which is where the
//! precision of `f32` coordinates is kept. Three things are relied on:
//!
//! * **On the triangle.** The answer is a convex combination of the corners, rounded: whatever
//!   happens to thin triangles, its distance is below the true one by rounding alone.
//! * **Shared features.** Triangles that share an edge or a corner find the same bits on it,
//!   whatever the order of their corners: an edge is always taken from its smaller end.
//! * **Total.** Corners that are not finite have an infinite distance.

use glam::DVec3;

/// Below this square of the sine between two edges, a triangle's face is not trusted alone.
const THIN: f64 = 1e-20;

/// A part of a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// The inside.
    Face,
    /// The inside of the edge from this corner to the next.
    Edge(u8),
    /// A corner.
    Corner(u8),
}

/// The nearest point of a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// From the origin to it.
    pub offset: DVec3,
    /// Its squared distance; infinite if there is none.
    pub distance_squared: f64,
    /// The weights of the second and the third corner.
    pub weights: [f64; 2],
    /// Where on the triangle it lies.
    pub feature: Feature,
}

/// The point of the triangle with these corners that is nearest to the origin. Of equals the one
/// on the first edge counts.
#[must_use]
pub fn nearest_point(corners: &[DVec3; 3]) -> Nearest {
    let [a, b, c] = *corners;
    if !(a + b + c).is_finite() {
        let offset = DVec3::INFINITY;
        let distance_squared = f64::INFINITY;
        return Nearest { offset, distance_squared, weights: [0.0; 2], feature: Feature::Face };
    }
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(ac);
    let area = normal.length_squared();
    // Twice the areas of the triangles between the origin and the edges, times that of all.
    let parts = [b.cross(c).dot(normal), c.cross(a).dot(normal), a.cross(b).dot(normal)];
    let sum: f64 = parts.iter().sum();
    let is_inside = area > 0.0 && sum > 0.0 && parts.iter().all(|&part| part >= 0.0);
    let face = is_inside.then(|| {
        let [u, v, w] = parts.map(|part| part / sum);
        let offset = a * u + b * v + c * w;
        let distance_squared = offset.length_squared();
        Nearest { offset, distance_squared, weights: [v, w], feature: Feature::Face }
    });
    let is_thin = area <= THIN * ab.length_squared() * ac.length_squared();
    match face {
        Some(face) if !is_thin => face,
        _ => {
            let edges = [on_edge(corners, 0), on_edge(corners, 1), on_edge(corners, 2)];
            let candidates = edges.into_iter().chain(face);
            candidates.fold(edges[0], |best, other| {
                if other.distance_squared < best.distance_squared { other } else { best }
            })
        }
    }
}

/// The nearest point of the edge that leaves a corner.
fn on_edge(corners: &[DVec3; 3], from: usize) -> Nearest {
    let to = (from + 1) % 3;
    let is_turned = corners[to].to_array() < corners[from].to_array();
    let [start, end] = if is_turned { [to, from] } else { [from, to] };
    let along = corners[end] - corners[start];
    let share = -corners[start].dot(along) / along.length_squared();
    let (offset, share, feature) = if share >= 1.0 {
        (corners[end], 1.0, Feature::Corner(end as u8))
    } else if share > 0.0 {
        (corners[start] + along * share, share, Feature::Edge(from as u8))
    } else {
        (corners[start], 0.0, Feature::Corner(start as u8)) // also where both ends are one
    };
    let mut weights = [0.0; 3];
    (weights[start], weights[end]) = (1.0 - share, share);
    let [_, v, w] = weights;
    Nearest { offset, distance_squared: offset.length_squared(), weights: [v, w], feature }
}

/// What the side of a surface is decided by where several triangles share the nearest point: the
/// unit normal, on corners times the angle there (Bærentzen and Aanæs 2005, "Signed distance
/// computation using the angle weighted pseudonormal"). Zero for a triangle without area.
#[must_use]
pub fn weighted_normal(corners: &[DVec3; 3], feature: Feature) -> DVec3 {
    let [a, b, c] = *corners;
    let normal = (b - a).cross(c - a).normalize_or_zero();
    match feature {
        Feature::Face | Feature::Edge(_) => normal,
        Feature::Corner(corner) => {
            let corner = usize::from(corner) % 3;
            let [next, last] = [1, 2].map(|step| corners[(corner + step) % 3] - corners[corner]);
            normal * next.cross(last).length().atan2(next.dot(last))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::random::Random;

    fn point(random: &mut Random, grid: bool) -> DVec3 {
        let mut number = || {
            let number = f64::from(random.range(-4.0, 4.0));
            if grid { number.round() } else { number }
        };
        DVec3::new(number(), number(), number())
    }

    /// The region of the triangle's plane by signs of products, after Ericson, "Real-Time Collision
    /// Detection" (2005), 5.1.5: another way to the same point.
    fn by_regions(&[a, b, c]: &[DVec3; 3]) -> DVec3 {
        let (ab, ac) = (b - a, c - a);
        let (d1, d2) = (ab.dot(-a), ac.dot(-a));
        if d1 <= 0.0 && d2 <= 0.0 {
            return a;
        }
        let (d3, d4) = (ab.dot(-b), ac.dot(-b));
        if d3 >= 0.0 && d4 <= d3 {
            return b;
        }
        let (d5, d6) = (ab.dot(-c), ac.dot(-c));
        if d6 >= 0.0 && d5 <= d6 {
            return c;
        }
        let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            return a + ab * (d1 / (d1 - d3));
        }
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return a + ac * (d2 / (d2 - d6));
        }
        if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
            return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
        }
        a + ab * (vb / (va + vb + vc)) + ac * (vc / (va + vb + vc))
    }

    #[test]
    fn another_way_leads_to_the_same_point() {
        let mut random = Random(3);
        let mut seen = [0; 3];
        for round in 0..200_000 {
            let corners: [DVec3; 3] = std::array::from_fn(|_| point(&mut random, round % 2 == 0));
            let [a, b, c] = corners;
            if (b - a).cross(c - a).length() < 1e-3 {
                continue;
            }
            let found = nearest_point(&corners);
            let other = by_regions(&corners);
            assert!(found.offset.distance(other) < 1e-9, "{corners:?}: {found:?}, {other}");
            let [v, w] = found.weights;
            let placed = a * (1.0 - v - w) + b * v + c * w;
            assert!(placed.distance(found.offset) < 1e-12, "{corners:?}: {found:?}");
            seen[match found.feature {
                Feature::Face => 0,
                Feature::Edge(_) => 1,
                Feature::Corner(_) => 2,
            }] += 1;
        }
        assert!(seen.iter().all(|&count| count > 5_000), "{seen:?}");
    }

    #[test]
    fn an_edge_gives_the_same_bits_to_both_sides() {
        let mut random = Random(4);
        for _ in 0..100_000 {
            let [a, b, c, d]: [DVec3; 4] = std::array::from_fn(|_| point(&mut random, false));
            let (one, other) = (nearest_point(&[a, b, c]), nearest_point(&[b, a, d]));
            let shares = |found: &Nearest| {
                let [v, w] = found.weights;
                w == 0.0 && found.feature != Feature::Face && v >= 0.0
            };
            if shares(&one) && shares(&other) {
                assert_eq!(one.offset, other.offset);
                assert_eq!(one.distance_squared.to_bits(), other.distance_squared.to_bits());
            }
        }
    }

    #[test]
    fn triangles_without_area_are_edges_and_points() {
        let [a, b] = [DVec3::new(1.0, 2.0, 0.0), DVec3::new(1.0, -2.0, 0.0)];
        assert_eq!(nearest_point(&[a, b, b]).offset, DVec3::X);
        assert_eq!(nearest_point(&[a, a, b]).offset, DVec3::X);
        assert_eq!(nearest_point(&[a, a, a]).offset, a);
        assert_eq!(weighted_normal(&[a, a, b], Feature::Face), DVec3::ZERO);
        let lost = DVec3::new(f64::NAN, 0.0, 0.0);
        assert_eq!(nearest_point(&[a, lost, b]).distance_squared, f64::INFINITY);
    }

    #[test]
    fn angles_around_a_corner_of_a_cube_make_its_diagonal() {
        // Two triangles on one face, one on each other: the sum does not depend on how it is cut.
        let corner = DVec3::ZERO;
        let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z];
        let fan = [[corner, x, x + y], [corner, x + y, y], [corner, y, z], [corner, z, x]];
        let sum: DVec3 = fan.iter().map(|t| weighted_normal(t, Feature::Corner(0))).sum();
        assert!((sum.normalize() - DVec3::ONE.normalize()).length() < 1e-12, "{sum}");
    }
}
