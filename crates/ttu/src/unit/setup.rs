//! The setup unit: query and block to local coordinates, the test of the root, dispatch (steps 7
//! and 8 of the event list). One block begins a cycle and takes `t_setup` cycles; an oriented one
//! takes 4 more (T-11).

use super::local_store::LocalStore;
use super::port::{Port, Wire};
use super::scheduler::{BlockRequest, Notice};
use super::smu::Launched;
use super::stats::Stats;
use super::tick::{Env, Tick};
use crate::config::{Config, Dispatch, T_ORIENTED};
use crate::program::BlockTest;
use crate::reporter;
use machine::{Observer, Step};
use std::collections::VecDeque;
use std::ops::Range;

/// A block in the pipeline.
#[derive(Debug, Clone, Copy)]
struct InPipe {
    done_at: u64,
    request: BlockRequest,
}

/// A block for a traversal unit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnitWrite {
    pub(crate) unit: usize,
    pub(crate) request: BlockRequest,
    pub(crate) readable_at: u64,
    /// The children of the block's root that the unit tests first.
    pub(crate) group: u16,
}

/// What the setup unit is connected to.
pub(crate) struct Ports<'a> {
    /// From the L0: blocks that are there.
    pub(crate) found: &'a mut Port<BlockRequest>,
    /// To the L0: blocks that have been read.
    pub(crate) read: &'a mut Wire<u32>,
    pub(crate) store: &'a mut LocalStore,
    /// From the traversal units: those that have a place more.
    pub(crate) freed: &'a mut Wire<usize>,
    /// To the traversal units.
    pub(crate) writes: &'a mut Wire<UnitWrite>,
    /// To the stack management unit: blocks that units have got, and slots whose block has been
    /// refused.
    pub(crate) launched: &'a mut Wire<Launched>,
    pub(crate) rejects: &'a mut Port<u32>,
    /// To the scheduler.
    pub(crate) notices: &'a mut Wire<Notice>,
}

/// The setup unit.
#[derive(Debug)]
pub(crate) struct Setup {
    pipe: VecDeque<InPipe>,
    /// Free places of each traversal unit.
    places: Vec<u32>,
    /// A block waits for a place.
    is_stalled: bool,
}

impl Setup {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            pipe: VecDeque::with_capacity(16),
            places: vec![config.unit_slots; config.units as usize],
            is_stalled: false,
        }
    }

    /// SETUP. Says whether anything moved.
    pub(crate) fn tick<O: Observer + ?Sized>(
        &mut self,
        tick: &mut Tick<'_, '_, O>,
        to: &mut Ports<'_>,
    ) -> bool {
        let (cycle, env) = (tick.cycle, tick.env);
        while let Some(unit) = to.freed.pop_front() {
            self.places[unit] += 1;
        }
        let mut active = self.begin(tick, to);
        self.is_stalled = false;
        let mut written = 0;
        while let Some(front) = self.pipe.front().filter(|front| front.done_at <= cycle + 1) {
            let request @ BlockRequest { slot, block } = front.request;
            if env.config.root_test && !to.store.tested[slot as usize].root {
                tick.stats.counters.root_rejects += 1;
                if tick.reporter.is_watching() {
                    let reason = "the query misses the box of its root";
                    let step = Step::Skip { pointer: block.into(), reason };
                    let instance = to.store.queries[slot as usize].instance;
                    tick.reporter.see(reporter::SETUP, instance, step);
                }
                // The end of setup is the next cycle; the SMU sees it in the one after.
                to.rejects.send(cycle + 2, slot);
            } else if written == env.config.writable {
                tick.stats.counters.setup_write_port += 1;
                break;
            } else if let Some(units) = self.units_for(block, env) {
                written += 1;
                tick.stats.counters.launches += 1;
                to.launched.push_back(Launched { slot, units: units.len() as u32 });
                for unit in units.clone() {
                    let group = group_of(unit, &units, block, env);
                    let readable_at = cycle + 1;
                    self.places[unit] -= 1;
                    to.writes.push_back(UnitWrite { unit, request, readable_at, group });
                    tick.stats.counters.sram_written_bytes += u64::from(env.config.l0_line_bytes);
                }
            } else {
                self.is_stalled = true;
                tick.stats.counters.setup_no_unit_slot += 1;
                break;
            }
            active = true;
            self.pipe.pop_front();
        }
        active
    }

    /// Takes a block into the pipeline.
    fn begin<O: Observer + ?Sized>(
        &mut self,
        tick: &mut Tick<'_, '_, O>,
        to: &mut Ports<'_>,
    ) -> bool {
        let (cycle, env) = (tick.cycle, tick.env);
        if self.pipe.len() >= env.config.t_setup as usize {
            return false;
        }
        let Some(request) = to.found.receive(cycle) else { return false };
        let BlockRequest { slot, block } = request;
        to.read.push_back(block);
        to.notices.push_back(Notice::SetUp { slot });
        let program = &env.world.program;
        if tick.reporter.is_watching() {
            tick.reporter.set_up(block, to.store.queries[slot as usize].instance, program);
        }
        let mut done_at = cycle + u64::from(env.config.t_setup);
        if program.is_oriented(block) {
            tick.stats.counters.oriented_setups += 1;
            done_at += u64::from(T_ORIENTED);
        }
        let query = &to.store.queries[slot as usize];
        let test = BlockTest { query: &query.local, tmax: query.tmax, mask: query.mask };
        to.store.tested[slot as usize] = program.test(block, &test);
        let block_bytes = u64::from(program.blocks[block as usize].bytes);
        tick.stats.counters.setups += 1;
        tick.stats.counters.block_bytes += block_bytes;
        tick.stats.counters.sram_read_bytes += block_bytes + 64;
        self.pipe.push_back(InPipe { done_at, request });
        true
    }

    /// The units that get the block; `None` if a place is missing.
    fn units_for(&self, block: u32, env: &Env<'_>) -> Option<Range<usize>> {
        match env.config.dispatch {
            Dispatch::B => {
                // The last of equal ones wins in `max_by_key`, so they are asked backward.
                let best = (0..self.places.len()).rev().max_by_key(|&unit| self.places[unit])?;
                (self.places[best] > 0).then_some(best..best + 1)
            }
            Dispatch::A => {
                let children = usize::from(env.world.program.blocks[block as usize].root_children);
                let used = children.min(self.places.len());
                self.places[..used].iter().all(|&places| places > 0).then_some(0..used)
            }
        }
    }

    /// Books `cycles` in which nothing moves.
    pub(crate) fn idle(&self, cycles: u64, stats: &mut Stats) {
        stats.counters.setup_no_unit_slot += cycles * u64::from(self.is_stalled);
    }

    /// When the next block is done.
    pub(crate) fn next_event(&self) -> u64 {
        self.pipe.front().map_or(u64::MAX, |front| front.done_at - 1)
    }
}

/// The children of a block's root that one of the units tests first.
fn group_of(unit: usize, units: &Range<usize>, block: u32, env: &Env<'_>) -> u16 {
    let children = usize::from(env.world.program.blocks[block as usize].root_children);
    match units.len() {
        1 => ((1u32 << children) - 1) as u16,
        used => (unit..children).step_by(used).fold(0, |group, child| group | 1 << child),
    }
}
