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
use bvh4::update::{copies, cost, sources};
use machine::{Checked, Finding, Findings, Image, Severity};

/// What an update got wrong. Offsets count over the segments of the image after.
///
/// # Errors
/// The first error of the image before, if that is unsound.
pub fn check_update(update: &Update<'_>) -> Result<Vec<Finding>, Box<Finding>> {
    let before = crate::check::check(update.before.clone());
    let Some(before) = before.checked else {
        let error = before.findings.into_iter().find(|f| f.severity == Severity::Error);
        return Err(Box::new(error.unwrap_or_else(Finding::unproved)));
    };
    let report = crate::check::check(update.after.clone());
    let mut findings = Findings::default();
    let pair = Pair::new(&before, update.after);
    let moved = same::check(&pair, &mut findings);
    if let Some(after) = &report.checked {
        fit::check(&before, after, &mut findings);
        sources(update, after, moved, &mut findings);
        above(&report.findings, update.after, &mut findings);
        cost(&[&before, after].map(stats::statistics), &mut findings);
    }
    copies(update, &mut findings);
    let errors = report.findings.into_iter().filter(|f| f.severity == Severity::Error);
    let mut all: Vec<Finding> = findings.into_sorted();
    all.extend(errors);
    all.sort_by_key(Finding::report_order);
    Ok(all)
}

/// The two images, and the way from one to the other.
struct Pair<'a> {
    before: &'a Checked<Gfx12>,
    old: Memory<'a>,
    new: Memory<'a>,
}

impl<'a> Pair<'a> {
    fn new(before: &'a Checked<Gfx12>, after: &'a Image) -> Self {
        Self { before, old: memory(before), new: Memory::new(after) }
    }

    /// Where a byte of the image before lies in the one after: as far into the same segment.
    fn place(&self, address: u64) -> Option<u64> {
        let number = self.old.segment_of(address)?;
        let segment = self.new.segments().get(number)?;
        let place = segment.address + (address - self.old.segments()[number].address);
        segment.get(place, 1).map(|_| place)
    }

    /// The offset of a byte of the image before, in the one after.
    fn offset(&self, address: u64) -> u64 {
        self.place(address).map_or(0, |place| self.new.offset_of(place))
    }
}

/// What the check says of a TLAS over structures that have changed.
fn above(found: &[Finding], after: &Image, findings: &mut Findings<Rule>) {
    let top = after.segments.first().map_or(0, |segment| segment.bytes().len() as u64);
    let is_above = |finding: &&Finding| {
        let is_box = finding.rule == crate::check::Rule::InstanceBox.name()
            || finding.rule == crate::check::Rule::Contained.name();
        is_box && finding.offset < top && after.segments.len() > 1
    };
    for Finding { offset, bits, found, expected, place, .. } in found.iter().filter(is_above) {
        let [place, found, expected] = [place, found, expected].map(Clone::clone);
        findings.add(Rule::Above, *offset, bits.clone(), place, found, expected);
    }
}
