//! The fields of nodes of the format `gfx12-bvh4x2`.
//!
//! A box of type 4 is one of high precision, as everywhere in images of the format
//! ([`crate::bvh4x2`]).

use super::{AXES, dwords, field, set_value};
use crate::layout::base_pointer::ADDRESS_MASK;
use crate::layout::bvh4x2::triangle_node::IdWord;
use crate::layout::bvh4x2::{
    Bvh4Kind, Bvh4Pointer, Bvh4x2InstanceNode, Fp32BoxNode, HighPrecisionBoxNode, TriangleNode,
};
use crate::layout::{HalfNodeBits, NodeBits};
use crate::survey::Memory;
use machine::fields::{FieldList, FieldValue};
use machine::{DescribeError, DescribedField, Description, Image, NodeRef};

/// Describes the node behind a pointer of an image of the format `gfx12-bvh4x2`.
///
/// # Errors
/// When the pointer leads to no memory.
pub fn bvh4x2_describe(image: &Image, node: NodeRef) -> Result<Description, DescribeError> {
    let pointer = u32::try_from(node.pointer).map(Bvh4Pointer);
    let pointer = pointer.map_err(|_| DescribeError::NoStructure(node))?;
    let address = node.base.wrapping_add(pointer.byte_offset()) & ADDRESS_MASK;
    let bytes = pointer.node_bytes();
    let memory = Memory::new(image);
    let stored = memory.get(address, bytes).ok_or(DescribeError::Outside { node, address })?;
    let bits = NodeBits::from_bytes(stored);
    let mut fields = dual_fields(pointer, &bits);
    add_links(node.base, pointer, &bits, &mut fields);
    Ok(Description {
        node,
        kind: if pointer.kind() == Bvh4Kind::User { "unused" } else { pointer.kind_name() },
        address,
        bytes,
        fields,
        beside: Vec::new(),
        frame: None,
    })
}

/// The fields of the node behind a pointer of the format `gfx12-bvh4x2`. Of the bits, a node of
/// 64 bytes has the first half. A pointer of an unused type has 16 dwords.
#[must_use]
pub fn dual_fields(pointer: Bvh4Pointer, bits: &NodeBits) -> Vec<DescribedField> {
    let half: HalfNodeBits = bits.part(0);
    match pointer.kind() {
        Bvh4Kind::Fp32Box => by_child(Fp32BoxNode::describe(bits)),
        Bvh4Kind::HalfBox => by_child(precise_box(&half)),
        Bvh4Kind::Instance => Bvh4x2InstanceNode::describe(bits),
        Bvh4Kind::Triangle0 | Bvh4Kind::Triangle1 => {
            let mut list = FieldList::new(half.words());
            list.add_structure::<TriangleNode>("", 0);
            list.add_structure::<IdWord>("", TriangleNode::id_word.bits().start as usize);
            list.fields
        }
        Bvh4Kind::OldTriangle | Bvh4Kind::User => dwords(bits, 16),
    }
}

fn precise_box(half: &HalfNodeBits) -> Vec<DescribedField> {
    let node = HighPrecisionBoxNode::decode(half);
    let mut fields = HighPrecisionBoxNode::describe(half);
    for (slot, child) in node.child_pointers().into_iter().enumerate() {
        let leads = Bvh4Pointer::text(child.0.into());
        set_value(&mut fields, &format!("child_types[{slot}]"), leads);
        let bounds = node.child_box(slot);
        let planes = bounds.min.to_array().into_iter().chain(bounds.max.to_array());
        for (k, plane) in planes.enumerate() {
            let name = format!("planes[{slot}][{k}]");
            let value = format!("{} → {plane:?}", node.planes[slot][k]);
            let plane = format!("planes[{slot}].{}_{}", ["min", "max"][k / 3], AXES[k % 3]);
            if let Some(field) = field(&mut fields, &name) {
                (field.name, field.value) = (plane, value);
            }
        }
    }
    fields
}

/// Names what belongs to a child after it, as in boxes of the compressed format.
fn by_child(mut fields: Vec<DescribedField>) -> Vec<DescribedField> {
    for field in &mut fields {
        let Some((array, rest)) = field.name.split_once('[') else { continue };
        let suffix = match array {
            "children" => ".pointer",
            "child_types" => ".node_type",
            "flag_bytes" | "cull_flags" => ".cull_flags",
            "boxes" | "planes" => "",
            _ => continue,
        };
        field.name = format!("children[{rest}{suffix}");
    }
    fields
}

/// Notes which fields lead to which nodes.
fn add_links(base: u64, pointer: Bvh4Pointer, bits: &NodeBits, fields: &mut [DescribedField]) {
    let mut link = |name: &str, base: u64, target: Bvh4Pointer| {
        if let Some(field) = field(fields, name).filter(|_| !target.is_special()) {
            field.link = Some(NodeRef { base, pointer: target.0.into() });
        }
    };
    match pointer.kind() {
        Bvh4Kind::Fp32Box => {
            for (slot, child) in Fp32BoxNode::decode(bits).children.into_iter().enumerate() {
                link(&format!("children[{slot}].pointer"), base, child);
            }
        }
        Bvh4Kind::HalfBox => {
            let node = HighPrecisionBoxNode::decode(&bits.part(0));
            for (slot, child) in node.child_pointers().into_iter().enumerate() {
                link(&format!("children[{slot}].node_type"), base, child);
            }
        }
        Bvh4Kind::Instance => {
            let node = Bvh4x2InstanceNode::decode(bits);
            link("child_root", node.child_base.address(), node.child_root);
        }
        _ => (),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The fields cover a node, each bit once, and hold the bits that they name.
        #[test]
        fn nodes_are_covered(words in any::<[u32; 32]>(), node_type in 0u32..8) {
            let (pointer, bits) = (Bvh4Pointer(node_type), NodeBits::from_words(words));
            let mut covered = vec![0u8; 8 * pointer.node_bytes()];
            for field in dual_fields(pointer, &bits) {
                let (start, end) = (field.bits.start as usize, field.bits.end as usize);
                prop_assert_eq!(bits.get_wide(start..end), field.raw, "{}", &field.name);
                covered[start..end].iter_mut().for_each(|count| *count += 1);
            }
            prop_assert!(covered.iter().all(|&count| count == 1), "type {}", node_type);
        }
    }
}
