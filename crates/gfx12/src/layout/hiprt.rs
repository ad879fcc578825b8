//! HIPRT's headers and records: what its memory has around the nodes (G-45).
//!
//! A geometry starts with [`HiprtGeometry`], a scene with [`HiprtScene`], each 64 bytes; box nodes
//! follow, then primitive or instance nodes. The two kinds have bases of their own, which the
//! header names by address. The root is pointer 0x5. Behind the nodes of a scene are a
//! [`HiprtInstance`] and a [`HiprtFrame`] for each instance. The pointer in an instance node is the
//! address of the header below it, unshifted.
//!
//! Source: HIPRT's `Header.h`, `Instance.h`, `Transform.h` and `BvhNode.h`.
//!
//! ```
//! use gfx12::layout::{Bits, HiprtGeometry};
//! // A Cornell box of 32 triangles that HIPRT built.
//! let words = [
//!     0x40, 0, 0x4C0, 0, 0xFC0, 0, 0x20, 2, 0xF, 0xFFFF_FFFF, 0x1F, 0, 0, 0, 0, 0,
//! ];
//! let header = HiprtGeometry::decode(&Bits::from_words(words));
//! assert_eq!((header.box_nodes, header.primitive_nodes, header.size), (0x40, 0x4C0, 0xFC0));
//! assert_eq!((header.box_count, header.primitive_node_count, header.rtip), (2, 15, 31));
//! assert_eq!(header.encode().words(), &words);
//! ```

use geometry::Transform;
use machine::fields::{Show, hex};

machine::fields! {
    /// What a geometry starts with.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    #[source = "HIPRT's Header.h, Instance.h, Transform.h, BvhNode.h (G-45)"]
    pub struct HiprtGeometry: 16 words {
        /// Address of the box nodes.
        pub box_nodes: u64 = 0..64, Show::Each(hex);
        /// Address of the primitive nodes.
        pub primitive_nodes: u64 = 64..128, Show::Each(hex);
        /// Bytes of the geometry.
        pub size: u64 = 128..192, Show::Each(hex) => "bytes";
        /// Pairs of triangles.
        pub reference_count: u32 = 192..224;
        /// Box nodes.
        pub box_count: u32 = 224..256;
        /// Primitive nodes.
        pub primitive_node_count: u32 = 256..288;
        /// Bit 0: triangles; above it a number that the application chose, or ones.
        pub geometry_type: u32 = 288..320, Show::Each(hex);
        /// Generation of the hardware; 31 is RTIP 3.1.
        pub rtip: u32 = 320..352;
        /// Nothing reads it.
        pub unused: [u32; 5] = 352..512, Show::Unused;
    }
}

machine::fields! {
    /// What a scene starts with.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    #[source = "HIPRT's Header.h, Instance.h, Transform.h, BvhNode.h (G-45)"]
    pub struct HiprtScene: 16 words {
        /// Address of the box nodes.
        pub box_nodes: u64 = 0..64, Show::Each(hex);
        /// Address of the instance nodes.
        pub primitive_nodes: u64 = 64..128, Show::Each(hex);
        /// Address of the instances.
        pub instances: u64 = 128..192, Show::Each(hex);
        /// Address of the frames.
        pub frames: u64 = 192..256, Show::Each(hex);
        /// Bytes of the scene.
        pub size: u64 = 256..320, Show::Each(hex) => "bytes";
        /// Instances in the tree.
        pub reference_count: u32 = 320..352;
        /// Instances.
        pub primitive_count: u32 = 352..384;
        /// Instance nodes.
        pub primitive_node_count: u32 = 384..416;
        /// Box nodes.
        pub box_count: u32 = 416..448;
        /// Frames.
        pub frame_count: u32 = 448..480;
        /// Generation of the hardware; 31 is RTIP 3.1.
        pub rtip: u32 = 480..512;
    }
}

machine::fields! {
    /// An instance of a scene: its frames and what it places, 16 bytes.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    #[source = "HIPRT's Header.h, Instance.h, Transform.h, BvhNode.h (G-45)"]
    pub struct HiprtInstance: 4 words {
        /// Its first frame.
        pub frame_index: u32 = 0..32;
        /// Its frames; several if it moves.
        pub frame_count: u32 = 32..63;
        /// Whether it places a scene.
        pub is_scene: bool = 63..64;
        /// Address of the header of what it places.
        pub geometry: u64 = 64..128, Show::Each(hex);
    }
}

machine::fields! {
    /// Where an instance is, 64 bytes: HIPRT's frame with a matrix. It leaves the last 12 alone;
    /// siliray keeps there what HIPRT has no place for.
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[source = "HIPRT's Header.h, Instance.h, Transform.h, BvhNode.h (G-45)"]
    pub struct HiprtFrame: 16 words {
        /// Takes object space to the world.
        pub object_to_world: Transform = 0..384;
        /// When.
        pub time: f32 = 384..416;
        /// The index that the application chose.
        pub custom_index: u32 = 416..448;
        /// The offset into the shader binding table.
        pub sbt_offset: u32 = 448..480 => "bytes";
        /// Flags of the instance.
        pub flags: u32 = 480..512;
    }
}

/// The level of ray-tracing IP in HIPRT's headers.
pub const HIPRT_RTIP: u32 = 31;

/// What the headers of geometries and scenes have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HiprtHeader {
    /// Address of the box nodes.
    pub box_nodes: u64,
    /// Address of the others.
    pub primitive_nodes: u64,
    /// Bytes of all of it.
    pub size: u64,
    /// Box nodes.
    pub box_count: u32,
    /// Primitive or instance nodes.
    pub primitive_node_count: u32,
    /// The scene, if it is one.
    pub scene: Option<HiprtScene>,
    /// The geometry, if it is one.
    pub geometry: Option<HiprtGeometry>,
}

impl HiprtHeader {
    /// Bytes of it.
    pub const BYTES: u64 = 64;

    /// The header at an address, if the bytes are one.
    #[must_use]
    pub fn decode(address: u64, bytes: &[u8; 64]) -> Option<Self> {
        let bits = super::HalfNodeBits::from_bytes(bytes);
        let scene = HiprtScene::decode(&bits);
        let geometry = HiprtGeometry::decode(&bits);
        let header = if scene.rtip == HIPRT_RTIP {
            let HiprtScene { box_nodes, primitive_nodes, size, .. } = scene;
            let HiprtScene { box_count, primitive_node_count, .. } = scene;
            let (scene, geometry) = (Some(scene), None);
            Self {
                box_nodes,
                primitive_nodes,
                size,
                box_count,
                primitive_node_count,
                scene,
                geometry,
            }
        } else if geometry.rtip == HIPRT_RTIP {
            let HiprtGeometry { box_nodes, primitive_nodes, size, .. } = geometry;
            let HiprtGeometry { box_count, primitive_node_count, .. } = geometry;
            let (scene, geometry) = (None, Some(geometry));
            Self {
                box_nodes,
                primitive_nodes,
                size,
                box_count,
                primitive_node_count,
                scene,
                geometry,
            }
        } else {
            return None;
        };
        let is_header = Some(header.box_nodes) == address.checked_add(Self::BYTES)
            && header.primitive_nodes > header.box_nodes
            && header.primitive_nodes.is_multiple_of(64)
            && header.size >= header.primitive_nodes - address
            && address.checked_add(header.size).is_some();
        is_header.then_some(header)
    }
}
