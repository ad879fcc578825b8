//! The CPU's copy of an image: nodes in `f32`, leaves as structure of arrays.
//!
//! Nodes of all levels lie in one array and leaves in another, so that a walk needs two addresses and
//! pointers of 32 bits. Boxes are those of the image, drawn in where the triangles below allow it.
//!
//! | file | concept |
//! |---|---|
//! | `pointer` | where a child leads |
//! | `node` | eight boxes |
//! | `leaf` | eight triangles |
//! | `names` | ids of triangles |
//! | `prepare` | a tree, laid out |

pub(crate) mod leaf;
mod names;
pub(crate) mod node;
pub(crate) mod pointer;
mod prepare;

pub(crate) use leaf::Leaves;
pub(crate) use names::Names;
pub(crate) use node::Node;
pub(crate) use pointer::{Pointer, Target};

use geometry::Aabb;
use machine::instance_dilation::InstanceDilation;
use std::ops::Range;
use tree::{Placement, PrimitiveId};

/// Coordinates up to this are *ordinary*: fast kernels neither overflow nor underflow on them.
pub(crate) const ORDINARY: f32 = 1.152_921_5e18; // 2^60

/// Everything that a walk reads.
#[derive(Debug)]
pub(crate) struct World {
    /// Nodes of all levels; the children of a node lie behind it.
    pub(crate) nodes: Vec<Node>,
    /// Leaves of all levels.
    pub(crate) leaves: Leaves,
    /// Procedural boxes.
    pub(crate) boxes: Vec<(Aabb, PrimitiveId)>,
    /// Lists of procedural boxes.
    pub(crate) box_lists: Vec<Range<u32>>,
    /// The bottom levels.
    pub(crate) bottoms: Vec<Level>,
    /// Names of triangles, for each bottom level.
    pub(crate) names: Vec<Names>,
    /// The top level, if there is one.
    pub(crate) top: Option<TopLevel>,
    /// Most entries that a walk's stack can have.
    pub(crate) stack_size: usize,
    /// Triangles stored, each once.
    pub(crate) triangles: usize,
    /// Whether every coordinate is ordinary.
    pub(crate) is_ordinary: bool,
}

/// Where a level starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Level {
    /// The root; [`Pointer::DONE`] for an empty level.
    pub(crate) root: Pointer,
    /// The box around it.
    pub(crate) bounds: Aabb,
}

/// The top level.
#[derive(Debug)]
pub(crate) struct TopLevel {
    /// Where it starts.
    pub(crate) level: Level,
    /// The placements.
    pub(crate) placements: Vec<Placement>,
    /// How much it must widen a ray.
    pub(crate) dilation: InstanceDilation,
}

impl World {
    /// Bytes in memory.
    pub(crate) fn byte_count(&self) -> usize {
        let names: usize = self.names.iter().map(Names::byte_count).sum();
        let placements = self.top.as_ref().map_or(0, |top| size_of_val(top.placements.as_slice()));
        size_of_val(self.nodes.as_slice())
            + self.leaves.byte_count()
            + size_of_val(self.boxes.as_slice())
            + size_of_val(self.box_lists.as_slice())
            + size_of_val(self.bottoms.as_slice())
            + names
            + placements
    }
}
