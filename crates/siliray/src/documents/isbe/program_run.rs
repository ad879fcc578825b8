//! What a program leaves.

#![allow(missing_docs, reason = "docs/json.md explains the keys")]

use isbe::container::REGIONS;
use isbe::instruction::parse::SourceLine;
use isbe::program::ProgramRun;
use isbe::{Stage, UnitState, Workgroup};
use serde::Serialize;
use std::collections::BTreeMap;

/// Registers and memory after a program.
#[derive(Debug, Clone, Serialize)]
pub struct RunDocument {
    pub program: String,
    pub instructions: usize,
    pub sm: u16,
    pub stage: &'static str,
    pub lanes: usize,
    /// Whether input and output share storage, bit 25 of the header.
    pub space_sharing: bool,
    pub hazards: Vec<HazardDocument>,
    pub warnings: Vec<String>,
    /// The registers that were written, a word for each lane.
    pub registers: BTreeMap<String, Vec<u32>>,
    /// The bytes of each region that is not empty, as hex digits.
    pub memory: BTreeMap<&'static str, String>,
    pub output: Option<String>,
}

/// A load that may read what a store before it left, if the spaces are shared.
#[derive(Debug, Clone, Serialize)]
pub struct HazardDocument {
    pub line: usize,
    pub load: String,
    pub store_line: usize,
    pub store: String,
}

impl RunDocument {
    /// Of a program that ran on so many lanes of a unit.
    #[must_use]
    pub fn new(
        name: String,
        program: &[SourceLine],
        state: &UnitState,
        stage: Stage,
        (ran, lanes): (&ProgramRun, usize),
    ) -> Self {
        let sharing = state.header.shares_spaces();
        let registers = ran.registers.iter();
        Self {
            program: name,
            instructions: program.len(),
            sm: state.sm,
            stage: stage.name(),
            lanes,
            space_sharing: sharing,
            hazards: hazards(program, ran),
            warnings: warnings(ran, stage, sharing),
            registers: registers
                .map(|(register, words)| (register.to_string(), words[..lanes].to_vec()))
                .collect(),
            memory: memory(&ran.workgroup),
            output: None,
        }
    }
}

fn hazards(program: &[SourceLine], ran: &ProgramRun) -> Vec<HazardDocument> {
    let shown = |at: usize| (program[at].line, program[at].instruction.to_string());
    let hazards = ran.hazards.iter().map(|hazard| {
        let ((line, load), (store_line, store)) = (shown(hazard.load), shown(hazard.store));
        HazardDocument { line, load, store_line, store }
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
