//! What is asked of a machine.
//!
//! A query is a *shape* that moves through the world, which hits are wanted, and who is seen. The
//! shape is a ray or a beam; code that knows which one it has takes a [`RayQuery`] or a
//! [`BeamQuery`], the same question with the shape's own type. A sphere or a frustum is asked about
//! as the beam around it, and what counts as met is decided by the volume itself (B-15).

use crate::MachineError;
use bitflags::bitflags;
use geometry::volume::VolumeError;
use geometry::{Beam, Ray, Volume};

/// A question about one shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Query<S = Shape> {
    /// What moves, in world space.
    pub shape: S,
    /// Which hits are wanted.
    pub kind: HitKind,
    /// Instances whose mask shares no bit with this one are not seen. A mask of 0 sees nothing,
    /// with and without instances.
    pub mask: u8,
    /// What a ray leaves out. Beams know no flags.
    pub flags: RayFlags,
}

/// A question about a ray.
pub type RayQuery = Query<Ray>;

/// A question about a beam.
pub type BeamQuery = Query<BeamShape>;

/// What can be asked about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// A ray.
    Ray(Ray),
    /// A beam.
    Beam(BeamShape),
}

/// A beam, and what it meets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BeamShape {
    /// The beam.
    pub beam: Beam,
    /// What counts as met.
    pub leaf: LeafRule,
    /// The volume inside the beam that is asked about, if it is not the beam itself.
    pub volume: Option<Volume>,
}

impl BeamShape {
    /// A beam.
    #[must_use]
    pub const fn new(beam: Beam, leaf: LeafRule) -> Self {
        Self { beam, leaf, volume: None }
    }

    /// A sphere, whose hits have their distance as `t`, or a frustum, whose hits have their depth.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn volume(volume: impl Into<Volume>, leaf: LeafRule) -> Result<Self, VolumeError> {
        let volume = volume.into();
        Ok(Self { beam: volume.beam()?, leaf, volume: Some(volume) })
    }

    /// The name used in reports.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self.volume {
            None => "beam",
            Some(Volume::Sphere(_)) => "sphere",
            Some(Volume::Frustum(_)) => "frustum",
        }
    }
}

impl<S> Query<S> {
    /// A question that sees everything.
    #[must_use]
    pub const fn new(kind: HitKind, shape: S) -> Self {
        Self { shape, kind, mask: 0xFF, flags: RayFlags::empty() }
    }

    /// The same question about another shape.
    #[must_use]
    pub fn with_shape<T>(&self, shape: T) -> Query<T> {
        Query { shape, kind: self.kind, mask: self.mask, flags: self.flags }
    }
}

impl Query {
    /// A question about a ray that sees everything.
    #[must_use]
    pub const fn ray(kind: HitKind, ray: Ray) -> Self {
        Self::new(kind, Shape::Ray(ray))
    }

    /// A question about a beam that sees everything.
    #[must_use]
    pub const fn beam(kind: HitKind, beam: Beam, leaf: LeafRule) -> Self {
        Self::new(kind, Shape::Beam(BeamShape::new(beam, leaf)))
    }
}

impl Query {
    /// The question about a ray, for a machine that answers no others.
    ///
    /// # Errors
    /// When it is about a beam.
    pub fn as_ray(&self, machine: &'static str) -> Result<RayQuery, MachineError> {
        match self.shape {
            Shape::Ray(ray) => Ok(self.with_shape(ray)),
            Shape::Beam(_) => Err(MachineError::Beam { machine }),
        }
    }
}

impl RayQuery {
    /// Whether the answer can be anything but "no hit".
    #[must_use]
    pub fn can_hit(&self) -> bool {
        self.mask != 0 && self.shape.is_traceable()
    }
}

impl From<RayQuery> for Query {
    fn from(query: RayQuery) -> Self {
        query.with_shape(Shape::Ray(query.shape))
    }
}

impl From<BeamQuery> for Query {
    fn from(query: BeamQuery) -> Self {
        query.with_shape(Shape::Beam(query.shape))
    }
}

/// Which hits are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HitKind {
    /// The first one, in the order of [`crate::Hit::total_cmp`].
    Closest,
    /// Any one; which one is up to the machine.
    Any,
    /// Each primitive's, once, in the order of [`crate::Hit::total_cmp`].
    All,
}

impl HitKind {
    /// All kinds, in the order in which tables show them.
    pub const ALL: [Self; 3] = [Self::Closest, Self::Any, Self::All];

    /// The name used in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Closest => "closest",
            Self::Any => "any",
            Self::All => "all",
        }
    }
}

/// When a primitive counts as met by a beam (B-11).
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

bitflags! {
    /// What a ray leaves out; numbered as in Vulkan and DXR, whose flags 0x4 (accept the first hit)
    /// and 0x8 (skip the closest-hit shader) have no meaning here.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct RayFlags: u32 {
        /// Everything counts as opaque.
        const FORCE_OPAQUE = 0x1;
        /// Nothing counts as opaque.
        const FORCE_NON_OPAQUE = 0x2;
        /// Triangles seen from behind are not hit.
        const CULL_BACK = 0x10;
        /// Triangles seen from the front are not hit.
        const CULL_FRONT = 0x20;
        /// Opaque primitives are not hit.
        const CULL_OPAQUE = 0x40;
        /// Non-opaque primitives are not hit.
        const CULL_NON_OPAQUE = 0x80;
        /// Triangles are not hit.
        const SKIP_TRIANGLES = 0x100;
        /// Procedural boxes are not hit.
        const SKIP_PROCEDURAL = 0x200;
    }
}
