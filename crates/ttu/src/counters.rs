//! What the machine counts. Declared once; every report iterates over [`Counters::named`].

use crate::explained::Explained;

macro_rules! counters {
    ($($(#[doc = $doc:literal])+ $name:ident: $unit:literal,)+) => {
        /// Sums over a run.
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct Counters {
            $($(#[doc = $doc])+ pub $name: u64,)+
        }

        impl Counters {
            /// What each counter means, in the order of declaration.
            pub const EXPLAINED: &[Explained] = &[
                $(Explained {
                    name: stringify!($name),
                    unit: $unit,
                    meaning: concat!($($doc),+).trim_ascii(),
                },)+
            ];

            /// Every counter with its name, in the order of declaration.
            #[must_use]
            pub fn named(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name)),+]
            }

            /// Adds those of another unit.
            pub(crate) fn add(&mut self, other: &Self) {
                $(self.$name += other.$name;)+
            }
        }
    };
}

counters! {
    /// Queries that the interface took, those that the SM launched for instances included.
    accepted: "queries",
    /// Queries that left.
    finished: "queries",
    /// Cycles in which a query waited although the port was free: no slot.
    queue_full_stalls: "cycles",
    /// Cycles that queries spent in their slots.
    lifetime: "cycles",
    /// Cycles of slots without a query.
    state_free: "slot cycles",
    /// Cycles of slots that wait to be picked, or whose query is still arriving.
    state_ready: "slot cycles",
    /// Cycles of slots that wait for memory.
    state_fetch: "slot cycles",
    /// Cycles of slots between pick and completion.
    state_launched: "slot cycles",
    /// Cycles of slots that wait for leaf tests.
    state_drain: "slot cycles",
    /// Cycles of slots whose result waits to be read.
    state_done: "slot cycles",
    /// Slots that the scheduler picked.
    picks: "slots",
    /// Picks that went to a slot before its turn, for its priority.
    overtakes: "slots",
    /// Entries popped that had become too far.
    late_culls: "entries",
    /// Lookups in the L0 that found a block, asked memory or joined a fetch.
    lookups: "lookups",
    /// Lookups that found their block.
    hits: "lookups",
    /// Lookups that asked memory.
    misses: "lookups",
    /// Lookups of lines that were on their way.
    merges: "lookups",
    /// Lookups refused because no line more could be on its way.
    mshr_full: "lookups",
    /// Lines filled.
    fills: "lines",
    /// Lines replaced.
    evictions: "lines",
    /// Cycles in which a line could not be filled: all others were pinned.
    pinned_stalls: "cycles",
    /// Bytes that came into the L0.
    l0_fill_bytes: "bytes",
    /// Bytes that came into the L0 from the L1.
    bytes_from_l1: "bytes",
    /// Bytes that came into the L0 from the L2.
    bytes_from_l2: "bytes",
    /// Bytes that came into the L0 from DRAM.
    bytes_from_dram: "bytes",
    /// Bytes that went through the port of the L2: lines for L0s and SMs, spilled entries either
    /// way.
    l2_bytes: "bytes",
    /// Bytes that went through DRAM: lines for L0s, SMs and spilled entries, and written lines that
    /// the L2 replaced.
    dram_bytes: "bytes",
    /// Cycles from request to fill, over all requests.
    fetch_cycles: "cycles",
    /// Requests, of one line or of the lines of one block.
    fetches: "requests",
    /// Waiting slots woken by fills.
    woken: "slots",
    /// Blocks that entered the setup unit.
    setups: "blocks",
    /// Bytes of these blocks, wherever they came from.
    block_bytes: "bytes",
    /// Blocks whose root was missed.
    root_rejects: "blocks",
    /// Blocks that went to the traversal units.
    launches: "blocks",
    /// Blocks in rotated coordinates, which take longer to set up (T-11).
    oriented_setups: "blocks",
    /// Cycles in which a block waited for a slot of a unit.
    setup_no_unit_slot: "cycles",
    /// Cycles in which a block waited for the write port.
    setup_write_port: "cycles",
    /// Cycles in which the lookup stage waited for the setup FIFO.
    setup_fifo_full: "cycles",
    /// Box tests issued.
    issue_used: "issue slots",
    /// Issue slots of units without a block.
    bubbles_empty: "issue slots",
    /// Issue slots of units whose blocks all wait for results.
    bubbles_dependency: "issue slots",
    /// Issue slots of units that wait for the result queue.
    bubbles_result_queue: "issue slots",
    /// Issue slots left over by groups with fewer siblings than a unit tests.
    bubbles_partial: "issue slots",
    /// Children tested, the roots of blocks not counted.
    children_tested: "boxes",
    /// Children met.
    children_hit: "boxes",
    /// Children met whose boxes the query as it came misses exactly; 0 unless that is asked for.
    false_positives: "boxes",
    /// Groups of siblings visited.
    nodes_visited: "groups",
    /// Children met that lead on inside the block.
    inside_hits: "boxes",
    /// Entries that went into the result queue.
    result_pushes: "entries",
    /// Entries that came out of the result queue.
    result_pops: "entries",
    /// Leaves among the entries of the result queue.
    leaves: "leaves",
    /// Pointers to other blocks among the entries of the result queue.
    foreign: "blocks",
    /// Completion tokens among the entries of the result queue.
    completions: "tokens",
    /// Entries of the result queue, summed over cycles.
    result_queue_entries: "entry cycles",
    /// Pushes onto traversal stacks, roots not counted.
    stack_pushes: "entries",
    /// Pops from traversal stacks.
    stack_pops: "entries",
    /// Largest depth of a stack.
    stack_depth_max: "entries",
    /// Depths after pushes, summed.
    stack_depth_sum: "entries",
    /// Groups of entries spilled.
    spills: "groups",
    /// Groups of entries fetched back.
    spill_fills: "groups",
    /// Bytes of entries written to the L2 and read back.
    spill_bytes: "bytes",
    /// Tasks that gave their place to a pending one while they waited for memory.
    tasks_evicted: "tasks",
    /// Tasks among them that came back, because a leaf waited for their SM.
    tasks_resumed: "tasks",
    /// Tasks among them that ended without coming back.
    tasks_ended_pending: "tasks",
    /// Leaves that waited for their task to come back.
    leaves_held: "leaves",
    /// Primitives that the SM tested.
    primitives: "primitives",
    /// Instances that the SM transformed queries for.
    instances: "instances",
    /// Times that a shorter tmax reached a slot.
    feedbacks: "slots",
    /// Bytes of leaves: references or ranges, and the primitives and instances that they name.
    leaf_bytes: "bytes",
    /// Bytes that SMs read for leaves, in sectors of 32: references or ranges, then primitives and
    /// instances, each sector once a leaf.
    sm_fetch_bytes: "bytes",
    /// Multiplications of box tests: 6 an issued test, and 1 to widen.
    multiplications: "operations",
    /// Subtractions and additions of box tests.
    additions: "operations",
    /// Compares of box tests.
    compares: "operations",
    /// Bytes read from the L0, the local stores and the stacks.
    sram_read_bytes: "bytes",
    /// Bytes written to the L0, the local stores and the stacks.
    sram_written_bytes: "bytes",
}
