//! `siliray isbe run`: a program on the memory of one unit.

use super::args::Run;
use super::{bytes, limits};
use crate::failure::Failure;
use crate::output::number::counted;
use crate::output::{AtomicFile, Output};
use siliray::documents::isbe::program_run::{HazardDocument, RunDocument};
use siliray::isbe::container::REGIONS;
use siliray::isbe::limits::LINE_BYTES;
use siliray::isbe::program::{Launch, ProgramRun};
use siliray::isbe::{AttributeId, AttributeSet, Layout, Location, Region};
use siliray::isbe_program::{Left, Setup, Unit, UnitShape, run as run_program};

/// Runs the program and shows what it leaves.
pub(crate) fn run(args: &Run, output: &Output) -> Result<(), Failure> {
    let (name, text) = args.program.read_text()?;
    let target = args.output.as_deref().map(AtomicFile::create).transpose()?;
    let limits = limits(args.raw_limits);
    let setup = Setup {
        launch: Launch { lanes: args.lanes, registers: args.registers.clone(), limits },
        share: args.share,
        opaque: [args.patch, args.prim],
    };
    let ran = match &args.input {
        Some(file) => {
            let (bytes, file) = (bytes(file)?, file.display().to_string());
            let unit = Unit::Dumped { file: &file, bytes: &bytes, workgroup: args.workgroup };
            run_program(&name, &text, unit, &setup)
        }
        None => {
            let index = u32::try_from(args.workgroup).map_err(Failure::usage)?;
            run_program(&name, &text, Unit::Empty(&shape(args), index), &setup)
        }
    };
    let Left { document: mut json, run: ran, mut dump } = ran.map_err(Failure::input)?;
    json.output = args.output.as_ref().map(|file| file.display().to_string());
    let layouts = [dump.state.input_layout(limits), dump.state.layout(limits)];
    let [input, attr] = layouts.map(|layout| layout.map_err(Failure::input));
    let shown = text_of(&json, &ran, &[input?, attr?]);
    if let Some(target) = target {
        dump.push(ran.workgroup);
        target.write(&dump.to_bytes().map_err(Failure::input)?)?;
    }
    output.result(&json, &shown)
}

/// The unit that the options describe.
fn shape(args: &Run) -> UnitShape {
    let set = |ids: &[Vec<AttributeId>]| ids.iter().flatten().copied().collect::<AttributeSet>();
    let unit = &args.unit;
    UnitShape {
        stage: unit.stage,
        sm: unit.sm,
        attributes: set(&unit.attributes),
        vertices: unit.vertices,
        inputs: set(&unit.inputs),
        input_vertices: unit.input_vertices,
        input_primitives: unit.input_primitives,
        input_corners: unit.input_corners,
        primitive_attributes: set(&unit.primitive_attributes),
        primitives: unit.primitives,
        topology: unit.topology,
        shared_lines: unit.shared_lines,
    }
}

fn text_of(json: &RunDocument, ran: &ProgramRun, layouts: &[Layout; 2]) -> String {
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
    for HazardDocument { line, load, store_line, store } in &json.hazards {
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
