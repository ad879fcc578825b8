//! The ground under a scene: objects stand on it and throw their shadow on it.
//!
//! It is a prop of the picture, not of the scene: machines do not know it, rays are only asked
//! whether they meet it before they meet anything else. Far away it fades into the horizon.

use super::light::Light;
use super::surface::{SurfacePlace, SurfacePoint, Surfaces};
use geometry::{Ray, Vec3};

/// The share of light that the ground reflects.
pub(crate) const ALBEDO: Vec3 = Vec3::new(0.50, 0.49, 0.47);

/// How far the ground lies below the lowest point, as a share of the scene's radius: enough that it
/// does not flicker through a floor.
const GAP: f32 = 1.0e-3;

/// From where to where it fades, in radii of the scene around its middle.
const FADE: [f32; 2] = [1.5, 9.0];

/// The plane below everything.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ground {
    up: Vec3,
    height: f32,
    middle: Vec3,
    radius: f32,
}

impl Ground {
    /// The ground for what is seen from `eye`; none if that lies below.
    pub(crate) fn new(surfaces: &Surfaces<'_>, light: &Light, eye: Vec3) -> Option<Self> {
        let (up, radius) = (light.up, surfaces.radius);
        let corners = surfaces.bounds.corners().map(|corner| corner.dot(up));
        let height = corners.into_iter().fold(f32::INFINITY, f32::min) - GAP * radius;
        let is_above = eye.dot(up) > height + GAP * radius;
        is_above.then_some(Self { up, height, middle: surfaces.bounds.center(), radius })
    }

    /// Where a ray meets the ground, and how much of it is lost in the distance.
    pub(crate) fn meet(&self, ray: &Ray) -> Option<(f32, SurfacePoint, f32)> {
        let down = -ray.direction.dot(self.up);
        let t = (ray.origin.dot(self.up) - self.height) / down;
        if down <= 0.0 || !t.is_finite() || t <= 0.0 {
            return None;
        }
        let position = ray.at(t);
        let aside = (position - self.middle).reject_from_normalized(self.up).length() / self.radius;
        let far = ((aside - FADE[0]) / (FADE[1] - FADE[0])).clamp(0.0, 1.0);
        let point = SurfacePoint { position, normal: self.up, place: SurfacePlace::default() };
        Some((t, point, far * (2.0 - far)))
    }
}
