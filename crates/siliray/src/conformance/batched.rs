//! The fast tracer, asked as it is meant to be: in batches, or by calls for one ray.
//!
//! The ray of a question stands somewhere in a batch of 64: among rays that run beside it, which
//! are answered as a bundle, or among rays from everywhere, which are in flight with it. Only its
//! own answer is looked at; the others are there to be walked with.

use geometry::random::Random;
use geometry::{Aabb, Ray, Vec3};
use machine::{Answer, HitKind, Machine, MachineError, Observer, Query};
use trace::Tracer;

/// Rays of a batch: as many as a bundle has.
const RAYS: usize = 64;

/// Who is in a batch beside the ray that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coherence {
    /// Rays that run side by side with it.
    Coherent,
    /// Rays from everywhere, a few of which make no sense.
    Incoherent,
}

/// The tracer, and with whom it is asked.
pub(super) struct Batched {
    pub(super) tracer: Tracer,
    pub(super) coherence: Coherence,
    /// The box around the world.
    pub(super) bounds: Aabb,
}

impl Machine for Batched {
    fn name(&self) -> &'static str {
        self.tracer.name()
    }

    fn watch(
        &self,
        query: &Query,
        answer: &mut Answer,
        _: &mut dyn Observer,
    ) -> Result<(), MachineError> {
        let query = &query.as_ray(self.name())?;
        let Answer { hits, counters } = answer;
        let (rays, place) = self.batch_around(&query.shape);
        let batch = self.tracer.batch().mask(query.mask).flags(query.flags);
        counters.queries += RAYS as u64;
        hits.clear();
        match query.kind {
            HitKind::All => hits.append(&mut batch.all(&rays)[place]),
            HitKind::Closest => {
                hits.extend(Some(batch.closest(&rays)[place]).filter(|hit| !hit.is_miss()));
            }
            // Only whether there is a hit is said; if there is, the closest is one, and a miss
            // would be a mismatch.
            HitKind::Any if batch.any(&rays)[place] => hits.push(batch.closest(&rays)[place]),
            HitKind::Any => (),
        }
        Ok(())
    }
}

/// The tracer, asked by calls for one ray about all that they can be asked.
pub(super) struct OneByOne(pub(super) Tracer);

impl Machine for OneByOne {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn watch(
        &self,
        query: &Query,
        answer: &mut Answer,
        _: &mut dyn Observer,
    ) -> Result<(), MachineError> {
        let ray = &query.as_ray(self.name())?.shape;
        let is_found = match query.kind {
            _ if query.mask != 0xFF || !query.flags.is_empty() => None,
            HitKind::All => None,
            HitKind::Closest => Some(true),
            // As above.
            HitKind::Any => Some(self.0.any_one(ray)),
        };
        let Some(is_found) = is_found else { return self.0.answer_into(query, answer) };
        answer.counters.queries += 1;
        answer.hits.clear();
        let hit = Some(self.0.closest_one(ray)).filter(|hit| is_found && !hit.is_miss());
        answer.hits.extend(hit);
        Ok(())
    }
}

impl Batched {
    /// A batch with `ray` in it, and its place; the same for the same ray.
    fn batch_around(&self, ray: &Ray) -> (Vec<Ray>, usize) {
        let Ray { origin, direction, .. } = *ray;
        let words = origin.to_array().into_iter().chain(direction.to_array()).map(f32::to_bits);
        let seed = words.fold(0u64, |sum, word| sum.rotate_left(9) ^ u64::from(word));
        let mut random = Random(seed);
        let mut rays: Vec<Ray> = match self.coherence {
            Coherence::Coherent => {
                let spread = (-12.0 + random.below(7) as f32).exp2();
                let step = if random.one_in(2) { 0.0 } else { spread };
                (0..RAYS).map(|_| self.beside(ray, spread, step, &mut random)).collect()
            }
            Coherence::Incoherent => (0..RAYS).map(|_| self.scattered(&mut random)).collect(),
        };
        let place = random.below(RAYS);
        rays[place] = *ray;
        (rays, place)
    }

    /// A neighbour: turned by about `spread`, and moved by about `step` of the world's size.
    fn beside(&self, ray: &Ray, spread: f32, step: f32, random: &mut Random) -> Ray {
        let size = ray.direction.abs().max_element();
        let moved = self.bounds.extent() * random.vector(-step, step);
        Ray {
            origin: ray.origin + moved,
            direction: ray.direction + random.vector(-spread, spread) * size,
            ..*ray
        }
    }

    fn scattered(&self, random: &mut Random) -> Ray {
        let mut point = || self.bounds.center() + self.bounds.extent() * random.vector(-1.0, 1.0);
        let (origin, target) = (point(), point());
        let direction = match random.below(16) {
            0 => Vec3::ZERO,
            1 => Vec3::new(f32::NAN, 1.0, f32::INFINITY),
            _ => target - origin,
        };
        Ray::new(origin, direction)
    }
}
