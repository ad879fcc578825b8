//! What the node of an instance says, as a tree has it.

use super::inverse::is_inverse;
use crate::layout::PointerFlags;
use geometry::{InstanceFlags, Transform};
use tree::Instance;

/// An instance that nothing can see: the one of a number that no node has.
pub const UNSEEN: Instance = Instance {
    blas: 0,
    world_to_object: Transform::IDENTITY,
    object_to_world: Transform::IDENTITY,
    mask: 0,
    custom_index: 0,
    sbt_offset: 0,
    flags: InstanceFlags::empty(),
};

/// What software keeps beside an instance node.
#[derive(Debug, Clone, Copy)]
pub struct Beside {
    /// The index that the application chose.
    pub custom_index: u32,
    /// The way back to the world.
    pub object_to_world: Transform,
}

/// What the node of an instance and what is beside it say. The latter is believed about the way
/// back to the world where that undoes the node's transform.
#[must_use]
pub fn instance(
    world_to_object: Transform,
    mask: u8,
    user_data: u32,
    flags: PointerFlags,
    beside: Option<Beside>,
    below: Option<u32>,
) -> Instance {
    let way_back = beside.map(|beside| beside.object_to_world);
    Instance {
        blas: below.map_or(0, |below| below.saturating_sub(1)),
        world_to_object,
        object_to_world: way_back
            .filter(|back| is_inverse(&world_to_object, back))
            .unwrap_or_else(|| world_to_object.inverse().unwrap_or(Transform::IDENTITY)),
        mask,
        custom_index: beside.map_or(0, |beside| beside.custom_index),
        sbt_offset: user_data,
        flags: instance_flags(flags),
    }
}

/// The flags of a base pointer that an instance can have. Of a merged one: those that only an
/// instance can have set, and its force flags, which yield to the ray's.
#[must_use]
pub fn instance_flags(flags: PointerFlags) -> InstanceFlags {
    let mut own = InstanceFlags::empty();
    own.set(InstanceFlags::DISABLE_FACE_CULL, flags.contains(PointerFlags::DISABLE_FACE_CULL));
    own.set(InstanceFlags::FLIP_FACING, flags.contains(PointerFlags::FLIP_FACING));
    own.set(InstanceFlags::FORCE_OPAQUE, flags.contains(PointerFlags::FORCE_OPAQUE));
    own.set(InstanceFlags::FORCE_NON_OPAQUE, flags.contains(PointerFlags::FORCE_NON_OPAQUE));
    own
}

/// The flags of an instance as a base pointer has them.
#[must_use]
pub fn own_flags(flags: InstanceFlags) -> PointerFlags {
    let pairs = [
        (InstanceFlags::DISABLE_FACE_CULL, PointerFlags::DISABLE_FACE_CULL),
        (InstanceFlags::FLIP_FACING, PointerFlags::FLIP_FACING),
        (InstanceFlags::FORCE_OPAQUE, PointerFlags::FORCE_OPAQUE),
        (InstanceFlags::FORCE_NON_OPAQUE, PointerFlags::FORCE_NON_OPAQUE),
    ];
    let set = pairs.into_iter().filter(|(flag, _)| flags.contains(*flag));
    set.map(|(_, pointer_flag)| pointer_flag).collect()
}
