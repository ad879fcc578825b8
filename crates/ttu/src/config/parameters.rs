//! Every parameter, declared once: name, kind, default, what it may be, and what it means.

use super::{Attach, Dispatch, Policy, PushOrder, Rcp, Replace, Wakeup};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// A parameter as people are told about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// The name used in files and options.
    pub name: &'static str,
    /// What a number counts; empty for plain counts and for names.
    pub unit: &'static str,
    /// What it may be.
    pub allowed: String,
    /// What it means, and where the default comes from.
    pub meaning: &'static str,
}

/// What a parameter may be, as its kind has it.
pub(super) enum Allowed {
    /// A number.
    Range(RangeInclusive<u32>),
    /// A name or a truth value: each with its meaning, if that is not plain.
    OneOf(&'static [(&'static str, &'static str)]),
}

/// The value of a parameter that is a number; of any other it means nothing.
pub(super) trait Number {
    fn number(&self) -> u32 {
        0
    }
}

impl Number for bool {}

impl Number for u32 {
    fn number(&self) -> u32 {
        *self
    }
}

const LATENCY: RangeInclusive<u32> = 0..=100_000;
const WIDTH: RangeInclusive<u32> = 1..=64;
const PRIORITY: RangeInclusive<u32> = 0..=255;
const TRUTH: &[(&str, &str)] = &[("true", ""), ("false", "")];

macro_rules! parameters {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident: $kind:ty = $default:expr, $allowed:expr;
    )+) => {
        /// Every parameter of the machine.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct Config {
            $($(#[doc = $doc])+ pub $name: $kind,)+
        }

        impl Default for Config {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        impl Config {
            /// Every parameter that is a number, its value and what it may be.
            pub(super) fn ranges(&self) -> Vec<(&'static str, u32, RangeInclusive<u32>)> {
                let all = [$((stringify!($name), self.$name.number(), $allowed.into())),+];
                all.into_iter()
                    .filter_map(|(name, number, allowed)| match allowed {
                        Allowed::Range(range) => Some((name, number, range)),
                        Allowed::OneOf(_) => None,
                    })
                    .collect()
            }
        }

        /// Name, what it may be and meaning of every parameter, in the order of declaration.
        pub(super) fn declared() -> Vec<(&'static str, Allowed, &'static str)> {
            vec![$((stringify!($name), $allowed.into(), concat!($($doc),+).trim_ascii())),+]
        }
    };
}

impl From<RangeInclusive<u32>> for Allowed {
    fn from(range: RangeInclusive<u32>) -> Self {
        Self::Range(range)
    }
}

impl From<&'static [(&'static str, &'static str)]> for Allowed {
    fn from(values: &'static [(&'static str, &'static str)]) -> Self {
        Self::OneOf(values)
    }
}

parameters! {
    /// Clock for figures in seconds (V: core clock of the RTX 2060).
    clock_mhz: u32 = 1365, 1..=100_000;
    /// Queries in the unit, each with a status entry, a query record and a stack (P: 32).
    slots: u32 = 32, 1..=4096;
    /// Queries that the interface takes at once (S).
    accept_per_cycle: u32 = 1, WIDTH;
    /// Bytes a beat: a ray is 32 bytes, a beam 64 (S).
    port_bytes: u32 = 32, 1..=1024;
    /// Who forms reciprocals (S).
    rcp: Rcp = Rcp::Sm, Rcp::VALUES;
    /// Latency of the unit's own reciprocals, one value a cycle (S).
    t_rcp: u32 = 8, LATENCY;
    /// Slots picked in a cycle (P: one).
    pick_per_cycle: u32 = 1, WIDTH;
    /// Which slot is picked (P: any policy).
    policy: Policy = Policy::RoundRobin, Policy::VALUES;
    /// Priority of rays that ask for the closest hit; queries may have their own (T-18).
    priority_closest: u32 = 0, PRIORITY;
    /// Priority of rays that ask for any hit (T-18).
    priority_any: u32 = 0, PRIORITY;
    /// Priority of rays that ask for all hits (T-18).
    priority_all: u32 = 0, PRIORITY;
    /// Priority of beams (T-18).
    priority_beam: u32 = 0, PRIORITY;
    /// What a query through an instance has more: its question is under way (T-18).
    priority_instance: u32 = 1, PRIORITY;
    /// Cycles to pop the traversal stack (S).
    t_pop: u32 = 1, LATENCY;
    /// Lines of the L0 (P: 8).
    l0_lines: u32 = 8, 1..=65_536;
    /// Bytes of a line (P: 128).
    l0_line_bytes: u32 = 128, 32..=4096;
    /// Ways of the L0; 0 is fully associative (S).
    l0_assoc: u32 = 0, 0..=65_536;
    /// Which line is replaced (S).
    l0_replace: Replace = Replace::Lru, Replace::VALUES;
    /// Lookups that begin in a cycle (S).
    l0_lookups_per_cycle: u32 = 1, WIDTH;
    /// Cycles of a lookup (S).
    t_l0: u32 = 2, 1..=100_000;
    /// Lines that can be on their way to the L0 at a time (S).
    l0_mshrs: u32 = 8, 1..=4096;
    /// Queries that may wait for one line; 0 is any number (S).
    merge: u32 = 0, 0..=4096;
    /// Bytes of a line that arrive in the L0 in a cycle (S).
    fill_bytes_per_cycle: u32 = 32, 1..=4096;
    /// Whether the SM's L1 is in the path (T-12: off).
    l1: bool = false, TRUTH;
    /// Size of the L1 (P: 64 KB).
    l1_kib: u32 = 64, 2..=65_536;
    /// Latency of an L1 hit (V: 20, R: 39).
    t_l1: u32 = 20, LATENCY;
    /// Latency of an L2 hit, translation included (V: 160, R: 187; T-12, T-14).
    t_l2: u32 = 160, LATENCY;
    /// What DRAM adds to the latency (V: 100, R: 254; T-12).
    t_dram: u32 = 100, LATENCY;
    /// Bandwidth of the L2, for all that share it; 0 is unlimited (V: 24 slices of 32 bytes; T-20).
    l2_bytes_per_cycle: u32 = 768, 0..=65_536;
    /// Bandwidth of DRAM (V: 336 GB/s at 1365 MHz).
    dram_bytes_per_cycle: u32 = 246, 1..=65_536;
    /// Cycles of the setup unit: read 1, transform 3, dispatch 2 (S).
    t_setup: u32 = 6, 1..=10_000;
    /// Blocks that wait for the setup unit (S).
    setup_fifo: u32 = 2, 1..=4096;
    /// Whether the setup unit tests the root of a block (P: optional; T-4).
    root_test: bool = true, TRUTH;
    /// Who gets the children of a block's root (P: both; T-3).
    dispatch: Dispatch = Dispatch::B, Dispatch::VALUES;
    /// Traversal units (P: 4).
    units: u32 = 4, WIDTH;
    /// Boxes that a unit tests in a cycle (P: 8 children in parallel).
    tests_per_unit: u32 = 2, 1..=16;
    /// Depth of the box pipeline (R: 12).
    t_box: u32 = 12, 1..=10_000;
    /// Blocks in a unit's local store (P: 5).
    unit_slots: u32 = 5, WIDTH;
    /// Blocks of a unit's local store that can be read in a cycle (P: 4).
    readable: u32 = 4, WIDTH;
    /// Blocks that can be written into local stores in a cycle (P: 1).
    writable: u32 = 1, WIDTH;
    /// Entries of the result queue (S).
    result_queue: u32 = 16, 1..=65_536;
    /// Results that the stack management unit takes in a cycle (S).
    smu_per_cycle: u32 = 1, WIDTH;
    /// In which order foreign nodes lie on the stack (T-7).
    push_order: PushOrder = PushOrder::NearFirst, PushOrder::VALUES;
    /// Entries of a stack that stay on the chip (S).
    stack_on_chip: u32 = 32, 1..=65_536;
    /// Entries that are spilled and fetched together (S).
    spill_group: u32 = 8, 1..=65_536;
    /// Latency of a leaf in the SM (S).
    t_leaf: u32 = 40, LATENCY;
    /// Primitives that the SM tests in a cycle (S).
    tris_per_cycle: u32 = 1, WIDTH;
    /// Bytes of leaves that come into an SM in a cycle; 0 is unlimited (V: one sector of 32 bytes;
    /// T-20).
    sm_fetch_bytes_per_cycle: u32 = 32, 0..=65_536;
    /// Cycles until a shorter tmax reaches the unit (S).
    t_feedback: u32 = 20, LATENCY;
    /// Who is picked after a line has arrived (S).
    wakeup: Wakeup = Wakeup::Grouped, Wakeup::VALUES;
    /// Clusters (T-17).
    gpcs: u32 = 1, 1..=1024;
    /// Texture processing clusters a cluster (T-17).
    tpcs_per_gpc: u32 = 1, 1..=1024;
    /// SMs a texture processing cluster (P: one; T-23).
    sms_per_tpc: u32 = 1, WIDTH;
    /// Traversal units of this kind a texture processing cluster (T-17).
    ttus_per_tpc: u32 = 1, 1..=1024;
    /// Which SMs share traversal units (P: all three; T-23).
    attach: Attach = Attach::Tpc, Attach::VALUES;
    /// Cycles between an SM and its traversal units, each way (S; T-23).
    t_link: u32 = 0, LATENCY;
    /// Tasks of 32 queries that wait in a cluster (P: 16; T-17).
    pending_slots: u32 = 16, 1..=65_536;
    /// Tasks of 32 queries that run in a cluster (P: 4; T-17).
    active_slots: u32 = 4, 1..=65_536;
    /// Whether a task that only waits for memory gives its place to a pending one (P: it may;
    /// T-22).
    evict: bool = false, TRUTH;
    /// Size of the shared L2; 0 always hits (T-17).
    l2_kib: u32 = 0, 0..=1_048_576;
}

/// Every parameter, explained.
#[must_use]
pub fn parameters() -> Vec<Parameter> {
    let explained = |(name, allowed, meaning): (&'static str, Allowed, &'static str)| Parameter {
        name,
        unit: unit_of(name),
        allowed: match allowed {
            Allowed::Range(range) => format!("{} to {}", range.start(), range.end()),
            Allowed::OneOf(values) => {
                let value = |&(value, meaning): &(&str, &str)| match meaning {
                    "" => value.to_owned(),
                    meaning => format!("{value} ({})", meaning.trim_end_matches('.')),
                };
                values.iter().map(value).collect::<Vec<_>>().join(", ")
            }
        },
        meaning,
    };
    declared().into_iter().map(explained).collect()
}

/// What the end or the beginning of a name says about its unit.
fn unit_of(name: &str) -> &'static str {
    match name {
        _ if name.starts_with("t_") => "cycles",
        _ if name.ends_with("_bytes_per_cycle") => "bytes a cycle",
        _ if name.ends_with("_bytes") => "bytes",
        _ if name.ends_with("_kib") => "KiB",
        _ if name.ends_with("_mhz") => "MHz",
        _ => "",
    }
}

impl Config {
    /// The parameters as a TOML table: a flat one of numbers, truth values and names.
    #[must_use]
    pub fn to_table(&self) -> toml::Table {
        toml::Table::try_from(self).unwrap_or_default()
    }

    /// What differs from another configuration: each parameter with both values.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<(&'static str, [String; 2])> {
        let tables = [self.to_table(), other.to_table()];
        let text = |table: &toml::Table, name: &str| match table.get(name) {
            Some(toml::Value::String(value)) => value.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        };
        let both = |name| (name, [text(&tables[0], name), text(&tables[1], name)]);
        let all = declared().into_iter().map(|(name, ..)| both(name));
        all.filter(|(_, [own, others])| own != others).collect()
    }
}
