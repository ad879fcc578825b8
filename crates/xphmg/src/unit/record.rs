//! What an instruction did, beside its effects: for commit logs and traces.

use crate::flags::Raised;
use crate::numeric::{ElementFormat, Rounding};
use crate::offload::{Deadlock, JobRecord};

/// An instruction that retired.
#[derive(Debug, Clone, PartialEq)]
pub struct Executed {
    /// Where the hart goes on.
    pub flow: Flow,
    /// What `rt.*` did.
    pub rt: Option<RtRecord>,
    /// Jobs that ran.
    pub jobs: Vec<JobRecord>,
}

/// Where the hart goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// The next instruction.
    Next,
    /// A taken branch.
    Jump {
        /// Distance from this instruction, in bytes.
        offset: i64,
    },
    /// Nowhere: the run ends with this report.
    Deadlock(Deadlock),
}

/// One RT instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct RtRecord {
    /// `bbox` or `tri`.
    pub operation: &'static str,
    /// The immediate.
    pub flags: u8,
    /// Effective format.
    pub format: ElementFormat,
    /// Effective rounding mode.
    pub rounding: Rounding,
    /// One for each lane below VL.
    pub lanes: Vec<LaneRecord>,
}

/// One lane.
#[derive(Debug, Clone, PartialEq)]
pub struct LaneRecord {
    /// Whether it executed.
    pub active: bool,
    /// Address of its ray record.
    pub ray: u64,
    /// Address of its operand.
    pub operand: u64,
    /// Whether it hit.
    pub hit: bool,
    /// Its values, as narrowed; empty for predicate-only and masked lanes.
    pub values: Vec<u32>,
    /// What it raised.
    pub raised: Raised,
}

impl Executed {
    /// Nothing to tell.
    #[must_use]
    pub fn next() -> Self {
        Self { flow: Flow::Next, rt: None, jobs: Vec::new() }
    }
}
