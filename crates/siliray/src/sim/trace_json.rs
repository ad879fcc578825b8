//! What slots and units did, in the trace format of Chrome, which Perfetto and chrome://tracing
//! open.
//!
//! A TTU is a process; each slot and each place in a unit's local store is a thread of it, so that
//! events on one track follow each other. Beside them stand counters of the whole machine over
//! time. One cycle is one microsecond.

use serde_json::{Value, json};
use ttu::run::{Run, Timeline};

/// Tracks of units begin here.
const UNITS: u64 = 10_000;
/// Places of one unit.
const PLACES: u64 = 100;

/// The trace of a run that kept its timeline.
#[must_use]
pub fn trace(run: &Run) -> Value {
    let mut events = counters(run);
    for (number, timeline) in run.timelines.iter().enumerate() {
        add(number as u64 + 1, timeline, run, &mut events);
    }
    let is_cut = run.timelines.iter().any(|timeline| timeline.is_cut);
    json!({
        "traceEvents": events,
        "displayTimeUnit": "ns",
        "otherData": {
            "config_hash": run.config.hash(),
            "cycles": run.cycles,
            "unit": "one cycle is shown as one microsecond",
            "cut": is_cut,
        },
    })
}

/// Slots and units in use over time.
fn counters(run: &Run) -> Vec<Value> {
    let mut events = vec![json!({
        "name": "process_name", "ph": "M", "pid": 0, "tid": 0, "args": { "name": "machine" },
    })];
    for sample in &run.series.samples {
        let counter = |name: &str, values: Value| {
            let cycle = sample.cycle;
            json!({ "name": name, "ph": "C", "ts": cycle, "pid": 0, "args": values })
        };
        events.push(counter("slots in use", json!({ "slots": sample.slots })));
        events.push(counter("slots waiting for memory", json!({ "slots": sample.fetching })));
        events.push(counter("units in use", json!({ "units": sample.units })));
    }
    events
}

fn add(process: u64, timeline: &Timeline, run: &Run, events: &mut Vec<Value>) {
    let name = |what: &str, thread: u64, name: String| {
        let args = json!({ "name": name });
        json!({ "name": what, "ph": "M", "pid": process, "tid": thread, "args": args })
    };
    // Viewers sort tracks by name, and "slot 10" before "slot 2", unless they are told.
    let order = |thread: u64| {
        let (what, args) = ("thread_sort_index", json!({ "sort_index": thread }));
        json!({ "name": what, "ph": "M", "pid": process, "tid": thread, "args": args })
    };
    events.push(name("process_name", 0, format!("TTU {}", process - 1)));
    for slot in 0..u64::from(run.config.slots) {
        events.push(name("thread_name", slot + 1, format!("slot {slot}")));
        events.push(order(slot + 1));
    }
    for unit in 0..u64::from(run.config.units) {
        for place in 0..u64::from(run.config.unit_slots) {
            let track = UNITS + unit * PLACES + place;
            events.push(name("thread_name", track, format!("unit {unit}, place {place}")));
            events.push(order(track));
        }
    }
    events.extend(timeline.events.iter().map(|event| {
        json!({
            "name": event.state,
            "cat": "slot",
            "ph": "X",
            "ts": event.start,
            "dur": event.end - event.start,
            "pid": process,
            "tid": u64::from(event.slot) + 1,
            "args": { "query": event.job },
        })
    }));
    events.extend(timeline.units.iter().map(|held| {
        json!({
            "name": format!("block {}", held.block),
            "cat": "unit",
            "ph": "X",
            "ts": held.start,
            "dur": held.end - held.start,
            "pid": process,
            "tid": UNITS + u64::from(held.unit) * PLACES + u64::from(held.place),
            "args": { "slot": held.slot },
        })
    }));
}
