//! The units of the machine, one file each. A cycle visits them from the back to the front (T-1),
//! so a token moves at most one stage a cycle; "available at c" means usable by the next stage in
//! cycle c.
//!
//! | file | unit | step of a cycle |
//! |---|---|---|
//! | [`sm`] | leaf tests, instances, feedback | 1 |
//! | [`smu`] | stack management unit | 2 |
//! | [`traversal`] | traversal units | 3 |
//! | [`setup`] | setup unit | 4 |
//! | [`l0`] | L0 cache: fills, lookups | 5, 6 |
//! | [`scheduler`] | slots, policies | 7 |
//! | [`interface`] | accepts queries | 8 |
//! | [`result_queue`] | between units and SMU | |
//! | [`memory`] | L1, L2, DRAM | |
//! | [`slot`] | status entries | |
//! | [`ttu`] | one TTU: all of these | |

pub(crate) mod interface;
pub(crate) mod l0;
pub(crate) mod memory;
pub(crate) mod result_queue;
pub(crate) mod scheduler;
pub(crate) mod setup;
pub(crate) mod slot;
pub(crate) mod sm;
pub(crate) mod smu;
pub(crate) mod traversal;
pub(crate) mod ttu;
