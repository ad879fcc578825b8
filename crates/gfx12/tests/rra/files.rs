//! Files for the tests.

use geometry::Transform;
use gfx12::layout::{
    BasePointer, BoxFrame, BoxNode, ChildEntry, CullFlags, GpurtHeader, GpurtSideband,
    InstanceNode, NodePointer, PointerFlags, RTIP_3_1,
};
use gfx12::rra::behind_header;
use machine::{Image, Segment};

/// Where the BLAS lies.
pub(crate) const BLAS: u64 = 0x7_1234_0000;
/// Where the TLAS lies.
pub(crate) const TLAS: u64 = 0x7_5678_0000;

/// The image that HIPRT built of a Cornell box: two arrays above two bases.
pub(crate) fn hiprt_cornell() -> Image {
    Image {
        format: "gfx12",
        segments: vec![Segment::new(0, include_bytes!("../vectors/hiprt-cornell-bvh8.bin"))],
        bases: vec![0x40, 0x4C0],
        root: 0x5,
    }
}

/// The same behind a header, and a TLAS that places it once.
pub(crate) fn cornell_world() -> Image {
    let blas = behind_header(&hiprt_cornell(), BLAS).unwrap();
    let segments = vec![top_level(TLAS, BLAS), blas];
    Image { format: "gfx12", segments, bases: vec![TLAS; 2], root: 0x15 }
}

/// A TLAS with one instance, which moves its child by (-3, 5, 7).
pub(crate) fn top_level(address: u64, child: u64) -> Segment {
    let mut segment = Segment::zeroed(address, 128 + 2 * 128 + 64 + 4);
    let frame = BoxFrame { origin: [-3.0, 5.0, 7.0], exponents: [137; 3] };
    let entry = ChildEntry {
        min: [0; 3],
        max: [2300; 3],
        cull_flags: CullFlags::empty(),
        unused: 0,
        mask: 0xFF,
        node_type: 6,
        range_length: 1,
    };
    let mut children = [ChildEntry::UNUSED; 8];
    children[0] = entry;
    let root = BoxNode {
        internal_base: 0,
        primitive_base: 0x20,
        parent: NodePointer::INVALID,
        frame,
        disable_box_sort: false,
        index_in_parent: 0,
        child_count: 1,
        spare: false,
        obb_matrix_index: BoxNode::NO_ROTATION,
        ignored: 0,
        children,
    };
    let world_to_object = moved_by([3.0, -5.0, -7.0]);
    let instance = InstanceNode {
        world_to_object,
        child_base: BasePointer::new(child, PointerFlags::SKIP_PROCEDURAL).unwrap(),
        parent: NodePointer(0x15),
        user_data: 42,
        mask: 0xFF,
        frame: BoxFrame { origin: [0.0; 3], exponents: [137; 3] },
        disable_box_sort: false,
        child_count: 1,
        unused_low: 0,
        unused_high: 0,
        children: [
            ChildEntry { node_type: 5, ..entry },
            ChildEntry::UNUSED,
            ChildEntry::UNUSED,
            ChildEntry::UNUSED,
        ],
    };
    let sideband = GpurtSideband {
        instance_index: 0,
        instance_id: 42,
        flags: 0,
        blas_metadata_size: 128,
        reserved: 0,
        object_to_world: moved_by([-3.0, 5.0, 7.0]),
    };
    let header = GpurtHeader {
        info: 1 << 15,
        metadata_size: 128,
        total_size: 128 + segment.bytes().len() as u32,
        primitive_count: 1,
        active_primitive_count: 1,
        obb_metadata_offset: 0,
        descriptor_count: 1,
        geometry_type: 0,
        internal_node_offset: 128,
        leaf_node_offset: 256,
        geometry_info_offset: 384,
        primitive_pointer_offset: 448,
        internal_fp32_count: 1,
        internal_fp16_count: 0,
        leaf_node_count: 1,
        version: 0x10_0003,
        uuid: [0; 2],
        rt_ip_level: RTIP_3_1,
        root_min: [-3.0, 5.0, 7.0],
        root_max: [572.0, 580.0, 582.0],
        info2: 2,
        packed_flags: 0,
        compacted_size: 0,
        padding: [0; 4],
    };
    let bytes = segment.bytes_mut();
    header.encode().write_bytes(&mut bytes[..128]);
    root.encode().write_bytes(&mut bytes[128..256]);
    instance.encode().write_bytes(&mut bytes[256..384]);
    sideband.encode().write_bytes(&mut bytes[384..448]);
    bytes[448..].copy_from_slice(&0x26_u32.to_le_bytes());
    segment
}

fn moved_by([x, y, z]: [f32; 3]) -> Transform {
    Transform { rows: [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]] }
}
