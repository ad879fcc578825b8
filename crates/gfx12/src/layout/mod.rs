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
//! | [`header`] | GPURT's header before the nodes |
//! | [`uncompressed`] | the 4-wide formats that `image_bvh_dual_intersect_ray` reads |

pub mod base_pointer;
pub mod box_node;
pub mod child_entry;
pub mod header;
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
pub mod uncompressed;

pub use base_pointer::{BasePointer, PointerFlags};
pub use box_node::BoxNode;
pub use child_entry::{ChildEntry, CullFlags};
pub use header::{GeometryInfo, GpurtHeader, RTIP_3_1};
pub use instance_data::{GpurtSideband, RadvInstanceData};
pub use instance_node::InstanceNode;
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
pub use resource::{Resource, SortHeuristic};
