//! The memory formats, as data.
//!
//! Each file is one structure: its bit table, its source, a worked example, and a type whose
//! `decode` takes any bits and whose `encode` gives them back. All words are little endian; `a..b`
//! in a table is a half-open bit range; bit `n` is bit `n % 32` of dword `n / 32`.
//!
//! | file | structure |
//! |---|---|
//! | [`node_pointer`] | 32 bits: where a node lies, and its type |
//! | [`base_pointer`] | 64 bits: where a structure lies, and ten flags |
//! | [`resource`] | 128 bits: the T# that the instruction takes |
//! | [`plane`], [`child_entry`], [`box_node`] | box nodes with quantised children |
//! | [`primitive_header`], [`pair_descriptor`] | parts of primitive nodes |
//! | [`primitive_node`], [`primitive_writer`] | primitive nodes, read and written |
//! | [`procedural_box`] | where drivers keep the box of a procedural |
//! | [`instance_node`], [`instance_data`] | instances, and what drivers keep beside them |
//! | [`header`], [`radv_header`], [`hiprt`] | what GPURT, RADV and HIPRT put around the nodes |
//! | [`bvh4x2`] | the 4-wide formats that `image_bvh_dual_intersect_ray` reads |

pub mod box_node;
pub mod bvh4x2;
pub mod child_entry;
pub mod hiprt;
pub mod instance_data;
pub mod instance_node;
pub mod node_pointer;
pub mod pair_descriptor;
pub mod plane;
pub mod primitive_header;
pub mod primitive_node;
pub mod primitive_writer;
pub mod procedural_box;
pub mod resource;

pub use bvh4::layout::{base_pointer, gpurt_header as header, radv_header};

pub use base_pointer::{BasePointer, PointerFlags};
pub use box_node::BoxNode;
pub use bvh4::layout::CullFlags;
pub use child_entry::ChildEntry;
pub use header::{GeometryInfo, GpurtHeader, RTIP_3_1};
pub use hiprt::{HiprtFrame, HiprtGeometry, HiprtHeader, HiprtInstance, HiprtScene};
pub use instance_data::{GpurtSideband, RadvInstanceData};
pub use instance_node::{InstanceNode, NamedNode, Naming};
pub use machine::bits::{Bits, HalfNodeBits, NodeBits};
pub use node_pointer::{
    BOX_TYPE, INSTANCE_TYPE, NODE_BYTES, NodeKind, NodePointer, pair_of_type, type_of_pair,
};
pub use pair_descriptor::{PAIR_DESCRIPTOR_BITS, PairDescriptor, TriangleDescriptor};
pub use plane::{BoxFrame, dequantize};
pub use primitive_header::{PRIMITIVE_HEADER_BITS, PrimitiveHeader, pair_descriptor_bits};
pub use primitive_node::PrimitiveNode;
pub use primitive_writer::{PackError, PrimitiveContents};
pub use procedural_box::{ProceduralBox, ProceduralWriter};
pub use radv_header::{RadvGeometryInfo, RadvHeader};
pub use resource::{Resource, SortHeuristic};

#[cfg(test)]
mod tests {
    use super::bvh4x2::{
        Bvh4x2InstanceNode, Fp16BoxNode, Fp32BoxNode, HighPrecisionBoxNode, TriangleNode,
    };
    use super::*;
    use proptest::prelude::*;

    macro_rules! any_bits_come_back {
        ($($test:ident: $structure:ty, $words:literal;)*) => {
            proptest! {
                $(#[test]
                fn $test(words in any::<[u32; $words]>()) {
                    let bits = Bits::from_words(words);
                    prop_assert_eq!(<$structure>::decode(&bits).encode(), bits);
                })*
            }
        };
    }

    any_bits_come_back! {
        box_node: BoxNode, 32;
        instance_node: InstanceNode, 32;
        radv_instance_data: RadvInstanceData, 32;
        gpurt_sideband: GpurtSideband, 16;
        gpurt_header: GpurtHeader, 32;
        geometry_info: GeometryInfo, 3;
        radv_header: RadvHeader, 34;
        radv_geometry_info: RadvGeometryInfo, 3;
        hiprt_geometry: HiprtGeometry, 16;
        hiprt_scene: HiprtScene, 16;
        hiprt_instance: HiprtInstance, 4;
        hiprt_frame: HiprtFrame, 16;
        child_entry: ChildEntry, 3;
        resource: Resource, 4;
        fp16_box_node: Fp16BoxNode, 16;
        fp32_box_node: Fp32BoxNode, 32;
        high_precision_box_node: HighPrecisionBoxNode, 16;
        triangle_node: TriangleNode, 16;
        bvh4x2_instance_node: Bvh4x2InstanceNode, 32;
    }
}
