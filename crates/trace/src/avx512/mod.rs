//! The AVX-512 kernel: many rays in flight on one thread.
//!
//! A step of a ray (one node or one leaf) needs memory that the step before has named, so one ray
//! alone waits most of the time; and where it goes next is a branch that nobody can predict. Here
//! many rays take steps in rounds, steps of one kind after the other.
//!
//! | file | concept |
//! |---|---|
//! | `ray_pool` | rays in flight, and the rounds of their steps |
//! | `batch_steps` | steps of one kind, of many rays |
//! | `lists` | which of them wait for which kind of step |
//! | [`single_ray`] | one ray alone over the CPU's copy, in what is asked most |
//! | `prepared` | steps over the CPU's copy |
//! | [`in_place`] | the image's own bytes as source, and steps over it |
//! | `boxes` | the children of a node that a ray meets |
//! | `stack` | how they get onto its stack |
//! | `triangles` | triangles that it may hit |
//!
//! What needs no more than AVX2 is in [`vector`](crate::vector), which all kernels share.
//!
//! Box tests are conservative and decide nothing but the work. Hits are decided by the arithmetic
//! of [`geometry`], bit for bit.

mod batch_steps;
mod boxes;
pub(crate) mod in_place;
mod lists;
mod prepared;
mod ray_pool;
pub(crate) mod single_ray;
mod stack;
mod triangles;

use crate::ask::Ask;
use crate::kind::Kind;
use crate::vector::prepared::Prepared;
use crate::vector::rule::{MollerTrumbore, Watertight};
use crate::vector::single_ray as vector_single_ray;
use crate::vector::walk::Walk;
use crate::world::World;
use batch_steps::BatchSteps;
use geometry::{Ray, TriangleRule};
use machine::Counters;
use ray_pool::RayPool;

/// Whether this processor can run the kernel.
pub(crate) fn is_available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("bmi2")
}

/// The instructions of this kernel, as a type.
pub(crate) struct Avx512;

/// Answers the rays of a part of a batch.
///
/// # Safety
/// [`is_available`] must be true.
pub(crate) unsafe fn answer<K: Kind>(
    world: &World,
    ask: &Ask<'_>,
    first: usize,
    rays: &[Ray],
    answers: &mut [K::Answer],
    counters: Option<&mut Counters>,
) {
    // SAFETY: FEATURES-DETECTED.
    unsafe {
        match ask.rule {
            TriangleRule::Watertight => {
                let source = Prepared::<Watertight, Avx512>::new(world);
                answer_over::<K, _>(&source, ask, first, rays, answers, counters);
            }
            TriangleRule::MollerTrumbore => {
                let source = Prepared::<MollerTrumbore, Avx512>::new(world);
                answer_over::<K, _>(&source, ask, first, rays, answers, counters);
            }
        }
    }
}

/// The same over any source.
///
/// # Safety
/// As [`answer`].
unsafe fn answer_over<K: Kind, G: BatchSteps>(
    source: &G,
    ask: &Ask<'_>,
    first: usize,
    rays: &[Ray],
    answers: &mut [K::Answer],
    counters: Option<&mut Counters>,
) {
    debug_assert!(is_available(), "FEATURES-DETECTED");
    let mut uncounted = Counters::default();
    let is_counted = counters.is_some();
    let counters = counters.unwrap_or(&mut uncounted);
    if ask.mask == 0 || !source.is_ordinary() {
        for (offset, (ray, answer)) in rays.iter().zip(answers).enumerate() {
            source.answer_scalar::<K>(ask, first + offset, ray, answer, counters);
        }
        return;
    }
    let mut walk = Walk::<K, G>::new(source, ask, first, rays, answers, counters);
    // SAFETY: FEATURES-DETECTED.
    unsafe {
        match (rays.len(), is_counted) {
            (1, false) => one::<K, G, false>(&mut walk),
            (1, true) => one::<K, G, true>(&mut walk),
            (_, false) => RayPool::new(walk).answer::<false>(),
            (_, true) => RayPool::new(walk).answer::<true>(),
        }
    }
}

/// Answers the one ray of `walk`.
///
/// # Safety
/// As [`answer`], and there must be one ray.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
unsafe fn one<K: Kind, G: BatchSteps, const COUNTED: bool>(walk: &mut Walk<'_, K, G>) {
    // SAFETY: FEATURES-DETECTED.
    unsafe { vector_single_ray::answer::<K, G, COUNTED>(walk) };
}
