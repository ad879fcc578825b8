//! Whether a dump of sound structure is also a scene: what reading it as one refuses, as findings.

use super::check::{error, warning};
use super::explain::record_offset;
use super::{Dump, HEADER_BYTES, RECORD_BYTES, padded};
use crate::mesh::capture_notes::HEADER_WORDS;
use crate::mesh::import::{ImportError, ImportOptions, import};
use crate::mesh::restore::RestoreError;
use crate::{AttributeId, Limits};
use machine::Finding;
use std::ops::Range;

/// What keeps a dump from being a scene.
pub(super) fn scene_finding(dump: &Dump, limits: Limits) -> Option<Finding> {
    match import(dump, &ImportOptions { limits, ..ImportOptions::default() }) {
        Ok(imported) if imported.scene.placed_triangle_count() > 0 => None,
        Ok(imported) => Some(no_triangles(dump, imported.report.points_and_lines)),
        Err(ImportError::NoPosition(id)) => Some(no_position(id)),
        Err(ImportError::Restore(refused)) => disagreeing_notes(dump, limits, refused),
        Err(ImportError::Scene { found, expected }) => {
            let place = "notes of the capture, all workgroups";
            let at = notes_offset(dump, limits, 0);
            Some(error("notes", at, WHOLE_HEADER, found, expected, place))
        }
        // A state without memory is no sound structure.
        Err(ImportError::State(_)) => None,
    }
}

/// The bits of the words before the body of notes.
const WHOLE_HEADER: Range<u32> = 0..32 * HEADER_WORDS as u32;

fn no_triangles(dump: &Dump, points_and_lines: usize) -> Finding {
    let found = match points_and_lines {
        0 => "no triangle that can be seen".to_owned(),
        count => format!("no triangle, but {count} points or lines"),
    };
    let (offset, bits) = (record_offset(dump, 0), 0..8 * RECORD_BYTES as u32);
    warning("no_triangles", offset, bits, found, "a triangle at least", "all workgroups")
}

fn no_position(id: AttributeId) -> Finding {
    let bit = id.omap_bit() as u32;
    let found = format!("no vertex output {id}");
    let expected = "POSITION, or positions in an attribute that the reader is told";
    warning("no_position", HEADER_BYTES, bit..bit + 1, found, expected, "mesh header, omap")
}

fn disagreeing_notes(dump: &Dump, limits: Limits, refused: RestoreError) -> Option<Finding> {
    let notes = |workgroup, found: String, expected: String, part: &str| {
        let place = format!("workgroup {workgroup}, notes of the capture{part}");
        let at = notes_offset(dump, limits, workgroup);
        error("notes", at, WHOLE_HEADER, found, expected, place)
    };
    match refused {
        RestoreError::State(_) => None,
        RestoreError::Notes { workgroup, error: notes } => {
            let place = format!("workgroup {workgroup}, notes of the capture, word {}", notes.word);
            let at = notes_offset(dump, limits, workgroup) + 4 * notes.word;
            Some(error("notes", at, 0..32, notes.found, notes.expected, place))
        }
        RestoreError::Disagreement { workgroup, found, expected } => {
            Some(notes(workgroup, found, expected, ""))
        }
        RestoreError::Incomplete { workgroup, object, geometry, found, expected } => {
            let part = format!(", object {object}, geometry {geometry}");
            Some(notes(workgroup, found, expected, &part))
        }
    }
}

/// Where the shared memory of a workgroup, and so its notes, begins in the file.
fn notes_offset(dump: &Dump, limits: Limits, workgroup: usize) -> usize {
    let map = dump.workgroups.get(workgroup).map_or(0, |workgroup| padded(workgroup.map.len()));
    let attributes = dump.state.layout(limits).map_or(0, |layout| layout.shared_base() as usize);
    record_offset(dump, workgroup) + RECORD_BYTES + map + attributes
}
