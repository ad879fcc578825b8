//! Questions on their way through the machine, and what has been found so far.

use crate::config::{BEAM_BYTES, RAY_BYTES};
use crate::unit::scheduler::Released;
use geometry::slab::widen;
use machine::{Hit, HitKind, Query, Shape};

/// Bytes of a query's record.
pub(crate) const fn record_bytes(query: &Query) -> u32 {
    match query.shape {
        Shape::Ray(_) => RAY_BYTES,
        Shape::Beam(_) => BEAM_BYTES,
    }
}

/// The mask that nodes are tried against; inside an instance everything is seen.
pub(crate) const fn node_mask(query: &Query, instance: Option<u32>) -> u8 {
    if instance.is_some() { 0xFF } else { query.mask }
}

/// Whether the answer can be anything but "nothing".
pub(crate) fn can_hit(query: &Query) -> bool {
    match query.shape {
        Shape::Ray(ray) => query.with_shape(ray).can_hit(),
        Shape::Beam(_) => query.mask != 0,
    }
}

/// What the machine says of one question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The hits: at most one for closest and any, all in order otherwise.
    pub hits: Vec<Hit>,
    /// Cycle of the first beat.
    pub began_at: u64,
    /// Cycle in which its last query was done.
    pub done_at: u64,
    /// Blocks that entered the setup unit for it.
    pub blocks: u32,
    /// Queries that the SM launched for it.
    pub launches: u32,
}

impl Answer {
    /// Cycles from the first beat to the result.
    #[must_use]
    pub const fn latency(&self) -> u64 {
        self.done_at - self.began_at
    }
}

/// A question under way.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) query: Query,
    /// Queries of it that wait or run.
    pub(crate) live: u32,
    pub(crate) task: u32,
    pub(crate) priority: u8,
    /// The SM of its group that its task runs on.
    pub(crate) sm: u32,
    /// Its task has given its place away: leaves wait for it.
    pub(crate) is_pending: bool,
    blocks: u32,
    launches: u32,
    began_at: Option<u64>,
    done_at: u64,
    hits: Vec<Hit>,
}

impl Job {
    pub(crate) fn new(query: Query, priority: u8, task: u32) -> Self {
        Self {
            query,
            live: 0,
            task,
            priority,
            sm: 0,
            is_pending: false,
            blocks: 0,
            launches: 0,
            began_at: None,
            done_at: 0,
            hits: Vec::new(),
        }
    }

    /// One of its queries has ended; says whether that was the last.
    pub(crate) fn end_query(&mut self, query: &Released) -> bool {
        self.launches += 1;
        self.blocks += query.blocks;
        let began_at = self.began_at.unwrap_or(query.accepted_at);
        self.began_at = Some(began_at.min(query.accepted_at));
        self.done_at = self.done_at.max(query.done_at);
        self.live -= 1;
        self.live == 0
    }

    /// How far boxes matter, as the SM knows it.
    pub(crate) fn reach(&self) -> f32 {
        let (best, tmax) = (
            self.hits.first(),
            match &self.query.shape {
                Shape::Ray(ray) => ray.tmax,
                Shape::Beam(shape) => shape.beam.tmax(),
            },
        );
        match (self.query.kind, best, &self.query.shape) {
            (HitKind::Any, Some(_), _) => f32::NEG_INFINITY,
            (HitKind::Closest, Some(best), Shape::Ray(_)) => widen(best.t),
            // A first contact is a lower bound, 11 u below the exact one at most; a box is entered
            // 3 u late at most. Widening twice covers both.
            (HitKind::Closest, Some(best), Shape::Beam(_)) => widen(widen(best.t)),
            _ => widen(tmax),
        }
    }

    /// Why a hit would not count.
    pub(crate) fn refusal(&self, hit: &Hit) -> Option<&'static str> {
        match self.query.kind {
            HitKind::All if self.hits.contains(hit) => Some("it was met in another leaf before"),
            HitKind::All => None,
            HitKind::Any | HitKind::Closest => (!hit.is_closer_than(self.hits.first()))
                .then_some("a closer hit, or one with a smaller id, is known"),
        }
    }

    /// Takes a hit; says whether boxes matter less far now.
    pub(crate) fn take(&mut self, hit: Hit) -> bool {
        if self.query.kind == HitKind::All {
            self.hits.push(hit);
            return false;
        }
        let is_better = hit.is_closer_than(self.hits.first());
        if is_better {
            self.hits.clear();
            self.hits.push(hit);
        }
        is_better
    }

    /// Whether nothing more has to be tested.
    pub(crate) fn is_settled(&self) -> bool {
        self.query.kind == HitKind::Any && !self.hits.is_empty()
    }

    /// Cycles from the first beat to the result.
    pub(crate) fn latency(&self) -> u64 {
        self.done_at - self.began_at.unwrap_or(self.done_at)
    }

    pub(crate) fn into_answer(mut self) -> Answer {
        self.hits.sort_by(Hit::total_cmp);
        self.hits.dedup(); // a split triangle is met in several leaves
        Answer {
            hits: self.hits,
            began_at: self.began_at.unwrap_or(self.done_at),
            done_at: self.done_at,
            blocks: self.blocks,
            launches: self.launches,
        }
    }
}
