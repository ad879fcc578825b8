//! The offload job: rays from one queue, hits and misses to two others (specification, sections 14,
//! 15).
//!
//! | file | concept |
//! |---|---|
//! | [`options`] | the options word of a descriptor |
//! | [`refusal`] | why a submission gives no job |
//! | [`job`] | one job: queue to queues |
//! | [`walk`] | one ray through the tree |
//! | [`reporter`] | what an observer is told of it |
//! | [`pending`] | tickets, events and jobs that wait |
//! | [`memory_model`] | what a job's memory does, counted |

pub mod job;
pub mod memory_model;
pub mod options;
pub mod pending;
pub mod refusal;
pub mod reporter;
pub mod walk;

pub use job::{Job, JobRecord};
pub use memory_model::{MemoryCounts, MemoryPolicy, MemoryUse, Stream};
pub use options::JobOptions;
pub use pending::{Deadlock, Pending};
pub use refusal::Refusal;
