//! Structures in memory that several generations have.
//!
//! | file | structure |
//! |---|---|
//! | [`pointer`](mod@pointer) | 32-bit node pointer with three type bits |
//! | [`base_pointer`] | 64 bits: where a structure lies, and ten flags |
//! | [`fp32_box`], [`fp16_box`] | box nodes, types 5 and 4 |
//! | [`triangle_info`] | the vertices of triangle nodes, and what describes them |
//! | [`parent_table`] | where the parent of a node is written down |
//! | [`cull_flags`], [`heuristic`] | what a subtree holds; which distance sorts |
//! | [`gpurt_header`], [`radv_header`] | what drivers put before the nodes |

pub mod base_pointer;
pub mod cull_flags;
pub mod fp16_box;
pub mod fp32_box;
pub mod gpurt_header;
pub mod heuristic;
pub mod parent_table;
pub mod pointer;
pub mod radv_header;
pub mod triangle_info;

pub use base_pointer::{BasePointer, PointerFlags};
pub use cull_flags::CullFlags;
pub use fp16_box::Fp16BoxNode;
pub use fp32_box::Fp32BoxNode;
pub use gpurt_header::{GeometryInfo, GpurtHeader, RTIP_3_1};
pub use heuristic::SortHeuristic;
pub use parent_table::parent_slot_address;
pub use pointer::{Bvh4Kind, Bvh4Pointer};
pub use radv_header::{RadvGeometryInfo, RadvHeader};
pub use triangle_info::TriangleInfo;
