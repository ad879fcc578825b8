//! Every node that can be reached, structure by structure, with how it is reached.
//!
//! A survey takes any image: it follows only pointers that lead to memory, claims every box and
//! instance node once, and notes the rest as findings. It therefore ends, in time and space that
//! grow with the image, whatever the bytes are. Checking adds the rules of geometry to it, decoding
//! reads primitives into it; both see the same hierarchy.
//!
//! Nodes are visited level by level, so children always come after their parents and no depth is
//! too great. A slot in use whose mask is 0 and whose box is inverted holds nothing: that is how an
//! empty structure is written. Adjacent slots with the same pointer are one child with several
//! boxes.

use super::expand::{self, Child};
use super::memory::Memory;
use super::ranges::Ranges;
use super::structure::Structure;
use super::visited::Visited;
use crate::check::{Findings, Place, Rule};
use crate::layout::{InstanceNode, NodeBits, NodeKind, NodePointer};
use machine::Image;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;

/// No box: the parent of a root.
pub const NO_BOX: u32 = u32::MAX;

/// How many times the pairs that an image can hold its ranges may name.
const REUSE_LIMIT: u64 = 64;

/// Boxes that are expanded at a time.
const BATCH: usize = 1 << 16;

/// Fewest boxes that are worth sharing between threads.
const PARALLEL: usize = 1 << 10;

/// All structures of an image.
#[derive(Debug)]
pub struct Survey {
    /// The structure of the root, then those below instances, in the order of memory.
    pub structures: Vec<Surveyed>,
    /// Which bytes are box and instance nodes.
    pub(crate) visited: Visited,
}

/// What was reached in one structure.
#[derive(Debug)]
pub struct Surveyed {
    /// Where it lies.
    pub structure: Structure,
    /// Box nodes, level by level; box 0 is the root unless that is a primitive node.
    pub boxes: Vec<BoxRecord>,
    /// Children of all boxes, in the order of the boxes.
    pub children: Vec<ChildRecord>,
    /// Ranges of pairs, in the order of the children.
    pub leaves: Vec<LeafRecord>,
    /// Instance nodes, in the order of the children.
    pub instances: Vec<InstanceRecord>,
    /// Positions in [`Surveyed::boxes`] of each level.
    pub levels: Vec<Range<usize>>,
}

/// A box node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoxRecord {
    /// Its pointer.
    pub pointer: NodePointer,
    /// Position of its parent, or [`NO_BOX`].
    pub parent: u32,
    /// Its (first) slot in the parent.
    pub slot: u8,
    /// How many children it has; reused slots count once.
    pub child_count: u8,
    /// Position of its first child.
    pub first_child: u32,
}

/// A child of a box node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChildRecord {
    /// Bit `i`: slot `i` leads here.
    pub slots: u8,
    /// What it is.
    pub target: Target,
}

/// What a child entry leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Position in [`Surveyed::boxes`].
    Box(u32),
    /// Position in [`Surveyed::leaves`].
    Leaf(u32),
    /// Position in [`Surveyed::instances`].
    Instance(u32),
}

/// A range of pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeafRecord {
    /// Its first pair.
    pub pointer: NodePointer,
    /// Position of its parent, or [`NO_BOX`].
    pub parent: u32,
    /// Its (first) slot in the parent.
    pub slot: u8,
    /// How many pairs it has.
    pub pairs: u32,
}

/// An instance node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstanceRecord {
    /// Its pointer.
    pub pointer: NodePointer,
    /// Position of its parent, or [`NO_BOX`].
    pub parent: u32,
    /// Its (first) slot in the parent.
    pub slot: u8,
    /// Position of the structure below in [`Survey::structures`].
    pub below: Option<u32>,
}

impl BoxRecord {
    /// Positions of its children.
    #[must_use]
    pub fn children(&self) -> Range<usize> {
        let first = self.first_child as usize;
        first..first + usize::from(self.child_count)
    }
}

impl Survey {
    /// Surveys an image.
    #[must_use]
    pub fn new(image: &Image) -> Self {
        Self::collect(image, &Memory::new(image), &mut Findings::default())
    }

    /// Surveys an image and notes what cannot be followed.
    pub(crate) fn collect(image: &Image, memory: &Memory<'_>, findings: &mut Findings) -> Self {
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
            let node = surveyor.memory.node(tlas.structure.address_of(instance.pointer));
            let base = node.map(|bits| InstanceNode::decode(&bits).child_base.address());
            instance.below = base.and_then(|base| numbers.get(&base).copied());
        }
        let mut structures = vec![tlas];
        structures.extend(
            bases
                .into_iter()
                .map(|base| surveyor.structure(Structure::at(memory, base), Level::Blas)),
        );
        Self { structures, visited: surveyor.visited }
    }

    /// Whether the root's structure holds instances. One that holds nothing is what its header
    /// says.
    #[must_use]
    pub fn has_tlas(&self) -> bool {
        let tlas = &self.structures[0];
        match tlas.structure.header {
            Some(header) if tlas.leaves.is_empty() => {
                !tlas.instances.is_empty() || !header.is_blas()
            }
            _ => !tlas.instances.is_empty(),
        }
    }
}

/// The structures below: one for each segment that begins with the header of a BLAS, referred to or
/// not, and one for each other child base, in the order of segments and addresses.
fn bases_below(image: &Image, memory: &Memory<'_>, tlas: &Surveyed) -> Vec<u64> {
    let header_says_top = tlas.structure.header.is_some_and(|header| !header.is_blas());
    if tlas.instances.is_empty() && (!header_says_top || !tlas.leaves.is_empty()) {
        return Vec::new();
    }
    let own = tlas.structure.box_base;
    let listed = image.segments.iter().map(|segment| segment.address).filter(|&base| {
        base != own && Structure::at(memory, base).header.is_some_and(|header| header.is_blas())
    });
    let named = tlas.instances.iter().filter_map(|instance| {
        let bits = memory.node(tlas.structure.address_of(instance.pointer))?;
        let base = InstanceNode::decode(&bits).child_base.address();
        memory.node(Structure::at(memory, base).address_of(NodePointer::ROOT)).map(|_| base)
    });
    let mut bases: Vec<u64> = listed.chain(named).collect();
    bases.sort_unstable_by_key(|&base| (memory.segment_of(base), base));
    bases.dedup();
    bases
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
        let mut surveyed = Surveyed {
            structure,
            boxes: Vec::new(),
            children: Vec::new(),
            leaves: Vec::new(),
            instances: Vec::new(),
            levels: Vec::new(),
        };
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
                if self.visited.claim(self.memory, address) {
                    surveyed.boxes.push(BoxRecord {
                        pointer: root,
                        parent: NO_BOX,
                        slot: 0,
                        child_count: 0,
                        first_child: 0,
                    });
                } else {
                    expand::reached_twice(self.findings, &place, 0..1024, root);
                }
            }
            NodeKind::Primitive { pair } if readable => match self.ranges.pairs(address, pair) {
                Ok(pairs) => {
                    surveyed.leaves.push(LeafRecord {
                        pointer: root,
                        parent: NO_BOX,
                        slot: 0,
                        pairs,
                    });
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
            surveyed.boxes[parent].first_child = surveyed.children.len() as u32;
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
                surveyed.leaves.push(LeafRecord { pointer, parent, slot, pairs });
                Target::Leaf(surveyed.leaves.len() as u32 - 1)
            }
            NodeKind::Instance if level == Level::Blas => {
                return self.findings.add(Rule::NestedInstance, &place, entry, || {
                    (format!("instance {pointer}"), "boxes and primitives only".into())
                });
            }
            kind => {
                let node = surveyed.structure.address_of(pointer);
                if !self.visited.claim(self.memory, node) {
                    return expand::reached_twice(self.findings, &place, entry, pointer);
                }
                if kind == NodeKind::Instance {
                    let record = InstanceRecord { pointer, parent, slot, below: None };
                    surveyed.instances.push(record);
                    Target::Instance(surveyed.instances.len() as u32 - 1)
                } else {
                    surveyed.boxes.push(BoxRecord {
                        pointer,
                        parent,
                        slot,
                        child_count: 0,
                        first_child: 0,
                    });
                    Target::Box(surveyed.boxes.len() as u32 - 1)
                }
            }
        };
        surveyed.children.push(ChildRecord { slots, target });
        surveyed.boxes[parent as usize].child_count += 1;
    }
}

impl Surveyed {
    /// The bits of the node behind a pointer; zeros where there is no memory.
    pub(crate) fn node(&self, memory: &Memory<'_>, pointer: NodePointer) -> NodeBits {
        memory.node(self.structure.address_of(pointer)).unwrap_or(NodeBits::ZERO)
    }
}
