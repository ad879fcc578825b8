//! The parameters of the machine: names, defaults, where the defaults come from.
//!
//! | basis | meaning |
//! |---|---|
//! | P | stated in US 9,569,559 |
//! | V | a configuration of Vulkan-Sim (RTX 2060) |
//! | R | a configuration of Arches |
//! | S | siliray's choice |
//!
//! | file | concept |
//! |---|---|
//! | [`parameters`](mod@parameters) | every parameter, explained |
//! | `keys` | refusals, and the nearest name |
//! | `notes` | parameters that do nothing because of others |
//! | [`read`] | TOML, single settings, the hash |
//! | [`shipped`] | configurations that come with siliray |

mod keys;
mod notes;
pub mod parameters;
pub mod read;
pub mod shipped;

pub use parameters::{Config, Parameter, parameters};
pub use read::ConfigError;

use machine::{HitKind, Query, Shape};
use serde::{Deserialize, Serialize};

macro_rules! choice {
    (
        $(#[doc = $doc:literal])+
        $name:ident { $($(#[doc = $value_doc:literal])+ $value:ident = $text:literal,)+ }
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[doc = $value_doc])+ $value,)+ }

        impl parameters::Number for $name {}

        impl $name {
            /// The names of the values, and what each means.
            const VALUES: &[(&str, &str)] = &[$(($text, concat!($($value_doc),+).trim_ascii())),+];
        }
    };
}

choice! {
    /// Who forms reciprocals.
    Rcp {
        /// The SM, before the query is sent: no cycles.
        Sm = "sm",
        /// The unit: latency `t_rcp`, one value a cycle, 3 for a ray and 6 for a beam.
        Ttu = "ttu",
    }
}
choice! {
    /// Which ready slot is picked.
    Policy {
        /// The next one after the last picked.
        RoundRobin = "round_robin",
        /// The one accepted first.
        Oldest = "oldest",
        /// The one that became ready first: a queue (P).
        Fifo = "fifo",
        /// The highest priority, then round robin (T-18).
        Priority = "priority",
        /// The highest priority, then the one accepted first (T-18).
        PriorityOldest = "priority_oldest",
        /// One whose next block lies in the line looked up last, then round robin (T-18).
        LastLine = "last_line",
    }
}
choice! {
    /// Which line of the L0 is replaced.
    Replace {
        /// The one used longest ago.
        Lru = "lru",
        /// The one filled longest ago.
        Fifo = "fifo",
    }
}
choice! {
    /// Who gets the children of a block's root.
    Dispatch {
        /// Child i goes to unit i mod `units`.
        A = "a",
        /// All go to one unit.
        B = "b",
    }
}
choice! {
    /// In which order the foreign nodes of a block are pushed.
    PushOrder {
        /// The nearest is popped first; ties by child index.
        NearFirst = "near_first",
        /// As they come out of the units.
        AsIs = "as_is",
    }
}
choice! {
    /// Which SMs share traversal units.
    Attach {
        /// None: the units of a TPC are dealt to its SMs.
        Sm = "sm",
        /// Those of a TPC share the units of the TPC.
        Tpc = "tpc",
        /// Those of a cluster share all units of the cluster.
        Gpc = "gpc",
    }
}
choice! {
    /// Who is picked after a line has arrived.
    Wakeup {
        /// All that wait for it, back to back, before the line may be evicted.
        Grouped = "grouped",
        /// They compete like any other slot.
        Plain = "plain",
    }
}

/// Bytes of a ray query (section 2.1).
pub const RAY_BYTES: u32 = 32;
/// Bytes of a beam query (section 2.1).
pub const BEAM_BYTES: u32 = 64;
/// Bytes of an entry of a traversal stack (section 2.1).
pub const STACK_ENTRY_BYTES: u64 = 8;
/// Queries of a task: a warp (T-17).
pub const TASK_QUERIES: usize = 32;
/// Extra setup cycles of an oriented block (T-11).
pub const T_ORIENTED: u32 = 4;
/// Bytes that an SM reads at least (T-20).
pub const SECTOR_BYTES: u32 = 32;
/// Ways of the L1 and the L2 (T-17).
pub const CACHE_WAYS: usize = 16;

impl Config {
    /// Beats of a query of `bytes`.
    #[must_use]
    pub const fn beats(&self, bytes: u32) -> u32 {
        bytes.div_ceil(self.port_bytes)
    }

    /// Cycles that a line occupies the fill port.
    #[must_use]
    pub const fn t_fill(&self) -> u32 {
        self.l0_line_bytes.div_ceil(self.fill_bytes_per_cycle)
    }

    /// Bytes of stack entries that are spilled together.
    #[must_use]
    pub const fn spill_bytes(&self) -> u64 {
        self.spill_group as u64 * STACK_ENTRY_BYTES
    }

    /// All TTUs of the machine.
    #[must_use]
    pub const fn ttus(&self) -> u32 {
        self.gpcs * self.tpcs_per_gpc * self.ttus_per_tpc
    }

    /// All SMs of the machine.
    #[must_use]
    pub const fn sms(&self) -> u32 {
        self.gpcs * self.tpcs_per_gpc * self.sms_per_tpc
    }

    /// In each cluster: groups of SMs that share units, and of each group the SMs and the units.
    #[must_use]
    pub const fn groups(&self) -> (u32, u32, u32) {
        let (tpcs, sms, ttus) = (self.tpcs_per_gpc, self.sms_per_tpc, self.ttus_per_tpc);
        match self.attach {
            Attach::Sm => (tpcs * sms, 1, ttus / sms),
            Attach::Tpc => (tpcs, sms, ttus),
            Attach::Gpc => (1, tpcs * sms, tpcs * ttus),
        }
    }

    /// Whether queries of higher priority come first.
    #[must_use]
    pub const fn is_by_priority(&self) -> bool {
        matches!(self.policy, Policy::Priority | Policy::PriorityOldest)
    }

    /// The priority of a query's class, for queries that come without one (T-18).
    #[must_use]
    pub fn class_priority(&self, query: &Query) -> u8 {
        let priority = match (&query.shape, query.kind) {
            (Shape::Beam(_), _) => self.priority_beam,
            (Shape::Ray(_), HitKind::Closest) => self.priority_closest,
            (Shape::Ray(_), HitKind::Any) => self.priority_any,
            (Shape::Ray(_), HitKind::All) => self.priority_all,
        };
        u8::try_from(priority).unwrap_or(u8::MAX)
    }

    /// Ways of a set of the L0.
    #[must_use]
    pub const fn l0_ways(&self) -> u32 {
        if self.l0_assoc == 0 { self.l0_lines } else { self.l0_assoc }
    }
}
