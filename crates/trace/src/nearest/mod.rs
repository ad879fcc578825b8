//! The nearest point of the surface, and on which side of it one is.
//!
//! ```
//! use geometry::Vec3;
//! use trace::Tracer;
//!
//! let scene = scene::builtin::Builtin::Organic.scene(2_000);
//! let tracer = Tracer::new(&scene)?;
//! let points = [Vec3::new(0.1, 0.2, 50.0), Vec3::ZERO];
//! let nearest = tracer.nearest_points(&points);
//! let near = tracer.nearest().within(1.0).points(&points);
//! assert!(near[0].is_miss() && nearest[0].distance > 1.0);
//! assert_eq!(nearest[0].signed_distance(), nearest[0].distance); // it is outside
//! # Ok::<(), trace::TraceError>(())
//! ```
//!
//! # What is decided, and how
//! Distances are computed in `f64`, from the coordinates as they are; of an instance, from corners
//! moved by the `f64` inverse of what rays are moved by. The nearest point is that of the smallest
//! (squared distance, instance, geometry, primitive): of equals the lowest ids. Every kernel and
//! mode gives the same bits, and so does a look at every triangle.
//!
//! Boxes only cull. With a distance `d` as computed to a triangle, `d` is below the true distance
//! to the part of it in a box by rounding alone, because what was found is a convex combination of
//! corners. That rounding is below `2^-46` of the largest offset that took part, times the
//! condition of the instance's transform. So a box that is farther than the best `d` by more than
//! this slack holds nothing nearer, and nothing that is equally near.
//!
//! Inside an instance boxes are met in its own space. A vector of length `l` there has at least
//! length `l / s` in the world, where `s` is the largest factor by which the instance's transform
//! stretches anything on its way from the world.
//!
//! | file | concept |
//! |---|---|
//! | `triangle` | the nearest point of a triangle |
//! | `placement` | what an instance does to distances |
//! | `best` | the nearest so far, and all who share it |
//! | `walk` | the walk over levels |

mod best;
mod placement;
pub mod triangle;
mod walk;

pub(crate) use placement::Placements;

use crate::Tracer;
use crate::tracer::Storage;
use geometry::Vec3;
use rayon::prelude::*;

/// Points that one task answers.
const CHUNK: usize = 1 << 8;

/// The nearest point of the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearestPoint {
    /// Where it is, in world space.
    pub point: [f64; 3],
    /// How far; infinite if there is none.
    pub distance: f64,
    /// The weight of the triangle's second corner.
    pub u: f64,
    /// The weight of its third corner.
    pub v: f64,
    /// Which instance.
    pub instance: u32,
    /// Which geometry of the object.
    pub geometry: u32,
    /// Which primitive of the geometry.
    pub primitive: u32,
    /// Whether the point that was asked about is behind the surface: on the side from which corners
    /// run clockwise, in the object's own space. Where several triangles share the nearest point,
    /// all are asked (normals weighted by angle), so that for a closed surface this is whether the
    /// point is inside. On the surface it is not.
    pub is_inside: bool,
}

impl NearestPoint {
    /// There is no surface, or none in reach.
    pub const MISS: Self = Self {
        point: [f64::INFINITY; 3],
        distance: f64::INFINITY,
        u: 0.0,
        v: 0.0,
        instance: u32::MAX,
        geometry: u32::MAX,
        primitive: u32::MAX,
        is_inside: false,
    };

    /// Whether nothing was found.
    #[must_use]
    pub fn is_miss(&self) -> bool {
        self.primitive == u32::MAX && self.distance == f64::INFINITY
    }

    /// The distance, negative inside.
    #[must_use]
    pub fn signed_distance(&self) -> f64 {
        if self.is_inside { -self.distance } else { self.distance }
    }
}

/// A question about the nearest points of the surface, to be refined. Made by [`Tracer::nearest`].
#[derive(Debug, Clone, Copy)]
pub struct NearestAsk<'a> {
    tracer: &'a Tracer,
    mask: u8,
    within: f64,
}

impl<'a> NearestAsk<'a> {
    pub(crate) fn new(tracer: &'a Tracer) -> Self {
        Self { tracer, mask: 0xFF, within: f64::INFINITY }
    }

    /// Only instances whose mask shares a bit with this one are seen. 0 sees nothing.
    #[must_use]
    pub fn mask(mut self, mask: u8) -> Self {
        self.mask = mask;
        self
    }

    /// What is farther away does not count: the sooner a search may end, the quicker it is.
    #[must_use]
    pub fn within(mut self, distance: f64) -> Self {
        self.within = distance;
        self
    }

    /// The nearest point of the surface; [`NearestPoint::MISS`] if there is none.
    #[must_use]
    pub fn point(&self, point: Vec3) -> NearestPoint {
        self.answer(point, &mut walk::Stacks::default())
    }

    /// The same for each of many points, in order, on all threads.
    #[must_use]
    pub fn points(&self, points: &[Vec3]) -> Vec<NearestPoint> {
        let mut found = vec![NearestPoint::MISS; points.len()];
        self.points_into(points, &mut found);
        found
    }

    /// The same, into `found`. Points beyond the number of answers, or the reverse, are left alone.
    pub fn points_into(&self, points: &[Vec3], found: &mut [NearestPoint]) {
        let count = points.len().min(found.len());
        let (points, found) = (&points[..count], &mut found[..count]);
        let answer = |(points, found): (&[Vec3], &mut [NearestPoint])| {
            let mut stacks = walk::Stacks::default();
            for (point, found) in points.iter().zip(found) {
                *found = self.answer(*point, &mut stacks);
            }
        };
        if count <= CHUNK {
            return answer((points, found));
        }
        points.par_chunks(CHUNK).zip(found.par_chunks_mut(CHUNK)).for_each(answer);
    }

    fn answer(&self, point: Vec3, stacks: &mut walk::Stacks) -> NearestPoint {
        let placements = self.tracer.placements();
        let ask = walk::PointAsk { point: point.as_dvec3(), mask: self.mask, within: self.within };
        match &self.tracer.storage {
            Storage::Prepared(world) => {
                walk::nearest(world, placements, &ask, &mut stacks.prepared)
            }
            Storage::InPlace(image) => walk::nearest(image, placements, &ask, &mut stacks.in_place),
        }
    }
}

impl Tracer {
    /// A question about the nearest points of the surface, to be refined.
    #[must_use]
    pub fn nearest(&self) -> NearestAsk<'_> {
        NearestAsk::new(self)
    }

    /// The nearest point of the surface: of all triangles, as they are placed; procedural boxes
    /// have no surface that is known. Of equally near triangles the one with the lowest (instance,
    /// geometry, primitive) counts. A point that is not finite has none.
    ///
    /// ```
    /// use geometry::Vec3;
    /// use trace::Tracer;
    ///
    /// let scene = scene::builtin::Builtin::Organic.scene(2_000);
    /// let tracer = Tracer::new(&scene)?;
    /// let found = tracer.nearest_point(Vec3::new(0.1, 0.2, 50.0));
    /// assert!(found.distance > 40.0 && !found.is_inside);
    /// # Ok::<(), trace::TraceError>(())
    /// ```
    #[must_use]
    pub fn nearest_point(&self, point: Vec3) -> NearestPoint {
        self.nearest().point(point)
    }

    /// The same for each of many points, in order, on all threads.
    #[must_use]
    pub fn nearest_points(&self, points: &[Vec3]) -> Vec<NearestPoint> {
        self.nearest().points(points)
    }

    /// The distance to the surface, negative inside ([`NearestPoint::is_inside`]); infinite if
    /// there is no surface. Of a surface that is not closed it says on which side of the nearest
    /// triangles the point is; where closed surfaces overlap, whether it is inside the nearest.
    #[must_use]
    pub fn signed_distance(&self, point: Vec3) -> f64 {
        self.nearest_point(point).signed_distance()
    }

    /// The same for each of many points, in order, on all threads.
    #[must_use]
    pub fn signed_distances(&self, points: &[Vec3]) -> Vec<f64> {
        self.nearest_points(points).iter().map(NearestPoint::signed_distance).collect()
    }
}
