//! GPURT's loop over `image_bvh8_intersect_ray` (`TraceRay3_1.hlsl`, `RayQuery3_1.hlsl`).
//!
//! Shaped like [RADV's](super::radv), with ranges: the stack instruction runs in range mode, which
//! moves a primitive on to the next pair as the navigation bits of VGPR8 say, until its range ends.
//! A step that walks back uses the ray's own extent, so that the parent's children come in the same
//! order as before.
//!
//! Range mode takes every primitive of a box for visited once the walk comes back to the box. That
//! holds when all eight children of a box fit on the stack: primitives are sorted first. With fewer
//! entries some may have been lost before they were visited, so for those sizes, which no driver
//! uses, steps that walk back run without range mode and name the range's first pair, which is what
//! the box knows.
//!
//! Candidates are accepted by the law rather than by the registers. GPURT's shader enters the first
//! node that an instance names, since all that GPURT writes name one; here all of them are pushed,
//! nearest first, and a walk that comes back from one of several tests the instance again (G-40).

use super::lane::{Lane, PairVisit};
use super::options::{Options, WalkError};
use super::walk_image::{Ability, WalkImage};
use crate::Gfx12;
use crate::instruction::Answer as Registers;
use crate::layout::{NodePointer, PointerFlags};
use bvh4::walk::Found;
use machine::{Answer, Checked, MachineError, Observer, Query};
use std::sync::Arc;

const NAME: &str = "gfx12-gpurt";

/// `gfx12-gpurt`: GPURT's loop.
#[derive(Debug)]
pub struct Gpurt(WalkImage);

/// Children of a box: with as many entries a stack holds all of them.
const ALL_CHILDREN: u8 = 8;

impl Gpurt {
    /// The machine over an image.
    ///
    /// # Errors
    /// When parents that are needed are wrong; see [`WalkError`].
    pub fn new(image: Arc<Checked<Gfx12>>, options: Options) -> Result<Self, WalkError> {
        WalkImage::new(NAME, image, options, Ability::AnyRange).map(Self)
    }

    fn trace<O: Observer + ?Sized>(
        &self,
        query: &Query,
        answer: &mut Answer,
        observer: &mut O,
    ) -> Result<(), MachineError> {
        let (image, query) = (&self.0, &query.as_ray(NAME)?);
        let Some((mut found, counters)) = Found::begin(query, answer) else { return Ok(()) };
        let flags = PointerFlags::of_ray(query.flags.bits());
        let mut walk = Walk {
            lane: Lane::new(image, query, flags, counters, observer),
            found: &mut found,
            all_children_fit: image.options.stack_size >= ALL_CHILDREN,
            last_box: NodePointer::INVALID,
            range: None,
            visited_again: None,
        };
        let outcome = walk.run(image.structure.root);
        found.end(outcome)
    }
}

machine::traced_machine!(Gpurt, NAME, trace);

/// One query under way.
struct Walk<'a, 'f, O: ?Sized> {
    lane: Lane<'a, O>,
    found: &'f mut Found<'a>,
    /// Whether the stack holds all children of a box.
    all_children_fit: bool,
    /// The parent of primitives.
    last_box: NodePointer,
    /// The first pair of the range that the lane is in.
    range: Option<NodePointer>,
    /// The pair whose farther primitive is still to be taken.
    visited_again: Option<PairVisit>,
}

/// What a step hands to the stack instruction.
struct Push {
    last: NodePointer,
    data: [u32; 8],
    range_mode: bool,
    /// Whether the next node belongs to the same range.
    stays_in_range: bool,
}

impl<O: Observer + ?Sized> Walk<'_, '_, O> {
    fn run(&mut self, root: NodePointer) -> Result<(), MachineError> {
        let (mut current, mut last) = (root, NodePointer::INVALID);
        while !current.is_special() {
            let walks_back = last != NodePointer::INVALID;
            let extent =
                if walks_back { self.found.original_extent() } else { self.found.extent() };
            let push = if current.is_box() {
                let answer = self.lane.intersect(current, extent)?;
                self.last_box = current;
                let data = self.lane.children(&answer);
                let range_mode = !walks_back || self.all_children_fit;
                Some(Push { last, data, range_mode, stays_in_range: false })
            } else if current.is_instance() {
                let answer = self.lane.intersect(current, extent)?;
                Some(self.instance(current, &answer, last)?)
            } else {
                self.primitive(current)?
            };
            let Some(push) = push else { break };
            let visited = self.range.unwrap_or(current);
            if !push.stays_in_range {
                self.range = None;
            }
            let next = self.lane.push_pop(push.last, push.data, push.range_mode);
            if self.lane.popped_to_top() {
                self.lane.leave();
            }
            (current, last) = if next != NodePointer::INVALID {
                (next, NodePointer::INVALID)
            } else if self.lane.must_restart(self.found) {
                self.found.fix_extent();
                (self.lane.restart(), NodePointer::INVALID)
            } else {
                self.walk_back(visited)?
            };
        }
        Ok(())
    }

    /// Base and ray are switched for a missed instance too: nothing is pushed then, and the next
    /// pop or the step back from the instance undoes it.
    fn instance(
        &mut self,
        current: NodePointer,
        answer: &Registers,
        last: NodePointer,
    ) -> Result<Push, MachineError> {
        let data = self.lane.enter(current, answer)?.data();
        let is_first_visit = last == NodePointer::INVALID;
        let is_missed = answer.vdst[7] == NodePointer::INVALID.0;
        self.lane.counters.instances += u64::from(is_first_visit && !is_missed);
        // Primitives need not come first among the nodes that an instance names.
        Ok(Push { last, data, range_mode: is_first_visit, stays_in_range: false })
    }

    /// Takes the nearer primitive of a pair, and on a second visit the other one; then moves on in
    /// the range. `None` when the query has its answer.
    fn primitive(&mut self, current: NodePointer) -> Result<Option<Push>, MachineError> {
        let (candidate, visit) = match self.visited_again.take() {
            Some(visit) => {
                self.lane.visit_pair_again()?;
                (visit.farther, PairVisit { farther: None, ..visit })
            }
            None => {
                let visit = self.lane.visit_pair(current)?;
                if self.range.is_none() || current.pair() == 0 {
                    self.lane.count_primitive_node(self.range.is_none());
                }
                (visit.nearer, visit)
            }
        };
        if candidate.is_some_and(|hit| self.lane.offer(self.found, hit).is_break()) {
            return Ok(None);
        }
        self.range.get_or_insert(current);
        let is_wanted = visit.farther.is_some_and(|hit| self.found.wants(&hit));
        self.visited_again = is_wanted.then_some(visit);
        let mut data = [NodePointer::INVALID.0; 8];
        data[7] = current.0;
        data[6] = NodePointer::SKIP_0_7.0;
        let (last, stays_in_range) = if is_wanted {
            (NodePointer::INVALID, true)
        } else {
            (NodePointer::range_update(visit.navigation), visit.navigation & 2 == 0)
        };
        Ok(Some(Push { last, data, range_mode: true, stays_in_range }))
    }

    /// The node to go back to, and the node that was left.
    fn walk_back(
        &mut self,
        visited: NodePointer,
    ) -> Result<(NodePointer, NodePointer), MachineError> {
        let mut previous = visited;
        if let Some(inside) = self.lane.inside()
            && (inside.entries.contains(&previous) || previous == inside.node)
        {
            self.lane.leave();
            if previous != inside.node && inside.has_several() {
                self.lane.show_walk_back(inside.node, previous);
                return Ok((inside.node, previous));
            }
            previous = inside.node;
        }
        let next =
            if previous.is_primitive() { self.last_box } else { self.lane.parent(previous)? };
        self.lane.show_walk_back(next, previous);
        Ok((next, previous))
    }
}
