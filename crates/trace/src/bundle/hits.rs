//! The best hits of a bundle's rays so far.

use super::lanes::{Lanes, SIZE, VECTORS};
use crate::Hit;
use crate::kind::Kind;
use crate::ordinary::LARGEST;
use crate::world::World;
use std::arch::x86_64::*;
use tree::PrimitiveId;

/// The owner of a ray that has hit nothing.
const NO_HIT: u32 = u32::MAX;

/// Best hits. `u` and `v` are kept as quotients: few of the hits that are found stay.
pub(super) struct Hits {
    /// Where the rays begin.
    pub(super) tmin: Lanes,
    /// Where the best hit is, or else the ray ends.
    pub(super) best: Lanes,
    second: [__m512d; SIZE / 8],
    third: [__m512d; SIZE / 8],
    sum: [__m512d; SIZE / 8],
    names: [u32; SIZE],
    owners: [u32; SIZE],
}

/// Eight triangles or rays that the rule accepts: the weights of the corners.
#[derive(Clone, Copy)]
pub(super) struct Weights {
    pub(super) second: __m512d,
    pub(super) third: __m512d,
    pub(super) sum: __m512d,
}

impl Hits {
    /// No rays.
    pub(super) fn empty() -> Self {
        // SAFETY: ZERO-VALID.
        let zero: [__m512d; SIZE / 8] = unsafe { std::mem::zeroed() };
        Self {
            tmin: Lanes::zero(),
            best: Lanes::zero(),
            second: zero,
            third: zero,
            sum: zero,
            names: [0; SIZE],
            owners: [NO_HIT; SIZE],
        }
    }

    /// Forgets all hits.
    pub(super) fn clear(&mut self) {
        self.owners = [NO_HIT; SIZE];
    }

    /// The largest `t` times speed that still matters to one of `members`.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) fn farthest(&self, members: u64, speed: &Lanes) -> f32 {
        let mut farthest = _mm512_set1_ps(-1.0);
        for vector in 0..VECTORS {
            let mask = (members >> (16 * vector)) as u16;
            let depth = _mm512_mul_ps(self.best.0[vector], speed.0[vector]);
            farthest = _mm512_mask_max_ps(farthest, mask, farthest, depth);
        }
        _mm512_reduce_max_ps(farthest)
    }

    /// Those of `members` whose bounds are in order (see [`crate::ordinary`]).
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    pub(super) fn in_order(&self, members: u64) -> u64 {
        let mut in_order = 0;
        for vector in 0..VECTORS {
            let (tmin, tmax) = (self.tmin.0[vector], self.best.0[vector]);
            let mask = (members >> (16 * vector)) as u16;
            let mask = _mm512_mask_cmp_ps_mask::<_CMP_GE_OQ>(mask, tmin, _mm512_setzero_ps());
            let largest = _mm512_set1_ps(LARGEST);
            let mask = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(mask, tmin, largest);
            let mask = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(mask, tmin, tmax);
            in_order |= u64::from(mask) << (16 * vector);
        }
        in_order
    }

    /// Ends a ray: nothing is before where they end.
    pub(super) fn end(&mut self, ray: usize) {
        self.best.set(ray, -1.0);
    }

    /// Whether a ray has hit anything.
    #[inline(always)]
    pub(super) fn is_hit(&self, ray: usize) -> bool {
        self.owners[ray % SIZE] != NO_HIT
    }

    /// Takes hits of one triangle by the rays `8 half ..` into account; whether one of them is
    /// better than what there was. `ANY_HIT`: any hit ends its ray.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) fn offer_half<const ANY_HIT: bool>(
        &mut self,
        half: usize,
        mask: u8,
        t: __m256,
        weights: &Weights,
        named: Named<'_>,
    ) -> bool {
        let best = self.best.half(half);
        let mask = _mm256_mask_cmp_ps_mask::<_CMP_GT_OQ>(mask, t, self.tmin.half(half));
        let mut better = _mm256_mask_cmp_ps_mask::<_CMP_LT_OQ>(mask, t, best);
        if !ANY_HIT {
            let equal = _mm256_mask_cmp_ps_mask::<_CMP_EQ_OQ>(mask, t, best);
            if equal != 0 {
                better |= self.winners_of_ties(half, equal, named);
            }
        }
        if better == 0 {
            return false;
        }
        let end = if ANY_HIT { _mm256_set1_ps(-1.0) } else { t };
        self.best.set_half(half, _mm256_mask_blend_ps(better, best, end));
        let half = half % (SIZE / 8);
        let owners = self.owners.as_mut_ptr().wrapping_add(8 * half).cast::<__m256i>();
        // SAFETY: VECTOR-SIZED: eight entries for each half.
        unsafe {
            let owner = _mm256_set1_epi32(named.instance as i32);
            let mixed = _mm256_mask_blend_epi32(better, _mm256_loadu_si256(owners), owner);
            _mm256_storeu_si256(owners, mixed);
        }
        if !ANY_HIT {
            let names = self.names.as_mut_ptr().wrapping_add(8 * half).cast::<__m256i>();
            // SAFETY: VECTOR-SIZED: eight entries for each half.
            unsafe {
                let name = _mm256_set1_epi32(named.name as i32);
                let mixed = _mm256_mask_blend_epi32(better, _mm256_loadu_si256(names), name);
                _mm256_storeu_si256(names, mixed);
            }
            let blend = |old: __m512d, new: __m512d| _mm512_mask_blend_pd(better, old, new);
            self.second[half] = blend(self.second[half], weights.second);
            self.third[half] = blend(self.third[half], weights.third);
            self.sum[half] = blend(self.sum[half], weights.sum);
        }
        true
    }

    /// Takes one hit of one ray into account; whether it is better than what there was.
    #[inline]
    pub(super) fn offer_one<const ANY_HIT: bool>(
        &mut self,
        ray: usize,
        t: f32,
        weights: [f64; 3],
        named: Named<'_>,
    ) -> bool {
        let ray = ray % SIZE;
        let best = self.best.of(ray);
        let is_within = t > self.tmin.of(ray) && t <= best;
        if !is_within || t == best && (ANY_HIT || !self.wins_tie(ray, named)) {
            return false;
        }
        self.best.set(ray, if ANY_HIT { -1.0 } else { t });
        self.owners[ray] = named.instance;
        self.names[ray] = named.name;
        let set = |numbers: &mut [__m512d; SIZE / 8], number: f64| {
            // SAFETY: VECTOR-SIZED: the index is below `SIZE`.
            unsafe { *numbers.as_mut_ptr().cast::<f64>().add(ray) = number };
        };
        set(&mut self.second, weights[0]);
        set(&mut self.third, weights[1]);
        set(&mut self.sum, weights[2]);
        true
    }

    /// Those of the rays `8 half ..` for which the new of two hits at equal `t` comes first.
    #[cold]
    #[inline(never)]
    fn winners_of_ties(&self, half: usize, equal: u8, named: Named<'_>) -> u8 {
        (0..8)
            .filter(|lane| equal >> lane & 1 == 1 && self.wins_tie(8 * half + lane, named))
            .fold(0, |winners, lane| winners | 1 << lane)
    }

    /// Whether a hit comes before the best so far, which has the same `t`. Where there is none, `t`
    /// is the excluded end of the ray.
    #[cold]
    #[inline(never)]
    fn wins_tie(&self, ray: usize, named: Named<'_>) -> bool {
        let (owner, name) = (self.owners[ray % SIZE], self.names[ray % SIZE]);
        let ids = |instance: u32, name: u32| {
            let id = named.world.id(instance, name);
            (instance, id.geometry, id.primitive)
        };
        owner != NO_HIT && ids(named.instance, named.name) < ids(owner, name)
    }

    /// The best hits, as answers.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    pub(super) fn write<K: Kind>(&self, world: &World, answers: &mut [K::Answer]) {
        for (half, answers) in answers.chunks_mut(8).enumerate().take(SIZE / 8) {
            let quotient = |part: &[__m512d; SIZE / 8]| {
                _mm512_cvtpd_ps(_mm512_div_pd(part[half], self.sum[half]))
            };
            let (mut us, mut vs) = ([0.0f32; 8], [0.0f32; 8]);
            // SAFETY: VECTOR-SIZED.
            unsafe {
                _mm256_storeu_ps(us.as_mut_ptr(), quotient(&self.second));
                _mm256_storeu_ps(vs.as_mut_ptr(), quotient(&self.third));
            }
            for (lane, answer) in answers.iter_mut().enumerate().take(8) {
                let ray = (8 * half + lane) % SIZE;
                let instance = self.owners[ray];
                *answer = if instance == NO_HIT {
                    K::miss()
                } else {
                    let (t, name) = (self.best.of(ray), self.names[ray]);
                    let PrimitiveId { geometry, primitive, .. } = world.id(instance, name);
                    K::of(Hit { t, u: us[lane], v: vs[lane], instance, geometry, primitive })
                };
            }
        }
    }
}

/// A triangle by name.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    pub(super) world: &'a World,
    pub(super) instance: u32,
    pub(super) name: u32,
}
