//! Runs of the tree traversal unit: workloads, sweeps, rows, traces, reports.
//!
//! | file | concept |
//! |---|---|
//! | [`load`] | what is asked: rays and beams of a scene |
//! | [`sweep`] | the cross product of settings |
//! | [`row`] | one run as a row: figures, the configuration and its hash |
//! | [`trace_json`] | what slots and units did, for Perfetto and chrome://tracing |
//! | [`report`] | runs as one HTML file |

pub mod load;
pub mod report;
pub mod row;
pub mod sweep;
pub mod trace_json;

pub use load::{Load, LoadError};
pub use row::{Row, RunKey};
pub use sweep::{Sweep, SweepError};
