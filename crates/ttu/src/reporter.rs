//! What an observer is told of a question on its way through the machine.
//!
//! | unit | steps |
//! |---|---|
//! | interface | an instance that is entered; the root of a level, pushed |
//! | scheduler | pops, and what is skipped because it has become too far |
//! | setup unit | blocks that come in, and those whose root is missed |
//! | traversal unit | nodes of a block, when their tests are issued |
//! | stack management unit | pushes, spills, and what comes back from memory |
//! | SM | leaves, the primitives in them, hits |
//!
//! The clock stands before what a unit does in a cycle for a query, and names the instance that the
//! query came through. Fetches are no steps: the clock shows how long they take.
//!
//! * Blocks go by number and address, nodes of a block by [`Target::Node`], leaves by
//!   [`Target::References`]. In `ttu` images, and for the nodes of XPHMG tiles, these are the names
//!   of the outline; in images of other formats the address is, and the number is the machine's.
//! * The stack of a step is what a slot has on the chip. A spill is an overflow that loses nothing;
//!   what comes back is pushed again when memory is asked for it. A push may go below others of the
//!   same block (T-7).
//! * An instance is a query of its own in another slot (T-16). Several run at the same time, so
//!   none is ever left.
//! * The box of a node in an oriented block (T-11) is in the coordinates of the block.

use crate::format::target::Target;
use crate::program::Program;
use crate::unit::interface::QueryRequest;
use crate::unit::local_store::QueryRecord;
use crate::unit::sm::LeafTest;
use crate::unit::tick::Env;
use machine::blocks::BlockLead;
use machine::{ChildTest, Observer, Query, Shape, Step, Verdict};

/// The units, as the clock names them.
pub(crate) const INTERFACE: &str = "interface";
pub(crate) const SCHEDULER: &str = "scheduler";
pub(crate) const SETUP: &str = "setup unit";
pub(crate) const TRAVERSAL: &str = "traversal unit";
pub(crate) const SMU: &str = "stack management unit";
pub(crate) const SM: &str = "SM";

/// Tells an observer what the units do, after the clock.
#[derive(Debug)]
pub(crate) struct Reporter<'a, O: ?Sized> {
    observer: &'a mut O,
    /// The cycle.
    pub(crate) cycle: u64,
    /// What the clock showed last.
    clock: Option<(u64, &'static str, Option<u32>)>,
}

impl<'a, O: Observer + ?Sized> Reporter<'a, O> {
    pub(crate) fn new(observer: &'a mut O) -> Self {
        Self { observer, cycle: 0, clock: None }
    }

    #[inline]
    pub(crate) fn is_watching(&self) -> bool {
        self.observer.is_watching()
    }

    /// Another unit of the same kind goes on; the clock stands before what it does, too.
    pub(crate) fn next_unit(&mut self) {
        self.clock = None;
    }

    /// What a unit does in this cycle, for a query that came through an instance or not.
    pub(crate) fn see(&mut self, unit: &'static str, instance: Option<u32>, step: Step) {
        let now = (self.cycle, unit, instance);
        if self.clock != Some(now) {
            self.clock = Some(now);
            self.observer.see(Step::Clock { cycle: self.cycle, unit, instance });
        }
        self.observer.see(step);
    }

    /// More that the same unit does in the same cycle for the same query.
    pub(crate) fn see_also(&mut self, step: Step) {
        self.observer.see(step);
    }

    /// A query has come into a slot.
    pub(crate) fn accepted(
        &mut self,
        request: QueryRequest,
        query: &Query,
        env: &Env<'_>,
        root: u32,
    ) {
        let tlas = env.world.tree.tlas.as_ref();
        if let (Some(instance), Some(tlas)) = (request.instance, tlas) {
            let world_to_object = tlas.instances[instance as usize].world_to_object;
            let ray = match &query.shape {
                Shape::Ray(ray) => Some(world_to_object.ray(ray)),
                Shape::Beam(_) => None,
            };
            let pointer = Target::Instance(instance).pointer();
            let address = None;
            let step = Step::Instance { instance, pointer, address, world_to_object, ray };
            self.see(INTERFACE, request.instance, step);
        }
        let step = Step::Push { pointer: root.into(), depth: 1 };
        self.see(INTERFACE, request.instance, step);
    }

    /// A block has come into the setup unit.
    pub(crate) fn set_up(&mut self, block: u32, instance: Option<u32>, program: &Program) {
        let address = Some(program.blocks[block as usize].address);
        self.see(SETUP, instance, Step::Node { pointer: block.into(), address, kind: "block" });
    }

    /// The test of a node has been issued.
    pub(crate) fn node_tested(
        &mut self,
        program: &Program,
        (block, node): (u32, usize),
        query: &QueryRecord,
        is_met: bool,
    ) {
        let (bounds, interval) = program.node_test(block, node, &query.local);
        let first = program.blocks[block as usize].first_node as usize;
        let entry = &program.nodes[first + node];
        let target = match entry.lead {
            BlockLead::Inside { .. } => Target::Node { block, node: node as u8 },
            BlockLead::Block(block) => Target::Block(block),
            BlockLead::Items { first, count, .. } => leaf(first, count),
        };
        let verdict = match (is_met, interval) {
            _ if entry.mask & query.mask == 0 => Verdict::Masked,
            (true, _) => Verdict::Visit,
            (false, Some(_)) => Verdict::Behind,
            (false, None) => Verdict::Miss,
        };
        let (slot, pointer, frame) = (node as u8, target.pointer(), program.frame(block));
        let test = ChildTest { slot, pointer, bounds, frame, interval, verdict };
        self.see(TRAVERSAL, query.instance, Step::Child(test));
    }

    /// The SM has a leaf.
    pub(crate) fn leaf(&mut self, test: &LeafTest, instance: Option<u32>) {
        let pointer = leaf(test.first, test.count).pointer();
        self.see(SM, instance, Step::Node { pointer, address: None, kind: "leaf" });
    }
}

fn leaf(first: u32, count: u32) -> Target {
    Target::References { first: first.into(), count: count.min(255) as u8 }
}
