//! Hits and their order.

use std::cmp::Ordering;

/// Where a ray or a beam met a primitive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Ray parameter; never NaN and never negative zero. For a beam, a guaranteed lower bound of
    /// the first contact (B-7).
    pub t: f32,
    /// Weight of the triangle's second corner; 0 for a procedural box. For a beam, what
    /// [`Hit::exit`] says.
    pub u: f32,
    /// Weight of the triangle's third corner; 0 for a procedural box and for a beam.
    pub v: f32,
    /// Which instance; 0 where there is no TLAS.
    pub instance: u32,
    /// Which geometry of the object.
    pub geometry: u32,
    /// Which primitive of the geometry.
    pub primitive: u32,
}

impl Hit {
    /// No hit, where an answer must be a hit: infinitely far away, on nothing. It comes after every
    /// other hit.
    pub const MISS: Self = Self {
        t: f32::INFINITY,
        u: 0.0,
        v: 0.0,
        instance: u32::MAX,
        geometry: u32::MAX,
        primitive: u32::MAX,
    };

    /// Whether this is [`Hit::MISS`].
    #[must_use]
    pub fn is_miss(&self) -> bool {
        self.t == f32::INFINITY
    }

    /// What was met.
    #[must_use]
    pub const fn ids(&self) -> (u32, u32, u32) {
        (self.instance, self.geometry, self.primitive)
    }

    /// A guaranteed upper bound of a beam's last contact.
    #[must_use]
    pub const fn exit(&self) -> f32 {
        self.u
    }

    /// The order of hits: smallest `(t, instance, geometry, primitive)` first. A walk accepts a
    /// candidate if and only if it comes before its best so far, and visits boxes at equal `t`, so
    /// ties are settled alike everywhere.
    #[must_use]
    pub fn total_cmp(&self, other: &Self) -> Ordering {
        self.t.total_cmp(&other.t).then_with(|| self.ids().cmp(&other.ids()))
    }

    /// Whether this hit comes before `best`.
    #[must_use]
    pub fn is_closer_than(&self, best: Option<&Self>) -> bool {
        best.is_none_or(|best| self.total_cmp(best).is_lt())
    }
}
