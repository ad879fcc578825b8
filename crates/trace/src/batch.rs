//! Batches: many rays, one question.

use crate::ask::{Ask, Filter, Intersector};
use crate::kind::{All, Any, Closest, Kind};
use crate::{Hit, Tracer};
use geometry::Ray;
use machine::{Counters, RayFlags};
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Rays that one task answers.
const CHUNK: usize = 1 << 13;

/// The same where all hits of a ray are kept for a while.
const COUNTED: usize = 1 << 10;

/// A question about many rays: what they see, and which callbacks may reject hits. Made by
/// [`Tracer::batch`].
///
/// ```
/// # use trace::{Batch, Hit, Tracer};
/// # use geometry::{Ray, Vec3};
/// use machine::RayFlags;
/// # let scene = scene::builtin::Builtin::Organic.scene(2_000);
/// let tracer = Tracer::new(&scene)?;
/// let rays = [Ray::new(Vec3::new(0.1, 0.2, 9.0), Vec3::NEG_Z); 3];
/// let seen = tracer.batch().mask(0x0F).flags(RayFlags::CULL_BACK).closest(&rays);
/// // Everything is seen but what the filter refuses; nothing is opaque, so it is always asked.
/// let even = |_: usize, hit: &Hit| hit.primitive % 2 == 0;
/// let hits = tracer.batch().flags(RayFlags::FORCE_NON_OPAQUE).filter(&even).all(&rays);
/// assert!(hits.iter().flatten().all(|hit| hit.primitive % 2 == 0));
/// assert_eq!((seen.len(), hits.len()), (3, 3));
/// # Ok::<(), trace::TraceError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    tracer: &'a Tracer,
    ask: Ask<'a>,
}

impl std::fmt::Debug for Batch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Ask { rule, mask, flags, .. } = self.ask;
        f.debug_struct("Batch")
            .field("rule", &rule)
            .field("mask", &mask)
            .field("flags", &flags)
            .finish()
    }
}

impl<'a> Batch<'a> {
    pub(crate) fn new(tracer: &'a Tracer) -> Self {
        Self { tracer, ask: Ask::everything(tracer.options().rule) }
    }

    /// Only instances whose mask shares a bit with this one are seen. 0 sees nothing.
    #[must_use]
    pub fn mask(mut self, mask: u8) -> Self {
        self.ask.mask = mask;
        self
    }

    /// What the rays leave out.
    #[must_use]
    pub fn flags(mut self, flags: RayFlags) -> Self {
        self.ask.flags = flags;
        self
    }

    /// Asks `filter` whether a hit on a primitive that is not opaque counts.
    #[must_use]
    pub fn filter(mut self, filter: &'a Filter<'a>) -> Self {
        self.ask.filter = Some(filter);
        self
    }

    /// Asks `intersector` what a ray meets inside a procedural box. Without one it is the box
    /// itself.
    #[must_use]
    pub fn intersector(mut self, intersector: &'a Intersector<'a>) -> Self {
        self.ask.intersector = Some(intersector);
        self
    }

    /// The closest hit of each ray; [`Hit::MISS`] where there is none.
    #[must_use]
    pub fn closest(&self, rays: &[Ray]) -> Vec<Hit> {
        self.answers::<Closest>(rays)
    }

    /// The same, into `hits`. Rays beyond the number of hits, or the reverse, are left alone.
    pub fn closest_into(&self, rays: &[Ray], hits: &mut [Hit]) {
        self.answer_into::<Closest>(rays, hits);
    }

    /// Whether each ray hits anything.
    #[must_use]
    pub fn any(&self, rays: &[Ray]) -> Vec<bool> {
        self.answers::<Any>(rays)
    }

    /// The same, into `answers`. Rays beyond the number of answers, or the reverse, are left alone.
    pub fn any_into(&self, rays: &[Ray], answers: &mut [bool]) {
        self.answer_into::<Any>(rays, answers);
    }

    /// All hits of each ray, each primitive's once, in the order of [`Hit::total_cmp`].
    #[must_use]
    pub fn all(&self, rays: &[Ray]) -> Vec<Vec<Hit>> {
        self.answers::<All>(rays)
    }

    /// How many primitives each ray hits.
    #[must_use]
    pub fn count(&self, rays: &[Ray]) -> Vec<u32> {
        let mut counts = vec![0; rays.len()];
        in_parts(rays, &mut counts, COUNTED, |first, rays, counts| {
            // A triangle that splits have cut is met several times, so hits are collected.
            let mut hits = vec![Vec::new(); rays.len()];
            self.tracer.answer::<All>(&self.ask, first, rays, &mut hits, None);
            for (count, hits) in counts.iter_mut().zip(hits) {
                *count = hits.len() as u32;
            }
        });
        counts
    }

    /// The closest hit of each ray, and what it took to find them.
    #[must_use]
    pub fn closest_counted(&self, rays: &[Ray]) -> (Vec<Hit>, Counters) {
        self.counted::<Closest>(rays)
    }

    /// Whether each ray hits anything, and what it took to find out.
    #[must_use]
    pub fn any_counted(&self, rays: &[Ray]) -> (Vec<bool>, Counters) {
        self.counted::<Any>(rays)
    }

    fn answers<K: Kind>(&self, rays: &[Ray]) -> Vec<K::Answer> {
        let mut answers = misses::<K>(rays.len());
        self.answer_into::<K>(rays, &mut answers);
        answers
    }

    fn answer_into<K: Kind>(&self, rays: &[Ray], answers: &mut [K::Answer]) {
        let count = rays.len().min(answers.len());
        let (rays, answers) = (&rays[..count], &mut answers[..count]);
        in_parts(rays, answers, CHUNK, |first, rays, answers| {
            self.tracer.answer::<K>(&self.ask, first, rays, answers, None);
        });
    }

    fn counted<K: Kind>(&self, rays: &[Ray]) -> (Vec<K::Answer>, Counters) {
        let mut answers = misses::<K>(rays.len());
        let sum = Mutex::new(Counters::default());
        in_parts(rays, &mut answers, CHUNK, |first, rays, answers| {
            let mut counters = Counters::default();
            self.tracer.answer::<K>(&self.ask, first, rays, answers, Some(&mut counters));
            *sum.lock().unwrap_or_else(PoisonError::into_inner) += counters;
        });
        (answers, sum.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Does work on parts of so many rays side by side, each with the position of its first. Waking
/// another thread takes longer than one part.
fn in_parts<A: Send>(
    rays: &[Ray],
    answers: &mut [A],
    size: usize,
    work: impl Fn(usize, &[Ray], &mut [A]) + Sync,
) {
    if rays.len() <= size {
        return work(0, rays, answers);
    }
    let parts = rays.par_chunks(size).zip(answers.par_chunks_mut(size)).enumerate();
    parts.for_each(|(part, (rays, answers))| work(part * size, rays, answers));
}

/// So many misses; the memory of many is touched by all threads.
fn misses<K: Kind>(count: usize) -> Vec<K::Answer> {
    if count <= CHUNK {
        return std::iter::repeat_with(K::miss).take(count).collect();
    }
    (0..count).into_par_iter().with_min_len(CHUNK).map(|_| K::miss()).collect()
}
