//! Runs vector files of kind `beam`.
//!
//! Every part of a case is compared bit for bit: the computed bounds and verdicts of each form, the verdict
//! and the first contact by rational arithmetic, the rule that an invalid beam breaks. A section that is
//! unknown counts as a failure, so that a case is never skipped in silence.
//!
//! | file | sections |
//! |---|---|
//! | `encounters` | `cases`, `special`, `extension_shrinking`, `snap_cases` |
//! | `constructions` | `construct`, `snap`, `invalid` |
//! | `values` | floats, boxes, beams and fractions in a file |

mod constructions;
mod encounters;
mod values;

use machine::vectors::{Comparison, Json};
use machine::{VectorError, VectorFailure, VectorReport};
use serde_json::Value;

/// The kind of file that is run here.
pub const KIND: &str = "beam";

/// What a file may hold.
const SECTIONS: [&str; 7] =
    ["cases", "special", "extension_shrinking", "snap", "snap_cases", "invalid", "construct"];

/// Runs a vector file.
///
/// # Errors
/// When the file is not a vector file of this kind, or a case is malformed.
pub fn run(file: &Value) -> Result<VectorReport, VectorError> {
    let root = Json::vector_file(file)?;
    let kind = root.field("kind")?;
    if kind.text()? != KIND {
        return Err(kind.wrong("\"beam\""));
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
                "cases" | "special" => encounters::strict(&case, &mut comparison)?,
                "extension_shrinking" => encounters::shrinking(&case, &mut comparison)?,
                "snap_cases" => encounters::snapped(&case, &mut comparison)?,
                "snap" => constructions::snap(&case, &mut comparison)?,
                "invalid" => constructions::invalid(&case, &mut comparison)?,
                "construct" => constructions::construct(&case, &mut comparison)?,
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
