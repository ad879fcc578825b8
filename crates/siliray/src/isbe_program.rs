//! A program on the memory of one unit: of a dump, or of a unit with empty memory.

use crate::documents::isbe::program_run::RunDocument;
use isbe::container::REGIONS;
use isbe::container::check::{UnsoundDump, read};
use isbe::instruction::parse::{ParseError, parse_program};
use isbe::program::{Launch, ProgramError, ProgramRun, run as run_program};
use isbe::{
    AttributeId, AttributeSet, Dump, Region, Stage, StateError, Topology, UnitState, Workgroup,
};

/// What a unit is, where no dump says it.
#[derive(Debug, Clone)]
pub struct UnitShape {
    /// The stage.
    pub stage: Stage,
    /// The generation.
    pub sm: u16,
    /// The output attributes of each vertex.
    pub attributes: AttributeSet,
    /// The declared maximum of output vertices.
    pub vertices: u16,
    /// The input attributes of each vertex; `VERTEX_ID` if there are none.
    pub inputs: AttributeSet,
    /// Input vertices.
    pub input_vertices: u16,
    /// Primitives of the input MAP.
    pub input_primitives: u16,
    /// Vertices of each of them.
    pub input_corners: u8,
    /// The output attributes of each primitive of a mesh workgroup.
    pub primitive_attributes: AttributeSet,
    /// The declared maximum of primitives of a mesh workgroup.
    pub primitives: u16,
    /// What the indices of a mesh workgroup make.
    pub topology: Topology,
    /// Lines of shared memory of a mesh workgroup.
    pub shared_lines: u16,
}

impl Default for UnitShape {
    fn default() -> Self {
        Self {
            stage: Stage::Mesh,
            sm: 86,
            attributes: AttributeId::parse_all("POSITION").into_iter().flatten().collect(),
            vertices: 32,
            inputs: AttributeSet::default(),
            input_vertices: 32,
            input_primitives: 0,
            input_corners: 3,
            primitive_attributes: AttributeSet::default(),
            primitives: 32,
            topology: Topology::Triangles,
            shared_lines: 0,
        }
    }
}

impl UnitShape {
    /// The headers of such a unit.
    #[must_use]
    pub fn state(&self) -> UnitState {
        let outputs = (self.attributes, self.vertices);
        let inputs = match self.inputs.iter().next() {
            None => [AttributeId::VERTEX_ID].into_iter().collect(),
            Some(_) => self.inputs,
        };
        if self.stage == Stage::Mesh {
            let primitives = (self.primitive_attributes, self.primitives);
            let mut state =
                UnitState::new(self.sm, self.topology, outputs, primitives, self.shared_lines);
            state.header.set_inputs(&inputs);
            return state;
        }
        let mut state =
            UnitState::warp(self.sm, self.stage, (inputs, self.input_vertices), outputs);
        state.unit.input_primitives = self.input_primitives;
        state.unit.input_corners = if self.input_primitives > 0 { self.input_corners } else { 0 };
        state
    }
}

/// On what a program runs.
#[derive(Debug, Clone, Copy)]
pub enum Unit<'a> {
    /// A unit of a dump, by its position.
    Dumped {
        /// What the dump is called.
        file: &'a str,
        /// Its bytes.
        bytes: &'a [u8],
        /// Which unit.
        workgroup: usize,
    },
    /// A unit with empty memory, and its number.
    Empty(&'a UnitShape, u32),
}

/// How it runs.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Lanes, registers and limits.
    pub launch: Launch,
    /// Whether input and output share storage.
    pub share: bool,
    /// Bytes of PATCH and of PRIM in each space, where there are none.
    pub opaque: [u16; 2],
}

/// What a program leaves.
#[derive(Debug)]
pub struct Left {
    /// In figures.
    pub document: RunDocument,
    /// As it is.
    pub run: ProgramRun,
    /// The dump that the unit came from, without its units.
    pub dump: Dump,
}

/// Why a program leaves nothing.
#[derive(Debug, thiserror::Error)]
pub enum RunProgramError {
    /// A line is no instruction.
    #[error("{program}: {source}")]
    Text {
        /// The program.
        program: String,
        /// What is wrong.
        source: ParseError,
    },
    /// The dump cannot be read.
    #[error("{file}: {source}")]
    Dump {
        /// The dump.
        file: String,
        /// What is wrong.
        source: Box<UnsoundDump>,
    },
    /// The dump has no such unit.
    #[error("{file}: found workgroup {found}, expected less than {count}")]
    Workgroup {
        /// The dump.
        file: String,
        /// Which was asked for.
        found: usize,
        /// How many there are.
        count: usize,
    },
    /// A fault.
    #[error("{program}: {source}")]
    Fault {
        /// The program.
        program: String,
        /// What is wrong.
        source: ProgramError,
    },
    /// The headers make no sense.
    #[error(transparent)]
    State(#[from] StateError),
}

/// Runs a program, which is called `name` in messages.
///
/// # Errors
/// When it is none, has a fault, or there is nothing to run it on.
pub fn run(name: &str, text: &str, unit: Unit<'_>, setup: &Setup) -> Result<Left, RunProgramError> {
    let program = parse_program(text)
        .map_err(|source| RunProgramError::Text { program: name.to_owned(), source })?;
    let (mut dump, mut unit) = match unit {
        Unit::Dumped { file, bytes, workgroup } => dumped(file, bytes, workgroup, setup)?,
        Unit::Empty(shape, index) => {
            (Dump::new(shape.state()), Workgroup { index, ..Workgroup::default() })
        }
    };
    if setup.share {
        dump.state.header.set_sharing(true);
    }
    for (_, output, region) in REGIONS {
        let space = if output { &mut unit.output } else { &mut unit.input };
        let bytes = match region {
            Region::Patch => setup.opaque[0],
            Region::Prim => setup.opaque[1],
            Region::Map | Region::Attr => 0,
        };
        let region = space.region_mut(region);
        if region.is_empty() {
            region.resize(bytes.into(), 0);
        }
    }
    let run = run_program(&dump.state, &unit, &program, &setup.launch)
        .map_err(|source| RunProgramError::Fault { program: name.to_owned(), source })?;
    let (stage, lanes) = (dump.state.stage()?, setup.launch.lanes);
    let document = RunDocument::new(name.to_owned(), &program, &dump.state, stage, (&run, lanes));
    Ok(Left { document, run, dump })
}

/// The chosen unit of a dump, and the dump without its units.
fn dumped(
    file: &str,
    bytes: &[u8],
    found: usize,
    setup: &Setup,
) -> Result<(Dump, Workgroup), RunProgramError> {
    let file = file.to_owned();
    let mut dump = match read(bytes, setup.launch.limits) {
        Ok(dump) => dump,
        Err(source) => return Err(RunProgramError::Dump { file, source: Box::new(source) }),
    };
    let count = dump.workgroups.len();
    let unit = std::mem::take(&mut dump.workgroups).into_iter().nth(found);
    match unit {
        Some(unit) => Ok((dump, unit)),
        None => Err(RunProgramError::Workgroup { file, found, count }),
    }
}
