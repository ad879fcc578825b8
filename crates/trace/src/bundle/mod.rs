//! Bundles: coherent rays answered together.
//!
//! Rays that lie side by side in a batch often run side by side. A bundle of up to 64 of them walks
//! once for all: a beam around them is tested against eight boxes at a time; only where it ends at
//! a leaf, single rays are tested, eight or sixteen at a time.
//!
//! | file | concept |
//! |---|---|
//! | `lanes` | one number for each ray |
//! | `view` | the rays in one space, and the beam around them |
//! | `boxes` | a beam against eight boxes, many rays against one |
//! | `triangles` | rays against the triangles of a leaf |
//! | `hits` | the best hits so far |
//! | `stack` | where a walk still has to go |
//! | `walk` | the walk |
//!
//! As in the kernel for single rays, box tests decide nothing but the work, and hits are decided by
//! the arithmetic of [`geometry`], bit for bit.

mod boxes;
mod hits;
mod lanes;
mod stack;
mod triangles;
mod view;
mod walk;

use crate::ask::Ask;
use crate::kind::Kind;
use crate::simd::Simd;
use crate::world::World;
use crate::{Hit, scalar};
use geometry::Ray;
use hits::Hits;
use lanes::SIZE;
use machine::Counters;
use stack::Stack;
use std::cell::Cell;
use view::{Dilation, View};
use walk::Walk;

/// Fewer rays than this are not worth a bundle.
const FEWEST: u32 = 8;

/// Directions may differ by so much, as slopes against the dominant axis: half of a row of pixels,
/// say.
const WIDEST: f32 = 0.5;

/// The product of both differences of slopes may be so much: the area of a tile, say.
const LARGEST_AREA: f32 = 1.0 / 16.0;

/// Origins may differ by so much, as a part of the distance to the far end of the world.
const THICKEST: f32 = 1.0 / 16.0;

/// Steps that a bundle may take for each of its rays. Where boxes are small beside the gaps between
/// rays, a bundle meets what none of them meets, and they are better off alone.
const STEPS_A_RAY: u32 = 4;

/// Groups whose rays go one by one after a group whose bundle has diverged; after each further one
/// twice as many, up to [`LONGEST_PAUSE`].
const SHORTEST_PAUSE: u32 = 1;

const LONGEST_PAUSE: u32 = 64;

/// Answers rays of a part of a batch that run together, by the watertight rule. What is left is for
/// another kernel: the positions of these rays.
///
/// # Safety
/// The processor must have the instructions.
pub(crate) unsafe fn answer<V: Simd, K: Kind>(
    world: &World,
    ask: &Ask<'_>,
    rays: &[Ray],
    answers: &mut [K::Answer],
) -> Vec<u32> {
    let mut left = Vec::new();
    let is_taken = K::IN_BUNDLES
        && ask.has_no_filter_or_flags()
        && ask.mask != 0
        && world.is_ordinary
        && world.box_lists.is_empty();
    if !is_taken {
        left.extend(0..rays.len() as u32);
        return left;
    }
    let mut bundler = None;
    let (mut pause, mut next_pause) = (0u32, SHORTEST_PAUSE);
    for (number, (group, answers)) in rays.chunks(SIZE).zip(answers.chunks_mut(SIZE)).enumerate() {
        let mut missing = if pause > 0 || !seems_coherent(group) {
            pause = pause.saturating_sub(1);
            all(group.len())
        } else {
            let bundler = bundler.get_or_insert_with(|| Bundler::new(world, ask));
            // SAFETY: FEATURES-DETECTED.
            let missing = unsafe {
                V::run(
                    #[inline(always)]
                    || bundler.answer::<V, K>(group, answers),
                )
            };
            if bundler.diverged {
                (pause, next_pause) = (next_pause, LONGEST_PAUSE.min(2 * next_pause));
            } else {
                next_pause = SHORTEST_PAUSE;
            }
            missing
        };
        while missing != 0 {
            left.push((SIZE * number) as u32 + missing.trailing_zeros());
            missing &= missing - 1;
        }
    }
    if let Some(Bundler { scratch, .. }) = bundler {
        SCRATCH.set(Some(scratch));
    }
    left
}

/// Whether a look at a few rays gives hope.
fn seems_coherent(rays: &[Ray]) -> bool {
    let [first, .., last] = rays else { return false };
    if rays.len() < FEWEST as usize {
        return false;
    }
    let samples = [rays[rays.len() / 3], rays[2 * rays.len() / 3], *last];
    let size = first.direction.abs().max_element();
    samples.iter().all(|sample| {
        let difference = (sample.direction - first.direction).abs().max_element();
        difference <= size * WIDEST
    })
}

/// A bit for each of so many rays.
fn all(count: usize) -> u64 {
    if count < SIZE { (1 << count) - 1 } else { u64::MAX }
}

/// What bundles of one part of a batch share.
struct Bundler<'a> {
    world: &'a World,
    ask: &'a Ask<'a>,
    scratch: Box<Scratch>,
    /// Whether a bundle of the last group has diverged, so that its rays fall back to single rays.
    diverged: bool,
}

/// The memory of a bundle. What was there before means nothing.
struct Scratch {
    view: View,
    below: View,
    hits: Hits,
    stack: Stack,
}

thread_local! {
    /// Memory for the thread's next bundle: for a few rays it would take longer to make than they
    /// take.
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

impl Scratch {
    fn empty() -> Self {
        let [view, below] = [View::empty(), View::empty()];
        Self { view, below, hits: Hits::empty(), stack: Stack::EMPTY }
    }
}

impl<'a> Bundler<'a> {
    fn new(world: &'a World, ask: &'a Ask<'a>) -> Self {
        let mut scratch = SCRATCH.take().unwrap_or_else(|| Box::new(Scratch::empty()));
        scratch.stack.reset(world.stack_size);
        Self { world, ask, scratch, diverged: false }
    }

    /// Answers rays of a group; which are left.
    ///
    /// # Safety
    /// As [`answer`].
    #[inline(always)]
    unsafe fn answer<V: Simd, K: Kind>(&mut self, rays: &[Ray], answers: &mut [K::Answer]) -> u64 {
        let Self { world, ask, scratch, diverged } = self;
        let Scratch { view, below, hits, stack } = &mut **scratch;
        *diverged = false;
        let [ox, oy, oz] = view.origin.each_mut();
        let [dx, dy, dz] = view.direction.each_mut();
        lanes::transposed::<V>(rays, [ox, oy, oz, dx, dy, dz, &mut hits.tmin, &mut hits.best]);
        hits.clear();
        let candidates = view.ordinary::<V>(hits.in_order::<V>(all(rays.len())));
        let mut waiting = candidates;
        let mut walk = Walk { world, mask: ask.mask, needs_scalar: 0, steps: 0 };
        let mut left = all(rays.len()) & !candidates;
        let (level, dilation) = match (&world.tlas, world.blases.first()) {
            (Some(tlas), _) => (&tlas.level, Dilation::Tlas(&tlas.dilation)),
            (None, Some(level)) => (level, Dilation::Blas),
            (None, None) => return all(rays.len()),
        };
        while waiting != 0 {
            let class = view.choose_class::<V>(waiting);
            waiting &= !class;
            let is_bundle = class.count_ones() >= FEWEST && {
                let spread = view.prepare::<V>(class, &level.bounds, dilation, &hits.tmin);
                let [narrow, wide] = spread.slopes;
                wide <= WIDEST && narrow * wide <= LARGEST_AREA && spread.origins <= THICKEST
            };
            if !is_bundle {
                left |= class;
            } else if level.root != crate::world::Pointer::DONE {
                walk.steps = STEPS_A_RAY * class.count_ones();
                // SAFETY: FEATURES-DETECTED, STACK-ROOM; the view is prepared for the level.
                unsafe {
                    let below = world.tlas.is_some().then_some(&mut *below);
                    if K::NEEDS_HIT {
                        walk.level::<V, false>(level, view, below, hits, stack);
                    } else {
                        walk.level::<V, true>(level, view, below, hits, stack);
                    }
                }
                if walk.steps == 0 {
                    left |= class;
                    *diverged = true;
                }
            }
        }
        if K::NEEDS_HIT {
            hits.write::<V, K>(world, answers);
        } else {
            for (ray, answer) in answers.iter_mut().enumerate() {
                *answer = if hits.is_hit(ray) { K::of(Hit::MISS) } else { K::miss() };
            }
        }
        let mut needs_scalar = walk.needs_scalar;
        while needs_scalar != 0 {
            let ray = needs_scalar.trailing_zeros() as usize;
            needs_scalar &= needs_scalar - 1;
            let mut uncounted = Counters::default();
            scalar::answer::<K, World>(
                world,
                ask,
                ray,
                &rays[ray],
                &mut answers[ray],
                &mut uncounted,
            );
        }
        left
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::kind::{All, Any, Closest};
    use geometry::{TriangleRule, Vec3};
    use scene::builtin::Builtin;
    use std::ops::ControlFlow;

    /// The positions that are left of rays, in a world where they hit something.
    fn left<K: Kind>(rays: &[Ray]) -> Vec<u32> {
        let scene = Builtin::Organic.scene(500);
        let keep_going = |_| ControlFlow::Continue(());
        let built = build::build(&scene, &build::Options::default(), &keep_going).unwrap();
        let world = World::new(&built.tree, crate::world::Boxes::Anew).unwrap();
        let ask = Ask::everything(TriangleRule::Watertight);
        let mut answers: Vec<K::Answer> = rays.iter().map(|_| K::miss()).collect();
        crate::kernel::with_kernel!(crate::Kernel::fastest(), V => {
            // SAFETY: FEATURES-DETECTED.
            unsafe { answer::<V, K>(&world, &ask, rays, &mut answers) }
        })
    }

    /// Rays from one point, their slopes between 0 and `widest`.
    fn fan(count: usize, widest: f32) -> Vec<Ray> {
        let slope = |n: usize| n as f32 / count as f32 * widest;
        (0..count)
            .map(|n| {
                Ray::new(Vec3::new(0.1, 0.2, 9.0), Vec3::new(slope(n), slope(count - n), -1.0))
            })
            .collect()
    }

    #[test]
    fn rays_that_run_together_are_bundled() {
        assert!(left::<Closest>(&fan(150, 0.2)).is_empty());
        assert!(left::<Any>(&fan(64, 0.2)).is_empty());
        let mut row = fan(64, 0.4);
        row.iter_mut().for_each(|ray| ray.direction.y = -0.3);
        assert!(left::<Closest>(&row).is_empty());
        assert_eq!(left::<All>(&fan(150, 0.2)).len(), 150);
    }

    #[test]
    fn rays_that_do_not_are_left() {
        assert_eq!(left::<Closest>(&fan(64, 0.4)).len(), 64);
        let mut astray = fan(64, 0.1);
        astray[5].direction.x = f32::NAN;
        astray[40].direction = Vec3::new(0.1, 1.0, 0.2);
        astray[63].origin.y = 1e30;
        assert_eq!(left::<Closest>(&astray), [5, 40, 63]);
        let mut apart = fan(64, 0.1);
        for (n, ray) in apart.iter_mut().enumerate() {
            ray.origin.x += n as f32;
        }
        assert_eq!(left::<Closest>(&apart).len(), 64);
    }
}
