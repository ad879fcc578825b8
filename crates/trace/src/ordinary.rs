//! Which rays and worlds the fast kernels take.
//!
//! Kernels test boxes with `fma(plane, 1/d, -o/d)`. Coordinates and directions of moderate size
//! keep that free of overflow, and a direction that is zero or tiny on an axis can be replaced by a
//! small one: within the reach `R` of the scene the ray then moves by at most `2^-40 R`, far less
//! than it is dilated by. Everything else goes to the scalar walk.

use geometry::{Ray, Vec3};

/// Coordinates and bounds up to this are ordinary: `2^40`.
pub(crate) const LARGEST: f32 = 1_099_511_627_776.0;

/// The largest component of a direction lies between the reciprocal of [`LARGEST`] and [`LARGEST`].
pub(crate) const SMALLEST: f32 = 1.0 / LARGEST;

/// Whether a kernel can take the ray, in a world that is ordinary itself. Kernels ask the same in
/// vectors, and are compared with this.
pub(crate) fn is_ordinary(ray: &Ray) -> bool {
    let Ray { origin, direction, tmin, tmax } = *ray;
    let size = direction.abs();
    let is_normal = |d: f32| (d == 0.0) | (d >= f32::MIN_POSITIVE);
    // NaN fails each of these. All are evaluated: none of them is likely to decide.
    size.max_element().ge(&SMALLEST)
        & size.cmple(Vec3::splat(LARGEST)).all()
        & origin.abs().cmple(Vec3::splat(LARGEST)).all()
        & (0.0..=LARGEST).contains(&tmin)
        & (tmin <= tmax)
        & is_normal(size.x)
        & is_normal(size.y)
        & is_normal(size.z)
}
