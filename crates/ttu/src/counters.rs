//! What the machine counts. Declared once; every report iterates over [`Counters::named`].

macro_rules! counters {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// Sums over a run.
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct Counters {
            $($(#[doc = $doc])+ pub $name: u64,)+
        }

        impl Counters {
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
    accepted,
    /// Queries that left.
    finished,
    /// Cycles in which a query waited although the port was free: no slot.
    queue_full_stalls,
    /// Cycles that queries spent in their slots.
    lifetime,
    /// Cycles of slots without a query.
    state_free,
    /// Cycles of slots that wait to be picked, or whose query is still arriving.
    state_ready,
    /// Cycles of slots that wait for memory.
    state_fetch,
    /// Cycles of slots between pick and completion.
    state_launched,
    /// Cycles of slots that wait for leaf tests.
    state_drain,
    /// Cycles of slots whose result waits to be read.
    state_done,
    /// Slots picked.
    picks,
    /// Entries popped that had become too far.
    late_culls,
    /// Lookups in the L0 that had an outcome.
    lookups,
    /// Lookups that found their block.
    hits,
    /// Lookups that asked memory.
    misses,
    /// Lookups of lines that were on their way.
    merges,
    /// Lookups refused because no line more could be on its way.
    mshr_full,
    /// Lines filled.
    fills,
    /// Lines replaced.
    evictions,
    /// Cycles in which a line could not be filled: all others were pinned.
    pinned_stalls,
    /// Bytes that came into the L0.
    l0_fill_bytes,
    /// Bytes that came from the L1.
    bytes_from_l1,
    /// Bytes that came from the L2.
    bytes_from_l2,
    /// Bytes that came from DRAM.
    bytes_from_dram,
    /// Bytes that went through the port of the L2: lines for L0s and SMs, spilled entries either
    /// way.
    l2_bytes,
    /// Cycles from request to fill, over all requests.
    fetch_cycles,
    /// Requests, of one line or of the lines of one block.
    fetches,
    /// Waiting slots woken by fills.
    woken,
    /// Blocks that entered the setup unit.
    setups,
    /// Blocks whose root was missed.
    root_rejects,
    /// Blocks that went to the traversal units.
    launches,
    /// Blocks in rotated coordinates, which take longer to set up (T-11).
    oriented_setups,
    /// Cycles in which a block waited for a slot of a unit.
    setup_no_unit_slot,
    /// Cycles in which a block waited for the write port.
    setup_write_port,
    /// Cycles in which the lookup stage waited for the setup FIFO.
    setup_fifo_full,
    /// Box tests issued.
    issue_used,
    /// Issue slots of units without a block.
    bubbles_empty,
    /// Issue slots of units whose blocks all wait for results.
    bubbles_dependency,
    /// Issue slots of units that wait for the result queue.
    bubbles_result_queue,
    /// Issue slots left over by groups with fewer siblings than a unit tests.
    bubbles_partial,
    /// Children tested, the roots of blocks not counted.
    children_tested,
    /// Children met.
    children_hit,
    /// Children met whose boxes the query as it came misses exactly; 0 unless that is asked for.
    false_positives,
    /// Groups of siblings visited.
    nodes_visited,
    /// Children met that lead on inside the block.
    inside_hits,
    /// Entries that went into the result queue.
    result_pushes,
    /// Entries that came out of it.
    result_pops,
    /// Leaves among them.
    leaves,
    /// Foreign blocks among them.
    foreign,
    /// Completion tokens among them.
    completions,
    /// Entries of the result queue, summed over cycles.
    result_queue_entries,
    /// Pushes onto traversal stacks, roots not counted.
    stack_pushes,
    /// Pops.
    stack_pops,
    /// Largest depth of a stack.
    stack_depth_max,
    /// Depths after pushes, summed.
    stack_depth_sum,
    /// Groups of entries spilled.
    spills,
    /// Groups of entries fetched back.
    spill_fills,
    /// Bytes of entries written to the L2 and read back.
    spill_bytes,
    /// Primitives that the SM tested.
    primitives,
    /// Instances that the SM transformed queries for.
    instances,
    /// Times that a shorter tmax reached a slot.
    feedbacks,
    /// Bytes that the SM fetched for leaves.
    sm_fetch_bytes,
    /// Multiplications of box tests: 6 an issued test, and 1 to widen.
    multiplications,
    /// Subtractions and additions of box tests.
    additions,
    /// Compares of box tests.
    compares,
    /// Bytes read from the L0, the local stores and the stacks.
    sram_read_bytes,
    /// Bytes written to them.
    sram_written_bytes,
}
