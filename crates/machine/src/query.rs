//! What is asked of a machine.

use bitflags::bitflags;
use geometry::Ray;

/// A question about one ray.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayQuery {
    /// The ray, in world space.
    pub ray: Ray,
    /// Which hits are wanted.
    pub kind: HitKind,
    /// Instances whose mask shares no bit with this one are not seen. A mask of 0 sees nothing, with
    /// and without instances.
    pub mask: u8,
    /// What is left out.
    pub flags: RayFlags,
}

impl RayQuery {
    /// A question that sees everything.
    #[must_use]
    pub const fn new(kind: HitKind, ray: Ray) -> Self {
        Self { ray, kind, mask: 0xFF, flags: RayFlags::empty() }
    }

    /// Whether the answer can be anything but "no hit".
    #[must_use]
    pub fn can_hit(&self) -> bool {
        self.mask != 0 && self.ray.is_traceable()
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
