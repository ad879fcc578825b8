//! A walk, one object for each step.

use super::hex;
use crate::input::Prepared;
use crate::walk::against::FirstDifference;
use crate::walk::why::Reason;
use crate::walk::{Walk, text};
use machine::{Hit, MachineInput, Step};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::Range;
use tree::Instance;

/// All objects of a walk: its steps in a range, what became of a primitive, and the answer.
#[must_use]
pub fn objects(
    walk: &Walk,
    prepared: &Prepared,
    range: &Range<usize>,
    followed: Option<&Reason>,
) -> Vec<Value> {
    let steps = walk.steps.iter().enumerate().filter(|(number, _)| range.contains(number));
    let steps = steps.map(|(number, one)| {
        let mut object = step(one);
        object["step"] = json!(number);
        object
    });
    steps.chain(followed.map(reason)).chain([answer(walk, prepared)]).collect()
}

/// Where another walk over the same does something else.
#[must_use]
pub fn difference(
    walk: &Walk,
    other: &Walk,
    prepared: &Prepared,
    difference: Option<FirstDifference>,
) -> Value {
    let (against, source) = (other.machine, prepared.origin.name());
    match difference {
        None => json!({"event": "same", "against": against, "source": source}),
        Some(FirstDifference { first, second }) => json!({
            "event": "difference",
            "against": against,
            "source": source,
            "step": first,
            "other_step": second,
            "what": first.map(|step| text::line(&walk.steps[step])),
            "other_what": second.map(|step| text::line(&other.steps[step])),
        }),
    }
}

/// What became of a primitive.
#[must_use]
pub fn reason(reason: &Reason) -> Value {
    json!({
        "event": "why",
        "accepted": reason.accepted,
        "node": reason.node.map(|stop| hex(stop.in_image.unwrap_or(stop.pointer))),
        "address": reason.node.and_then(|stop| stop.address).map(hex),
        "child": reason.child.map(|child| child.slot),
        "text": reason.text,
    })
}

/// What was found, or why nothing can be said.
#[must_use]
pub fn answer(walk: &Walk, prepared: &Prepared) -> Value {
    let (source, input) = (prepared.origin.name(), &prepared.input);
    match &walk.answer {
        Ok(answer) => json!({
            "event": "answer",
            "machine": walk.machine,
            "source": source,
            "hits": answer.hits.iter().map(|hit| placed_hit(hit, input)).collect::<Vec<_>>(),
            "counters": answer.counters.named().into_iter().collect::<BTreeMap<_, _>>(),
        }),
        Err(error) => json!({"event": "error", "source": source, "text": error.to_string()}),
    }
}

/// A hit with the numbers of its instance.
#[must_use]
pub fn placed_hit(placed: &Hit, input: &MachineInput) -> Value {
    let mut object = hit(placed);
    if let Some(instance) = instance_of(placed, input) {
        object["custom_index"] = json!(instance.custom_index);
        object["sbt_offset"] = json!(instance.sbt_offset);
    }
    object
}

/// The instance that was hit, where there are instances.
#[must_use]
pub fn instance_of<'a>(hit: &Hit, input: &'a MachineInput) -> Option<&'a Instance> {
    input.tree().tlas.as_ref()?.instances.get(hit.instance as usize)
}

/// A hit.
#[must_use]
pub fn hit(hit: &Hit) -> Value {
    let Hit { t, u, v, instance, geometry, primitive } = *hit;
    json!({
        "t": t, "u": u, "v": v,
        "instance": instance, "geometry": geometry, "primitive": primitive,
    })
}

/// One step.
#[must_use]
pub fn step(step: &Step) -> Value {
    match step {
        Step::Node { pointer, address, kind } => json!({
            "event": "node", "pointer": hex(*pointer), "address": address.map(hex), "kind": kind,
        }),
        Step::Child(child) => json!({
            "event": "child",
            "slot": child.slot,
            "pointer": hex(child.pointer),
            "min": child.bounds.min.to_array(),
            "max": child.bounds.max.to_array(),
            "interval": child.interval,
            "verdict": child.verdict.name(),
        }),
        Step::Instruction(instruction) => {
            let registers = |list: &[(&'static str, u64)]| -> serde_json::Map<String, Value> {
                list.iter().map(|(name, value)| ((*name).to_owned(), json!(hex(*value)))).collect()
            };
            json!({
                "event": "instruction",
                "name": instruction.name,
                "inputs": registers(&instruction.inputs),
                "outputs": registers(&instruction.outputs),
            })
        }
        Step::Push { pointer, depth } => {
            json!({"event": "push", "pointer": hex(*pointer), "depth": depth})
        }
        Step::Pop { pointer, depth } => {
            json!({"event": "pop", "pointer": pointer.map(hex), "depth": depth})
        }
        Step::Skip { pointer, reason } => {
            json!({"event": "skip", "pointer": hex(*pointer), "reason": reason})
        }
        Step::Overflow { lost } => json!({"event": "overflow", "lost": lost}),
        Step::WalkBack { to, from } => {
            json!({"event": "walk_back", "to": hex(*to), "from": hex(*from)})
        }
        Step::Restart { reason } => json!({"event": "restart", "reason": reason}),
        Step::Instance { instance, pointer, address, world_to_object, ray } => json!({
            "event": "instance",
            "instance": instance,
            "pointer": hex(*pointer),
            "address": address.map(hex),
            "world_to_object": world_to_object.rows,
            "origin": ray.map(|ray| ray.origin.to_array()),
            "direction": ray.map(|ray| ray.direction.to_array()),
        }),
        Step::Leave => json!({"event": "leave"}),
        Step::Primitive(test) => json!({
            "event": "primitive",
            "pointer": hex(test.pointer),
            "instance": test.instance,
            "geometry": test.geometry,
            "primitive": test.primitive,
            "t": test.t,
        }),
        Step::Accept { hit: accepted } => json!({"event": "accept", "hit": hit(accepted)}),
        Step::Refuse { hit: refused, reason } => {
            json!({"event": "refuse", "hit": hit(refused), "reason": reason})
        }
        Step::Clock { cycle, unit, instance } => {
            json!({"event": "clock", "cycle": cycle, "unit": unit, "instance": instance})
        }
        Step::End => json!({"event": "end"}),
    }
}
