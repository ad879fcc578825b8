//! HIPRT's loop over `image_bvh8_intersect_ray` (`hiprt_device_impl.h`).
//!
//! A step tests the current box, pushes what it found behind the nearest and goes on there. The
//! stack is software's: its newest entries are in shared memory, and what does not fit there is
//! moved to global memory, oldest first, so that nothing is lost and nobody walks back (G-46).
//! Below an instance an invalid entry on the stack marks the way out. A range is tested to its end
//! in one step. The T# has no pointer flags, and the mask of an instance is tested by software.
//!
//! Differences from the shader are these. Candidates are accepted by the law rather than by the
//! registers, and so are flags, which HIPRT does not have. The global part of the stack is as large
//! as the image needs; where an application gives less, HIPRT stops and says so. Every node that an
//! instance names is entered: in HIPRT's own memory that is the root (G-38). In a wave, HIPRT lets
//! lanes that found a leaf wait for others.

use super::lane::Lane;
use super::options::{Options, WalkError};
use super::walk_image::{Ability, WalkImage};
use crate::Gfx12;
use crate::layout::{NodePointer, PointerFlags, SortHeuristic};
use bvh4::walk::Found;
use machine::{Answer, Checked, MachineError, Observer, Query, Step};
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

const NAME: &str = "gfx12-hiprt";
const INVALID: NodePointer = NodePointer::INVALID;

/// `gfx12-hiprt`: HIPRT's loop.
#[derive(Debug)]
pub struct Hiprt(WalkImage);

impl Hiprt {
    /// The machine over an image.
    ///
    /// # Errors
    /// When the stack has no entry; see [`WalkError`].
    pub fn new(image: Arc<Checked<Gfx12>>, options: Options) -> Result<Self, WalkError> {
        WalkImage::new(NAME, image, options, Ability::WholeStack).map(Self)
    }

    fn trace<O: Observer + ?Sized>(
        &self,
        query: &Query,
        answer: &mut Answer,
        observer: &mut O,
    ) -> Result<(), MachineError> {
        let (image, query) = (&self.0, &query.as_ray(NAME)?);
        let Some((mut found, counters)) = Found::begin(query, answer) else { return Ok(()) };
        let mut lane = Lane::new(image, query, PointerFlags::empty(), counters, observer);
        lane.resource.heuristic = SortHeuristic::Closest;
        lane.resource.pointer_flags = false;
        let stack = SpillStack::new(image.options.stack_size);
        let outcome = Walk { lane, stack, found: &mut found }.run(image.structure.root);
        found.end(outcome)
    }
}

machine::traced_machine!(Hiprt, NAME, trace);

/// A stack whose newest entries lie in shared memory, the others in global memory.
struct SpillStack {
    shared: VecDeque<NodePointer>,
    size: usize,
    global: Vec<NodePointer>,
}

impl SpillStack {
    fn new(size: u8) -> Self {
        let size = usize::from(size);
        Self { shared: VecDeque::with_capacity(size), size, global: Vec::new() }
    }

    fn push(&mut self, entry: NodePointer) {
        if self.shared.len() == self.size {
            self.global.extend(self.shared.pop_front());
        }
        self.shared.push_back(entry);
    }

    fn pop(&mut self) -> Option<NodePointer> {
        self.shared.pop_back().or_else(|| self.global.pop())
    }

    fn len(&self) -> usize {
        self.shared.len() + self.global.len()
    }
}

/// One query under way.
struct Walk<'a, 'f, O: ?Sized> {
    lane: Lane<'a, O>,
    stack: SpillStack,
    found: &'f mut Found<'a>,
}

impl<O: Observer + ?Sized> Walk<'_, '_, O> {
    fn run(&mut self, root: NodePointer) -> Result<(), MachineError> {
        let mut current = Some(root);
        while let Some(node) = current {
            let next = if node.is_box() {
                let answer = self.lane.intersect(node, self.found.extent())?;
                let children = self.lane.children(&answer).map(NodePointer);
                self.nearest(&children)
            } else if node.is_instance() {
                self.instance(node)?
            } else if self.range(node)?.is_break() {
                return Ok(());
            } else {
                None
            };
            current = next.or_else(|| self.pop());
        }
        Ok(())
    }

    /// The nearest of some nodes; the others are pushed, the farthest first.
    fn nearest(&mut self, nodes: &[NodePointer]) -> Option<NodePointer> {
        let mut hit = nodes.iter().copied().filter(|&node| node != INVALID);
        let nearest = hit.next();
        let others: Vec<NodePointer> = hit.collect();
        others.into_iter().rev().for_each(|node| self.push(node));
        nearest
    }

    /// Goes into an instance, if the ray meets it: the first of the nodes that it names.
    fn instance(&mut self, node: NodePointer) -> Result<Option<NodePointer>, MachineError> {
        let answer = self.lane.intersect(node, self.found.extent())?;
        if answer.vdst[7] == INVALID.0 {
            return Ok(None);
        }
        self.lane.counters.instances += 1;
        let inside = self.lane.enter(node, &answer)?;
        self.push(INVALID);
        Ok(self.nearest(&inside.entries))
    }

    /// Tests a range, pair by pair; breaks when the query has its answer.
    fn range(&mut self, first: NodePointer) -> Result<ControlFlow<()>, MachineError> {
        let mut pair = first;
        loop {
            let visit = self.lane.visit_pair(pair)?;
            if pair == first || pair.pair() == 0 {
                self.lane.count_primitive_node(pair == first);
            }
            for hit in [visit.nearer, visit.farther].into_iter().flatten() {
                if self.lane.offer(self.found, hit).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            if visit.navigation & 2 != 0 {
                return Ok(ControlFlow::Continue(()));
            }
            pair = pair.advance(visit.navigation & 1 != 0);
        }
    }

    fn push(&mut self, entry: NodePointer) {
        self.stack.push(entry);
        if self.lane.observer.is_watching() {
            let depth = self.stack.len() as u32;
            self.lane.observer.see(Step::Push { pointer: entry.0.into(), depth });
        }
    }

    /// The next node. An invalid entry leads out of an instance.
    fn pop(&mut self) -> Option<NodePointer> {
        loop {
            let popped = self.stack.pop();
            if self.lane.observer.is_watching() {
                let depth = self.stack.len() as u32;
                let pointer = popped.map(|node| node.0.into());
                self.lane.observer.see(Step::Pop { pointer, depth });
            }
            match popped {
                Some(INVALID) => self.lane.leave(),
                popped => return popped,
            }
        }
    }
}
