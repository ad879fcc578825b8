//! Bytes as a dump, with findings about the rules of [`rule`](super::rule).
//!
//! Padding lanes of ATTR are ignored, never checked.

use super::rule::{Findings, Rule};
use super::scene_check::check_scene;
use super::{
    Dump, FLAG_ALL_REGIONS, FLAG_GEOMETRY, FLAG_INPUT_ATTR, FLAG_REVERSED_MAP, FLAG_SKEW_LOGICAL,
    HEADER_BYTES, MAGIC, NO_TASK, REGIONS, SPH_BYTES, VERSION, Workgroup, padded,
};
use crate::limits::MAX_OUTPUT_BYTES;
use crate::memory::MapOrder;
use crate::methods::{MeshInitShader, MeshShaderA, MeshShaderB, Unit};
use crate::topology::topology_code_name;
use crate::unit_state::UnitState;
use crate::workgroup_view::{Reader, WorkgroupView};
use crate::{LayoutError, Limits, Sph, SphError, SphVersion, Stage, StateError};
use machine::{Finding, Severity};
use std::ops::Range;

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DumpReport {
    /// The dump as far as it could be read; `None` if not even its header could.
    pub dump: Option<Dump>,
    /// Everything that was found, by workgroup.
    pub findings: Vec<Finding>,
}

/// A file that is no sound dump.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{first}{}", more_errors(*errors))]
pub struct UnsoundDump {
    /// The first error.
    pub first: Box<Finding>,
    /// How many errors there are.
    pub errors: usize,
}

impl DumpReport {
    /// Whether no error was found.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity != Severity::Error)
    }
}

/// Checks every byte of a dump, and whether it can be read as a scene: the notes of a capture, if
/// it has any, must agree with the memory around them.
#[must_use]
pub fn check(bytes: &[u8], limits: Limits) -> DumpReport {
    let mut checker = Checker { bytes, limits, findings: Findings::default() };
    let dump = checker.dump();
    if let Some(dump) = dump.as_ref().filter(|_| checker.findings.is_sound()) {
        check_scene(dump, limits, &mut checker.findings);
    }
    DumpReport { dump, findings: checker.findings.into_sorted() }
}

/// Checks everything but the notes, which only their reader needs.
pub(super) fn check_structure(bytes: &[u8], limits: Limits) -> DumpReport {
    let mut checker = Checker { bytes, limits, findings: Findings::default() };
    let dump = checker.dump();
    DumpReport { dump, findings: checker.findings.into_sorted() }
}

/// Reads a dump that must be sound.
///
/// # Errors
/// The first error that a check finds.
pub fn read(bytes: &[u8], limits: Limits) -> Result<Dump, UnsoundDump> {
    let DumpReport { dump, findings } = check_structure(bytes, limits);
    let mut errors = findings.into_iter().filter(|f| f.severity == Severity::Error);
    match (dump, errors.next()) {
        (Some(dump), None) => Ok(dump),
        (_, first) => {
            let more: u32 = errors.map(|finding| finding.count).sum();
            let first = first.unwrap_or_else(Finding::unproved);
            Err(UnsoundDump { first: Box::new(first), errors: 1 + more as usize })
        }
    }
}

fn more_errors(errors: usize) -> String {
    if errors > 1 { format!(" (and {} more)", errors - 1) } else { String::new() }
}

struct Checker<'a> {
    bytes: &'a [u8],
    limits: Limits,
    findings: Findings,
}

impl Checker<'_> {
    fn dump(&mut self) -> Option<Dump> {
        if !self.has_magic() || !self.reaches(HEADER_BYTES, "header") || !self.has_version() {
            return None;
        }
        self.expect_zeros(40..HEADER_BYTES, "header");
        let flags = self.word(16);
        let header = self.program_header(HEADER_BYTES, "shader header")?;
        let mut offset = HEADER_BYTES + SPH_BYTES;
        let mut geometry = None;
        if flags & FLAG_GEOMETRY != 0 {
            geometry = Some(self.program_header(offset, "geometry header")?);
            offset += SPH_BYTES;
        }
        let state = UnitState {
            sm: self.half(12),
            header,
            geometry,
            shader_a: MeshShaderA::from_word(self.word(24)),
            shader_b: MeshShaderB::from_word(self.word(28)),
            init: MeshInitShader::from_word(self.word(32)),
            unit: Unit::from_word(self.word(36)),
        };
        let mut dump = Dump::new(state);
        dump.all_regions = flags & FLAG_ALL_REGIONS != 0;
        dump.skew_logical = flags & FLAG_SKEW_LOGICAL != 0;
        if flags & FLAG_REVERSED_MAP != 0 {
            dump.map_order = MapOrder::Reversed;
        }
        let reader = self.reader(&dump);
        self.workgroups(&mut dump, reader.as_ref(), offset);
        Some(dump)
    }

    fn has_magic(&mut self) -> bool {
        let start = &self.bytes[..self.bytes.len().min(MAGIC.len())];
        if !MAGIC.starts_with(start) {
            let found = format!("{:?}", String::from_utf8_lossy(start));
            let expected = format!("{:?}", String::from_utf8_lossy(&MAGIC));
            self.find(Rule::BadMagic, 0, 0..64, found, expected, "header");
        }
        MAGIC.starts_with(start)
    }

    fn has_version(&mut self) -> bool {
        let (major, minor) = (self.half(8), self.half(10));
        if major != VERSION.0 {
            self.find(Rule::BadVersion, 8, 0..16, format!("major {major}"), "major 1", "header");
            return false;
        }
        if minor > VERSION.1 {
            let expected = format!("at most {}", VERSION.1);
            self.find(Rule::NewerMinor, 10, 0..16, format!("minor {minor}"), expected, "header");
        }
        let sph = self.half(14);
        if SphVersion::from_number(sph.into()).is_none() {
            self.find(
                Rule::BadVersion,
                14,
                0..16,
                format!("headers of version {sph}"),
                "3 or 4",
                "header",
            );
            return false;
        }
        true
    }

    fn program_header(&mut self, offset: usize, place: &str) -> Option<Sph> {
        if !self.reaches(offset + SPH_BYTES, place) {
            return None;
        }
        let version = self.half(14);
        let length = SphVersion::from_number(version.into())?.bytes();
        let header = Sph::from_bytes(&self.bytes[offset..offset + length]);
        let (bits, found, expected) = match header {
            Ok(header) if header.version().number() == u32::from(version) => {
                self.expect_zeros(offset + length..offset + SPH_BYTES, place);
                return Some(header);
            }
            Err(SphError::Type { found }) => {
                (0..5, format!("SPH_TYPE {found}"), "SPH_TYPE 1 (VTG)".to_owned())
            }
            // Another version has another length, too.
            Ok(_) | Err(SphError::Version { .. } | SphError::Length { .. }) => {
                let found = format!("VERSION {}", self.word(offset) >> 5 & 31);
                (5..10, found, format!("VERSION {version}"))
            }
        };
        self.find(Rule::BadHeader, offset, bits, found, expected, place);
        None
    }

    /// What reads the regions, once the state is known to give them sizes.
    fn reader(&mut self, dump: &Dump) -> Option<Reader> {
        for limit in dump.state.broken_limits() {
            let expected = format!("at most {}", limit.limit);
            self.find(Rule::Limit, 24, 0..96, limit.found.to_string(), expected, limit.name);
        }
        let stage = match dump.state.stage() {
            Ok(stage) => stage,
            Err(refused) => {
                self.state(refused);
                return None;
            }
        };
        let found = dump.state.header.get(10..14);
        let expected = stage.shader_type() as u32;
        // A mesh shader behind a task has the type of tessellation evaluation (I-7).
        if stage != Stage::Mesh && found != expected {
            let (found, place) = (format!("SHADER_TYPE {found}"), "shader header");
            let expected = format!("{expected}, of the stage {stage}");
            self.find(Rule::BadStage, HEADER_BYTES, 10..14, found, expected, place);
        }
        if let Err(LayoutError::BadMaximum { found, limit, .. }) =
            dump.state.input_layout(self.limits)
        {
            let (found, expected) = (found.to_string(), format!("1 to {limit}"));
            self.find(Rule::BadMaximum, 36, 4..13, found, expected, "UNIT, vertices that come in");
            return None;
        }
        match Reader::new(dump, self.limits) {
            Ok(reader) => Some(reader),
            Err(refused) => {
                self.state(refused);
                None
            }
        }
    }

    /// The state gives no sizes.
    fn state(&mut self, refused: StateError) {
        let (rule, bits, found, expected, place) = match refused {
            StateError::Topology { found } => {
                let found = format!("{found:#x} ({})", topology_code_name(found));
                let expected = "points, lines or triangles".to_owned();
                (Rule::TopologyUnsupported, 0..4, found, expected, "topology".to_owned())
            }
            StateError::Stage { found } => {
                let expected = format!("0 to {}", Stage::ALL.len() - 1);
                self.find(Rule::BadStage, 36, 0..4, found.to_string(), expected, "UNIT, stage");
                return;
            }
            StateError::Layout(LayoutError::BadMaximum { what, found, limit }) => {
                let bits = if what == "vertices" { 4..13 } else { 13..23 };
                let (expected, place) = (format!("1 to {limit}"), format!("maximum of {what}"));
                (Rule::BadMaximum, bits, found.to_string(), expected, place)
            }
            StateError::Layout(LayoutError::OutputLimit { found }) => {
                let (found, place) = (format!("{found} bytes"), "attributes times the maxima");
                let expected = format!("at most {MAX_OUTPUT_BYTES}");
                (Rule::OutputLimit, 4..23, found, expected, place.to_owned())
            }
        };
        self.find(rule, 24, bits, found, expected, &format!("SET_MESH_SHADER_A, {place}"));
    }

    fn workgroups(&mut self, dump: &mut Dump, reader: Option<&Reader>, mut offset: usize) {
        let flags = self.word(16);
        for number in 0..self.word(20) {
            let place = format!("workgroup {number}");
            let start = offset + dump.record_bytes();
            if !self.reaches(start, &place) {
                return;
            }
            let named = 8 + 4 * dump.regions().len();
            self.expect_zeros(offset + named..start, &place);
            let task = Some(self.word(offset + 4)).filter(|task| *task != NO_TASK);
            let mut unit = Workgroup { index: self.word(offset), task, ..Workgroup::default() };
            let mut end = start;
            for (number, &(_, output, region)) in dump.regions().iter().enumerate() {
                let length = self.word(offset + 8 + 4 * number) as usize;
                let next = end.saturating_add(padded(length));
                if next > self.bytes.len() {
                    end = next;
                    break;
                }
                let space = if output { &mut unit.output } else { &mut unit.input };
                *space.region_mut(region) = self.bytes[end..end + length].to_vec();
                end = next;
            }
            if !self.reaches(end, &place) {
                return;
            }
            if !unit.input.attr.is_empty() && flags & FLAG_INPUT_ATTR == 0 {
                let found = format!("{} bytes of input ATTR", unit.input.attr.len());
                let expected = "none without flag 3";
                self.find(Rule::InputFlag, offset + 16, 0..32, found, expected, &place);
            }
            if let Some(reader) = reader {
                self.regions(reader, &unit, dump, offset, &place);
            }
            dump.workgroups.push(unit);
            offset = end;
        }
        if offset < self.bytes.len() {
            let found = format!("{} bytes", self.bytes.len() - offset);
            self.find(Rule::TrailingBytes, offset, 0..8, found, "the end of the file", "end");
        }
    }

    fn regions(
        &mut self,
        reader: &Reader,
        unit: &Workgroup,
        dump: &Dump,
        record: usize,
        place: &str,
    ) {
        for (number, &(name, output, region)) in REGIONS.iter().enumerate() {
            let length = unit.region((name, output, region)).len();
            let expected = reader.region_bytes(output, region);
            if expected.is_empty() || expected.contains(&length) {
                continue;
            }
            let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
            let shared = if expected.len() > 1 && output { " with shared memory" } else { "" };
            let expected = expected.join(" or ") + shared;
            let place = format!("{place}, length of {name}");
            let offset = record + 8 + 4 * number;
            self.find(Rule::SizeMismatch, offset, 0..32, length.to_string(), expected, &place);
        }
        let map = record + dump.record_bytes();
        let view = WorkgroupView::new(reader, unit);
        if let Some(count) = view.stored_count() {
            if count > reader.max_primitives() {
                let expected = format!("at most {}", reader.max_primitives());
                let place = format!("{place}, MAP, primitive count");
                self.find(Rule::CountOverMax, map, 0..32, count.to_string(), expected, &place);
            }
            self.indices(&view, map, place);
        }
        self.handles(reader, unit, dump, record, place);
        let culled = (0..view.primitive_count()).filter(|p| view.is_culled(*p)).count();
        if culled > 0 {
            let attr = map + padded(unit.output.map.len());
            let place = format!("{place}, ATTR, VIEWPORT_MASK");
            let found = format!("{culled} culled");
            self.find(Rule::CulledPrimitives, attr, 0..8, found, "a viewport", &place);
        }
    }

    /// One finding for each unit, at the first handle that comes in and names no vertex.
    fn handles(
        &mut self,
        reader: &Reader,
        unit: &Workgroup,
        dump: &Dump,
        record: usize,
        place: &str,
    ) {
        let vertices = reader.input.vertices.maximum();
        let mut handles = unit.input.map.iter().enumerate();
        let Some((at, handle)) = handles.find(|(_, handle)| u32::from(**handle) >= vertices) else {
            return;
        };
        let before = REGIONS[..3].iter().map(|region| padded(unit.region(*region).len()));
        let offset = record + dump.record_bytes() + before.sum::<usize>() + at;
        let (found, expected) = (format!("handle {handle}"), format!("less than {vertices}"));
        let place = format!("{place}, input MAP, byte {at}");
        self.find(Rule::IndexOverMax, offset, 0..8, found, expected, &place);
    }

    /// One finding for each workgroup, at the first index at fault.
    fn indices(&mut self, view: &WorkgroupView<'_>, map: usize, place: &str) {
        let corners = view.corners();
        let mut wrong = (0..view.primitive_count() * corners)
            .filter_map(|at| Some((at, view.index(at / corners, at % corners)?)))
            .filter(|(_, index)| u32::from(*index) >= view.max_vertices());
        let Some((at, index)) = wrong.next() else { return };
        let more = match wrong.count() {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        let place = format!("{place}, MAP, primitive {}, corner {}", at / corners, at % corners);
        let expected = format!("less than {}", view.max_vertices());
        let offset = map + 4 + at as usize;
        self.find(
            Rule::IndexOverMax,
            offset,
            0..8,
            format!("index {index}{more}"),
            expected,
            &place,
        );
    }

    fn reaches(&mut self, end: usize, place: &str) -> bool {
        if end > self.bytes.len() {
            let length = self.bytes.len();
            let found = format!("the end of the file after {length} bytes");
            self.find(Rule::Truncated, length, 0..0, found, format!("{end} bytes"), place);
        }
        end <= self.bytes.len()
    }

    fn expect_zeros(&mut self, range: Range<usize>, place: &str) {
        if let Some(at) = range.clone().find(|at| self.bytes[*at] != 0) {
            let found = format!("{:#04x}", self.bytes[at]);
            self.find(Rule::ReservedBytes, at, 0..8, found, "0x00", place);
        }
    }

    fn find(
        &mut self,
        rule: Rule,
        offset: usize,
        bits: Range<u32>,
        found: impl Into<String>,
        expected: impl Into<String>,
        place: &str,
    ) {
        self.findings.add(rule, offset as u64, bits, place, found, expected);
    }

    fn half(&self, offset: usize) -> u16 {
        u16::from_le_bytes([self.bytes[offset], self.bytes[offset + 1]])
    }

    fn word(&self, offset: usize) -> u32 {
        u32::from(self.half(offset)) | u32::from(self.half(offset + 2)) << 16
    }
}
