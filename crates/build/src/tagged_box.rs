//! Boxes in SIMD registers.
//!
//! A builder spends its time on minima and maxima of boxes. [`Bounds`] keeps a box in two
//! registers; [`TaggedBox`] stores one in 32 bytes and uses the two spare lanes for integers, as
//! Embree's `PrimRef` does. Lane `w` of a vector that came from a tagged box is therefore junk:
//! nothing here reads it.

use geometry::{Aabb, Vec3};
use glam::{Vec3A, Vec4};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A box in two registers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) min: Vec3A,
    pub(crate) max: Vec3A,
}

impl Bounds {
    /// The box that contains nothing.
    pub(crate) const EMPTY: Self =
        Self { min: Vec3A::splat(f32::INFINITY), max: Vec3A::splat(f32::NEG_INFINITY) };

    #[inline(always)]
    pub(crate) fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    #[inline(always)]
    pub(crate) fn with_point(self, point: Vec3A) -> Self {
        Self { min: self.min.min(point), max: self.max.max(point) }
    }

    /// Half the surface area. Not clamped: NaN or infinite for empty and for huge boxes, so callers
    /// compare costs such that NaN loses.
    #[inline(always)]
    pub(crate) fn half_area(self) -> f32 {
        let e = self.max - self.min;
        e.x * (e.y + e.z) + e.y * e.z
    }

    /// Twice the middle. Halving it would cost more than a multiplication: the lane of the tags
    /// mostly holds denormal numbers, which processors multiply slowly but add at full speed. It
    /// overflows for coordinates that are almost too large to be floats; callers compare such that
    /// this is harmless.
    #[inline(always)]
    pub(crate) fn doubled_center(self) -> Vec3A {
        self.min + self.max
    }

    pub(crate) fn to_aabb(self) -> Aabb {
        Aabb::new(Vec3::from(self.min), Vec3::from(self.max))
    }
}

impl From<Aabb> for Bounds {
    fn from(bounds: Aabb) -> Self {
        Self { min: bounds.min.into(), max: bounds.max.into() }
    }
}

/// A box and two integers: 32 bytes.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct TaggedBox {
    min: Vec4,
    max: Vec4,
}

impl TaggedBox {
    #[inline(always)]
    pub(crate) fn new(bounds: Bounds, tag_a: u32, tag_b: u32) -> Self {
        Self {
            min: bounds.min.extend(f32::from_bits(tag_a)),
            max: bounds.max.extend(f32::from_bits(tag_b)),
        }
    }

    #[inline(always)]
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds { min: Vec3A::from_vec4(self.min), max: Vec3A::from_vec4(self.max) }
    }

    /// The box with zeros in the spare lanes, for multiplying.
    #[inline(always)]
    pub(crate) fn clean_bounds(&self) -> Bounds {
        let clean = |corner: Vec4| Vec3A::from_vec4(Vec4::new(corner.x, corner.y, corner.z, 0.0));
        Bounds { min: clean(self.min), max: clean(self.max) }
    }

    /// The tag beside the lower corner.
    #[inline(always)]
    pub(crate) fn tag_a(&self) -> u32 {
        self.min.w.to_bits()
    }

    /// The tag beside the upper corner.
    #[inline(always)]
    pub(crate) fn tag_b(&self) -> u32 {
        self.max.w.to_bits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tags pass through float lanes: every pattern must survive, signalling NaNs too.
    #[test]
    fn tags_keep_their_bits() {
        let aabb = Aabb::new(Vec3::new(-1.0, 2.0, 3.0), Vec3::new(4.0, 5.5, 6.0));
        for tag in [0, 1, 0x7F80_0001, 0x7FC0_0000, 0xFF80_0001, u32::MAX, 0x8000_0000] {
            let boxed = std::hint::black_box(TaggedBox::new(aabb.into(), tag, !tag));
            assert_eq!((boxed.tag_a(), boxed.tag_b()), (tag, !tag));
            assert_eq!(boxed.bounds().to_aabb(), aabb);
        }
        assert_eq!(size_of::<TaggedBox>(), 32);
    }

    #[test]
    fn half_area_agrees_with_the_reference() {
        let aabb = Aabb::new(Vec3::new(-1.0, 2.0, 0.5), Vec3::new(1.0, 5.0, 7.5));
        assert_eq!(Bounds::from(aabb).half_area(), aabb.half_area());
        assert_eq!(Bounds::from(aabb).doubled_center(), Vec3A::new(0.0, 7.0, 8.0));
    }
}
