//! Volumes other than beams: spheres and frusta, and what they meet.
//!
//! Each grows with a parameter as a beam moves, so that "what is met first" means something: a
//! sphere by its radius (what is met first is what is nearest), a frustum by its depth. Each lies
//! in a beam whose `Box(t)` contains the part of the volume that belongs to `t`. A machine walks
//! with that beam, which misses nothing; only the tests of primitives, or of their boxes, ask the
//! volume itself, and these are decided exactly, in the world, also for what is placed there by a
//! transform (B-15).
//!
//! ```
//! use geometry::volume::{Body, Sphere, Volume};
//! use geometry::{Transform, Triangle, Vec3};
//!
//! let sphere = Volume::from(Sphere { center: Vec3::new(0.0, 3.0, 4.0), radius: 5.0 });
//! let corner = Triangle::new(Vec3::ZERO, Vec3::NEG_Y, Vec3::NEG_Z);
//! let contact = sphere.contact(Body::Triangle(&corner), None).unwrap();
//! assert_eq!([contact.first, contact.last], [5.0, 5.0]); // it touches, at its full size
//! // The same triangle, stored twice as large.
//! let map = Transform { rows: [[2., 0., 0., 0.], [0., 2., 0., 0.], [0., 0., 2., 0.]] };
//! let stored = Triangle { vertices: corner.vertices.map(|vertex| vertex * 2.0) };
//! assert_eq!(sphere.contact(Body::Triangle(&stored), Some(&map)), Some(contact));
//! assert!(sphere.beam()?.triangle_contact(&corner).unwrap().first <= 5.0);
//! # Ok::<(), geometry::volume::VolumeError>(())
//! ```
//!
//! | file | concept |
//! |---|---|
//! | [`sphere`] | spheres, and distances |
//! | [`frustum`] | pyramids that are cut off |

pub mod frustum;
pub mod sphere;

pub use frustum::Frustum;
pub use sphere::Sphere;

use crate::beam::triangle::dot;
use crate::beam::{Beam, BeamError, Contact};
use crate::half_lines::Number;
use crate::{Aabb, Transform, Triangle};
use glam::Vec3;

/// A volume.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Volume {
    /// A sphere.
    Sphere(Sphere),
    /// A frustum.
    Frustum(Frustum),
}

/// What a volume may meet.
#[derive(Debug, Clone, Copy)]
pub enum Body<'a> {
    /// A triangle.
    Triangle(&'a Triangle),
    /// A box.
    Box(&'a Aabb),
}

/// Why a volume is none.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum VolumeError {
    /// A number is NaN, or infinite where it must not be.
    #[error("not_finite: {part} is {value}")]
    NotFinite {
        /// Which.
        part: &'static str,
        /// What it is.
        value: f32,
    },
    /// A radius or a depth is negative.
    #[error("negative: {part} is {value}")]
    Negative {
        /// Which.
        part: &'static str,
        /// What it is.
        value: f32,
    },
    /// A frustum ends before it begins.
    #[error("inverted: far is {far}, near is {near}")]
    Inverted {
        /// First depth.
        near: f32,
        /// Last depth.
        far: f32,
    },
    /// A frustum has no volume.
    #[error("flat: forward, right and up lie in a plane")]
    Flat,
    /// The beam around it is invalid.
    #[error(transparent)]
    Beam(#[from] BeamError),
}

impl Volume {
    /// The beam around it: `Box(t)` contains all of the volume that belongs to `t`.
    ///
    /// # Errors
    /// The first rule that the numbers break.
    pub fn beam(&self) -> Result<Beam, VolumeError> {
        match self {
            Self::Sphere(sphere) => sphere.beam(),
            Self::Frustum(frustum) => frustum.beam(),
        }
    }

    /// Its numbers: centre and radius, or eye, forward, right, up, near and far.
    #[must_use]
    pub fn numbers(&self) -> Vec<f32> {
        let (vectors, rest) = match *self {
            Self::Sphere(Sphere { center, radius }) => (vec![center], vec![radius]),
            Self::Frustum(Frustum { eye, forward, right, up, near, far }) => {
                (vec![eye, forward, right, up], vec![near, far])
            }
        };
        vectors.iter().flat_map(Vec3::to_array).chain(rest).collect()
    }

    /// When it meets a body of the space that `map`, if there is one, leads to from the world. The
    /// body in the world is the exact preimage, and the answer is exact for it: `first` is less
    /// than two units of the last place below the first contact. A volume without a beam, an empty
    /// box and what is not finite meet nothing.
    #[must_use]
    pub fn contact(&self, body: Body<'_>, map: Option<&Transform>) -> Option<Contact> {
        let (bounds, is_met);
        let body = match body {
            Body::Triangle(triangle) => {
                is_met = triangle.vertices.iter().all(|vertex| vertex.is_finite());
                body
            }
            Body::Box(open) => {
                // Nothing is asked about beyond the largest float: a box may end there too.
                let limit = Vec3::splat(f32::MAX);
                bounds = Aabb::new(open.min.max(-limit), open.max.min(limit));
                is_met = bounds.is_finite() && !bounds.is_empty();
                Body::Box(&bounds)
            }
        };
        match self {
            _ if !is_met => None,
            Self::Sphere(sphere) => sphere.contact(body, map),
            Self::Frustum(frustum) => frustum.contact(body, map),
        }
    }
}

impl From<Sphere> for Volume {
    fn from(sphere: Sphere) -> Self {
        Self::Sphere(sphere)
    }
}

impl From<Frustum> for Volume {
    fn from(frustum: Frustum) -> Self {
        Self::Frustum(frustum)
    }
}

/// Refuses what is not finite.
fn check_finite(part: &'static str, numbers: &[f32]) -> Result<(), VolumeError> {
    match numbers.iter().find(|x| !x.is_finite()) {
        Some(&value) => Err(VolumeError::NotFinite { part, value }),
        None => Ok(()),
    }
}

/// Refuses what is negative.
fn check_sign(part: &'static str, value: f32) -> Result<(), VolumeError> {
    if value < 0.0 { Err(VolumeError::Negative { part, value }) } else { Ok(()) }
}

/// A point (`w` 1) or a vector (`w` 0) in the space that a map leads to, without rounding.
fn moved<N: Number>(v: Vec3, w: f32, map: Option<&Transform>) -> [N; 3] {
    let v = v.to_array().map(N::new);
    let Some(map) = map else { return v };
    map.rows.map(|row| {
        let [x, y, z, offset] = row.map(N::new);
        dot(&[x, y, z], &v).plus(&offset.times(&N::new(w)))
    })
}
