//! The fields of a box node.

use super::{List, pointer_text};
use crate::layout::BoxNode;

pub(super) fn list(node: &BoxNode, list: &mut List<'_>) {
    list.add("internal_base", 0..32, byte(node.internal_base));
    list.add("primitive_base", 32..64, byte(node.primitive_base));
    list.add("parent", 64..96, pointer_text(node.parent));
    for (axis, letter) in ["x", "y", "z"].iter().enumerate() {
        list.add_float(format!("origin_{letter}"), 96 + 32 * axis, node.frame.origin[axis]);
    }
    for (axis, letter) in ["x", "y", "z"].iter().enumerate() {
        let start = 192 + 8 * axis;
        let exponent = node.frame.exponents[axis];
        let quantum = format!("{exponent}: a quantum of 2^{}", i32::from(exponent) - 139);
        list.add(format!("exponent_{letter}"), start..start + 8, quantum);
    }
    list.add("disable_box_sort", 216..217, node.disable_box_sort);
    list.add("index_in_parent", 217..220, node.index_in_parent);
    let count = node.child_count;
    list.add(
        "child_count",
        220..223,
        format!("{count} {}", if count == 1 { "child" } else { "children" }),
    );
    list.add("spare", 223..224, node.spare);
    let rotation = match node.obb_matrix_index {
        BoxNode::NO_ROTATION => "no rotation".to_owned(),
        index @ 0..=103 => format!("rotation {index}"),
        index => format!("{index}: undefined"),
    };
    list.add("obb_matrix_index", 224..231, rotation);
    list.add("ignored", 231..256, "");
    let pointers = node.child_pointers();
    for (slot, entry) in node.children.iter().enumerate() {
        let bounds = node.child_box(slot);
        let (min, max) = (bounds.min.to_array(), bounds.max.to_array());
        let planes = std::array::from_fn(|axis| [min[axis], max[axis]]);
        let used = slot < node.used_children().len();
        let leads = if used { pointer_text(pointers[slot]) } else { "slot not used".to_owned() };
        list.add_entry(256 + 96 * slot, &format!("children[{slot}]"), entry, planes, &leads);
    }
}

/// Pointer units as bytes from the base.
fn byte(units: u32) -> String {
    format!("byte {:#x}", u64::from(units) << 3)
}
