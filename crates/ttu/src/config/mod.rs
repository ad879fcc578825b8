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
//! | `mod` | every parameter |
//! | `keys` | names and what each parameter may be |
//! | [`read`] | TOML, single settings, the hash |
//! | [`shipped`] | configurations that come with siliray |

mod keys;
pub mod read;
pub mod shipped;

pub use read::ConfigError;

use serde::{Deserialize, Serialize};

/// Every parameter of the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Clock for figures in seconds (V: core clock of the RTX 2060).
    pub clock_mhz: u32,
    /// Identifiers, each with a status entry, a query record and a stack (P: 32).
    pub slots: u32,
    /// Queries that the interface takes at once (S).
    pub accept_per_cycle: u32,
    /// Bytes a beat: a ray is 32 bytes, a beam 64 (S).
    pub port_bytes: u32,
    /// Who forms reciprocals (S).
    pub rcp: Rcp,
    /// Latency of the unit's own reciprocals, one value a cycle (S).
    pub t_rcp: u32,
    /// Slots picked in a cycle (P: one).
    pub pick_per_cycle: u32,
    /// Which slot is picked (S).
    pub policy: Policy,
    /// Cycles to pop the traversal stack (S).
    pub t_pop: u32,
    /// Lines of the L0 (P: 8).
    pub l0_lines: u32,
    /// Bytes of a line (P: 128).
    pub l0_line_bytes: u32,
    /// Ways of the L0; 0 is fully associative (S).
    pub l0_assoc: u32,
    /// Which line is replaced (S).
    pub l0_replace: Replace,
    /// Lookups that begin in a cycle (S).
    pub l0_lookups_per_cycle: u32,
    /// Cycles of a lookup (S).
    pub t_l0: u32,
    /// Lines on their way (S).
    pub l0_mshrs: u32,
    /// Queries that may wait for one line; 0 is any number (S).
    pub merge: u32,
    /// Bytes of a line that arrive in a cycle (S).
    pub fill_bytes_per_cycle: u32,
    /// Whether the SM's L1 is in the path (T-12: off).
    pub l1: bool,
    /// Size of the L1 (P: 64 KB).
    pub l1_kib: u32,
    /// Latency of an L1 hit (V: 20, R: 39).
    pub t_l1: u32,
    /// Latency of an L2 hit, translation included (V: 160, R: 187; T-12, T-14).
    pub t_l2: u32,
    /// What DRAM adds (V: 100, R: 254; T-12).
    pub t_dram: u32,
    /// Bandwidth of the L2, for all that share it; 0 is unlimited (V: 24 slices of 32 bytes; T-20).
    pub l2_bytes_per_cycle: u32,
    /// Bandwidth of DRAM (V: 336 GB/s at 1365 MHz).
    pub dram_bytes_per_cycle: u32,
    /// Cycles of the setup unit: read 1, transform 3, dispatch 2 (S).
    pub t_setup: u32,
    /// Blocks that wait for the setup unit (S).
    pub setup_fifo: u32,
    /// Whether the setup unit tests the root of a block (P: optional; T-4).
    pub root_test: bool,
    /// Who gets the children of a block's root (P: both; T-3).
    pub dispatch: Dispatch,
    /// Traversal units (P: 4).
    pub units: u32,
    /// Boxes that a unit tests in a cycle (P: 8 children in parallel).
    pub tests_per_unit: u32,
    /// Depth of the box pipeline (R: 12).
    pub t_box: u32,
    /// Blocks in a unit's local store (P: 5).
    pub unit_slots: u32,
    /// Slots of a unit that can be read in a cycle (P: 4).
    pub readable: u32,
    /// Slots that can be written in a cycle (P: 1).
    pub writable: u32,
    /// Entries of the result queue (S).
    pub result_queue: u32,
    /// Results that the stack management unit takes in a cycle (S).
    pub smu_per_cycle: u32,
    /// In which order foreign nodes lie on the stack (T-7).
    pub push_order: PushOrder,
    /// Entries of a stack that stay on the chip (S).
    pub stack_on_chip: u32,
    /// Entries that are spilled and fetched together (S).
    pub spill_group: u32,
    /// Latency of a leaf in the SM (S).
    pub t_leaf: u32,
    /// Primitives that the SM tests in a cycle (S).
    pub tris_per_cycle: u32,
    /// Bytes of leaves that come into an SM in a cycle; 0 is unlimited (V: one sector of 32 bytes;
    /// T-20).
    pub sm_fetch_bytes_per_cycle: u32,
    /// Cycles until a shorter tmax reaches the unit (S).
    pub t_feedback: u32,
    /// Whether queries that wait for one line are picked together (S).
    pub wakeup: Wakeup,
    /// Clusters (T-17).
    pub gpcs: u32,
    /// Texture processing clusters a cluster, each with one SM (T-17).
    pub tpcs_per_gpc: u32,
    /// Traversal units of this kind an SM (T-17).
    pub ttus_per_tpc: u32,
    /// Tasks that wait in a cluster (P: 16; T-17).
    pub pending_slots: u32,
    /// Tasks that run in a cluster (P: 4; T-17).
    pub active_slots: u32,
    /// Size of the shared L2; 0 always hits (T-17).
    pub l2_kib: u32,
}

macro_rules! choice {
    (
        $(#[doc = $doc:literal])+
        $name:ident { $($(#[doc = $value_doc:literal])+ $value:ident,)+ }
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[doc = $value_doc])+ $value,)+ }
    };
}

choice! {
    /// Who forms reciprocals.
    Rcp {
        /// The SM, before the query is sent: no cycles.
        Sm,
        /// The unit: latency `t_rcp`, one value a cycle, 3 for a ray and 6 for a beam.
        Ttu,
    }
}
choice! {
    /// Which ready slot is picked.
    Policy {
        /// The next one after the last picked.
        RoundRobin,
        /// The one accepted first.
        Oldest,
        /// The highest priority, then round robin (T-18).
        Priority,
        /// One whose next block lies in the line looked up last, then round robin (T-18).
        LastLine,
    }
}
choice! {
    /// Which line of the L0 is replaced.
    Replace {
        /// The one used longest ago.
        Lru,
        /// The one filled longest ago.
        Fifo,
    }
}
choice! {
    /// Who gets the children of a block's root.
    Dispatch {
        /// Child i goes to unit i mod `units`.
        A,
        /// All go to one unit.
        B,
    }
}
choice! {
    /// In which order the foreign nodes of a block are pushed.
    PushOrder {
        /// The nearest is popped first; ties by child index.
        NearFirst,
        /// As they come out of the units.
        AsIs,
    }
}
choice! {
    /// Who is picked after a line has arrived.
    Wakeup {
        /// All that wait for it, back to back, before the line may be evicted.
        Grouped,
        /// They compete like any other slot.
        Plain,
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            clock_mhz: 1365,
            slots: 32,
            accept_per_cycle: 1,
            port_bytes: 32,
            rcp: Rcp::Sm,
            t_rcp: 8,
            pick_per_cycle: 1,
            policy: Policy::RoundRobin,
            t_pop: 1,
            l0_lines: 8,
            l0_line_bytes: 128,
            l0_assoc: 0,
            l0_replace: Replace::Lru,
            l0_lookups_per_cycle: 1,
            t_l0: 2,
            l0_mshrs: 8,
            merge: 0,
            fill_bytes_per_cycle: 32,
            l1: false,
            l1_kib: 64,
            t_l1: 20,
            t_l2: 160,
            t_dram: 100,
            l2_bytes_per_cycle: 768,
            dram_bytes_per_cycle: 246,
            t_setup: 6,
            setup_fifo: 2,
            root_test: true,
            dispatch: Dispatch::B,
            units: 4,
            tests_per_unit: 2,
            t_box: 12,
            unit_slots: 5,
            readable: 4,
            writable: 1,
            result_queue: 16,
            smu_per_cycle: 1,
            push_order: PushOrder::NearFirst,
            stack_on_chip: 32,
            spill_group: 8,
            t_leaf: 40,
            tris_per_cycle: 1,
            sm_fetch_bytes_per_cycle: 32,
            t_feedback: 20,
            wakeup: Wakeup::Grouped,
            gpcs: 1,
            tpcs_per_gpc: 1,
            ttus_per_tpc: 1,
            pending_slots: 16,
            active_slots: 4,
            l2_kib: 0,
        }
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

    /// Ways of a set of the L0.
    #[must_use]
    pub const fn l0_ways(&self) -> u32 {
        if self.l0_assoc == 0 { self.l0_lines } else { self.l0_assoc }
    }
}
