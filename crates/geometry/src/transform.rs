//! Affine transforms.

use crate::rounding::{narrow_down, narrow_up};
use crate::{Aabb, Ray};
use glam::{DMat3, DVec3, Vec3};

/// An affine map as three rows of `(m0, m1, m2, translation)`, the order in which APIs and hardware
/// store it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transform {
    /// The rows.
    pub rows: [[f32; 4]; 3],
}

/// A transform that has no usable inverse.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("the transform is singular or not finite (determinant {determinant:e})")]
pub struct SingularTransform {
    /// Determinant of the linear part.
    pub determinant: f64,
}

impl Transform {
    /// The map that changes nothing.
    pub const IDENTITY: Self =
        Self { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };

    /// A translation.
    #[must_use]
    pub fn translation(by: Vec3) -> Self {
        let mut moved = Self::IDENTITY;
        for (row, offset) in moved.rows.iter_mut().zip(by.to_array()) {
            row[3] = offset;
        }
        moved
    }

    /// The map that applies `inner` first, then `self`; formed in `f64` and rounded once.
    #[must_use]
    pub fn after(&self, inner: &Self) -> Self {
        let (outer, inner) = (self.to_f64(), inner.to_f64());
        Self::from_f64(outer.0 * inner.0, outer.0 * inner.1 + outer.1)
    }

    /// The inverse, formed in `f64` and rounded once.
    ///
    /// # Errors
    /// When an entry is not finite, the determinant is zero or lost in rounding, or the inverse
    /// overflows.
    pub fn inverse(&self) -> Result<Self, SingularTransform> {
        let (linear, offset) = self.to_f64();
        let determinant = linear.determinant();
        let scale = linear.x_axis.length() * linear.y_axis.length() * linear.z_axis.length();
        let singular = SingularTransform { determinant };
        if determinant.is_nan() || determinant.abs() <= scale * f64::EPSILON * 16.0 {
            return Err(singular);
        }
        let inverse = linear.inverse();
        let result = Self::from_f64(inverse, -(inverse * offset));
        if result.is_finite() { Ok(result) } else { Err(singular) }
    }

    /// Whether every entry is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.rows.iter().flatten().all(|x| x.is_finite())
    }

    /// A point moved by the GFX12 unit's chain of fused operations:
    /// `fma(x, m0, fma(y, m1, fma(z, m2, m3)))`.
    #[must_use]
    #[inline]
    pub fn point(&self, p: Vec3) -> Vec3 {
        Vec3::from_array(
            self.rows.map(|[m0, m1, m2, m3]| p.x.mul_add(m0, p.y.mul_add(m1, p.z.mul_add(m2, m3)))),
        )
    }

    /// A direction moved by the same chain; the innermost term is a plain product.
    #[must_use]
    #[inline]
    pub fn vector(&self, d: Vec3) -> Vec3 {
        Vec3::from_array(
            self.rows.map(|[m0, m1, m2, _]| d.x.mul_add(m0, d.y.mul_add(m1, d.z * m2))),
        )
    }

    /// The ray in the space that this transform leads to. `t` keeps its meaning; directions are not
    /// normalised. Every machine and the oracle move rays with this arithmetic.
    #[must_use]
    #[inline]
    pub fn ray(&self, ray: &Ray) -> Ray {
        Ray { origin: self.point(ray.origin), direction: self.vector(ray.direction), ..*ray }
    }

    /// A box around the image of `bounds` under the *exact* map, rounded outward.
    #[must_use]
    pub fn bounds(&self, bounds: &Aabb) -> Aabb {
        let (linear, offset) = self.to_f64();
        bounds_f64(linear, offset, bounds.corners())
    }

    /// A box around the preimage of `bounds` under the exact map, rounded outward.
    ///
    /// # Errors
    /// As [`Transform::inverse`].
    pub fn preimage_bounds(&self, bounds: &Aabb) -> Result<Aabb, SingularTransform> {
        self.preimage_bounds_of(bounds.corners())
    }

    /// A box around the preimages of points under the exact map, rounded outward; empty for none.
    ///
    /// # Errors
    /// As [`Transform::inverse`].
    pub fn preimage_bounds_of(
        &self,
        points: impl IntoIterator<Item = Vec3>,
    ) -> Result<Aabb, SingularTransform> {
        self.inverse()?;
        let (linear, offset) = self.to_f64();
        let inverse = linear.inverse();
        Ok(bounds_f64(inverse, -(inverse * offset), points))
    }

    /// The linear part (columns) and the translation.
    #[must_use]
    pub fn to_f64(&self) -> (DMat3, DVec3) {
        let [x, y, z] = self.rows.map(|row| row.map(f64::from));
        (
            DMat3::from_cols_array(&[x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]]),
            DVec3::new(x[3], y[3], z[3]),
        )
    }

    /// Rounds a linear part and a translation to nearest.
    #[must_use]
    pub fn from_f64(linear: DMat3, offset: DVec3) -> Self {
        Self {
            rows: std::array::from_fn(|r| {
                let row = linear.row(r);
                [row.x, row.y, row.z, offset[r]].map(|x| x as f32)
            }),
        }
    }
}

/// The box around mapped points, padded for the rounding of `f64` and rounded outward.
fn bounds_f64(linear: DMat3, offset: DVec3, points: impl IntoIterator<Item = Vec3>) -> Aabb {
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let mut magnitude = offset.abs();
    for point in points {
        let mapped = linear * point.as_dvec3() + offset;
        min = min.min(mapped);
        max = max.max(mapped);
        magnitude = magnitude.max(linear.abs() * point.as_dvec3().abs() + offset.abs());
    }
    let pad = magnitude * (8.0 * f64::EPSILON);
    Aabb::new(
        Vec3::from_array((min - pad).to_array().map(narrow_down)),
        Vec3::from_array((max + pad).to_array().map(narrow_up)),
    )
}
