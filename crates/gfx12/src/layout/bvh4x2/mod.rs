//! The uncompressed, 4-wide formats that `image_bvh_dual_intersect_ray` reads when T# bit 115 is 0.
//!
//! Planes and child pointers are stored plainly, and nodes are placed in units of 64 bytes. These
//! are AMD's RTIP 3.0 nodes; nothing here is read by the 8-wide instruction.
//!
//! | file | structure | bytes |
//! |---|---|---|
//! | [`pointer`](mod@pointer) | 32-bit node pointer with three type bits | 4 |
//! | [`fp32_box`] | box node, type 5 | 128 |
//! | [`fp16_box`] | box node, type 4 with T# bit 116 clear | 64 |
//! | [`high_precision_box`] | box node, type 4 with T# bit 116 set | 64 |
//! | [`triangle_node`] | one or two triangles, or a procedural; types 0 and 1 | 64 |
//! | [`instance_node`] | instance node, type 6 | 128 |
//! | [`parent_table`] | where the parent of a node is written down | 4 a unit |

pub mod high_precision_box;
pub mod instance_node;
pub mod triangle_node;

pub use bvh4::layout::{fp16_box, fp32_box, parent_table, pointer};

pub use fp16_box::Fp16BoxNode;
pub use fp32_box::Fp32BoxNode;
pub use high_precision_box::HighPrecisionBoxNode;
pub use instance_node::Bvh4x2InstanceNode;
pub use parent_table::parent_slot_address;
pub use pointer::{Bvh4Kind, Bvh4Pointer};
pub use triangle_node::{TriangleInfo, TriangleNode};
