//! Pinhole cameras.

use geometry::{Aabb, Frustum, Ray, Vec3};
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

/// A camera and what the source calls it.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedCamera {
    /// The name, or empty.
    pub name: String,
    /// The camera.
    pub camera: Camera,
}

impl From<Camera> for NamedCamera {
    /// A camera without a name.
    fn from(camera: Camera) -> Self {
        Self { name: String::new(), camera }
    }
}

/// Room around a scene that is framed, as a factor of its size.
const MARGIN: f64 = 1.1;

impl Camera {
    /// What it sees between two depths in a picture that is `aspect` times as wide as it is high.
    #[must_use]
    pub fn frustum(&self, aspect: f32, near: f32, far: f32) -> Frustum {
        let [right, up, forward] = self.axes();
        let half = (0.5 * self.fov.to_radians()).tan();
        let (right, up) = (right * (half * aspect), up * half);
        Frustum { eye: self.eye, forward, right, up, near, far }
    }

    /// A camera that sees all of `bounds`, from above and to the side, in a picture that is at
    /// least as wide as it is high.
    #[must_use]
    pub fn framing(bounds: &Aabb) -> Self {
        let bounds = if bounds.is_empty() { Aabb::new(-Vec3::ONE, Vec3::ONE) } else { *bounds };
        Self::fitting(|see| bounds.corners().into_iter().for_each(see), 1.0)
    }

    /// The camera that sees all of some points, from above and to the side, as large as they can be
    /// in a picture that is `aspect` times as wide as it is high. `for_each` hands the points over.
    /// Without points it looks at the middle of the world.
    #[must_use]
    pub fn fitting(for_each: impl FnOnce(&mut dyn FnMut(Vec3)), aspect: f32) -> Self {
        let fov = 40.0f32;
        let from = DVec3::new(0.28, 0.30, 0.91).normalize();
        let toward = Self { eye: from.as_vec3(), target: Vec3::ZERO, up: Vec3::Y, fov };
        let [right, up, forward] = toward.axes().map(Vec3::as_dvec3);
        let half = (0.5 * f64::from(fov).to_radians()).tan() / MARGIN;
        let halves = [half * f64::from(aspect), half];
        // A point lies in the picture if, on both axes of it, its offset from the eye is at most
        // its depth times `half`. So the eye lies in the wedge that the outermost points span.
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::INFINITY; 2]);
        let (mut nearest, mut farthest) = (f64::INFINITY, f64::INFINITY);
        // Comparisons, as there may be millions of points: `min` is a call in WebAssembly.
        let lower = |least: &mut f64, value: f64| {
            if value < *least {
                *least = value;
            }
        };
        for_each(&mut |point| {
            let point = point.as_dvec3();
            let depth = point.dot(forward);
            lower(&mut nearest, depth);
            lower(&mut farthest, -depth);
            let asides = [point.dot(right), point.dot(up)];
            for axis in 0..2 {
                lower(&mut low[axis], depth * halves[axis] + asides[axis]);
                lower(&mut high[axis], depth * halves[axis] - asides[axis]);
            }
        });
        farthest = -farthest;
        if nearest > farthest {
            return Self { eye: from.as_vec3(), target: Vec3::ZERO, up: Vec3::Y, fov };
        }
        let tip = |axis: usize| 0.5 * (low[axis] + high[axis]) / halves[axis];
        let aside = |axis: usize| 0.5 * (low[axis] - high[axis]);
        let depth = tip(0).min(tip(1));
        let middle = 0.5 * (nearest + farthest);
        // One point, or many in one place: any distance will do.
        let depth = if middle > depth { depth } else { middle - 1.0 };
        let at = |depth: f64| (right * aside(0) + up * aside(1) + forward * depth).as_vec3();
        Self { eye: at(depth), target: at(middle), up: Vec3::Y, fov }
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
        self.picture(width, height).ray(x, y)
    }

    /// A picture of `width` by `height` pixels: what all of its rays share.
    #[must_use]
    pub fn picture(&self, width: u32, height: u32) -> Picture {
        let [right, up, forward] = self.axes();
        let half = (0.5 * self.fov.to_radians()).tan();
        let (width, height) = (width as f32, height as f32);
        Picture { eye: self.eye, right, up, forward, half, width, height }
    }
}

/// A picture that a camera takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Picture {
    eye: Vec3,
    right: Vec3,
    up: Vec3,
    forward: Vec3,
    /// Half the height at distance 1.
    half: f32,
    width: f32,
    height: f32,
}

impl Picture {
    /// The ray through a point of the picture, as [`Camera::ray`] has it.
    #[must_use]
    pub fn ray(&self, x: f32, y: f32) -> Ray {
        let aspect = self.width / self.height;
        let sx = (2.0 * x / self.width - 1.0) * self.half * aspect;
        let sy = (1.0 - 2.0 * y / self.height) * self.half;
        Ray::new(self.eye, (self.forward + self.right * sx + self.up * sy).normalize())
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

    /// Every corner lies inside the picture, and some near two opposite borders, at any scale.
    #[test]
    fn framing_fills_the_picture() {
        let edge = (20f64.to_radians()).tan();
        for scale in [1.0e-37, 1.0e-20, 1.0, 1.0e20, 1.0e36] {
            let low = Vec3::new(-1.0, 2.0, 0.5) * scale;
            let bounds = Aabb::new(low, low + Vec3::new(9.0, 3.0, 5.0) * scale);
            for (camera, aspect) in [
                (Camera::framing(&bounds), 1.0),
                (Camera::fitting(|see| bounds.corners().into_iter().for_each(see), 2.5), 2.5),
            ] {
                let [right, up, forward] = camera.axes().map(Vec3::as_dvec3);
                // How far out the corners lie on each side, as shares of half the picture.
                let mut sides = [[0.0f64; 2]; 2];
                for corner in bounds.corners() {
                    let offset = corner.as_dvec3() - camera.eye.as_dvec3();
                    let out = [offset.dot(right) / aspect, offset.dot(up)];
                    for (side, out) in sides.iter_mut().zip(out) {
                        let share = out / offset.dot(forward) / edge;
                        *side = [side[0].max(-share), side[1].max(share)];
                    }
                }
                let full = 1.0 / MARGIN;
                assert!(sides.iter().flatten().all(|side| *side < full + 1e-3), "{sides:?}");
                // Both borders of one axis are reached.
                let is_full = |side: &[f64; 2]| side.iter().all(|share| *share > full - 1e-3);
                assert!(sides.iter().any(is_full), "{scale:e}: {sides:?}");
                assert!(camera.ray(3.0, 4.0, 8, 6).is_traceable());
            }
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
