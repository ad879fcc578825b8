//! RADV's loop over `image_bvh8_intersect_ray` (Mesa, `radv_nir_rt_common.c`).
//!
//! A step tests the current node, pushes what it found and pops the next. When the stack has lost
//! entries, the walk goes to the parent of the node it left, and pushes what comes after that node
//! in the parent's order. [`Radv`] uses the ray's own extent there (G-35), and begins again where
//! even that would not bring the order back ([`WalkBack`](super::WalkBack)). What is shipped loses
//! hits, in each version in its own way ([`Shipped`]), and [`RadvLiteral`] does what is shipped:
//!
//! | Mesa | children are sorted by | extent of a step that walks back |
//! |---|---|---|
//! | 25.2 to 26.0.4 | the middle of their intervals | that of the moment |
//! | 26.0.5 | where they begin | that of the moment |
//! | 26.2 | the middle of their intervals | the ray's own |
//!
//! With the extent of the moment, the child that was left may no longer reach it: then nothing in
//! the results equals it, nothing is pushed, and siblings that still matter are lost. With the
//! ray's own, it is there. The unit's middles are those of unclamped intervals, so that the order
//! is that of the first visit, but for children with equal keys.
//!
//! Differences from the shader are these. Candidates are accepted by the law rather than by the
//! registers. Behind a header the bytes that an instance returns are read as GPURT's (G-38). The
//! shader enters the first node that an instance names; so does [`RadvLiteral`], while [`Radv`]
//! enters all of them (G-40). Every range must have one pair: the constructor refuses other images,
//! since RADV writes none and its loop would not see the rest.

use super::lane::Lane;
use super::options::{Options, WalkError};
use super::walk_image::{Ability, WalkImage};
use crate::Gfx12;
use crate::layout::{NodePointer, PointerFlags, SortHeuristic};
use bvh4::walk::Found;
use machine::{Answer, Checked, Hit, MachineError, Observer, Query, RayQuery};
use std::sync::Arc;

const RADV: &str = "gfx12-radv";

/// `gfx12-radv`: RADV's loop, with the ray's own extent in steps that walk back.
#[derive(Debug)]
pub struct Radv(WalkImage);

/// RADV's loop as shipped, with the hits that it loses.
#[derive(Debug)]
pub struct RadvLiteral {
    image: WalkImage,
    shipped: Shipped,
}

/// A version of Mesa whose loop differs from that before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shipped {
    /// 25.2 to 26.0.4.
    Mesa25_2,
    /// 26.0.5.
    Mesa26_0_5,
    /// 26.2.
    Mesa26_2,
}

impl Shipped {
    /// All of them, the oldest first.
    pub const ALL: [Self; 3] = [Self::Mesa25_2, Self::Mesa26_0_5, Self::Mesa26_2];

    /// The name of the machine.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mesa25_2 => "gfx12-radv-25.2",
            Self::Mesa26_0_5 => "gfx12-radv-26.0.5",
            Self::Mesa26_2 => "gfx12-radv-26.2",
        }
    }

    const fn heuristic(self) -> SortHeuristic {
        match self {
            Self::Mesa25_2 | Self::Mesa26_2 => SortHeuristic::Midpoint,
            Self::Mesa26_0_5 => SortHeuristic::Closest,
        }
    }
}

impl Radv {
    /// The machine over an image.
    ///
    /// # Errors
    /// When a range has more than one pair, or parents that are needed are wrong; see
    /// [`WalkError`].
    pub fn new(image: Arc<Checked<Gfx12>>, options: Options) -> Result<Self, WalkError> {
        WalkImage::new(RADV, image, options, Ability::OnePair).map(Self)
    }

    fn trace<O: Observer + ?Sized>(
        &self,
        query: &Query,
        answer: &mut Answer,
        observer: &mut O,
    ) -> Result<(), MachineError> {
        trace(&self.0, Variant::OriginalExtent, &query.as_ray(RADV)?, answer, observer)
    }
}

impl RadvLiteral {
    /// The loop of a version over an image. How children are sorted is the version's.
    ///
    /// # Errors
    /// As [`Radv::new`].
    pub fn new(
        shipped: Shipped,
        image: Arc<Checked<Gfx12>>,
        options: Options,
    ) -> Result<Self, WalkError> {
        let options = Options { heuristic: shipped.heuristic(), ..options };
        let image = WalkImage::new(shipped.name(), image, options, Ability::OnePair)?;
        Ok(Self { image, shipped })
    }

    fn trace<O: Observer + ?Sized>(
        &self,
        query: &Query,
        answer: &mut Answer,
        observer: &mut O,
    ) -> Result<(), MachineError> {
        let query = query.as_ray(self.shipped.name())?;
        trace(&self.image, Variant::AsShipped(self.shipped), &query, answer, observer)
    }
}

machine::traced_machine!(Radv, RADV, trace);

machine::traced_machine!(RadvLiteral, |machine| machine.shipped.name(), trace);

/// Which extent a step that walks back has.
#[derive(Clone, Copy)]
enum Variant {
    /// The ray's own.
    OriginalExtent,
    /// The best `t` so far, or the ray's own, as a version has it; nothing is widened.
    AsShipped(Shipped),
}

impl Variant {
    fn must_restart<O: Observer + ?Sized>(self, lane: &Lane<'_, O>, found: &Found<'_>) -> bool {
        matches!(self, Self::OriginalExtent) && lane.must_restart(found)
    }

    fn extent(self, found: &Found<'_>, walks_back: bool) -> f32 {
        match self {
            Self::AsShipped(Shipped::Mesa26_2) if walks_back => found.given_extent(),
            Self::AsShipped(_) => found.farthest(),
            Self::OriginalExtent if walks_back => found.original_extent(),
            Self::OriginalExtent => found.extent(),
        }
    }
}

fn trace<O: Observer + ?Sized>(
    image: &WalkImage,
    variant: Variant,
    query: &RayQuery,
    answer: &mut Answer,
    observer: &mut O,
) -> Result<(), MachineError> {
    let Some((mut found, counters)) = Found::begin(query, answer) else { return Ok(()) };
    // RADV skips kinds of primitives in shader code: its authors found those flags unusable (G-18).
    let skips = PointerFlags::SKIP_TRIANGLES | PointerFlags::SKIP_PROCEDURAL;
    let flags = PointerFlags::of_ray(query.flags.bits()).difference(skips);
    let mut lane = Lane::new(image, query, flags, counters, observer);
    let outcome = walk(&mut lane, image.structure.root, variant, &mut found);
    found.end(outcome)
}

fn walk<O: Observer + ?Sized>(
    lane: &mut Lane<'_, O>,
    root: NodePointer,
    variant: Variant,
    found: &mut Found<'_>,
) -> Result<(), MachineError> {
    const INVALID: NodePointer = NodePointer::INVALID;
    let (mut current, mut previous, mut last_box) = (root, INVALID, INVALID);
    // The farther primitive of the pair that is visited once more.
    let mut farther: Option<Hit> = None;
    while current != NodePointer::TERMINAL {
        let left = lane.inside().filter(|inside| {
            let is_left = inside.entries.contains(&previous) || previous == inside.node;
            lane.popped_to_top() || current == INVALID && is_left
        });
        // A way out of one of several nodes that an instance names leads to the others.
        let again = left.filter(|inside| {
            inside.has_several() && !lane.popped_to_top() && previous != inside.node
        });
        if let Some(inside) = left {
            lane.leave();
            previous = again.map_or(inside.node, |_| previous);
        }
        if current == INVALID && variant.must_restart(lane, found) {
            found.fix_extent();
            (current, previous) = (lane.restart(), INVALID);
        } else if let Some(inside) = again {
            current = inside.node;
            lane.show_walk_back(current, previous);
        } else if current == INVALID {
            current = if previous.is_primitive() { last_box } else { lane.parent(previous)? };
            if current == INVALID {
                break;
            }
            lane.show_walk_back(current, previous);
        } else {
            previous = INVALID;
        }
        let last = previous;
        previous = current;
        let extent = variant.extent(found, last != INVALID);
        let mut data = [INVALID.0; 8];
        data[6] = NodePointer::SKIP_0_7.0;
        let mut stack_last = INVALID;
        if current.is_box() {
            let answer = lane.intersect(current, extent)?;
            last_box = current;
            stack_last = last;
            data = match variant {
                Variant::OriginalExtent => lane.children(&answer),
                Variant::AsShipped(_) => std::array::from_fn(|k| answer.vdst[k]),
            };
        } else if current.is_instance() {
            let mut answer = lane.intersect(current, extent)?;
            if matches!(variant, Variant::AsShipped(_)) {
                answer.vdst[7] |= 0xFFFF_FF00;
            }
            if answer.vdst[7] & 0xFF == 0xFF {
                data[7] = NodePointer::SKIP_0_7.0;
            } else {
                lane.counters.instances += u64::from(last == INVALID);
                data = lane.enter(current, &answer)?.data();
                stack_last = last;
            }
        } else {
            let candidate = match farther.take() {
                Some(hit) => {
                    lane.visit_pair_again()?;
                    Some(hit)
                }
                None => {
                    let visit = lane.visit_pair(current)?;
                    lane.count_primitive_node(true);
                    farther = visit.farther;
                    visit.nearer
                }
            };
            if candidate.is_some_and(|hit| lane.offer(found, hit).is_break()) {
                break;
            }
            farther = farther.filter(|hit| found.wants(hit));
            data[7] = farther.map_or(NodePointer::SKIP_0_7.0, |_| current.0);
        }
        current = lane.push_pop(stack_last, data, false);
    }
    Ok(())
}
