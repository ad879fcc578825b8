//! Watching a walk: what a machine does, step by step.
//!
//! A walk is compiled once for [`Unwatched`], whose tests vanish, and once for an observer. Steps
//! come in the order in which the machine takes them:
//!
//! ```text
//! Node 0x15            the walk reads a node
//!   Instruction …      where the machine executes one: registers in and out
//!   Child 0 … 7        what became of each child
//!   Push, Pop          the stack
//! Instance 3           the ray moves into an instance's space; Leave brings it back
//! Primitive …          a primitive is tested
//!   Accept / Refuse    a hit counts, or does not
//! End
//! ```

use crate::Hit;
use geometry::{Aabb, Ray, Transform};

/// Is told what a walk does.
pub trait Observer {
    /// Whether steps are wanted. A walk asks before it describes one.
    #[inline]
    fn is_watching(&self) -> bool {
        true
    }

    /// One step.
    fn see(&mut self, step: Step);
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Observer for Unwatched {
    #[inline(always)]
    fn is_watching(&self) -> bool {
        false
    }

    #[inline(always)]
    fn see(&mut self, _: Step) {}
}

impl Observer for Vec<Step> {
    fn see(&mut self, step: Step) {
        self.push(step);
    }
}

/// One thing that a walk does. Pointers are in the format's own notation; a machine over a tree
/// numbers nodes as [`tree::Bvh::nodes`] does.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// A node is read.
    Node {
        /// Its pointer.
        pointer: u64,
        /// Where it lies, in memory that has addresses.
        address: Option<u64>,
        /// What it is: `box`, `leaf`, `instance`, `block` …
        kind: &'static str,
    },
    /// A child of the node was tested.
    Child(ChildTest),
    /// An instruction was executed on the node.
    Instruction(Instruction),
    /// Something is laid on the stack.
    Push {
        /// What.
        pointer: u64,
        /// Entries on the stack after that.
        depth: u32,
    },
    /// Something is taken from the stack; `None` when it is empty.
    Pop {
        /// What.
        pointer: Option<u64>,
        /// Entries on the stack after that.
        depth: u32,
    },
    /// What was popped is left out.
    Skip {
        /// What.
        pointer: u64,
        /// Why.
        reason: &'static str,
    },
    /// The stack overflowed and lost its oldest entries.
    Overflow {
        /// How many.
        lost: u32,
    },
    /// Entries were lost, so the walk returns to a node through parent pointers.
    WalkBack {
        /// The node that is visited again.
        to: u64,
        /// The node that it comes from.
        from: u64,
    },
    /// The walk begins again at the root.
    Restart {
        /// Why.
        reason: &'static str,
    },
    /// An instance is entered.
    Instance {
        /// Its number.
        instance: u32,
        /// The pointer of its node.
        pointer: u64,
        /// Where that lies, in memory that has addresses.
        address: Option<u64>,
        /// The map that the ray goes through.
        world_to_object: Transform,
        /// The ray in its space; `None` for beams.
        ray: Option<Ray>,
    },
    /// The walk returns to world space.
    Leave,
    /// A primitive is tested.
    Primitive(PrimitiveTest),
    /// A hit counts.
    Accept {
        /// The hit.
        hit: Hit,
    },
    /// A hit does not count.
    Refuse {
        /// The hit.
        hit: Hit,
        /// Why.
        reason: &'static str,
    },
    /// The clock of a machine that has one, before what happens then.
    Clock {
        /// The cycle.
        cycle: u64,
        /// The unit that acts.
        unit: &'static str,
        /// The instance that it acts for, if several are under way at a time.
        instance: Option<u32>,
    },
    /// The walk is over.
    End,
}

impl Step {
    /// A hit was offered, and counts if it is wanted.
    #[must_use]
    pub fn offered(hit: Hit, is_wanted: bool) -> Self {
        let reason = "a closer hit, or one with a smaller id, is known";
        if is_wanted { Self::Accept { hit } } else { Self::Refuse { hit, reason } }
    }
}

/// A child of a node against the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChildTest {
    /// Which child of the node.
    pub slot: u8,
    /// Where it leads.
    pub pointer: u64,
    /// Its box, in the space of the level or in the node's frame.
    pub bounds: Aabb,
    /// The map from the space of the level into the frame of an oriented node.
    pub frame: Option<Transform>,
    /// When the shape is inside the box, as the machine computes it; `None` where it is not.
    pub interval: Option<[f32; 2]>,
    /// What follows from that.
    pub verdict: Verdict,
}

/// What becomes of a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It is visited, now or later.
    Visit,
    /// The shape misses its box.
    Miss,
    /// Its box begins behind the best hit, or behind the end of the query.
    Behind,
    /// Its mask hides it.
    Masked,
    /// Flags hide everything below it.
    Culled,
}

impl Verdict {
    /// The word used in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Visit => "visit",
            Self::Miss => "miss",
            Self::Behind => "behind",
            Self::Masked => "masked",
            Self::Culled => "culled",
        }
    }
}

/// An instruction with its registers.
#[derive(Debug, Clone, PartialEq)]
pub struct Instruction {
    /// Its name.
    pub name: &'static str,
    /// Registers that it read, by name.
    pub inputs: Vec<(&'static str, u64)>,
    /// Registers that it wrote, by name.
    pub outputs: Vec<(&'static str, u64)>,
}

/// A primitive against the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrimitiveTest {
    /// Where it lies, in the format's own notation.
    pub pointer: u64,
    /// Which instance; 0 where there are none.
    pub instance: u32,
    /// Which geometry.
    pub geometry: u32,
    /// Which primitive of the geometry.
    pub primitive: u32,
    /// Where it is hit, if it is.
    pub t: Option<f32>,
}
