//! The trace: one JSON object a line, keys in a fixed order and absent when empty.
//!
//! The first line names the schema. docs/riscv.md describes every key. Objects are put together
//! here rather than by a library, because the order of their keys is part of the schema.

use crate::commit::{MemoryAccess, Register};
use crate::hart::Hart;
use crate::instruction::Op;
use crate::log::words;
use crate::trap::Trap;
use serde_json::Value;

/// The version of the schema.
pub const SCHEMA: &str = "siliray-trace/1";

/// The first line of a trace.
#[must_use]
pub fn head(isa: &str, hart: &Hart, readings: &[(String, String)], file_name: &str) -> String {
    let names: Vec<String> = hart.extensions().map(|extension| quoted(extension.name())).collect();
    let readings = readings.iter().map(|(key, value)| (key.as_str(), quoted(value)));
    object([
        ("schema", quoted(SCHEMA)),
        ("isa", quoted(isa)),
        ("extension", format!("[{}]", names.join(","))),
        ("readings", object(readings)),
        ("elf", quoted(file_name)),
    ])
}

/// The line of what `hart` has just retired. Needs [`Hart::set_recording`].
#[must_use]
pub fn retired(hart: &Hart) -> String {
    let commit = hart.commit();
    let (pc, word) = (commit.pc, commit.instruction.word);
    let digits = 2 * commit.instruction.length() as usize;
    let mut members = vec![
        ("n", hart.core.retired().saturating_sub(1).to_string()),
        ("pc", hex(pc)),
        ("insn", format!("\"0x{word:0digits$x}\"")),
        ("asm", quoted(&hart.disassemble(word, pc).to_string())),
        ("priv", (commit.privilege as u8).to_string()),
    ];
    let (mut integer, mut float, mut csr) = (Vec::new(), Vec::new(), Vec::new());
    let mut numbers = Vec::new();
    for write in &commit.registers {
        let value = hex(write.value);
        match write.register {
            Register::Integer(number) => integer.push((format!("x{number}"), value)),
            Register::Float(register) => {
                numbers.push((format!("f{register}"), boxed_number(write.value).to_string()));
                float.push((format!("f{register}"), value));
            }
            Register::Csr(number) => {
                let name = hart.csr_name(number);
                csr.push((name.unwrap_or_else(|| format!("{number:#x}")), value));
            }
        }
    }
    for (key, writes) in [("x", integer), ("f", float), ("numbers", numbers), ("csr", csr)] {
        if !writes.is_empty() {
            members.push((key, object(writes)));
        }
    }
    for (key, list) in [("load", &commit.loads), ("store", &commit.stores)] {
        if !list.is_empty() {
            members.push((key, accesses(list)));
        }
    }
    if commit.instruction.op == Op::Custom {
        let added = hart.extensions().flat_map(|extension| extension.trace());
        members.extend(added.map(|(key, value)| (key, value.to_string())));
    }
    object(members)
}

/// The line of a trap that was taken at `epc`.
#[must_use]
pub fn trapped(hart: &Hart, trap: &Trap, epc: u64) -> String {
    let mut details = vec![
        ("cause", hex(trap.cause.code())),
        ("name", quoted(&trap.cause.to_string())),
        ("tval", hex(trap.value)),
        ("epc", hex(epc)),
        ("handler", hex(hart.core.pc)),
    ];
    let lane = hart.extensions().find_map(|extension| extension.faulting_lane(trap));
    details.extend(lane.map(|lane| ("lane", lane.to_string())));
    object([("n", hart.core.retired().to_string()), ("trap", object(details))])
}

/// The number in a floating-point register: binary32 if it is boxed as one, else binary64.
fn boxed_number(register: u64) -> Value {
    match register >> 32 {
        0xFFFF_FFFF => number(f32::from_bits(register as u32)),
        _ => number(f64::from_bits(register)),
    }
}

/// A number with the digits that tell it from its neighbours; infinities and NaN as text.
pub(crate) fn number(value: impl std::fmt::Debug) -> Value {
    let text = format!("{value:?}");
    serde_json::from_str(&text).unwrap_or(Value::from(text))
}

fn accesses(accesses: &[MemoryAccess]) -> String {
    let words = accesses.iter().flat_map(words);
    let objects: Vec<String> = words
        .map(|(address, value, size)| {
            object([("addr", hex(address)), ("size", size.to_string()), ("value", hex(value))])
        })
        .collect();
    format!("[{}]", objects.join(","))
}

fn hex(value: u64) -> String {
    format!("\"{value:#x}\"")
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// An object whose values are JSON already.
fn object<K: AsRef<str>>(members: impl IntoIterator<Item = (K, String)>) -> String {
    let members: Vec<String> = members
        .into_iter()
        .map(|(key, value)| format!("{}:{value}", quoted(key.as_ref())))
        .collect();
    format!("{{{}}}", members.join(","))
}
