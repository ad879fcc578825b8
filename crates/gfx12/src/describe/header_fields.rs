//! The fields of GPURT's header.

use super::{Field, List};
use crate::layout::{NODE_BYTES, NodeBits, RTIP_3_1};

/// Names of the dwords, in order; dwords 19 to 24 are floats.
const NAMES: [&str; 32] = [
    "info",
    "metadata_size",
    "total_size",
    "primitive_count",
    "active_primitive_count",
    "obb_metadata_offset",
    "descriptor_count",
    "geometry_type",
    "internal_node_offset",
    "leaf_node_offset",
    "geometry_info_offset",
    "primitive_pointer_offset",
    "internal_fp32_count",
    "internal_fp16_count",
    "leaf_node_count",
    "version",
    "uuid_low",
    "uuid_high",
    "rt_ip_level",
    "root_min_x",
    "root_min_y",
    "root_min_z",
    "root_max_x",
    "root_max_y",
    "root_max_z",
    "info2",
    "packed_flags",
    "compacted_size",
    "padding_0",
    "padding_1",
    "padding_2",
    "padding_3",
];

/// The fields of the header that a structure starts with; `None` if it starts without one.
#[must_use]
pub fn header_fields(structure: &[u8]) -> Option<Vec<Field>> {
    let bits = NodeBits::from_bytes(structure.get(..NODE_BYTES as usize)?);
    if bits.word(18) != RTIP_3_1 {
        return None;
    }
    let mut list = List { bits: &bits, fields: Vec::new() };
    for (dword, name) in NAMES.into_iter().enumerate() {
        let bit = 32 * dword;
        match dword {
            19..=24 => list.add_float(name, bit, bits.float(dword)),
            0 | 8..=11 | 15..=17 | 25.. => {
                list.add(name, bit..bit + 32, format!("{:#x}", bits.word(dword)));
            }
            _ => list.add(name, bit..bit + 32, bits.word(dword)),
        }
    }
    Some(list.fields)
}
