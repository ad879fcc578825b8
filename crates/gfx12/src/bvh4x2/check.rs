//! Proving an untrusted image (G-37).
//!
//! A survey finds the errors: what breaks the structure. What is left is odd or lossy: boxes that
//! do not contain what is below them, a parent table that disagrees, fields that say what is not
//! so.

use super::Findings;
use super::NAME;
use super::contents::check_contents;
use super::format::{Gfx12Bvh4x2, Proof};
use super::rule::Rule;
use super::survey;
use crate::layout::Resource;
use crate::layout::base_pointer::ADDRESS_MASK;
use crate::survey::Memory;
use machine::{CheckReport, Checked, Finding, Image, ProvedFacts, Severity};

/// Proves an image, or says what is wrong with it. Offsets count over the segments in their order.
#[must_use]
pub fn check(image: Image) -> CheckReport<Gfx12Bvh4x2> {
    let memory = Memory::new(&image);
    let mut findings = Findings::default();
    check_segments(&image, &memory, &mut findings);
    check_bases(&image, &memory, &mut findings);
    let survey = survey::collect(&image, &memory, &mut findings);
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
        lossless: findings.holds(Rule::Contained),
        parents: findings.holds(Rule::Parent),
        finite: findings.holds(Rule::PlaneFinite)
            && findings.holds(Rule::VertexFinite)
            && findings.holds(Rule::ProceduralBox),
    };
    let findings = findings.into_sorted();
    let sound = findings.iter().all(|finding| finding.severity != Severity::Error);
    let checked = sound.then(|| Checked::new(image, facts, Proof { survey }));
    CheckReport { checked, findings, nodes }
}

/// What is wrong with a T# that is to be used on an image of this format (G-20).
#[must_use]
pub fn check_resource(resource: &Resource) -> Option<Finding> {
    resource.compressed_format.then(|| Finding {
        severity: Rule::Resource.severity(),
        rule: Rule::Resource.name(),
        offset: 0,
        bits: Resource::compressed_format.bits().start
            ..Resource::compressed_format.bits().end + u32::from(resource.box_node_64b),
        found: if resource.box_node_64b {
            "bits 115 and 116 set, which exclude each other".into()
        } else {
            "bit 115 set".into()
        },
        expected: format!("bit 115 clear for format {NAME}"),
        place: "T#".into(),
        count: 1,
        weight: 0,
    })
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

fn check_bases(image: &Image, memory: &Memory<'_>, findings: &mut Findings) {
    let is_base = |base: &u64| base.is_multiple_of(64) && *base <= ADDRESS_MASK;
    let all_equal = image.bases.windows(2).all(|pair| pair[0] == pair[1]);
    if !image.bases.first().is_some_and(is_base) || !all_equal {
        let address = image.segments.first().map_or(0, |segment| segment.address);
        findings.add_at(Rule::Base, memory, address, 0..0, || {
            let bases: Vec<String> = image.bases.iter().map(|b| format!("{b:#x}")).collect();
            let found = bases.join(", ");
            [found, "equal multiples of 64 below 2^48".into(), "bases".into()]
        });
    }
}
