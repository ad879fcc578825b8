//! Every node that can be reached, structure by structure, with how it is reached.
//!
//! A survey takes any image: it follows only pointers that lead to memory, claims every box and
//! instance node once, and notes the rest as findings. It therefore ends, in time and space that
//! grow with the image, whatever the bytes are. Checking adds the rules of geometry to it, decoding
//! reads primitives into it; both see the same hierarchy.
//!
//! | file | concept |
//! |---|---|
//! | [`structure`] | one acceleration structure: bases, root, header |
//! | `expand`, `ranges` | one box node, one range |
//!
//! Nodes are visited level by level, so children always come after their parents and no depth is
//! too great. A slot in use whose mask is 0 and whose box is inverted holds nothing: that is how an
//! empty structure is written. Adjacent slots with the same pointer are one child with several
//! boxes.

mod expand;
mod ranges;
pub mod structure;

pub use bvh4::survey::{ChildRecord, Memory, NO_BOX, Space, Target};
pub(crate) use bvh4::survey::{Visited, address_order};
pub use bvh4::survey::{memory, records};
pub use structure::{Header, RADV_FILE_VERSION, Structure};

pub(crate) use expand::{entry_bits, is_empty_slot};
pub(crate) use ranges::pair_count;

use crate::findings::{Findings, Place};
use crate::layout::{InstanceNode, NODE_BYTES, NodeKind, NodePointer};
use crate::rule::Rule;
use expand::Child;
use machine::Image;
use ranges::Ranges;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;

/// All structures of an image of the format `gfx12`.
pub type Survey = records::Survey<Structure>;

/// What was reached in one structure of the format `gfx12`.
pub type Surveyed = records::Surveyed<Structure>;

/// A box node.
pub type BoxRecord<P = NodePointer> = records::BoxRecord<P>;
/// A range of pairs.
pub type LeafRecord<P = NodePointer> = records::LeafRecord<P>;
/// An instance node.
pub type InstanceRecord<P = NodePointer> = records::InstanceRecord<P>;

/// How many times the pairs that an image can hold its ranges may name.
const REUSE_LIMIT: u64 = 64;

/// Boxes that are expanded at a time.
const BATCH: usize = 1 << 16;

/// Fewest boxes that are worth sharing between threads.
const PARALLEL: usize = 1 << 10;

/// Surveys an image and notes what cannot be followed.
pub(crate) fn collect(image: &Image, memory: &Memory<'_>, findings: &mut Findings) -> Survey {
    let mut surveyor = Surveyor {
        memory,
        ranges: Ranges::new(memory),
        visited: Visited::new(memory),
        pairs_left: REUSE_LIMIT * 8 * (image.byte_count() as u64 / 128 + 1),
        findings,
    };
    let mut tlas = surveyor.structure(Structure::of_root(image, memory), Level::Root);
    let bases = bases_below(image, memory, &tlas);
    let numbers: BTreeMap<u64, u32> = bases.iter().copied().zip(1..).collect();
    for instance in &mut tlas.instances {
        let below = below(memory, &tlas.structure, instance);
        instance.below = below.and_then(|below| numbers.get(&below.box_base).copied());
    }
    let root = tlas.structure;
    let mut structures = vec![tlas];
    structures.extend(
        bases.into_iter().map(|it| surveyor.structure(root.beside(memory, it), Level::Blas)),
    );
    Survey { structures, visited: surveyor.visited }
}

/// The structures below: one for each segment that begins with the header of a BLAS, referred to or
/// not, and one for each other child base, in the order of segments and addresses.
fn bases_below(image: &Image, memory: &Memory<'_>, tlas: &Surveyed) -> Vec<u64> {
    let header_says_top = tlas.structure.header.is_some_and(|header| !header.is_blas());
    if tlas.instances.is_empty() && (!header_says_top || !tlas.leaves.is_empty()) {
        return Vec::new();
    }
    let own = tlas.structure.box_base;
    let is_other_blas = |found: &Structure| {
        found.box_base != own && found.header.is_some_and(|header| header.is_blas())
    };
    let listed = image.segments.iter().filter_map(Structure::of_segment).filter(is_other_blas);
    let named = tlas.instances.iter().filter_map(|instance| {
        let below = below(memory, &tlas.structure, instance)?;
        memory.node(below.address_of(NodePointer::ROOT)).map(|_| below)
    });
    let mut bases: Vec<u64> = listed.chain(named).map(|found| found.box_base).collect();
    bases.sort_unstable_by_key(|&base| (memory.segment_of(base), base));
    bases.dedup();
    bases
}

/// The structure that an instance leads to.
fn below(memory: &Memory<'_>, tlas: &Structure, instance: &InstanceRecord) -> Option<Structure> {
    let bits = memory.node(tlas.address_of(instance.pointer))?;
    Some(tlas.below(memory, &InstanceNode::decode(&bits)))
}

/// Whether instances may occur.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Blas,
}

/// A survey under way.
struct Surveyor<'a> {
    memory: &'a Memory<'a>,
    ranges: Ranges<'a>,
    visited: Visited,
    /// Pairs that ranges may still name.
    pairs_left: u64,
    findings: &'a mut Findings,
}

impl Surveyor<'_> {
    fn structure(&mut self, structure: Structure, level: Level) -> Surveyed {
        let mut surveyed = Surveyed::new(structure);
        self.root(&mut surveyed);
        let mut level_start = 0;
        while level_start < surveyed.boxes.len() {
            let end = surveyed.boxes.len();
            surveyed.levels.push(level_start..end);
            for start in (level_start..end).step_by(BATCH) {
                self.batch(&mut surveyed, start..end.min(start + BATCH), level);
            }
            level_start = end;
        }
        surveyed.shrink_to_fit();
        surveyed
    }

    /// Enters the root, if it is a node that can be one.
    fn root(&mut self, surveyed: &mut Surveyed) {
        let Structure { root, .. } = surveyed.structure;
        let address = surveyed.structure.address_of(root);
        let readable = !root.is_special() && self.memory.node(address).is_some();
        let name = || format!("root pointer {root}");
        let place = Place { memory: self.memory, address, name: &name };
        match root.kind() {
            NodeKind::Box if readable => {
                if self.visited.claim(self.memory, address, NODE_BYTES) {
                    surveyed.add_box(root, NO_BOX, 0);
                } else {
                    expand::reached_twice(self.findings, &place, 0..1024, root);
                }
            }
            NodeKind::Primitive { pair } if readable => match self.ranges.pairs(address, pair) {
                Ok(pairs) => {
                    surveyed.add_leaf(root, NO_BOX, 0, pairs);
                }
                Err(error) => expand::bad_range(self.findings, &place, 0..1024, root, error),
            },
            _ => self.findings.add(Rule::Root, &place, 0..1024, || {
                let at = surveyed.structure.box_base;
                (
                    format!("pointer {root} from base {at:#x}"),
                    "a box or primitive node inside the image".into(),
                )
            }),
        }
    }

    /// Looks into some boxes, then takes their children on in order.
    fn batch(&mut self, surveyed: &mut Surveyed, boxes: Range<usize>, level: Level) {
        let (memory, ranges, structure) = (self.memory, &self.ranges, surveyed.structure);
        let look = |record: &BoxRecord| expand::expand(memory, ranges, &structure, record.pointer);
        let records = &surveyed.boxes[boxes.clone()];
        let expanded: Vec<expand::Expanded> = if records.len() < PARALLEL {
            records.iter().map(look).collect()
        } else {
            records.par_iter().map(look).collect()
        };
        for (parent, expanded) in boxes.zip(expanded) {
            if let Some(findings) = expanded.findings {
                self.findings.merge(*findings);
            }
            surveyed.begin_children(parent);
            for child in &expanded.children[..usize::from(expanded.count)] {
                self.child(surveyed, parent as u32, child, level);
            }
        }
    }

    fn child(&mut self, surveyed: &mut Surveyed, parent: u32, child: &Child, level: Level) {
        let Child { pointer, slots, pairs } = *child;
        let slot = slots.trailing_zeros() as u8;
        let from = surveyed.boxes[parent as usize].pointer;
        let name = || format!("box {from}, slot {slot}");
        let address = surveyed.structure.address_of(from);
        let place = Place { memory: self.memory, address, name: &name };
        let entry = expand::entry_bits(slot);
        let target = match pointer.kind() {
            NodeKind::Primitive { .. } => {
                let Some(left) = self.pairs_left.checked_sub(u64::from(pairs)) else {
                    return self.findings.add(Rule::RangeReuse, &place, entry, || {
                        let found = format!("a range of {pairs} pairs that others name as well");
                        (found, format!("ranges that name a pair {REUSE_LIMIT} times at most"))
                    });
                };
                self.pairs_left = left;
                surveyed.add_leaf(pointer, parent, slot, pairs)
            }
            NodeKind::Instance if level == Level::Blas => {
                return self.findings.add(Rule::NestedInstance, &place, entry, || {
                    (format!("instance {pointer}"), "boxes and primitives only".into())
                });
            }
            kind => {
                let node = surveyed.structure.address_of(pointer);
                if !self.visited.claim(self.memory, node, NODE_BYTES) {
                    return expand::reached_twice(self.findings, &place, entry, pointer);
                }
                if kind == NodeKind::Instance {
                    surveyed.add_instance(pointer, parent, slot)
                } else {
                    surveyed.add_box(pointer, parent, slot)
                }
            }
        };
        surveyed.add_child(parent, ChildRecord { slots, target });
    }
}
