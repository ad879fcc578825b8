//! Pinhole cameras.

use geometry::{Aabb, Ray, Vec3};

/// A pinhole camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Where it stands.
    pub eye: Vec3,
    /// What it looks at.
    pub target: Vec3,
    /// Which way is up in the picture.
    pub up: Vec3,
    /// Vertical field of view in degrees.
    pub fov: f32,
}

impl Camera {
    /// A camera that sees all of `bounds`, from above and to the side.
    #[must_use]
    pub fn framing(bounds: &Aabb) -> Self {
        let fov = 40.0f32;
        let (center, radius) = if bounds.is_empty() {
            (Vec3::ZERO, 1.0)
        } else {
            (bounds.center(), 0.5 * bounds.extent().length())
        };
        let radius = if radius > 0.0 { radius } else { 1.0 };
        let distance = 1.05 * radius / (0.5 * fov.to_radians()).sin();
        let from = Vec3::new(0.28, 0.25, 0.93).normalize();
        Self { eye: center + from * distance, target: center, up: Vec3::Y, fov }
    }

    /// The ray through a point of a picture of `width` by `height` pixels; `(0.5, 0.5)` is the centre of
    /// the upper left pixel. The direction has unit length.
    #[must_use]
    pub fn ray(&self, x: f32, y: f32, width: u32, height: u32) -> Ray {
        let forward = (self.target - self.eye).normalize();
        let right = forward.cross(self.up).normalize();
        let up = right.cross(forward);
        let half = (0.5 * self.fov.to_radians()).tan();
        let aspect = width as f32 / height as f32;
        let sx = (2.0 * x / width as f32 - 1.0) * half * aspect;
        let sy = (1.0 - 2.0 * y / height as f32) * half;
        Ray::new(self.eye, (forward + right * sx + up * sy).normalize())
    }
}
