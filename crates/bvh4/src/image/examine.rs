//! Proving an untrusted image (G-37).
//!
//! A survey finds the errors: what breaks the structure. What is left is odd or lossy: boxes that
//! do not contain what is below them, a parent table that disagrees, fields that say what is not
//! so.

use super::contents::check_contents;
use super::dialect::Dialect;
use super::surveyor::collect;
use super::{Findings, Rule};
use crate::layout::base_pointer::ADDRESS_MASK;
use crate::survey::{Memory, Survey};
use machine::{Finding, Image, ProvedFacts, Severity};

/// What a check learned.
#[derive(Debug)]
pub struct Examined<D: Dialect> {
    /// Every node that can be reached.
    pub survey: Survey<D>,
    /// What is wrong, in the order of reports.
    pub findings: Vec<Finding>,
    /// What was proved.
    pub facts: ProvedFacts,
    /// How many nodes there are.
    pub nodes: usize,
}

impl<D: Dialect> Examined<D> {
    /// Whether the image is safe to walk.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity != Severity::Error)
    }
}

/// Looks at everything in an image. Offsets count over the segments in their order.
#[must_use]
pub fn examine<D: Dialect>(image: &Image) -> Examined<D> {
    let memory = Memory::new(image);
    let mut findings = Findings::default();
    check_segments(image, &memory, &mut findings);
    D::check_image(image, &memory, &mut findings);
    let survey: Survey<D> = collect(image, &memory, &mut findings);
    let mut below = Vec::with_capacity(survey.structures.len());
    // The TLAS last: it is compared with what the others hold.
    for surveyed in survey.structures[1..].iter().chain([&survey.structures[0]]) {
        // What is wrong with a part has been said of the whole.
        let mut of_part = Findings::default();
        let findings = if surveyed.is_part { &mut of_part } else { &mut findings };
        let held = check_contents(&memory, surveyed, &below, findings);
        below.push(held);
    }
    let wholes = survey.structures.iter().filter(|surveyed| !surveyed.is_part);
    let nodes = wholes.map(|surveyed| surveyed.pointers().count()).sum();
    let facts = ProvedFacts {
        lossless: findings.holds(Rule::Contained) && findings.holds(Rule::ContainedUlp),
        parents: findings.holds(Rule::Parent)
            && survey.structures.iter().all(|it| it.structure.keeps_parents()),
        finite: findings.holds(Rule::PlaneFinite)
            && findings.holds(Rule::VertexFinite)
            && findings.holds(Rule::ProceduralBox),
    };
    Examined { survey, findings: findings.into_sorted(), facts, nodes }
}

fn check_segments(image: &Image, memory: &Memory<'_>, findings: &mut Findings) {
    let mut end_of_last = 0;
    for &number in memory.by_address() {
        let segment = &image.segments[number as usize];
        let start = segment.address;
        let end = start.saturating_add(segment.bytes().len() as u64);
        if start < end_of_last || end > ADDRESS_MASK + 1 || !start.is_multiple_of(64) {
            findings.add_at(Rule::Segment, memory, start, 0..0, || {
                let expected = format!("a multiple of 64 from {end_of_last:#x} on, up to 2^48");
                [format!("bytes {start:#x}..{end:#x}"), expected, format!("segment {number}")]
            });
        }
        end_of_last = end_of_last.max(end);
    }
}

/// What is wrong with the bases of an image: they are multiples of 64 below 2^48, and equal.
pub fn check_bases(image: &Image, memory: &Memory<'_>, bases: &[u64], findings: &mut Findings) {
    let is_base = |base: &u64| base.is_multiple_of(64) && *base <= ADDRESS_MASK;
    let all_equal = bases.windows(2).all(|pair| pair[0] == pair[1]);
    if !bases.first().is_some_and(is_base) || !all_equal {
        let address = image.segments.first().map_or(0, |segment| segment.address);
        findings.add_at(Rule::Base, memory, address, 0..0, || {
            let bases: Vec<String> = bases.iter().map(|b| format!("{b:#x}")).collect();
            let found = bases.join(", ");
            [found, "equal multiples of 64 below 2^48".into(), "bases".into()]
        });
    }
}
