//! One traversal unit: the inner loop of a block (step 9 of the event list).
//!
//! A unit holds up to `unit_slots` blocks with a local stack each. Every cycle it gives one result
//! to the queue, and issues up to `tests_per_unit` tests of siblings from the local stack of one
//! readable slot, round robin. Results appear `t_box` later; children inside the block can be
//! issued in that very cycle. When the local stack is empty, nothing is in flight and everything is
//! reported, the completion token goes out, in a push of its own (T-5).

use super::local_store::LocalStore;
use super::result_queue::{Outcome, ResultEntry, ResultQueue};
use super::scheduler::BlockRequest;
use super::setup::UnitWrite;
use super::stats::Stats;
use super::tick::Tick;
use crate::config::Config;
use crate::program::{MAX_NODES, Program, Tested};
use crate::run::Held;
use geometry::slab::widen;
use machine::Observer;
use machine::blocks::BlockLead;
use std::collections::VecDeque;

/// A block in a unit, with its local stack: sets of siblings still to be tested.
#[derive(Debug, Clone, Copy)]
struct UnitSlot {
    slot: u32,
    block: u32,
    readable_at: u64,
    stack: [u16; MAX_NODES],
    depth: u8,
    in_flight: u8,
    unreported: u8,
}

impl UnitSlot {
    fn new(write: &UnitWrite) -> Self {
        let BlockRequest { slot, block } = write.request;
        let mut stack = [0; MAX_NODES];
        stack[0] = write.group;
        let readable_at = write.readable_at;
        Self { slot, block, readable_at, stack, depth: 1, in_flight: 0, unreported: 0 }
    }

    fn is_complete(&self) -> bool {
        self.depth == 0 && self.in_flight == 0 && self.unreported == 0
    }
}

/// Which of the nodes are met if boxes matter up to `tmax`. The setup unit has found where the
/// query meets each box; how far they matter, which may have become less since, is asked when a
/// test is issued (T-19).
fn met(tested: &Tested, nodes: u16, tmax: f32) -> u16 {
    let reach = widen(tmax);
    let is_near = |&node: &usize| tested.entries[node] <= reach;
    Bits(nodes & tested.hits).filter(is_near).fold(0, |set, node| set | 1 << node)
}

/// Tests in the pipeline, with their outcome.
#[derive(Debug, Clone, Copy)]
struct IssuedTest {
    at: u64,
    place: u8,
    /// Nodes that the query meets.
    met: u16,
}

/// One traversal unit.
#[derive(Debug)]
pub(super) struct TraversalUnit {
    number: u32,
    places: Vec<Option<UnitSlot>>,
    occupied: usize,
    issued: VecDeque<IssuedTest>,
    /// Nodes that were met and have to be reported, by place.
    reports: VecDeque<(u8, u8)>,
    /// Places whose completion has to be reported.
    complete: VecDeque<u8>,
    next: usize,
    is_blocked: bool,
    /// Tests issued.
    pub(super) used: u64,
}

impl TraversalUnit {
    pub(super) fn new(number: u32, config: &Config) -> Self {
        Self {
            number,
            places: vec![None; config.unit_slots as usize],
            occupied: 0,
            issued: VecDeque::with_capacity(32),
            reports: VecDeque::with_capacity(32),
            complete: VecDeque::with_capacity(8),
            next: 0,
            is_blocked: false,
            used: 0,
        }
    }

    /// Puts a block into a free place.
    pub(super) fn write(&mut self, write: &UnitWrite) {
        if let Some(place) = self.places.iter_mut().find(|place| place.is_none()) {
            *place = Some(UnitSlot::new(write));
            self.occupied += 1;
        }
    }

    /// One cycle with a block at least: whether anything moved, and the block that left its place,
    /// if one did.
    pub(super) fn tick<O: Observer + ?Sized>(
        &mut self,
        tick: &mut Tick<'_, '_, O>,
        store: &LocalStore,
        results: &mut ResultQueue,
    ) -> (bool, Option<Held>) {
        let landed = self.land(tick.cycle, &tick.env.world.program, tick.stats);
        let (reported, left) = self.report(tick, store, results);
        let issued = self.issue(tick, store);
        (landed || reported || issued, left)
    }

    pub(super) fn is_busy(&self) -> bool {
        self.occupied > 0
    }

    /// Takes results out of the pipeline. Says whether there were any.
    fn land(&mut self, cycle: u64, program: &Program, stats: &mut Stats) -> bool {
        let counters = &mut stats.counters;
        let mut landed = false;
        while let Some(test) = self.issued.front().copied().filter(|f| f.at <= cycle) {
            self.issued.pop_front();
            landed = true;
            let Some(slot) = &mut self.places[usize::from(test.place)] else { continue };
            slot.in_flight -= 1;
            let met = test.met;
            counters.children_hit += u64::from(met.count_ones());
            let first = program.blocks[slot.block as usize].first_node as usize;
            // Backward, so that the first child's group is issued first.
            for node in Bits(met).rev() {
                if let BlockLead::Inside { first, count } = program.nodes[first + node].lead {
                    counters.inside_hits += 1;
                    slot.stack[usize::from(slot.depth)] = (((1u32 << count) - 1) << first) as u16;
                    slot.depth += 1;
                }
            }
            for node in Bits(met) {
                if !matches!(program.nodes[first + node].lead, BlockLead::Inside { .. }) {
                    slot.unreported += 1;
                    self.reports.push_back((test.place, node as u8));
                }
            }
            if slot.is_complete() {
                self.complete.push_back(test.place);
            }
        }
        landed
    }

    /// Gives one result to the queue. Says whether it did, and which block left the unit, if one
    /// did.
    fn report<O: ?Sized>(
        &mut self,
        tick: &mut Tick<'_, '_, O>,
        store: &LocalStore,
        queue: &mut ResultQueue,
    ) -> (bool, Option<Held>) {
        let (cycle, program) = (tick.cycle, &tick.env.world.program);
        self.is_blocked = false;
        if self.reports.is_empty() && self.complete.is_empty() {
            return (false, None);
        }
        if !queue.has_room() {
            self.is_blocked = true;
            return (false, None);
        }
        let counters = &mut tick.stats.counters;
        counters.result_pushes += 1;
        if let Some((place, node)) = self.reports.pop_front() {
            let Some(slot) = &mut self.places[usize::from(place)] else { return (true, None) };
            slot.unreported -= 1;
            let block = &program.blocks[slot.block as usize];
            let outcome = match program.nodes[block.first_node as usize + usize::from(node)].lead {
                BlockLead::Items { first, count, memory } => {
                    counters.leaves += 1;
                    Outcome::Leaf { first, count, memory }
                }
                BlockLead::Block(block) => {
                    counters.foreign += 1;
                    let entry_t = store.tested[slot.slot as usize].entries[usize::from(node)];
                    Outcome::Foreign { block, entry_t, child: node }
                }
                // Groups inside the block are not reported.
                BlockLead::Inside { .. } => return (true, None),
            };
            queue.send(cycle + 1, ResultEntry { slot: slot.slot, outcome });
            if slot.is_complete() {
                self.complete.push_back(place);
            }
        } else if let Some(place) = self.complete.pop_front()
            && let Some(slot) = self.places[usize::from(place)].take()
        {
            counters.completions += 1;
            self.occupied -= 1;
            let done = ResultEntry { slot: slot.slot, outcome: Outcome::Completion };
            queue.send(cycle + 1, done);
            let UnitSlot { slot, block, readable_at: start, .. } = slot;
            return (
                true,
                Some(Held { unit: self.number, place, slot, block, start, end: cycle + 1 }),
            );
        }
        (true, None)
    }

    /// Issues tests of siblings. Says whether it did.
    fn issue<O: Observer + ?Sized>(
        &mut self,
        tick: &mut Tick<'_, '_, O>,
        store: &LocalStore,
    ) -> bool {
        let (cycle, env, config) = (tick.cycle, tick.env, tick.env.config);
        let Tick { stats, reporter, .. } = tick;
        if self.is_blocked {
            self.idle(1, config, stats);
            return false;
        }
        if self.occupied > 0 {
            let (count, mut readable) = (self.places.len(), config.readable);
            for step in 0..count {
                let place = (self.next + step) % count;
                let Some(slot) = &mut self.places[place] else { continue };
                if readable == 0 {
                    break;
                }
                readable -= 1;
                if slot.readable_at > cycle || slot.depth == 0 {
                    continue;
                }
                let counters = &mut stats.counters;
                let group = &mut slot.stack[usize::from(slot.depth) - 1];
                let nodes = lowest(*group, config.tests_per_unit);
                *group &= !nodes;
                if *group == 0 {
                    slot.depth -= 1;
                    counters.nodes_visited += 1;
                }
                slot.in_flight += 1;
                let at = cycle + u64::from(config.t_box);
                let query = &store.queries[slot.slot as usize];
                let met = met(&store.tested[slot.slot as usize], nodes, query.tmax);
                if reporter.is_watching() {
                    let program = &env.world.program;
                    for node in Bits(nodes) {
                        let is_met = met >> node & 1 == 1;
                        reporter.node_tested(program, (slot.block, node), query, is_met);
                    }
                }
                if let Some(beam) = &query.exact_beam {
                    let program = &env.world.program;
                    let missed = program.false_hits(slot.block, beam, query.tmax, met);
                    counters.false_positives += missed;
                }
                self.issued.push_back(IssuedTest { at, place: place as u8, met });
                self.next = (place + 1) % count;
                let issued = u64::from(nodes.count_ones());
                self.used += issued;
                counters.issue_used += issued;
                counters.children_tested += issued;
                counters.bubbles_partial += u64::from(config.tests_per_unit) - issued;
                stats.issues[issued as usize] += 1;
                return true;
            }
        }
        self.idle(1, config, stats);
        false
    }

    /// Books cycles without an issue.
    pub(super) fn idle(&self, cycles: u64, config: &Config, stats: &mut Stats) {
        let slots = cycles * u64::from(config.tests_per_unit);
        stats.issues[0] += cycles;
        let counters = &mut stats.counters;
        if self.is_blocked {
            counters.bubbles_result_queue += slots;
        } else if self.occupied == 0 {
            counters.bubbles_empty += slots;
        } else {
            counters.bubbles_dependency += slots;
        }
    }

    pub(super) fn next_event(&self, cycle: u64) -> u64 {
        let readable = self.places.iter().flatten().map(|slot| slot.readable_at);
        let landing = self.issued.front().map(|test| test.at);
        readable.chain(landing).filter(|&at| at > cycle).min().unwrap_or(u64::MAX)
    }
}

/// The positions of the bits that are set.
struct Bits(u16);

impl Iterator for Bits {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let bit = self.0.trailing_zeros() as usize;
        (self.0 != 0).then(|| {
            self.0 &= self.0 - 1;
            bit
        })
    }
}

impl DoubleEndedIterator for Bits {
    fn next_back(&mut self) -> Option<usize> {
        let bit = self.0.checked_ilog2()? as usize;
        self.0 &= !(1 << bit);
        Some(bit)
    }
}

/// The `count` lowest bits that are set.
fn lowest(set: u16, count: u32) -> u16 {
    let mut left = set;
    for _ in 0..count {
        left &= left.wrapping_sub(1);
    }
    set & !left
}
