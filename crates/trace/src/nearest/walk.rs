//! The walk over levels, nearest box first.

use super::NearestPoint;
use super::best::Best;
use super::placement::{Placement, Placements};
use crate::source::{LevelId, LinkTarget, TraversalSource};
use crate::world::Pointer;
use geometry::{Aabb, Triangle};
use gfx12::layout::NodePointer;
use glam::DVec3;
use std::ops::ControlFlow;
use tree::primitives::Primitive;

/// What is asked about a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct PointAsk {
    pub(super) point: DVec3,
    pub(super) mask: u8,
    pub(super) within: f64,
}

/// Where to go, each with a bound of the squared distance in the world; the nearest last.
pub(super) type Stack<L> = Vec<(f64, L)>;

/// Stacks, used again for the next point.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    pub(super) prepared: Stack<Pointer>,
    pub(super) in_place: Stack<NodePointer>,
}

/// The nearest point of what `source` holds.
pub(super) fn nearest<S: TraversalSource>(
    source: &S,
    placements: &Placements,
    ask: &PointAsk,
    stack: &mut Stack<S::Link>,
) -> NearestPoint {
    if !ask.point.is_finite() || ask.mask == 0 || ask.within.is_nan() || ask.within < 0.0 {
        return NearestPoint::MISS;
    }
    let mut walk = Walk { source, placements, ask, stack, best: Best::new(ask.within) };
    match source.tlas() {
        Some(_) => walk.tlas(),
        None => walk.blas(0, 0, &Placement::IDENTITY),
    }
    walk.best.finish(ask.point)
}

struct Walk<'a, S: TraversalSource> {
    source: &'a S,
    placements: &'a Placements,
    ask: &'a PointAsk,
    stack: &'a mut Stack<S::Link>,
    best: Best,
}

impl<S: TraversalSource> Walk<'_, S> {
    fn tlas(&mut self) {
        let Some((root, bounds)) = self.source.root(LevelId::Tlas) else { return };
        let point = self.ask.point;
        let slack = self.placements.slack(point, reach(point, &bounds));
        self.level(LevelId::Tlas, root, &bounds, point, 1.0, slack, |walk, link| {
            let LinkTarget::Instance(number) = walk.source.target(link) else { return false };
            let instance = walk.source.tlas().and_then(|tlas| tlas.instances.get(number));
            let placement = walk.placements.placed.get(number).copied().flatten();
            if let (Some(instance), Some(placement)) = (instance, placement)
                && instance.mask & walk.ask.mask != 0
            {
                let before = walk.best.distance_squared;
                walk.blas(instance.blas as usize, number as u32, &placement);
                return walk.best.distance_squared < before;
            }
            false
        });
    }

    fn blas(&mut self, number: usize, instance: u32, placement: &Placement) {
        let level = LevelId::Blas(number);
        let Some((root, bounds)) = self.source.root(level) else { return };
        let point = placement.point(self.ask.point);
        let slack = placement.slack(reach(point, &bounds));
        self.level(level, root, &bounds, point, placement.growth, slack, |walk, link| {
            let mut is_nearer = false;
            let _all = walk.source.primitives(level, link, |primitive, id, _| {
                if let Primitive::Triangle(Triangle { vertices }) = primitive {
                    let seen = vertices.map(|v| placement.to_world * (v.as_dvec3() - point));
                    is_nearer |= walk.best.offer(&seen, placement, instance, id);
                }
                ControlFlow::Continue(())
            });
            is_nearer
        });
    }

    /// Walks a level, in which the point is `point`; squared distances grow by `growth` on their
    /// way to the world. `leaf` looks at what is not a node, and says whether something nearer came
    /// up.
    #[expect(clippy::too_many_arguments, reason = "what a level is, and what is done with it")]
    fn level(
        &mut self,
        level: LevelId,
        root: S::Link,
        bounds: &Aabb,
        point: DVec3,
        growth: f64,
        slack: f64,
        mut leaf: impl FnMut(&mut Self, S::Link) -> bool,
    ) {
        let bottom = self.stack.len();
        let mut limit = limit(self.best.distance_squared, slack);
        self.stack.push((growth * distance_squared(point, bounds), root));
        while self.stack.len() > bottom {
            let Some((bound, link)) = self.stack.pop() else { break };
            if bound > limit {
                continue;
            }
            if self.source.target(link) == LinkTarget::Node {
                let start = self.stack.len();
                let stack = &mut *self.stack;
                self.source.children(level, link, |child| {
                    // Boxes of a turned frame are not looked at: what is below is as near as this.
                    let near = match child.frame {
                        None => growth * distance_squared(point, &child.bounds),
                        Some(_) => bound,
                    };
                    if near <= limit {
                        stack.push((near, child.link));
                    }
                });
                stack[start..].sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
            } else if leaf(self, link) {
                limit = self::limit(self.best.distance_squared, slack);
            }
        }
    }
}

/// The largest bound of a squared distance that must be looked at.
fn limit(best: f64, slack: f64) -> f64 {
    let farthest = best.sqrt() + slack;
    farthest * farthest * (1.0 + 1e-12)
}

/// The squared distance of a box, but for rounding.
#[inline(always)]
fn distance_squared(point: DVec3, bounds: &Aabb) -> f64 {
    let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    (min - point).max(point - max).max(DVec3::ZERO).length_squared()
}

/// The largest offset from a point to anything in a box.
fn reach(point: DVec3, bounds: &Aabb) -> f64 {
    let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    (point - min).abs().max((max - point).abs()).length()
}
