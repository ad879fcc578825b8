//! What the walk stands on: a proved image, and what its constructor had to know of it.

use super::NAME;
use crate::bvh4x2::Gfx12Bvh4x2;
use crate::bvh4x2::decode::instance_numbers;
use crate::bvh4x2::survey::{Survey, Surveyed};
use crate::layout::bvh4x2::{Bvh4Pointer, parent_slot_address};
use crate::layout::{BasePointer, PointerFlags, Resource, SortHeuristic};
use crate::survey::{Memory, address_order};
use crate::walk::options::{Options, WalkError};
use machine::{Checked, MachineError};
use std::collections::HashMap;
use std::sync::Arc;

/// An image that the loop can run on.
#[derive(Debug)]
pub(super) struct WalkImage {
    checked: Arc<Checked<Gfx12Bvh4x2>>,
    /// The order of its segments.
    order: Vec<u32>,
    pub(super) root: Bvh4Pointer,
    pub(super) options: Options,
    pub(super) step_limit: u64,
    base: u64,
    /// The number of the instance behind each instance node.
    instances: HashMap<Bvh4Pointer, u32>,
}

impl WalkImage {
    pub(super) fn new(
        checked: Arc<Checked<Gfx12Bvh4x2>>,
        options: Options,
    ) -> Result<Self, WalkError> {
        if !(1..=31).contains(&options.stack_size) {
            return Err(WalkError::StackSize { found: options.stack_size, most: 31 });
        }
        let survey = &checked.proof().survey;
        if !checked.facts().parents {
            // With an entry for every node nothing is ever lost.
            let needed = survey.structures.iter().map(Surveyed::node_count).sum();
            if needed > u64::from(options.stack_size) {
                return Err(WalkError::Parents { size: options.stack_size, needed });
            }
        }
        let memory = Memory::new(checked.image());
        let top = &survey.structures[0];
        let pointers = top.instances.iter().map(|instance| instance.pointer);
        Ok(Self {
            root: top.structure.root,
            base: top.structure.base,
            step_limit: options.step_limit.unwrap_or_else(|| steps_needed(survey)),
            instances: pointers.zip(instance_numbers(&memory, top)).collect(),
            order: address_order(&checked.image().segments),
            checked,
            options,
        })
    }

    /// The image's memory.
    pub(super) fn memory(&self) -> Memory<'_> {
        Memory::in_order(self.checked.image(), &self.order)
    }

    /// The T# of the pair phase. Type 4 is the high-precision box, whether the image has one or
    /// not.
    pub(super) fn resource(&self) -> Resource {
        Resource::dual(SortHeuristic::Closest, self.options.box_grow, true)
    }

    /// Where pointers of the root's structure count from.
    pub(super) fn world_base_address(&self) -> u64 {
        self.base
    }

    /// The base pointer of the root's structure.
    pub(super) fn world_base(&self, flags: PointerFlags) -> BasePointer {
        // The check proved the address: a multiple of 64 below 2^48.
        BasePointer(self.base >> 3).with_flags(flags)
    }

    /// The parent of a node in the structure at a base; INVALID for a root.
    pub(super) fn parent(
        memory: &Memory<'_>,
        base: BasePointer,
        node: Bvh4Pointer,
    ) -> Result<Bvh4Pointer, MachineError> {
        let parent =
            parent_slot_address(base.address(), node, 0).and_then(|address| memory.word(address));
        let place = base.address() + node.byte_offset();
        parent.map(Bvh4Pointer).ok_or_else(|| leads_nowhere(node, place))
    }

    /// The number of the instance that an instance node shows. The survey lists all that a sound
    /// image leads to.
    pub(super) fn instance_number(&self, instance: Bvh4Pointer) -> Result<u32, MachineError> {
        let number = self.instances.get(&instance).copied();
        number.ok_or_else(|| leads_nowhere(instance, self.base + instance.byte_offset()))
    }
}

/// A pointer that the check has not proved.
#[cold]
pub(super) fn leads_nowhere(pointer: Bvh4Pointer, address: u64) -> MachineError {
    let reason = format!("the pointer {:#x} leads to no node, at address {address:#x}", pointer.0);
    MachineError::Failed { machine: NAME, reason }
}

/// More steps than both phases can take together: each node once in the first, and in the second
/// once more for each of its children that the walk comes back from.
fn steps_needed(survey: &Survey) -> u64 {
    let top = &survey.structures[0];
    let below = top.instances.iter().filter_map(|i| survey.structures.get(i.below? as usize));
    let nodes = top.node_count() + below.map(Surveyed::node_count).sum::<u64>();
    8 * (nodes + 1)
}

#[cfg(test)]
mod tests {
    use super::super::Dual;
    use super::*;
    use geometry::TriangleRule;
    use machine::{Format, HitKind, Machine, Query, TreeFormat};
    use testkit::worlds;

    /// A walk that reaches an instance which the constructor has not listed ends with an error.
    #[test]
    fn an_instance_that_is_not_listed_ends_the_walk() {
        let tree = worlds::instanced();
        let image = Gfx12Bvh4x2::default().encode(&tree).unwrap();
        let checked = Arc::new(Gfx12Bvh4x2::check(image).checked.unwrap());
        let mut dual = Dual::new(checked, Options::dual(TriangleRule::Watertight)).unwrap();
        let rays = worlds::rays(&tree.bounds(), 5, 200);
        let answers = |dual: &Dual| -> Vec<_> {
            rays.iter().map(|ray| dual.answer(&Query::ray(HitKind::All, ray.shape))).collect()
        };
        assert!(answers(&dual).iter().all(Result::is_ok));
        dual.0.instances.clear();
        let errors = answers(&dual).into_iter().filter_map(Result::err);
        let errors: Vec<String> = errors.map(|error| error.to_string()).collect();
        assert!(!errors.is_empty());
        assert!(errors.iter().all(|error| error.contains("leads to no node")), "{errors:?}");
    }
}
