//! Writing the box nodes of a level.

use super::error::EncodeError;
use super::flatten::{Flat, FlatBox, NO_PLACE};
use super::obb_fit::{Orientations, oriented_boxes};
use super::run::RangeStart;
use super::sections::Sections;
use super::{Policy, hiprt_memory};
use crate::decode::frames::LevelFrames;
use crate::layout::{BOX_TYPE, BoxFrame, BoxNode, ChildEntry, CullFlags, NODE_BYTES, NodePointer};
use crate::quantize::{QuantizeError, QuantizedBoxes, quantize, quantize_radv};
use bvh4::encode::margin::{Margin, widen};
use geometry::Aabb;
use rayon::prelude::*;
use tree::{Bvh, Primitives};

/// Everything that the box nodes of a level are made of.
#[derive(Debug, Clone)]
pub(crate) struct Boxes<'a> {
    /// The level, for messages.
    pub(crate) level: usize,
    /// The hierarchy.
    pub(crate) bvh: &'a Bvh,
    /// Its order in memory.
    pub(crate) flat: &'a Flat,
    /// For each leaf of `flat.leaves`, where its range begins among the leaf nodes.
    pub(crate) starts: &'a [RangeStart],
    /// For each entry, what it holds.
    pub(crate) contents: &'a [Contents],
    /// For each entry, its box if the hierarchy's own is not meant.
    pub(crate) bounds: Option<&'a [Aabb]>,
    /// How far boxes are widened.
    pub(crate) margin: Margin,
    /// Where nodes lie.
    pub(crate) sections: &'a Sections,
    /// How planes are rounded, and what is left out.
    pub(crate) policy: Policy,
    /// Whether slots of leaves say what is true below them.
    pub(crate) leaf_flags: bool,
    /// Which nodes are oriented.
    pub(crate) orientation: Orientation<'a>,
}

/// Where the frames of nodes come from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Orientation<'a> {
    /// All lie along the axes.
    Plain,
    /// Rotations were chosen for the primitives below.
    Fitted(&'a Orientations, &'a Primitives),
    /// As an image had them, boxes and all.
    Kept(&'a LevelFrames),
}

/// What an entry holds, as far as rays may skip it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Contents {
    /// What is below.
    pub(crate) cull_flags: CullFlags,
    /// Masks of the instances below, together.
    pub(crate) mask: u8,
}

/// For each entry of a hierarchy, what it holds; `leaf` answers for the items of a leaf.
pub(crate) fn contents(
    bvh: &Bvh,
    flat: &Flat,
    leaf: impl Fn(&[u32]) -> Contents + Sync,
) -> Vec<Contents> {
    let nothing = Contents { cull_flags: CullFlags::all(), mask: 0 };
    let entries = bvh.nodes();
    let mut contents: Vec<Contents> = entries
        .par_iter()
        .map(|entry| if entry.link.is_leaf() { leaf(bvh.items(entry)) } else { nothing })
        .collect();
    for index in (0..entries.len()).rev().filter(|&index| !entries[index].link.is_leaf()) {
        let held = entries[index].link.range().filter(|&child| flat.places[child] != NO_PLACE);
        contents[index] = held.fold(nothing, |all, child| Contents {
            cull_flags: all.cull_flags & contents[child].cull_flags,
            mask: all.mask | contents[child].mask,
        });
    }
    contents
}

impl Boxes<'_> {
    /// Writes all box nodes to a structure.
    pub(crate) fn write(&self, structure: &mut [u8]) -> Result<(), EncodeError> {
        let Sections { root, boxes, .. } = *self.sections;
        self.node(0)?.encode().write_bytes(&mut structure[root as usize..]);
        let others = NODE_BYTES as usize * (self.flat.boxes.len() - 1);
        let failure = structure[boxes as usize..][..others]
            .par_chunks_exact_mut(NODE_BYTES as usize)
            .enumerate()
            .find_map_first(|(before, out)| match self.node(before + 1) {
                Ok(node) => {
                    node.encode().write_bytes(out);
                    None
                }
                Err(error) => Some(error),
            });
        failure.map_or(Ok(()), Err)
    }

    /// The children of a box, as its slots have them: HIPRT does not put boxes first.
    pub(crate) fn slots(&self, place: usize) -> Vec<u32> {
        self.flat.slots(self.bvh, place, self.policy == Policy::Hiprt)
    }

    /// One box node.
    pub(crate) fn node(&self, place: usize) -> Result<BoxNode, EncodeError> {
        let slots = self.slots(place);
        if slots.is_empty() {
            return Ok(empty_root(self.policy));
        }
        let (rotation, boxes) = self.boxes_in_frame(place, &slots);
        let margin = match rotation {
            BoxNode::NO_ROTATION => self.margin.plain,
            _ => self.margin.oriented,
        };
        let widened: Vec<Aabb> = boxes.iter().map(|bounds| widen(bounds, margin)).collect();
        let quantized = self.quantize(&widened).map_err(|source| EncodeError::Boxes {
            level: self.level,
            node: place,
            source,
        })?;
        let FlatBox { parent, slot, .. } = self.flat.boxes[place];
        let mut node = BoxNode {
            internal_base: 0,
            primitive_base: 0,
            parent: NodePointer::INVALID,
            frame: quantized.frame,
            disable_box_sort: false,
            // RADV and HIPRT leave it out (G-42).
            index_in_parent: match self.policy {
                Policy::Radv | Policy::Hiprt => 0,
                Policy::Dense | Policy::Gpurt => slot,
            },
            child_count: slots.len() as u8,
            spare: false,
            obb_matrix_index: rotation,
            ignored: 0,
            children: [self.unused_slot(); 8],
        };
        if parent != NO_PLACE {
            node.parent = match self.policy {
                Policy::Hiprt => NodePointer(parent),
                _ => self.sections.box_pointer(parent),
            };
        }
        self.link(&mut node, &slots, &quantized);
        Ok(node)
    }

    fn quantize(&self, boxes: &[Aabb]) -> Result<QuantizedBoxes, QuantizeError> {
        match self.policy {
            Policy::Radv => quantize_radv(boxes),
            Policy::Dense | Policy::Gpurt | Policy::Hiprt => quantize(boxes),
        }
    }

    /// What stands in a slot that is not used.
    fn unused_slot(&self) -> ChildEntry {
        match self.policy {
            Policy::Hiprt => hiprt_memory::UNUSED_SLOT,
            Policy::Dense | Policy::Radv | Policy::Gpurt => ChildEntry::UNUSED,
        }
    }

    /// The rotation of a node, and the boxes of its children in that frame.
    fn boxes_in_frame(&self, place: usize, slots: &[u32]) -> (u8, Vec<Aabb>) {
        let plain = || slots.iter().map(|&entry| self.bounds_of(entry)).collect();
        match self.orientation {
            Orientation::Plain => (BoxNode::NO_ROTATION, plain()),
            Orientation::Fitted(orientations, primitives) => {
                let rotation = orientations.of(place);
                let oriented = oriented_boxes(self.bvh, slots, rotation, primitives);
                oriented.map_or_else(|| (BoxNode::NO_ROTATION, plain()), |boxes| (rotation, boxes))
            }
            Orientation::Kept(frames) => {
                let entry = self.flat.boxes[place].entry as usize;
                let boxes = slots.iter().map(|&child| frames.bounds[child as usize]);
                (frames.rotations[entry], boxes.collect())
            }
        }
    }

    fn bounds_of(&self, entry: u32) -> Aabb {
        match self.bounds {
            Some(bounds) => bounds[entry as usize],
            None => self.bvh.nodes()[entry as usize].bounds,
        }
    }

    /// Fills the slots, and the bases that lead from them to the children.
    fn link(&self, node: &mut BoxNode, slots: &[u32], quantized: &QuantizedBoxes) {
        let is_leaf = |entry: u32| self.bvh.nodes()[entry as usize].link.is_leaf();
        let start_of = |entry: u32| self.starts[self.flat.places[entry as usize] as usize];
        let mut first_box = None;
        let mut first_leaf = None;
        for (slot, &entry) in slots.iter().enumerate() {
            let Contents { mut cull_flags, mask } = self.contents[entry as usize];
            if is_leaf(entry) && !self.leaf_flags {
                cull_flags = CullFlags::empty();
            }
            let (node_type, range_length) = if is_leaf(entry) {
                let start = start_of(entry);
                first_leaf.get_or_insert(start.node);
                let next = slots[slot + 1..].iter().find(|&&next| is_leaf(next));
                let next = next.map(|&next| start_of(next).node);
                let length = next.map_or(start.length, |next| (next - start.node) as u8);
                (start.node_type, length)
            } else {
                first_box.get_or_insert(self.flat.places[entry as usize]);
                (BOX_TYPE, 1)
            };
            node.children[slot] = quantized.codes[slot].entry(ChildEntry {
                cull_flags,
                unused: 0,
                mask,
                node_type,
                range_length,
                ..ChildEntry::default()
            });
        }
        if let Some(place) = first_box {
            node.internal_base = self.sections.box_pointer(place).0 & !0xF;
        }
        if let Some(leaf) = first_leaf {
            node.primitive_base = self.sections.leaf_units(leaf.into());
        }
    }
}

/// The root of a structure that holds nothing: one slot with the impossible box; RADV's count of 0,
/// less 1, reads as eight. A frame without an extent would decode it to a point.
fn empty_root(policy: Policy) -> BoxNode {
    let is_radv = policy == Policy::Radv;
    BoxNode {
        internal_base: 0,
        primitive_base: 0,
        parent: NodePointer::INVALID,
        frame: BoxFrame { origin: [0.0; 3], exponents: [127; 3] },
        disable_box_sort: false,
        index_in_parent: 0,
        child_count: if is_radv { 8 } else { 1 },
        spare: is_radv,
        obb_matrix_index: BoxNode::NO_ROTATION,
        ignored: 0,
        children: [ChildEntry::UNUSED; 8],
    }
}
