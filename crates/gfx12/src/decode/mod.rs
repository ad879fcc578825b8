//! Images back to nodes and trees.
//!
//! | file | concept |
//! |---|---|
//! | [`nodes`](mod@nodes) | a [`Survey`] as decoded nodes, for reading and comparing |
//! | `primitives` | triangles and procedurals, each once, in the order of memory |
//! | `instances` | instances, their numbers, and the way back to the world |
//! | `hierarchy` | a survey as a [`tree::Bvh`] |
//! | [`frames`](mod@frames) | what a tree cannot hold of oriented nodes |
//!
//! `decode` gives the tree that an image stands for. Boxes are the decoded planes; the children
//! of an oriented node get the axis-aligned box around what is below them, as far as that reaches
//! into the one around their oriented box; slots that reuse a child are one entry with the union of
//! their boxes. Encoding the tree of an image that siliray wrote,
//! without a margin, gives the same bytes; if nodes are oriented, together with their [`Frames`].

pub mod frames;
pub(crate) mod hierarchy;
pub(crate) mod instances;
pub mod nodes;
pub(crate) mod primitives;

pub(crate) use bvh4::decode::{bounds, is_inverse};

pub use crate::survey::{Header, Memory, Structure, Survey};
pub(crate) use frames::oriented_boxes;
pub use frames::{Frames, frames};
pub use nodes::{Node, NodeBody, nodes};

pub(crate) use bounds::union;
pub(crate) use instances::{Numbering, SidebandFault, SidebandRecord, numbering};
pub(crate) use primitives::{Pairs, Stored, split_key, stored};

use crate::Gfx12;
use crate::format::memory;
use crate::layout::{BoxNode, NodePointer};
use crate::obb;
use crate::survey::Surveyed;
use geometry::Aabb;
use hierarchy::{Items, around_turned, slots_box};
use machine::Checked;
use primitives::ReadPrimitives;
use tree::{Blas, Bvh, Tlas, Tree};

/// The tree of a proved image, with the geometry as it is stored.
#[must_use]
pub(crate) fn decode(checked: &Checked<Gfx12>) -> Tree {
    let memory = memory(checked);
    hierarchy::tree(
        checked.proof().survey(),
        |surveyed| blas(&memory, surveyed),
        |surveyed, blases| tlas(&memory, surveyed, blases),
    )
}

/// The instance nodes of an image, each with the number of its instance: what a walk needs to name
/// the instance of a hit.
#[must_use]
pub fn instance_numbers(checked: &Checked<Gfx12>) -> Vec<(NodePointer, u32)> {
    let tlas = &checked.proof().survey().structures[0];
    let numbers = numbering(&memory(checked), tlas).numbers;
    tlas.instances.iter().map(|instance| instance.pointer).zip(numbers).collect()
}

fn blas(memory: &Memory<'_>, surveyed: &Surveyed) -> Blas {
    let read = ReadPrimitives::new(memory, surveyed);
    let items = Items {
        count: read.primitives.len(),
        of_leaf: &|leaf, all| all.extend(read.numbers.of_leaf(&surveyed.leaves[leaf])),
        of_instance: &|number| number,
        bounds: &|number| read.primitives.bounds(number as usize),
    };
    let bvh = bvh(memory, surveyed, &items);
    Blas { primitives: read.primitives, bvh }
}

fn tlas(memory: &Memory<'_>, surveyed: &Surveyed, blases: &[Blas]) -> Tlas {
    let Numbering { numbers, .. } = &numbering(memory, surveyed);
    let instances = instances::instances(memory, surveyed);
    let world_bounds = |number: u32| {
        let instance = &instances[number as usize];
        let below = blases.get(instance.blas as usize).map_or(Aabb::EMPTY, contents);
        instance.world_bounds(&below).unwrap_or(Aabb::EMPTY)
    };
    let items = Items {
        count: instances.len(),
        of_leaf: &|_, _| {},
        of_instance: &|number| numbers[number as usize],
        bounds: &world_bounds,
    };
    let bvh = bvh(memory, surveyed, &items);
    Tlas { instances, bvh }
}

fn bvh(memory: &Memory<'_>, surveyed: &Surveyed, items: &Items<'_>) -> Bvh {
    hierarchy::bvh(surveyed, items, &|record, boxes| {
        let node = BoxNode::decode(&surveyed.node(memory, record.pointer));
        let rotation = obb::rotation(node.obb_matrix_index);
        for (child, bounds) in surveyed.children[record.children()].iter().zip(boxes) {
            let stored = slots_box(&node, child.slots);
            *bounds = rotation.map_or(stored, |rotation| around_turned(rotation, &stored));
        }
        rotation.is_some()
    })
}

/// The box around the primitives of a BLAS.
fn contents(blas: &Blas) -> Aabb {
    let bounds = (0..blas.primitives.len()).map(|number| blas.primitives.bounds(number));
    bounds.fold(Aabb::EMPTY, union)
}
