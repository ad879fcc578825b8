//! Every node of an image that can be reached, and how. Total over any bytes: what breaks a rule of
//! structure is reported and not followed, so a survey is a tree whatever it is made of.
//!
//! Structures come in the order: that of the image's root, then those that instances refer to, by
//! address. Within a structure nodes are met breadth first. An instance may name a box below the
//! root of another's structure: what is below it is a structure of its own then, over the same
//! nodes.

use super::Findings;
use super::rule::Rule;
use crate::instruction::dual_box::FourBoxes;
use crate::layout::base_pointer::ADDRESS_MASK;
use crate::layout::bvh4x2::pointer::UNIT_BYTES;
use crate::layout::bvh4x2::{
    Bvh4Kind, Bvh4Pointer, Bvh4x2InstanceNode, Fp32BoxNode, HighPrecisionBoxNode, TriangleNode,
};
use crate::survey::records::{self, ChildRecord, NO_BOX, Space, Target};
use crate::survey::{Memory, Visited};
use geometry::Transform;
use machine::Image;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A structure, as it is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Structure {
    /// Byte address of the base.
    pub base: u64,
    /// The root pointer.
    pub root: Bvh4Pointer,
}

impl Space for Structure {
    type Pointer = Bvh4Pointer;

    fn address_of(&self, pointer: Bvh4Pointer) -> u64 {
        (self.base + pointer.byte_offset()) & ADDRESS_MASK
    }

    fn root(&self) -> Bvh4Pointer {
        self.root
    }

    fn survey(image: &Image) -> Survey {
        collect(image, &Memory::new(image), &mut Findings::default())
    }

    fn is_tlas(surveyed: &Surveyed) -> bool {
        !surveyed.instances.is_empty()
    }
}

/// All structures of an image.
pub type Survey = records::Survey<Structure>;

/// What was reached in one structure. The root is a box; there are no boxes if it names none.
pub type Surveyed = records::Surveyed<Structure>;

/// Surveys an image and reports what breaks its structure.
pub(super) fn collect(image: &Image, memory: &Memory<'_>, findings: &mut Findings) -> Survey {
    let mut surveyor = Surveyor { memory, findings, visited: Visited::new(memory) };
    let base = image.bases.first().map_or(0, |base| base & ADDRESS_MASK);
    let root = u32::try_from(image.root).map_or(Bvh4Pointer::INVALID, Bvh4Pointer);
    let mut tlas = surveyor.structure(base, root, true);

    let mut places: BTreeMap<(u64, u32), u32> = BTreeMap::new();
    let targets: Vec<(u64, u32)> =
        tlas.instances.iter().map(|instance| child_of(memory, &tlas, instance.pointer)).collect();
    places.extend(targets.iter().map(|&target| (target, 0)));
    let mut structures: Vec<Surveyed> = Vec::with_capacity(places.len() + 1);
    let mut parts = Parts::new(image, &places);
    for (&(base, root), number) in &mut places {
        let root = Bvh4Pointer(root);
        let structure = parts.find(&structures, Structure { base, root });
        let structure = structure.unwrap_or_else(|| surveyor.structure(base, root, false));
        parts.note(structures.len(), &structure);
        structures.push(structure);
        *number = structures.len() as u32;
    }
    for (instance, target) in tlas.instances.iter_mut().zip(&targets) {
        instance.below = places.get(target).copied();
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
    fn new(image: &Image, roots: &BTreeMap<(u64, u32), u32>) -> Self {
        let bases: Vec<u64> = roots.keys().map(|&(base, _)| base).collect();
        let shared = bases.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
        let nodes_left = PART_LIMIT * (image.byte_count() / UNIT_BYTES as usize + 1);
        Self { shared: shared.collect(), boxes: HashMap::new(), nodes_left }
    }

    /// The structure as a part of another, if it is one.
    fn find(&mut self, structures: &[Surveyed], wanted: Structure) -> Option<Surveyed> {
        let &(whole, number) = self.boxes.get(&(wanted.base, wanted.root))?;
        if self.nodes_left == 0 {
            return None;
        }
        let part = structures[whole].part(number, wanted);
        self.nodes_left = self.nodes_left.saturating_sub(part.boxes.len() + part.leaves.len());
        Some(part)
    }

    /// Notes the boxes of a structure with its position.
    fn note(&mut self, position: usize, surveyed: &Surveyed) {
        let base = surveyed.structure.base;
        if !surveyed.is_part && self.shared.contains(&base) {
            let boxes = (0..).zip(&surveyed.boxes);
            self.boxes.extend(boxes.map(|(n, record)| ((base, record.pointer), (position, n))));
        }
    }
}

/// Surveyed nodes, decoded.
pub(crate) trait Nodes {
    /// A surveyed triangle node.
    fn triangle_node(&self, memory: &Memory<'_>, pointer: Bvh4Pointer) -> TriangleNode;

    /// A surveyed instance node.
    fn instance_node(&self, memory: &Memory<'_>, pointer: Bvh4Pointer) -> Bvh4x2InstanceNode;

    /// A surveyed box node in its common form.
    fn four_boxes(&self, memory: &Memory<'_>, pointer: Bvh4Pointer) -> FourBoxes;
}

impl Nodes for Surveyed {
    fn triangle_node(&self, memory: &Memory<'_>, pointer: Bvh4Pointer) -> TriangleNode {
        TriangleNode::decode(&self.node(memory, pointer))
    }

    fn instance_node(&self, memory: &Memory<'_>, pointer: Bvh4Pointer) -> Bvh4x2InstanceNode {
        Bvh4x2InstanceNode::decode(&self.node(memory, pointer))
    }

    fn four_boxes(&self, memory: &Memory<'_>, pointer: Bvh4Pointer) -> FourBoxes {
        if pointer.kind() == Bvh4Kind::HalfBox {
            FourBoxes::from(&HighPrecisionBoxNode::decode(&self.node(memory, pointer)))
        } else {
            FourBoxes::from(&Fp32BoxNode::decode(&self.node(memory, pointer)))
        }
    }
}

/// The box node at an address, if there is memory for it.
pub(crate) fn four_boxes(
    memory: &Memory<'_>,
    address: u64,
    pointer: Bvh4Pointer,
) -> Option<FourBoxes> {
    if pointer.kind() == Bvh4Kind::HalfBox {
        let bits = memory.half_node(address)?;
        Some(FourBoxes::from(&HighPrecisionBoxNode::decode(&bits)))
    } else {
        Some(FourBoxes::from(&Fp32BoxNode::decode(&memory.node(address)?)))
    }
}

/// Base and root of the structure that an instance places.
fn child_of(memory: &Memory<'_>, tlas: &Surveyed, instance: Bvh4Pointer) -> (u64, u32) {
    let node = tlas.instance_node(memory, instance);
    (node.child_base.address(), node.child_root.0)
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
    fn structure(&mut self, base: u64, root: Bvh4Pointer, is_top: bool) -> Surveyed {
        let mut surveyed = Surveyed::new(Structure { base, root });
        let is_box = matches!(root.kind(), Bvh4Kind::HalfBox | Bvh4Kind::Fp32Box);
        if !is_box || root.is_special() || !self.claim(&surveyed.structure, root) {
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
            let pointer = record.pointer;
            let boxes = surveyed.four_boxes(self.memory, pointer);
            surveyed.begin_children(next);
            for (slot, &child) in (0u8..).zip(&boxes.children) {
                if child == Bvh4Pointer::INVALID {
                    continue;
                }
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
    fn follow(&mut self, surveyed: &mut Surveyed, step: Step, is_top: bool) -> Option<Target> {
        let Step { pointer, parent, slot } = step;
        let kind = pointer.kind();
        let is_instance = kind == Bvh4Kind::Instance;
        if pointer.is_special() || matches!(kind, Bvh4Kind::OldTriangle | Bvh4Kind::User) {
            return self.refuse(surveyed, step, Rule::NodeType, "a node of type 0, 1, 4, 5 or 6");
        }
        if is_instance && !is_top {
            return self.refuse(surveyed, step, Rule::NestedInstance, "no instance");
        }
        let others = if is_instance { surveyed.leaves.len() } else { surveyed.instances.len() };
        let is_box = matches!(kind, Bvh4Kind::HalfBox | Bvh4Kind::Fp32Box);
        if !is_box && others > 0 {
            return self.refuse(surveyed, step, Rule::MixedLevel, "one kind of leaf");
        }
        if !self.is_inside(&surveyed.structure, pointer) {
            let expected = "a node in the segment of its base";
            return self.refuse(surveyed, step, Rule::PointerRange, expected);
        }
        if !self.claim(&surveyed.structure, pointer) {
            let expected = "units that no other node has";
            return self.refuse(surveyed, step, Rule::ReachedTwice, expected);
        }
        if is_box {
            Some(surveyed.add_box(pointer, parent, slot))
        } else if is_instance {
            self.check_instance(surveyed, pointer);
            Some(surveyed.add_instance(pointer, parent, slot))
        } else {
            self.check_leaf(surveyed, pointer);
            Some(surveyed.add_leaf(pointer, parent, slot, 1))
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
        self.findings.add_at(rule, self.memory, surveyed.structure.address_of(above), bits, || {
            let place = format!("box {above}, slot {}", step.slot);
            [format!("pointer {}", step.pointer), expected.to_owned(), place]
        });
        None
    }

    fn check_leaf(&mut self, surveyed: &Surveyed, pointer: Bvh4Pointer) {
        let node = surveyed.triangle_node(self.memory, pointer);
        let address = surveyed.structure.address_of(pointer);
        let is_second = pointer.kind() == Bvh4Kind::Triangle1;
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

    fn check_instance(&mut self, surveyed: &Surveyed, pointer: Bvh4Pointer) {
        let node = surveyed.instance_node(self.memory, pointer);
        let address = surveyed.structure.address_of(pointer);
        let place = || format!("instance {pointer}");
        let base = node.child_base.address();
        if self.memory.segment_of(base).is_none() {
            self.findings.add_at(
                Rule::InstanceBase,
                self.memory,
                address,
                Bvh4x2InstanceNode::child_base.bits(),
                || [format!("{base:#x}"), "an address of the image".into(), place()],
            );
        }
        if !is_invertible(&node.world_to_object) {
            self.findings.add_at(
                Rule::Transform,
                self.memory,
                address,
                Bvh4x2InstanceNode::world_to_object.bits(),
                || {
                    let found = format!("{:?}", node.world_to_object.rows);
                    [found, "an invertible transform".into(), place()]
                },
            );
        }
    }

    /// Whether all of a node lies in the segment of its base.
    fn is_inside(&self, structure: &Structure, pointer: Bvh4Pointer) -> bool {
        let number = self.memory.segment_of(structure.base);
        let Some(segment) = number.map(|number| &self.memory.segments()[number]) else {
            return false;
        };
        let address = structure.base.checked_add(pointer.byte_offset());
        address.is_some_and(|address| {
            (address - segment.address).is_multiple_of(UNIT_BYTES)
                && segment.get(address, pointer.node_bytes()).is_some()
        })
    }

    /// Takes the units of a node; false if they do not exist or belong to another one.
    fn claim(&mut self, structure: &Structure, pointer: Bvh4Pointer) -> bool {
        let bytes = pointer.node_bytes() as u64;
        self.is_inside(structure, pointer)
            && self.visited.claim(self.memory, structure.address_of(pointer), bytes)
    }
}

/// The bits of a box node that name the child of a slot.
pub(super) fn pointer_bits(pointer: Bvh4Pointer, slot: u8) -> std::ops::Range<u32> {
    if pointer.kind() == Bvh4Kind::HalfBox {
        HighPrecisionBoxNode::child_types.element_bits(slot.into())
    } else {
        Fp32BoxNode::children.element_bits(slot.into())
    }
}

fn is_invertible(transform: &Transform) -> bool {
    transform.is_finite() && transform.inverse().is_ok()
}
