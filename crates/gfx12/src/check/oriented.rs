//! Whether oriented boxes contain what is below them: every vertex, rotated exactly.
//!
//! A vertex is rotated in `f64`, where products of two `f32` are exact, and compared with each
//! plane by a sum whose rounding errors are carried along. Each leaf tests its own vertices against
//! the oriented nodes above it, up to [`EXACT_LEVELS`] levels. A node with more levels below it is
//! compared with the rotated box of its contents instead: that may warn without need, but it ends.

use super::boxes::text;
use super::contents::{Contents, for_each_stored, hull};
use super::shared::Shared;
use super::{Findings, Place, Rule};
use crate::decode::Pairs;
use crate::layout::BoxNode;
use crate::obb;
use crate::survey::{BoxRecord, Memory, NO_BOX, Surveyed, Target, entry_bits};
use geometry::{Aabb, Transform, Vec3};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Levels of boxes above a leaf whose nodes it is tested against.
const EXACT_LEVELS: u32 = 64;

/// Where it is noted that something that must be inside is not.
const NEEDED: usize = 1;

/// Checks the oriented nodes of a structure.
pub(super) fn check(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    pairs: &Pairs,
    contents: &[Contents],
    shared: &Shared<'_>,
    findings: &mut Findings,
) {
    let rotations: Vec<u8> = surveyed
        .boxes
        .par_iter()
        .with_min_len(1 << 10)
        .map(|record| {
            BoxNode::obb_matrix_index.get(&surveyed.node::<32>(memory, record.pointer)) as u8
        })
        .collect();
    if rotations.iter().all(|&index| obb::rotation(index).is_none()) {
        return;
    }
    let not_contained = [Rule::SharedPair, Rule::Contained]
        .map(|rule| (rule, surveyed.children.iter().map(|_| AtomicBool::new(false)).collect()));
    let task = Task { memory, surveyed, rotations, not_contained };
    surveyed.leaves.par_iter().with_min_len(1 << 8).for_each(|leaf| {
        let mut points = [Vec::new(), Vec::new()];
        for_each_stored(memory, surveyed, pairs, leaf, |place, stored| {
            let (corners, count) = hull(stored);
            let is_needed = !shared.is_kept_elsewhere(leaf, place, stored);
            points[usize::from(is_needed)].extend_from_slice(&corners[..count]);
        });
        for (needed, points) in points.iter().enumerate().filter(|(_, points)| !points.is_empty()) {
            task.climb(leaf.parent, leaf.slot, points, needed);
        }
    });
    for (position, child) in surveyed.children.iter().enumerate() {
        let is_deep = contents[position].height >= EXACT_LEVELS;
        if let Target::Instance(number) = child.target {
            let instance = &surveyed.instances[number as usize];
            let corners = contents[position].bounds.corners();
            task.climb(instance.parent, instance.slot, &corners, NEEDED);
        } else if is_deep && let Target::Box(number) = child.target {
            let record = &surveyed.boxes[number as usize];
            let corners = contents[position].bounds.corners();
            task.test(record.parent, record.slot, &corners, NEEDED);
        }
    }
    task.report(contents, findings);
}

struct Task<'a> {
    memory: &'a Memory<'a>,
    surveyed: &'a Surveyed,
    /// Rotation index of each box node.
    rotations: Vec<u8>,
    /// For each child, whether something below it lies outside its boxes: what other ranges keep,
    /// and what must be inside.
    not_contained: [(Rule, Vec<AtomicBool>); 2],
}

impl Task<'_> {
    /// Tests points against the nodes above them.
    fn climb(&self, parent: u32, slot: u8, points: &[Vec3], needed: usize) {
        let (mut number, mut slot) = (parent, slot);
        for _ in 0..EXACT_LEVELS {
            if number == NO_BOX {
                return;
            }
            self.test(number, slot, points, needed);
            let record = &self.surveyed.boxes[number as usize];
            (number, slot) = (record.parent, record.slot);
        }
    }

    /// Tests points against the child of an oriented node that a slot leads to.
    fn test(&self, number: u32, slot: u8, points: &[Vec3], needed: usize) {
        let Some(rotation) = obb::rotation(self.rotations[number as usize]) else { return };
        let record = &self.surveyed.boxes[number as usize];
        let Some(position) = self.child(record, slot) else { return };
        let slots = self.surveyed.children[position].slots;
        let node = BoxNode::decode(&self.surveyed.node(self.memory, record.pointer));
        let contains = |slot: &usize| {
            let planes = node.child_box(*slot);
            points.iter().all(|&point| is_inside(rotation, &planes, point))
        };
        if !(0..8).filter(|k| slots >> k & 1 == 1).any(|slot| contains(&slot)) {
            self.not_contained[needed].1[position].store(true, Ordering::Relaxed);
        }
    }

    /// Position of the child that a slot leads to.
    fn child(&self, record: &BoxRecord, slot: u8) -> Option<usize> {
        record.children().find(|&child| self.surveyed.children[child].slots >> slot & 1 == 1)
    }

    fn report(&self, contents: &[Contents], findings: &mut Findings) {
        for (record, &rotation) in self.surveyed.boxes.iter().zip(&self.rotations) {
            for position in record.children() {
                let is_outside = |(_, not_contained): &&(_, Vec<AtomicBool>)| {
                    not_contained[position].load(Ordering::Relaxed)
                };
                let Some((rule, _)) = self.not_contained.iter().rev().find(is_outside) else {
                    continue;
                };
                let name = || format!("box {}, rotation {rotation}", record.pointer);
                let address = self.surveyed.structure.address_of(record.pointer);
                let place = Place { memory: self.memory, address, name: &name };
                let slot = self.surveyed.children[position].slots.trailing_zeros() as u8;
                findings.add(*rule, &place, entry_bits(slot), || {
                    let node = BoxNode::decode(&self.surveyed.node(self.memory, record.pointer));
                    let bounds = text(&contents[position].bounds);
                    let found = format!("slot {slot}: primitives in {bounds}, rotated");
                    (found, format!("inside {}", text(&node.child_box(usize::from(slot)))))
                });
            }
        }
    }
}

/// Whether the rotated point lies between the planes. A point that is not finite does not count: it
/// cannot be hit, and another rule names it.
pub(super) fn is_inside(rotation: &Transform, planes: &Aabb, point: Vec3) -> bool {
    !point.is_finite()
        || rotation.rows.iter().enumerate().all(|(axis, &[x, y, z, _])| {
            let terms = [
                f64::from(x) * f64::from(point.x),
                f64::from(y) * f64::from(point.y),
                f64::from(z) * f64::from(point.z),
            ];
            difference(terms, planes.min[axis]) >= 0.0 && difference(terms, planes.max[axis]) <= 0.0
        })
}

/// The sum of three exact products less a plane, with the rounding errors of the sum added last.
/// NaN where the plane is.
fn difference(terms: [f64; 3], plane: f32) -> f64 {
    let (first, error_1) = two_sum(terms[0], terms[1]);
    let (second, error_2) = two_sum(first, terms[2]);
    let (third, error_3) = two_sum(second, -f64::from(plane));
    if third.is_finite() { third + (error_1 + error_2 + error_3) } else { third }
}

/// `(s, e)` with `s = fl(a + b)` and `s + e = a + b` exactly (Knuth).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_seen = sum - a;
    let a_seen = sum - b_seen;
    (sum, (a - a_seen) + (b - b_seen))
}
