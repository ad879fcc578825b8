//! The fields of nodes of the uncompressed format.
//!
//! A box of type 4 is one of high precision, as everywhere in images of the format
//! ([`crate::uncompressed`]).

use super::{Field, List, float, names};
use crate::layout::uncompressed::{
    DualInstanceNode, DualKind, DualPointer, Fp32BoxNode, HighPrecisionBoxNode, TriangleNode,
};
use crate::layout::{CullFlags, HalfNodeBits, NODE_BYTES, NodeBits};
use geometry::Aabb;

/// The name of what a pointer of the uncompressed format leads to.
#[must_use]
pub const fn dual_kind_name(pointer: DualPointer) -> &'static str {
    match pointer.kind() {
        DualKind::Triangle0 | DualKind::Triangle1 => "primitive",
        DualKind::HalfBox | DualKind::Fp32Box => "box",
        DualKind::Instance => "instance",
        DualKind::OldTriangle | DualKind::User => "unused",
    }
}

/// Bytes of the node behind a pointer of the uncompressed format.
#[must_use]
pub const fn dual_node_bytes(pointer: DualPointer) -> usize {
    match pointer.kind() {
        DualKind::Fp32Box | DualKind::Instance => NODE_BYTES as usize,
        _ => NODE_BYTES as usize / 2,
    }
}

/// The fields of the node behind a pointer of the uncompressed format. Of the bits, a node of
/// 64 bytes has the first half. A pointer of an unused type has 16 dwords.
#[must_use]
pub fn dual_fields(pointer: DualPointer, bits: &NodeBits) -> Vec<Field> {
    let half = HalfNodeBits::from_bytes(&bits.to_bytes());
    let mut list = List { bits, fields: Vec::new() };
    match pointer.kind() {
        DualKind::Fp32Box => plain_box(&Fp32BoxNode::decode(bits), &mut list),
        DualKind::HalfBox => precise_box(&HighPrecisionBoxNode::decode(&half), &mut list),
        DualKind::Instance => instance(&DualInstanceNode::decode(bits), &mut list),
        DualKind::Triangle0 | DualKind::Triangle1 => {
            triangles(&TriangleNode::decode(&half), &mut list);
        }
        DualKind::OldTriangle | DualKind::User => dwords(0..16, "dword", &mut list),
    }
    list.fields
}

fn plain_box(node: &Fp32BoxNode, list: &mut List<'_>) {
    for (slot, &child) in node.children.iter().enumerate() {
        list.add(format!("children[{slot}].pointer"), 32 * slot..32 * slot + 32, leads(child));
    }
    for (slot, bounds) in node.boxes.iter().enumerate() {
        for (k, (name, plane)) in planes(bounds).into_iter().enumerate() {
            list.add_float(format!("children[{slot}].{name}"), 128 + 192 * slot + 32 * k, plane);
        }
    }
    for slot in 0..4 {
        let start = 896 + 8 * slot;
        let flags = flag_names(node.cull_flags(slot));
        list.add(format!("children[{slot}].cull_flags"), start..start + 4, flags);
        list.add(format!("children[{slot}].unused"), start + 4..start + 8, "");
    }
    list.add("primitive_count", 928..960, node.primitive_count);
    dwords(30..32, "unused", list);
}

fn precise_box(node: &HighPrecisionBoxNode, list: &mut List<'_>) {
    list.add("child_base", 0..29, format!("byte {:#x}", u64::from(node.child_base) << 6));
    for (slot, child) in node.child_pointers().into_iter().enumerate() {
        let start = 29 + 3 * slot;
        list.add(format!("children[{slot}].node_type"), start..start + 3, leads(child));
    }
    for (slot, &flags) in node.cull_flags.iter().enumerate() {
        let start = 41 + 4 * slot;
        let name = format!("children[{slot}].cull_flags");
        list.add(name, start..(start + 4).min(56), flag_names(flags));
    }
    for (axis, letter) in ["x", "y", "z"].iter().enumerate() {
        let (start, exponent) = (56 + 8 * axis, node.exponents[axis]);
        let step = format!("{exponent}: steps of 2^{}", i32::from(exponent) - 143);
        list.add(format!("exponent_{letter}"), start..start + 8, step);
    }
    for (slot, codes) in node.planes.iter().enumerate() {
        for (k, (name, plane)) in planes(&node.child_box(slot)).into_iter().enumerate() {
            let start = 80 + 18 * (6 * slot + k);
            let value = format!("{} → {}", codes[k], float(plane));
            list.add(format!("children[{slot}].{name}"), start..start + 18, value);
        }
    }
}

fn instance(node: &DualInstanceNode, list: &mut List<'_>) {
    for (row, entries) in node.world_to_object.rows.iter().enumerate() {
        for (column, &entry) in entries.iter().enumerate() {
            let bit = 128 * row + 32 * column;
            list.add_float(format!("world_to_object[{row}][{column}]"), bit, entry);
        }
    }
    let flags = names(node.child_base.flags().iter_names().map(|(name, _)| name));
    let flags = if flags.is_empty() { String::new() } else { format!(", {flags}") };
    let address = node.child_base.address();
    list.add("child_base", 384..448, format!("address {address:#x}{flags}"));
    list.add("child_root", 448..480, leads(node.child_root));
    list.add("user_data", 480..504, node.user_data);
    list.add("mask", 504..512, format!("{:#04x}", node.mask));
    dwords(16..32, "software", list);
}

fn triangles(node: &TriangleNode, list: &mut List<'_>) {
    for (number, vertex) in node.vertices.iter().enumerate() {
        for (axis, letter) in ["x", "y", "z"].iter().enumerate() {
            let bit = 96 * number + 32 * axis;
            list.add_float(format!("vertices[{number}].{letter}"), bit, vertex[axis]);
        }
    }
    list.add("primitive_ids[0]", 384..416, node.primitive_ids[0]);
    list.add("primitive_ids[1]", 416..448, node.primitive_ids[1]);
    list.add("geometry_id", 448..480, node.geometry_id);
    for which in 0..2 {
        let (start, info) = (480 + 8 * which, node.info(which));
        let mut add = |name: &str, bits: std::ops::Range<usize>, value: String| {
            let bits = start + bits.start..start + bits.end;
            list.add(format!("triangles[{which}].{name}"), bits, value);
        };
        add("i_source", 0..2, info.i_source.to_string());
        add("j_source", 2..4, info.j_source.to_string());
        add("double_sided", 4..5, info.double_sided.to_string());
        add("flip_winding", 5..6, info.flip_winding.to_string());
        add("procedural", 6..7, info.procedural.to_string());
        add("opaque", 7..8, info.opaque.to_string());
    }
    list.add("unused", 496..512, "");
}

fn dwords(range: std::ops::Range<usize>, name: &str, list: &mut List<'_>) {
    for dword in range {
        list.add(format!("{name} {dword}"), 32 * dword..32 * dword + 32, "");
    }
}

fn planes(bounds: &Aabb) -> [(&'static str, f32); 6] {
    let (min, max) = (bounds.min, bounds.max);
    [
        ("min_x", min.x),
        ("min_y", min.y),
        ("min_z", min.z),
        ("max_x", max.x),
        ("max_y", max.y),
        ("max_z", max.z),
    ]
}

fn flag_names(flags: CullFlags) -> String {
    let listed = names(flags.iter_names().map(|(name, _)| name));
    if listed.is_empty() { "none".to_owned() } else { listed }
}

/// A pointer with what it leads to.
fn leads(pointer: DualPointer) -> String {
    if pointer.is_special() {
        return "none".to_owned();
    }
    format!("{pointer}: {} at byte {:#x}", dual_kind_name(pointer), pointer.byte_offset())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The fields cover a node, each bit once, and hold the bits that they name.
        #[test]
        fn nodes_are_covered(words in any::<[u32; 32]>(), node_type in 0u32..8) {
            let (pointer, bits) = (DualPointer(node_type), NodeBits::from_words(words));
            let mut covered = vec![0u8; 8 * dual_node_bytes(pointer)];
            for field in dual_fields(pointer, &bits) {
                let (start, end) = (field.bits.start as usize, field.bits.end as usize);
                let middle = (start + 32).min(end);
                let low = u64::from(bits.get(start..middle));
                let raw = low | u64::from(bits.get(middle..end)) << 32;
                prop_assert_eq!(raw, field.raw, "{}", &field.name);
                covered[start..end].iter_mut().for_each(|count| *count += 1);
            }
            prop_assert!(covered.iter().all(|&count| count == 1), "type {}", node_type);
        }
    }
}
