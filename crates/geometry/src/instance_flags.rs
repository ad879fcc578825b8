//! How an instance treats its triangles.

use bitflags::bitflags;

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
