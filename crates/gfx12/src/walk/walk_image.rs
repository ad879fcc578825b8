//! What a walk stands on: a proved image, and what its constructor had to know of it.

use super::options::{Options, WalkError};
use crate::Gfx12;
use crate::decode;
use crate::format::memory;
use crate::layout::{BasePointer, NodePointer, PointerFlags, Resource, SortHeuristic};
use crate::survey::{ChildRecord, Memory, Structure, Survey, Surveyed, Target};
use bvh4::decode::instance::instance_flags;
use geometry::InstanceFlags;
use machine::{Checked, MachineError};
use std::collections::HashMap;
use std::sync::Arc;

/// An image that a loop can run on.
#[derive(Debug)]
pub(super) struct WalkImage {
    /// The machine that walks it, for errors.
    machine: &'static str,
    checked: Arc<Checked<Gfx12>>,
    pub(super) structure: Structure,
    pub(super) options: Options,
    pub(super) step_limit: u64,
    /// Whether a box may report a child twice.
    pub(super) has_repeats: bool,
    /// The number of the instance behind each instance node.
    instances: HashMap<NodePointer, u32>,
    /// The flags of the instances of HIPRT's memory, whose nodes have none.
    hiprt_flags: Vec<InstanceFlags>,
}

/// What a loop can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ability {
    /// Walk ranges of one pair, with a stack that may lose entries.
    OnePair,
    /// Walk any ranges, with such a stack.
    AnyRange,
    /// Walk any ranges with a stack that loses nothing.
    WholeStack,
}

impl WalkImage {
    /// Asks the image for what the loop needs.
    pub(super) fn new(
        machine: &'static str,
        checked: Arc<Checked<Gfx12>>,
        options: Options,
        ability: Ability,
    ) -> Result<Self, WalkError> {
        let most = if ability == Ability::WholeStack { u8::MAX } else { 31 };
        if !(1..=most).contains(&options.stack_size) {
            return Err(WalkError::StackSize { found: options.stack_size, most });
        }
        if options.heuristic == SortHeuristic::Largest {
            return Err(WalkError::Heuristic);
        }
        let survey = checked.proof().survey();
        if ability == Ability::OnePair {
            one_pair_ranges(survey)?;
        }
        if !checked.facts().parents && ability != Ability::WholeStack {
            let (size, needed) = (options.stack_size, entries_needed(survey));
            if needed > u64::from(size) {
                return Err(WalkError::Parents { size, needed });
            }
        }
        Ok(Self {
            structure: survey.structures[0].structure,
            step_limit: options.step_limit.unwrap_or_else(|| steps_needed(survey)),
            has_repeats: survey.structures.iter().any(has_repeats),
            instances: decode::instance_numbers(&checked).into_iter().collect(),
            hiprt_flags: hiprt_flags(&checked, &survey.structures[0].structure),
            machine,
            checked,
            options,
        })
    }

    /// The image's memory.
    pub(super) fn memory(&self) -> Memory<'_> {
        memory(&self.checked)
    }

    /// The T# of a query.
    pub(super) fn resource(&self, is_any: bool) -> Resource {
        // An any-hit ray keeps its extent until it ends, so that even this order is reproduced.
        let heuristic = if is_any { SortHeuristic::Largest } else { self.options.heuristic };
        Resource { box_grow: self.options.box_grow, ..Resource::radv(heuristic) }
    }

    /// The base pointers of the root's structure: for boxes, and for everything else.
    pub(super) fn world_bases(&self, flags: PointerFlags) -> [BasePointer; 2] {
        // The check proved both addresses: multiples of 64 below 2^48.
        [self.structure.box_base, self.structure.primitive_base]
            .map(|address| BasePointer(address >> 3).with_flags(flags))
    }

    /// The number of the instance that an instance node shows. The survey lists all that a sound
    /// image leads to.
    pub(super) fn instance_number(&self, instance: NodePointer) -> Result<u32, MachineError> {
        let address = self.structure.address_of(instance);
        let number = self.instances.get(&instance).copied();
        number.ok_or_else(|| self.leads_nowhere(instance, address))
    }

    /// The flags of an instance, whose child base has these.
    pub(super) fn instance_flags(&self, number: u32, base: PointerFlags) -> InstanceFlags {
        let kept = self.hiprt_flags.get(number as usize).copied();
        kept.unwrap_or_else(|| instance_flags(base))
    }

    /// A pointer that the check has not proved.
    #[cold]
    pub(super) fn leads_nowhere(&self, pointer: NodePointer, address: u64) -> MachineError {
        let reason = format!("the pointer {pointer} leads to no node, at address {address:#x}");
        MachineError::Failed { machine: self.machine, reason }
    }
}

fn hiprt_flags(checked: &Checked<Gfx12>, structure: &Structure) -> Vec<InstanceFlags> {
    let tlas = checked.tree().tlas.as_ref().filter(|_| structure.is_hiprt());
    tlas.map_or_else(Vec::new, |tlas| tlas.instances.iter().map(|it| it.flags).collect())
}

fn one_pair_ranges(survey: &Survey) -> Result<(), WalkError> {
    for (structure, surveyed) in survey.structures.iter().enumerate() {
        if let Some(leaf) = surveyed.leaves.iter().find(|leaf| leaf.pairs != 1) {
            let (pointer, pairs) = (leaf.pointer, leaf.pairs);
            return Err(WalkError::LongRange { structure, pointer, pairs });
        }
    }
    Ok(())
}

/// How many entries a stack must have so that nothing is ever lost: all children of a box are
/// pushed, one is popped, and what is below it is pushed on top of the rest.
fn entries_needed(survey: &Survey) -> u64 {
    let below: Vec<u64> =
        survey.structures.iter().skip(1).map(|blas| entries_of(blas, &[])).collect();
    entries_of(&survey.structures[0], &below)
}

fn entries_of(surveyed: &Surveyed, below: &[u64]) -> u64 {
    let mut needed = vec![0; surveyed.boxes.len()];
    for (number, record) in surveyed.boxes.iter().enumerate().rev() {
        let children = &surveyed.children[record.children()];
        let deepest = children.iter().map(|child| match child.target {
            Target::Box(number) => needed[number as usize],
            Target::Leaf(_) => 1,
            Target::Instance(number) => {
                let structure = surveyed.instances[number as usize].below;
                let deepest = structure.and_then(|s| below.get(s as usize - 1)).copied();
                // An instance may name four nodes of its structure.
                deepest.unwrap_or(1) + 3
            }
        });
        let others = (children.len() as u64).saturating_sub(1);
        needed[number] = others + deepest.max().unwrap_or(1).max(1);
    }
    needed.first().copied().unwrap_or(1)
}

/// More steps than a walk over the image can take: a box is tested once and then once more for each
/// child that the walk comes back from, a pair twice.
fn steps_needed(survey: &Survey) -> u64 {
    let steps = |surveyed: &Surveyed| {
        let pairs: u64 = surveyed.leaves.iter().map(|leaf| u64::from(leaf.pairs)).sum();
        let boxes = (surveyed.boxes.len() + surveyed.children.len()) as u64;
        2 * (boxes + pairs) + 8
    };
    let top = &survey.structures[0];
    let below: u64 = top
        .instances
        .iter()
        .filter_map(|instance| survey.structures.get(instance.below? as usize))
        .map(|blas| steps(blas) + 8)
        .sum();
    // Children that several boxes guard may be reported, and visited, as often (G-10); a walk may
    // begin again.
    16 * (steps(top) + below)
}

/// Whether a box may report one child twice: slots apart that name the same one, or three in a row,
/// whose middle one may be missed (G-10).
fn has_repeats(surveyed: &Surveyed) -> bool {
    surveyed.boxes.iter().any(|record| {
        let children = &surveyed.children[record.children()];
        let leaf = |child: &ChildRecord| match child.target {
            Target::Leaf(number) => Some(surveyed.leaves[number as usize].pointer),
            Target::Box(_) | Target::Instance(_) => None,
        };
        children.iter().enumerate().any(|(n, child)| {
            let is_repeated =
                |other: &ChildRecord| leaf(other).is_some() && leaf(other) == leaf(child);
            child.slots.count_ones() > 2 || children[..n].iter().any(is_repeated)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::TriangleRule;
    use machine::{Format, TreeFormat};
    use testkit::worlds;

    /// An instance that the constructor has not listed is an error, not the first instance.
    #[test]
    fn an_instance_that_is_not_listed_is_an_error() {
        let image = Gfx12::default().encode(&worlds::instanced()).unwrap();
        let checked = Arc::new(Gfx12::check(image).checked.unwrap());
        let ability = Ability::WholeStack;
        let options = Options::hiprt(TriangleRule::Watertight);
        let mut image = WalkImage::new("walk", checked, options, ability).unwrap();
        let listed: Vec<NodePointer> = image.instances.keys().copied().collect();
        assert!(!listed.is_empty());
        assert!(listed.iter().all(|&pointer| image.instance_number(pointer).is_ok()));
        image.instances.clear();
        for pointer in listed {
            let error = image.instance_number(pointer).unwrap_err().to_string();
            assert!(error.contains(&format!("the pointer {pointer} leads to no node")), "{error}");
        }
    }
}
