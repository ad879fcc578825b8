//! Image → tree.
//!
//! Boxes are the decoded planes. Primitives are numbered by the address of their node, triangle 0
//! before triangle 1, and procedurals behind all triangles. A triangle has its own corners in its
//! own order: the unit's test order is a rotation of it, which the sources undo.
//!
//! An instance's number is the index in its node, where indices number the instances; otherwise
//! instances count in the order in which they are met, slot by slot, depth first.

use super::dialect::{Dialect, LeafNode, Shape};
use super::surveyor::slot_box;
use crate::decode::bounds::unbounded_where_nan;
use crate::decode::hierarchy::{self, Items};
use crate::decode::instance::{UNSEEN, instance};
use crate::layout::Bvh4Kind;
use crate::survey::{Memory, Survey, Surveyed};
use geometry::Aabb;
use machine::Image;
use std::ops::Range;
use tree::{Blas, Bvh, Instance, PrimitiveId, Primitives, Tlas, Tree};

/// The tree of an image, with the geometry as it is stored; what breaks a rule of structure is left
/// out.
#[must_use]
pub fn decode<D: Dialect>(image: &Image, survey: &Survey<D>) -> Tree {
    let memory = Memory::new(image);
    let tlas = |surveyed: &Surveyed<D>, _: &[Blas]| tlas(&memory, surveyed);
    hierarchy::tree(survey, |surveyed| blas(&memory, surveyed), tlas)
}

/// The primitives of a structure, and which of them a node holds.
#[derive(Debug)]
pub struct ReadPrimitives {
    /// The primitives.
    pub primitives: Primitives,
    /// For each leaf of the survey, its primitives.
    leaves: Vec<Range<u32>>,
}

impl ReadPrimitives {
    /// Reads the leaves of a structure.
    #[must_use]
    pub fn new<D: Dialect>(memory: &Memory<'_>, surveyed: &Surveyed<D>) -> Self {
        let mut order: Vec<usize> = (0..surveyed.leaves.len()).collect();
        order.sort_by_key(|&leaf| surveyed.leaves[leaf].pointer);
        let mut primitives = Primitives::default();
        let mut procedurals: Vec<(usize, PrimitiveId)> = Vec::new();
        let mut leaves = vec![0..0; surveyed.leaves.len()];
        for leaf in order {
            let Some(node) = leaf_node(memory, surveyed, leaf) else { continue };
            let first = primitives.triangles.len() as u32;
            for stored in node.all() {
                match stored.shape {
                    Shape::Box(bounds) => {
                        procedurals.push((leaf, stored.id));
                        primitives.boxes.push(unbounded_where_nan(bounds));
                    }
                    Shape::Triangle(triangle) => {
                        primitives.triangles.push(triangle);
                        primitives.ids.push(stored.id);
                    }
                }
            }
            leaves[leaf] = first..primitives.triangles.len() as u32;
        }
        for (leaf, id) in procedurals {
            let number = primitives.ids.len() as u32;
            leaves[leaf] = number..number + 1;
            primitives.ids.push(id);
        }
        Self { primitives, leaves }
    }

    /// The primitives of a leaf.
    #[must_use]
    pub fn items(&self, leaf: usize) -> Range<u32> {
        self.leaves[leaf].clone()
    }
}

/// A leaf of a survey, by its position.
#[must_use]
pub fn leaf_node<D: Dialect>(
    memory: &Memory<'_>,
    surveyed: &Surveyed<D>,
    leaf: usize,
) -> Option<LeafNode> {
    let record = surveyed.leaves[leaf];
    // Only procedurals may have no other box.
    let slot = match record.pointer.kind() {
        Bvh4Kind::User => slot_box(memory, surveyed, record.parent, record.slot),
        _ => Aabb::EMPTY,
    };
    surveyed.structure.leaf(memory, record.pointer, &slot)
}

fn blas<D: Dialect>(memory: &Memory<'_>, surveyed: &Surveyed<D>) -> Blas {
    let read = ReadPrimitives::new(memory, surveyed);
    let items = Items {
        count: read.primitives.len(),
        of_leaf: &|leaf, all| all.extend(read.items(leaf)),
        of_instance: &|number| number,
        bounds: &|number| read.primitives.bounds(number as usize),
    };
    let bvh = bvh(memory, surveyed, &items);
    Blas { primitives: read.primitives, bvh }
}

fn tlas<D: Dialect>(memory: &Memory<'_>, surveyed: &Surveyed<D>) -> Tlas {
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

fn bvh<D: Dialect>(memory: &Memory<'_>, surveyed: &Surveyed<D>, items: &Items<'_>) -> Bvh {
    hierarchy::bvh(surveyed, items, &|record, boxes| {
        if let Some(node) = surveyed.structure.four_boxes(memory, record.pointer) {
            for (child, bounds) in surveyed.children[record.children()].iter().zip(boxes) {
                *bounds = unbounded_where_nan(node.boxes[usize::from(child.slot() & 3)]);
            }
        }
        false
    })
}

/// For each instance node of a TLAS, the number of its instance.
#[must_use]
pub fn instance_numbers<D: Dialect>(memory: &Memory<'_>, tlas: &Surveyed<D>) -> Vec<u32> {
    stored_numbers(memory, tlas).unwrap_or_else(|| tlas.discovery_order())
}

/// The numbers in the nodes, if every node has one and no two are equal. They are not believed
/// beyond twice the units of the segment, so that a few bytes cannot ask for much memory.
#[must_use]
pub fn stored_numbers<D: Dialect>(memory: &Memory<'_>, tlas: &Surveyed<D>) -> Option<Vec<u32>> {
    let segment = memory.segment_of(tlas.structure.base())?;
    let mut taken = vec![false; memory.segments()[segment].bytes().len() / 32];
    tlas.instances
        .iter()
        .map(|record| {
            let index = tlas.structure.instance(memory, record.pointer)?.index?;
            let slot = taken.get_mut(index as usize)?;
            (!std::mem::replace(slot, true)).then_some(index)
        })
        .collect()
}

/// The instances in order. A number that no node has gets an instance that nothing can see.
fn instances<D: Dialect>(
    memory: &Memory<'_>,
    tlas: &Surveyed<D>,
    numbers: &[u32],
) -> Vec<Instance> {
    let are_numbered = stored_numbers(memory, tlas).is_some();
    let count = numbers.iter().max().map_or(0, |&last| last as usize + 1);
    let mut instances = vec![UNSEEN; count];
    for (placed, &number) in tlas.instances.iter().zip(numbers) {
        let Some(stored) = tlas.structure.instance(memory, placed.pointer) else { continue };
        let beside = stored.beside.filter(|_| are_numbered);
        let shown = instance(
            stored.world_to_object,
            stored.mask,
            stored.sbt_offset,
            stored.base_flags,
            beside,
            placed.below,
        );
        instances[number as usize] = Instance { flags: stored.flags, ..shown };
    }
    instances
}
