//! Rays 8 or 16 at a time.

use super::layout::{INVALID, RtcRayHits, Valid};
use super::library::{Either, PacketQueries};
use super::single::{arguments4, context3, context4};
use super::world::World;
use crate::{Answer, Question, Work};
use geometry::Ray;

/// Packets with room for their hits.
pub(super) struct Packets<'a, const N: usize> {
    world: &'a World,
    queries: &'a PacketQueries<N>,
    question: Question,
    packets: Vec<(Valid<N>, RtcRayHits<N>)>,
    farthest: Vec<[f32; N]>,
    count: usize,
}

impl<'a, const N: usize> Packets<'a, N> {
    pub(super) fn new(
        world: &'a World,
        queries: &'a PacketQueries<N>,
        question: Question,
        rays: &[Ray],
    ) -> Self {
        let packets: Vec<(Valid<N>, RtcRayHits<N>)> =
            rays.chunks(N).map(|rays| (Valid::first(rays.len()), RtcRayHits::new(rays))).collect();
        let farthest = packets.iter().map(|(_, packet)| packet.ray.tfar).collect();
        Self { world, queries, question, packets, farthest, count: rays.len() }
    }
}

impl<const N: usize> Work for Packets<'_, N> {
    fn reset(&mut self) {
        for ((_, packet), farthest) in self.packets.iter_mut().zip(&self.farthest) {
            packet.ray.tfar = *farthest;
            packet.hit.geometry = [INVALID; N];
            packet.hit.instance = [INVALID; N];
        }
    }

    fn run(&mut self) {
        let scene = self.world.handle();
        let closest = matches!(self.question, Question::Closest { .. });
        match self.queries {
            Either::Three(queries) => {
                let mut context = context3(self.question);
                for (valid, packet) in &mut self.packets {
                    if closest {
                        // SAFETY: scene committed; context and packet laid out as version 3 has
                        // them, ours alone.
                        unsafe { (queries.intersect)(valid, scene, &mut context, packet) };
                    } else {
                        // SAFETY: as above.
                        unsafe { (queries.occluded)(valid, scene, &mut context, &mut packet.ray) };
                    }
                }
            }
            Either::Four(queries) => {
                let mut context = context4();
                let mut arguments = arguments4(self.question, &mut context);
                for (valid, packet) in &mut self.packets {
                    if closest {
                        // SAFETY: scene committed; packet and arguments laid out as version 4 has
                        // them, ours alone; the context outlives the arguments.
                        unsafe { (queries.intersect)(valid, scene, packet, &mut arguments) };
                    } else {
                        // SAFETY: as above.
                        unsafe {
                            (queries.occluded)(valid, scene, &mut packet.ray, &mut arguments)
                        };
                    }
                }
            }
        }
    }

    fn answers(&self) -> Vec<Answer> {
        let answer = |(packet, lane): (&RtcRayHits<N>, usize)| match self.question {
            Question::Any if packet.ray.tfar[lane] < 0.0 => Answer::Occluded,
            Question::Any => Answer::Miss,
            Question::Closest { .. } => packet.closest(lane).map_or(Answer::Miss, Answer::Closest),
        };
        let lanes =
            self.packets.iter().flat_map(|(_, packet)| (0..N).map(move |lane| (packet, lane)));
        lanes.take(self.count).map(answer).collect()
    }
}
