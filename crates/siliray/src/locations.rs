//! Where rays meet triangles, in doubles.
//!
//! The tracer's numbers are single floats, those of a mesh and of its rays may be doubles. Which
//! triangle is hit is decided by the rounded ones; where, by the ray and the triangle's plane as
//! they were given.
//!
//! ```
//! use siliray::locations::Planes;
//! use siliray::trace::Hit;
//!
//! let corners = [[0.1, 0.2, 0.3], [2.1, 0.2, 0.3], [0.1, 3.2, 0.3]];
//! let planes = Planes::new(&corners, &[[0, 1, 2]]).ok_or("no such corner")?;
//! let hit = Hit { t: 8.7, u: 0.0, v: 0.0, instance: 0, geometry: 0, primitive: 0 };
//! let place = planes.location([0.5, 0.5, 9.0], [0.0, 0.0, -1.0], &hit);
//! // Doubles near 9, where the ray begins, are 2e-15 apart; single floats near 0.3 are 3e-8 apart.
//! assert!((place[2] - 0.3).abs() < 2e-15);
//! # Ok::<(), &str>(())
//! ```

use machine::Hit;

/// How far, as a share of it, the parameter of a hit and that of its plane may differ. Where they
/// differ more, the ray runs along the plane, and rounding the ray has moved the place.
const CLOSE: f64 = 1e-2;

/// The planes of a mesh's triangles.
#[derive(Debug, Clone, PartialEq)]
pub struct Planes {
    /// A normal, and its product with a point of the plane.
    planes: Vec<[f64; 4]>,
}

impl Planes {
    /// Those of triangles by their corners. `None` if one names no vertex.
    #[must_use]
    pub fn new(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Option<Self> {
        let plane = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|corner| vertices.get(corner as usize));
            let (a, b, c) = (a?, b?, c?);
            let edge = |to: &[f64; 3]| [0, 1, 2].map(|axis| to[axis] - a[axis]);
            let normal = cross(edge(b), edge(c));
            Some([normal[0], normal[1], normal[2], dot(normal, *a)])
        };
        Some(Self { planes: triangles.iter().map(plane).collect::<Option<_>>()? })
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.planes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.planes.is_empty()
    }

    /// Where rays, by origin and direction, meet the planes of the triangles that they hit:
    /// `hit.primitive` of each. Of a miss nothing is said. A triangle without a plane is met at the
    /// parameter of the hit.
    pub fn locations(
        &self,
        rays: &[([f64; 3], [f64; 3])],
        hits: &[Hit],
        locations: &mut [[f64; 3]],
    ) {
        let parts = rays.chunks(BLOCK).zip(hits.chunks(BLOCK)).zip(locations.chunks_mut(BLOCK));
        for ((rays, hits), locations) in parts {
            // Planes lie here and there in memory. They are fetched before anything is computed, so
            // that many are on their way at once.
            let mut planes = [[0.0; 4]; BLOCK];
            for (plane, hit) in planes.iter_mut().zip(hits) {
                if let Some(known) = self.planes.get(hit.primitive as usize) {
                    *plane = *known;
                }
            }
            let known = planes.iter().zip(hits).zip(rays);
            for (location, ((plane, hit), (origin, direction))) in locations.iter_mut().zip(known) {
                *location = place(*plane, *origin, *direction, f64::from(hit.t));
            }
        }
    }

    /// The same for one ray.
    #[must_use]
    pub fn location(&self, origin: [f64; 3], direction: [f64; 3], hit: &Hit) -> [f64; 3] {
        let plane = self.planes.get(hit.primitive as usize).copied().unwrap_or_default();
        place(plane, origin, direction, f64::from(hit.t))
    }
}

/// Planes that are fetched together.
const BLOCK: usize = 64;

/// Where a ray meets a plane, if that is close to the parameter of a hit; else there. A plane of
/// zeros is none.
fn place([x, y, z, offset]: [f64; 4], origin: [f64; 3], direction: [f64; 3], t: f64) -> [f64; 3] {
    let normal = [x, y, z];
    let exact = (offset - dot(normal, origin)) / dot(normal, direction);
    let t = if (exact - t).abs() <= CLOSE * t { exact } else { t };
    [0, 1, 2].map(|axis| origin[axis] + direction[axis] * t)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [[f64; 3]; 3] = [[0.3, -0.2, 1.7], [4.1, 0.9, 2.2], [-0.8, 3.3, 0.4]];

    fn hit(t: f32) -> Hit {
        Hit { t, u: 0.0, v: 0.0, instance: 0, geometry: 0, primitive: 0 }
    }

    #[test]
    fn a_location_lies_on_the_plane_and_on_the_ray() {
        let planes = Planes::new(&CORNERS, &[[0, 1, 2]]).unwrap();
        let inside = [0, 1, 2]
            .map(|axis| 0.5 * CORNERS[0][axis] + 0.3 * CORNERS[1][axis] + 0.2 * CORNERS[2][axis]);
        let origin = [7.0, -3.0, 11.0];
        let direction = [0, 1, 2].map(|axis| (inside[axis] - origin[axis]) / 3.0);
        // The parameter as a single float has it, and a little more.
        let hit = hit(3.000_01);
        let found = planes.location(origin, direction, &hit);
        for axis in 0..3 {
            assert!((found[axis] - inside[axis]).abs() < 1e-14, "{found:?}");
        }
        let mut all = [[0.0; 3]; 150];
        planes.locations(&[(origin, direction); 150], &[hit; 150], &mut all);
        assert!(all.iter().all(|location| *location == found));
    }

    #[test]
    fn a_ray_along_the_plane_keeps_the_parameter_of_its_hit() {
        let planes = Planes::new(&CORNERS, &[[0, 1, 2]]).unwrap();
        let along = [0, 1, 2].map(|axis| CORNERS[1][axis] - CORNERS[0][axis]);
        let found = planes.location([0.0, 0.0, 0.0], along, &hit(0.5));
        assert_eq!(found, along.map(|step| step * 0.5));
        assert_eq!(Planes::new(&CORNERS, &[[0, 1, 3]]), None);
    }
}
