//! What a survey lists: structures, and how each of their nodes is reached.
//!
//! The records are those of all formats: [`Space`] says how a structure finds a node behind its
//! kind of pointer.

use super::memory::Memory;
use super::visited::Visited;
use machine::Image;
use machine::bits::Bits;
use std::fmt::Debug;
use std::ops::Range;

/// No box: the parent of a root.
pub const NO_BOX: u32 = u32::MAX;

/// One acceleration structure, in which pointers name nodes.
pub trait Space: Sync + Sized {
    /// The pointers.
    type Pointer: Copy + Debug + Sync + Into<u64>;

    /// Where the node behind a pointer lies.
    fn address_of(&self, pointer: Self::Pointer) -> u64;

    /// The first node.
    fn root(&self) -> Self::Pointer;

    /// Everything that can be reached in an image.
    fn survey(image: &Image) -> Survey<Self>;

    /// Whether the structure of an image's root is a TLAS.
    fn is_tlas(surveyed: &Surveyed<Self>) -> bool;
}

/// All structures of an image. There is always at least one.
#[derive(Debug)]
pub struct Survey<S: Space> {
    /// The structure of the root, then those below instances, in the order of memory.
    pub structures: Vec<Surveyed<S>>,
    /// Which bytes are box and instance nodes.
    pub visited: Visited,
}

/// What was reached in one structure.
#[derive(Debug)]
pub struct Surveyed<S: Space> {
    /// Where it lies.
    pub structure: S,
    /// Box nodes, level by level; box 0 is the root unless that is a primitive node.
    pub boxes: Vec<BoxRecord<S::Pointer>>,
    /// Children of all boxes, in the order of the boxes.
    pub children: Vec<ChildRecord>,
    /// Ranges of pairs, in the order of the children.
    pub leaves: Vec<LeafRecord<S::Pointer>>,
    /// Instance nodes, in the order of the children.
    pub instances: Vec<InstanceRecord<S::Pointer>>,
    /// Positions in [`Surveyed::boxes`] of each level.
    pub levels: Vec<Range<usize>>,
    /// Whether another structure holds all of it.
    pub is_part: bool,
}

/// A box node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoxRecord<P> {
    /// Its pointer.
    pub pointer: P,
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
pub struct LeafRecord<P> {
    /// Its first pair.
    pub pointer: P,
    /// Position of its parent, or [`NO_BOX`].
    pub parent: u32,
    /// Its (first) slot in the parent.
    pub slot: u8,
    /// How many pairs it has; 1 in 4-wide formats.
    pub pairs: u32,
}

/// An instance node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstanceRecord<P> {
    /// Its pointer.
    pub pointer: P,
    /// Position of its parent, or [`NO_BOX`].
    pub parent: u32,
    /// Its (first) slot in the parent.
    pub slot: u8,
    /// Position of the structure below in [`Survey::structures`].
    pub below: Option<u32>,
}

impl<S: Space> Survey<S> {
    /// Surveys an image.
    #[must_use]
    pub fn new(image: &Image) -> Self {
        S::survey(image)
    }

    /// Whether the root's structure holds instances.
    #[must_use]
    pub fn has_tlas(&self) -> bool {
        S::is_tlas(&self.structures[0])
    }

    /// The TLAS, and the BLASes.
    #[must_use]
    pub fn levels(&self) -> (Option<&Surveyed<S>>, &[Surveyed<S>]) {
        let (tlas, blases) = self.structures.split_at(usize::from(self.has_tlas()));
        (tlas.first(), blases)
    }
}

impl<P> BoxRecord<P> {
    /// Positions of its children.
    #[must_use]
    pub fn children(&self) -> Range<usize> {
        let first = self.first_child as usize;
        first..first + usize::from(self.child_count)
    }
}

impl ChildRecord {
    /// The first slot that leads here.
    #[must_use]
    pub fn slot(&self) -> u8 {
        self.slots.trailing_zeros() as u8
    }
}

impl<S: Space> Surveyed<S> {
    /// A structure in which nothing has been reached yet.
    #[must_use]
    pub fn new(structure: S) -> Self {
        Self {
            structure,
            boxes: Vec::new(),
            children: Vec::new(),
            leaves: Vec::new(),
            instances: Vec::new(),
            levels: Vec::new(),
            is_part: false,
        }
    }

    /// Gives the room back that lists have, but do not need.
    pub fn shrink_to_fit(&mut self) {
        self.boxes.shrink_to_fit();
        self.children.shrink_to_fit();
        self.leaves.shrink_to_fit();
        self.instances.shrink_to_fit();
    }

    /// What lies below a box, as a structure of its own.
    #[must_use]
    pub fn part(&self, root: u32, structure: S) -> Self {
        let mut part = Self { is_part: true, ..Self::new(structure) };
        let mut origins = vec![root];
        part.add_box(self.boxes[root as usize].pointer, NO_BOX, 0);
        let mut next = 0;
        while let Some(&origin) = origins.get(next) {
            part.begin_children(next);
            for child in &self.children[self.boxes[origin as usize].children()] {
                let (parent, slot) = (next as u32, child.slot());
                let pointer = self.pointer(child.target);
                let target = match child.target {
                    Target::Box(below) => {
                        origins.push(below);
                        part.add_box(pointer, parent, slot)
                    }
                    Target::Leaf(leaf) => {
                        part.add_leaf(pointer, parent, slot, self.leaves[leaf as usize].pairs)
                    }
                    Target::Instance(_) => part.add_instance(pointer, parent, slot),
                };
                part.add_child(parent, ChildRecord { slots: child.slots, target });
            }
            next += 1;
        }
        part
    }

    /// Adds what its name says, with its parent and slot.
    pub fn add_box(&mut self, pointer: S::Pointer, parent: u32, slot: u8) -> Target {
        self.boxes.push(BoxRecord { pointer, parent, slot, child_count: 0, first_child: 0 });
        Target::Box(self.boxes.len() as u32 - 1)
    }

    /// Adds what its name says, with its parent and slot.
    pub fn add_leaf(&mut self, pointer: S::Pointer, parent: u32, slot: u8, pairs: u32) -> Target {
        self.leaves.push(LeafRecord { pointer, parent, slot, pairs });
        Target::Leaf(self.leaves.len() as u32 - 1)
    }

    /// Adds what its name says, with its parent and slot.
    pub fn add_instance(&mut self, pointer: S::Pointer, parent: u32, slot: u8) -> Target {
        self.instances.push(InstanceRecord { pointer, parent, slot, below: None });
        Target::Instance(self.instances.len() as u32 - 1)
    }

    /// Says that the next children are those of a box.
    pub fn begin_children(&mut self, parent: usize) {
        self.boxes[parent].first_child = self.children.len() as u32;
    }

    /// Adds what its name says, with its parent and slot.
    pub fn add_child(&mut self, parent: u32, child: ChildRecord) {
        self.children.push(child);
        self.boxes[parent as usize].child_count += 1;
    }

    /// The pointer to what a child leads to.
    #[must_use]
    pub fn pointer(&self, target: Target) -> S::Pointer {
        match target {
            Target::Box(number) => self.boxes[number as usize].pointer,
            Target::Leaf(number) => self.leaves[number as usize].pointer,
            Target::Instance(number) => self.instances[number as usize].pointer,
        }
    }

    /// How many nodes there are.
    #[must_use]
    pub fn node_count(&self) -> u64 {
        (self.boxes.len() + self.leaves.len() + self.instances.len()) as u64
    }

    /// All nodes: boxes, then instances, then leaves.
    pub fn pointers(&self) -> impl Iterator<Item = S::Pointer> {
        let boxes = self.boxes.iter().map(|record| record.pointer);
        let instances = self.instances.iter().map(|record| record.pointer);
        boxes.chain(instances).chain(self.leaves.iter().map(|record| record.pointer))
    }

    /// The bits of a node that was reached. A survey lists nodes of its image only, so that there
    /// is memory behind them all.
    #[must_use]
    pub fn node<const WORDS: usize>(
        &self,
        memory: &Memory<'_>,
        pointer: S::Pointer,
    ) -> Bits<WORDS> {
        Bits::from_bytes(memory.reached(self.structure.address_of(pointer), 4 * WORDS))
    }

    /// For each instance, which one it is in the order of discovery: slot by slot, depth first.
    #[must_use]
    pub fn discovery_order(&self) -> Vec<u32> {
        let mut numbers = vec![0; self.instances.len()];
        let mut next = 0;
        let mut open: Vec<Target> =
            self.boxes.first().map(|_| Target::Box(0)).into_iter().collect();
        while let Some(target) = open.pop() {
            match target {
                Target::Box(number) => {
                    let children = &self.children[self.boxes[number as usize].children()];
                    open.extend(children.iter().rev().map(|child| child.target));
                }
                Target::Instance(number) => {
                    numbers[number as usize] = next;
                    next += 1;
                }
                Target::Leaf(_) => {}
            }
        }
        numbers
    }
}
