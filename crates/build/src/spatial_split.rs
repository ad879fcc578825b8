//! Top-down building with spatial splits, after Stich, Friedrich and Dietrich 2009, "Spatial splits
//! in bounding volume hierarchies".
//!
//! Where the two halves of a range overlap, cutting space may be cheaper than sorting references:
//! those that cross the plane get a reference, with a smaller box, on either side, unless it is
//! cheaper to leave them whole on one (section 4.4). References may grow in number by a fixed
//! budget. The memory for it is there from the start, and each range hands its own share on to its
//! halves, so that the halves can be built side by side and the result does not depend on who is
//! first.

use crate::BuildError;
use crate::binary::{FIRST_CHILD, Node};
use crate::binned::{self, PARALLEL};
use crate::clip;
use crate::object_split::{self, DEEPEST_HEURISTIC, Range};
use crate::progress::Monitor;
use crate::scratch::Scratch;
use crate::spatial_bins::{Plane, cheapest_plane};
use crate::tagged_box::{Bounds, TaggedBox};
use rayon::prelude::*;
use tree::Primitives;

/// Elements that a thread copies or fills at a time.
const BLOCK: usize = 1 << 15;

/// Where a cut is looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CutThreshold {
    /// The halves of a range must overlap by this share of the root's area (section 4.5) ...
    pub(crate) of_root: f32,
    /// ... and by this share of the range's own.
    pub(crate) of_own: f32,
    /// Ranges of fewer references are not cut.
    pub(crate) fewest: usize,
}

impl CutThreshold {
    /// Wherever it may help.
    pub(crate) const BEST: Self = Self { of_root: 1e-5, of_own: 0.0, fewest: 3 };

    /// Where it helps most. Looking for cuts takes most of the time of [`Self::BEST`]: this takes a
    /// quarter of it, and rays visit up to 4 % more nodes.
    pub(crate) const BALANCED: Self = Self { of_root: 5e-4, of_own: 0.1, fewest: 64 };
}

/// Builds a tree whose number of references may grow by the factor `1 + budget`. There must be at
/// least one.
///
/// # Errors
/// Cancellation.
pub(crate) fn build(
    references: Scratch<TaggedBox>,
    primitives: &Primitives,
    budget: f32,
    threshold: CutThreshold,
    monitor: &Monitor<'_>,
) -> Result<Scratch<TaggedBox>, BuildError> {
    let count = references.len();
    // The nodes of the tree must be numbered with 32 bits.
    let room = count
        + ((count as f64 * f64::from(budget)) as usize).min((1 << 31) - 1 - count.min(1 << 30));
    let mut with_room = Scratch::zeros(room);
    let copies = with_room[..count].par_chunks_mut(BLOCK).zip(references.par_chunks(BLOCK));
    copies.for_each(|(copy, block)| copy.copy_from_slice(block));
    drop(references);
    let mut nodes: Scratch<TaggedBox> = Scratch::zeros(2 * room);
    let unused = TaggedBox::leaf(Bounds::EMPTY, 0);
    nodes.par_chunks_mut(BLOCK).for_each(|block| block.fill(unused));
    let range = Range::root(&with_room[..count]);
    let least_overlap = threshold.of_root * range.bounds.half_area();
    let builder = Builder { primitives, threshold, least_overlap, monitor };
    let (root, below) = nodes.split_at_mut(FIRST_CHILD);
    builder.grow(&mut with_room, count, range, &mut root[0], below, FIRST_CHILD)?;
    Ok(nodes)
}

struct Builder<'a> {
    primitives: &'a Primitives,
    threshold: CutThreshold,
    least_overlap: f32,
    monitor: &'a Monitor<'a>,
}

impl Builder<'_> {
    /// Builds the subtree over the first `count` of `references`, whose rest is room to grow: its
    /// root into `node`, its descendants into `below`, whose first element has the number `base`.
    /// Returns how many references there are below it then.
    fn grow(
        &self,
        references: &mut [TaggedBox],
        count: usize,
        range: Range,
        node: &mut TaggedBox,
        below: &mut [TaggedBox],
        base: usize,
    ) -> Result<usize, BuildError> {
        if count < self.threshold.fewest || references.len() == count {
            let references = &mut references[..count];
            binned::grow(references, range, node, below, base, self.monitor)?;
            return Ok(count);
        }
        let [left, right] = self.split(references, count, &range);
        let room = share_room(references, left.0, right.0);
        let (left_references, right_references) = references.split_at_mut(room);
        let (children, below) = below.split_at_mut(2);
        let (left_node, right_node) = children.split_at_mut(1);
        let (left_below, right_below) = below.split_at_mut(2 * room - 2);
        let (left_base, right_base) = (base + 2, base + 2 * room);
        let mut grow_left =
            || self.grow(left_references, left.0, left.1, &mut left_node[0], left_below, left_base);
        let mut grow_right = || {
            self.grow(
                right_references,
                right.0,
                right.1,
                &mut right_node[0],
                right_below,
                right_base,
            )
        };
        let grown = if count > PARALLEL {
            self.monitor.check()?;
            let (left_grown, right_grown) = rayon::join(grow_left, grow_right);
            let grown = left_grown? + right_grown?;
            for (part, _) in [left, right] {
                if part <= PARALLEL {
                    self.monitor.advance(part)?;
                }
            }
            grown
        } else {
            grow_left()? + grow_right()?
        };
        *node = TaggedBox::inner(range.bounds, base, grown);
        Ok(grown)
    }

    /// Puts the references of the left half to the front and those of the right half behind them;
    /// returns how many there are and what is known of them.
    fn split(
        &self,
        references: &mut [TaggedBox],
        count: usize,
        range: &Range,
    ) -> [(usize, Range); 2] {
        let (middle, left, right) = object_split::split(&mut references[..count], range);
        let overlap = overlap(&left.bounds, &right.bounds);
        if range.depth < DEEPEST_HEURISTIC
            && overlap > self.least_overlap
            && overlap >= self.threshold.of_own * range.bounds.half_area()
        {
            let object_cost = left.bounds.half_area() * middle as f32
                + right.bounds.half_area() * (count - middle) as f32;
            let plane = cheapest_plane(self.primitives, &references[..count], &range.bounds)
                .filter(|plane| plane.cost < object_cost);
            if let Some(halves) = plane.and_then(|p| self.cut(references, count, range.depth, &p)) {
                return halves;
            }
        }
        [(middle, left), (count - middle, right)]
    }

    /// Cuts all references at a plane, as [`Builder::split`] returns it. None, and nothing changed,
    /// if there is no room or one half would get everything.
    fn cut(
        &self,
        references: &mut [TaggedBox],
        count: usize,
        depth: usize,
        plane: &Plane,
    ) -> Option<[(usize, Range); 2]> {
        let mut sides = Sides::new(plane);
        for reference in &references[..count] {
            sides.add(self.primitives, reference, plane);
        }
        let Sides { left, right, .. } = sides;
        let total = left.len() + right.len();
        if total > references.len() || left.len() >= count || right.len() >= count {
            return None;
        }
        if left.is_empty() || right.is_empty() {
            return None;
        }
        references[..left.len()].copy_from_slice(&left);
        references[left.len()..total].copy_from_slice(&right);
        Some(
            [left, right]
                .map(|half| (half.len(), Range { depth: depth + 1, ..Range::root(&half) })),
        )
    }
}

/// The references on the two sides of a plane, and what their number and boxes will be.
struct Sides {
    left: Vec<TaggedBox>,
    right: Vec<TaggedBox>,
    bounds: [Bounds; 2],
    counts: [f32; 2],
}

impl Sides {
    fn new(plane: &Plane) -> Self {
        let [left, right] = plane.counts.map(|count| Vec::with_capacity(count as usize));
        Self { left, right, bounds: plane.bounds, counts: plane.counts.map(|count| count as f32) }
    }

    fn add(&mut self, primitives: &Primitives, reference: &TaggedBox, plane: &Plane) {
        let own = reference.bounds();
        if own.max[plane.axis] <= plane.position {
            self.left.push(*reference);
        } else if own.min[plane.axis] >= plane.position {
            self.right.push(*reference);
        } else {
            self.add_crossing(primitives, reference, plane);
        }
    }

    /// A reference that crosses the plane is cut, or left whole where that is cheaper.
    fn add_crossing(&mut self, primitives: &Primitives, reference: &TaggedBox, plane: &Plane) {
        let own = reference.bounds();
        let [left_area, right_area] = self.bounds.map(Bounds::half_area);
        let [left_count, right_count] = self.counts;
        let whole_left = self.bounds[0].union(own);
        let whole_right = self.bounds[1].union(own);
        let cut_cost = left_area * left_count + right_area * right_count;
        let left_cost = whole_left.half_area() * left_count + right_area * (right_count - 1.0);
        let right_cost = left_area * (left_count - 1.0) + whole_right.half_area() * right_count;
        if left_cost < cut_cost && left_cost <= right_cost {
            self.left.push(*reference);
            self.bounds[0] = whole_left;
            self.counts[1] -= 1.0;
            return;
        }
        if right_cost < cut_cost {
            self.right.push(*reference);
            self.bounds[1] = whole_right;
            self.counts[0] -= 1.0;
            return;
        }
        let (low, high) = clip::cut(primitives, reference, plane.axis, plane.position);
        match (is_empty(&low), is_empty(&high)) {
            (false, false) => {
                self.left.push(TaggedBox::new(low, reference.tag_a(), 0));
                self.right.push(TaggedBox::new(high, reference.tag_a(), 0));
            }
            // Nothing of the triangle lies on one side, although something of its box does.
            (false, true) => self.left.push(TaggedBox::new(low, reference.tag_a(), 0)),
            (true, false) => self.right.push(TaggedBox::new(high, reference.tag_a(), 0)),
            (true, true) => self.left.push(*reference),
        }
    }
}

fn is_empty(bounds: &Bounds) -> bool {
    bounds.min.cmpgt(bounds.max).any()
}

/// The area that two boxes have in common.
fn overlap(a: &Bounds, b: &Bounds) -> f32 {
    let common = Bounds { min: a.min.max(b.min), max: a.max.min(b.max) };
    if is_empty(&common) { 0.0 } else { common.half_area() }
}

/// Shares the free room behind the references between the halves, by their size, and moves the
/// right half to the start of its share; returns where that is.
fn share_room(references: &mut [TaggedBox], left: usize, right: usize) -> usize {
    let free = (references.len() - left - right) as u64;
    let left_free = (free * left as u64 / (left + right) as u64) as usize;
    references.copy_within(left..left + right, left + left_free);
    left + left_free
}
