//! The units of the machine, one file each. A unit has a state of its own, and a `tick` that reads
//! and writes its ports; [`ttu`] holds the units and connects them, in one place. To replace a
//! unit, write one with the same ports.
//!
//! A cycle visits the units from the back to the front (T-1), so a token moves at most one stage a
//! cycle; "available at c" means usable by the next stage in cycle c.
//!
//! | file | unit | step of a cycle |
//! |---|---|---|
//! | [`sm`] | leaf tests, instances, feedback | 1 |
//! | [`smu`] | stack management unit | 2 |
//! | [`traversal`], [`traversal_unit`] | traversal units | 3 |
//! | [`setup`] | setup unit | 4 |
//! | [`l0`], [`l0_lines`] | L0 cache: fills, lookups | 5, 6 |
//! | [`scheduler`], [`status`] | status entries, policies | 7 |
//! | [`interface`] | accepts queries | 8 |
//! | [`memory`] | L1, L2, DRAM | |
//! | [`local_store`] | queries and stacks | |
//! | [`port`], [`result_queue`] | what goes between units | |
//! | [`tick`], [`stats`] | the cycle, and what is counted and recorded in it | |
//! | [`slot_set`] | sets of slots | |
//! | [`ttu`] | one TTU: all of these | |

pub(crate) mod interface;
pub(crate) mod l0;
mod l0_lines;
pub(crate) mod local_store;
pub(crate) mod memory;
pub(crate) mod port;
pub(crate) mod result_queue;
pub(crate) mod scheduler;
pub(crate) mod setup;
mod slot_set;
pub(crate) mod sm;
pub(crate) mod smu;
pub(crate) mod stats;
pub(crate) mod status;
pub(crate) mod tick;
pub(crate) mod traversal;
mod traversal_unit;
pub(crate) mod ttu;
