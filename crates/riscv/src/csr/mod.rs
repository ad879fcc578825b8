//! Control and status registers of the base architecture.
//!
//! | file | concept |
//! |---|---|
//! | `names` | numbers and names |
//! | `machine` | trap handling and configuration, with their legal values |
//! | `counter` | counters that can be written and inhibited |
//! | `pmp` | physical memory protection |

mod counter;
mod machine;
mod names;
mod pmp;

pub(crate) use counter::Counter;
pub(crate) use machine::{MachineCsrs, interrupt, mstatus};
pub use names::*;
pub(crate) use pmp::Pmp;
