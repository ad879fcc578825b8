//! Instance node (type 6). The hardware does not read it.
//!
//! Sources: GPURT, Mesa, HIPRT.
//!
//! ```
//! use geometry::InstanceFlags;
//! use gfx10::layout::{GpurtInstanceNode, RadvInstanceNode};
//! use machine::bits::NodeBits;
//! let mut words = [0; 32];
//! words[12..15].copy_from_slice(&[0xFF00_002A, 0x0400_0007, 0x2000]);
//! let node = GpurtInstanceNode::decode(&NodeBits::from_words(words));
//! assert_eq!((node.instance_id, node.mask, node.sbt_offset), (42, 0xFF, 7));
//! assert_eq!((node.child_base.address(), node.flags()), (0x10000, InstanceFlags::FORCE_OPAQUE));
//! words[..4].copy_from_slice(&[0x2000, 0, 0xFF00_002A, 0xE000_0007]);
//! let node = RadvInstanceNode::decode(&NodeBits::from_words(words));
//! assert_eq!(node.flags(), InstanceFlags::FORCE_OPAQUE | InstanceFlags::DISABLE_FACE_CULL);
//! ```

use bvh4::layout::cull_flags::mask_text;
use bvh4::layout::{BasePointer, Bvh4Pointer};
use geometry::{InstanceFlags, Transform};
use machine::fields::{Show, hex};

machine::fields! {
    /// An instance node of GPURT, of siliray, and of files; 128 bytes.
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[source = "GPURT, Mesa, HIPRT"]
    pub struct GpurtInstanceNode: 32 words {
        /// Takes world-space rays to object space.
        pub world_to_object: Transform = 0..384;
        /// The index that the application chose.
        pub instance_id: u32 = 384..408;
        /// Culled when this and the ray's mask have no bit in common.
        pub mask: u8 = 408..416, Show::Each(mask_text);
        /// The offset into the shader binding table.
        pub sbt_offset: u32 = 416..440 => "bytes";
        /// Bit 0 no face cull, 1 flip facing, 2 force opaque, 3 force non-opaque; files of RADV
        /// have its own four bits in 4..8 (R-19).
        pub api_flags: u8 = 440..448;
        /// The structure below; flags on GFX11.
        pub child_base: BasePointer = 448..512;
        /// Position in the list of instances.
        pub instance_index: u32 = 512..544;
        /// The node of the structure where a walk starts.
        pub child_root: Bvh4Pointer = 544..576;
        /// Bytes of metadata before the structure; 0 marks an inactive instance.
        pub metadata_size: u32 = 576..608 => "bytes";
        /// 0.
        pub reserved: u32 = 608..640, Show::Unused;
        /// The inverse of the transform.
        pub object_to_world: Transform = 640..1024;
    }
}

machine::fields! {
    /// An instance node of RADV, 128 bytes.
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[source = "GPURT, Mesa, HIPRT"]
    pub struct RadvInstanceNode: 32 words {
        /// The nodes of the structure below; flags on GFX11.
        pub child_base: BasePointer = 0..64;
        /// The index that the application chose.
        pub custom_index: u32 = 64..88;
        /// Culled when this and the ray's mask have no bit in common.
        pub mask: u8 = 88..96, Show::Each(mask_text);
        /// The offset into the shader binding table.
        pub sbt_offset: u32 = 96..120 => "bytes";
        /// Bit 4 flip facing, 5 no face cull, 6 *not* force non-opaque, 7 force opaque.
        pub radv_flags: u8 = 120..128, Show::Each(hex);
        /// Takes world-space rays to object space.
        pub world_to_object: Transform = 128..512;
        /// Position in the list of instances.
        pub instance_index: u32 = 512..544;
        /// Where the nodes start in the structure below.
        pub bvh_offset: u32 = 544..576, Show::Each(hex) => "bytes";
        /// Not written.
        pub undefined: [u32; 2] = 576..640, Show::Unused;
        /// The inverse of the transform.
        pub object_to_world: Transform = 640..1024;
    }
}

machine::fields! {
    /// An instance node of HIPRT, 64 bytes.
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[source = "GPURT, Mesa, HIPRT"]
    pub struct HiprtInstanceNode: 16 words {
        /// Takes world-space rays to object space, unless the instance moves.
        pub world_to_object: Transform = 0..384;
        /// The header of the geometry.
        pub geometry_address: u64 = 384..448, Show::Each(hex);
        /// Culled when this and the ray's mask have no bit in common.
        pub mask: u32 = 448..480, Show::Each(hex);
        /// Position in the list of instances.
        pub instance_index: u32 = 480..504;
        /// Whether a scene is below.
        pub is_scene: bool = 504..505;
        /// Whether the instance does not move.
        pub is_static: bool = 505..506;
        /// Whether the transform is the identity.
        pub is_identity: bool = 506..507;
        /// Nothing.
        pub unused: u8 = 507..512, Show::Unused;
    }
}

impl GpurtInstanceNode {
    /// The flags of the instance.
    #[must_use]
    pub fn flags(&self) -> InstanceFlags {
        if self.api_flags & 0xF0 != 0 {
            return radv_flags(self.api_flags); // R-19
        }
        let bits = [0, 1, 2, 3].map(|bit| self.api_flags >> bit & 1 == 1);
        flags(bits)
    }
}

impl RadvInstanceNode {
    /// The flags of the instance.
    #[must_use]
    pub fn flags(&self) -> InstanceFlags {
        radv_flags(self.radv_flags)
    }

    /// The byte of some flags.
    #[must_use]
    pub fn flag_byte(flags: InstanceFlags) -> u8 {
        let bit = |flag, place: u8| u8::from(flags.contains(flag)) << place;
        bit(InstanceFlags::FLIP_FACING, 4)
            | bit(InstanceFlags::DISABLE_FACE_CULL, 5)
            | u8::from(!flags.contains(InstanceFlags::FORCE_NON_OPAQUE)) << 6
            | bit(InstanceFlags::FORCE_OPAQUE, 7)
    }
}

/// The flags as the API numbers them: what GPURT's byte holds.
#[must_use]
pub fn api_flags(instance: InstanceFlags) -> u8 {
    let bit = |flag, place: u8| u8::from(instance.contains(flag)) << place;
    bit(InstanceFlags::DISABLE_FACE_CULL, 0)
        | bit(InstanceFlags::FLIP_FACING, 1)
        | bit(InstanceFlags::FORCE_OPAQUE, 2)
        | bit(InstanceFlags::FORCE_NON_OPAQUE, 3)
}

fn radv_flags(byte: u8) -> InstanceFlags {
    let bit = |place: u8| byte >> place & 1 == 1;
    flags([bit(5), bit(4), bit(7), !bit(6)])
}

/// No face cull, flip facing, force opaque, force non-opaque.
fn flags([no_face_cull, flip, opaque, non_opaque]: [bool; 4]) -> InstanceFlags {
    let mut flags = InstanceFlags::empty();
    flags.set(InstanceFlags::DISABLE_FACE_CULL, no_face_cull);
    flags.set(InstanceFlags::FLIP_FACING, flip);
    flags.set(InstanceFlags::FORCE_OPAQUE, opaque);
    flags.set(InstanceFlags::FORCE_NON_OPAQUE, non_opaque);
    flags
}
