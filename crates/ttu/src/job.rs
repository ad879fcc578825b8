//! Questions on their way through the machine, and what has been found so far.

use crate::config::{BEAM_BYTES, RAY_BYTES};
use geometry::slab::widen;
use machine::beam::{BeamHit, BeamKind, BeamQuery};
use machine::{Hit, HitKind, RayQuery};

/// A question to the machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Query {
    /// About a ray.
    Ray(RayQuery),
    /// About a beam.
    Beam(BeamQuery, BeamKind),
}

impl Query {
    /// Bytes of its record.
    pub(crate) const fn bytes(&self) -> u32 {
        match self {
            Self::Ray(_) => RAY_BYTES,
            Self::Beam(..) => BEAM_BYTES,
        }
    }

    /// The mask that nodes are tried against; inside an instance everything is seen.
    pub(crate) const fn mask(&self, instance: Option<u32>) -> u8 {
        match (self, instance) {
            (_, Some(_)) => 0xFF,
            (Self::Ray(RayQuery { mask, .. }) | Self::Beam(BeamQuery { mask, .. }, _), None) => {
                *mask
            }
        }
    }

    /// Whether the answer can be anything but "nothing".
    pub(crate) fn can_hit(&self) -> bool {
        match self {
            Self::Ray(query) => query.can_hit(),
            Self::Beam(query, _) => query.mask != 0,
        }
    }
}

impl From<RayQuery> for Query {
    fn from(query: RayQuery) -> Self {
        Self::Ray(query)
    }
}

/// What the machine says of one question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// Hits of a ray: at most one for closest and any, all in order otherwise.
    pub hits: Vec<Hit>,
    /// What a beam met: at most one for any and first, all by their ids otherwise.
    pub beam_hits: Vec<BeamHit>,
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
    pub(crate) blocks: u32,
    launches: u32,
    began_at: Option<u64>,
    pub(crate) done_at: u64,
    hits: Vec<Hit>,
    beam_hits: Vec<BeamHit>,
}

impl Job {
    pub(crate) fn new(query: Query, task: u32) -> Self {
        Self {
            query,
            live: 0,
            task,
            blocks: 0,
            launches: 0,
            began_at: None,
            done_at: 0,
            hits: Vec::new(),
            beam_hits: Vec::new(),
        }
    }

    pub(crate) fn begin(&mut self, cycle: u64) {
        self.launches += 1;
        self.began_at.get_or_insert(cycle);
    }

    /// How far boxes matter, as the SM knows it.
    pub(crate) fn reach(&self) -> f32 {
        match &self.query {
            Query::Ray(query) => match (query.kind, self.hits.first()) {
                (HitKind::Closest, Some(best)) => widen(best.t),
                (HitKind::Any, Some(_)) => f32::NEG_INFINITY,
                _ => widen(query.ray.tmax),
            },
            // A first contact is a lower bound, 11 u below the exact one at most; a box is entered
            // 3 u late at most. Widening twice covers both.
            Query::Beam(query, kind) => match (kind, self.beam_hits.first()) {
                (BeamKind::First, Some(best)) => widen(widen(best.t)),
                (BeamKind::Any, Some(_)) => f32::NEG_INFINITY,
                _ => widen(query.beam.tmax()),
            },
        }
    }

    /// Takes a hit of a ray; says whether boxes matter less far now.
    pub(crate) fn take(&mut self, hit: Hit, kind: HitKind) -> bool {
        if kind == HitKind::All {
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

    /// Takes what a beam met; says whether boxes matter less far now.
    pub(crate) fn take_beam(&mut self, hit: BeamHit, kind: BeamKind) -> bool {
        if kind == BeamKind::Collect {
            self.beam_hits.push(hit);
            return false;
        }
        let is_better = self.beam_hits.first().is_none_or(|best| hit.total_cmp(best).is_lt());
        if is_better {
            self.beam_hits.clear();
            self.beam_hits.push(hit);
        }
        is_better
    }

    /// Whether nothing more has to be tested.
    pub(crate) fn is_settled(&self) -> bool {
        match &self.query {
            Query::Ray(query) => query.kind == HitKind::Any && !self.hits.is_empty(),
            Query::Beam(_, kind) => *kind == BeamKind::Any && !self.beam_hits.is_empty(),
        }
    }

    pub(crate) fn into_answer(mut self) -> Answer {
        self.hits.sort_by(Hit::total_cmp);
        self.hits.dedup(); // a split triangle is met in several leaves
        self.beam_hits.sort_by_key(BeamHit::ids);
        self.beam_hits.dedup_by_key(|hit| hit.ids());
        Answer {
            hits: self.hits,
            beam_hits: self.beam_hits,
            began_at: self.began_at.unwrap_or(self.done_at),
            done_at: self.done_at,
            blocks: self.blocks,
            launches: self.launches,
        }
    }
}
