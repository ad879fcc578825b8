//! Image → tree.
//!
//! Boxes are the decoded planes. Primitives are numbered by the address of their node, triangle 0
//! before triangle 1, and procedurals behind all triangles. A triangle has its own corners in its
//! own order: the unit's test order is a rotation of it, which the sources undo.
//!
//! An instance's number is the instance index of the sideband record in its node, where those
//! records number the instances; otherwise instances count in the order in which they are met, slot
//! by slot, depth first.

use super::survey::{Nodes, Survey, Surveyed};
use crate::decode::bounds::unbounded_where_nan;
use crate::decode::hierarchy::{self, Items};
use crate::layout::bvh4x2::{Bvh4Kind, Bvh4Pointer, Bvh4x2InstanceNode, TriangleNode};
use crate::layout::{GpurtSideband, HalfNodeBits};
use crate::survey::Memory;
use bvh4::decode::instance::{UNSEEN, instance};
use bvh4::layout::triangle_info;
use geometry::{Aabb, Triangle};
use machine::Image;
use std::ops::Range;
use tree::{Blas, Bvh, Instance, PrimitiveFlags, PrimitiveId, Primitives, Tlas, Tree};

/// The tree of an image, with the geometry as it is stored; what breaks a rule of structure is left
/// out.
pub(super) fn decode(image: &Image, survey: &Survey) -> Tree {
    let memory = Memory::new(image);
    let tlas = |surveyed: &Surveyed, _: &[Blas]| tlas(&memory, surveyed);
    hierarchy::tree(survey, |surveyed| blas(&memory, surveyed), tlas)
}

/// The primitives of a structure, and which of them a node holds.
#[derive(Debug)]
pub(crate) struct ReadPrimitives {
    pub(crate) primitives: Primitives,
    /// For each leaf of the survey, its first primitive.
    pub(crate) first: Vec<u32>,
}

impl ReadPrimitives {
    pub(crate) fn new(memory: &Memory<'_>, surveyed: &Surveyed) -> Self {
        let mut order: Vec<usize> = (0..surveyed.leaves.len()).collect();
        order.sort_by_key(|&leaf| surveyed.leaves[leaf].pointer);
        let nodes = order.iter().map(|&leaf| {
            let pointer = surveyed.leaves[leaf].pointer;
            (leaf, pointer, surveyed.triangle_node(memory, pointer))
        });
        let mut primitives = Primitives::default();
        let mut procedurals: Vec<(usize, PrimitiveId)> = Vec::new();
        let mut first = vec![0; surveyed.leaves.len()];
        for (leaf, pointer, node) in nodes {
            if node.info(0).procedural {
                procedurals.push((leaf, primitive_id(&node, 0)));
                primitives.boxes.push(unbounded_where_nan(node.procedural_box()));
                continue;
            }
            first[leaf] = primitives.triangles.len() as u32;
            for which in 0..triangle_count(pointer) {
                primitives.triangles.push(own_triangle(&node, which));
                primitives.ids.push(primitive_id(&node, which));
            }
        }
        for (leaf, id) in procedurals {
            first[leaf] = primitives.ids.len() as u32;
            primitives.ids.push(id);
        }
        Self { primitives, first }
    }

    /// The primitives of a leaf.
    pub(super) fn items(&self, surveyed: &Surveyed, leaf: usize) -> Range<u32> {
        let start = self.first[leaf];
        // A procedural is one primitive, whichever pointer leads to it.
        let is_box = start as usize >= self.primitives.triangles.len();
        let count = if is_box { 1 } else { triangle_count(surveyed.leaves[leaf].pointer) };
        start..start + count as u32
    }
}

/// How many triangles a pointer reaches.
pub(crate) fn triangle_count(pointer: Bvh4Pointer) -> usize {
    1 + usize::from(pointer.kind() == Bvh4Kind::Triangle1)
}

/// A triangle of a node in its own order of corners.
pub(crate) fn own_triangle(node: &TriangleNode, which: usize) -> Triangle {
    triangle_info::own_triangle(node.triangle(which), node.info(which))
}

/// Who a triangle or procedural of a node is.
pub(crate) fn primitive_id(node: &TriangleNode, which: usize) -> PrimitiveId {
    let info = node.info(which);
    let mut flags = PrimitiveFlags::empty();
    flags.set(PrimitiveFlags::OPAQUE, info.opaque);
    flags.set(PrimitiveFlags::DOUBLE_SIDED, info.double_sided);
    PrimitiveId { geometry: node.geometry_id, primitive: node.primitive_ids[which], flags }
}

fn blas(memory: &Memory<'_>, surveyed: &Surveyed) -> Blas {
    let read = ReadPrimitives::new(memory, surveyed);
    let items = Items {
        count: read.primitives.len(),
        of_leaf: &|leaf, all| all.extend(read.items(surveyed, leaf)),
        of_instance: &|number| number,
        bounds: &|number| read.primitives.bounds(number as usize),
    };
    let bvh = bvh(memory, surveyed, &items);
    Blas { primitives: read.primitives, bvh }
}

fn tlas(memory: &Memory<'_>, surveyed: &Surveyed) -> Tlas {
    let numbers = instance_numbers(memory, surveyed);
    let instances = instances(memory, surveyed, &numbers);
    let items = Items {
        count: instances.len(),
        of_leaf: &|_, _| {},
        of_instance: &|number| numbers[number as usize],
        bounds: &|_| Aabb::EMPTY,
    };
    let bvh = bvh(memory, surveyed, &items);
    Tlas { instances, bvh }
}

fn bvh(memory: &Memory<'_>, surveyed: &Surveyed, items: &Items<'_>) -> Bvh {
    hierarchy::bvh(surveyed, items, &|record, boxes| {
        let four = surveyed.four_boxes(memory, record.pointer).boxes;
        for (child, bounds) in surveyed.children[record.children()].iter().zip(boxes) {
            *bounds = unbounded_where_nan(four[usize::from(child.slot())]);
        }
        false
    })
}

/// For each instance node of a TLAS, the number of its instance.
pub(crate) fn instance_numbers(memory: &Memory<'_>, tlas: &Surveyed) -> Vec<u32> {
    sideband_numbers(memory, tlas).unwrap_or_else(|| tlas.discovery_order())
}

/// The numbers in the sideband records, if every node has one and no two are equal. They are not
/// believed beyond twice the units of the segment, so that a few bytes cannot ask for much memory.
pub(super) fn sideband_numbers(memory: &Memory<'_>, tlas: &Surveyed) -> Option<Vec<u32>> {
    let segment = memory.segment_of(tlas.structure.base)?;
    let mut taken = vec![false; memory.segments()[segment].bytes().len() / 32];
    tlas.instances
        .iter()
        .map(|instance| {
            let record = sideband(&tlas.instance_node(memory, instance.pointer))?;
            let slot = taken.get_mut(record.instance_index as usize)?;
            (!std::mem::replace(slot, true)).then_some(record.instance_index)
        })
        .collect()
}

/// The sideband record of a node; records of inactive instances and zeros are none.
pub(super) fn sideband(node: &Bvh4x2InstanceNode) -> Option<GpurtSideband> {
    let record = GpurtSideband::decode(&HalfNodeBits::from_words(node.software));
    (record.blas_metadata_size != 0).then_some(record)
}

/// The instances in order. A number that no node has gets an instance that nothing can see.
fn instances(memory: &Memory<'_>, tlas: &Surveyed, numbers: &[u32]) -> Vec<Instance> {
    let has_sideband = sideband_numbers(memory, tlas).is_some();
    let count = numbers.iter().max().map_or(0, |&last| last as usize + 1);
    let mut instances = vec![UNSEEN; count];
    for (placed, &number) in tlas.instances.iter().zip(numbers) {
        let node = tlas.instance_node(memory, placed.pointer);
        let record = sideband(&node).filter(|_| has_sideband);
        instances[number as usize] = instance(
            node.world_to_object,
            node.mask,
            node.user_data,
            node.child_base.flags(),
            record.as_ref().map(Into::into),
            placed.below,
        );
    }
    instances
}
