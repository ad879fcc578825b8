//! What must hold between an image before and after an update (a refit).
//!
//! An update may change vertices and planes and nothing else: counts, formats, flags and what is
//! active are the same. Both images are read as they are; structures and nodes of one are found in
//! the other by their places. The rules are those of all formats ([`bvh4::update::rule`]).
//!
//! | file | concept |
//! |---|---|
//! | `same` | nodes and bytes that an update keeps |
//! | `fit` | boxes and bounds that it makes anew |

mod fit;
mod same;

pub use bvh4::update::{Rule, Update};

use crate::Gfx12;
use crate::format::memory;
use crate::stats;
use crate::survey::Memory;
use bvh4::update::{Pair, compare};
use machine::{Checked, Finding};

/// What an update got wrong. Offsets count over the segments of the image after.
///
/// # Errors
/// The first error of the image before, if that is unsound.
pub fn check_update(update: &Update<'_>) -> Result<Vec<Finding>, Box<Finding>> {
    let above_rules =
        [crate::check::Rule::InstanceBox.name(), crate::check::Rule::Contained.name()];
    let nodes = |before: &Checked<Gfx12>, after: Option<&Checked<Gfx12>>, findings: &mut _| {
        let pair = Pair { old: memory(before), new: Memory::new(update.after) };
        let moved = same::check(&pair, before, findings);
        if let Some(after) = after {
            fit::check(before, after, findings);
        }
        moved
    };
    compare(update, &above_rules, nodes, |checked| checked.proof().survey(), stats::statistics)
}
