//! Rays.

use glam::Vec3;

/// A ray: the points `origin + t * direction` for `tmin < t < tmax`.
///
/// The direction need not have unit length; `t` counts in lengths of the direction. The layout is
/// fixed, 32 bytes in the order of the fields, so that kernels can load it as vectors.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Ray {
    /// Where the ray starts.
    pub origin: Vec3,
    /// Where it goes.
    pub direction: Vec3,
    /// Smallest parameter, excluded for triangles.
    pub tmin: f32,
    /// Largest parameter, excluded for triangles.
    pub tmax: f32,
}

impl Ray {
    /// The unbounded ray from `origin` along `direction`.
    #[must_use]
    pub const fn new(origin: Vec3, direction: Vec3) -> Self {
        Self { origin, direction, tmin: 0.0, tmax: f32::INFINITY }
    }

    /// The same ray between two parameters.
    #[must_use]
    pub const fn between(self, tmin: f32, tmax: f32) -> Self {
        Self { tmin, tmax, ..self }
    }

    /// The point at parameter `t`, rounded.
    #[must_use]
    pub fn at(&self, t: f32) -> Vec3 {
        self.origin + self.direction * t
    }

    /// Whether the ray asks a question at all. Every machine answers "no hit", without a walk, for
    /// a ray with a NaN or infinite origin or direction, a direction of length zero, a NaN bound,
    /// `tmin < 0`, an infinite `tmin`, or `tmin > tmax`. (GPURT treats such rays alike.)
    #[must_use]
    pub fn is_traceable(&self) -> bool {
        self.origin.is_finite()
            && self.direction.is_finite()
            && self.direction != Vec3::ZERO
            && self.tmin >= 0.0
            && self.tmin.is_finite()
            && self.tmin <= self.tmax
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untraceable_rays() {
        let good = Ray::new(Vec3::new(1.0, -2.0, 3.0), Vec3::new(0.0, -0.0, 1e-40));
        assert!(good.is_traceable());
        assert!(good.between(0.0, 0.0).is_traceable());
        assert!(good.between(-0.0, f32::MAX).is_traceable());
        for bad in [
            Ray { origin: Vec3::new(f32::NAN, 0.0, 0.0), ..good },
            Ray { origin: Vec3::new(0.0, f32::INFINITY, 0.0), ..good },
            Ray { direction: Vec3::new(0.0, 0.0, f32::NAN), ..good },
            Ray { direction: Vec3::new(0.0, 0.0, f32::NEG_INFINITY), ..good },
            Ray { direction: Vec3::new(0.0, -0.0, 0.0), ..good },
            good.between(f32::NAN, 1.0),
            good.between(0.0, f32::NAN),
            good.between(-1e-30, 1.0),
            good.between(2.0, 1.0),
            good.between(f32::INFINITY, f32::INFINITY),
        ] {
            assert!(!bad.is_traceable(), "{bad:?}");
        }
    }
}
