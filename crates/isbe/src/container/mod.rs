//! The dump container `.isbe` (section 7), siliray's own.
//!
//! Little endian. What can be derived (active sets, sizes, topology) is not stored, so that a wrong
//! dump can be told from a right one.
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 8 | `SILISBE1` |
//! | 8 | 2+2 | version, major 1 and minor 0 |
//! | 12 | 2 | SM |
//! | 14 | 2 | version of the headers, 3 or 4 |
//! | 16 | 4 | flags |
//! | 20 | 4 | number of workgroups |
//! | 24, 28, 32 | 4 each | SET_MESH_SHADER_A, SET_MESH_SHADER_B, SET_MESH_INIT_SHADER |
//! | 36 | 28 | zero |
//! | 64 | 128 | mesh header; version 3 has 80 bytes, then zeros |
//! | 192 | 128 | geometry header, with flag 2 |
//! | then | | the workgroups, one behind the other |
//!
//! Flags: 0 ATTR in SKEW-logical order, 1 reversed MAP order, 2 geometry header, 3 input ATTR,
//! 4 task numbers.
//!
//! A workgroup is a record of 32 bytes (its number, its task or ffffffff, the lengths of MAP, ATTR
//! and input ATTR, 12 zero bytes), then those regions, each padded to 16 bytes.
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

use crate::memory::MapOrder;
use crate::mesh_state::MeshState;
use std::ops::Range;

/// The first bytes of a dump.
pub const MAGIC: [u8; 8] = *b"SILISBE1";
/// The version that is written: major, minor.
pub const VERSION: (u16, u16) = (1, 0);

const HEADER_BYTES: usize = 64;
const SPH_BYTES: usize = 128;
const RECORD_BYTES: usize = 32;
const NO_TASK: u32 = u32::MAX;

/// The fields of the header with their bytes; the rest is zero.
const HEADER_FIELDS: [(&str, Range<usize>); 10] = [
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
];
/// The words of a record; the rest is zero.
const RECORD_FIELDS: [&str; 5] =
    ["workgroup index", "task index", "MAP length", "ATTR length", "input ATTR length"];

const FLAG_SKEW_LOGICAL: u32 = 1;
const FLAG_REVERSED_MAP: u32 = 1 << 1;
const FLAG_GEOMETRY: u32 = 1 << 2;
const FLAG_INPUT_ATTR: u32 = 1 << 3;
const FLAG_TASKS: u32 = 1 << 4;

/// What workgroups left in their output memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dump {
    /// The pipeline.
    pub state: MeshState,
    /// How multi-byte values lie in MAP (I-3).
    pub map_order: MapOrder,
    /// Whether ATTR is in SKEW-logical order. The model's two orders are the same (I-6).
    pub skew_logical: bool,
    /// The workgroups, in any order.
    pub workgroups: Vec<Workgroup>,
}

/// What one workgroup left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workgroup {
    /// Its number.
    pub index: u32,
    /// The task that emitted it, if any.
    pub task: Option<u32>,
    /// The output MAP.
    pub map: Vec<u8>,
    /// The output ATTR, with or without shared memory.
    pub attr: Vec<u8>,
    /// The input ATTR, if it was dumped.
    pub input_attr: Vec<u8>,
}

impl Dump {
    /// A dump without workgroups.
    #[must_use]
    pub const fn new(state: MeshState) -> Self {
        let map_order = MapOrder::LittleAtLow;
        Self { state, map_order, skew_logical: true, workgroups: Vec::new() }
    }

    /// Whether bytes begin like a dump.
    #[must_use]
    pub fn has_magic(bytes: &[u8]) -> bool {
        bytes.starts_with(&MAGIC)
    }
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
    let headers = 1 + usize::from(word(16)? as u32 & FLAG_GEOMETRY != 0);
    let first = HEADER_BYTES + headers * SPH_BYTES;
    let mut record = first;
    for _ in 0..word(20)? {
        let regions = [8, 12, 16].map(|at| word(record + at).map(padded));
        let end = regions.into_iter().try_fold(record + RECORD_BYTES, |end, region| {
            end.checked_add(region?).filter(|&end| end <= bytes.len())
        })?;
        if (record..end).contains(&offset) {
            let excerpt = [bytes.get(..first)?, bytes.get(record..end)?].concat();
            return Some((excerpt, record - first));
        }
        record = end;
    }
    None
}
