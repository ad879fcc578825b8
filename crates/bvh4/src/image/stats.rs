//! The figures that RADV writes to `RADV_BVH_STATS_FILE` for 4-wide nodes, number for number.
//!
//! A structure is walked from its root, depth first and slot by slot. Each node adds its weight
//! times the area of the slot that leads to it: an fp16 box 1, an fp32 box 1.5, a triangle node or
//! an instance 2, a procedural 4. The root counts with the bounds in the header, by whose area the
//! sum is divided. Sums are rounded to `f32` after each node, products with a weight are not.
//! Source: Mesa's `radv_rra_gfx10_3.c` and `radv_rra.c`.
//!
//! Where no header has bounds, those of the root's boxes stand in for them. RADV has no pairs; here
//! a node counts once, whatever it holds.

use super::contents::check_contents;
use super::dialect::Dialect;
use super::{Findings, Rule};
use crate::decode::bounds::union;
use crate::layout::{Bvh4Kind, Bvh4Pointer};
use crate::survey::{Memory, Survey, Surveyed};
use geometry::Aabb;
use machine::Image;
use machine::statistics::{BvhStatistics, millionths, surface_area};
use std::collections::HashMap;

/// The figures of all structures of an image: BLASes first, as the driver has them.
#[must_use]
pub fn statistics<D: Dialect>(image: &Image, survey: &Survey<D>) -> Vec<BvhStatistics> {
    let memory = Memory::new(image);
    let (tlas, blases) = survey.levels();
    let missed = missed_culling(&memory, survey);
    let first_blas = usize::from(tlas.is_some());
    let mut sah_below = HashMap::new();
    let mut all: Vec<BvhStatistics> = blases
        .iter()
        .zip(&missed[first_blas..])
        .map(|(blas, &missed)| {
            let sums = Sums::of(&memory, blas, &HashMap::new());
            let key = (blas.structure.base(), blas.structure.root());
            sah_below.insert(key, sums.sah / sums.area);
            sums.statistics(&memory, blas, missed, false)
        })
        .collect();
    if let Some(tlas) = tlas {
        all.push(Sums::of(&memory, tlas, &sah_below).statistics(&memory, tlas, missed[0], true));
    }
    all
}

/// The slots of each structure that could say more, as the check counts them.
fn missed_culling<D: Dialect>(memory: &Memory<'_>, survey: &Survey<D>) -> Vec<u64> {
    let count = survey.structures.len();
    let (mut counts, mut below) = (vec![0; count], Vec::with_capacity(count));
    for number in (1..count).chain([0]) {
        let mut findings = Findings::default();
        let held = check_contents(memory, &survey.structures[number], &below, &mut findings);
        below.push(held);
        let all = findings.into_sorted();
        let missed = all.iter().filter(|finding| finding.rule == Rule::MissedCulling.name());
        counts[number] = missed.map(|finding| u64::from(finding.count)).sum();
    }
    counts
}

/// Costs by base and root.
type Below = HashMap<(u64, Bvh4Pointer), f32>;

/// What a walk sums up.
#[derive(Debug, Default)]
struct Sums {
    area: f32,
    depth: u64,
    /// fp16 boxes, fp32 boxes, triangle nodes, instances, procedurals.
    counts: [u64; 5],
    sah: f32,
    instance_sah: f32,
    /// Primitives of leaves.
    primitives: u64,
    /// Slots in use, and areas that siblings share and have.
    slots: u64,
    shared_area: f64,
    slot_area: f64,
}

/// The weight of a node, and where it is counted.
fn weight<D: Dialect>(
    memory: &Memory<'_>,
    surveyed: &Surveyed<D>,
    pointer: Bvh4Pointer,
) -> (f64, usize) {
    match pointer.kind() {
        Bvh4Kind::HalfBox => (1.0, 0),
        Bvh4Kind::Fp32Box => (1.5, 1),
        Bvh4Kind::Instance => (2.0, 3),
        Bvh4Kind::User => (4.0, 4),
        Bvh4Kind::Triangle0 | Bvh4Kind::Triangle1 | Bvh4Kind::OldTriangle => {
            let leaf = surveyed.structure.leaf(memory, pointer, &Aabb::EMPTY);
            if leaf.is_some_and(|leaf| leaf.is_procedural()) { (4.0, 4) } else { (2.0, 2) }
        }
    }
}

impl Sums {
    fn of<D: Dialect>(memory: &Memory<'_>, surveyed: &Surveyed<D>, sah_below: &Below) -> Self {
        let structure = &surveyed.structure;
        let bounds = bounds(memory, surveyed);
        let area = surface_area((bounds.max - bounds.min).to_array());
        let mut sums = Self { area, ..Self::default() };
        let root = surveyed.boxes.first().map(|root| (root.pointer, 1, area));
        let mut open: Vec<(Bvh4Pointer, u64, f32)> = root.into_iter().collect();
        while let Some((pointer, depth, area)) = open.pop() {
            sums.depth = sums.depth.max(depth);
            let (weight, place) = weight(memory, surveyed, pointer);
            sums.counts[place] += 1;
            sums.sah = (f64::from(sums.sah) + weight * f64::from(area)) as f32;
            match pointer.kind() {
                Bvh4Kind::HalfBox | Bvh4Kind::Fp32Box => {
                    let Some(node) = structure.four_boxes(memory, pointer) else { continue };
                    let slots = node.children.into_iter().zip(node.boxes);
                    let used: Vec<(Bvh4Pointer, Aabb)> =
                        slots.filter(|(child, _)| *child != Bvh4Pointer::INVALID).collect();
                    sums.overlap(&used);
                    open.extend(used.into_iter().rev().map(|(child, bounds)| {
                        (child, depth + 1, surface_area((bounds.max - bounds.min).to_array()))
                    }));
                }
                Bvh4Kind::Instance => {
                    let below = structure.instance(memory, pointer).map(|it| it.below);
                    let sah = below.and_then(|below| sah_below.get(&(below.base(), below.root())));
                    sums.instance_sah += sah.map_or(0.0, |sah| sah * area);
                }
                _ => {
                    let leaf = structure.leaf(memory, pointer, &Aabb::EMPTY);
                    sums.primitives += leaf.map_or(0, |leaf| leaf.count as u64);
                }
            }
        }
        sums
    }

    /// Adds what the boxes of siblings share.
    fn overlap(&mut self, used: &[(Bvh4Pointer, Aabb)]) {
        let area = |bounds: &Aabb| f64::from(surface_area((bounds.max - bounds.min).to_array()));
        self.slots += used.len() as u64;
        for (number, (_, bounds)) in used.iter().enumerate() {
            self.slot_area += area(bounds);
            for (_, other) in &used[..number] {
                let shared = bounds.intersection(*other);
                self.shared_area += if shared.is_empty() { 0.0 } else { area(&shared) };
            }
        }
    }

    fn statistics<D: Dialect>(
        &self,
        memory: &Memory<'_>,
        surveyed: &Surveyed<D>,
        missed: u64,
        is_tlas: bool,
    ) -> BvhStatistics {
        let structure = &surveyed.structure;
        let segment = memory.segment_of(structure.base());
        let bytes = segment.map_or(0, |number| memory.segments()[number].bytes().len() as u64);
        let [allocated, compacted] = structure.sizes(memory).unwrap_or([bytes; 2]);
        let [halves, boxes, triangles, instances, procedurals] = self.counts;
        let scene = if is_tlas { millionths(self.sah + self.instance_sah, self.area) } else { 0 };
        let per = |sum: f64, count: f64| if count > 0.0 { sum / count } else { 0.0 };
        let leaves = (triangles + procedurals) as f64;
        BvhStatistics {
            is_tlas,
            address: structure.base(),
            figures: vec![
                ("allocated_size", allocated),
                ("compacted_size", compacted),
                ("max_depth", self.depth),
                ("box16_node_count", halves),
                ("box32_node_count", boxes),
                ("triangle_node_count", triangles),
                ("instance_node_count", instances),
                ("procedural_node_count", procedurals),
                ("sah", millionths(self.sah, self.area).into()),
                ("scene_sah", scene.into()),
            ],
            more: vec![
                ("slots_per_box", per(self.slots as f64, (halves + boxes) as f64)),
                // A node holds one pair, or one procedural.
                ("pairs_per_node", per(leaves, leaves)),
                ("primitives_per_node", per(self.primitives as f64, leaves)),
                ("overlap", per(self.shared_area, self.slot_area)),
                ("missed_culling", missed as f64),
            ],
        }
    }
}

/// The bounds in the header, or those of the root's boxes.
fn bounds<D: Dialect>(memory: &Memory<'_>, surveyed: &Surveyed<D>) -> Aabb {
    let stored = surveyed.structure.header_bounds(memory);
    stored.unwrap_or_else(|| {
        let root = surveyed.boxes.first();
        let root = root.and_then(|root| surveyed.structure.four_boxes(memory, root.pointer));
        let slots = root.iter().flat_map(|root| root.children.iter().zip(root.boxes));
        let used = slots.filter(|(child, _)| **child != Bvh4Pointer::INVALID);
        used.fold(Aabb::EMPTY, |all, (_, slot)| union(all, slot))
    })
}
