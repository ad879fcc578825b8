//! One box node: which children it has, and which of its pointers cannot be followed.

use super::memory::Memory;
use super::ranges::{MAX_RANGE_PAIRS, RangeError, Ranges};
use super::structure::Structure;
use crate::findings::{Findings, Place};
use crate::layout::{BOX_TYPE, BoxNode, ChildEntry, NodeKind, NodePointer};
use crate::rule::Rule;
use std::ops::Range;

/// The children of one box node.
#[derive(Debug)]
pub(crate) struct Expanded {
    pub(crate) children: [Child; 8],
    pub(crate) count: u8,
    pub(crate) findings: Option<Box<Findings>>,
}

/// A child whose pointer leads to memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Child {
    pub(crate) pointer: NodePointer,
    /// Bit `i`: slot `i` leads here.
    pub(crate) slots: u8,
    /// Pairs of the range, for a primitive.
    pub(crate) pairs: u32,
}

/// Whether a slot in use holds nothing: no ray has a bit in common with a mask of 0, and the
/// inverted box is how encoders say that it is meant.
pub(crate) fn is_empty_slot(entry: &ChildEntry) -> bool {
    entry.mask == 0 && entry.is_inverted()
}

/// Bits of a child entry in its box node.
pub(crate) fn entry_bits(slot: u8) -> Range<u32> {
    BoxNode::children.element_bits(slot.into())
}

/// Looks into the box node behind a pointer, which is readable.
pub(crate) fn expand(
    memory: &Memory<'_>,
    ranges: &Ranges<'_>,
    structure: &Structure,
    from: NodePointer,
) -> Expanded {
    let none = Child { pointer: NodePointer::INVALID, slots: 0, pairs: 0 };
    let mut expanded = Expanded { children: [none; 8], count: 0, findings: None };
    let address = structure.address_of(from);
    let Some(bits) = memory.node(address) else { return expanded };
    let node = BoxNode::decode(&bits);
    let name = || format!("box {from}");
    base_bits(&node, &Place { memory, address, name: &name }, &mut expanded);
    let pointers = node.child_pointers();
    for (slot, entry) in (0u8..).zip(node.used_children()) {
        if is_empty_slot(entry) {
            continue;
        }
        let pointer = pointers[usize::from(slot)];
        if let Some(last) = expanded.children[..usize::from(expanded.count)].last_mut()
            && last.pointer == pointer
        {
            last.slots |= 1 << slot;
            continue;
        }
        let name = || format!("box {from}, slot {slot}");
        let place = Place { memory, address, name: &name };
        let bits = entry_bits(slot);
        if NodeKind::of_type(entry.node_type) == NodeKind::Unused {
            expanded.findings().add(
                Rule::NodeType,
                &place,
                ChildEntry::node_type.bits_from(bits.start as usize),
                || (format!("type {}", entry.node_type), "0..=3, 5, 6 or 8..=11".into()),
            );
            continue;
        }
        if pointer.node_type() != entry.node_type {
            continue; // a base with low bits, noted above
        }
        let child = structure.address_of(pointer);
        if pointer.is_special() || memory.node(child).is_none() {
            expanded.findings().add(Rule::PointerRange, &place, bits, || {
                (format!("pointer {pointer}, address {child:#x}"), "128 bytes of the image".into())
            });
            continue;
        }
        let pairs = match pointer.kind() {
            NodeKind::Primitive { pair } => match ranges.pairs(child, pair) {
                Ok(pairs) => pairs,
                Err(error) => {
                    bad_range(expanded.findings(), &place, bits, pointer, error);
                    continue;
                }
            },
            NodeKind::Box | NodeKind::Instance | NodeKind::Unused => 0,
        };
        expanded.children[usize::from(expanded.count)] = Child { pointer, slots: 1 << slot, pairs };
        expanded.count += 1;
    }
    expanded
}

/// The low bits of the two bases would change the types of all children.
fn base_bits(node: &BoxNode, place: &Place<'_>, expanded: &mut Expanded) {
    let holds = |boxes: bool| {
        let mut used = node.used_children().iter().filter(|entry| !is_empty_slot(entry));
        used.any(|entry| (entry.node_type == BOX_TYPE) == boxes)
    };
    let bases = [
        (BoxNode::internal_base.bits(), node.internal_base, true),
        (BoxNode::primitive_base.bits(), node.primitive_base, false),
    ];
    for (Range { start, .. }, base, boxes) in bases {
        if base & 0xF != 0 && holds(boxes) {
            expanded.findings().add(Rule::ChildBase, place, start..start + 4, || {
                (format!("base {base:#x}"), "a multiple of 0x10".into())
            });
        }
    }
}

impl Expanded {
    fn findings(&mut self) -> &mut Findings {
        self.findings.get_or_insert_with(Box::default)
    }
}

/// Notes that a range cannot be walked.
pub(crate) fn bad_range(
    findings: &mut Findings,
    place: &Place<'_>,
    bits: Range<u32>,
    pointer: NodePointer,
    error: RangeError,
) {
    let pair = pointer.pair();
    match error {
        RangeError::FirstPair { pair_count } => findings.add(Rule::FirstPair, place, bits, || {
            (
                format!("pointer {pointer} to pair {pair}"),
                format!("a pair below {pair_count}, the node's count"),
            )
        }),
        RangeError::NoEnd => findings.add(Rule::RangeEnd, place, bits, || {
            let found = format!("a range from {pointer} that runs to the end of the segment");
            (found, "a pair with its stop bit set".into())
        }),
        RangeError::TooLong => findings.add(Rule::RangeLength, place, bits, || {
            let found = format!("a range from {pointer} of more than {MAX_RANGE_PAIRS} pairs");
            (found, format!("at most {MAX_RANGE_PAIRS} pairs"))
        }),
    }
}

/// Notes that a box or instance node has been reached before.
pub(crate) fn reached_twice(
    findings: &mut Findings,
    place: &Place<'_>,
    bits: Range<u32>,
    pointer: NodePointer,
) {
    findings.add(Rule::ReachedTwice, place, bits, || {
        (format!("node {pointer}, reached before"), "a node that nothing else leads to".into())
    });
}
