//! Traversal: the loops of drivers over the instruction and a stack.
//!
//! | machine | loop | stack | children of a box | coming back to a box |
//! |---|---|---|---|---|
//! | `gfx10-radv` | RADV's | ring in software | closest first | the extent of now |
//! | `gfx10-gpurt` | GPURT's, with pairs | ring in software | closest first, growth 6 | the same |
//! | `gfx11-radv` | RADV's | `ds_bvh_stack_rtn_b32` | closest midpoint first | as on the way down |
//! | `gfx11-radv-literal` | RADV's before Mesa c1a7680d932 | the same | the same | extent of now |
//! | `gfx11-gpurt` | GPURT's, with pairs | the same | closest first, growth 6 | extent of now |
//! | `gfx11-gpurt-literal` | GPURT's ray query (R-20) | the same | the same | the same |
//!
//! Which boxes are entered is the hardware's own decision; which primitives are hit is the law's
//! ([`machine::primitive_test`]). The registers stay raw.
//!
//! **Coming back.** A stack that overflows loses its oldest entries. The walk then returns through
//! the parent table, and goes on behind the child that it left in the order of the parent's answer.
//! With the closest child first, that order does not change when the extent shrinks: what drops out
//! lies behind everything that stays. With midpoints a child may drop out before one that still
//! reaches, and the rest is lost; `gfx11-radv` therefore begins again, with the extent of that
//! moment to the end. The `-literal` loops lose hits as the shipped ones do.
//!
//! | file | concept |
//! |---|---|
//! | `walk_image` | the image, and what a constructor asks of it |
//! | `ring` | the stack in software, and which stack a loop has |
//! | `lane` | the registers of one ray, and the instructions |
//! | `run` | the loop |

mod lane;
mod ring;
mod run;
mod walk_image;

pub use walk_image::WalkError;

use crate::Generation;
use crate::format::{Bvh4, Proved};
use bvh4::layout::SortHeuristic;
use bvh4::walk::Found;
use geometry::TriangleRule;
use lane::Lane;
use machine::{Answer, Checked, MachineError, Observer, Query};
use std::sync::Arc;
use walk_image::WalkImage;

/// One of the loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loop {
    /// The name of the machine.
    pub name: &'static str,
    pub(crate) generation: Generation,
    heuristic: SortHeuristic,
    /// Whether any-hit rays take the largest interval first.
    largest_for_any: bool,
    grow: u8,
    /// Whether triangle 0 follows triangle 1 of a pair.
    pairs: bool,
    extent: Extent,
    /// Whether the way back from a pair looks for the pointer of its first triangle.
    forgets_pairs: bool,
}

/// With which extent boxes are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// That of the best hit so far.
    Now,
    /// The same; coming back with another one than before, the walk begins again.
    Restarting,
    /// That of the best hit so far, to the bit, as shipped.
    Shipped,
}

impl Loop {
    const RADV_10: Self = Self {
        name: "gfx10-radv",
        generation: Generation::Gfx10,
        heuristic: SortHeuristic::Closest,
        largest_for_any: false,
        grow: 0,
        pairs: false,
        extent: Extent::Now,
        forgets_pairs: false,
    };
    const RADV_11: Self = Self {
        name: "gfx11-radv",
        generation: Generation::Gfx11,
        heuristic: SortHeuristic::Midpoint,
        largest_for_any: true,
        extent: Extent::Restarting,
        ..Self::RADV_10
    };
    const GPURT_10: Self = Self { name: "gfx10-gpurt", grow: 6, pairs: true, ..Self::RADV_10 };
    const GPURT_11: Self =
        Self { name: "gfx11-gpurt", generation: Generation::Gfx11, ..Self::GPURT_10 };

    /// All loops.
    pub const ALL: [Self; 6] = [
        Self::RADV_10,
        Self::GPURT_10,
        Self::RADV_11,
        Self { name: "gfx11-radv-literal", extent: Extent::Shipped, ..Self::RADV_11 },
        Self::GPURT_11,
        Self { name: "gfx11-gpurt-literal", forgets_pairs: true, ..Self::GPURT_11 },
    ];

    /// The loop of a machine's name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name == name)
    }
}

/// A loop over an image.
#[derive(Debug)]
pub struct Walk {
    image: WalkImage,
}

impl Walk {
    /// The loop over an image, with so many entries on its stack, 16 by default; on GFX11 8, 16, 32
    /// or 64.
    ///
    /// # Errors
    /// See [`WalkError`].
    pub fn over<const GFX11: bool>(
        kind: Loop,
        image: Arc<Checked<Bvh4<GFX11>>>,
        rule: TriangleRule,
        stack_size: Option<u8>,
    ) -> Result<Self, WalkError> {
        Self::new(kind, image, rule, stack_size)
    }

    fn new(
        kind: Loop,
        image: Arc<dyn Proved>,
        rule: TriangleRule,
        stack_size: Option<u8>,
    ) -> Result<Self, WalkError> {
        WalkImage::new(kind, image, rule, stack_size.unwrap_or(16)).map(|image| Self { image })
    }

    fn trace<O: Observer + ?Sized>(
        &self,
        query: &Query,
        answer: &mut Answer,
        observer: &mut O,
    ) -> Result<(), MachineError> {
        let query = &query.as_ray(self.image.kind.name)?;
        let Some((found, counters)) = Found::begin(query, answer) else { return Ok(()) };
        let mut lane = Lane::new(&self.image, query, found, counters, observer);
        let outcome = run::run(&mut lane);
        lane.found.end(outcome)
    }
}

machine::traced_machine!(Walk, |walk| walk.image.kind.name, trace);
