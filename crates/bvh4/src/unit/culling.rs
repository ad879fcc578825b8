//! What pointer flags rule out: subtrees by their cull flags, triangles one by one.

use crate::layout::{CullFlags, PointerFlags};

/// Whether a base pointer's flags rule out everything below a child (G-18).
#[must_use]
pub fn is_culled_by_flags(child: CullFlags, flags: PointerFlags) -> bool {
    let force_opaque = flags.contains(PointerFlags::FORCE_OPAQUE);
    let force_non_opaque = flags.contains(PointerFlags::FORCE_NON_OPAQUE);
    let only_opaque = (child.contains(CullFlags::ONLY_OPAQUE) || force_opaque) && !force_non_opaque;
    let only_non_opaque =
        (child.contains(CullFlags::ONLY_NON_OPAQUE) || force_non_opaque) && !force_opaque;
    (only_opaque && flags.contains(PointerFlags::CULL_OPAQUE))
        || (only_non_opaque && flags.contains(PointerFlags::CULL_NON_OPAQUE))
        || (child.contains(CullFlags::ONLY_TRIANGLES)
            && flags.contains(PointerFlags::SKIP_TRIANGLES))
        || (child.contains(CullFlags::ONLY_PROCEDURAL)
            && flags.contains(PointerFlags::SKIP_PROCEDURAL))
}

/// Whether a primitive counts as opaque once force flags have had their say.
#[must_use]
pub const fn is_opaque(own: bool, flags: PointerFlags) -> bool {
    flags.contains(PointerFlags::FORCE_OPAQUE)
        || (!flags.contains(PointerFlags::FORCE_NON_OPAQUE) && own)
}

/// Whether face culling drops a triangle; instances and double-sided triangles are exempt (G-16).
#[must_use]
pub const fn is_face_culled(front: bool, double_sided: bool, flags: PointerFlags) -> bool {
    let cull = if front { PointerFlags::CULL_FRONT_FACING } else { PointerFlags::CULL_BACK_FACING };
    flags.contains(cull) && !flags.contains(PointerFlags::DISABLE_FACE_CULL) && !double_sided
}

/// Whether a primitive of this opaque class is culled.
#[must_use]
pub const fn is_class_culled(opaque: bool, flags: PointerFlags) -> bool {
    flags.contains(if opaque { PointerFlags::CULL_OPAQUE } else { PointerFlags::CULL_NON_OPAQUE })
}
