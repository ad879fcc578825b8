//! Image → tree.
//!
//! Boxes are the decoded planes. Primitives are numbered by the address of their node, triangle 0
//! before triangle 1, and procedurals behind all triangles. A triangle has its own corners in its
//! own order: the unit's test order is a rotation of it, which the sources undo.
//!
//! An instance's number is the instance index of the sideband record in its node, where those
//! records number the instances; otherwise instances count in the order in which they are met, slot
//! by slot, depth first.

use super::survey::{InstanceRecord, Survey, Surveyed, Target};
use crate::decode::bounds::unbounded_where_nan;
pub(crate) use crate::decode::instances::instance_flags;
use crate::decode::{Memory, is_inverse};
use crate::layout::uncompressed::{DualInstanceNode, DualKind, DualPointer, TriangleNode};
use crate::layout::{GpurtSideband, HalfNodeBits};
use geometry::{Aabb, InstanceFlags, Transform, Triangle};
use machine::Image;
use std::ops::Range;
use tree::{
    Blas, Bvh, Instance, Node, NodeLink, PrimitiveFlags, PrimitiveId, Primitives, Tlas, Tree,
};

/// The tree of an image, with the geometry as it is stored; what breaks a rule of structure is left
/// out.
pub(super) fn decode(image: &Image, survey: &Survey) -> Tree {
    let memory = Memory::new(image);
    if !survey.has_tlas() {
        return Tree { blases: vec![blas(&memory, &survey.structures[0])], tlas: None };
    }
    let blases = survey.structures[1..].iter().map(|surveyed| blas(&memory, surveyed)).collect();
    let tlas = tlas(&memory, &survey.structures[0]);
    Tree { blases, tlas: Some(tlas) }
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

    /// The primitives that a slot leads to.
    pub(super) fn items(&self, surveyed: &Surveyed, target: Target) -> Range<u32> {
        let Target::Leaf(leaf) = target else { return 0..0 };
        let count = triangle_count(surveyed.leaves[leaf as usize].pointer) as u32;
        let start = self.first[leaf as usize];
        // A procedural is one primitive, whichever pointer leads to it.
        let is_box = start as usize >= self.primitives.triangles.len();
        start..start + if is_box { 1 } else { count }
    }
}

/// How many triangles a pointer reaches.
pub(crate) fn triangle_count(pointer: DualPointer) -> usize {
    1 + usize::from(pointer.kind() == DualKind::Triangle1)
}

/// A triangle of a node in its own order of corners.
pub(crate) fn own_triangle(node: &TriangleNode, which: usize) -> Triangle {
    let tested = node.triangle(which);
    let info = node.info(which);
    let (i, j) = (usize::from(info.i_source), usize::from(info.j_source));
    if i > 2 || j > 2 || i == j {
        return tested;
    }
    Triangle { vertices: [3 - i - j, i, j].map(|position| tested.vertices[position]) }
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
    let items = |target: Target| read.items(surveyed, target);
    let bvh = bvh(memory, surveyed, read.primitives.len(), items);
    Blas { primitives: read.primitives, bvh }
}

fn tlas(memory: &Memory<'_>, surveyed: &Surveyed) -> Tlas {
    let numbers = instance_numbers(memory, surveyed);
    let instances = instances(memory, surveyed, &numbers);
    let items = |target: Target| match target {
        Target::Instance(instance) => {
            let number = numbers[instance as usize];
            number..number + 1
        }
        Target::Box(_) | Target::Leaf(_) => 0..0,
    };
    let bvh = bvh(memory, surveyed, instances.len(), items);
    Tlas { instances, bvh }
}

/// The hierarchy of a structure: a root, then the used slots of all boxes.
fn bvh(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    item_count: usize,
    items: impl Fn(Target) -> Range<u32>,
) -> Bvh {
    let counts = surveyed.boxes.iter().map(|record| record.slots.iter().flatten().count());
    let starts: Vec<u32> = counts
        .scan(1, |next, count| {
            *next += count as u32;
            Some(*next - count as u32)
        })
        .collect();
    let node_link = |number: u32| {
        let record = &surveyed.boxes[number as usize];
        match record.slots.iter().flatten().count() {
            0 => NodeLink::leaf(0, 0),
            count => NodeLink::inner(starts[number as usize], count),
        }
    };
    if surveyed.boxes.iter().all(|record| record.slots.iter().all(Option::is_none)) {
        return Bvh::empty();
    }
    let mut references = Vec::new();
    let mut entries = vec![Node { bounds: Aabb::EMPTY, link: node_link(0) }];
    for record in &surveyed.boxes {
        let boxes = surveyed.four_boxes(memory, record.pointer).boxes;
        for (slot, target) in record.slots.iter().enumerate() {
            let link = match *target {
                None => continue,
                Some(Target::Box(number)) => node_link(number),
                Some(target) => {
                    let items = items(target);
                    references.extend(items.clone());
                    NodeLink::leaf((references.len() - items.len()) as u32, items.len())
                }
            };
            entries.push(Node { bounds: unbounded_where_nan(boxes[slot]), link });
        }
    }
    let children = entries[0].link.range();
    entries[0].bounds = entries[children].iter().fold(Aabb::EMPTY, |all, e| all.union(e.bounds));
    // A survey is a tree, so this succeeds.
    Bvh::new(entries, references, item_count).unwrap_or_else(|_| Bvh::empty())
}

/// For each instance node of a TLAS, the number of its instance.
pub(crate) fn instance_numbers(memory: &Memory<'_>, tlas: &Surveyed) -> Vec<u32> {
    sideband_numbers(memory, tlas).unwrap_or_else(|| discovery_numbers(tlas))
}

/// The numbers in the sideband records, if every node has one and no two are equal. They are not
/// believed beyond twice the units of the segment, so that a few bytes cannot ask for much memory.
pub(super) fn sideband_numbers(memory: &Memory<'_>, tlas: &Surveyed) -> Option<Vec<u32>> {
    let segment = memory.segment_of(tlas.base)?;
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
pub(super) fn sideband(node: &DualInstanceNode) -> Option<GpurtSideband> {
    let record = GpurtSideband::decode(&HalfNodeBits::from_words(node.software));
    (record.blas_metadata_size != 0).then_some(record)
}

fn discovery_numbers(tlas: &Surveyed) -> Vec<u32> {
    let mut numbers = vec![0; tlas.instances.len()];
    let mut next = 0;
    let mut open = if tlas.boxes.is_empty() { Vec::new() } else { vec![Target::Box(0)] };
    while let Some(target) = open.pop() {
        match target {
            Target::Box(number) => {
                let slots = tlas.boxes[number as usize].slots;
                open.extend(slots.into_iter().rev().flatten());
            }
            Target::Instance(number) => {
                numbers[number as usize] = next;
                next += 1;
            }
            Target::Leaf(_) => {}
        }
    }
    numbers
}

/// The instances in order. A number that no node has gets an instance that nothing can see.
fn instances(memory: &Memory<'_>, tlas: &Surveyed, numbers: &[u32]) -> Vec<Instance> {
    let has_sideband = sideband_numbers(memory, tlas).is_some();
    let unseen = Instance {
        blas: 0,
        world_to_object: Transform::IDENTITY,
        object_to_world: Transform::IDENTITY,
        mask: 0,
        custom_index: 0,
        flags: InstanceFlags::empty(),
    };
    let count = numbers.iter().max().map_or(0, |&last| last as usize + 1);
    let mut instances = vec![unseen; count];
    for (record, &number) in tlas.instances.iter().zip(numbers) {
        instances[number as usize] = instance(memory, tlas, record, has_sideband);
    }
    instances
}

fn instance(
    memory: &Memory<'_>,
    tlas: &Surveyed,
    instance: &InstanceRecord,
    has_sideband: bool,
) -> Instance {
    let node = tlas.instance_node(memory, instance.pointer);
    let record = if has_sideband { sideband(&node) } else { None };
    let inverse = || node.world_to_object.inverse().unwrap_or(Transform::IDENTITY);
    Instance {
        blas: instance.below.saturating_sub(1),
        world_to_object: node.world_to_object,
        object_to_world: record
            .map(|record| record.object_to_world)
            .filter(|back| is_inverse(&node.world_to_object, back))
            .unwrap_or_else(inverse),
        mask: node.mask,
        custom_index: record.map_or(node.user_data, |record| record.instance_id),
        flags: instance_flags(node.child_base.flags()),
    }
}
