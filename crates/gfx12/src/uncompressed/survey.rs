//! Every node of an image that can be reached, and how. Total over any bytes: what breaks a rule of
//! structure is reported and not followed, so a survey is a tree whatever it is made of.
//!
//! Structures come in the order: that of the image's root, then those that instances refer to, by
//! address. Within a structure nodes are met breadth first.

use super::Findings;
use super::rule::Rule;
use crate::decode::Memory;
use crate::instruction::dual_box::FourBoxes;
use crate::layout::base_pointer::ADDRESS_MASK;
use crate::layout::uncompressed::dual_pointer::UNIT_BYTES;
use crate::layout::uncompressed::{
    DualInstanceNode, DualKind, DualPointer, Fp32BoxNode, HighPrecisionBoxNode, TriangleNode,
};
use geometry::Transform;
use machine::Image;
use std::collections::BTreeMap;

/// All structures of an image. There is always at least one.
#[derive(Debug)]
pub struct Survey {
    /// The root's structure, then those below instances.
    pub structures: Vec<Surveyed>,
}

/// The nodes of one structure.
#[derive(Debug)]
pub struct Surveyed {
    /// Byte address of the base.
    pub base: u64,
    /// The root pointer.
    pub root: DualPointer,
    /// Box nodes; the root is the first. None if the root names no box.
    pub boxes: Vec<BoxRecord>,
    /// Nodes with triangles or a procedural.
    pub leaves: Vec<LeafRecord>,
    /// Instance nodes.
    pub instances: Vec<InstanceRecord>,
}

/// A box node.
#[derive(Debug, Clone, Copy)]
pub struct BoxRecord {
    /// Its pointer.
    pub pointer: DualPointer,
    /// Its parent, by number; `None` for the root.
    pub parent: Option<u32>,
    /// Where its slots lead; `None` for unused ones and for what could not be followed.
    pub slots: [Option<Target>; 4],
}

/// A node with triangles or a procedural.
#[derive(Debug, Clone, Copy)]
pub struct LeafRecord {
    /// The pointer by which it is reached.
    pub pointer: DualPointer,
    /// The box above it.
    pub parent: u32,
}

/// An instance node.
#[derive(Debug, Clone, Copy)]
pub struct InstanceRecord {
    /// Its pointer.
    pub pointer: DualPointer,
    /// The box above it.
    pub parent: u32,
    /// The structure that it places, by number.
    pub below: u32,
}

/// Where a slot leads, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A box node.
    Box(u32),
    /// A node with triangles or a procedural.
    Leaf(u32),
    /// An instance node.
    Instance(u32),
}

impl Survey {
    /// Surveys an image.
    #[must_use]
    pub fn new(image: &Image) -> Self {
        Self::collect(image, &Memory::new(image), &mut Findings::default())
    }

    /// Surveys an image and reports what breaks its structure.
    pub(super) fn collect(image: &Image, memory: &Memory<'_>, findings: &mut Findings) -> Self {
        let claims =
            image.segments.iter().map(|s| vec![false; s.bytes().len() / UNIT_BYTES as usize]);
        let claims = claims.collect();
        let mut surveyor = Surveyor { memory, findings, claims };
        let base = image.bases.first().map_or(0, |base| base & ADDRESS_MASK);
        let root = u32::try_from(image.root).map_or(DualPointer::INVALID, DualPointer);
        let mut tlas = surveyor.structure(base, root, true);

        let mut places: BTreeMap<(u64, u32), u32> = BTreeMap::new();
        let targets: Vec<(u64, u32)> = tlas
            .instances
            .iter()
            .map(|instance| child_of(memory, &tlas, instance.pointer))
            .collect();
        places.extend(targets.iter().map(|&target| (target, 0)));
        let mut structures = Vec::with_capacity(places.len() + 1);
        for ((base, root), number) in &mut places {
            structures.push(surveyor.structure(*base, DualPointer(*root), false));
            *number = structures.len() as u32;
        }
        for (instance, target) in tlas.instances.iter_mut().zip(&targets) {
            instance.below = places[target];
        }
        structures.insert(0, tlas);
        Self { structures }
    }

    /// Whether the root's structure holds instances.
    #[must_use]
    pub fn has_tlas(&self) -> bool {
        !self.structures[0].instances.is_empty()
    }
}

impl Surveyed {
    /// All nodes: boxes, then instances, then leaves.
    pub fn pointers(&self) -> impl Iterator<Item = DualPointer> {
        let boxes = self.boxes.iter().map(|record| record.pointer);
        let instances = self.instances.iter().map(|record| record.pointer);
        boxes.chain(instances).chain(self.leaves.iter().map(|record| record.pointer))
    }

    /// The address of a node.
    #[must_use]
    pub fn address(&self, pointer: DualPointer) -> u64 {
        (self.base + pointer.byte_offset()) & ADDRESS_MASK
    }

    /// A surveyed triangle node.
    pub(crate) fn triangle_node(&self, memory: &Memory<'_>, pointer: DualPointer) -> TriangleNode {
        let bits = memory.half_node(self.address(pointer)).unwrap_or(crate::layout::Bits::ZERO);
        TriangleNode::decode(&bits)
    }

    /// A surveyed instance node.
    pub(crate) fn instance_node(
        &self,
        memory: &Memory<'_>,
        pointer: DualPointer,
    ) -> DualInstanceNode {
        let bits = memory.node(self.address(pointer)).unwrap_or(crate::layout::Bits::ZERO);
        DualInstanceNode::decode(&bits)
    }

    /// A surveyed box node in its common form.
    pub(crate) fn four_boxes(&self, memory: &Memory<'_>, pointer: DualPointer) -> FourBoxes {
        four_boxes(memory, self.address(pointer), pointer)
            .unwrap_or_else(|| FourBoxes::from(&Fp32BoxNode::decode(&crate::layout::Bits::ZERO)))
    }
}

/// The box node at an address, if there is memory for it.
pub(crate) fn four_boxes(
    memory: &Memory<'_>,
    address: u64,
    pointer: DualPointer,
) -> Option<FourBoxes> {
    if pointer.kind() == DualKind::HalfBox {
        let bits = memory.half_node(address)?;
        Some(FourBoxes::from(&HighPrecisionBoxNode::decode(&bits)))
    } else {
        Some(FourBoxes::from(&Fp32BoxNode::decode(&memory.node(address)?)))
    }
}

/// Base and root of the structure that an instance places.
fn child_of(memory: &Memory<'_>, tlas: &Surveyed, instance: DualPointer) -> (u64, u32) {
    let node = tlas.instance_node(memory, instance);
    (node.child_base.address(), node.child_root.0)
}

struct Surveyor<'a, 'm> {
    memory: &'a Memory<'m>,
    findings: &'a mut Findings,
    /// For each segment, which units belong to a node.
    claims: Vec<Vec<bool>>,
}

/// A node that a slot leads to, and where the slot is.
#[derive(Clone, Copy)]
struct Step {
    pointer: DualPointer,
    parent: u32,
    slot: usize,
}

impl Surveyor<'_, '_> {
    fn structure(&mut self, base: u64, root: DualPointer, is_top: bool) -> Surveyed {
        let mut surveyed =
            Surveyed { base, root, boxes: Vec::new(), leaves: Vec::new(), instances: Vec::new() };
        let is_box = matches!(root.kind(), DualKind::HalfBox | DualKind::Fp32Box);
        if !is_box || root.is_special() || !self.claim(base, root) {
            self.findings.add_at(Rule::Root, self.memory, base, 0..0, || {
                let found = format!("{root} from base {base:#x}");
                let place = if is_top { "root of the image" } else { "root below an instance" };
                [found, "a box node of the image that nothing else is part of".into(), place.into()]
            });
            return surveyed;
        }
        surveyed.boxes.push(BoxRecord { pointer: root, parent: None, slots: [None; 4] });
        let mut next = 0;
        while let Some(record) = surveyed.boxes.get(next) {
            let pointer = record.pointer;
            let boxes = surveyed.four_boxes(self.memory, pointer);
            for (slot, &child) in boxes.children.iter().enumerate() {
                if child != DualPointer::INVALID {
                    let step = Step { pointer: child, parent: next as u32, slot };
                    let target = self.follow(&mut surveyed, step, is_top);
                    surveyed.boxes[next].slots[slot] = target;
                }
            }
            next += 1;
        }
        surveyed
    }

    /// Adds the node that a slot leads to, if it is one.
    fn follow(&mut self, surveyed: &mut Surveyed, step: Step, is_top: bool) -> Option<Target> {
        let Step { pointer, parent, .. } = step;
        let kind = pointer.kind();
        let is_instance = kind == DualKind::Instance;
        if pointer.is_special() || matches!(kind, DualKind::OldTriangle | DualKind::User) {
            return self.refuse(surveyed, step, Rule::NodeType, "a node of type 0, 1, 4, 5 or 6");
        }
        if is_instance && !is_top {
            return self.refuse(surveyed, step, Rule::NestedInstance, "no instance");
        }
        let others = if is_instance { surveyed.leaves.len() } else { surveyed.instances.len() };
        let is_box = matches!(kind, DualKind::HalfBox | DualKind::Fp32Box);
        if !is_box && others > 0 {
            return self.refuse(surveyed, step, Rule::MixedLevel, "one kind of leaf");
        }
        if !self.is_inside(surveyed.base, pointer) {
            let expected = "a node in the segment of its base";
            return self.refuse(surveyed, step, Rule::PointerRange, expected);
        }
        if !self.claim(surveyed.base, pointer) {
            let expected = "units that no other node has";
            return self.refuse(surveyed, step, Rule::ReachedTwice, expected);
        }
        if is_box {
            surveyed.boxes.push(BoxRecord { pointer, parent: Some(parent), slots: [None; 4] });
            Some(Target::Box(surveyed.boxes.len() as u32 - 1))
        } else if is_instance {
            self.check_instance(surveyed, pointer);
            surveyed.instances.push(InstanceRecord { pointer, parent, below: 0 });
            Some(Target::Instance(surveyed.instances.len() as u32 - 1))
        } else {
            self.check_leaf(surveyed, pointer);
            surveyed.leaves.push(LeafRecord { pointer, parent });
            Some(Target::Leaf(surveyed.leaves.len() as u32 - 1))
        }
    }

    fn refuse(
        &mut self,
        surveyed: &Surveyed,
        step: Step,
        rule: Rule,
        expected: &str,
    ) -> Option<Target> {
        let above = surveyed.boxes[step.parent as usize].pointer;
        let bits = pointer_bits(above, step.slot);
        self.findings.add_at(rule, self.memory, surveyed.address(above), bits, || {
            let place = format!("box {above}, slot {}", step.slot);
            [format!("pointer {}", step.pointer), expected.to_owned(), place]
        });
        None
    }

    fn check_leaf(&mut self, surveyed: &Surveyed, pointer: DualPointer) {
        let node = surveyed.triangle_node(self.memory, pointer);
        let address = surveyed.address(pointer);
        let is_second = pointer.kind() == DualKind::Triangle1;
        let word = node.id_word;
        let mut add = |rule: Rule, which: u32, expected: &str| {
            let start = TriangleNode::id_word.bits().start + 8 * which;
            let bits = start..start + 8;
            self.findings.add_at(rule, self.memory, address, bits, || {
                let found = format!("id word {word:#010x}");
                [found, expected.to_owned(), format!("triangle node {pointer}")]
            });
        };
        if is_second && word >> 8 & 0xFF == 0 {
            add(Rule::AbsentTriangle, 1, "a description of triangle 1");
            return;
        }
        let procedurals = [node.info(0).procedural, node.info(1).procedural];
        if is_second && procedurals.contains(&true) {
            add(Rule::ProceduralPair, u32::from(procedurals[1]), "no procedural in a pair");
        }
        for which in 0..=u32::from(is_second) {
            let info = node.info(which as usize);
            let (i, j) = (info.i_source, info.j_source);
            if info.procedural {
                continue;
            }
            if i > 2 || j > 2 || i == j {
                add(Rule::Sources, which, "two different sources of 0, 1 and 2");
            } else if info.flip_winding || (i + 1) % 3 != j {
                add(Rule::Winding, which, "sources 1 2, 2 0 or 0 1 and no flipped winding");
            }
        }
    }

    fn check_instance(&mut self, surveyed: &Surveyed, pointer: DualPointer) {
        let node = surveyed.instance_node(self.memory, pointer);
        let address = surveyed.address(pointer);
        let place = || format!("instance {pointer}");
        let base = node.child_base.address();
        if self.memory.segment_of(base).is_none() {
            self.findings.add_at(
                Rule::InstanceBase,
                self.memory,
                address,
                DualInstanceNode::child_base.bits(),
                || [format!("{base:#x}"), "an address of the image".into(), place()],
            );
        }
        if !is_invertible(&node.world_to_object) {
            self.findings.add_at(
                Rule::Transform,
                self.memory,
                address,
                DualInstanceNode::world_to_object.bits(),
                || {
                    let found = format!("{:?}", node.world_to_object.rows);
                    [found, "an invertible transform".into(), place()]
                },
            );
        }
    }

    /// Whether all of a node lies in the segment of its base.
    fn is_inside(&self, base: u64, pointer: DualPointer) -> bool {
        self.units(base, pointer).is_some()
    }

    /// Segment and units of a node.
    fn units(&self, base: u64, pointer: DualPointer) -> Option<(usize, std::ops::Range<usize>)> {
        let number = self.memory.segment_of(base)?;
        let segment = &self.memory.segments()[number];
        let offset = (base - segment.address).checked_add(pointer.byte_offset())?;
        let first = usize::try_from(offset / UNIT_BYTES).ok()?;
        let units = first..first + node_units(pointer);
        let aligned = offset.is_multiple_of(UNIT_BYTES);
        (aligned && units.end <= self.claims[number].len()).then_some((number, units))
    }

    /// Takes the units of a node; false if they do not exist or belong to another one.
    fn claim(&mut self, base: u64, pointer: DualPointer) -> bool {
        let Some((number, units)) = self.units(base, pointer) else { return false };
        let claims = &mut self.claims[number][units];
        if claims.contains(&true) {
            return false;
        }
        claims.fill(true);
        true
    }
}

/// Units of the node behind a pointer.
const fn node_units(pointer: DualPointer) -> usize {
    match pointer.kind() {
        DualKind::Fp32Box | DualKind::Instance => 2,
        _ => 1,
    }
}

/// The bits of a box node that name the child of a slot.
pub(super) fn pointer_bits(pointer: DualPointer, slot: usize) -> std::ops::Range<u32> {
    if pointer.kind() == DualKind::HalfBox {
        HighPrecisionBoxNode::child_types.element_bits(slot)
    } else {
        Fp32BoxNode::children.element_bits(slot)
    }
}

fn is_invertible(transform: &Transform) -> bool {
    transform.is_finite() && transform.inverse().is_ok()
}
