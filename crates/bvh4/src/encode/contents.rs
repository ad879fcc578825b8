//! What lies below the slots of a draft.

use super::draft::{Child, Draft, DraftBox, Leaf, WIDTH};
use crate::layout::CullFlags;

/// What a subtree holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contents {
    /// What can be said of all of it.
    pub cull_flags: CullFlags,
    /// How many triangles there are.
    pub triangles: u32,
}

impl Contents {
    /// Of nothing, nothing is said.
    pub const NOTHING: Self = Self { cull_flags: CullFlags::empty(), triangles: 0 };
}

/// What is below each slot, from the last box to the first.
#[must_use]
pub fn slot_contents(
    draft: &Draft,
    contents: impl Fn(&Leaf) -> Contents,
) -> Vec<[Contents; WIDTH]> {
    let mut below = vec![[Contents::NOTHING; WIDTH]; draft.boxes.len()];
    for (number, slots) in draft.boxes.iter().enumerate().rev() {
        below[number] = slots.map(|slot| match slot.map(|slot| slot.child) {
            None => Contents::NOTHING,
            Some(Child::Leaf(leaf)) => contents(&draft.leaves[leaf as usize]),
            Some(Child::Box(child)) => all_of(&draft.boxes[child as usize], &below[child as usize]),
        });
    }
    below
}

/// What the used slots of a box hold together. Of nothing, nothing is said.
#[must_use]
pub fn all_of(slots: &DraftBox, contents: &[Contents; WIDTH]) -> Contents {
    let used = slots.iter().zip(contents).filter(|(slot, _)| slot.is_some());
    let sum = used.map(|(_, contents)| *contents).reduce(|a, b| Contents {
        cull_flags: a.cull_flags & b.cull_flags,
        triangles: a.triangles + b.triangles,
    });
    sum.unwrap_or(Contents::NOTHING)
}
