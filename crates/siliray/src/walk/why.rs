//! Where a walk loses a primitive: the node, the child and the plane.

use super::hierarchy::{Stop, Wanted, ways};
use super::text::ids;
use super::{Walk, watch_over};
use crate::input::Prepared;
use crate::registry::registry;
use geometry::{Aabb, Ray, Transform, TriangleRule};
use machine::registry::NodeNames;
use machine::{
    ChildTest, HitKind, Machine, MachineError, MachineInput, MachineOptions, Oracle, Query, Shape,
    Step, Verdict, reference,
};
use std::collections::HashMap;
use std::sync::Arc;

/// What became of a primitive in a walk.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// The node at which it was lost or found.
    pub node: Option<Stop>,
    /// The child of that node, where a child was left out.
    pub child: Option<ChildTest>,
    /// Whether it was found and accepted.
    pub accepted: bool,
    /// All of it in words.
    pub text: String,
}

impl Reason {
    /// What is said of no place.
    fn said(text: impl Into<String>, accepted: bool) -> Self {
        Self { node: None, child: None, accepted, text: text.into() }
    }

    /// That there is no such primitive.
    #[must_use]
    pub fn missing() -> Self {
        Self::said(FollowError::Missing.to_string(), false)
    }
}

/// Why a primitive cannot be followed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FollowError {
    /// What was walked has no such primitive.
    #[error("the hierarchy has no such primitive")]
    Missing,
    /// Brute force has no answer.
    #[error(transparent)]
    Oracle(#[from] MachineError),
}

/// Follows a primitive through a walk over what was prepared, in which nodes have such names, and
/// asks brute force whether the query meets it at all.
///
/// # Errors
/// When what was walked has no such primitive.
pub fn follow(
    walk: &Walk,
    prepared: &Prepared,
    names: NodeNames,
    wanted: &Wanted,
) -> Result<Reason, FollowError> {
    let reason = why(walk, &prepared.input, names, wanted).ok_or(FollowError::Missing)?;
    let oracle = Oracle::new(Arc::clone(prepared.input.tree()), TriangleRule::Watertight);
    let meets = oracle.answer(&Query { kind: HitKind::All, ..walk.query })?.hits;
    let meets = meets.iter().any(|hit| wanted.is(hit.instance, hit.geometry, hit.primitive));
    let is_told = reason.accepted || meets || reason.child.is_none();
    let text = "no such hit: brute force says that the query does not meet this primitive";
    Ok(if is_told { reason } else { Reason { text: text.to_owned(), ..reason } })
}

/// Follows a primitive through a walk over an input, in which nodes have such names; `None` if the
/// input has no such primitive. Of several ways to it the one that came farthest counts. A walk
/// over a copy names no nodes of the input: then the reference walk says where its boxes lose the
/// primitive.
#[must_use]
pub fn why(walk: &Walk, input: &MachineInput, names: NodeNames, wanted: &Wanted) -> Option<Reason> {
    if let Some(reason) = tested(walk, wanted) {
        return Some(reason);
    }
    if let Some(nothing) = walk.hits_nothing() {
        return Some(Reason::said(nothing, false));
    }
    match ways(input, registry().format(input.format())?, names, wanted) {
        Some(ways) => {
            let reasons = ways.iter().map(|way| lost(walk, way));
            reasons.max_by_key(|(depth, _)| *depth).map(|(_, reason)| reason)
        }
        None => Some(by_reference(walk, input, wanted).unwrap_or_else(|| {
            let text = "the primitive was never tested; the machine walks a copy whose nodes have \
                        names of their own, so the walk does not say where it was lost";
            Reason::said(text, false)
        })),
    }
}

/// What the reference walk says of the same query.
fn by_reference(walk: &Walk, input: &MachineInput, wanted: &Wanted) -> Option<Reason> {
    let entry = registry().machine(reference::NAME).filter(|entry| entry.name != walk.machine)?;
    let machine = (entry.make)(input, &MachineOptions::default()).ok()?;
    let (plain, names) = watch_over(entry, input, &*machine, &walk.query);
    let found = why(&plain, input, names, wanted)?;
    let text = format!(
        "the primitive was never tested, in a copy whose nodes have names of their own; of the \
         reference walk: {}",
        found.text
    );
    Some(Reason { accepted: false, text, ..found })
}

/// What was said of the primitive, if it was tested at all. Of several instances, the one that is
/// in the answer counts, else the one that was tested last.
fn tested(walk: &Walk, wanted: &Wanted) -> Option<Reason> {
    let hits = walk.answer.as_ref().map_or(&[][..], |answer| &answer.hits);
    if let Some(hit) = hits.iter().find(|hit| wanted.is(hit.instance, hit.geometry, hit.primitive))
    {
        let name = ids(hit.instance, hit.geometry, hit.primitive);
        return Some(Reason::said(format!("{name} is hit at t {} and accepted", hit.t), true));
    }
    let shape = match walk.query.shape {
        Shape::Ray(_) => "ray",
        Shape::Beam(_) => "beam",
    };
    let mut text = None;
    for step in &walk.steps {
        match step {
            Step::Primitive(test) if wanted.is(test.instance, test.geometry, test.primitive) => {
                let name = ids(test.instance, test.geometry, test.primitive);
                text = Some(match test.t {
                    Some(t) => format!("{name} is hit at t {t}"),
                    None => format!("{name} was tested, and the {shape} misses it"),
                });
            }
            Step::Accept { hit } if wanted.is(hit.instance, hit.geometry, hit.primitive) => {
                let name = ids(hit.instance, hit.geometry, hit.primitive);
                let later = "and accepted, until a closer hit, or one with a smaller id, was found";
                text = Some(format!("{name} is hit at t {} {later}", hit.t));
            }
            Step::Refuse { hit, reason }
                if wanted.is(hit.instance, hit.geometry, hit.primitive) =>
            {
                let name = ids(hit.instance, hit.geometry, hit.primitive);
                text = Some(format!("{name} is hit at t {} and refused: {reason}", hit.t));
            }
            _ => (),
        }
    }
    text.map(|text| Reason::said(text, false))
}

/// Where a walk is: in which instance, with which ray.
struct Place {
    world: Option<Ray>,
    instance: Option<u32>,
    /// The rays of the instances that were entered.
    rays: HashMap<u32, Ray>,
}

impl Place {
    fn new(walk: &Walk) -> Self {
        let world = match walk.query.shape {
            Shape::Ray(ray) => Some(ray),
            Shape::Beam(_) => None,
        };
        Self { world, instance: None, rays: HashMap::new() }
    }

    fn follow(&mut self, step: &Step) {
        match step {
            Step::Instance { instance, ray, .. } => {
                self.instance = Some(*instance);
                self.rays.extend(ray.map(|ray| (*instance, ray)));
            }
            Step::Leave => self.instance = None,
            // Several instances are under way, and the clock says which one it is about.
            Step::Clock { instance, .. } => self.instance = *instance,
            _ => (),
        }
    }

    fn ray(&self) -> Option<Ray> {
        let moved = self.instance.and_then(|instance| self.rays.get(&instance).copied());
        moved.or(self.world)
    }

    /// Whether a node is in the instance that the walk is in, as far as it says.
    fn holds(&self, stop: &Stop) -> bool {
        stop.instance.is_none_or(|instance| self.instance == Some(instance))
    }

    fn is_at(&self, stop: &Stop, pointer: u64, address: Option<u64>) -> bool {
        let same_place = stop.address.zip(address).is_none_or(|(a, b)| a == b);
        stop.pointer == pointer && same_place && self.holds(stop)
    }
}

/// How far the walk follows a way, and why no farther.
fn lost(walk: &Walk, way: &[Stop]) -> (usize, Reason) {
    // Several blocks are under way at a time, and each is led to from one place alone.
    let by_blocks = way.first().is_some_and(|root| root.kind == "block");
    let mut place = Place::new(walk);
    let mut deepest: Option<usize> = None;
    let mut left_out: Option<(usize, ChildTest, Option<Ray>)> = None;
    let mut node = None;
    let mut skipped: Option<(usize, &'static str)> = None;
    for step in &walk.steps {
        place.follow(step);
        match step {
            Step::Node { pointer, address, .. } => {
                node = way.iter().position(|stop| place.is_at(stop, *pointer, *address));
                deepest = deepest.max(node);
            }
            Step::Child(child) => {
                let leads = |stop: &Stop| stop.pointer == child.pointer && place.holds(stop);
                let next = match (node, way.first()) {
                    _ if by_blocks => way.iter().position(leads),
                    (Some(at), _) => Some(at + 1),
                    // The root itself is tested before any node is read.
                    (None, Some(root)) => (root.pointer == child.pointer).then_some(0),
                    (None, None) => None,
                };
                let Some(next) = next.filter(|&next| way.get(next).is_some_and(leads)) else {
                    continue;
                };
                if child.verdict == Verdict::Visit {
                    left_out = left_out.filter(|(at, ..)| *at != next);
                    // Nodes inside a block are not read once more.
                    if way[next].kind == "node" && by_blocks {
                        deepest = deepest.max(Some(next));
                    }
                } else if left_out.is_none_or(|(at, ..)| at <= next) {
                    // Another instance of the same structure may come less far.
                    left_out = Some((next, *child, place.ray()));
                }
            }
            Step::Skip { pointer, reason } => {
                let at = way.iter().position(|s| s.pointer == *pointer && place.holds(s));
                skipped = at.map(|at| (at, *reason)).or(skipped);
            }
            _ => (),
        }
    }
    let depth = deepest.map_or(0, |deepest| deepest + 1);
    if let Some((at, child, ray)) = left_out.filter(|(at, ..)| *at == depth) {
        let above = at.checked_sub(1).map(|above| way[above]);
        let text = left_out_text(above, &way[at], &child, ray.as_ref());
        return (depth, Reason { node: above, child: Some(child), accepted: false, text });
    }
    let node = depth.checked_sub(1).map(|last| way[last]);
    let text = match (way.get(depth), node, skipped) {
        (Some(next), _, Some((at, reason))) if at == depth => {
            format!("{} was popped and skipped: {reason}", next.words())
        }
        (_, Some(last), Some((at, reason))) if at + 1 == depth => {
            format!("{} was read and skipped: {reason}", last.words())
        }
        (Some(next), ..) => format!(
            "{} was never visited: the walk ended before, or its entry was lost from the stack",
            next.words()
        ),
        (None, Some(leaf), _) => {
            format!("{} was visited, but the primitive was not tested", leaf.words())
        }
        (None, None, _) => "the walk never began".to_owned(),
    };
    (depth, Reason { node, child: None, accepted: false, text })
}

fn left_out_text(above: Option<Stop>, stop: &Stop, child: &ChildTest, ray: Option<&Ray>) -> String {
    let node = above.map_or("the root".to_owned(), |stop| stop.words());
    let what = match child.verdict {
        Verdict::Miss => match (ray, &child.frame) {
            (None, _) => "the beam misses its box".to_owned(),
            (Some(ray), None) => planes(ray, &child.bounds),
            (Some(ray), Some(frame)) => {
                let turned = planes(&turned(frame, ray), &child.bounds);
                format!("in the frame of the oriented node, {turned}")
            }
        },
        Verdict::Behind => match child.interval {
            Some([enter, _]) => format!("its box begins at t {enter}, behind the best hit"),
            None => "its box begins behind the best hit".to_owned(),
        },
        Verdict::Masked => "its mask hides it".to_owned(),
        Verdict::Culled => "flags hide everything below it".to_owned(),
        Verdict::Visit => "it was visited".to_owned(),
    };
    let names = format!("{:#x}{}", child.pointer, stop.image_words());
    format!("lost at {node}, child {} ({names}): {what}", child.slot)
}

/// A ray in the frame of an oriented node.
fn turned(frame: &Transform, ray: &Ray) -> Ray {
    Ray { origin: frame.point(ray.origin), direction: frame.vector(ray.direction), ..*ray }
}

/// Between which planes of a box a ray passes by.
fn planes(ray: &Ray, bounds: &Aabb) -> String {
    const AXES: [&str; 3] = ["x", "y", "z"];
    let (mut enter, mut exit) =
        ((f32::NEG_INFINITY, "tmin".to_owned()), (ray.tmax, "tmax".to_owned()));
    if ray.tmin > enter.0 {
        enter.0 = ray.tmin;
    }
    for (axis, name) in AXES.into_iter().enumerate() {
        let (origin, direction) = (ray.origin[axis], ray.direction[axis]);
        let (min, max) = (bounds.min[axis], bounds.max[axis]);
        if direction == 0.0 {
            if origin < min || origin > max {
                return format!("the ray runs at {name} = {origin}, outside {min} to {max}");
            }
            continue;
        }
        let low = ((min - origin) / direction, format!("{name} = {min}"));
        let high = ((max - origin) / direction, format!("{name} = {max}"));
        let (near, far) = if direction > 0.0 { (low, high) } else { (high, low) };
        if near.0 > enter.0 {
            enter = near;
        }
        if far.0 < exit.0 {
            exit = far;
        }
    }
    format!(
        "the ray leaves its box by the plane {} at t {} before it enters by {} at t {}",
        exit.1, exit.0, enter.1, enter.0
    )
}
