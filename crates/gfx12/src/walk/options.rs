//! What a walk is told when it is made, and why it may refuse.

use crate::layout::{NodePointer, SortHeuristic};
use geometry::TriangleRule;

/// The knobs of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The arithmetic that decides whether a ray meets a triangle.
    pub rule: TriangleRule,
    /// Entries of the traversal stack, 1 to 31. Drivers use 16, RADV 8 when a shader has several
    /// ray queries.
    pub stack_size: u8,
    /// How children are sorted for rays that look for the closest hit or for all hits. Any-hit rays
    /// are sorted by [`SortHeuristic::Largest`], as both drivers do.
    pub heuristic: SortHeuristic,
    /// How far boxes grow, in units of 2^-24.
    pub box_grow: u8,
    /// What happens when the stack has lost entries.
    pub walk_back: WalkBack,
    /// Instructions that a query may execute; by default, what the largest walk over the image can
    /// take.
    pub step_limit: Option<u64>,
}

impl Options {
    /// What RADV passes: 16 entries, closest midpoint first, no growth.
    #[must_use]
    pub const fn radv(rule: TriangleRule) -> Self {
        Self {
            rule,
            stack_size: 16,
            heuristic: SortHeuristic::Midpoint,
            box_grow: 0,
            walk_back: WalkBack::Restarting,
            step_limit: None,
        }
    }

    /// What GPURT passes: 16 entries, closest first, a growth of 6.
    #[must_use]
    pub const fn gpurt(rule: TriangleRule) -> Self {
        Self {
            rule,
            stack_size: 16,
            heuristic: SortHeuristic::Closest,
            box_grow: 6,
            walk_back: WalkBack::Restarting,
            step_limit: None,
        }
    }

    /// What HIPRT passes: closest first, a growth of 6. 64 entries are those of its private stack;
    /// here they are the ones in shared memory.
    #[must_use]
    pub const fn hiprt(rule: TriangleRule) -> Self {
        Self { stack_size: 64, ..Self::gpurt(rule) }
    }

    /// What siliray passes to the dual instruction: 16 entries, closest first, GPURT's growth of 6.
    #[must_use]
    pub const fn dual(rule: TriangleRule) -> Self {
        Self::gpurt(rule)
    }
}

/// How a walk comes back to a node whose children were lost from the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WalkBack {
    /// As published by GPURT: the node is tested with the ray's own extent, so that the children
    /// come in the order of its first visit. Children with equal keys may not: the sorting network
    /// is not stable, and the first visit may have had fewer hits to sort. Then some are lost.
    OriginalExtent,
    /// Exact: if the extent has changed since the walk began, the walk begins again at the root,
    /// with the extent of that moment for every node to the end, and the best hit so far. Orders
    /// are then the same.
    Restarting,
}

/// Why a walk cannot be made over an image.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WalkError {
    /// The stack instruction has five bits for its size.
    #[error("a stack of {found} entries, expected 1 to {most}")]
    StackSize {
        /// What was asked for.
        found: u8,
        /// What there can be.
        most: u8,
    },
    /// The order of children would change while the closest hit comes nearer, and walking back
    /// relies on that order.
    #[error(
        "children sorted by the largest interval, expected another order: only any-hit rays can \
         use it"
    )]
    Heuristic,
    /// Entries may be lost, and they can be found again through parent pointers only.
    #[error(
        "parent pointers disagree with the hierarchy, and a stack of {size} entries may overflow: \
         this image needs parents that agree, or {needed} entries"
    )]
    Parents {
        /// Entries asked for.
        size: u8,
        /// Entries with which nothing is ever lost.
        needed: u64,
    },
    /// RADV's loop visits one pair of each child.
    #[error(
        "the range at pointer {pointer} of structure {structure} has {pairs} pairs, expected 1: \
         RADV's loop does not advance in ranges; encode with the policy radv, or walk with \
         gfx12-gpurt"
    )]
    LongRange {
        /// Which structure; 0 is the root's.
        structure: usize,
        /// The range.
        pointer: NodePointer,
        /// How long it is.
        pairs: u32,
    },
}
