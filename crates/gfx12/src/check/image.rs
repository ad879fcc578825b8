//! Rules of the image as a whole: segments and bases.

use super::{Findings, Place, Rule};
use crate::layout::base_pointer::ADDRESS_MASK;
use crate::survey::{Memory, Structure};
use bvh4::writer::Writer;
use machine::Image;

/// Segments that lie apart, and bases that pointers can count from.
pub(super) fn check(image: &Image, memory: &Memory<'_>, findings: &mut Findings) {
    let mut end_of_last = 0;
    for &number in memory.by_address() {
        let segment = &image.segments[number as usize];
        let (start, len) = (segment.address, segment.bytes().len() as u64);
        let end = start.saturating_add(len);
        let name = || format!("segment {number}");
        let place = Place { memory, address: start, name: &name };
        if start < end_of_last || end > ADDRESS_MASK + 1 || !start.is_multiple_of(64) {
            findings.add(Rule::Segment, &place, 0..0, || {
                let found = format!("bytes {start:#x}..{end:#x}");
                let low = end_of_last;
                (found, format!("a multiple of 64 from {low:#x} on, ending at 2^48 at most"))
            });
        }
        end_of_last = end_of_last.max(end);
    }
    let is_base = |base: &u64| base.is_multiple_of(64) && *base <= ADDRESS_MASK;
    let bases = &image.bases[..image.bases.len().min(2)];
    let is_counted = (2..=3).contains(&image.bases.len());
    if !is_counted || !bases.iter().all(is_base) {
        let name = || "bases".to_owned();
        let address = memory.segments().first().map_or(0, |segment| segment.address);
        findings.add(Rule::Base, &Place { memory, address, name: &name }, 0..0, || {
            let bases: Vec<String> = image.bases.iter().map(|b| format!("{b:#x}")).collect();
            (
                bases.join(", "),
                "two multiples of 64 below 2^48, and a writer's number at most".into(),
            )
        });
    }
    check_writer(image, memory, findings);
}

/// What stands before the nodes is not another's than the writer's that the image names.
fn check_writer(image: &Image, memory: &Memory<'_>, findings: &mut Findings) {
    let Some(&code) = image.bases.get(2) else { return };
    let root = Structure::of_root(image, memory);
    let (named, found) = (Writer::of_code(code), root.writer());
    if named.is_none() || named != found {
        let name = || "writer".to_owned();
        let place = Place { memory, address: root.box_base, name: &name };
        findings.add(Rule::Writer, &place, 0..0, || {
            let text = |it: Option<Writer>| it.map_or("nobody", Writer::name);
            let found = format!("what {} puts before nodes", text(found));
            (found, format!("that of {}, or nothing", text(named)))
        });
    }
}
