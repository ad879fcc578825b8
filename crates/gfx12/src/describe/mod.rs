//! Nodes as named fields: what people read and compare.
//!
//! Every field has its name, its bits in the node, what stands there, and what that means. Fields
//! of packed nodes lie where the node's header says. Bits that nothing reads are left out, except
//! in box nodes, where two drivers keep hints.
//!
//! ```
//! use gfx12::describe::fields;
//! use gfx12::layout::{NodeBits, NodePointer};
//! let mut words = [0; 32];
//! words[0] = 0x10;
//! let fields = fields(NodePointer(0x15), &NodeBits::from_words(words));
//! assert_eq!((fields[0].name.as_str(), fields[0].bits.clone()), ("internal_base", 0..32));
//! assert_eq!((fields[0].raw, fields[0].value.as_str()), (0x10, "byte 0x80"));
//! ```

mod box_fields;
mod dual_fields;
mod header_fields;
mod instance_fields;
mod primitive_fields;

pub use dual_fields::{dual_fields, dual_kind_name, dual_node_bytes};
pub use header_fields::header_fields;

use crate::layout::{
    BoxNode, ChildEntry, InstanceNode, NodeBits, NodeKind, NodePointer, PrimitiveNode,
};
use std::ops::Range;

/// One field of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name, as in `children[3].min_x`.
    pub name: String,
    /// Its bits.
    pub bits: Range<u32>,
    /// What stands there.
    pub raw: u64,
    /// What that means.
    pub value: String,
}

/// The name of what a pointer leads to.
#[must_use]
pub const fn kind_name(pointer: NodePointer) -> &'static str {
    match pointer.kind() {
        NodeKind::Box => "box",
        NodeKind::Instance => "instance",
        NodeKind::Primitive { .. } => "primitive",
        NodeKind::Unused => "unused",
    }
}

/// The fields of the node behind a pointer. A pointer of an unused type has 32 dwords.
#[must_use]
pub fn fields(pointer: NodePointer, bits: &NodeBits) -> Vec<Field> {
    let mut list = List { bits, fields: Vec::new() };
    match pointer.kind() {
        NodeKind::Box => box_fields::list(&BoxNode::decode(bits), &mut list),
        NodeKind::Instance => instance_fields::list(&InstanceNode::decode(bits), &mut list),
        NodeKind::Primitive { .. } => {
            primitive_fields::list(&PrimitiveNode::decode(bits), &mut list)
        }
        NodeKind::Unused => {
            for dword in 0..32 {
                list.add(format!("dword {dword}"), 32 * dword..32 * dword + 32, "");
            }
        }
    }
    list.fields
}

/// Fields under way.
struct List<'a> {
    bits: &'a NodeBits,
    fields: Vec<Field>,
}

impl List<'_> {
    /// Adds a field of at most 64 bits.
    fn add(&mut self, name: impl Into<String>, bits: Range<usize>, value: impl ToString) {
        let middle = (bits.start + 32).min(bits.end);
        let (low, high) = (self.bits.get(bits.start..middle), self.bits.get(middle..bits.end));
        self.fields.push(Field {
            name: name.into(),
            bits: bits.start as u32..bits.end as u32,
            raw: u64::from(low) | u64::from(high) << 32,
            value: value.to_string(),
        });
    }

    /// Adds an f32 at a bit.
    fn add_float(&mut self, name: impl Into<String>, bit: usize, value: f32) {
        self.add(name, bit..bit + 32, float(value));
    }

    /// Adds the eleven fields of a child entry, its planes decoded.
    fn add_entry(
        &mut self,
        at: usize,
        name: &str,
        entry: &ChildEntry,
        planes: [[f32; 2]; 3],
        leads: &str,
    ) {
        let places = [[0, 44], [12, 64], [32, 76]];
        for (axis, letter) in ["x", "y", "z"].iter().enumerate() {
            for (side, word) in ["min", "max"].iter().enumerate() {
                let code = if side == 0 { entry.min[axis] } else { entry.max[axis] };
                let start = at + places[axis][side];
                let value = format!("{code} → {}", float(planes[axis][side]));
                self.add(format!("{name}.{word}_{letter}"), start..start + 12, value);
            }
        }
        let flags = if entry.cull_flags.is_empty() {
            "none".to_owned()
        } else {
            names(entry.cull_flags.iter_names().map(|(name, _)| name))
        };
        self.add(format!("{name}.cull_flags"), at + 24..at + 28, flags);
        self.add(format!("{name}.unused"), at + 28..at + 32, entry.unused);
        self.add(format!("{name}.mask"), at + 56..at + 64, format!("{:#04x}", entry.mask));
        self.add(format!("{name}.node_type"), at + 88..at + 92, leads);
        self.add(format!("{name}.range_length"), at + 92..at + 96, entry.range_length);
    }
}

/// An f32 in the fewest digits that give it back.
fn float(value: f32) -> String {
    format!("{value:?}")
}

/// Flags by name, in lower case.
fn names<'a>(flags: impl Iterator<Item = &'a str>) -> String {
    flags.map(str::to_lowercase).collect::<Vec<_>>().join(", ")
}

/// A pointer with what it leads to.
fn pointer_text(pointer: NodePointer) -> String {
    match pointer.kind() {
        _ if pointer == NodePointer::INVALID => "none".to_owned(),
        NodeKind::Box => format!("{pointer}: box at byte {:#x}", pointer.byte_offset()),
        NodeKind::Instance => format!("{pointer}: instance at byte {:#x}", pointer.byte_offset()),
        NodeKind::Primitive { pair } => {
            format!("{pointer}: pair {pair} at byte {:#x}", pointer.byte_offset())
        }
        NodeKind::Unused => format!("{pointer}: an unused type"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Any bits have fields, and each field holds the bits that it names.
        #[test]
        fn fields_hold_their_bits(words in any::<[u32; 32]>(), node_type in 0u32..16) {
            let bits = NodeBits::from_words(words);
            for field in fields(NodePointer(node_type), &bits) {
                let (start, end) = (field.bits.start as usize, field.bits.end as usize);
                let middle = (start + 32).min(end);
                let low = u64::from(bits.get(start..middle));
                let raw = low | u64::from(bits.get(middle..end)) << 32;
                prop_assert_eq!(raw, field.raw, "{}", field.name);
            }
        }

        /// The fields of a box or an instance cover the node, each bit once, so that no difference
        /// between two nodes goes unnamed.
        #[test]
        fn boxes_and_instances_are_covered(words in any::<[u32; 32]>()) {
            for node_type in [5, 6] {
                let mut covered = [0u8; 1024];
                for field in fields(NodePointer(node_type), &NodeBits::from_words(words)) {
                    for bit in field.bits {
                        covered[bit as usize] += 1;
                    }
                }
                prop_assert_eq!(covered, [1; 1024], "type {}", node_type);
            }
        }
    }
}
