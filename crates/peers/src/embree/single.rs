//! Rays one by one.

use super::layout::{Arguments4, Context3, Context4, INVALID, RtcRayHit};
use super::library::Either;
use super::world::World;
use crate::{Answer, Question, Work};
use geometry::Ray;

/// `RTC_INTERSECT_CONTEXT_FLAG_COHERENT` of version 3.
const COHERENT_3: u32 = 1;
/// `RTC_RAY_QUERY_FLAG_COHERENT` of version 4.
const COHERENT_4: u32 = 1 << 16;
/// `RTC_FEATURE_FLAG_ALL`.
const ALL_FEATURES: u32 = u32::MAX;

/// Rays with room for their hits.
pub(super) struct Singles<'a> {
    world: &'a World,
    question: Question,
    rays: Vec<RtcRayHit>,
    farthest: Vec<f32>,
}

impl<'a> Singles<'a> {
    pub(super) fn new(world: &'a World, question: Question, rays: &[Ray]) -> Self {
        let farthest = rays.iter().map(|ray| ray.tmax).collect();
        Self { world, question, rays: rays.iter().map(RtcRayHit::new).collect(), farthest }
    }
}

impl Work for Singles<'_> {
    fn reset(&mut self) {
        for (ray, &farthest) in self.rays.iter_mut().zip(&self.farthest) {
            ray.ray.tfar = farthest;
            ray.hit.geometry = INVALID;
            ray.hit.instance = INVALID;
        }
    }

    fn run(&mut self) {
        let scene = self.world.handle();
        let closest = matches!(self.question, Question::Closest { .. });
        match &self.world.device.functions.queries {
            Either::Three(queries) => {
                let mut context = context3(self.question);
                for ray in &mut self.rays {
                    if closest {
                        // SAFETY: scene committed; context and ray laid out as version 3 has them,
                        // ours alone.
                        unsafe { (queries.intersect)(scene, &mut context, ray) };
                    } else {
                        // SAFETY: as above.
                        unsafe { (queries.occluded)(scene, &mut context, &mut ray.ray) };
                    }
                }
            }
            Either::Four(queries) => {
                let mut context = context4();
                let mut arguments = arguments4(self.question, &mut context);
                for ray in &mut self.rays {
                    if closest {
                        // SAFETY: scene committed; ray and arguments laid out as version 4 has
                        // them, ours alone; the context outlives the arguments.
                        unsafe { (queries.intersect)(scene, ray, &mut arguments) };
                    } else {
                        // SAFETY: as above.
                        unsafe { (queries.occluded)(scene, &mut ray.ray, &mut arguments) };
                    }
                }
            }
        }
    }

    fn answers(&self) -> Vec<Answer> {
        let answer = |ray: &RtcRayHit| match self.question {
            Question::Any if ray.ray.tfar < 0.0 => Answer::Occluded,
            Question::Any => Answer::Miss,
            Question::Closest { .. } => ray.closest().map_or(Answer::Miss, Answer::Closest),
        };
        self.rays.iter().map(answer).collect()
    }
}

fn is_coherent(question: Question) -> bool {
    question == Question::Closest { coherent: true }
}

/// The context of version 3.
pub(super) fn context3(question: Question) -> Context3 {
    let flags = if is_coherent(question) { COHERENT_3 } else { 0 };
    Context3 { flags, filter: std::ptr::null(), instance: INVALID }
}

/// The context of version 4.
pub(super) fn context4() -> Context4 {
    Context4 { instance: INVALID, instance_primitive: INVALID }
}

/// The arguments of version 4, which hold `context`.
pub(super) fn arguments4(question: Question, context: &mut Context4) -> Arguments4 {
    Arguments4 {
        flags: if is_coherent(question) { COHERENT_4 } else { 0 },
        features: ALL_FEATURES,
        context,
        filter: std::ptr::null(),
        callback: std::ptr::null(),
    }
}
