//! `gfx12-dual`: two nodes a step over `gfx12-bvh4x2` images.
//!
//! The loop is GPURT's for RTIP 3.0 around
//! [`image_bvh_dual_intersect_ray`](crate::instruction::image_bvh_dual_intersect_ray) and
//! [`push8_pop2`](crate::stack::push8_pop2), except for what it does when the stack has lost
//! entries (G-33). There the published loop walks back from one of the two nodes, but the children
//! of two boxes are mixed on the stack, and entries of the other box may be gone: leaves can be
//! missed. So the walk has two phases:
//!
//! 1. `pairs`: two nodes a step. It never walks back; if entries were lost it gives up.
//! 2. `singles`: from the root again, one node a step, walking back through the parent table. The
//!    closest hit so far is kept, the list of all hits is emptied.
//!
//! Walking back pushes the children behind the one just left, in the order of their parent's
//! answer, so that order must not depend on the extent. It does with T# bit 52: a triangle that
//! drops out changes how the sorting network passes boxes at equal distance. `singles` therefore
//! clears bit 52. Without it, keys are distances alone; a shorter extent only drops the largest,
//! and the order of the others stays.
//!
//! The two flags that skip a kind of primitive are not passed to the unit, as in RADV: it would
//! cull instances of structures with both kinds. Acceptance sees to them. Everything that can be
//! hit is accepted by the law ([`machine::primitive_test`]); the registers stay raw. The unit tests
//! a pair's triangles in the order of the node, which is a rotation of their own, so its `t` may
//! differ from theirs in the last bits; debug builds assert that it is, to the bit, that of
//! Möller-Trumbore on the node's order.

mod lane;
mod pairs;
mod shown;
mod singles;
#[cfg(test)]
mod tests;
mod walk_image;

use super::options::{Options, WalkError};
use crate::bvh4x2::Gfx12Bvh4x2;
use bvh4::walk::Found;
use lane::Lane;
use machine::{Answer, Checked, MachineError, Observer, Query};
use std::sync::Arc;
use walk_image::WalkImage;

const NAME: &str = "gfx12-dual";

/// The machine `gfx12-dual`.
#[derive(Debug)]
pub struct Dual(WalkImage);

impl Dual {
    /// The machine over an image. [`Options::dual`] are its usual options; children are sorted by
    /// the closest entry whatever they say.
    ///
    /// # Errors
    /// When entries may be lost and the parent table is wrong.
    pub fn new(image: Arc<Checked<Gfx12Bvh4x2>>, options: Options) -> Result<Self, WalkError> {
        WalkImage::new(image, options).map(Self)
    }

    fn trace<O: Observer + ?Sized>(
        &self,
        query: &Query,
        answer: &mut Answer,
        observer: &mut O,
    ) -> Result<(), MachineError> {
        let query = &query.as_ray(NAME)?;
        let Some((found, counters)) = Found::begin(query, answer) else { return Ok(()) };
        let mut lane = Lane::new(&self.0, query, found, counters, observer);
        let outcome = walk(&mut lane).map(|_| ());
        lane.found.end(outcome)
    }
}

machine::traced_machine!(Dual, NAME, trace);

/// How a phase ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// With the answer.
    Done,
    /// With lost entries.
    Lost,
}

/// Both phases; says how the first one ended.
fn walk<O: Observer + ?Sized>(lane: &mut Lane<'_, O>) -> Result<Ended, MachineError> {
    let first = pairs::run(lane)?;
    if first == Ended::Lost {
        lane.restart();
        singles::run(lane)?;
    }
    Ok(first)
}
