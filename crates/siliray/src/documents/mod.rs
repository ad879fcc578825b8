//! What `--json` prints, and what other front ends hand on: one shape for each thing, whoever asks.
//! `docs/json.md` explains the keys.
//!
//! | file | concept |
//! |---|---|
//! | [`structure`] | one structure of an image, a line of its outline, the structures of a file |
//! | [`findings`] | what a check found |
//! | [`walk`] | steps of a walk, its answer, and what became of a primitive |
//! | [`heat`] | the scale of a heat map, and lost pixels |
//! | [`units`] | configurations of the traversal unit, and what its words mean |

pub mod findings;
pub mod heat;
pub mod structure;
pub mod units;
pub mod walk;

/// A pointer or an address as text.
fn hex(value: u64) -> String {
    format!("{value:#x}")
}
