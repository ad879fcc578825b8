//! What an observer is told of a box's children.

use crate::unit::UnitSlabRay;
use geometry::{Aabb, Transform};
use machine::{ChildTest, Step, Verdict};

/// A ray in the frame of a box node, as far as it goes and beyond.
pub struct BoxRay {
    within: UnitSlabRay,
    anywhere: UnitSlabRay,
    frame: Option<&'static Transform>,
}

impl BoxRay {
    /// The ray as far as it goes, and beyond; in a frame, if the node has one.
    #[must_use]
    pub fn new(
        within: UnitSlabRay,
        anywhere: UnitSlabRay,
        frame: Option<&'static Transform>,
    ) -> Self {
        Self { within, anywhere, frame }
    }

    /// What the unit made of a child; `unseen` says why it did not look at its box.
    #[must_use]
    pub fn child(&self, slot: usize, pointer: u32, bounds: Aabb, unseen: Option<Verdict>) -> Step {
        let interval = self.anywhere.test(&bounds);
        let verdict = unseen.unwrap_or(if self.within.test(&bounds).hit {
            Verdict::Visit
        } else if interval.hit {
            Verdict::Behind
        } else {
            Verdict::Miss
        });
        Step::Child(ChildTest {
            slot: slot as u8,
            pointer: pointer.into(),
            bounds,
            frame: self.frame.copied(),
            interval: interval.hit.then_some([interval.entry, interval.exit]),
            verdict,
        })
    }
}
