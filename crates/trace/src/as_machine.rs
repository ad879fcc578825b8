//! The tracer as a machine: one query at a time, watched or not.
//!
//! An observer sees the scalar walk, over whatever the tracer reads: kernels take several children,
//! primitives and rays at once, so their steps have no order of their own. The hits are the same;
//! of an any query it may be another one of the ray's hits, and counters are those of the walk
//! that was watched. In place, nodes have the image's own pointers and addresses; in the CPU's
//! copy, and for beams, which always walk a copy, pointers are those of the copy.

use crate::ask::Ask;
use crate::kind::{All, Closest, First, Kind};
use crate::scalar;
use crate::tracer::{NAME, Storage};
use crate::{Hit, Kernel, Tracer};
use machine::{
    Answer, Counters, HitKind, Machine, MachineError, Observer, Query, RayQuery, Shape, Step,
    Unwatched,
};

impl Machine for Tracer {
    fn name(&self) -> &'static str {
        NAME
    }

    fn watch(
        &self,
        query: &Query,
        answer: &mut Answer,
        observer: &mut dyn Observer,
    ) -> Result<(), MachineError> {
        match query.shape {
            Shape::Ray(ray) => self.ray(&query.with_shape(ray), answer, Some(&mut *observer)),
            Shape::Beam(shape) => {
                let Answer { hits, counters } = answer;
                self.beams()?.watch(&query.with_shape(shape), hits, counters, &mut *observer);
            }
        }
        observer.see(Step::End);
        Ok(())
    }

    fn answer_into(&self, query: &Query, answer: &mut Answer) -> Result<(), MachineError> {
        match query.shape {
            Shape::Ray(ray) => self.ray(&query.with_shape(ray), answer, None),
            Shape::Beam(shape) => {
                let Answer { hits, counters } = answer;
                self.beams()?.answer(&query.with_shape(shape), hits, counters);
            }
        }
        Ok(())
    }
}

impl Tracer {
    fn ray(&self, query: &RayQuery, answer: &mut Answer, observer: Option<&mut dyn Observer>) {
        let Answer { hits, counters } = answer;
        hits.clear();
        let mut hit = Hit::MISS;
        match query.kind {
            HitKind::Closest => self.answer_one::<Closest>(query, &mut hit, counters, observer),
            HitKind::Any => self.answer_one::<First>(query, &mut hit, counters, observer),
            HitKind::All => self.answer_one::<All>(query, hits, counters, observer),
        }
        hits.extend((!hit.is_miss()).then_some(hit));
    }

    fn answer_one<K: Kind>(
        &self,
        query: &RayQuery,
        answer: &mut K::Answer,
        counters: &mut Counters,
        observer: Option<&mut dyn Observer>,
    ) {
        let RayQuery { shape: ray, mask, flags, .. } = query;
        let everything = Ask::everything(self.options().rule);
        let ask = &Ask { mask: *mask, flags: *flags, ..everything };
        let observer: &mut dyn Observer = match observer {
            Some(observer) => observer,
            // Ray by ray, plain vectors are no faster than the plain walk.
            None if self.kernel() == Kernel::Plain => &mut Unwatched,
            None => {
                let (rays, answers) = (std::slice::from_ref(ray), std::slice::from_mut(answer));
                return self.answer::<K>(ask, 0, rays, answers, Some(counters));
            }
        };
        match &self.storage {
            Storage::Prepared(world) => {
                scalar::watch::<K, _, _>(world, ask, 0, ray, answer, counters, observer);
            }
            Storage::InPlace(image) => {
                scalar::watch::<K, _, _>(image, ask, 0, ray, answer, counters, observer);
            }
        }
    }
}
