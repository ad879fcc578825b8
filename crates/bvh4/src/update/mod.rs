//! Updates of images of 4-wide nodes: making them, and what must hold between an image before and
//! after.
//!
//! An update may change vertices and planes and nothing else: counts, formats, flags and what is
//! active are the same. Structures and nodes of one image are found in the other by their places.
//!
//! | file | concept |
//! |---|---|
//! | [`rule`] | the rules, for all formats that are updated |
//! | [`refit`](mod@refit) | an update, as drivers make it |
//! | [`scene`] | what an update takes from a scene, in any format |
//! | `kept` | bytes that an update keeps |
//! | `same` | nodes that it keeps |
//! | `fit` | boxes and bounds that it makes anew |

mod fit;
mod kept;
pub mod refit;
pub mod rule;
mod same;
pub mod scene;

pub use kept::Kept;
pub use refit::{RefitError, refit};
pub use rule::Rule;
pub use same::{gpurt_rule, radv_rule};

use crate::image::{Dialect, stats};
use crate::survey::{Memory, Space, Survey};
use machine::source::{self, Geometry};
use machine::statistics::BvhStatistics;
use machine::{AnyChecked, CheckReport, Checked, Finding, Findings, Image, Severity, TreeFormat};
use std::collections::BTreeSet;

/// An update.
#[derive(Debug, Clone, Copy)]
pub struct Update<'a> {
    /// The image before.
    pub before: &'a Image,
    /// The image after.
    pub after: &'a Image,
    /// The geometry that the update was given.
    pub scene: Option<&'a Geometry>,
    /// The image of before, read again when the update had been made into another one.
    pub old: Option<&'a Image>,
    /// What the same update made in another run.
    pub twice: Option<&'a Image>,
}

/// What an update of an image of 4-wide nodes got wrong; `survey` is what a check has learned.
/// Offsets count over the segments of the image after.
///
/// # Errors
/// The first error of the image before, if that is unsound.
pub fn check_update<F: TreeFormat, D: Dialect>(
    update: &Update<'_>,
    survey: impl Fn(&Checked<F>) -> &Survey<D>,
) -> Result<Vec<Finding>, Box<Finding>> {
    compare(
        update,
        &[crate::image::Rule::Contained.name()],
        |before: &Checked<F>, after, findings| {
            let pair = Pair { old: Memory::new(before.image()), new: Memory::new(update.after) };
            let moved = same::check(&pair, survey(before), findings);
            if let Some(after) = after {
                let [old, new] = [before, after].map(|checked| fit::Level {
                    image: checked.image(),
                    survey: survey(checked),
                    tree: checked.tree(),
                });
                fit::check(&pair, &old, &new, findings);
            }
            moved
        },
        &survey,
        |checked| stats::statistics(checked.image(), survey(checked)),
    )
}

/// What an update of an image of any format got wrong. `nodes` compares the nodes of the image
/// before with those of the one after, if that is sound, and says whether something moved;
/// `above_rules` are those of the check by which a TLAS does not hold what is below.
///
/// # Errors
/// The first error of the image before, if that is unsound.
pub fn compare<F: TreeFormat, S: Space>(
    update: &Update<'_>,
    above_rules: &[&str],
    nodes: impl FnOnce(&Checked<F>, Option<&Checked<F>>, &mut Findings<Rule>) -> bool,
    survey: impl Fn(&Checked<F>) -> &Survey<S>,
    statistics: impl Fn(&Checked<F>) -> Vec<BvhStatistics>,
) -> Result<Vec<Finding>, Box<Finding>> {
    let CheckReport { checked, findings: known, .. } = F::check(update.before.clone());
    let Some(before) = checked else {
        let error = known.into_iter().find(|f| f.severity == Severity::Error);
        return Err(Box::new(error.unwrap_or_else(Finding::unproved)));
    };
    let report = F::check(update.after.clone());
    let mut findings = Findings::default();
    let moved = nodes(&before, report.checked.as_ref(), &mut findings);
    if let Some(after) = &report.checked {
        sources(update, after, moved, &mut findings);
        let nodes = nodes_of_top(survey(after), update.after);
        let is_above = |found: &&Finding| {
            above_rules.contains(&found.rule)
                && nodes.contains(&found.offset)
                && is_new(found, &known)
        };
        above(report.findings.iter().filter(is_above), &mut findings);
        cost(&[&before, after].map(statistics), &mut findings);
    }
    copies(update, &mut findings);
    let mut all: Vec<Finding> = findings.into_sorted();
    all.extend(report.findings.into_iter().filter(|found| is_new(found, &known)));
    all.sort_by_key(Finding::report_order);
    Ok(all)
}

/// Whether the check of the image after finds something that counts against the update: an error,
/// or a warning that the image before does not have, or not so badly.
fn is_new(found: &Finding, known: &[Finding]) -> bool {
    let place = |it: &Finding| (it.rule, it.offset, it.bits.clone());
    match found.severity {
        Severity::Error => true,
        Severity::Warning => {
            let mut known = known.iter().filter(|it| place(it) == place(found));
            !known.any(|it| it.weight >= found.weight && it.count >= found.count)
        }
        Severity::Note => false,
    }
}

/// Whether boxes are asked to fit, each that did before the update: not in a structure of which
/// less than half did, where those that did may have done so by chance. Says what is not asked.
pub fn is_asked(
    unfit: usize,
    boxes: usize,
    base: u64,
    offsets: &Memory<'_>,
    findings: &mut Findings<Rule>,
) -> bool {
    let is_asked = 2 * unfit <= boxes;
    if unfit > 0 {
        let place = format!("the structure at address {base:#x}");
        let asked = if is_asked { "of these" } else { "of any" };
        let (before, rule) = (format!("{unfit} of {boxes} boxes"), Rule::Fit.name());
        let found =
            format!("margins or cuts before the update in {before}: {rule} is not asked {asked}");
        let expected = "the bounds of what is below";
        findings.add(Rule::Unasked, offsets.offset_of(base), 0..0, place, found, expected);
    }
    is_asked
}

/// Says that a rule is not asked of a structure.
pub fn not_asked(rule: Rule, base: u64, offsets: &Memory<'_>, findings: &mut Findings<Rule>) {
    let place = format!("the structure at address {base:#x}");
    let found = format!("margins or cuts before the update: {} is not asked", rule.name());
    let expected = "the bounds of what is below";
    findings.add(Rule::Unasked, offsets.offset_of(base), 0..0, place, found, expected);
}

/// The two images, and the way from one to the other.
#[derive(Debug)]
pub struct Pair<'a> {
    /// Before.
    pub old: Memory<'a>,
    /// After.
    pub new: Memory<'a>,
}

impl Pair<'_> {
    /// Where a byte of the image before lies in the one after: as far into the same segment.
    #[must_use]
    pub fn place(&self, address: u64) -> Option<u64> {
        let number = self.old.segment_of(address)?;
        let segment = self.new.segments().get(number)?;
        let place = segment.address + (address - self.old.segments()[number].address);
        segment.get(place, 1).map(|_| place)
    }

    /// The offset of a byte of the image before, in the one after.
    #[must_use]
    pub fn offset(&self, address: u64) -> u64 {
        self.place(address).map_or(0, |place| self.new.offset_of(place))
    }
}

/// The geometry that the update was given is there; without it, something moved.
fn sources(
    update: &Update<'_>,
    after: &dyn AnyChecked,
    moved: bool,
    findings: &mut Findings<Rule>,
) {
    match update.scene {
        Some(scene) => {
            for Finding { offset, bits, found, expected, place, .. } in
                source::differences(after, scene)
            {
                findings.add(Rule::Source, offset, bits, place, found, expected);
            }
        }
        None if !moved => {
            findings.add(Rule::Source, 0, 0..0, "image", "no vertex that moved", "one at least");
        }
        None => (),
    }
}

/// Where the nodes of the TLAS lie, if there is one.
fn nodes_of_top<S: Space>(survey: &Survey<S>, image: &Image) -> BTreeSet<u64> {
    let memory = Memory::new(image);
    let tops = survey.structures.iter().filter(|it| !it.instances.is_empty());
    let addresses = tops.flat_map(|top| top.pointers().map(|it| top.structure.address_of(it)));
    addresses.map(|address| memory.offset_of(address)).collect()
}

/// What the check says of a TLAS over structures that have changed.
fn above<'f>(found: impl Iterator<Item = &'f Finding>, findings: &mut Findings<Rule>) {
    for Finding { offset, bits, found, expected, place, .. } in found {
        let [place, found, expected] = [place, found, expected].map(Clone::clone);
        findings.add(Rule::Above, *offset, bits.clone(), place, found, expected);
    }
}

/// What the update did to the cost, structure by structure.
fn cost([before, after]: &[Vec<BvhStatistics>; 2], findings: &mut Findings<Rule>) {
    for (number, (old, new)) in before.iter().zip(after).enumerate() {
        let [old, new] = [old, new].map(|one| one.figure("sah").unwrap_or(0) as f64 / 1e6);
        if old > 0.0 {
            let found = format!("SAH {new:.3}, {:.3} times that of before", new / old);
            let place = format!("structure {number}");
            findings.add(Rule::Cost, 0, 0..0, place, found, format!("{old:.3}"));
        }
    }
}

/// The image of before is not written, and the same update gives the same bytes.
fn copies(update: &Update<'_>, findings: &mut Findings<Rule>) {
    let copies = [
        (Rule::Old, update.before, update.old, "before"),
        (Rule::Twice, update.after, update.twice, "after"),
    ];
    for (rule, first, other, name) in copies {
        if let Some(other) = other {
            copy(rule, first, other, name, findings);
        }
    }
}

/// Two copies of one image are equal.
fn copy(rule: Rule, first: &Image, other: &Image, name: &str, findings: &mut Findings<Rule>) {
    let mut offset = 0;
    for (number, segment) in first.segments.iter().enumerate() {
        let bytes = segment.bytes();
        let others = other.segments.get(number).map_or(&[][..], |segment| segment.bytes());
        let differs = bytes.iter().zip(others).position(|(a, b)| a != b);
        let differs = differs.or((bytes.len() != others.len()).then_some(bytes.len()));
        if let Some(at) = differs {
            let count = bytes.iter().zip(others).filter(|(a, b)| a != b).count();
            let place = format!("the image {name}, segment {number}");
            let found = format!("{count} bytes that differ, the first {at:#x} into the segment");
            findings.add(rule, offset + at as u64, 0..8, place, found, "the same bytes");
        }
        offset += bytes.len() as u64;
    }
}
