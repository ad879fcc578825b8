//! The fields of an instance node.

use super::{List, names, pointer_text};
use crate::layout::InstanceNode;

pub(super) fn list(node: &InstanceNode, list: &mut List<'_>) {
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
    list.add("parent", 448..480, pointer_text(node.parent));
    list.add("user_data", 480..504, node.user_data);
    list.add("mask", 504..512, format!("{:#04x}", node.mask));
    for (axis, letter) in ["x", "y", "z"].iter().enumerate() {
        list.add_float(format!("origin_{letter}"), 512 + 32 * axis, node.frame.origin[axis]);
    }
    for (axis, letter) in ["x", "y", "z"].iter().enumerate() {
        let start = 608 + 8 * axis;
        let exponent = node.frame.exponents[axis];
        let quantum = format!("{exponent}: a quantum of 2^{}", i32::from(exponent) - 139);
        list.add(format!("exponent_{letter}"), start..start + 8, quantum);
    }
    list.add("disable_box_sort", 632..633, node.disable_box_sort);
    list.add("unused_low", 633..636, node.unused & 7);
    list.add("child_count", 636..638, format!("{} boxes", node.child_count));
    list.add("unused_high", 638..640, node.unused >> 3);
    let pointers = node.child_pointers();
    for (slot, entry) in node.children.iter().enumerate() {
        let bounds = node.child_box(slot);
        let (min, max) = (bounds.min.to_array(), bounds.max.to_array());
        let planes = std::array::from_fn(|axis| [min[axis], max[axis]]);
        let used = slot < node.used_children().len();
        let leads = if used {
            format!("result {:#04x}", pointers[slot].0)
        } else {
            "slot not used".to_owned()
        };
        list.add_entry(640 + 96 * slot, &format!("children[{slot}]"), entry, planes, &leads);
    }
}
