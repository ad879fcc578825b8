//! Programs of ISBE instructions, run from text on the memory of one unit.
//!
//! A program is a list of instructions without branches. Registers and predicates begin with what
//! the caller says, as nothing here computes addresses. The answer is the memory that is left, the
//! registers that were written, and what is odd or dangerous about the program: with SPH bit 25 a
//! load behind a store may read what was stored (section 1.1).
//!
//! ```
//! use isbe::instruction::parse::parse_program;
//! use isbe::program::{Launch, run};
//! use isbe::{Limits, Stage, UnitState, Workgroup};
//!
//! let position = isbe::AttributeId::parse_all("POSITION_X").unwrap().into_iter().collect();
//! let state = UnitState::warp(86, Stage::Vertex, (position, 32), (position, 32));
//! let program = parse_program("ALD R1, a[0x70], R0; AST a[0x70], R2, R0; ALD R3, a[0x70], R0;");
//! let launch = Launch {
//!     lanes: 32,
//!     registers: vec!["R0=lane".parse().unwrap(), "R2=0.5*lane+1".parse().unwrap()],
//!     ..Launch::default()
//! };
//! let ran = run(&state, &Workgroup::default(), &program.unwrap(), &launch).unwrap();
//! assert_eq!(ran.workgroup.output.attr[8..12], 2.0f32.to_le_bytes());
//! assert_eq!((ran.hazards[0].store, ran.hazards[0].load), (1, 2));
//! ```

use crate::hazard::{Effect, FlowGraph, hazards};
use crate::instruction::lint::read_but_never_written;
use crate::instruction::parse::SourceLine;
use crate::instruction::{Operation, Register};
use crate::limits::{LANES, Limits};
use crate::warp::{LaneFault, LaneMask, Lanes, Warp, lanes};
use crate::{AttributeSet, StateError, UnitState, Warning, Workgroup};
use std::str::FromStr;

/// How a program is started.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Launch {
    /// How many lanes take part, 1 to 32.
    pub lanes: usize,
    /// What registers and predicates begin with; the others are 0 and false.
    pub registers: Vec<Assignment>,
    /// Which limits hold.
    pub limits: Limits,
}

/// What a register or predicate begins with, as in `R2=4*lane+0x10`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Assignment {
    /// A register.
    Register(Register, Linear),
    /// Predicate 0 to 6, and the lanes in which it is true.
    Predicate(u8, LaneMask),
}

/// `factor * lane + constant`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Linear {
    /// In whole numbers, modulo 2^32.
    Integer {
        /// What the number of the lane is multiplied by.
        factor: u32,
        /// What is added.
        constant: u32,
    },
    /// In binary32 numbers.
    Float {
        /// What the number of the lane is multiplied by.
        factor: f32,
        /// What is added.
        constant: f32,
    },
}

/// Text that assigns nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "found {0:?}, expected a register as in R2=5, R2=4*lane+0x10 or R3=0.5*lane+1.0, or a \
     predicate with the mask of its lanes as in P0=0xff"
)]
pub struct BadAssignment(pub String);

/// What a program left.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramRun {
    /// The memory.
    pub workgroup: Workgroup,
    /// The registers that instructions wrote, ascending.
    pub registers: Vec<(Register, Lanes)>,
    /// Oddities that were met.
    pub warnings: Vec<Warning>,
    /// Loads behind stores, whether the spaces share storage or not.
    pub hazards: Vec<ProgramHazard>,
    /// Outputs that are loaded but never stored (section 5.4).
    pub unwritten: AttributeSet,
}

/// A load that may read what was stored, if the spaces share storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramHazard {
    /// Which instruction loads.
    pub load: usize,
    /// The first store before it.
    pub store: usize,
}

/// Why a program did not run to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// The state has no memory.
    #[error(transparent)]
    State(#[from] StateError),
    /// More lanes than a warp has, or none.
    #[error("found {0} lanes, expected 1 to {LANES}")]
    Lanes(usize),
    /// A lane met a fault.
    #[error("line {line}: {fault}")]
    Fault {
        /// The line of the instruction.
        line: usize,
        /// The fault and its lane.
        fault: LaneFault,
    },
}

/// Runs a program on the memory of a unit, as it was dumped or, where it was not, as before the
/// first instruction.
///
/// # Errors
/// When the state has no memory, or a lane meets a fault.
pub fn run(
    state: &UnitState,
    unit: &Workgroup,
    program: &[SourceLine],
    launch: &Launch,
) -> Result<ProgramRun, ProgramError> {
    if !(1..=LANES).contains(&launch.lanes) {
        return Err(ProgramError::Lanes(launch.lanes));
    }
    let memory = state.memory_of(launch.limits, unit)?;
    let output = state.layout(launch.limits).map_err(StateError::from)?;
    let input = state.input_layout(launch.limits).map_err(StateError::from)?;
    let mut warp = Warp::new(state.sm, memory, input, output);
    warp.active = LaneMask::first(launch.lanes);
    for assignment in &launch.registers {
        match *assignment {
            Assignment::Register(register, value) => warp.set_register(register, value.lanes()),
            Assignment::Predicate(number, mask) => warp.set_predicate(number, mask),
        }
    }
    for SourceLine { line, instruction } in program {
        let fault = |fault| ProgramError::Fault { line: *line, fault };
        warp.execute(instruction).map_err(fault)?;
    }
    let instructions: Vec<_> = program.iter().map(|line| line.instruction).collect();
    let operations = || instructions.iter().map(|instruction| &instruction.operation);
    let mut written: Vec<u8> = operations().flat_map(written_registers).collect();
    written.sort_unstable();
    written.dedup();
    let registers = written.into_iter().map(Register);
    let [input, output] = warp.memory.clone().into_spaces();
    Ok(ProgramRun {
        workgroup: Workgroup { index: unit.index, task: unit.task, input, output },
        registers: registers.map(|register| (register, warp.register(register))).collect(),
        warnings: warp.warnings().copied().collect(),
        hazards: hazards_of(&operations().map(Effect::of).collect::<Vec<_>>()),
        unwritten: read_but_never_written(&instructions),
    })
}

/// A program without branches is one block.
fn hazards_of(effects: &[Effect]) -> Vec<ProgramHazard> {
    let graph = FlowGraph { blocks: vec![effects.to_vec()], edges: Vec::new() };
    let store = effects.iter().position(|effect| *effect == Effect::Store).unwrap_or_default();
    let found = hazards(&graph).unwrap_or_default();
    found.into_iter().map(|hazard| ProgramHazard { load: hazard.instruction, store }).collect()
}

/// The numbers of the registers that an operation writes, without RZ.
fn written_registers(operation: &Operation) -> impl Iterator<Item = u8> + use<> {
    let (first, count) = match operation {
        Operation::Isberd(load) => (load.destination.0, 1),
        Operation::Ald(load) => (load.destination.0, load.components as u8),
        Operation::Al2p(address) => (address.destination.0, 1),
        Operation::Vild(load) => (load.destination.0, 1),
        Operation::Isbewr(_) | Operation::Ast(_) => (0, 0),
    };
    (0..count).map(move |next| first.saturating_add(next)).filter(|number| *number < 255)
}

impl Linear {
    /// The value in each lane.
    #[must_use]
    pub fn lanes(self) -> Lanes {
        match self {
            Self::Integer { factor, constant } => {
                lanes(|lane| lane.wrapping_mul(factor).wrapping_add(constant))
            }
            Self::Float { factor, constant } => {
                lanes(|lane| (lane as f32 * factor + constant).to_bits())
            }
        }
    }
}

impl FromStr for Assignment {
    type Err = BadAssignment;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || BadAssignment(text.to_owned());
        let (name, value) = text.split_once('=').ok_or_else(wrong)?;
        let number = |prefix: char, limit: u8| {
            let digits = name.trim().strip_prefix(prefix)?;
            let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
            digits.parse::<u8>().ok().filter(|number| plain && *number < limit)
        };
        if let Some(register) = number('R', 255) {
            return Ok(Self::Register(Register(register), value.parse().map_err(|()| wrong())?));
        }
        let predicate = number('P', 7).ok_or_else(wrong)?;
        Ok(Self::Predicate(predicate, LaneMask(integer(value.trim()).ok_or_else(wrong)?)))
    }
}

impl FromStr for Linear {
    type Err = ();

    /// A sum of terms, each a number, `lane` or a number times `lane`; with a decimal point
    /// anywhere, in binary32.
    fn from_str(text: &str) -> Result<Self, ()> {
        let terms = text.split('+').map(|term| {
            let term = term.trim();
            match (term == "lane", term.strip_suffix("lane").map(str::trim)) {
                (true, _) => Some((true, "1")),
                (false, Some(product)) => Some((true, product.strip_suffix('*')?.trim())),
                (false, None) => Some((false, term)),
            }
        });
        let terms = terms.collect::<Option<Vec<(bool, &str)>>>().ok_or(())?;
        if text.contains('.') {
            let (mut factor, mut constant) = (0.0, 0.0);
            for (of_lane, term) in terms {
                let value: f32 = term.parse().map_err(|_| ())?;
                *if of_lane { &mut factor } else { &mut constant } += value;
            }
            return Ok(Self::Float { factor, constant });
        }
        let (mut factor, mut constant) = (0u32, 0u32);
        for (of_lane, term) in terms {
            let sum = if of_lane { &mut factor } else { &mut constant };
            *sum = sum.wrapping_add(integer(term).ok_or(())?);
        }
        Ok(Self::Integer { factor, constant })
    }
}

/// A number of 32 bits, decimal or hex with `0x`.
fn integer(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_linear_in_the_lane() {
        let register = |text: &str| match text.parse() {
            Ok(Assignment::Register(register, value)) => (register.0, value.lanes()[3]),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(register("R2=5"), (2, 5));
        assert_eq!(register("R2=lane"), (2, 3));
        assert_eq!(register(" R254 = 4*lane + 0x10 + 1"), (254, 29));
        assert_eq!(register("R0=0.5*lane+1"), (0, 2.5f32.to_bits()));
        assert_eq!(register("R0=1.0*lane+-2"), (0, 1f32.to_bits()));
        let predicate = Assignment::Predicate(6, LaneMask(0xff));
        assert_eq!("P6=0xff".parse(), Ok(predicate));
        for wrong in
            ["", "R2", "R255=1", "RZ=0", "R+2=1", "P7=1", "P0=lane", "R1=4lane", "R1=x", "R1=1++2"]
        {
            let error = wrong.parse::<Assignment>().unwrap_err();
            assert_eq!(error, BadAssignment(wrong.to_owned()));
        }
    }
}
