//! Vector files: machine-readable cases with the answers that hardware, or exact arithmetic, gave.
//!
//! A file is JSON with `"schema": "siliray-vectors/1"` and a `kind`. The crate that owns a kind
//! says how one case of each section is run ([`Kind`]); [`run`] walks the file and counts. A file
//! may hold only some of its kind's sections, but not none of them, and no list that its kind does
//! not know, so that a case is never skipped in silence. A malformed file is an error that names
//! the place in the JSON.
//!
//! ```
//! use serde_json::json;
//! use vectors::{Kind, Section, no_attachments, run};
//! const SUMS: Kind = Kind {
//!     name: "sums",
//!     sections: &[Section::list("cases", |case, comparison| {
//!         let [a, b] = case.field("terms")?.integers::<u32, 2>()?;
//!         comparison.check("sum", &case.field("sum")?.integer()?, &(a + b));
//!         Ok(())
//!     })],
//! };
//! let cases = json!([{"terms": [1, "0x2"], "sum": 3}, {"id": "odd", "terms": [1, 2], "sum": 4}]);
//! let file = json!({"schema": "siliray-vectors/1", "kind": "sums", "cases": cases});
//! let report = run(&file, &[SUMS], &no_attachments).unwrap();
//! assert_eq!((report.passed, report.failures[0].name.as_str()), (1, "cases odd"));
//! ```
//!
//! | file | concept |
//! |---|---|
//! | `attachment` | the file that a file names: its size and digest |
//! | [`fields`] | numbers of a case against those of the code |
//! | `json` | a JSON value that knows its place |
//! | `report` | what came of a file, and of one case |
//! | `runner` | kinds, sections, and the walk over a file |

mod attachment;
pub mod fields;
mod json;
mod report;
mod runner;

pub use json::{Json, VectorError};
pub use report::{Comparison, VectorFailure, VectorReport};
pub use runner::{Case, Kind, RunCase, Section, no_attachments, run};

/// The only schema that is understood.
pub const SCHEMA: &str = "siliray-vectors/1";
