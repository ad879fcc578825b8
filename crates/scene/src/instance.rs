//! Instances of objects.

use geometry::{InstanceFlags, Transform};

/// One instance of an object in the world.
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
    /// Where its records begin in the shader binding table, 24 bits.
    pub sbt_offset: u32,
    /// How its triangles are treated.
    pub flags: InstanceFlags,
}

impl Instance {
    /// A visible instance without flags.
    #[must_use]
    pub const fn new(object: usize, object_to_world: Transform) -> Self {
        Self {
            object,
            object_to_world,
            mask: 0xFF,
            custom_index: 0,
            sbt_offset: 0,
            flags: InstanceFlags::empty(),
        }
    }
}
