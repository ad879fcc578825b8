//! Walks of rays and beams, step by step.

use crate::document::{Document, Ready};
use crate::question::{self, Camera, Kind, Primitive, Query as Asked, Shape};
use crate::{PageError, Response};
use serde_json::{Value, json};
use siliray::documents::walk as documents;
use siliray::geometry::volume::{Frustum, Sphere, Volume};
use siliray::geometry::{Aabb, Beam, Ray, TriangleRule, Vec3};
use siliray::input::Prepared;
use siliray::machine::registry::NodeNames;
use siliray::machine::{BeamShape, HitKind, LeafRule, Query, Step};
use siliray::walk::against::first_difference;
use siliray::walk::hierarchy::Wanted;
use siliray::walk::text::{line, stacks};
use siliray::walk::why::{Reason, why};
use siliray::walk::{Walk, watch_over};
use std::collections::HashMap;

/// What a machine does for a query, and what became of a primitive.
pub(crate) fn walk(
    document: &mut Document,
    machine: Option<&str>,
    rule: Option<&str>,
    asked: &Asked,
    wanted: Option<Primitive>,
) -> Result<Response, PageError> {
    let query = query(document, asked)?;
    let ready = document.ready(machine, rule_named(rule)?)?;
    let prepared = &ready.prepared;
    let (walk, names) = watched(&ready, &query)?;
    let mut object = shown(document, &walk, prepared);
    if let Some(Primitive { instance, geometry, primitive }) = wanted {
        let wanted = Wanted { instance, geometry, primitive };
        let reason = why(&walk, &prepared.input, names, &wanted);
        let reason = reason.unwrap_or_else(Reason::missing);
        let address = reason.node.and_then(|stop| stop.address);
        let mut addresses = document.entries.addresses.iter();
        object["why"] = documents::reason(&reason);
        object["why"]["entry"] =
            json!(address.and_then(|at| addresses.position(|address| *address == at)));
    }
    Ok(Response::new(object))
}

/// Where two machines first differ.
pub(crate) fn against(
    document: &mut Document,
    machine: &str,
    other: &str,
    asked: &Asked,
) -> Result<Response, PageError> {
    let query = query(document, asked)?;
    let second = document.ready(Some(other), TriangleRule::Watertight)?;
    let first = document.ready(Some(machine), TriangleRule::Watertight)?;
    let (walk, names) = watched(&first, &query)?;
    let (other, other_names) = watched(&second, &query)?;
    let same_nodes = names == other_names && names != NodeNames::Own;
    let difference = first_difference(&walk, &other, same_nodes);
    Ok(Response::new(json!({
        "same": difference.is_none(),
        "first": difference.and_then(|difference| difference.first),
        "second": difference.and_then(|difference| difference.second),
        "walks": [
            shown(document, &walk, &first.prepared),
            shown(document, &other, &second.prepared),
        ],
    })))
}

fn watched(ready: &Ready, query: &Query) -> Result<(Walk, NodeNames), PageError> {
    let entry = ready.prepared.machine;
    if matches!(query.shape, siliray::machine::Shape::Beam(_)) && !entry.takes_beams {
        return Err(PageError::Refused(format!("the machine {} takes no beams", entry.name)));
    }
    Ok(watch_over(entry, &ready.prepared.input, &*ready.machine, query))
}

/// The rule of a name; watertight, if nothing is said.
fn rule_named(name: Option<&str>) -> Result<TriangleRule, PageError> {
    let Some(name) = name else { return Ok(TriangleRule::Watertight) };
    let unknown = || PageError::Unknown { what: "rule", name: name.to_owned() };
    TriangleRule::ALL.into_iter().find(|rule| rule.name() == name).ok_or_else(unknown)
}

/// A walk with its words, its stack and the structures that it reads.
fn shown(document: &Document, walk: &Walk, prepared: &Prepared) -> Value {
    let entries = entries_read(document, walk);
    let mut last = None;
    let mut entry = |step: &Step| match step {
        Step::Node { address, .. } | Step::Instance { address, .. } => {
            last = address.and_then(|address| entries.get(&address).copied().flatten());
            last
        }
        Step::Child(child) => {
            let is_child = |entry: &usize| document.entries.pointers[*entry] == child.pointer;
            last.and_then(|last| document.hierarchy().children(last).find(is_child))
        }
        _ => None,
    };
    let step = |step: &Step| {
        let mut object = documents::step(step);
        if let Step::Child(child) = step {
            object["frame"] = json!(child.frame.map(|frame| frame.rows));
        }
        object
    };
    let steps = walk.steps.iter();
    let stacks: Vec<Vec<String>> = stacks(walk)
        .map(|stack| stack.iter().map(|pointer| format!("{pointer:#x}")).collect())
        .collect();
    json!({
        "machine": walk.machine,
        "source": prepared.origin.name(),
        "ray": ray(&walk.query),
        "beam": beam(&walk.query),
        "volume": volume_asked(&walk.query),
        "steps": steps.clone().map(step).collect::<Vec<_>>(),
        "texts": steps.clone().map(line).collect::<Vec<_>>(),
        "stacks": stacks,
        "entries": steps.map(&mut entry).collect::<Vec<_>>(),
        "answer": walk.answer.is_ok().then(|| documents::answer(walk, prepared)),
        "error": walk.answer.as_ref().err().map(ToString::to_string),
        "nothing": walk.hits_nothing(),
    })
}

/// The structure at each address that a walk reads: the first there is the one that was read.
fn entries_read(document: &Document, walk: &Walk) -> HashMap<u64, Option<usize>> {
    let mut entries: HashMap<u64, Option<usize>> = HashMap::new();
    for step in &walk.steps {
        if let Step::Node { address: Some(address), .. }
        | Step::Instance { address: Some(address), .. } = step
        {
            entries.insert(*address, None);
        }
    }
    for (number, address) in document.entries.addresses.iter().enumerate() {
        if let Some(known) = entries.get_mut(address) {
            known.get_or_insert(number);
        }
    }
    entries
}

fn ray(query: &Query) -> Option<Value> {
    let siliray::machine::Shape::Ray(Ray { origin, direction, tmin, tmax }) = query.shape else {
        return None;
    };
    Some(json!({
        "origin": origin.to_array(),
        "direction": direction.to_array(),
        "tmin": tmin,
        "tmax": tmax,
    }))
}

/// The beam that is walked, from its first box to its last, if that has an end.
fn beam(query: &Query) -> Option<Value> {
    let siliray::machine::Shape::Beam(shape) = query.shape else { return None };
    let corners = |bounds: Aabb| [bounds.min.to_array(), bounds.max.to_array()];
    let ends = [shape.beam.tmin(), shape.beam.tmax()].map(|t| t.is_finite().then_some(t));
    let [from, to] = ends.map(|t| t.map(|t| corners(shape.beam.box_at(t))));
    let leaf = shape.leaf.name();
    Some(json!({"from": from, "to": to, "tmin": ends[0], "tmax": ends[1], "leaf": leaf}))
}

/// The volume inside the beam that is asked about, if there is one.
fn volume_asked(query: &Query) -> Option<Value> {
    let siliray::machine::Shape::Beam(shape) = query.shape else { return None };
    Some(match shape.volume? {
        Volume::Sphere(Sphere { center, radius }) => {
            json!({"sphere": {"centre": center.to_array(), "radius": radius}})
        }
        Volume::Frustum(Frustum { eye, forward, right, up, near, far }) => {
            let [eye, forward, right, up] = [eye, forward, right, up].map(|v| v.to_array());
            let far = far.is_finite().then_some(far);
            let frustum = json!({
                "eye": eye, "forward": forward, "right": right, "up": up, "near": near, "far": far,
            });
            json!({"frustum": frustum})
        }
    })
}

/// The query of a machine.
fn query(document: &Document, asked: &Asked) -> Result<Query, PageError> {
    let kind = match asked.kind {
        Kind::Closest => HitKind::Closest,
        Kind::Any => HitKind::Any,
        Kind::All => HitKind::All,
    };
    let leaf = if asked.exact { LeafRule::Exact } else { LeafRule::Conservative };
    let query = match &asked.shape {
        Shape::Ray { ray } => {
            let [origin, direction] = [ray.origin, ray.direction].map(Vec3::from_array);
            let whole = Ray::new(origin, direction);
            let (tmin, tmax) = (ray.tmin.unwrap_or(whole.tmin), ray.tmax.unwrap_or(whole.tmax));
            Query::ray(kind, whole.between(tmin, tmax))
        }
        Shape::Pixel { pixel: [x, y], size: [width, height], camera } => {
            let camera = chosen_camera(document, *camera)?;
            Query::ray(kind, camera.ray(*x as f32 + 0.5, *y as f32 + 0.5, *width, *height))
        }
        Shape::Beam { beam } => {
            let bounds = |[min, max]: [[f32; 3]; 2]| Aabb {
                min: Vec3::from_array(min),
                max: Vec3::from_array(max),
            };
            let beam = Beam::from_aabbs_shrinking(&bounds(beam.from), &bounds(beam.to))
                .map_err(|error| PageError::Refused(error.to_string()))?;
            Query::beam(kind, beam, leaf)
        }
        Shape::Sphere { sphere: question::Sphere { centre, radius } } => {
            let sphere = Sphere { center: Vec3::from_array(*centre), radius: *radius };
            volume(kind, sphere, leaf)?
        }
        Shape::Frustum { frustum } => {
            let question::Frustum { eye, target, up, fov, .. } = *frustum;
            let up = up.unwrap_or(Vec3::Y.to_array());
            let camera = chosen_camera(document, Some(Camera { eye, target, up, fov }))?;
            let (near, far) = (frustum.near.unwrap_or(0.0), frustum.far.unwrap_or(f32::INFINITY));
            volume(kind, camera.frustum(frustum.aspect.unwrap_or(1.0), near, far), leaf)?
        }
    };
    Ok(Query { mask: asked.mask.unwrap_or(query.mask), ..query })
}

/// A question about a sphere or a frustum.
fn volume(kind: HitKind, volume: impl Into<Volume>, leaf: LeafRule) -> Result<Query, PageError> {
    let shape = BeamShape::volume(volume, leaf);
    let shape = shape.map_err(|error| PageError::Refused(error.to_string()))?;
    Ok(Query::new(kind, siliray::machine::Shape::Beam(shape)))
}

/// The view that is asked for, or that of the file.
pub(crate) fn chosen_camera(
    document: &Document,
    camera: Option<Camera>,
) -> Result<siliray::scene::Camera, PageError> {
    match camera {
        Some(Camera { eye, target, up, fov }) => {
            let [eye, target, up] = [eye, target, up].map(Vec3::from_array);
            Ok(siliray::scene::Camera { eye, target, up, fov })
        }
        None => document
            .camera()
            .ok_or_else(|| PageError::Refused(format!("{}: nothing to see", document.name))),
    }
}
