//! What is asked of a beam, and what is answered.

use geometry::Beam;
use std::cmp::Ordering;

/// A question about one beam.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BeamQuery {
    /// The beam, in world space.
    pub beam: Beam,
    /// What counts as met.
    pub leaf: LeafRule,
    /// Instances whose mask shares no bit with this one are not seen. A mask of 0 sees nothing.
    pub mask: u8,
}

impl BeamQuery {
    /// A question that sees everything, by the boxes of primitives.
    #[must_use]
    pub const fn new(beam: Beam) -> Self {
        Self { beam, leaf: LeafRule::Conservative, mask: 0xFF }
    }
}

/// When a primitive counts as met (B-11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LeafRule {
    /// When the beam meets its box.
    Conservative,
    /// When the beam meets the primitive itself, decided exactly.
    Exact,
}

impl LeafRule {
    /// Both rules, in the order in which tables show them.
    pub const ALL: [Self; 2] = [Self::Conservative, Self::Exact];

    /// The name used in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Conservative => "conservative",
            Self::Exact => "exact",
        }
    }
}

/// Which answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BeamKind {
    /// Whether anything is met.
    Any,
    /// What is met first.
    First,
    /// Everything that is met.
    Collect,
}

impl BeamKind {
    /// All kinds, in the order in which tables show them.
    pub const ALL: [Self; 3] = [Self::Any, Self::First, Self::Collect];

    /// The name used in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "beam-any",
            Self::First => "beam-first",
            Self::Collect => "beam-collect",
        }
    }
}

/// A primitive that a beam meets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BeamHit {
    /// A guaranteed lower bound of the first contact (B-7); never negative zero.
    pub t: f32,
    /// A guaranteed upper bound of the last contact.
    pub exit: f32,
    /// Which instance; 0 where there is no TLAS.
    pub instance: u32,
    /// Which geometry of the object.
    pub geometry: u32,
    /// Which primitive of the geometry.
    pub primitive: u32,
}

impl BeamHit {
    /// Who is met.
    #[must_use]
    pub const fn ids(&self) -> (u32, u32, u32) {
        (self.instance, self.geometry, self.primitive)
    }

    /// The order of `first`: smallest `(t, instance, geometry, primitive)`.
    #[must_use]
    pub fn total_cmp(&self, other: &Self) -> Ordering {
        self.t.total_cmp(&other.t).then_with(|| self.ids().cmp(&other.ids()))
    }
}

/// What a visitor wants next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Visit {
    /// Everything else.
    Continue,
    /// Only what is met at this parameter or before. A later bound than an earlier one has no effect.
    Until(f32),
    /// Nothing more.
    Stop,
}
