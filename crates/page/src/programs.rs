//! Programs on the hart, instruction by instruction.
//!
//! A program is an ELF file, or text for the assembler. It runs with the ray-tracing extension. To
//! step back is to run again from the start, one instruction less: a run is the same every time.

use crate::{PageError, Response, watch};
use serde_json::{Value, json};
use siliray::extensions::{NAMES, Options, extension};
use siliray::riscv::{Config, Event, Hart, Program as Elf, jsonl};

/// The hart's memory.
const RAM: u64 = 64 << 20;

/// Where assembled text begins.
const START: u64 = 0x8000_0000;

/// Instructions of a listing.
const MOST_LISTED: usize = 20_000;

/// Most bytes of memory that are shown at once.
const MOST_SHOWN: u64 = 4096;

/// Instructions between two looks at whether the rest is still wanted.
const WATCHED: u64 = 1 << 14;

/// A program, and how far it has run.
pub(crate) struct Program {
    name: String,
    file: Vec<u8>,
    hart: Hart,
    labels: Vec<(u64, String)>,
    /// Address and line of each instruction of a text.
    lines: Vec<(u64, usize)>,
    /// Address and size of each executable part.
    code: Vec<(u64, u64)>,
    /// Instructions tried so far.
    done: u64,
    /// Why it does not go on.
    ended: Option<String>,
    output: Vec<u8>,
    /// What the last instruction did, as a line of a trace.
    last: String,
}

impl Program {
    /// Loads an ELF file, or assembles a text.
    pub(crate) fn load(name: String, file: &[u8]) -> Result<Self, PageError> {
        let refused =
            |error: &dyn ToString| PageError::Refused(format!("{name}: {}", error.to_string()));
        let unit = extension(NAMES[0], &Options::default()).map_err(|error| refused(&error))?;
        let config = Config { ram: RAM, ..Config::default() };
        let mut hart = Hart::new(config, vec![unit]).map_err(|error| refused(&error))?;
        let (labels, lines, code) = if file.starts_with(b"\x7fELF") {
            let program = hart.load_elf(file).map_err(|error| refused(&error))?;
            (labels(&program), Vec::new(), program.code)
        } else {
            let source = std::str::from_utf8(file).map_err(|error| refused(&error))?;
            let assembled = hart
                .assemble(source, START)
                .map_err(|(line, error)| refused(&format!("line {line}: {error}")))?;
            for one in &assembled {
                let bytes = &one.word.to_le_bytes()[..one.size() as usize];
                hart.write_memory(one.address, bytes)
                    .map_err(|_| refused(&"the text does not fit into memory"))?;
            }
            hart.core.pc = START;
            let end = assembled.last().map_or(START, |last| last.address + last.size());
            let lines: Vec<(u64, usize)> =
                assembled.iter().map(|one| (one.address, one.line)).collect();
            (labels_of_text(source, &lines), lines, vec![(START, end - START)])
        };
        hart.set_recording(true);
        let file = file.to_vec();
        Ok(Self {
            name,
            file,
            hart,
            labels,
            lines,
            code,
            done: 0,
            ended: None,
            output: Vec::new(),
            last: String::new(),
        })
    }

    /// The listing.
    pub(crate) fn listing(&self) -> Response {
        let mut lines = Vec::new();
        for &(start, size) in &self.code {
            let mut at = start;
            while at < start.saturating_add(size) && lines.len() < MOST_LISTED {
                let Some(bits) = self.hart.instruction_bits(at) else { break };
                let size = if bits & 3 == 3 { 4 } else { 2 };
                let words = self.hart.disassemble(bits, at);
                let label = self.labels.iter().find(|(address, _)| *address == at);
                let line = self.lines.binary_search_by_key(&at, |(address, _)| *address);
                lines.push(json!({
                    "address": format!("{at:#x}"),
                    "word": format!("{bits:0width$x}", width = 2 * size),
                    "mnemonic": words.mnemonic,
                    "operands": words.operands,
                    "label": label.map(|(_, label)| label),
                    "line": line.ok().map(|place| self.lines[place].1),
                }));
                at += size as u64;
            }
        }
        let cut = lines.len() == MOST_LISTED;
        Response::new(json!({"name": self.name, "lines": lines, "cut": cut}))
    }

    /// Runs until so many instructions have been tried, or until an address is reached, forwards or
    /// backwards; says where it is then. Nobody may want it to go on: then it stays where it is.
    pub(crate) fn run_to(&mut self, count: u64, stop: Option<u64>) -> Result<Response, PageError> {
        if count < self.done {
            *self = Self::load(self.name.clone(), &self.file)?;
        }
        let (first, mut last) = (self.done, None);
        while self.done < count && self.ended.is_none() {
            let run = self.done - first;
            let share = run as f32 / (count - first) as f32;
            if run.is_multiple_of(WATCHED) && watch::keep_going(share).is_break() {
                break;
            }
            let epc = self.hart.core.pc;
            let event = self.hart.step();
            self.done += 1;
            self.output.extend(self.hart.take_output());
            self.ended = match &event {
                Event::Retired | Event::Trapped(_) | Event::Host => None,
                Event::Unhandled(trap) => Some(format!("{}, and no handler", trap.cause)),
                Event::Exited(code) => Some(format!("the program has ended with {code}")),
                Event::Stopped(stop) => Some(format!("stopped: {stop:?}")),
            };
            last = Some((event, epc));
            if stop == Some(self.hart.core.pc) {
                break;
            }
        }
        if let Some((event, epc)) = last {
            self.last = match &event {
                Event::Trapped(trap) | Event::Unhandled(trap) => {
                    jsonl::trapped(&self.hart, trap, epc)
                }
                _ => jsonl::retired(&self.hart),
            };
        }
        Ok(self.place())
    }

    /// Where it is.
    pub(crate) fn place(&self) -> Response {
        Response::new(self.state())
    }

    fn state(&self) -> Value {
        let pc = self.hart.core.pc;
        let next = self.hart.instruction_bits(pc);
        let next = next.map(|bits| self.hart.disassemble(bits, pc).to_string());
        let values = self.hart.state().values;
        let values = values.iter().map(|(name, value)| json!([name, format!("{value:#x}")]));
        json!({
            "done": self.done,
            "retired": self.hart.core.retired(),
            "pc": format!("{pc:#x}"),
            "next": next,
            "last": serde_json::from_str::<Value>(&self.last).ok(),
            "registers": values.collect::<Vec<_>>(),
            "ended": self.ended,
            "output": String::from_utf8_lossy(&self.output),
        })
    }

    /// Some bytes of memory.
    pub(crate) fn memory(&self, address: u64, length: u64) -> Result<Response, PageError> {
        let length = length.min(MOST_SHOWN);
        let nowhere = || PageError::Refused(format!("no memory at {address:#x}"));
        let bytes = self.hart.core.memory.slice(address, length).ok_or_else(nowhere)?;
        Ok(Response::new(json!({"address": format!("{address:#x}")})).with("data", bytes))
    }
}

/// The labels of a text that was assembled, each at the first instruction behind it.
fn labels_of_text(source: &str, lines: &[(u64, usize)]) -> Vec<(u64, String)> {
    let mut labels = Vec::new();
    for (number, line) in (1..).zip(source.lines()) {
        let Some((before, _)) = line.rsplit_once(':') else { continue };
        let behind = lines.partition_point(|(_, line)| *line < number);
        let Some((address, _)) = lines.get(behind) else { break };
        let names = before.split(':').map(str::trim);
        let is_name = |name: &&str| name.chars().all(|c| c.is_alphanumeric() || "_.$".contains(c));
        labels.extend(names.filter(is_name).map(|name| (*address, name.to_owned())));
    }
    labels
}

fn labels(program: &Elf) -> Vec<(u64, String)> {
    program.labels().into_iter().map(|(at, name)| (at, name.to_owned())).collect()
}
