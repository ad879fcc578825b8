//! Running vector files of kind `xphmg-rt`.
//!
//! | section | what is run | file |
//! |---|---|---|
//! | `encodings`, `illegal`, `legal_edge` | text to word and back; words that trap | `words` |
//! | `csrs`, `prec_sequences` | registers | `registers` |
//! | `layouts`, `svmem`, `rings` | structures and addresses | `structures` |
//! | `convert` | narrowing | `convert` |
//! | `bbox`, `tri` | one scalar instruction each | `scalar` |
//! | `rsv` | one vectorised instruction each | `lanes` |
//! | `jobs` | offload jobs | `jobs` |
//!
//! Cases assume every switch at its default. A file may hold some of these sections, but not none of them.

mod convert;
mod fields;
mod jobs;
mod lanes;
mod registers;
mod scalar;
mod sparse_hart;
mod structures;
mod words;

use machine::vectors::Json;
use machine::{VectorError, VectorFailure, VectorReport};
use serde_json::Value;

/// The kind that this module runs.
pub const KIND: &str = "xphmg-rt";

type Section = (&'static str, fn(&Json<'_>, &mut VectorReport) -> Result<(), VectorError>);

const SECTIONS: [Section; 13] = [
    ("encodings", words::encodings),
    ("illegal", words::illegal),
    ("legal_edge", words::legal_edge),
    ("csrs", registers::csrs),
    ("prec_sequences", registers::sequences),
    ("layouts", structures::layouts),
    ("svmem", structures::svmem),
    ("rings", structures::rings),
    ("convert", convert::run),
    ("bbox", scalar::bbox),
    ("tri", scalar::tri),
    ("rsv", lanes::run),
    ("jobs", jobs::run),
];

/// Runs a parsed file.
///
/// # Errors
/// When the file is malformed, has another schema, or is of another kind.
pub fn run(file: &Value) -> Result<VectorReport, VectorError> {
    let root = Json::vector_file(file)?;
    let kind = root.field("kind")?;
    if kind.text()? != KIND {
        return Err(kind.wrong(&format!("{KIND:?}")));
    }
    let mut report = VectorReport::new(KIND);
    let mut known = 0;
    for (name, run_section) in SECTIONS {
        if let Some(section) = root.optional(name)? {
            known += 1;
            run_section(&section, &mut report)?;
        }
    }
    let names = SECTIONS.map(|(name, _)| name);
    let mut fail = |name: &str, got: &str| {
        report.failures.push(VectorFailure {
            name: name.to_owned(),
            expected: format!("one of the sections {}", names.join(", ")),
            got: got.to_owned(),
        });
    };
    if known == 0 {
        fail("file", "no known section");
    }
    // Cases come in lists; anything else says something about the file.
    for (name, member) in root.members()? {
        if member.value().is_array() && !names.contains(&name) {
            fail(name, "an unknown section");
        }
    }
    Ok(report)
}
