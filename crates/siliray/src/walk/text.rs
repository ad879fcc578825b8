//! A walk as a table: what happens, and what is on the stack then.

use super::Walk;
use geometry::Vec3;
use machine::{ChildTest, Hit, PrimitiveTest, Step};
use std::fmt::Write;
use std::ops::Range;

/// Entries of the stack that a line shows.
const SHOWN: usize = 6;

/// The steps of a walk in a range, one line each. The number of a step is its place in the walk.
#[must_use]
pub fn table(walk: &Walk, range: Range<usize>) -> String {
    let mut text = format!("{:>6}  {:<66}  stack\n", "step", "what");
    for (number, (step, stack)) in walk.steps.iter().zip(stacks(walk)).enumerate() {
        if range.contains(&number) {
            let line = format!("{number:>6}  {:<66}  {}", line(step), entries(&stack));
            text += line.trim_end();
            text.push('\n');
        }
    }
    text
}

/// The stack after each step, the last entry on top.
pub fn stacks(walk: &Walk) -> impl Iterator<Item = Vec<u64>> {
    walk.steps.iter().scan(Vec::new(), |stack, step| {
        follow(stack, step);
        Some(stack.clone())
    })
}

/// Does to a stack what a step says.
fn follow(stack: &mut Vec<u64>, step: &Step) {
    match step {
        Step::Push { pointer, .. } => stack.push(*pointer),
        // A push may have gone below others.
        Step::Pop { pointer: Some(pointer), .. } => {
            if let Some(place) = stack.iter().rposition(|entry| entry == pointer) {
                stack.remove(place);
            }
        }
        Step::Overflow { lost } => {
            stack.drain(..(*lost as usize).min(stack.len()));
        }
        Step::Restart { .. } => stack.clear(),
        _ => (),
    }
}

/// The top of a stack, the last entry last.
fn entries(stack: &[u64]) -> String {
    let hidden = stack.len().saturating_sub(SHOWN);
    let mut text = if hidden > 0 { format!("({hidden} more) ") } else { String::new() };
    let shown: Vec<String> = stack[hidden..].iter().map(|entry| format!("{entry:#x}")).collect();
    text += &shown.join(" ");
    text
}

/// A step in words.
#[must_use]
pub fn line(step: &Step) -> String {
    match step {
        Step::Node { pointer, address, kind } => format!("{kind} {}", place(*pointer, *address)),
        Step::Child(child) => child_line(child),
        Step::Instruction(instruction) => {
            let outputs = instruction.outputs.iter();
            let outputs: Vec<String> =
                outputs.map(|(name, value)| format!("{name} {value:x}")).collect();
            format!("  {} → {}", instruction.name, outputs.join(", "))
        }
        Step::Push { pointer, depth } => format!("  push {pointer:#x}, {depth} on the stack"),
        Step::Pop { pointer: Some(pointer), depth } => {
            format!("pop {pointer:#x}, {depth} on the stack")
        }
        Step::Pop { pointer: None, .. } => "pop: nothing".to_owned(),
        Step::Skip { pointer, reason } => format!("  skip {pointer:#x}: {reason}"),
        Step::Overflow { lost } => format!("  the stack overflows and loses {lost}"),
        Step::WalkBack { to, from } => format!("walk back to {to:#x}, from {from:#x}"),
        Step::Restart { reason } => format!("restart: {reason}"),
        Step::Instance { instance, pointer, address, ray, .. } => {
            let ray = ray.map(|ray| {
                format!(", origin {}, direction {}", vector(ray.origin), vector(ray.direction))
            });
            let ray = ray.unwrap_or_default();
            format!("enter instance {instance} by {}{ray}", place(*pointer, *address))
        }
        Step::Leave => "leave the instance".to_owned(),
        Step::Primitive(PrimitiveTest { instance, geometry, primitive, t, .. }) => {
            let t = t.map_or("missed".to_owned(), |t| format!("hit at t {t}"));
            format!("  test {}: {t}", ids(*instance, *geometry, *primitive))
        }
        Step::Accept { hit } => format!("  accept {}", hit_words(hit)),
        Step::Refuse { hit, reason } => format!("  refuse {}: {reason}", hit_words(hit)),
        Step::Clock { cycle, unit, instance } => {
            let of = instance.map(|number| format!(", instance {number}")).unwrap_or_default();
            format!("cycle {cycle}, {unit}{of}")
        }
        Step::End => "end".to_owned(),
    }
}

fn child_line(child: &ChildTest) -> String {
    let ChildTest { slot, pointer, interval, verdict, .. } = child;
    let mut text = format!("  [{slot}] {pointer:#x} {}", verdict.name());
    // Writing to a string cannot fail. Machines that walk beams do not all say where these leave.
    let _ = match interval {
        Some([enter, exit]) if exit.is_finite() => write!(text, ", t {enter} to {exit}"),
        Some([enter, _]) => write!(text, ", from t {enter}"),
        None => Ok(()),
    };
    text
}

/// A pointer, with its address where there is one.
#[must_use]
pub fn place(pointer: u64, address: Option<u64>) -> String {
    let address = address.map(|address| format!(" at address {address:#x}")).unwrap_or_default();
    format!("{pointer:#x}{address}")
}

/// Ids in words.
#[must_use]
pub fn ids(instance: u32, geometry: u32, primitive: u32) -> String {
    format!("instance {instance}, geometry {geometry}, primitive {primitive}")
}

fn hit_words(hit: &Hit) -> String {
    format!("{} at t {}", ids(hit.instance, hit.geometry, hit.primitive), hit.t)
}

fn vector(v: Vec3) -> String {
    format!("{},{},{}", v.x, v.y, v.z)
}
