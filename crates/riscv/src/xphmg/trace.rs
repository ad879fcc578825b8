//! What an instruction did, as members of its line in the trace.

use crate::jsonl::number;
use ::xphmg::Executed;
use ::xphmg::flags::{Exceptions, Stickies};
use ::xphmg::numeric::widen;
use ::xphmg::offload::{JobRecord, MemoryPolicy, MemoryUse};
use ::xphmg::unit::memory_policy::MemoryTotal;
use ::xphmg::unit::record::{LaneRecord, RtRecord};
use serde_json::{Value, json};

/// `rt` for RT instructions; `job` for those that ran jobs, a list if there were several; `refused`
/// for a submission that gave no job.
pub(super) fn members(executed: &Executed) -> Vec<(&'static str, Value)> {
    let mut members = Vec::new();
    if let Some(record) = &executed.rt {
        members.push(("rt", instruction(record)));
    }
    match executed.jobs.as_slice() {
        [] => {}
        [one] => members.push(("job", job(one))),
        several => members.push(("job", Value::Array(several.iter().map(job).collect()))),
    }
    members.extend(executed.refused.map(|reason| ("refused", reason.to_string().into())));
    members
}

fn instruction(record: &RtRecord) -> Value {
    let lanes: Vec<Value> = (0..).zip(&record.lanes).map(|(i, one)| lane(i, one, record)).collect();
    json!({
        "op": record.operation,
        "flags": record.flags,
        "fmt": record.policy.format.name(),
        "rmode": record.policy.rounding.name(),
        "lanes": lanes,
    })
}

fn lane(index: u8, lane: &LaneRecord, record: &RtRecord) -> Value {
    if !lane.active {
        return json!({"i": index, "active": false});
    }
    let digits = 2 + 2 * record.policy.format.bytes();
    let numbers: Vec<Value> =
        lane.values.iter().map(|bits| number(widen(*bits, &record.policy).value)).collect();
    let values: Vec<String> = lane.values.iter().map(|bits| format!("{bits:#0digits$x}")).collect();
    let exceptions: Vec<&str> =
        Exceptions::iter_names(&lane.raised.exceptions).map(|(name, _)| name).collect();
    let stickies: Vec<&str> =
        Stickies::iter_names(&lane.raised.stickies).map(|(name, _)| name).collect();
    json!({
        "i": index,
        "active": true,
        "ray": format!("{:#x}", lane.ray),
        "operand": format!("{:#x}", lane.operand),
        "hit": lane.hit,
        "values": values,
        "numbers": numbers,
        "exc": exceptions,
        "stat": stickies,
    })
}

fn job(record: &JobRecord) -> Value {
    json!({
        "ticket": record.ticket,
        "rays": record.rays,
        "hits": record.hits,
        "misses": record.misses,
        "error": record.error.map(|error| error.to_string()),
        "memory": record.memory.as_ref().map(memory),
    })
}

fn memory(usage: &MemoryUse) -> Value {
    let MemoryPolicy { asked, stream, .. } = &usage.policy;
    let mut members = json!({
        "class": usage.policy.class,
        "domain": usage.policy.domain,
        "profile": usage.policy.profile,
        "stride": stream.stride,
        "depth": stream.depth,
        "non_temporal": stream.non_temporal,
        "hybrid": usage.policy.hybrid,
        "borrows": usage.policy.borrows,
        "qos": usage.policy.qos,
        "line": usage.policy.line,
        "ways": format!("{:#04x}", usage.policy.ways),
        "sec": asked.security,
    });
    for (name, count) in usage.counts.named() {
        members[name] = count.into();
    }
    members
}

/// The totals of a class in a domain, by name.
pub(super) fn total(total: &MemoryTotal) -> Vec<(&'static str, u64)> {
    let [rays, hits, misses] = total.rays;
    let jobs = [
        ("class", total.class.into()),
        ("domain", total.domain.into()),
        ("jobs", total.jobs),
        ("rays", rays),
        ("hits", hits),
        ("misses", misses),
    ];
    jobs.into_iter().chain(total.counts.named()).collect()
}
