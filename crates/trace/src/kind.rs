//! What a batch asks for, as types: a kernel is compiled once for each.

use crate::Hit;

/// Which hits are wanted, and what an answer is.
pub(crate) trait Kind {
    /// The answer for one ray.
    type Answer: Send;

    /// Whether more of a hit matters than that it is there.
    const NEEDS_HIT: bool;

    /// Whether bundles of rays can be asked.
    const IN_BUNDLES: bool;

    /// Whether a hit can make the rest of the range matter no more.
    const NARROWS: bool;

    /// The answer "no hit".
    fn miss() -> Self::Answer;

    /// The answer if there is one hit.
    fn of(hit: Hit) -> Self::Answer;

    /// Takes a hit into account.
    fn offer(answer: &mut Self::Answer, hit: Hit) -> Outcome;

    /// Is called when a ray is done.
    fn finish(answer: &mut Self::Answer);
}

/// What a hit changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Outcome {
    /// Nothing.
    Continue,
    /// What lies behind this parameter does not matter any more.
    Narrow(f32),
    /// The ray is done.
    Done,
}

/// The closest hit.
#[derive(Debug)]
pub(crate) struct Closest;

/// Whether there is any hit.
#[derive(Debug)]
pub(crate) struct Any;

/// The first hit that is found, as machines report it.
#[derive(Debug)]
pub(crate) struct First;

/// Every hit.
#[derive(Debug)]
pub(crate) struct All;

impl Kind for Closest {
    type Answer = Hit;
    const NEEDS_HIT: bool = true;
    const IN_BUNDLES: bool = true;
    const NARROWS: bool = true;

    fn miss() -> Hit {
        Hit::MISS
    }

    #[inline]
    fn of(hit: Hit) -> Hit {
        hit
    }

    #[inline(always)]
    fn offer(best: &mut Hit, hit: Hit) -> Outcome {
        if hit.is_closer_than(Some(best)) {
            *best = hit;
            Outcome::Narrow(hit.t)
        } else {
            Outcome::Continue
        }
    }

    #[inline]
    fn finish(_: &mut Hit) {}
}

impl Kind for Any {
    type Answer = bool;
    const NEEDS_HIT: bool = false;
    const IN_BUNDLES: bool = true;
    const NARROWS: bool = false;

    fn miss() -> bool {
        false
    }

    #[inline]
    fn of(_: Hit) -> bool {
        true
    }

    #[inline(always)]
    fn offer(answer: &mut bool, _: Hit) -> Outcome {
        *answer = true;
        Outcome::Done
    }

    #[inline]
    fn finish(_: &mut bool) {}
}

impl Kind for First {
    type Answer = Hit;
    const NEEDS_HIT: bool = true;
    const IN_BUNDLES: bool = false;
    const NARROWS: bool = false;

    fn miss() -> Hit {
        Hit::MISS
    }

    #[inline]
    fn of(hit: Hit) -> Hit {
        hit
    }

    #[inline(always)]
    fn offer(answer: &mut Hit, hit: Hit) -> Outcome {
        *answer = hit;
        Outcome::Done
    }

    #[inline]
    fn finish(_: &mut Hit) {}
}

impl Kind for All {
    type Answer = Vec<Hit>;
    const NEEDS_HIT: bool = true;
    const IN_BUNDLES: bool = false;
    const NARROWS: bool = false;

    fn miss() -> Vec<Hit> {
        Vec::new()
    }

    fn of(hit: Hit) -> Vec<Hit> {
        vec![hit]
    }

    fn offer(answer: &mut Vec<Hit>, hit: Hit) -> Outcome {
        answer.push(hit);
        Outcome::Continue
    }

    fn finish(answer: &mut Vec<Hit>) {
        answer.sort_by(Hit::total_cmp);
        answer.dedup(); // a split triangle is met in several leaves
    }
}
