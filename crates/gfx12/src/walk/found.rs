//! The hits of a query under way: what is accepted, and how far boxes still matter.

use geometry::slab;
use machine::{Hit, HitKind, RayQuery};
use std::ops::ControlFlow;

/// What a query has found so far.
pub(super) struct Found<'a> {
    query: &'a RayQuery,
    hits: &'a mut Vec<Hit>,
    /// The extent of all nodes, once the walk has begun again.
    fixed_extent: Option<f32>,
}

impl<'a> Found<'a> {
    pub(super) fn new(query: &'a RayQuery, hits: &'a mut Vec<Hit>) -> Self {
        hits.clear();
        Self { query, hits, fixed_extent: None }
    }

    /// Whether the hit would be kept.
    pub(super) fn wants(&self, hit: &Hit) -> bool {
        self.query.kind != HitKind::Closest || hit.is_closer_than(self.hits.first())
    }

    /// Keeps the hit if it is wanted; breaks when the query has its answer.
    pub(super) fn take(&mut self, hit: Hit) -> ControlFlow<()> {
        if self.wants(&hit) {
            if self.query.kind == HitKind::Closest {
                self.hits.clear();
            }
            self.hits.push(hit);
        }
        if self.query.kind == HitKind::Any {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// The largest `t` that still matters: that of the best hit, or the ray's own.
    pub(super) fn farthest(&self) -> f32 {
        match (self.query.kind, self.hits.first()) {
            (HitKind::Closest, Some(best)) => best.t,
            _ => self.query.ray.tmax,
        }
    }

    /// The extent with which boxes are tested: [`Found::farthest`], widened like the exit of the
    /// reference slab test, so that boxes at equal `t` are visited whatever the roundings were.
    pub(super) fn extent(&self) -> f32 {
        self.fixed_extent.unwrap_or_else(|| slab::widen(self.farthest()))
    }

    /// The extent with which the walk began.
    pub(super) fn original_extent(&self) -> f32 {
        self.fixed_extent.unwrap_or_else(|| slab::widen(self.query.ray.tmax))
    }

    /// Whether nodes have been tested with different extents.
    pub(super) fn has_shrunk(&self) -> bool {
        self.extent() != self.original_extent()
    }

    /// Keeps the extent as it is from now on.
    pub(super) fn fix_extent(&mut self) {
        self.fixed_extent = Some(self.extent());
    }

    /// The walk begins again: a list of all hits is emptied, the closest hit is kept.
    pub(super) fn restart(&mut self) {
        if self.query.kind == HitKind::All {
            self.hits.clear();
        }
    }

    /// Puts the hits of an all-hits query in order; a primitive may have been met twice.
    pub(super) fn finish(self) {
        if self.query.kind == HitKind::All {
            self.hits.sort_by(Hit::total_cmp);
            self.hits.dedup();
        }
    }

    /// No hits: the walk did not end.
    pub(super) fn abandon(self) {
        self.hits.clear();
    }
}
