//! Runs: many questions through the whole machine.
//!
//! | file | concept |
//! |---|---|
//! | [`mod@simulate`] | questions in, answers and figures out |
//! | `cluster` | a GPC: task pools, SMs, TTUs |
//! | `leaf_test` | the primitives of a leaf, as the SM tests them |
//! | [`invariants`] | what must add up |
//! | [`bound`] | what limits throughput |
//! | [`series`] | figures over time |
//! | [`timeline`] | what every slot and unit did, for a trace viewer |

pub mod bound;
mod cluster;
pub mod invariants;
mod leaf_test;
pub mod series;
pub mod simulate;
pub mod timeline;

pub use crate::unit::status::STATES;
pub use bound::{Advice, Bound, LIMITS, Limit, LimitKind};
pub use invariants::Invariant;
pub use series::{Sample, Series};
pub(crate) use simulate::watch;
pub use simulate::{Options, Questions, Run, RunError, Urgency, simulate};
pub use timeline::{Event, Held, Timeline};
