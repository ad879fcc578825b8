//! The hits of a query under way, and with which extent boxes are tested.

use geometry::slab;
use machine::{Answer, Counters, Hit, Observer, RayQuery};
use std::ops::ControlFlow;

/// What a query has found so far.
pub struct Found<'a> {
    hits: machine::Found<'a>,
    tmax: f32,
    /// The extent of all nodes, once the walk has begun again.
    fixed_extent: Option<f32>,
}

impl<'a> Found<'a> {
    /// Nothing yet.
    #[must_use]
    pub fn new(query: &RayQuery, hits: &'a mut Vec<Hit>) -> Self {
        let tmax = query.shape.tmax;
        Self { hits: machine::Found::new(query.kind, tmax, hits), tmax, fixed_extent: None }
    }

    /// Begins a query: counts it and forgets what was found before. `None` if nothing can be hit.
    #[must_use]
    pub fn begin(query: &RayQuery, answer: &'a mut Answer) -> Option<(Self, &'a mut Counters)> {
        let Answer { hits, counters } = answer;
        counters.queries += 1;
        let found = Self::new(query, hits);
        query.can_hit().then_some((found, counters))
    }

    /// Whether the hit would be kept.
    #[must_use]
    pub fn wants(&self, hit: &Hit) -> bool {
        self.hits.wants(hit)
    }

    /// Keeps the hit if it is wanted; breaks when the query has its answer.
    pub fn offer<O: Observer + ?Sized>(&mut self, hit: Hit, observer: &mut O) -> ControlFlow<()> {
        self.hits.offer(hit, observer)
    }

    /// The largest `t` that still matters: that of the best hit, or the ray's own.
    #[must_use]
    pub fn farthest(&self) -> f32 {
        self.hits.farthest()
    }

    /// The extent with which boxes are tested: [`Found::farthest`], widened like the exit of the
    /// reference slab test, so that boxes at equal `t` are visited whatever the roundings were.
    #[must_use]
    pub fn extent(&self) -> f32 {
        self.fixed_extent.unwrap_or_else(|| slab::widen(self.farthest()))
    }

    /// The extent with which the walk began.
    #[must_use]
    pub fn original_extent(&self) -> f32 {
        self.fixed_extent.unwrap_or_else(|| slab::widen(self.tmax))
    }

    /// The extent that the ray was given, not widened.
    #[must_use]
    pub fn given_extent(&self) -> f32 {
        self.tmax
    }

    /// Whether nodes have been tested with different extents.
    #[must_use]
    pub fn has_shrunk(&self) -> bool {
        self.extent() != self.original_extent()
    }

    /// Keeps the extent as it is from now on.
    pub fn fix_extent(&mut self) {
        self.fixed_extent = Some(self.extent());
    }

    /// The walk begins again: a list of all hits is emptied, the closest hit is kept.
    pub fn restart(&mut self) {
        self.hits.restart();
    }

    /// Ends the walk: with the hits in order, or with none where it did not finish.
    ///
    /// # Errors
    /// That of the outcome.
    pub fn end<E>(self, outcome: Result<(), E>) -> Result<(), E> {
        match outcome {
            Ok(()) => self.hits.finish(),
            Err(_) => self.hits.abandon(),
        }
        outcome
    }
}
