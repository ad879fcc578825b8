//! The memory formats, as data, where [`bvh4::layout`] does not have them.
//!
//! | file | structure |
//! |---|---|
//! | [`resource`] | 128 bits: the T# that the instruction takes |
//! | [`triangle_node`] | triangles, by GPURT and by RADV |
//! | [`procedural_node`] | procedurals, likewise |
//! | [`instance_node`] | instances, and HIPRT's |
//! | [`halves`] | f32 planes as halves |

pub mod halves;
pub mod instance_node;
pub mod procedural_node;
pub mod resource;
pub mod triangle_node;

pub use instance_node::{GpurtInstanceNode, HiprtInstanceNode, RadvInstanceNode};
pub use procedural_node::{ProceduralNode, RadvProceduralNode};
pub use resource::Resource;
pub use triangle_node::{GpurtTriangleNode, RadvTriangleNode};
