//! What Radeon Raytracing Analyzer asks of a structure.
//!
//! A structure that breaks a rule of severity *error* is refused by the viewer, without a word: a
//! BLAS is left out, and with a TLAS the whole file fails to load. siliray can still read it.
//!
//! | rule | severity | what must hold |
//! |---|---|---|
//! | `total_size` | error | total size at least 256 |
//! | `metadata_size` | error | metadata size at least 128 |
//! | `metadata_offset` | warning | metadata size equal to the chunk's header offset |
//! | `metadata_copied` | warning | the viewer copies no more metadata than there is, at most 256 |
//! | `structure_level` | warning | chunk and header agree on TLAS or BLAS |
//! | `root_missing` | error | a box node if there are active primitives |
//! | `active_primitives` | error | no more active primitives than primitives |
//! | `internal_offset` | error | internal nodes at 128 or later; of RTIP 3.1 at 128 |
//! | `leaf_offset` | error | leaf nodes not before internal nodes |
//! | `geometry_offset` | error | BLAS: geometry infos not before leaf nodes |
//! | `pointer_offset` | error | node pointers not before geometry infos |
//! | `pointer_gap` | warning | BLAS: node pointers right behind the geometry infos |
//! | `nodes_range` | error | nodes within the structure |
//! | `geometry_range` | error | geometry infos or sidebands within the structure |
//! | `pointer_list_range` | error | the list of node pointers within the structure |
//! | `leaf_count` | error | no more leaf nodes than primitives; of a TLAS of RTIP 3.1, no fewer |
//! | `geometry_counts` | error | triangles: the geometry infos' counts sum to the header's |
//! | `instance_inactive` | warning | an instance has a mask, a child and a metadata size |

use super::fault::Field;
use super::structure::{Level, METADATA_BYTES, Structure};
use crate::layout::gpurt_header::RTIP_3_1;
use crate::layout::{GeometryInfo, GpurtHeader};
use machine::bits::Bits;
use machine::{Finding, Severity};
use std::ops::Range;

/// Bytes of the header, and of the least structure with its least metadata.
const HEADER_BYTES: u32 = 128;
const LEAST_TOTAL: u32 = METADATA_BYTES + HEADER_BYTES;
/// The most metadata that the viewer has room for.
const MOST_COPIED: u32 = 256;
const GEOMETRY_INFO_BYTES: u64 = 12;
/// Bytes of a leaf node before RTIP 3.1, and of an instance node.
const LEAF_BYTES: u64 = 64;
const INSTANCE_BYTES: u64 = 128;
/// The bit of the header's first word that says that instance nodes are twice as large.
const FUSED_BIT: u32 = 13;
/// Inactive instances that are named one by one.
const MOST_INSTANCES_NAMED: usize = 1000;

/// An instance that the viewer leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excluded {
    /// Its number.
    pub number: usize,
    /// Its node, counted from the header.
    pub bytes: Range<u64>,
    /// Why it is left out.
    pub why: &'static str,
}

/// Which instances of a TLAS the viewer leaves out.
pub type Inactive = fn(&Structure) -> Vec<Excluded>;

/// Adds what the viewer would complain about, if it did.
pub fn check(structure: &Structure, inactive: Inactive, findings: &mut Vec<Finding>) {
    let header = structure.header();
    let mut rules = Rules { structure, findings };
    rules.check_sizes(&header);
    rules.check_counts(&header);
    rules.check_offsets(&header);
    if rules.check_ranges(&header) {
        rules.check_leaves(&header);
        match structure.level {
            Level::Blas => rules.check_geometry_counts(&header),
            Level::Tlas => rules.check_instances(inactive),
        }
    }
}

struct Rules<'a> {
    structure: &'a Structure,
    findings: &'a mut Vec<Finding>,
}

impl Rules<'_> {
    /// Notes a dword of the header.
    fn dword(
        &mut self,
        severity: Severity,
        rule: &'static str,
        dword: u64,
        found: impl ToString,
        expected: impl ToString,
    ) {
        let place = format!("{}: header: dword {dword}", self.structure.place.chunk);
        let field = Field::new(place, self.structure.place.offset(4 * dword), 4);
        self.findings.push(field.finding(severity, rule, found, expected));
    }

    fn check_sizes(&mut self, header: &GpurtHeader) {
        let (metadata, before) = (header.metadata_size, self.structure.metadata.len() as u64);
        if header.total_size < LEAST_TOTAL {
            let expected = format!("a total size of at least {LEAST_TOTAL}");
            self.dword(Severity::Error, "total_size", 2, header.total_size, expected);
        }
        if metadata < METADATA_BYTES {
            let expected = format!("at least {METADATA_BYTES} bytes of metadata");
            self.dword(Severity::Error, "metadata_size", 1, metadata, expected);
        } else if u64::from(metadata) != before {
            let expected = format!("{before} bytes of metadata, as there are before the header");
            self.dword(Severity::Warning, "metadata_offset", 1, metadata, expected);
        }
        let copied = self.structure.metadata_size;
        if copied > MOST_COPIED || u64::from(copied) > before {
            let expected =
                format!("at most {} bytes of metadata to copy", before.min(MOST_COPIED.into()));
            self.dword(Severity::Warning, "metadata_copied", 1, copied, expected);
        }
        let says_blas = self.structure.level == Level::Blas;
        if header.is_blas() != says_blas {
            let found = if header.is_blas() { "BLAS" } else { "TLAS" };
            let expected = format!("{}, as the chunk says", self.structure.level.name());
            self.dword(Severity::Warning, "structure_level", 0, found, expected);
        }
    }

    fn check_counts(&mut self, header: &GpurtHeader) {
        if header.active_primitive_count > 0 && header.internal_fp32_count == 0 {
            let expected = "a box node, since there are active primitives";
            self.dword(Severity::Error, "root_missing", 12, 0, expected);
        }
        if header.active_primitive_count > header.primitive_count {
            let expected = format!("at most {} active primitives", header.primitive_count);
            let active = header.active_primitive_count;
            self.dword(Severity::Error, "active_primitives", 4, active, expected);
        }
    }

    fn check_offsets(&mut self, header: &GpurtHeader) {
        let internal = header.internal_node_offset;
        let (leaf, geometry) = (header.leaf_node_offset, header.geometry_info_offset);
        let pointers = header.primitive_pointer_offset;
        let is_blas = self.structure.level == Level::Blas;
        let mut at_least = |rule, dword, found: u32, least: u32, what: &str| {
            if found < least {
                let expected = format!("{least:#x} or more, {what}");
                self.dword(Severity::Error, rule, dword, format!("{found:#x}"), expected);
            }
        };
        if header.internal_fp32_count > 0 {
            at_least("internal_offset", 8, internal, HEADER_BYTES, "behind the header");
        }
        at_least("leaf_offset", 9, leaf, internal, "not before the internal nodes");
        if is_blas {
            at_least("geometry_offset", 10, geometry, leaf, "not before the leaf nodes");
        }
        at_least("pointer_offset", 11, pointers, geometry, "not before what dword 10 names");
        // Pointers of RTIP 3.1 count from the header; the viewer takes bytes from this offset on.
        if header.rt_ip_level >= RTIP_3_1 && internal > HEADER_BYTES {
            let expected = format!("{HEADER_BYTES:#x}, right behind the header");
            self.dword(Severity::Error, "internal_offset", 8, format!("{internal:#x}"), expected);
        }
        let end = u64::from(geometry) + GEOMETRY_INFO_BYTES * u64::from(header.descriptor_count);
        if is_blas && pointers >= geometry && u64::from(pointers) != end {
            let expected = format!("{end:#x}, right behind the geometry infos");
            self.dword(Severity::Warning, "pointer_gap", 11, format!("{pointers:#x}"), expected);
        }
    }

    /// Whether everything that the header names lies in the structure.
    fn check_ranges(&mut self, header: &GpurtHeader) -> bool {
        let len = self.structure.segment.bytes().len() as u64;
        let (geometry, pointers) =
            (u64::from(header.geometry_info_offset), u64::from(header.primitive_pointer_offset));
        // Before RTIP 3.1 nothing but pointers follows the instances of a TLAS.
        let is_bare = self.structure.level == Level::Tlas && geometry == 0;
        let nodes_end = if is_bare { pointers } else { geometry };
        let records = match self.structure.level {
            Level::Blas => GEOMETRY_INFO_BYTES * u64::from(header.descriptor_count),
            Level::Tlas => pointers.saturating_sub(nodes_end),
        };
        let parts = [
            ("nodes_range", 10, 0, nodes_end),
            ("geometry_range", 10, nodes_end, records),
            ("pointer_list_range", 11, pointers, 4 * u64::from(header.primitive_count)),
        ];
        let mut inside = true;
        for (rule, dword, start, size) in parts {
            if start + size > len {
                let found = format!("{start:#x}..{:#x}", start + size);
                let expected = format!("a range within the structure's {len:#x} bytes");
                self.dword(Severity::Error, rule, dword, found, expected);
                inside = false;
            }
        }
        inside
    }

    /// The viewer keeps a figure for each leaf node in a list as long as the primitives, and counts
    /// those of RTIP 3.1 for itself: of a TLAS it refuses more nodes than the header names.
    fn check_leaves(&mut self, header: &GpurtHeader) {
        let (leaves, active) = (header.leaf_node_count, header.active_primitive_count);
        let is_top = self.structure.level == Level::Tlas;
        if is_top && header.rt_ip_level >= RTIP_3_1 && leaves < active {
            let expected = format!("{active} leaf nodes at least, one for each active instance");
            self.dword(Severity::Error, "leaf_count", 14, leaves, expected);
        }
        let (end, size) = match self.structure.level {
            Level::Blas => (header.geometry_info_offset, LEAF_BYTES),
            Level::Tlas => {
                let is_fused = header.info >> FUSED_BIT & 1;
                (header.primitive_pointer_offset, INSTANCE_BYTES << is_fused)
            }
        };
        let leaves = u64::from(end.saturating_sub(header.leaf_node_offset)) / size;
        if header.rt_ip_level < RTIP_3_1 && leaves > u64::from(header.primitive_count) {
            let expected = format!("{leaves} primitives at least, one for each leaf node");
            self.dword(Severity::Error, "leaf_count", 3, header.primitive_count, expected);
        }
    }

    fn check_geometry_counts(&mut self, header: &GpurtHeader) {
        if header.geometry_type != 0 {
            return;
        }
        let start = header.geometry_info_offset as usize;
        let size = GEOMETRY_INFO_BYTES as usize * header.descriptor_count as usize;
        let infos = &self.structure.segment.bytes()[start..start + size];
        let counts = infos.chunks_exact(GEOMETRY_INFO_BYTES as usize);
        let sum: u64 = counts
            .map(|info| u64::from(GeometryInfo::decode(&Bits::from_bytes(info)).primitive_count))
            .sum();
        if sum != u64::from(header.primitive_count) {
            let place = format!("{}: geometry infos", self.structure.place.chunk);
            let field = Field::new(place, self.structure.place.offset(start as u64), size as u64);
            let found = format!("primitive counts that sum to {sum}");
            let expected = format!("a sum of {}, as in the header", header.primitive_count);
            self.findings.push(field.finding(Severity::Error, "geometry_counts", found, expected));
        }
    }

    /// Names instances that the viewer leaves out.
    fn check_instances(&mut self, inactive: Inactive) {
        let excluded = inactive(self.structure);
        for Excluded { number, bytes, why } in excluded.into_iter().take(MOST_INSTANCES_NAMED) {
            let place = format!("{}: instance node {number}", self.structure.place.chunk);
            let start = self.structure.place.offset(bytes.start);
            let field = Field::new(place, start, bytes.end - bytes.start);
            let expected = "an instance that the viewer shows";
            let severity = Severity::Warning;
            self.findings.push(field.finding(severity, "instance_inactive", why, expected));
        }
    }
}
