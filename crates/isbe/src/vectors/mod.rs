//! Runs vector files of kind `isbe`.
//!
//! A file may hold any of the sections; one that is unknown counts as a failure, so that a case is
//! never skipped in silence.
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
use machine::vectors::{Comparison, Json};
use machine::{VectorError, VectorFailure, VectorReport};
use serde_json::Value;

/// The kind of file that is run here.
pub const KIND: &str = "isbe";

/// What a file may hold.
const SECTIONS: [&str; 13] = [
    "layouts",
    "layout_errors",
    "map_addresses",
    "map_writes",
    "methods",
    "attribute_ids",
    "sph_sets",
    "task_header",
    "instructions",
    "instruction_errors",
    "hazards",
    "meshes",
    "containers",
];

/// Runs a vector file.
///
/// # Errors
/// When the file is not a vector file of this kind, or a case is malformed.
pub fn run(file: &Value) -> Result<VectorReport, VectorError> {
    let root = Json::vector_file(file)?;
    let kind = root.field("kind")?;
    if kind.text()? != KIND {
        return Err(kind.wrong("\"isbe\""));
    }
    let mut report = VectorReport::new(KIND);
    for (name, section) in root.members()? {
        if !section.value().is_array() {
            continue;
        }
        for (number, case) in section.elements()?.into_iter().enumerate() {
            let label = match case.optional("id")? {
                Some(id) => format!("{name} {}", id.text()?),
                None => format!("{name} {number}"),
            };
            let mut comparison = Comparison::new(label);
            match name {
                "layouts" => layouts::layout(&case, &mut comparison)?,
                "layout_errors" => layouts::layout_error(&case, &mut comparison)?,
                "map_addresses" => layouts::map_address(&case, &mut comparison)?,
                "map_writes" => layouts::map_write(&case, &mut comparison)?,
                "methods" => headers::method(&case, &mut comparison)?,
                "attribute_ids" => headers::attribute_id(&case, &mut comparison)?,
                "sph_sets" => headers::attribute_masks(&case, &mut comparison)?,
                "task_header" => headers::task_header(&case, &mut comparison)?,
                "instructions" => instructions::instruction(&case, &mut comparison)?,
                "instruction_errors" => instructions::instruction_error(&case, &mut comparison)?,
                "hazards" => instructions::hazard_graph(&case, &mut comparison)?,
                "meshes" => meshes::mesh(&case, &mut comparison)?,
                "containers" => meshes::container(&case, &root, &mut comparison)?,
                _ => comparison.check("section", &"a known section", &"an unknown one"),
            }
            comparison.finish(&mut report);
        }
    }
    if !root.members()?.iter().any(|(name, _)| SECTIONS.contains(name)) {
        let expected = format!("one of the sections {}", SECTIONS.join(", "));
        let (name, got) = ("the file".to_owned(), "no known section".to_owned());
        report.failures.push(VectorFailure { name, expected, got });
    }
    Ok(report)
}

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
