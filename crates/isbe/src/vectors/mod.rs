//! How cases of vector files of kind `isbe` are run.
//!
//! | file | sections |
//! |---|---|
//! | `layouts` | `layouts`, `layout_errors`, `map_addresses`, `map_writes` |
//! | `headers` | `methods`, `attribute_ids`, `sph_sets`, `task_header` |
//! | `instructions` | `instructions`, `instruction_errors`, `hazards` |
//! | `meshes` | `meshes`, `containers` |

mod headers;
mod instructions;
mod layouts;
mod meshes;

use crate::{AttributeId, AttributeSet};
use vectors::{Json, Kind, Section, VectorError};

/// The kind of file that is run here.
pub const KIND: Kind = Kind {
    name: "isbe",
    sections: &[
        Section::list("layouts", layouts::layout),
        Section::list("layout_errors", layouts::layout_error),
        Section::list("map_addresses", layouts::map_address),
        Section::list("map_writes", layouts::map_write),
        Section::list("methods", headers::method),
        Section::list("attribute_ids", headers::attribute_id),
        Section::list("sph_sets", headers::attribute_masks),
        Section::list("task_header", headers::task_header),
        Section::list("instructions", instructions::instruction),
        Section::list("instruction_errors", instructions::instruction_error),
        Section::list("hazards", instructions::hazard_graph),
        Section::list("meshes", meshes::mesh),
        Section::list("containers", meshes::container),
    ],
};

fn attribute(json: &Json<'_>) -> Result<AttributeId, VectorError> {
    let id = json.hex::<u16>()?;
    AttributeId::new(id).ok_or_else(|| json.wrong("an id: a multiple of 4 below 3c0"))
}

fn attribute_set(json: &Json<'_>) -> Result<AttributeSet, VectorError> {
    json.elements()?.iter().map(attribute).collect()
}

/// Header words by dword number.
fn dwords(json: &Json<'_>) -> Result<Vec<(usize, u32)>, VectorError> {
    let mut words = Vec::new();
    for (number, word) in json.members()? {
        let number = number.parse().map_err(|_| word.wrong("a dword number as the name"))?;
        words.push((number, word.hex()?));
    }
    words.sort_unstable();
    Ok(words)
}
