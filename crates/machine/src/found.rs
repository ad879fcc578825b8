//! The hits of a query under way: what is kept, and how far boxes still matter.

use crate::{Hit, HitKind, Observer, Step};
use std::ops::ControlFlow;

/// What a query has found so far. Every walk keeps its hits here, so that ties, order and repeats
/// are settled alike.
#[derive(Debug)]
pub struct Found<'a> {
    kind: HitKind,
    tmax: f32,
    hits: &'a mut Vec<Hit>,
}

impl<'a> Found<'a> {
    /// Nothing yet, for a query that ends at `tmax`.
    #[must_use]
    pub fn new(kind: HitKind, tmax: f32, hits: &'a mut Vec<Hit>) -> Self {
        hits.clear();
        Self { kind, tmax, hits }
    }

    /// Whether the hit would be kept.
    #[inline]
    #[must_use]
    pub fn wants(&self, hit: &Hit) -> bool {
        self.kind != HitKind::Closest || hit.is_closer_than(self.hits.first())
    }

    /// Keeps the hit if it is wanted; breaks when the query has its answer.
    #[inline]
    pub fn offer<O: Observer + ?Sized>(&mut self, hit: Hit, observer: &mut O) -> ControlFlow<()> {
        let is_wanted = self.wants(&hit);
        if observer.is_watching() {
            observer.see(Step::offered(hit, is_wanted));
        }
        if is_wanted {
            if self.kind == HitKind::Closest {
                self.hits.clear();
            }
            self.hits.push(hit);
        }
        if self.kind == HitKind::Any { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The largest `t` that still matters: that of the best hit, or the query's own.
    #[inline]
    #[must_use]
    pub fn farthest(&self) -> f32 {
        match (self.kind, self.hits.first()) {
            (HitKind::Closest, Some(best)) => best.t,
            _ => self.tmax,
        }
    }

    /// The walk begins again: a list of all hits is emptied, the closest hit is kept.
    pub fn restart(&mut self) {
        if self.kind == HitKind::All {
            self.hits.clear();
        }
    }

    /// Puts the hits in order; a split primitive may have been met in several leaves.
    pub fn finish(self) {
        if self.kind == HitKind::All {
            self.hits.sort_by(Hit::total_cmp);
            self.hits.dedup();
        }
    }

    /// No hits: the walk did not end.
    pub fn abandon(self) {
        self.hits.clear();
    }
}
