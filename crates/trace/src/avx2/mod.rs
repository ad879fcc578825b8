//! The AVX2 kernel, for processors without AVX-512.
//!
//! It walks as the AVX-512 kernel does ([`avx512`](crate::avx512) has the map of what both share):
//! slots, rules, box tests, the walk between them. What AVX-512 has instructions for is done by
//! permutations here.
//!
//! | file | concept |
//! |---|---|
//! | `ray_pool` | rays in flight, and the rounds of their steps |
//! | `lists` | which of them wait for which kind of step |
//! | `prepared` | the steps over the CPU's copy |
//! | `boxes` | the children of a node that a ray meets |
//! | `triangles` | one ray against eight triangles, by the watertight rule |
//! | `packing` | some lanes of a vector, side by side |

mod boxes;
mod lists;
mod packing;
mod prepared;
mod ray_pool;
mod triangles;

use crate::ask::Ask;
use crate::kind::Kind;
use crate::vector::prepared::Prepared;
use crate::vector::rule::{MollerTrumbore, Rule, Watertight};
use crate::vector::single_ray;
use crate::vector::source::{Steps, VectorSource};
use crate::vector::walk::Walk;
use crate::world::World;
use geometry::{Ray, TriangleRule};
use machine::Counters;
use ray_pool::RayPool;

/// The instructions of this kernel, as a type.
pub(crate) struct Avx2;

/// Whether this processor can run the kernel.
pub(crate) fn is_available() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("bmi2")
}

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
                by_rule::<K, Watertight>(world, ask, first, rays, answers, counters);
            }
            TriangleRule::MollerTrumbore => {
                by_rule::<K, MollerTrumbore>(world, ask, first, rays, answers, counters);
            }
        }
    }
}

/// The same by one rule.
///
/// # Safety
/// As [`answer`].
unsafe fn by_rule<K: Kind, R: Rule>(
    world: &World,
    ask: &Ask<'_>,
    first: usize,
    rays: &[Ray],
    answers: &mut [K::Answer],
    counters: Option<&mut Counters>,
) {
    debug_assert!(is_available(), "FEATURES-DETECTED");
    let source = Prepared::<R, Avx2>::new(world);
    let mut uncounted = Counters::default();
    let is_counted = counters.is_some();
    let counters = counters.unwrap_or(&mut uncounted);
    if ask.mask == 0 || !source.is_ordinary() {
        for (offset, (ray, answer)) in rays.iter().zip(answers).enumerate() {
            source.answer_scalar::<K>(ask, first + offset, ray, answer, counters);
        }
        return;
    }
    let mut walk = Walk::<K, _>::new(&source, ask, first, rays, answers, counters);
    // SAFETY: FEATURES-DETECTED.
    unsafe {
        match (rays.len(), is_counted) {
            (1, false) => one::<K, _, false>(&mut walk),
            (1, true) => one::<K, _, true>(&mut walk),
            (_, false) => RayPool::new(walk).answer::<false>(),
            (_, true) => RayPool::new(walk).answer::<true>(),
        }
    }
}

/// Answers the one ray of `walk`.
///
/// # Safety
/// As [`answer`], and there must be one ray.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
unsafe fn one<K: Kind, G: Steps, const COUNTED: bool>(walk: &mut Walk<'_, K, G>) {
    // SAFETY: FEATURES-DETECTED.
    unsafe { single_ray::answer::<K, G, COUNTED>(walk) };
}
