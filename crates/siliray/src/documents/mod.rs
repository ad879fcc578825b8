//! What `--json` prints, and what other front ends hand on: one shape for each thing, whoever asks.
//! `docs/json.md` explains the keys.
//!
//! | file | concept |
//! |---|---|
//! | [`build`] | trees, and the image of a tree |
//! | [`inspect`] | totals of an image, its tree, ways to something |
//! | [`structure`] | one structure of an image, a line of its outline, the structures of a file |
//! | [`diff`] | how two images differ |
//! | [`vectors`] | cases with known answers |
//! | [`findings`] | what a check found |
//! | [`walk`] | steps of a walk, its answer, and what became of a primitive |
//! | [`render`] | pictures in figures |
//! | [`clearance`] | a part in motion |
//! | [`heat`] | the scale of a heat map, and lost pixels |
//! | [`compare`] | formats side by side |
//! | [`sim`] | runs of the traversal unit |
//! | [`conformance`] | the law, on worlds of its own and on images |
//! | [`mod@isbe`] | dumps, layouts, programs |
//! | [`units`] | configurations of the traversal unit, and what its words mean |

pub mod build;
pub mod clearance;
pub mod compare;
pub mod conformance;
pub mod diff;
pub mod findings;
pub mod heat;
pub mod inspect;
pub mod isbe;
pub mod render;
pub mod sim;
pub mod structure;
pub mod units;
pub mod vectors;
pub mod walk;

/// A pointer or an address as text.
fn hex(value: u64) -> String {
    format!("{value:#x}")
}
