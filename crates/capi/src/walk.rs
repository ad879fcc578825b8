//! What a machine does for one ray.

use crate::boundary::{self, Out, c_text};
use crate::context::{Context, Thing};
use crate::ids::Id;
use crate::report::beyond;
use crate::status::{CError, Failure, SilirayStatus, failed, guarded};
use siliray::documents::walk::step as step_document;
use siliray::geometry::{Ray, Vec3};
use siliray::input::{Input, Route, StoredImage, build_options, usual_machine};
use siliray::machine::{Hit, HitKind, MachineOptions, Query, RayFlags, Step};
use siliray::registry::registry;
use siliray::walk::{FirstSteps, text, watch_first};
use std::ffi::{CString, c_char};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The first hit.
pub const SILIRAY_CLOSEST: u32 = 0;
/// Any hit.
pub const SILIRAY_ANY: u32 = 1;
/// Every primitive's hit, in order.
pub const SILIRAY_ALL: u32 = 2;

/// A ray. One whose numbers make no sense hits nothing; docs/law.md says which.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CRay {
    /// Where it starts.
    pub origin: [f32; 3],
    /// Where it goes.
    pub direction: [f32; 3],
    /// The smallest parameter of a hit.
    pub tmin: f32,
    /// The largest one.
    pub tmax: f32,
    /// Instances are seen whose mask has one of these eight bits; 0 sees nothing.
    pub mask: u32,
    /// What is left out: ray flags, numbered as in Vulkan and DXR.
    pub flags: u32,
    /// SILIRAY_CLOSEST, SILIRAY_ANY or SILIRAY_ALL.
    pub kind: u32,
}

/// How a walk ended. Texts live until the walk is released.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct WalkAnswer {
    /// The machine that walked.
    pub machine: *const c_char,
    /// How many hits it found.
    pub hits: usize,
    /// How many steps are kept.
    pub steps: usize,
    /// How many steps came after those.
    pub left_out: u64,
}

/// A hit.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct WalkHit {
    /// Parameter of the ray.
    pub t: f32,
    /// Weight of the triangle's second corner.
    pub u: f32,
    /// Weight of its third corner.
    pub v: f32,
    /// Which instance.
    pub instance: u32,
    /// Which geometry.
    pub geometry: u32,
    /// Which primitive.
    pub primitive: u32,
}

/// A step of a walk.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct WalkStep {
    /// What happened: "node", "child", "push", ...
    pub event: *const c_char,
    /// That in words.
    pub text: *const c_char,
    /// All of it as one JSON object, whose keys docs/json.md explains.
    pub json: *const c_char,
}

/// A walk that is over.
#[derive(Debug)]
pub(crate) struct Walked {
    machine: CString,
    hits: Vec<Hit>,
    /// Event, words, JSON.
    steps: Vec<[CString; 3]>,
    left_out: u64,
}

impl Walked {
    fn new(
        stored: &StoredImage,
        machine: Option<&str>,
        query: &Query,
        most_steps: usize,
    ) -> Result<Self, Failure> {
        let input = Input::Image(stored.clone());
        let machine = match machine {
            None => usual_machine(&input, None, false),
            Some(name) => registry().machine(name).ok_or_else(|| {
                let readers: Vec<&str> =
                    registry().readers(stored.format).map(|machine| machine.name).collect();
                let text = format!(
                    "there is no machine {name:?}; those that read {} are {}",
                    stored.format.name,
                    readers.join(", ")
                );
                Failure::new(SilirayStatus::UnknownName, text)
            })?,
        };
        let route = Route::new(machine, build_options(machine, None, None));
        let prepared = route.prepare(&input, &|_| ControlFlow::Continue(()));
        let prepared = prepared.map_err(failed(SilirayStatus::Unsupported))?;
        let made = prepared.make(&MachineOptions::default());
        let made = made.map_err(failed(SilirayStatus::Unsupported))?;
        let mut first = FirstSteps::of(most_steps);
        let (walk, _) = watch_first(machine, &prepared.input, &*made, query, &mut first);
        let answer = walk.answer.map_err(failed(SilirayStatus::NoAnswer))?;
        Ok(Self {
            machine: c_text(walk.machine),
            hits: answer.hits,
            steps: walk.steps.iter().map(texts).collect(),
            left_out: first.left_out,
        })
    }
}

fn texts(step: &Step) -> [CString; 3] {
    let document = step_document(step);
    let event = document["event"].as_str().unwrap_or_default();
    [c_text(event), c_text(text::line(step).trim_start()), c_text(document.to_string())]
}

fn query(ray: &CRay) -> Result<Query, Failure> {
    let CRay { origin, direction, tmin, tmax, mask, flags, kind } = *ray;
    let wrong = |what: &str, number: u32, expected: &str| {
        let text = format!("{what} {number:#x}, expected {expected}");
        Failure::new(SilirayStatus::Option, text)
    };
    let kind = HitKind::ALL.get(kind as usize).copied();
    let kind = kind.ok_or_else(|| wrong("kind", ray.kind, "0, 1 or 2"))?;
    let mask = u8::try_from(mask).map_err(|_| wrong("mask", mask, "eight bits"))?;
    let flags = RayFlags::from_bits(flags).ok_or_else(|| {
        let known = format!("bits of {:#x}", RayFlags::all().bits());
        wrong("flags", flags, &known)
    })?;
    let ray = Ray::new(Vec3::from_array(origin), Vec3::from_array(direction)).between(tmin, tmax);
    Ok(Query { mask, flags, ..Query::ray(kind, ray) })
}

/// Walks an image that is safe to walk. `machine` names who walks, or is null: the usual one. The
/// first `most_steps` steps are kept.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_walk(
    context: *const Context,
    image: Id,
    machine: *const c_char,
    ray: *const CRay,
    most_steps: usize,
    walk: *mut Id,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let context = boundary::context(context)?;
        let place = Out::new(walk, "walk")?;
        let query = query(&boundary::get(ray, "ray")?)?;
        let machine = boundary::text(machine, "machine")?;
        let stored = context.image(image)?.stored(context)?;
        let walked = context.run(|| Walked::new(&stored, machine, &query, most_steps))?;
        place.put(context.keep(Thing::Walk(Arc::new(walked)))?);
        Ok(())
    })
}

/// How a walk ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_walk_answer(
    context: *const Context,
    walk: Id,
    answer: *mut WalkAnswer,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let place = Out::new(answer, "answer")?;
        let walk = boundary::context(context)?.walk(walk)?;
        let Walked { machine, hits, steps, left_out } = &*walk;
        place.put(WalkAnswer {
            machine: machine.as_ptr(),
            hits: hits.len(),
            steps: steps.len(),
            left_out: *left_out,
        });
        Ok(())
    })
}

/// A hit of a walk, by number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_walk_hit(
    context: *const Context,
    walk: Id,
    index: usize,
    hit: *mut WalkHit,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let place = Out::new(hit, "hit")?;
        let walk = boundary::context(context)?.walk(walk)?;
        let hits = &walk.hits;
        let Hit { t, u, v, instance, geometry, primitive } =
            *hits.get(index).ok_or_else(beyond(index, hits.len()))?;
        place.put(WalkHit { t, u, v, instance, geometry, primitive });
        Ok(())
    })
}

/// A step of a walk, by number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_walk_step(
    context: *const Context,
    walk: Id,
    index: usize,
    step: *mut WalkStep,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let place = Out::new(step, "step")?;
        let walk = boundary::context(context)?.walk(walk)?;
        let steps = &walk.steps;
        let texts = steps.get(index).ok_or_else(beyond(index, steps.len()))?;
        let [event, text, json] = texts.each_ref().map(|text| text.as_ptr());
        place.put(WalkStep { event, text, json });
        Ok(())
    })
}
