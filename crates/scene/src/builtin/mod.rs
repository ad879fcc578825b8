//! Scenes made by code: no files, the same bytes each time, any size from a few hundred triangles
//! up.
//!
//! | scene | what it stresses |
//! |---|---|
//! | [`Builtin::Organic`] | one closed, watertight surface of even, small triangles |
//! | [`Builtin::Interior`] | architecture: huge and long thin triangles beside tiny ones |
//! | [`Builtin::Hairball`] | thin curved tubes whose boxes overlap everywhere |
//! | [`Builtin::Forest`] | thousands of instances of few objects; masks, flags, non-opaque leaves |
//!
//! Interior and forest draw themselves at a continuous level of detail; `detail_for` finds the
//! level for the triangles asked for, and boards or ground take up what is left.

mod forest;
mod hairball;
mod interior;
mod lattice;
mod mesh;
mod organic;
mod plants;
mod random;

use crate::{Geometry, Scene, Shape};
use geometry::Vec3;

/// A scene made by code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// A closed coral-like surface with finer folds the more triangles it may have.
    Organic,
    /// A hall with columns, arches, beams, stairs, railings, windows and blinds.
    Interior,
    /// A ball of thin curved tubes.
    Hairball,
    /// Trees, rocks and grass on a hill: instances of a few objects.
    Forest,
}

impl Builtin {
    /// Every scene, in the order in which they are listed to users.
    pub const ALL: [Self; 4] = [Self::Organic, Self::Interior, Self::Hairball, Self::Forest];

    /// The fewest triangles that still make a sensible scene; requests below are raised to it.
    pub const FEWEST_TRIANGLES: usize = 500;

    /// The most triangles; requests above are lowered to it.
    pub const MOST_TRIANGLES: usize = 100_000_000;

    /// The name that users type.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Organic => "organic",
            Self::Interior => "interior",
            Self::Hairball => "hairball",
            Self::Forest => "forest",
        }
    }

    /// The scene of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|builtin| builtin.name() == name)
    }

    /// One line for lists.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Organic => "a closed, smooth surface with fine folds",
            Self::Interior => "a hall with columns, stairs and blinds; long thin triangles",
            Self::Hairball => "thousands of thin curved tubes",
            Self::Forest => "thousands of instances of trees, rocks and grass",
        }
    }

    /// The size when none is asked for: organic 200,000; interior 300,000; hairball 500,000;
    /// forest 1,000,000 (placed).
    #[must_use]
    pub const fn default_triangles(self) -> usize {
        match self {
            Self::Organic => 200_000,
            Self::Interior => 300_000,
            Self::Hairball => 500_000,
            Self::Forest => 1_000_000,
        }
    }

    /// Makes the scene with about `triangles` triangles (within 10 %), counted as placed
    /// ([`Scene::placed_triangle_count`]). Requests outside
    /// [`Self::FEWEST_TRIANGLES`]`..=`[`Self::MOST_TRIANGLES`] are moved to the nearer end.
    ///
    /// ```
    /// use scene::builtin::Builtin;
    /// let hall = Builtin::Interior.scene(10_000);
    /// assert!(hall.placed_triangle_count().abs_diff(10_000) <= 1_000);
    /// ```
    #[must_use]
    pub fn scene(self, triangles: usize) -> Scene {
        let triangles = triangles.clamp(Self::FEWEST_TRIANGLES, Self::MOST_TRIANGLES);
        let scene = match self {
            Self::Organic => organic::scene(triangles),
            Self::Interior => interior::scene(triangles),
            Self::Hairball => hairball::scene(triangles),
            Self::Forest => forest::scene(triangles),
        };
        Scene { name: self.name().to_owned(), ..scene }
    }
}

/// The finest level of detail found whose triangle count does not exceed `triangles`, where `count`
/// grows with the level (small dips from rounding do no harm); 0 where every level is too fine.
fn detail_for(triangles: usize, count: impl Fn(f32) -> usize) -> f32 {
    let (mut low, mut high) = (0.0f32, 1.0f32);
    while count(high) < triangles && high < 1.0e6 {
        high *= 2.0;
    }
    for _ in 0..32 {
        let middle = 0.5 * (low + high);
        if count(middle) <= triangles {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// An opaque geometry of triangles.
fn mesh_of(name: &str, positions: Vec<Vec3>, indices: Vec<[u32; 3]>) -> Geometry {
    Geometry::new(name, true, Shape::Triangles { positions, indices })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;
    use std::collections::HashMap;

    #[test]
    fn names_lead_back() {
        for builtin in Builtin::ALL {
            assert_eq!(Builtin::from_name(builtin.name()), Some(builtin));
        }
        assert_eq!(Builtin::from_name("Organic"), None);
    }

    #[test]
    fn sizes_are_within_a_tenth() {
        for builtin in Builtin::ALL {
            for wanted in [
                500, 617, 711, 1_000, 1_999, 3_163, 4_999, 6_500, 8_000, 10_000, 31_623, 123_456,
                1_000_000,
            ] {
                let made = builtin.scene(wanted).placed_triangle_count();
                assert!(made.abs_diff(wanted) * 10 <= wanted, "{builtin:?} {wanted}: {made}");
            }
        }
    }

    #[test]
    fn every_index_and_position_is_good() {
        for builtin in Builtin::ALL {
            let scene = builtin.scene(20_000);
            assert!(scene.camera().is_some());
            assert!(scene.bounds().unwrap().is_finite());
            assert!(!scene.instances.is_empty() || scene.objects.len() == 1);
            for geometry in scene.objects.iter().flat_map(|o| &o.geometries) {
                let Shape::Triangles { positions, indices } = &geometry.shape else { panic!() };
                assert!(!indices.is_empty(), "{builtin:?} {}", geometry.name);
                assert!(positions.iter().all(|p| p.is_finite()));
                assert!(indices.iter().flatten().all(|&i| (i as usize) < positions.len()));
                for t in geometry.triangles() {
                    let [a, b, c] = t.vertices.map(|v| v.as_dvec3());
                    assert!((b - a).cross(c - a).length() > 0.0, "{builtin:?} {}", geometry.name);
                }
            }
        }
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        for builtin in Builtin::ALL {
            let make = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| builtin.scene(30_000))
            };
            let alone = make(1);
            assert_eq!(alone, make(2));
            assert_eq!(alone, make(7));
        }
    }

    /// Closed and consistently wound: every directed edge has its opposite exactly once.
    #[test]
    fn organic_is_watertight() {
        for size in [500, 617, 40_000] {
            let scene = Builtin::Organic.scene(size);
            let Shape::Triangles { positions, indices } = &scene.objects[0].geometries[0].shape
            else {
                panic!()
            };
            let mut edges = HashMap::new();
            for [a, b, c] in indices.iter().copied() {
                for edge in [(a, b), (b, c), (c, a)] {
                    assert!(edges.insert(edge, ()).is_none(), "edge twice: {edge:?}");
                }
            }
            assert!(edges.keys().all(|&(a, b)| edges.contains_key(&(b, a))));
            // A sphere by Euler's formula, so no vertex is unused either.
            assert_eq!(positions.len() + indices.len(), edges.len() / 2 + 2);
            let volume: f64 = scene.objects[0].geometries[0]
                .triangles()
                .map(|t| {
                    let [a, b, c] = t.vertices.map(|v| v.as_dvec3());
                    a.dot(b.cross(c)) / 6.0
                })
                .sum();
            assert!(volume > 1.0, "normals point outward: {volume}");
        }
    }

    #[test]
    fn forest_uses_what_instances_offer() {
        let scene = Builtin::Forest.scene(1_000_000);
        assert!(scene.instances.len() > 2_000, "{}", scene.instances.len());
        let plain = scene.instances.iter().filter(|i| i.mask == 0xFF).count();
        assert!(plain * 10 > scene.instances.len() * 7 && plain < scene.instances.len());
        assert!(scene.instances.iter().any(|i| !i.flags.is_empty()));
        assert!(scene.instances.iter().all(|i| i.mask != 0 && i.custom_index < 1 << 24));
        assert!(scene.instances.iter().any(|i| i.object_to_world.to_f64().0.determinant() < 0.0));
        assert!(scene.objects.iter().flat_map(|o| &o.geometries).any(|g| !g.opaque));
    }
}
