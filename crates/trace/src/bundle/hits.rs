//! The best hits of a bundle's rays so far.

use super::lanes::{Lanes, SIZE, among, bits_of, vectors};
use crate::Hit;
use crate::kind::Kind;
use crate::ordinary::LARGEST;
use crate::simd::{Doubles, Floats, Lanes as _, Simd, floats, inlined};
use crate::world::World;
use tree::PrimitiveId;

/// The owner of a ray that has hit nothing.
const NO_HIT: u32 = u32::MAX;

/// Best hits. `u` and `v` are kept as quotients: few of the hits that are found stay.
pub(super) struct Hits {
    /// Where the rays begin.
    pub(super) tmin: Lanes,
    /// Where the best hit is, or else the ray ends.
    pub(super) best: Lanes,
    /// The weights of the second and the third corner, and the sum of all.
    weights: [Lanes<f64>; 3],
    names: Lanes<u32>,
    owners: Lanes<u32>,
}

impl Hits {
    /// No rays.
    pub(super) fn empty() -> Self {
        Self {
            tmin: Lanes::zero(),
            best: Lanes::zero(),
            weights: [Lanes::zero(); 3],
            names: Lanes::zero(),
            owners: Lanes([NO_HIT; SIZE]),
        }
    }

    /// Forgets all hits.
    pub(super) fn clear(&mut self) {
        self.owners = Lanes([NO_HIT; SIZE]);
    }

    /// The largest `t` times speed that still matters to one of `members`.
    #[inline(always)]
    pub(super) fn farthest<V: Simd>(&self, members: u64, speed: &Lanes) -> f32 {
        let mut farthest = V::Wide::splat(-1.0);
        for vector in 0..vectors::<V::Wide>() {
            let mask = bits_of::<V::Wide>(members, vector);
            let depth = self.best.get::<V::Wide>(vector) * speed.get(vector);
            farthest = V::Wide::select(mask, farthest.max(depth), farthest);
        }
        farthest.greatest()
    }

    /// Those of `members` whose bounds are in order (see [`crate::ordinary`]).
    #[inline(always)]
    pub(super) fn in_order<V: Simd>(&self, members: u64) -> u64 {
        let mut in_order = 0;
        for vector in 0..vectors::<V::Wide>() {
            let (tmin, tmax) = (self.tmin.get::<V::Wide>(vector), self.best.get(vector));
            let largest = V::Wide::splat(LARGEST);
            let is_in_order = tmin.ge(V::Wide::splat(0.0)) & tmin.le(largest) & tmin.le(tmax);
            in_order |= among::<V::Wide>(is_in_order, vector);
        }
        in_order & members
    }

    /// Ends a ray: nothing is before where they end.
    pub(super) fn end(&mut self, ray: usize) {
        self.best.set(ray, -1.0);
    }

    /// Whether a ray has hit anything.
    #[inline(always)]
    pub(super) fn is_hit(&self, ray: usize) -> bool {
        self.owners.of(ray) != NO_HIT
    }

    /// Takes hits of one triangle by the rays `8 half ..` into account; whether one of them is
    /// better than what there was. `ANY_HIT`: any hit ends its ray.
    #[inline(always)]
    pub(super) fn offer_half<V: Simd, const ANY_HIT: bool>(
        &mut self,
        half: usize,
        mask: u32,
        t: V::F8,
        weights: [V::D8; 3],
        named: Named<'_>,
    ) -> bool {
        let best = self.best.get::<V::F8>(half);
        let mask = mask & t.gt(self.tmin.get(half));
        let mut better = mask & t.lt(best);
        if !ANY_HIT {
            let equal = mask & t.eq(best);
            if equal != 0 {
                better |= self.winners_of_ties(half, equal, named);
            }
        }
        if better == 0 {
            return false;
        }
        let end = if ANY_HIT { V::F8::splat(-1.0) } else { t };
        self.best.put(half, V::F8::select(better, end, best));
        let owner = V::I8::splat(named.instance);
        self.owners.put(half, V::I8::select(better, owner, self.owners.get(half)));
        if !ANY_HIT {
            let name = V::I8::splat(named.name);
            self.names.put(half, V::I8::select(better, name, self.names.get(half)));
            for (lanes, weights) in self.weights.iter_mut().zip(weights) {
                lanes.put(half, V::D8::select(better, weights, lanes.get(half)));
            }
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
        self.owners.set(ray, named.instance);
        self.names.set(ray, named.name);
        for (lanes, weight) in self.weights.iter_mut().zip(weights) {
            lanes.set(ray, weight);
        }
        true
    }

    /// Those of the rays `8 half ..` for which the new of two hits at equal `t` comes first.
    #[cold]
    #[inline(never)]
    fn winners_of_ties(&self, half: usize, equal: u32, named: Named<'_>) -> u32 {
        (0..8)
            .filter(|lane| equal >> lane & 1 == 1 && self.wins_tie(8 * half + lane, named))
            .fold(0, |winners, lane| winners | 1 << lane)
    }

    /// Whether a hit comes before the best so far, which has the same `t`. Where there is none, `t`
    /// is the excluded end of the ray.
    #[cold]
    #[inline(never)]
    fn wins_tie(&self, ray: usize, named: Named<'_>) -> bool {
        let (owner, name) = (self.owners.of(ray), self.names.of(ray));
        let ids = inlined(
            #[inline(always)]
            |instance: u32, name: u32| {
                let id = named.world.id(instance, name);
                (instance, id.geometry, id.primitive)
            },
        );
        owner != NO_HIT && ids(named.instance, named.name) < ids(owner, name)
    }

    /// The best hits, as answers.
    #[inline(always)]
    pub(super) fn write<V: Simd, K: Kind>(&self, world: &World, answers: &mut [K::Answer]) {
        for (half, answers) in answers.chunks_mut(8).enumerate().take(SIZE / 8) {
            let [second, third, sum] = &self.weights;
            let quotient = inlined(
                #[inline(always)]
                |part: &Lanes<f64>| -> [f32; 8] {
                    floats((part.get::<V::D8>(half) / sum.get(half)).narrowed())
                },
            );
            let (us, vs) = (quotient(second), quotient(third));
            for (lane, answer) in answers.iter_mut().enumerate().take(8) {
                let ray = (8 * half + lane) % SIZE;
                let instance = self.owners.of(ray);
                *answer = if instance == NO_HIT {
                    K::miss()
                } else {
                    let (t, name) = (self.best.of(ray), self.names.of(ray));
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
