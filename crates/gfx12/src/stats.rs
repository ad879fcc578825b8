//! The figures that RADV writes to `RADV_BVH_STATS_FILE`, number for number.
//!
//! A structure is walked from its root, depth first and slot by slot. Each node adds its weight
//! times the area of the slot that leads to it: a box 0.5, an instance 0.7, every pair 1. The root
//! counts with the bounds in the header, by whose area the sum is divided. Areas are of the
//! quantised boxes, without the origin of their grid. Sums are rounded to `f32` after each node,
//! products with a weight are not. Source: Mesa's `radv_rra_gfx12.c` and `radv_rra.c`.
//!
//! Gamma dumps and files that RADV exports for a viewer have no bounds in their headers. Those of a
//! BLAS are then the bounds of its primitives, as they were in RADV's header; those of a TLAS, of
//! which no file knows, are those of its root's boxes.

use crate::Gfx12;
use crate::check::missed_culling;
use crate::decode::Pairs;
use crate::decode::primitives::stored_count;
use crate::format::memory;
use crate::layout::{BOX_TYPE, BoxNode, ChildEntry, InstanceNode, NodeKind, NodePointer};
use crate::survey::{Header, Memory, Structure, Surveyed, is_empty_slot};
use bvh4::decode::bounds::union;
use geometry::Aabb;
use machine::Checked;
use machine::statistics::{BvhStatistics, millionths, surface_area};
use std::collections::HashMap;
use tree::Blas;

/// The figures of all structures of an image: BLASes first, as the driver has them.
#[must_use]
pub fn statistics(checked: &Checked<Gfx12>) -> Vec<BvhStatistics> {
    let memory = memory(checked);
    let survey = checked.proof().survey();
    let (tlas, blases) = survey.levels();
    let missed = missed_culling(&memory, survey);
    let first_blas = usize::from(tlas.is_some());
    let mut sah_below = HashMap::new();
    let mut all: Vec<BvhStatistics> = blases
        .iter()
        .zip(&missed[first_blas..])
        .enumerate()
        .map(|(number, (blas, &missed))| {
            let bounds = bounds(&memory, blas, || tree_bounds(&checked.tree().blases[number]));
            let sums = Sums::of(&memory, blas, bounds, &HashMap::new());
            sah_below.insert(blas.structure.box_base, sums.sah / sums.area);
            sums.statistics(&memory, blas, missed, false)
        })
        .collect();
    if let Some(tlas) = tlas {
        let bounds = bounds(&memory, tlas, || root_bounds(&memory, tlas));
        let sums = Sums::of(&memory, tlas, bounds, &sah_below);
        all.push(sums.statistics(&memory, tlas, missed[0], true));
    }
    all
}

/// What a walk sums up.
#[derive(Debug, Default)]
struct Sums {
    area: f32,
    depth: u64,
    boxes: u64,
    primitive_nodes: u64,
    instances: u64,
    sah: f32,
    instance_sah: f32,
    /// Slots in use, and areas that siblings share and have.
    slots: u64,
    shared_area: f64,
    slot_area: f64,
}

impl Sums {
    fn of(
        memory: &Memory<'_>,
        surveyed: &Surveyed,
        bounds: Aabb,
        sah_below: &HashMap<u64, f32>,
    ) -> Self {
        let structure = &surveyed.structure;
        let area = surface_area((bounds.max - bounds.min).to_array());
        let mut sums = Self { area, ..Self::default() };
        let mut open = vec![(structure.root, 1, area)];
        while let Some((pointer, depth, area)) = open.pop() {
            sums.depth = sums.depth.max(depth);
            let weight = match pointer.kind() {
                NodeKind::Box => 0.5,
                NodeKind::Instance => 0.7,
                NodeKind::Primitive { .. } | NodeKind::Unused => 1.0,
            };
            sums.sah = (f64::from(sums.sah) + weight * f64::from(area)) as f32;
            match pointer.kind() {
                NodeKind::Box => {
                    sums.boxes += 1;
                    let children = sums.children(memory, structure, pointer);
                    let children = children.into_iter().rev();
                    open.extend(children.map(|(child, area)| (child, depth + 1, area)));
                }
                NodeKind::Instance => {
                    sums.instances += 1;
                    let below = below(memory, structure, pointer);
                    let sah = below.and_then(|base| sah_below.get(&base));
                    sums.instance_sah += sah.map_or(0.0, |sah| sah * area);
                }
                NodeKind::Primitive { .. } | NodeKind::Unused => {
                    sums.primitive_nodes += u64::from(pointer.node_type() == 0);
                }
            }
        }
        sums
    }

    /// The children of a box as the driver counts them, each with the area of its slot.
    fn children(
        &mut self,
        memory: &Memory<'_>,
        structure: &Structure,
        pointer: NodePointer,
    ) -> Vec<(NodePointer, f32)> {
        let Some(bits) = memory.node(structure.address_of(pointer)) else { return Vec::new() };
        let node = BoxNode::decode(&bits);
        // All bits of the count and the one behind it set: there is nothing.
        if node.child_count == 8 && node.spare {
            return Vec::new();
        }
        let used = node.used_children().len();
        self.slots += used as u64;
        self.overlap(&node, used);
        let pointers = node.child_pointers();
        let slots = node.used_children().iter().zip(pointers);
        slots.map(|(child, pointer)| (pointer, slot_area(&node, child))).collect()
    }

    /// Adds what the boxes of siblings share.
    fn overlap(&mut self, node: &BoxNode, used: usize) {
        let area = |bounds: &Aabb| f64::from(surface_area((bounds.max - bounds.min).to_array()));
        let is_there = |slot: &usize| !is_empty_slot(&node.children[*slot]);
        let boxes: Vec<Aabb> =
            (0..used).filter(is_there).map(|slot| node.child_box(slot)).collect();
        for (number, bounds) in boxes.iter().enumerate() {
            self.slot_area += area(bounds);
            for other in &boxes[..number] {
                let shared = Aabb::new(bounds.min.max(other.min), bounds.max.min(other.max));
                self.shared_area += if shared.is_empty() { 0.0 } else { area(&shared) };
            }
        }
    }

    fn statistics(
        &self,
        memory: &Memory<'_>,
        surveyed: &Surveyed,
        missed: usize,
        is_tlas: bool,
    ) -> BvhStatistics {
        let [allocated, compacted] = sizes(memory, &surveyed.structure);
        let scene = if is_tlas { millionths(self.sah + self.instance_sah, self.area) } else { 0 };
        let pairs = Pairs::new(memory, surveyed);
        let nodes = pairs.keys().chunk_by(|a, b| a / 8 == b / 8).count();
        let per = |sum: f64, count: f64| if count > 0.0 { sum / count } else { 0.0 };
        let triangles = stored_count(memory, surveyed, &pairs);
        BvhStatistics {
            is_tlas,
            address: surveyed.structure.box_base,
            figures: vec![
                ("allocated_size", allocated),
                ("compacted_size", compacted),
                ("max_depth", self.depth),
                ("box_node_count", self.boxes),
                ("primitive_node_count", self.primitive_nodes),
                ("instance_node_count", self.instances),
                ("sah", millionths(self.sah, self.area).into()),
                ("scene_sah", scene.into()),
            ],
            more: vec![
                ("slots_per_box", per(self.slots as f64, self.boxes as f64)),
                ("pairs_per_node", per(pairs.keys().len() as f64, nodes as f64)),
                ("primitives_per_node", per(triangles as f64, nodes as f64)),
                ("overlap", per(self.shared_area, self.slot_area)),
                ("missed_culling", missed as f64),
            ],
        }
    }
}

/// The area of a slot: codes as fractions of the extent.
fn slot_area(node: &BoxNode, child: &ChildEntry) -> f32 {
    surface_area(std::array::from_fn(|axis| {
        let extent = f32::from_bits(u32::from(node.frame.exponents[axis]) << 23);
        let low = f32::from(child.min[axis]) / 4096.0 * extent;
        let high = (f32::from(child.max[axis]) + 1.0) / 4096.0 * extent;
        high - low
    }))
}

/// Where the nodes of the structure below an instance count from.
fn below(memory: &Memory<'_>, structure: &Structure, pointer: NodePointer) -> Option<u64> {
    let bits = memory.node(structure.address_of(pointer))?;
    Some(structure.below(memory, &InstanceNode::decode(&bits)).box_base)
}

/// The bounds in the header, or those of the root's boxes. Of RADV's structures these are taken for
/// `exact` ones: no driver wrote them.
fn bounds(memory: &Memory<'_>, surveyed: &Surveyed, exact: impl FnOnce() -> Aabb) -> Aabb {
    let structure = &surveyed.structure;
    let of_boxes = root_bounds(memory, surveyed);
    let stored = match structure.header {
        Some(Header::Radv(header)) => Some([header.root_min, header.root_max]),
        Some(Header::Gpurt(header)) if !structure.is_radv() => {
            Some([header.root_min, header.root_max])
        }
        _ => None,
    };
    let stored = stored.map(|[min, max]| Aabb::new(min.into(), max.into()));
    match stored {
        Some(stored) if !structure.is_radv() || stored != of_boxes => stored,
        _ if structure.is_radv() && !of_boxes.is_empty() => exact(),
        _ => of_boxes,
    }
}

/// The box around all primitives of a level.
fn tree_bounds(level: &Blas) -> Aabb {
    let primitives = &level.primitives;
    (0..primitives.len()).map(|number| primitives.bounds(number)).fold(Aabb::EMPTY, union)
}

fn root_bounds(memory: &Memory<'_>, surveyed: &Surveyed) -> Aabb {
    let root = surveyed.structure.root;
    let bits = memory.node(surveyed.structure.address_of(root));
    let Some(node) = bits.filter(|_| root.node_type() == BOX_TYPE).map(|b| BoxNode::decode(&b))
    else {
        return Aabb::EMPTY;
    };
    let used = (0..node.used_children().len()).filter(|&slot| !is_empty_slot(&node.children[slot]));
    used.fold(Aabb::EMPTY, |all, slot| all.union(node.child_box(slot)))
}

/// Bytes that were allocated, and after compaction.
fn sizes(memory: &Memory<'_>, structure: &Structure) -> [u64; 2] {
    let segment = memory.segment_of(structure.box_base).map(|number| &memory.segments()[number]);
    let bytes = segment.map_or(0, |segment| segment.bytes().len() as u64);
    match structure.header {
        Some(Header::Radv(header)) => [bytes, header.compacted_size],
        Some(Header::Gpurt(header)) if header.compacted_size > 0 => {
            [header.total_size.into(), header.compacted_size.into()]
        }
        Some(Header::Hiprt(header)) => [bytes, header.size],
        Some(Header::Gpurt(_)) | None => [bytes, bytes],
    }
}
