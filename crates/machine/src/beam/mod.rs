//! Beam queries: which primitives does a moving box meet?
//!
//! The answer is a set that the query and the geometry define, whatever the tree, the format and the
//! number of threads (B-12):
//!
//! * A primitive in world space is met if the beam meets its own box (leaf rule *conservative*, the
//!   default) or the primitive itself (leaf rule *exact*) (B-11).
//! * A placed primitive is met if the beam meets the world box of its instance, and the beam as moved
//!   into the instance's space ([`geometry::beam::transform`], outward) meets it as above. A rotation
//!   widens the moved beam, so the exact rule is exact for that beam. Both must hold at one time: the
//!   contact is cut to the range in which the beam meets the box of the instance.
//!
//! A machine implements one method, [`BeamMachine::visit`]: show every met primitive at least once, in any
//! order. It asks a [`BeamSpace`] for the leaf tests, so that these definitions exist once. The box test
//! is monotone, so a machine may skip whatever lies in a box that the beam misses, or that it
//! enters after the point where the visitor lost interest.
//!
//! | file | concept |
//! |---|---|
//! | [`query`] | what is asked: a beam, a leaf rule, a mask; what is answered |
//! | [`space`] | a beam in the space of primitives: the leaf tests |
//! | [`world`] | a tree as beams see it |
//! | [`covering`] | boxes that contain all of what is below them |
//! | [`oracle`] | brute force |
//! | [`walk`] | the plain walk over a tree |

pub mod covering;
pub mod oracle;
pub mod query;
pub mod space;
pub mod walk;
pub mod world;

pub use oracle::BeamOracle;
pub use query::{BeamHit, BeamKind, BeamQuery, LeafRule, Visit};
pub use space::BeamSpace;
pub use walk::BeamReference;
pub use world::{BeamView, BeamWorld, BeamWorldError};

use crate::{BudgetExhausted, Counters};

/// Something that answers beam queries about one world.
pub trait BeamMachine: Sync {
    /// The name used in options and reports.
    fn name(&self) -> &'static str;

    /// Shows every primitive that the beam meets to `visitor`, at least once, in any order, and adds what
    /// it did to `counters`. After [`Visit::Until`] primitives with a later `t` may be left out; after
    /// [`Visit::Stop`] nothing more is shown.
    ///
    /// # Errors
    /// When the machine's step budget ends before the walk does.
    fn visit(
        &self,
        query: &BeamQuery,
        counters: &mut Counters,
        visitor: &mut dyn FnMut(&BeamHit) -> Visit,
    ) -> Result<(), BudgetExhausted>;

    /// Whether the beam meets anything.
    ///
    /// # Errors
    /// As [`BeamMachine::visit`].
    fn any(&self, query: &BeamQuery, counters: &mut Counters) -> Result<bool, BudgetExhausted> {
        let mut is_met = false;
        self.visit(query, counters, &mut |_| {
            is_met = true;
            Visit::Stop
        })?;
        Ok(is_met)
    }

    /// What the beam meets first: the smallest `(t, instance, geometry, primitive)`.
    ///
    /// # Errors
    /// As [`BeamMachine::visit`].
    fn first(
        &self,
        query: &BeamQuery,
        counters: &mut Counters,
    ) -> Result<Option<BeamHit>, BudgetExhausted> {
        let mut best: Option<BeamHit> = None;
        self.visit(query, counters, &mut |hit| match &mut best {
            Some(best) if !hit.total_cmp(best).is_lt() => Visit::Until(best.t),
            _ => {
                best = Some(*hit);
                Visit::Until(hit.t)
            }
        })?;
        Ok(best)
    }

    /// Everything that the beam meets, each primitive once, sorted by `(instance, geometry, primitive)`, into
    /// `hits`, which is cleared first.
    ///
    /// # Errors
    /// As [`BeamMachine::visit`]; `hits` is then empty.
    fn collect(
        &self,
        query: &BeamQuery,
        hits: &mut Vec<BeamHit>,
        counters: &mut Counters,
    ) -> Result<(), BudgetExhausted> {
        hits.clear();
        let outcome = self.visit(query, counters, &mut |hit| {
            hits.push(*hit);
            Visit::Continue
        });
        if outcome.is_err() {
            hits.clear();
        }
        hits.sort_by_key(BeamHit::ids);
        hits.dedup_by_key(|hit| hit.ids()); // a split triangle is met in several leaves
        outcome
    }
}
