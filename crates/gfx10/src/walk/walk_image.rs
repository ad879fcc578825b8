//! What a walk stands on: a proved image, and what its constructor had to know of it.

use super::Loop;
use super::ring::Stack;
use crate::format::Proved;
use crate::layout::Resource;
use crate::stack::StackSize;
use crate::structure::{Structure, Survey, Surveyed};
use crate::{Generation, Writer};
use bvh4::image::decode::instance_numbers;
use bvh4::image::surveyor::slot_box;
use bvh4::layout::{Bvh4Kind, Bvh4Pointer, SortHeuristic, parent_slot_address};
use bvh4::survey::{Memory, address_order};
use geometry::{Aabb, TriangleRule};
use machine::MachineError;
use std::collections::HashMap;
use std::sync::Arc;

/// Why a walk cannot be made over an image.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WalkError {
    /// The stack instruction has four sizes.
    #[error("a stack of {found} entries, expected 8, 16, 32 or 64 on GFX11, else 1 to 255")]
    StackSize {
        /// What was asked for.
        found: u8,
    },
    /// Entries may be lost, and they can be found again through the parent table only.
    #[error(
        "parents disagree with the hierarchy, and a stack of {size} entries may overflow: this \
         image needs parents that agree, or {needed} entries"
    )]
    Parents {
        /// Entries asked for.
        size: u8,
        /// Entries with which nothing is ever lost.
        needed: u64,
    },
    /// RADV's loops test one triangle of a node.
    #[error(
        "node {pointer} holds a pair, expected one triangle: RADV's loop sees one of them; encode \
         with the policy radv, or walk with GPURT's loop"
    )]
    Pair {
        /// The node.
        pointer: Bvh4Pointer,
    },
}

/// An image that a loop can run on.
#[derive(Debug)]
pub(super) struct WalkImage {
    pub(super) kind: Loop,
    pub(super) rule: TriangleRule,
    pub(super) structure: Structure,
    pub(super) step_limit: u64,
    image: Arc<dyn Proved>,
    stack: Stack,
    /// The order of its segments.
    order: Vec<u32>,
    /// The number of the instance behind each instance node.
    instances: HashMap<Bvh4Pointer, u32>,
    /// Planes above RADV's procedurals, which have no box of their own, by base and pointer.
    slots: HashMap<(u64, Bvh4Pointer), Aabb>,
}

impl WalkImage {
    pub(super) fn new(
        kind: Loop,
        image: Arc<dyn Proved>,
        rule: TriangleRule,
        stack_size: u8,
    ) -> Result<Self, WalkError> {
        let stack = match kind.generation {
            Generation::Gfx10 => (stack_size > 0).then(|| Stack::ring(stack_size)),
            Generation::Gfx11 => StackSize::of_entries(stack_size.into()).map(Stack::lds),
        };
        let stack = stack.ok_or(WalkError::StackSize { found: stack_size })?;
        let survey = image.survey();
        if !kind.pairs
            && let Some(pointer) = pairs(survey).next()
        {
            return Err(WalkError::Pair { pointer });
        }
        if !image.facts().parents {
            // With an entry for every node nothing is ever lost.
            let needed = survey.structures.iter().map(Surveyed::node_count).sum();
            if needed > u64::from(stack_size) {
                return Err(WalkError::Parents { size: stack_size, needed });
            }
        }
        let memory = Memory::new(image.image());
        let top = &survey.structures[0];
        let pointers = top.instances.iter().map(|instance| instance.pointer);
        Ok(Self {
            kind,
            rule,
            structure: top.structure,
            step_limit: steps_needed(survey),
            stack,
            slots: procedural_slots(&memory, survey),
            order: address_order(&image.image().segments),
            instances: pointers.zip(instance_numbers(&memory, top)).collect(),
            image,
        })
    }

    /// The image's memory.
    pub(super) fn memory(&self) -> Memory<'_> {
        Memory::in_order(self.image.image(), &self.order)
    }

    /// An empty stack.
    pub(super) fn stack(&self) -> Stack {
        self.stack.clone()
    }

    /// The T# of a query.
    pub(super) fn resource(&self, is_any: bool) -> Resource {
        // An any-hit ray keeps its extent until it ends, so that even this order is reproduced.
        let is_largest = is_any && self.kind.largest_for_any;
        let heuristic = if is_largest { SortHeuristic::Largest } else { self.kind.heuristic };
        let usual = Resource::radv(self.kind.generation, heuristic);
        let pointer_flags = self.structure.has_flags();
        Resource { box_grow: self.kind.grow, pointer_flags, ..usual }
    }

    /// The parent of a node of a structure; INVALID for a root.
    pub(super) fn parent(
        &self,
        memory: &Memory<'_>,
        structure: &Structure,
        node: Bvh4Pointer,
    ) -> Result<Bvh4Pointer, MachineError> {
        let first = structure.writer.first_unit();
        let parent = parent_slot_address(structure.base, node, first)
            .and_then(|address| memory.word(address));
        parent.map(Bvh4Pointer).ok_or_else(|| self.leads_nowhere(node))
    }

    /// The number of the instance that an instance node shows. The survey lists all that a sound
    /// image leads to.
    pub(super) fn instance_number(&self, instance: Bvh4Pointer) -> Result<u32, MachineError> {
        let number = self.instances.get(&instance).copied();
        number.ok_or_else(|| self.leads_nowhere(instance))
    }

    /// The planes of the slot that leads to a procedural of a structure. Procedurals of other
    /// writers than RADV have a box of their own, and their slots are not asked for.
    pub(super) fn slot_of(
        &self,
        structure: &Structure,
        leaf: Bvh4Pointer,
    ) -> Result<Aabb, MachineError> {
        if structure.writer != Writer::Radv {
            return Ok(Aabb::EMPTY);
        }
        let slot = self.slots.get(&(structure.base, leaf)).copied();
        slot.ok_or_else(|| self.leads_nowhere(leaf))
    }

    /// A pointer that the check has not proved.
    #[cold]
    pub(super) fn leads_nowhere(&self, pointer: Bvh4Pointer) -> MachineError {
        let reason = format!("the pointer {pointer} leads to no node");
        MachineError::Failed { machine: self.kind.name, reason }
    }
}

/// Nodes of which a pointer reaches two triangles.
fn pairs(survey: &Survey) -> impl Iterator<Item = Bvh4Pointer> {
    let leaves = survey.structures.iter().flat_map(|surveyed| &surveyed.leaves);
    leaves.map(|leaf| leaf.pointer).filter(|pointer| pointer.kind() == Bvh4Kind::Triangle1)
}

fn procedural_slots(memory: &Memory<'_>, survey: &Survey) -> HashMap<(u64, Bvh4Pointer), Aabb> {
    let mut slots = HashMap::new();
    let of_radv = survey.structures.iter().filter(|it| it.structure.writer == Writer::Radv);
    for surveyed in of_radv {
        let leaves = surveyed.leaves.iter();
        for leaf in leaves.filter(|leaf| leaf.pointer.kind() == Bvh4Kind::User) {
            let slot = slot_box(memory, surveyed, leaf.parent, leaf.slot);
            slots.insert((surveyed.structure.base, leaf.pointer), slot);
        }
    }
    slots
}

/// More steps than a walk can take, one that begins again included: each node once, and once more
/// for each of its children that the walk comes back from; a pair twice.
fn steps_needed(survey: &Survey) -> u64 {
    let top = &survey.structures[0];
    let below = top.instances.iter().filter_map(|i| survey.structures.get(i.below? as usize));
    let nodes = top.node_count() + below.map(Surveyed::node_count).sum::<u64>();
    16 * (nodes + 4)
}

#[cfg(test)]
mod tests {
    use super::super::Walk;
    use super::*;
    use crate::encode::{Options, Policy, encode};
    use crate::format::Bvh4;
    use machine::{Format, HitKind, Machine, Query};
    use testkit::worlds;

    /// What a walk looks up and the constructor has not listed is an error that names the pointer,
    /// not a box without volume or the first instance.
    #[test]
    fn what_is_not_listed_is_an_error() {
        let cases: [(_, fn(&mut WalkImage)); 2] = [
            (worlds::mixed(), |image| image.slots.clear()),
            (worlds::instanced(), |image| image.instances.clear()),
        ];
        for (tree, forget) in cases {
            let image = encode(&tree, Generation::Gfx10, &Options::new(Policy::Radv)).unwrap();
            let checked = Arc::new(Bvh4::<false>::check(image).checked.unwrap());
            let kind = Loop::of_name("gfx10-radv").unwrap();
            let mut walk = Walk::over(kind, checked, TriangleRule::Watertight, None).unwrap();
            let rays = worlds::rays(&tree.bounds(), 5, 200);
            let outcomes = |walk: &Walk| -> Vec<_> {
                let query = |ray: &machine::RayQuery| Query::ray(HitKind::All, ray.shape);
                rays.iter().map(|ray| walk.answer(&query(ray))).collect()
            };
            assert!(outcomes(&walk).iter().all(Result::is_ok));
            forget(&mut walk.image);
            let errors = outcomes(&walk).into_iter().filter_map(Result::err);
            let errors: Vec<String> = errors.map(|error| error.to_string()).collect();
            assert!(!errors.is_empty());
            assert!(errors.iter().all(|error| error.contains("leads to no node")), "{errors:?}");
        }
    }
}
