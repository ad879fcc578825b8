//! The dump container `.isbe` (section 7), siliray's own. Who captures writes it: nothing here
//! captures on a host (I-17).
//!
//! Little endian. What can be derived (active sets, sizes, topology) is not stored, so that a wrong
//! dump can be told from a right one.
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 8 | `SILISBE1` |
//! | 8 | 2+2 | version, major 1 and minor 0 or 1 |
//! | 12 | 2 | SM |
//! | 14 | 2 | version of the headers, 3 or 4 |
//! | 16 | 4 | flags |
//! | 20 | 4 | number of units: mesh workgroups, or warps of an earlier stage |
//! | 24, 28, 32 | 4 each | SET_MESH_SHADER_A, SET_MESH_SHADER_B, SET_MESH_INIT_SHADER |
//! | 36 | 4 | UNIT: the stage and what comes in (I-18); zero for mesh workgroups |
//! | 40 | 24 | zero |
//! | 64 | 128 | header of the shader; version 3 has 80 bytes, then zeros |
//! | 192 | 128 | pass-through geometry header, with flag 2 |
//! | then | | the units, one behind the other |
//!
//! Flags: 0 ATTR in SKEW-logical order, 1 reversed MAP order, 2 geometry header, 3 input ATTR,
//! 4 task numbers, 5 all regions.
//!
//! A unit is a record of 32 bytes (its number, its task or ffffffff, the lengths of MAP, ATTR and
//! input ATTR, 12 zero bytes), then those regions, each padded to 16 bytes. With flag 5 the record
//! has 64 bytes: the lengths of input MAP, input PATCH, input PRIM, PATCH and PRIM follow, then 24
//! zero bytes, and these regions come behind the others (I-19). UNIT and flag 5 are of minor
//! version 1; a file that uses neither is of minor version 0.
//!
//! | file | concept |
//! |---|---|
//! | `write` | a dump as bytes |
//! | [`check`] | bytes as a dump, with findings |
//! | [`rule`] | what can be wrong |
//! | `scene_check` | whether a sound dump can be read as a scene |
//! | [`explain`] | what any byte of the file is |
//! | [`outline`] | the parts of a file, and the fields of each |
//! | `describe` | which fields each part has |

pub mod check;
mod describe;
pub mod explain;
pub mod outline;
pub mod rule;
mod scene_check;
mod write;

pub use write::WriteError;

use crate::memory::{MapOrder, Region, Space};
use crate::unit_state::UnitState;
use std::ops::Range;

/// The first bytes of a dump.
pub const MAGIC: [u8; 8] = *b"SILISBE1";
/// The newest version that is known: major, minor.
pub const VERSION: (u16, u16) = (1, 1);

const HEADER_BYTES: usize = 64;
const SPH_BYTES: usize = 128;
const NO_TASK: u32 = u32::MAX;

/// The fields of the header with their bytes; the rest is zero.
const HEADER_FIELDS: [(&str, Range<usize>); 11] = [
    ("magic", 0..8),
    ("major version", 8..10),
    ("minor version", 10..12),
    ("SM", 12..14),
    ("version of the headers", 14..16),
    ("flags", 16..20),
    ("number of workgroups", 20..24),
    ("SET_MESH_SHADER_A", 24..28),
    ("SET_MESH_SHADER_B", 28..32),
    ("SET_MESH_INIT_SHADER", 32..36),
    ("UNIT", 36..40),
];
/// The words of a record; the rest is zero. Those behind the fifth need flag 5.
const RECORD_FIELDS: [&str; 10] = [
    "workgroup index",
    "task index",
    "MAP length",
    "ATTR length",
    "input ATTR length",
    "input MAP length",
    "input PATCH length",
    "input PRIM length",
    "PATCH length",
    "PRIM length",
];
/// The regions of a unit in the order of the file: what each is called, whether it is of the output
/// space, and which it is. Those behind the third need flag 5.
pub const REGIONS: [(&str, bool, Region); 8] = [
    ("MAP", true, Region::Map),
    ("ATTR", true, Region::Attr),
    ("input ATTR", false, Region::Attr),
    ("input MAP", false, Region::Map),
    ("input PATCH", false, Region::Patch),
    ("input PRIM", false, Region::Prim),
    ("PATCH", true, Region::Patch),
    ("PRIM", true, Region::Prim),
];
/// How many of them every file has.
const FEW_REGIONS: usize = 3;

const FLAG_SKEW_LOGICAL: u32 = 1;
const FLAG_REVERSED_MAP: u32 = 1 << 1;
const FLAG_GEOMETRY: u32 = 1 << 2;
const FLAG_INPUT_ATTR: u32 = 1 << 3;
const FLAG_TASKS: u32 = 1 << 4;
const FLAG_ALL_REGIONS: u32 = 1 << 5;

/// What units, mesh workgroups or warps of another stage, left in their memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dump {
    /// The pipeline.
    pub state: UnitState,
    /// How multi-byte values lie in MAP (I-3).
    pub map_order: MapOrder,
    /// Whether ATTR is in SKEW-logical order. The model's two orders are the same (I-6).
    pub skew_logical: bool,
    /// Whether records tell the lengths of all regions (flag 5).
    pub all_regions: bool,
    /// The units, in any order.
    pub workgroups: Vec<Workgroup>,
}

/// What one unit left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Workgroup {
    /// Its number.
    pub index: u32,
    /// The task that emitted it, if any.
    pub task: Option<u32>,
    /// The input space, as far as it was dumped.
    pub input: Space,
    /// The output space; ATTR with or without shared memory.
    pub output: Space,
}

impl Workgroup {
    /// The bytes of region `number` of [`REGIONS`].
    fn region(&self, (_, output, region): (&str, bool, Region)) -> &Vec<u8> {
        if output { self.output.region(region) } else { self.input.region(region) }
    }
}

impl Dump {
    /// A dump without units.
    #[must_use]
    pub const fn new(state: UnitState) -> Self {
        let map_order = MapOrder::LittleAtLow;
        Self { state, map_order, skew_logical: true, all_regions: false, workgroups: Vec::new() }
    }

    /// Adds a unit; records tell the lengths of all regions if it has more than a few.
    pub fn push(&mut self, unit: Workgroup) {
        let mut others = REGIONS[FEW_REGIONS..].iter();
        self.all_regions |= others.any(|region| !unit.region(*region).is_empty());
        self.workgroups.push(unit);
    }

    /// Whether bytes begin like a dump.
    #[must_use]
    pub fn has_magic(bytes: &[u8]) -> bool {
        bytes.starts_with(&MAGIC)
    }

    /// The regions of each unit in the file.
    const fn regions(&self) -> &'static [(&'static str, bool, Region)] {
        regions(self.all_regions)
    }

    /// Bytes of each record in the file.
    const fn record_bytes(&self) -> usize {
        record_bytes(self.all_regions)
    }

    /// Bytes of a unit in the file.
    fn file_bytes(&self, unit: &Workgroup) -> usize {
        let regions = self.regions().iter().map(|region| padded(unit.region(*region).len()));
        self.record_bytes() + regions.sum::<usize>()
    }
}

/// The regions that units have, all or few.
const fn regions(all: bool) -> &'static [(&'static str, bool, Region)] {
    if all { &REGIONS } else { REGIONS.split_at(FEW_REGIONS).0 }
}

/// Bytes of a record with the lengths of all or few regions.
const fn record_bytes(all: bool) -> usize {
    if all { 64 } else { 32 }
}

/// A length with its padding.
const fn padded(length: usize) -> usize {
    length.next_multiple_of(16)
}

/// The headers of a file and the one workgroup around a byte, as a file of their own, and how many
/// bytes are left out between them. `None` for bytes of no whole workgroup.
pub(crate) fn workgroup_around(bytes: &[u8], offset: usize) -> Option<(Vec<u8>, usize)> {
    let word = |at: usize| {
        let word = bytes.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes(word.try_into().ok()?) as usize)
    };
    let flags = word(16)? as u32;
    let headers = 1 + usize::from(flags & FLAG_GEOMETRY != 0);
    let all = flags & FLAG_ALL_REGIONS != 0;
    let first = HEADER_BYTES + headers * SPH_BYTES;
    let mut record = first;
    for _ in 0..word(20)? {
        let lengths = (0..regions(all).len()).map(|region| word(record + 8 + 4 * region));
        let end = lengths.into_iter().try_fold(record + record_bytes(all), |end, length| {
            end.checked_add(padded(length?)).filter(|&end| end <= bytes.len())
        })?;
        if (record..end).contains(&offset) {
            let excerpt = [bytes.get(..first)?, bytes.get(record..end)?].concat();
            return Some((excerpt, record - first));
        }
        record = end;
    }
    None
}
