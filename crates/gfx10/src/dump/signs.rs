//! What tells RADV's memory on RDNA2 from that on RDNA3.
//!
//! No header says it. The nodes are the same, but RDNA3 reads flags that RDNA2 lacks, and RADV
//! writes them there only:
//!
//! | node | RDNA2 | RDNA3 |
//! |---|---|---|
//! | an opaque triangle | bit 7 of its id byte is clear | bit 7 is set |
//! | an instance | no flags in its base pointer | what it skips |
//! | an fp32 box of a BLAS | dword 28 undefined | a byte for each child: what is opaque below |
//!
//! Nodes are looked at from the roots on, up to a number, and most of them decide.

use crate::Generation;
use crate::layout::{RadvInstanceNode, RadvProceduralNode, RadvTriangleNode};
use bvh4::layout::triangle_info::TriangleInfo;
use bvh4::layout::{Bvh4Kind, Bvh4Pointer, CullFlags, Fp16BoxNode, Fp32BoxNode, PointerFlags};
use machine::bits::{HalfNodeBits, NodeBits};

/// What memory tells of its generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// This one.
    Is(Generation),
    /// Nothing: it could be either.
    Unsure,
}

/// Nodes that are looked at, and how far down.
const MOST_NODES: usize = 1 << 18;
const MOST_LEVELS: u32 = 200;
/// What RADV writes of opacity.
const OPAQUE: u8 = CullFlags::ONLY_OPAQUE.bits();
const NON_OPAQUE: u8 = CullFlags::ONLY_NON_OPAQUE.bits();

impl Told {
    /// The generation; `usual` if it could be either.
    #[must_use]
    pub const fn or(self, usual: Generation) -> Generation {
        match self {
            Self::Is(generation) => generation,
            Self::Unsure => usual,
        }
    }

    /// By the nodes of some structures, each from its root on.
    #[must_use]
    pub fn by(areas: &[&[u8]]) -> Self {
        let mut votes = Votes { gfx10: 0, gfx11: 0, nodes_left: MOST_NODES };
        for nodes in areas {
            votes.opacity(nodes, Bvh4Pointer::ROOT, 0);
        }
        match votes.gfx11.cmp(&votes.gfx10) {
            std::cmp::Ordering::Less => Self::Is(Generation::Gfx10),
            std::cmp::Ordering::Equal => Self::Unsure,
            std::cmp::Ordering::Greater => Self::Is(Generation::Gfx11),
        }
    }
}

struct Votes {
    gfx10: usize,
    gfx11: usize,
    nodes_left: usize,
}

impl Votes {
    fn add(&mut self, is_gfx11: bool) {
        *(if is_gfx11 { &mut self.gfx11 } else { &mut self.gfx10 }) += 1;
    }

    /// Looks at a node and all below it: what RDNA3's flag byte says of them, if that is known.
    fn opacity(&mut self, nodes: &[u8], pointer: Bvh4Pointer, level: u32) -> Option<u8> {
        self.nodes_left = self.nodes_left.checked_sub(1)?;
        let bytes = node(nodes, pointer).filter(|_| level < MOST_LEVELS)?;
        let half = || HalfNodeBits::from_bytes(&bytes[..64]);
        match pointer.kind() {
            Bvh4Kind::Fp32Box => {
                let own = Fp32BoxNode::decode(&NodeBits::from_bytes(bytes));
                let truth = self.of_children(nodes, own.children, level);
                let both = own.flag_bytes.iter().zip(truth);
                let known: Vec<(u8, u8)> =
                    both.filter_map(|(&f, truth)| Some((f, truth?))).collect();
                // Where there is nothing to say, memory that was never written looks the same.
                if known.iter().any(|pair| *pair != (0, 0)) {
                    self.add(known.iter().all(|(flags, truth)| flags == truth));
                }
                all_of(own.children, truth)
            }
            Bvh4Kind::HalfBox => {
                let children = Fp16BoxNode::decode(&half()).children;
                all_of(children, self.of_children(nodes, children, level))
            }
            Bvh4Kind::Instance => {
                let base = RadvInstanceNode::decode(&NodeBits::from_bytes(bytes)).child_base;
                self.add(base.flags() != PointerFlags::empty());
                None
            }
            Bvh4Kind::Triangle0 => {
                let node = RadvTriangleNode::decode(&half());
                let is_opaque = node.geometry_flags & 8 != 0;
                if is_opaque {
                    self.add(TriangleInfo::from_byte(node.id_word as u8).opaque);
                }
                Some(if is_opaque { OPAQUE } else { NON_OPAQUE })
            }
            Bvh4Kind::User => {
                let is_opaque = RadvProceduralNode::decode(&half()).geometry_flags & 8 != 0;
                Some(if is_opaque { OPAQUE } else { NON_OPAQUE })
            }
            Bvh4Kind::Triangle1 | Bvh4Kind::OldTriangle => None,
        }
    }

    fn of_children(
        &mut self,
        nodes: &[u8],
        children: [Bvh4Pointer; 4],
        level: u32,
    ) -> [Option<u8>; 4] {
        children.map(|child| match child {
            Bvh4Pointer::INVALID => None,
            child => self.opacity(nodes, child, level + 1),
        })
    }
}

/// What can be said of all children, if it is known of each.
fn all_of(children: [Bvh4Pointer; 4], truth: [Option<u8>; 4]) -> Option<u8> {
    let used = children.iter().zip(truth).filter(|(child, _)| **child != Bvh4Pointer::INVALID);
    used.map(|(_, truth)| truth).try_fold(OPAQUE | NON_OPAQUE, |all, truth| Some(all & truth?))
}

/// The bytes of a node.
fn node(nodes: &[u8], pointer: Bvh4Pointer) -> Option<&[u8]> {
    let start = usize::try_from(pointer.byte_offset()).ok()?;
    nodes.get(start..)?.get(..pointer.node_bytes())
}
