//! Where a walk loses a primitive: the node, the child and the plane.

use super::Walk;
use super::hierarchy::{Stop, Wanted};
use super::text::{ids, place};
use geometry::{Aabb, Ray};
use machine::{ChildTest, Shape, Step, Verdict};

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

/// Follows a primitive through a walk, over the ways that lead to it, if they are known. Of several
/// ways the one that came farthest counts.
#[must_use]
pub fn why(walk: &Walk, ways: Option<&[Vec<Stop>]>, wanted: &Wanted) -> Reason {
    if let Some(reason) = tested(walk, wanted) {
        return reason;
    }
    let said =
        |text: &str| Reason { node: None, child: None, accepted: false, text: text.to_owned() };
    let Some(ways) = ways else {
        return said(
            "the primitive was never tested; the machine names nodes in a way of its own, so the \
             walk does not say where it was lost",
        );
    };
    let reasons = ways.iter().map(|way| lost(walk, way));
    let farthest = reasons.max_by_key(|(depth, _)| *depth);
    farthest.map_or_else(|| said("the hierarchy has no such primitive"), |(_, reason)| reason)
}

/// What was said of the primitive, if it was tested at all.
fn tested(walk: &Walk, wanted: &Wanted) -> Option<Reason> {
    let said = |text: String, accepted| Reason { node: None, child: None, accepted, text };
    let mut reason = None;
    for step in &walk.steps {
        match step {
            Step::Primitive(test) if wanted.is(test.instance, test.geometry, test.primitive) => {
                let name = ids(test.instance, test.geometry, test.primitive);
                reason = Some(match test.t {
                    Some(t) => said(format!("{name} is hit at t {t}"), false),
                    None => said(format!("{name} was tested, and the ray misses it"), false),
                });
            }
            Step::Accept { hit } if wanted.is(hit.instance, hit.geometry, hit.primitive) => {
                let name = ids(hit.instance, hit.geometry, hit.primitive);
                return Some(said(format!("{name} is hit at t {} and accepted", hit.t), true));
            }
            Step::Refuse { hit, reason: why }
                if wanted.is(hit.instance, hit.geometry, hit.primitive) =>
            {
                let name = ids(hit.instance, hit.geometry, hit.primitive);
                reason =
                    Some(said(format!("{name} is hit at t {} and refused: {why}", hit.t), false));
            }
            _ => (),
        }
    }
    reason
}

/// How far the walk follows a way, and why no farther.
fn lost(walk: &Walk, way: &[Stop]) -> (usize, Reason) {
    let mut ray = match walk.query.shape {
        Shape::Ray(ray) => Some(ray),
        Shape::Beam(_) => None,
    };
    let mut instance = None;
    let mut deepest: Option<usize> = None;
    let mut left_out: Option<(usize, ChildTest, Option<Ray>)> = None;
    let mut node = None;
    let mut skipped: Option<(u64, &'static str)> = None;
    for step in &walk.steps {
        match step {
            Step::Instance { instance: number, ray: moved, .. } => {
                instance = Some(*number);
                ray = moved.or(ray);
            }
            Step::Leave => {
                instance = None;
                ray = match walk.query.shape {
                    Shape::Ray(ray) => Some(ray),
                    Shape::Beam(_) => None,
                };
            }
            Step::Node { pointer, address, .. } => {
                node = way.iter().position(|stop| is_node(stop, *pointer, *address, instance));
                deepest = deepest.max(node);
            }
            Step::Child(child) => {
                let next = match (node, way.first()) {
                    (Some(at), _) => at + 1,
                    // The root itself is tested before any node is read.
                    (None, Some(root)) if root.pointer == child.pointer => 0,
                    _ => continue,
                };
                let leads = way.get(next).is_some_and(|stop| stop.pointer == child.pointer);
                if leads && child.verdict != Verdict::Visit {
                    // Another instance of the same structure may come less far.
                    if left_out.is_none_or(|(at, ..)| at <= next) {
                        left_out = Some((next, *child, ray));
                    }
                } else if leads {
                    left_out = left_out.filter(|(at, ..)| *at != next);
                }
            }
            Step::Skip { pointer, reason } if way.iter().any(|stop| stop.pointer == *pointer) => {
                skipped = Some((*pointer, reason));
            }
            _ => (),
        }
    }
    let depth = deepest.map_or(0, |deepest| deepest + 1);
    if let Some((at, child, ray)) = left_out.filter(|(at, ..)| *at == depth) {
        let above = at.checked_sub(1).map(|above| way[above]);
        let text = left_out_text(above, &child, ray.as_ref());
        return (depth, Reason { node: above, child: Some(child), accepted: false, text });
    }
    let node = depth.checked_sub(1).map(|last| way[last]);
    let text = match (way.get(depth), node) {
        (Some(next), _) if skipped.is_some_and(|(pointer, _)| pointer == next.pointer) => {
            let reason = skipped.map_or("", |(_, reason)| reason);
            format!("{} was popped and skipped: {reason}", place(next.pointer, next.address))
        }
        (Some(next), _) => format!(
            "{} {} was never visited: the walk ended before, or its entry was lost from the stack",
            next.kind,
            place(next.pointer, next.address)
        ),
        (None, Some(leaf)) => format!(
            "{} {} was visited, but the primitive was not tested",
            leaf.kind,
            place(leaf.pointer, leaf.address)
        ),
        (None, None) => "the walk never began".to_owned(),
    };
    (depth, Reason { node, child: None, accepted: false, text })
}

fn is_node(stop: &Stop, pointer: u64, address: Option<u64>, instance: Option<u32>) -> bool {
    match (stop.address, address) {
        (Some(a), Some(b)) => a == b && stop.pointer == pointer,
        _ => stop.pointer == pointer && stop.instance == instance,
    }
}

fn left_out_text(above: Option<Stop>, child: &ChildTest, ray: Option<&Ray>) -> String {
    let node = match above {
        Some(stop) => format!("{} {}", stop.kind, place(stop.pointer, stop.address)),
        None => "the root".to_owned(),
    };
    let what = match child.verdict {
        Verdict::Miss => ray
            .map_or_else(|| "the beam misses its box".to_owned(), |ray| planes(ray, &child.bounds)),
        Verdict::Behind => match child.interval {
            Some([enter, _]) => format!("its box begins at t {enter}, behind the best hit"),
            None => "its box begins behind the best hit".to_owned(),
        },
        Verdict::Masked => "its mask hides it".to_owned(),
        Verdict::Culled => "flags hide everything below it".to_owned(),
        Verdict::Visit => "it was visited".to_owned(),
    };
    format!("lost at {node}, child {} ({:#x}): {what}", child.slot, child.pointer)
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
