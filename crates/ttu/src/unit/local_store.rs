//! The local storage: for each slot the query and its traversal stack.
//!
//! The interface writes queries, the SM shortens their ranges, the setup unit and the traversal
//! units read them. The stack management unit pushes onto stacks, the scheduler pops.

use super::memory::SpillGroup;
use crate::config::Config;
use crate::local_query::LocalQuery;
use crate::program::Tested;
use geometry::{Beam, Ray, Vec3};

/// An entry of a traversal stack: 8 bytes in the machine, where the box begins among them (T-6),
/// and the child index for ties.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StackEntry {
    pub(crate) block: u32,
    pub(crate) entry_t: f32,
    pub(crate) child: u8,
}

/// A traversal stack.
#[derive(Debug)]
pub(crate) struct Stack {
    pub(crate) entries: Vec<StackEntry>,
    /// Where the pushes of the current block begin.
    pub(crate) block_base: usize,
    /// Entries at the bottom that lie in memory.
    pub(crate) spilled: usize,
    /// Its number in the whole machine.
    number: u64,
}

impl Stack {
    /// Takes the top entry; what is pushed from now on belongs to its block.
    pub(crate) fn pop(&mut self) -> Option<StackEntry> {
        let entry = self.entries.pop();
        self.block_base = self.entries.len();
        entry
    }

    /// Entries on the chip.
    pub(crate) fn on_chip(&self) -> usize {
        self.entries.len() - self.spilled
    }

    /// The group above those that lie in memory.
    pub(crate) fn spill_group(&self, config: &Config) -> SpillGroup {
        let number = self.spilled as u64 / u64::from(config.spill_group);
        SpillGroup { stack: self.number, number }
    }
}

/// A query.
#[derive(Debug)]
pub(crate) struct QueryRecord {
    /// The question that it works for.
    pub(crate) job: u32,
    /// The placement that it came through.
    pub(crate) instance: Option<u32>,
    pub(crate) local: LocalQuery,
    /// The query as it came, if tests are compared with exact arithmetic.
    pub(crate) exact_beam: Option<Beam>,
    pub(crate) mask: u8,
    /// How far boxes matter, as the unit knows it.
    pub(crate) tmax: f32,
    /// Whether the slot is in use.
    pub(crate) is_live: bool,
}

/// The local storage of a TTU, by slot.
#[derive(Debug)]
pub(crate) struct LocalStore {
    pub(crate) queries: Vec<QueryRecord>,
    pub(crate) stacks: Vec<Stack>,
    /// Where the query meets the boxes of the block that it is at, of which a slot has one at a
    /// time: the setup unit writes it, the traversal units read it.
    pub(crate) tested: Vec<Tested>,
}

impl LocalStore {
    /// A store whose first stack is the stack `first_stack` of the whole machine.
    pub(crate) fn new(first_stack: u64, config: &Config) -> Self {
        let query = |_| QueryRecord {
            job: 0,
            instance: None,
            local: LocalQuery::dilated(&Ray::new(Vec3::ZERO, Vec3::X), 0.0),
            exact_beam: None,
            mask: 0,
            tmax: 0.0,
            is_live: false,
        };
        let stack = |slot: u32| Stack {
            entries: Vec::with_capacity(64),
            block_base: 0,
            spilled: 0,
            number: first_stack + u64::from(slot),
        };
        Self {
            queries: (0..config.slots).map(query).collect(),
            stacks: (0..config.slots).map(stack).collect(),
            tested: vec![Tested::NONE; config.slots as usize],
        }
    }

    /// Puts a query in, with the root on its stack.
    pub(crate) fn put(&mut self, slot: u32, query: QueryRecord, root: u32) {
        self.queries[slot as usize] = query;
        let stack = &mut self.stacks[slot as usize];
        stack.entries.clear();
        stack.entries.push(StackEntry { block: root, entry_t: 0.0, child: 0 });
        (stack.block_base, stack.spilled) = (0, 0);
    }

    /// Boxes matter less far for the queries of a question; says how many these are.
    pub(crate) fn shorten(&mut self, job: u32, tmax: f32) -> u64 {
        let mut count = 0;
        for query in self.queries.iter_mut().filter(|query| query.is_live && query.job == job) {
            query.tmax = query.tmax.min(tmax);
            count += 1;
        }
        count
    }
}
