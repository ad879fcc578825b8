//! Whether a dump of sound structure is also a scene: what reading it as one refuses, as findings.

use super::explain::record_offset;
use super::rule::{Findings, Rule};
use super::{Dump, HEADER_BYTES, padded};
use crate::Limits;
use crate::mesh::capture_notes::HEADER_WORDS;
use crate::mesh::import::{ImportError, ImportOptions, import};
use crate::mesh::restore::RestoreError;
use std::ops::Range;

/// Finds what keeps a dump from being a scene.
pub(super) fn check_scene(dump: &Dump, limits: Limits, findings: &mut Findings) {
    let mut notes = |workgroup, found: String, expected: String, place: String| {
        let at = notes_offset(dump, limits, workgroup);
        findings.add(Rule::Notes, at, WHOLE_HEADER, place, found, expected);
    };
    let of = |workgroup: usize| format!("workgroup {workgroup}, notes of the capture");
    match import(dump, &ImportOptions { limits, ..ImportOptions::default() }) {
        Ok(imported) if imported.scene.placed_triangle_count() > 0 => {}
        Ok(imported) => {
            let found = match imported.report.points_and_lines {
                0 => "no triangle that can be seen".to_owned(),
                count => format!("no triangle, but {count} points or lines"),
            };
            let (offset, bits) = (record_offset(dump, 0) as u64, 0..8 * dump.record_bytes() as u32);
            let expected = "a triangle at least";
            findings.add(Rule::NoTriangles, offset, bits, "all workgroups", found, expected);
        }
        Err(ImportError::NoPosition(id)) => {
            let (offset, bit) = (HEADER_BYTES as u64, id.omap_bit() as u32);
            let (place, found) = ("mesh header, omap", format!("no vertex output {id}"));
            let expected = "POSITION, or positions in an attribute that the reader is told";
            findings.add(Rule::NoPosition, offset, bit..bit + 1, place, found, expected);
        }
        Err(ImportError::Scene { found, expected }) => {
            notes(0, found, expected, "notes of the capture, all workgroups".to_owned());
        }
        Err(ImportError::Restore(refused)) => match refused {
            RestoreError::Notes { workgroup, error } => {
                let place = format!("{}, word {}", of(workgroup), error.word);
                let at = notes_offset(dump, limits, workgroup) + 4 * error.word as u64;
                findings.add(Rule::Notes, at, 0..32, place, error.found, error.expected);
            }
            RestoreError::Disagreement { workgroup, found, expected } => {
                notes(workgroup, found, expected, of(workgroup));
            }
            RestoreError::Incomplete { workgroup, object, geometry, found, expected } => {
                let place = format!("{}, object {object}, geometry {geometry}", of(workgroup));
                notes(workgroup, found, expected, place);
            }
            RestoreError::State(_) => {}
        },
        // A state without memory is no sound structure, and other stages make no scene.
        Err(ImportError::State(_) | ImportError::Stage(_)) => {}
    }
}

/// The bits of the words before the body of notes.
const WHOLE_HEADER: Range<u32> = 0..32 * HEADER_WORDS as u32;

/// Where the shared memory of a workgroup, and so its notes, begins in the file.
fn notes_offset(dump: &Dump, limits: Limits, workgroup: usize) -> u64 {
    let map =
        dump.workgroups.get(workgroup).map_or(0, |workgroup| padded(workgroup.output.map.len()));
    let attributes = dump.state.layout(limits).map_or(0, |layout| layout.shared_base() as usize);
    (record_offset(dump, workgroup) + dump.record_bytes() + map + attributes) as u64
}
