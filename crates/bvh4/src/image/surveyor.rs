//! Every node of an image that can be reached, and how. Total over any bytes: what breaks a rule of
//! structure is reported and not followed, so a survey is a tree whatever it is made of.
//!
//! Structures come in the order: that of the image's root, then those that instances refer to, by
//! address. Within a structure nodes are met breadth first. An instance may name a box below the
//! root of another's structure: what is below it is a structure of its own then, over the same
//! nodes.

use super::dialect::{Dialect, StoredInstance};
use super::{Findings, Rule};
use crate::decode::bounds::unbounded_where_nan;
use crate::layout::pointer::UNIT_BYTES;
use crate::layout::{Bvh4Kind, Bvh4Pointer};
use crate::survey::{ChildRecord, Memory, NO_BOX, Survey, Surveyed, Target, Visited};
use geometry::{Aabb, Transform, Vec3};
use machine::Image;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Surveys an image and reports what breaks its structure.
pub fn collect<D: Dialect>(
    image: &Image,
    memory: &Memory<'_>,
    findings: &mut Findings,
) -> Survey<D> {
    let mut surveyor = Surveyor { memory, findings, visited: Visited::new(memory) };
    let mut tlas = surveyor.structure(D::of_root(image, memory), true);

    let mut places: BTreeMap<(u64, u32), (D, u32)> = BTreeMap::new();
    let targets: Vec<(u64, u32)> = tlas
        .instances
        .iter()
        .map(|record| {
            let below = tlas.structure.instance(memory, record.pointer).map(|it| it.below);
            let below = below.unwrap_or(tlas.structure);
            let key = (below.base(), below.root().0);
            places.insert(key, (below, 0));
            key
        })
        .collect();
    let mut structures: Vec<Surveyed<D>> = Vec::with_capacity(places.len() + 1);
    let mut parts = Parts::new(image, places.keys().map(|&(base, _)| base));
    for (below, number) in places.values_mut() {
        let structure = parts.find(&structures, *below);
        let structure = structure.unwrap_or_else(|| surveyor.structure(*below, false));
        parts.note(structures.len(), &structure);
        structures.push(structure);
        *number = structures.len() as u32;
    }
    for (instance, target) in tlas.instances.iter_mut().zip(&targets) {
        instance.below = places.get(target).map(|(_, number)| *number);
    }
    structures.insert(0, tlas);
    Survey { structures, visited: surveyor.visited }
}

/// How many times the units of an image the parts of structures may have nodes.
const PART_LIMIT: usize = 64;

/// Boxes that structures below instances begin at or could begin at.
struct Parts {
    /// Bases from which several roots count.
    shared: BTreeSet<u64>,
    /// Structure and position of each box that counts from one of them.
    boxes: HashMap<(u64, Bvh4Pointer), (usize, u32)>,
    nodes_left: usize,
}

impl Parts {
    fn new(image: &Image, bases: impl Iterator<Item = u64>) -> Self {
        let bases: Vec<u64> = bases.collect();
        let shared = bases.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
        let nodes_left = PART_LIMIT * (image.byte_count() / UNIT_BYTES as usize + 1);
        Self { shared: shared.collect(), boxes: HashMap::new(), nodes_left }
    }

    /// The structure as a part of another, if it is one.
    fn find<D: Dialect>(&mut self, structures: &[Surveyed<D>], wanted: D) -> Option<Surveyed<D>> {
        let &(whole, number) = self.boxes.get(&(wanted.base(), wanted.root()))?;
        if self.nodes_left == 0 {
            return None;
        }
        let part = structures[whole].part(number, wanted);
        self.nodes_left = self.nodes_left.saturating_sub(part.boxes.len() + part.leaves.len());
        Some(part)
    }

    /// Notes the boxes of a structure with its position.
    fn note<D: Dialect>(&mut self, position: usize, surveyed: &Surveyed<D>) {
        let base = surveyed.structure.base();
        if !surveyed.is_part && self.shared.contains(&base) {
            let boxes = (0..).zip(&surveyed.boxes);
            self.boxes.extend(boxes.map(|(n, record)| ((base, record.pointer), (position, n))));
        }
    }
}

struct Surveyor<'a, 'm> {
    memory: &'a Memory<'m>,
    findings: &'a mut Findings,
    visited: Visited,
}

/// A node that a slot leads to, and where the slot is.
#[derive(Clone, Copy)]
struct Step {
    pointer: Bvh4Pointer,
    parent: u32,
    slot: u8,
}

impl Surveyor<'_, '_> {
    fn structure<D: Dialect>(&mut self, structure: D, is_top: bool) -> Surveyed<D> {
        let root = structure.root();
        let mut surveyed = Surveyed::new(structure);
        if !D::is_root(root.kind()) || root.is_special() || !self.claim(&structure, root) {
            let base = structure.base();
            self.findings.add_at(Rule::Root, self.memory, base, 0..0, || {
                let found = format!("{root} from base {base:#x}");
                let place = if is_top { "root of the image" } else { "root below an instance" };
                [found, "a box node of the image that nothing else is part of".into(), place.into()]
            });
            return surveyed;
        }
        surveyed.add_box(root, NO_BOX, 0);
        let mut next = 0;
        while let Some(record) = surveyed.boxes.get(next) {
            let boxes = structure.four_boxes(self.memory, record.pointer);
            surveyed.begin_children(next);
            let children = boxes.iter().flat_map(|boxes| (0u8..).zip(boxes.children));
            for (slot, child) in children.filter(|(_, child)| *child != Bvh4Pointer::INVALID) {
                let step = Step { pointer: child, parent: next as u32, slot };
                if let Some(target) = self.follow(&mut surveyed, step, is_top) {
                    surveyed.add_child(next as u32, ChildRecord { slots: 1 << slot, target });
                }
            }
            next += 1;
        }
        surveyed
    }

    /// Adds the node that a slot leads to, if it is one.
    fn follow<D: Dialect>(
        &mut self,
        surveyed: &mut Surveyed<D>,
        step: Step,
        is_top: bool,
    ) -> Option<Target> {
        let Step { pointer, parent, slot } = step;
        let (kind, structure) = (pointer.kind(), surveyed.structure);
        let is_instance = kind == Bvh4Kind::Instance;
        if pointer.is_special() || !structure.is_child(kind) {
            return self.refuse(surveyed, step, Rule::NodeType, structure.child_types());
        }
        if is_instance && !is_top {
            return self.refuse(surveyed, step, Rule::NestedInstance, "no instance");
        }
        let others = if is_instance { surveyed.leaves.len() } else { surveyed.instances.len() };
        let is_box = matches!(kind, Bvh4Kind::HalfBox | Bvh4Kind::Fp32Box);
        if !is_box && others > 0 {
            return self.refuse(surveyed, step, Rule::MixedLevel, "one kind of leaf");
        }
        if !self.is_inside(&structure, pointer) {
            let expected = "a node in the segment of its base";
            return self.refuse(surveyed, step, Rule::PointerRange, expected);
        }
        if !self.claim(&structure, pointer) {
            let expected = "units that no other node has";
            return self.refuse(surveyed, step, Rule::ReachedTwice, expected);
        }
        if is_box {
            return Some(surveyed.add_box(pointer, parent, slot));
        }
        let address = structure.address_of(pointer);
        let (memory, findings) = (self.memory, &mut *self.findings);
        let mut report = |rule, bits, texts| findings.add_at(rule, memory, address, bits, || texts);
        if is_instance {
            if let Some(instance) = structure.instance(memory, pointer) {
                check_instance(memory, pointer, &instance, &mut report);
            }
            Some(surveyed.add_instance(pointer, parent, slot))
        } else {
            structure.check_leaf(memory, pointer, &mut report);
            Some(surveyed.add_leaf(pointer, parent, slot, 1))
        }
    }

    fn refuse<D: Dialect>(
        &mut self,
        surveyed: &Surveyed<D>,
        step: Step,
        rule: Rule,
        expected: &str,
    ) -> Option<Target> {
        let above = surveyed.boxes[step.parent as usize].pointer;
        let bits = surveyed.structure.pointer_bits(above, step.slot);
        self.findings.add_at(rule, self.memory, surveyed.structure.address_of(above), bits, || {
            let place = format!("box {above}, slot {}", step.slot);
            [format!("pointer {}", step.pointer), expected.to_owned(), place]
        });
        None
    }

    /// Whether all of a node lies in the segment of its base.
    fn is_inside<D: Dialect>(&self, structure: &D, pointer: Bvh4Pointer) -> bool {
        let number = self.memory.segment_of(structure.base());
        let Some(segment) = number.map(|number| &self.memory.segments()[number]) else {
            return false;
        };
        let address = structure.address_of(pointer);
        // An address that wrapped around lies before its base.
        address >= segment.address
            && (address - segment.address).is_multiple_of(UNIT_BYTES)
            && segment.get(address, pointer.node_bytes()).is_some()
    }

    /// Takes the units of a node; false if they do not exist or belong to another one.
    fn claim<D: Dialect>(&mut self, structure: &D, pointer: Bvh4Pointer) -> bool {
        let bytes = pointer.node_bytes() as u64;
        self.is_inside(structure, pointer)
            && self.visited.claim(self.memory, structure.address_of(pointer), bytes)
    }
}

fn check_instance<D: Dialect>(
    memory: &Memory<'_>,
    pointer: Bvh4Pointer,
    instance: &StoredInstance<D>,
    report: super::Report<'_>,
) {
    let place = || format!("instance {pointer}");
    let base = instance.below.base();
    if memory.segment_of(base).is_none() {
        let (start, end) = instance.bits.base;
        let texts = [format!("{base:#x}"), "an address of the image".into(), place()];
        report(Rule::InstanceBase, start..end, texts);
    } else if instance.stray_address != 0 {
        let (start, end) = instance.bits.base;
        let found = format!("{base:#x} and {} bytes", instance.stray_address);
        report(Rule::InstanceBase, start..end, [found, "a multiple of 64".into(), place()]);
    }
    if !is_invertible(&instance.world_to_object) {
        let (start, end) = instance.bits.transform;
        let found = format!("{:?}", instance.world_to_object.rows);
        report(Rule::Transform, start..end, [found, "an invertible transform".into(), place()]);
    }
}

fn is_invertible(transform: &Transform) -> bool {
    transform.is_finite() && transform.inverse().is_ok()
}

/// The planes of the slot that a surveyed leaf lies below, as far as all boxes above let it be
/// reached.
#[must_use]
pub fn slot_box<D: Dialect>(
    memory: &Memory<'_>,
    surveyed: &Surveyed<D>,
    parent: u32,
    slot: u8,
) -> Aabb {
    let mut bounds = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
    let (mut parent, mut slot) = (parent, slot);
    while let Some(above) = surveyed.boxes.get(parent as usize) {
        if let Some(node) = surveyed.structure.four_boxes(memory, above.pointer) {
            let planes = unbounded_where_nan(node.boxes[usize::from(slot & 3)]);
            bounds = bounds.intersection(planes);
        }
        (parent, slot) = (above.parent, above.slot);
    }
    bounds
}
