//! What an instruction did, beside its effects: for commit logs and traces.

use crate::flags::Raised;
use crate::offload::{Deadlock, JobRecord, Refusal};
use crate::policy::Policy;

/// An instruction that retired.
#[derive(Debug, Clone, PartialEq)]
pub struct Executed {
    /// Where the hart goes on.
    pub flow: Flow,
    /// What `rt.*` did.
    pub rt: Option<RtRecord>,
    /// Jobs that ran.
    pub jobs: Vec<JobRecord>,
    /// Why `xsubmit.rt` took no job.
    pub refused: Option<Refusal>,
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
    /// What was in force.
    pub policy: Policy,
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
        Self { flow: Flow::Next, rt: None, jobs: Vec::new(), refused: None }
    }

    /// What a log tells of it beside its effects: why a job was refused, what each job did and how
    /// its memory was treated, a line each.
    #[must_use]
    pub fn report(&self) -> Vec<String> {
        let refused = self.refused.iter().map(|reason| format!("job refused: {reason}"));
        refused.chain(self.jobs.iter().map(JobRecord::report)).collect()
    }

    /// What deserves a warning: why a job was refused or stopped.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        let refused = self.refused.iter().map(|reason| format!("job refused: {reason}"));
        let stopped = self.jobs.iter().filter_map(|job| {
            let JobRecord { ticket, rays, error, .. } = job;
            error.map(|error| format!("job {ticket} stopped after {rays} rays: {error}"))
        });
        let remarks: Vec<String> = refused.chain(stopped).collect();
        (!remarks.is_empty()).then(|| remarks.join("; "))
    }
}
