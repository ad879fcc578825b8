//! Rays in flight: the walk of batches, once for every kernel ([`crate::simd`]).
//!
//! A step of a ray (one node or one leaf) needs memory that the step before has named, so one ray
//! alone waits most of the time; and where it goes next is a branch that nobody can predict. Here
//! many rays take steps in rounds, steps of one kind after the other.
//!
//! Box tests are conservative and decide nothing but the work. Hits are decided by the arithmetic
//! of [`geometry`], bit for bit.
//!
//! | file | concept |
//! |---|---|
//! | `ray_pool` | rays in flight, and the rounds of their steps |
//! | `lists` | which of them wait for which kind of step |
//! | `walk` | what rays do between box tests |
//! | `lone_ray` | one ray alone, over any source and whatever is asked |
//! | `single_ray` | one over the CPU's copy, in what is asked most |
//! | `active_ray` | a ray |
//! | `ray_setup` | how rays are prepared, many at once |
//! | `axis_lanes` | the same of one |
//! | `stack` | what a ray has still to visit |
//! | `source` | what rays walk over |
//! | `prepared` | the CPU's copy as such |
//! | `boxes` | one ray against eight boxes |
//! | `rule` | the triangle rules as types |
//! | `triangles` | triangles by the watertight rule |
//! | `moller_trumbore` | the same by the other rule |

pub(crate) mod active_ray;
pub(crate) mod axis_lanes;
pub(crate) mod boxes;
mod lists;
mod lone_ray;
pub(crate) mod moller_trumbore;
pub(crate) mod prepared;
mod ray_pool;
pub(crate) mod ray_setup;
pub(crate) mod rule;
pub(crate) mod single_ray;
pub(crate) mod source;
pub(crate) mod stack;
pub(crate) mod triangles;
mod walk;

use crate::ask::Ask;
use crate::kind::Kind;
use crate::simd::{HAS_WALKS, Simd};
use geometry::Ray;
use machine::Counters;
use ray_pool::RayPool;
use source::Steps;
use walk::Walk;

/// `1 + 16 eps`: how far the exit of a box is widened. The reference test needs `1 + 4 eps`; the
/// rest covers the roundings of this one, and `t` of triangles that are clamped or split (see
/// `docs/trace.md`).
pub(crate) const WIDEN: f32 = 1.0 + 16.0 * f32::EPSILON;

/// `2^-118`, for products near the bottom of the exponent range.
pub(crate) const TINY: f32 = f32::from_bits(0x0480_0000);

/// Answers the rays of a part of a batch over a source.
///
/// # Safety
/// The processor must have the instructions of the kernel.
pub(crate) unsafe fn answer<V: Simd, K: Kind, G: Steps<V>>(
    source: &G,
    ask: &Ask<'_>,
    first: usize,
    rays: &[Ray],
    answers: &mut [K::Answer],
    counters: Option<&mut Counters>,
) {
    let mut uncounted = Counters::default();
    let is_counted = counters.is_some();
    let counters = counters.unwrap_or(&mut uncounted);
    if !HAS_WALKS || ask.mask == 0 || !source.is_ordinary() {
        for (offset, (ray, answer)) in rays.iter().zip(answers).enumerate() {
            source.answer_scalar::<K>(ask, first + offset, ray, answer, counters);
        }
        return;
    }
    let mut walk = Walk::<V, K, G>::new(source, ask, first, rays, answers, counters);
    // SAFETY: FEATURES-DETECTED, POINTER-PROVED, STACK-ROOM.
    unsafe {
        if rays.len() == 1 {
            return V::run(
                #[inline(always)]
                || lone_ray::answer(&mut walk, is_counted),
            );
        }
        let pool = RayPool::new(walk);
        let scratch = V::run(
            #[inline(always)]
            || pool.answer(is_counted),
        );
        scratch.keep();
    }
}
