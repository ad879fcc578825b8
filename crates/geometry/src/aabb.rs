//! Axis-aligned boxes.

use glam::Vec3;

/// An axis-aligned box, closed on all sides.
///
/// A box with `min > max` on some axis is empty. [`Aabb::EMPTY`] is the neutral element of
/// [`Aabb::union`]. Fields are never NaN: readers refuse NaN before a box is made.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Aabb {
    /// Lower corner.
    pub min: Vec3,
    /// Upper corner.
    pub max: Vec3,
}

impl std::fmt::Display for Aabb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} to {}", self.min, self.max)
    }
}

impl Aabb {
    /// The box that contains nothing.
    pub const EMPTY: Self =
        Self { min: Vec3::splat(f32::INFINITY), max: Vec3::splat(f32::NEG_INFINITY) };

    /// The box between two corners.
    #[must_use]
    pub const fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }

    /// The smallest box around some points; empty for none.
    #[must_use]
    pub fn of_points(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, Self::with_point)
    }

    /// This box grown to contain `point`.
    #[must_use]
    pub fn with_point(self, point: Vec3) -> Self {
        Self { min: self.min.min(point), max: self.max.max(point) }
    }

    /// The smallest box that contains both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// What both have in common; may be empty.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    /// Whether no point lies inside.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    /// Whether every point of `other` lies inside; an empty box lies inside everything.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        other.is_empty() || (self.min.cmple(other.min).all() && self.max.cmpge(other.max).all())
    }

    /// Whether `point` lies inside or on the surface.
    #[must_use]
    pub fn contains_point(&self, point: Vec3) -> bool {
        self.min.cmple(point).all() && self.max.cmpge(point).all()
    }

    /// Edge lengths; meaningless for an empty box.
    #[must_use]
    pub fn extent(&self) -> Vec3 {
        self.max - self.min
    }

    /// The middle, formed so that it cannot overflow.
    #[must_use]
    pub fn center(&self) -> Vec3 {
        self.min * 0.5 + self.max * 0.5
    }

    /// Half the surface area, the weight of the surface-area heuristic; 0 for an empty box.
    #[must_use]
    pub fn half_area(&self) -> f32 {
        let e = self.extent().max(Vec3::ZERO);
        e.x * e.y + e.y * e.z + e.z * e.x
    }

    /// The eight corners; bit `k` of the index selects the maximum on axis `k`.
    #[must_use]
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|corner| {
            let pick = |axis: usize| {
                if corner >> axis & 1 == 1 { self.max[axis] } else { self.min[axis] }
            };
            Vec3::new(pick(0), pick(1), pick(2))
        })
    }

    /// Whether every plane is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.min.is_finite() && self.max.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brick() -> Aabb {
        Aabb::new(Vec3::new(-1.0, 2.0, 0.5), Vec3::new(1.0, 5.0, 7.5))
    }

    #[test]
    fn half_area_of_a_brick() {
        // 2 x 3 x 7: faces 6, 21 and 14.
        assert_eq!(brick().half_area(), 41.0);
        assert_eq!(Aabb::EMPTY.half_area(), 0.0);
    }

    #[test]
    fn union_and_intersection_bound_each_other() {
        let other = Aabb::new(Vec3::new(0.0, -3.0, 1.0), Vec3::new(4.0, 3.0, 2.0));
        let (both, common) = (brick().union(other), brick().intersection(other));
        assert!(both.contains(&brick()) && both.contains(&other));
        assert!(brick().contains(&common) && other.contains(&common));
        assert_eq!(common, Aabb::new(Vec3::new(0.0, 2.0, 1.0), Vec3::new(1.0, 3.0, 2.0)));
        assert_eq!(brick().union(Aabb::EMPTY), brick());
    }

    #[test]
    fn corners_span_the_box() {
        assert_eq!(Aabb::of_points(brick().corners()), brick());
    }
}
