//! Placements of objects.

use bitflags::bitflags;
use geometry::Transform;

/// One placement of an object in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Instance {
    /// Which object, an index into [`crate::Scene::objects`].
    pub object: usize,
    /// From object space to world space; must be invertible.
    pub object_to_world: Transform,
    /// Seen only by rays whose mask shares a bit with this one.
    pub mask: u8,
    /// A number of the user's, 24 bits.
    pub custom_index: u32,
    /// How its triangles are treated.
    pub flags: InstanceFlags,
}

impl Instance {
    /// A visible placement without flags.
    #[must_use]
    pub const fn new(object: usize, object_to_world: Transform) -> Self {
        Self { object, object_to_world, mask: 0xFF, custom_index: 0, flags: InstanceFlags::empty() }
    }
}

bitflags! {
    /// How the triangles of an instance are treated; numbered as in Vulkan and DXR.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct InstanceFlags: u8 {
        /// Ray flags that cull front or back faces have no effect.
        const DISABLE_FACE_CULL = 1 << 0;
        /// Front and back trade places.
        const FLIP_FACING = 1 << 1;
        /// Everything counts as opaque.
        const FORCE_OPAQUE = 1 << 2;
        /// Nothing counts as opaque.
        const FORCE_NON_OPAQUE = 1 << 3;
    }
}
