//! Pinhole cameras.

use geometry::{Aabb, Ray, Vec3};
use glam::DVec3;

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

/// Room around a scene that is framed, as a factor of the distance.
const MARGIN: f64 = 1.08;

impl Camera {
    /// A camera that sees all of `bounds`, from above and to the side, in a picture that is at
    /// least as wide as it is high.
    #[must_use]
    pub fn framing(bounds: &Aabb) -> Self {
        let fov = 40.0f32;
        let bounds = if bounds.is_empty() { Aabb::new(-Vec3::ONE, Vec3::ONE) } else { *bounds };
        let center = bounds.center();
        let from = DVec3::new(0.28, 0.25, 0.93).normalize();
        let toward = Self { eye: from.as_vec3(), target: Vec3::ZERO, up: Vec3::Y, fov };
        let [right, up, _] = toward.axes().map(Vec3::as_dvec3);
        let half = (0.5 * f64::from(fov).to_radians()).tan();
        // Each corner must be as far away as its offset from the middle of the picture asks for.
        let distances = bounds.corners().map(|corner| {
            let offset = corner.as_dvec3() - center.as_dvec3();
            offset.dot(right).abs().max(offset.dot(up).abs()) / half + offset.dot(from)
        });
        let farthest = distances.into_iter().fold(0.0, f64::max);
        let distance = if farthest > 0.0 { MARGIN * farthest } else { 1.0 };
        let eye = (center.as_dvec3() + from * distance).as_vec3();
        Self { eye, target: center, up: Vec3::Y, fov }
    }

    /// Unit vectors to the right, up and forward in the picture. They are formed in `f64`, so that
    /// no size of scene overflows; NaN if the camera looks nowhere or along its own `up`.
    #[must_use]
    pub fn axes(&self) -> [Vec3; 3] {
        let forward = (self.target.as_dvec3() - self.eye.as_dvec3()).normalize();
        let right = forward.cross(self.up.as_dvec3()).normalize();
        [right, right.cross(forward), forward].map(|axis| axis.as_vec3())
    }

    /// The ray through a point of a picture of `width` by `height` pixels; `(0.5, 0.5)` is the
    /// centre of the upper left pixel. The direction has unit length.
    #[must_use]
    pub fn ray(&self, x: f32, y: f32, width: u32, height: u32) -> Ray {
        let [right, up, forward] = self.axes();
        let half = (0.5 * self.fov.to_radians()).tan();
        let aspect = width as f32 / height as f32;
        let sx = (2.0 * x / width as f32 - 1.0) * half * aspect;
        let sy = (1.0 - 2.0 * y / height as f32) * half;
        Ray::new(self.eye, (forward + right * sx + up * sy).normalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_of_a_known_view() {
        let eye = Vec3::new(1.0, 2.0, 3.0);
        let camera =
            Camera { eye, target: Vec3::new(1.0, 2.0, -6.0), up: Vec3::Y * 7.0, fov: 40.0 };
        assert_eq!(camera.axes(), [Vec3::X, Vec3::Y, Vec3::NEG_Z]);
    }

    /// Every corner lies inside the picture, and one of them near its border, at any scale.
    #[test]
    fn framing_fills_the_picture() {
        for scale in [1.0e-37, 1.0e-20, 1.0, 1.0e20, 1.0e36] {
            let low = Vec3::new(-1.0, 2.0, 0.5) * scale;
            let bounds = Aabb::new(low, low + Vec3::new(9.0, 3.0, 5.0) * scale);
            let camera = Camera::framing(&bounds);
            let [right, up, forward] = camera.axes().map(Vec3::as_dvec3);
            let edge = (0.5 * f64::from(camera.fov).to_radians()).tan();
            let outermost = bounds
                .corners()
                .map(|corner| {
                    let offset = corner.as_dvec3() - camera.eye.as_dvec3();
                    let place = offset.dot(right).abs().max(offset.dot(up).abs());
                    place / offset.dot(forward) / edge
                })
                .into_iter()
                .fold(0.0, f64::max);
            assert!((0.85..1.0).contains(&outermost), "{scale:e}: {outermost}");
            assert!(camera.ray(3.0, 4.0, 8, 6).is_traceable());
        }
    }

    #[test]
    fn nothing_and_a_point_have_a_view() {
        let point = Vec3::new(3.0, -4.0, 5.0);
        for bounds in [Aabb::EMPTY, Aabb::new(point, point)] {
            let camera = Camera::framing(&bounds);
            assert!(camera.eye.is_finite() && camera.ray(1.0, 1.0, 4, 3).is_traceable());
        }
    }
}
