//! The CPU's copy of an image: nodes in `f32`, leaves as structure of arrays.
//!
//! Nodes and leaves of all levels lie in one run of memory, so that a walk needs one address and
//! pointers of 32 bits. Boxes are those of the tree, or formed anew around what is below them.
//!
//! | file | concept |
//! |---|---|
//! | `pointer` | where a child leads |
//! | `node` | eight boxes |
//! | `leaf` | eight triangles |
//! | `arena` | the memory of both |
//! | `primitive_ids` | ids of triangles |
//! | `prepare` | a tree, laid out |
//! | `room` | how much room its parts need |
//! | `contents` | what leaves hold |
//! | `fill` | a level, written into its room |
//! | `follow` | a world that follows what moves |
//! | `source` | what the scalar walk sees of all this |

mod arena;
mod contents;
mod fill;
mod follow;
mod leaf;
mod node;
mod pointer;
mod prepare;
mod primitive_ids;
mod room;
mod source;

pub(crate) use arena::Arena;
pub(crate) use follow::{corners, procedural, whole};
pub(crate) use leaf::TRIANGLE_BYTES;
pub(crate) use node::Node;
pub(crate) use pointer::{Pointer, Target};
pub(crate) use prepare::{Boxes, distinct};
pub(crate) use primitive_ids::PrimitiveIds;

use geometry::Aabb;
use machine::instance_dilation::InstanceDilation;
use std::ops::Range;
use tree::{Instance, PrimitiveId};

/// Everything that a walk reads.
#[derive(Debug, Clone)]
pub(crate) struct World {
    /// Nodes and leaves of all levels.
    pub(crate) arena: Arena,
    /// Procedural boxes.
    pub(crate) boxes: Vec<(Aabb, PrimitiveId)>,
    /// Lists of procedural boxes.
    pub(crate) box_lists: Vec<Range<u32>>,
    /// The BLASes.
    pub(crate) blases: Vec<Level>,
    /// PrimitiveIds of triangles, for each BLAS.
    pub(crate) primitive_ids: Vec<PrimitiveIds>,
    /// The TLAS, if there is one.
    pub(crate) tlas: Option<Tlas>,
    /// Most entries that a walk's stack can have.
    pub(crate) stack_size: usize,
    /// Triangles stored, each once.
    pub(crate) triangles: usize,
    /// Whether every coordinate is ordinary ([`crate::ordinary`]).
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

/// The TLAS.
#[derive(Debug, Clone)]
pub(crate) struct Tlas {
    /// Where it starts.
    pub(crate) level: Level,
    /// The instances.
    pub(crate) instances: Vec<Instance>,
    /// How much it must widen a ray.
    pub(crate) dilation: InstanceDilation,
}

impl World {
    /// The procedural boxes of a list.
    pub(crate) fn box_list(&self, number: usize) -> &[(Aabb, PrimitiveId)] {
        let Range { start, end } = self.box_lists[number];
        &self.boxes[start as usize..end as usize]
    }

    /// The ids of a triangle, by the name in its leaf.
    #[inline]
    pub(crate) fn id(&self, instance: u32, name: u32) -> PrimitiveId {
        let blas = match &self.tlas {
            Some(tlas) => tlas.instances[instance as usize].blas,
            None => 0,
        };
        self.primitive_ids[blas as usize].id(name)
    }

    /// Bytes in memory.
    pub(crate) fn byte_count(&self) -> usize {
        let names: usize = self.primitive_ids.iter().map(PrimitiveIds::byte_count).sum();
        let instances = self.tlas.as_ref().map_or(0, |tlas| size_of_val(tlas.instances.as_slice()));
        self.arena.byte_count()
            + size_of_val(self.boxes.as_slice())
            + size_of_val(self.box_lists.as_slice())
            + size_of_val(self.blases.as_slice())
            + names
            + instances
    }
}
