//! `siliray isbe run`: a program on the memory of one unit.

use super::args::{Run, UnitShape};
use super::{bytes, limits};
use crate::failure::Failure;
use crate::output::number::counted;
use crate::output::{AtomicFile, Output};
use serde::Serialize;
use siliray::isbe::container::REGIONS;
use siliray::isbe::container::check::read;
use siliray::isbe::instruction::parse::{SourceLine, parse_program};
use siliray::isbe::limits::LINE_BYTES;
use siliray::isbe::program::{Launch, ProgramRun, run as run_program};
use siliray::isbe::{
    AttributeId, AttributeSet, Dump, Layout, Location, Region, Stage, UnitState, Workgroup,
};
use std::collections::BTreeMap;
use std::path::Path;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    program: String,
    instructions: usize,
    sm: u16,
    stage: &'static str,
    lanes: usize,
    /// Whether input and output share storage, bit 25 of the header.
    space_sharing: bool,
    hazards: Vec<JsonHazard>,
    warnings: Vec<String>,
    /// The registers that were written, a word for each lane.
    registers: BTreeMap<String, Vec<u32>>,
    /// The bytes of each region that is not empty, as hex digits.
    memory: BTreeMap<&'static str, String>,
    output: Option<String>,
}

/// A load that may read what a store before it left, if the spaces are shared.
#[derive(Serialize)]
struct JsonHazard {
    line: usize,
    load: String,
    store_line: usize,
    store: String,
}

/// Runs the program and shows what it leaves.
pub(crate) fn run(args: &Run, output: &Output) -> Result<(), Failure> {
    let (name, text) = args.program.read_text()?;
    let wrong = |error: String| Failure::input(format!("{name}: {error}"));
    let program = parse_program(&text).map_err(|error| wrong(error.to_string()))?;
    let target = args.output.as_deref().map(AtomicFile::create).transpose()?;
    let (mut dump, mut unit) = match &args.input {
        Some(file) => dumped(args, file)?,
        None => {
            let index = u32::try_from(args.workgroup).map_err(Failure::usage)?;
            (Dump::new(state(&args.unit)), Workgroup { index, ..Workgroup::default() })
        }
    };
    if args.share {
        dump.state.header.set_sharing(true);
    }
    for (_, output, region) in REGIONS {
        let space = if output { &mut unit.output } else { &mut unit.input };
        let bytes = match region {
            Region::Patch => args.patch,
            Region::Prim => args.prim,
            Region::Map | Region::Attr => 0,
        };
        let region = space.region_mut(region);
        if region.is_empty() {
            region.resize(bytes.into(), 0);
        }
    }
    let limits = limits(args.raw_limits);
    let launch = Launch { lanes: args.lanes, registers: args.registers.clone(), limits };
    let ran = run_program(&dump.state, &unit, &program, &launch)
        .map_err(|error| wrong(error.to_string()))?;
    let stage = dump.state.stage().map_err(Failure::input)?;
    let json = Json {
        program: name,
        instructions: program.len(),
        sm: dump.state.sm,
        stage: stage.name(),
        lanes: args.lanes,
        space_sharing: dump.state.header.shares_spaces(),
        hazards: hazards(&program, &ran),
        warnings: warnings(&ran, stage, dump.state.header.shares_spaces()),
        registers: ran
            .registers
            .iter()
            .map(|(register, lanes)| (register.to_string(), lanes[..args.lanes].to_vec()))
            .collect(),
        memory: memory(&ran.workgroup),
        output: args.output.as_ref().map(|file| file.display().to_string()),
    };
    let layouts = [dump.state.input_layout(limits), dump.state.layout(limits)];
    let [input, attr] = layouts.map(|layout| layout.map_err(Failure::input));
    let shown = text_of(&json, &ran, &[input?, attr?]);
    if let Some(target) = target {
        dump.push(ran.workgroup);
        target.write(&dump.to_bytes().map_err(Failure::input)?)?;
    }
    output.result(&json, &shown)
}

/// The chosen unit of a dump, and the dump without its units.
fn dumped(args: &Run, file: &Path) -> Result<(Dump, Workgroup), Failure> {
    let wrong = |error: String| Failure::input(format!("{}: {error}", file.display()));
    let mut dump =
        read(&bytes(file)?, limits(args.raw_limits)).map_err(|e| wrong(e.to_string()))?;
    let count = dump.workgroups.len();
    let mut units = std::mem::take(&mut dump.workgroups).into_iter();
    match units.nth(args.workgroup) {
        Some(unit) => Ok((dump, unit)),
        None => {
            let found = args.workgroup;
            Err(wrong(format!("found workgroup {found}, expected less than {count}")))
        }
    }
}

/// The state that the options describe.
fn state(shape: &UnitShape) -> UnitState {
    let set = |ids: &[Vec<AttributeId>]| ids.iter().flatten().copied().collect::<AttributeSet>();
    let outputs = (set(&shape.attributes), shape.vertices);
    let inputs = match &shape.inputs[..] {
        [] => [AttributeId::VERTEX_ID].into_iter().collect(),
        inputs => set(inputs),
    };
    let UnitShape { sm, stage, .. } = *shape;
    if stage == Stage::Mesh {
        let primitives = (set(&shape.primitive_attributes), shape.primitives);
        let mut state = UnitState::new(sm, shape.topology, outputs, primitives, shape.shared_lines);
        state.header.set_inputs(&inputs);
        return state;
    }
    let mut state = UnitState::warp(sm, stage, (inputs, shape.input_vertices), outputs);
    state.unit.input_primitives = shape.input_primitives;
    state.unit.input_corners = if shape.input_primitives > 0 { shape.input_corners } else { 0 };
    state
}

fn hazards(program: &[SourceLine], ran: &ProgramRun) -> Vec<JsonHazard> {
    let shown = |at: usize| (program[at].line, program[at].instruction.to_string());
    let hazards = ran.hazards.iter().map(|hazard| {
        let ((line, load), (store_line, store)) = (shown(hazard.load), shown(hazard.store));
        JsonHazard { line, load, store_line, store }
    });
    hazards.collect()
}

fn warnings(ran: &ProgramRun, stage: Stage, sharing: bool) -> Vec<String> {
    let mut warnings: Vec<String> = ran.warnings.iter().map(ToString::to_string).collect();
    if sharing && stage != Stage::Vertex {
        warnings.push(format!("bit 25 is known of vertex shaders only, not of {stage}"));
    }
    for id in ran.unwritten.iter() {
        warnings.push(format!("output {id} is loaded but never stored"));
    }
    warnings
}

fn memory(unit: &Workgroup) -> BTreeMap<&'static str, String> {
    let regions = REGIONS.iter().map(|&(name, output, region)| {
        let space = if output { &unit.output } else { &unit.input };
        let digits = space.region(region).iter().map(|byte| format!("{byte:02x}"));
        (name, digits.collect::<String>())
    });
    regions.filter(|(_, digits)| !digits.is_empty()).collect()
}

fn text_of(json: &Json, ran: &ProgramRun, layouts: &[Layout; 2]) -> String {
    let mut text = format!(
        "{}: {} on {} of the stage {}, SM{}\n",
        json.program,
        counted(json.instructions, "instruction"),
        counted(json.lanes, "lane"),
        json.stage,
        json.sm
    );
    text += match (json.space_sharing, json.hazards.is_empty()) {
        (true, true) => "input and output share storage (bit 25): no load follows a store\n",
        (true, false) => "input and output share storage (bit 25): these loads follow a store\n",
        (false, true) => "bit 25 may be set: no load follows a store\n",
        (false, false) => "bit 25 must not be set: these loads follow a store\n",
    };
    for JsonHazard { line, load, store_line, store } in &json.hazards {
        text += &format!("  line {line}: {load}  behind line {store_line}: {store}\n");
    }
    for warning in &json.warnings {
        text += &format!("warning: {warning}\n");
    }
    for (register, lanes) in &ran.registers {
        text += &format!("\n{register}\n");
        text += &word_rows(&lanes[..json.lanes]);
    }
    for (name, output, region) in REGIONS {
        let space = if output { &ran.workgroup.output } else { &ran.workgroup.input };
        text += &region_text(name, space.region(region), region, &layouts[usize::from(output)]);
    }
    text += "\nlines of zeros are left out\n";
    text
}

/// A region, line by line; the lines of ATTR with what they hold.
fn region_text(name: &str, bytes: &[u8], region: Region, layout: &Layout) -> String {
    let mut text = String::new();
    let lines = (0..).step_by(LINE_BYTES as usize).zip(bytes.chunks(LINE_BYTES as usize));
    for (address, line) in lines.filter(|(_, line)| line.iter().any(|byte| *byte != 0)) {
        let content = match (region, layout.locate(address)) {
            (Region::Attr, Location::Vertex(first)) => {
                format!(", {} of vertices from {}", first.attribute, first.index)
            }
            (Region::Attr, Location::Primitive(first)) => {
                format!(", {} of primitives from {}", first.attribute, first.index)
            }
            (Region::Attr, Location::Shared { .. }) => ", shared memory".to_owned(),
            (Region::Map | Region::Patch | Region::Prim, _) => String::new(),
        };
        text += &format!("\n{name} {address:#06x}{content}\n");
        if region == Region::Map {
            for row in line.chunks(32) {
                let bytes: Vec<String> = row.iter().map(|byte| format!("{byte:02x}")).collect();
                text += &format!("  {}\n", bytes.join(" "));
            }
            continue;
        }
        let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, b| word << 8 | u32::from(*b));
        text += &word_rows(&line.chunks(4).map(word).collect::<Vec<_>>());
    }
    text
}

/// Words in hex, eight to a row.
fn word_rows(words: &[u32]) -> String {
    let row = |row: &[u32]| {
        let words: Vec<String> = row.iter().map(|word| format!("{word:08x}")).collect();
        format!("  {}\n", words.join(" "))
    };
    words.chunks(8).map(row).collect()
}
