//! Running vector files: machine-readable cases with the answers that hardware, or exact arithmetic, gave.
//!
//! A file is JSON with `"schema": "siliray-vectors/1"` and a `kind`:
//!
//! | kind | file | what is run |
//! |---|---|---|
//! | `gfx12-bvh8` | [`intersect`] | one `image_bvh8_intersect_ray` a case |
//! | `gfx12-dual` | [`intersect`] | one `image_bvh_dual_intersect_ray` a case |
//! | `gfx12-obb` | [`obb`] | one rotation a case |
//! | `gfx12-dump` | [`dump`] | a real image, decoded node by node |
//!
//! A file may hold only some of its kind's sections, but not none of them, and none that its kind does not
//! know; `null` in place of a value means "not tested".
//! Numbers are hex strings (`"0x3f800000"`), decimal strings or JSON integers; floats are bit patterns.
//! A malformed file is an error that names the place in the JSON.

pub mod dump;
mod fields;
pub mod intersect;
pub mod obb;
pub mod place;
mod sections;

pub use place::VectorError;

use place::Place;
use serde_json::Value;

/// The value of `schema` that this module reads.
pub const SCHEMA: &str = "siliray-vectors/1";

/// The kinds that this module runs.
pub const KINDS: [&str; 4] = ["gfx12-bvh8", "gfx12-dual", "gfx12-obb", "gfx12-dump"];

/// What became of a file's cases.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct VectorReport {
    /// Cases that gave the expected answer.
    pub passed: usize,
    /// The others.
    pub failures: Vec<VectorFailure>,
}

/// A case that gave another answer.
#[derive(Clone, PartialEq, Debug)]
pub struct VectorFailure {
    /// Which case.
    pub name: String,
    /// What the file says.
    pub expected: Value,
    /// What came out.
    pub got: Value,
}

impl VectorReport {
    /// Notes a case.
    fn record(&mut self, name: String, expected: Value, got: Value) {
        if expected == got {
            self.passed += 1;
        } else {
            self.failures.push(VectorFailure { name, expected, got });
        }
    }
}

/// Runs a parsed file. `attachment` fetches a file that it names, relative to itself.
///
/// # Errors
/// When the file is malformed, has another schema, or is of a kind that is not in [`KINDS`].
pub fn run(
    file: &Value,
    attachment: impl FnOnce(&str) -> std::io::Result<Vec<u8>>,
) -> Result<VectorReport, VectorError> {
    let root = Place::root(file);
    let schema = root.field("schema")?;
    if schema.text()? != SCHEMA {
        return Err(schema.unexpected(SCHEMA));
    }
    let kind = root.field("kind")?;
    let (sections, mut report) = match kind.text()? {
        "gfx12-bvh8" => (intersect::SECTIONS, intersect::run_bvh8(&root)?),
        "gfx12-dual" => (intersect::SECTIONS, intersect::run_dual(&root)?),
        "gfx12-obb" => (obb::SECTIONS, obb::run(&root)?),
        "gfx12-dump" => (dump::SECTIONS, dump::run(&root, attachment)?),
        _ => return Err(kind.unexpected(format!("one of {}", KINDS.join(", ")))),
    };
    sections::check(&root, sections, &mut report);
    Ok(report)
}

/// A word as vector files spell it.
fn hex(word: u32) -> Value {
    Value::String(format!("{word:#010x}"))
}
