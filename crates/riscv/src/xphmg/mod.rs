//! XPHMG_RT as an extension of the hart: [`xphmg::Unit`] does the work, this lends it registers and
//! memory.
//!
//! | file | concept |
//! |---|---|
//! | `patterns` | instruction words by mnemonic |
//! | `port` | the core as the unit sees it |
//! | `trace` | what an instruction did, as JSON |
//! | `monitor` | what `monitor rt` prints |

mod monitor;
mod patterns;
mod port;
mod trace;

use crate::core::{Core, Stop};
use crate::extension::{CustomCsr, CustomInstruction, Extension};
use crate::instruction::Instruction;
use crate::trap::{Cause, Trap};
use ::xphmg::encoding::{ParseError, assemble, disassemble};
use ::xphmg::unit::Flow;
use ::xphmg::{Executed, Readings, Unit};
use patterns::PATTERNS;
use port::CorePort;
use std::any::Any;

/// The extension `xphmg`.
#[derive(Debug, Clone)]
pub struct Xphmg {
    unit: Unit,
    lint: bool,
    /// Whether the lint has complained of a precision that nobody set.
    has_warned: bool,
    /// What the last instruction did, for the trace.
    last: Executed,
    /// The lane of the last trap.
    faulting_lane: Option<u8>,
}

/// CSRs whose changes go to the commit log.
const LOGGED: [&str; 11] = [
    "prec.stat",
    "prec.exc.st",
    "xmem.events",
    "svstate",
    "svsrca",
    "svsrcb",
    "svdst",
    "svpmask0",
    "svpmask1",
    "svfaulti",
    "rtpred",
];

impl Xphmg {
    /// The extension with these readings; with `lint` it warns of operands outside local memory
    /// where RTCFG.LMEM_ONLY is set, of tests in a precision that nobody has put in force, and of
    /// jobs that were refused or stopped.
    #[must_use]
    pub fn new(readings: Readings, lint: bool) -> Self {
        Self {
            unit: Unit::new(readings),
            lint,
            has_warned: false,
            last: Executed::next(),
            faulting_lane: None,
        }
    }

    /// What the last instruction did.
    #[must_use]
    pub fn executed(&self) -> &Executed {
        &self.last
    }

    /// The unit.
    #[must_use]
    pub fn unit(&self) -> &Unit {
        &self.unit
    }

    fn convert(&mut self, trap: ::xphmg::Trap) -> Trap {
        self.faulting_lane = trap.lane;
        let cause = match trap.cause {
            ::xphmg::Trap::ILLEGAL => Cause::IllegalInstruction,
            ::xphmg::Trap::MISALIGNED => Cause::LoadMisaligned,
            ::xphmg::Trap::LOAD_ACCESS => Cause::LoadAccess,
            ::xphmg::Trap::STORE_MISALIGNED => Cause::StoreMisaligned,
            ::xphmg::Trap::STORE_ACCESS => Cause::StoreAccess,
            code => Cause::Custom(code as u8),
        };
        Trap::new(cause, trap.value)
    }

    fn warn(&mut self, core: &mut Core) {
        let pc = core.pc;
        if let Some(remark) = self.last.remark() {
            core.warn(format!("{pc:#x}: {remark}"));
        }
        let Some(record) = &self.last.rt else { return };
        if !self.unit.has_precision() && !self.has_warned {
            self.has_warned = true;
            let (operation, format) = (record.operation, record.policy.format);
            core.warn(format!(
                "{pc:#x}: rt.{operation} reads {format} elements: no write of prec.mode or \
                 prec.alt with APPLY has put a precision in force since reset"
            ));
        }
        for address in self.unit.outside_local_memory(record) {
            core.warn(format!("{pc:#x}: rtcfg.lmem_only is set, but {address:#x} is not in LDS"));
        }
    }
}

impl Extension for Xphmg {
    fn name(&self) -> &str {
        "xphmg"
    }

    fn version(&self) -> &str {
        ::xphmg::VERSION
    }

    fn instructions(&self) -> Vec<CustomInstruction> {
        PATTERNS.to_vec()
    }

    fn csrs(&self) -> Vec<CustomCsr> {
        let csr = |(number, name)| CustomCsr { number, name, logged: LOGGED.contains(&name) };
        self.unit.csr_names().into_iter().map(csr).collect()
    }

    fn reset(&mut self) {
        self.unit.reset();
        self.has_warned = false;
        self.last = Executed::next();
        self.faulting_lane = None;
    }

    fn execute(&mut self, _index: usize, word: u32, core: &mut Core) -> Result<(), Trap> {
        self.faulting_lane = None;
        let (pc, lds) = (core.pc, core.memory.lds_size());
        self.unit.size_lds(lds);
        let mut port = CorePort::new(core, word);
        self.last = self.unit.execute(word, &mut port).map_err(|trap| self.convert(trap))?;
        match self.last.flow {
            Flow::Next => {}
            Flow::Jump { offset } => core.next_pc = pc.wrapping_add(offset as u64),
            Flow::Deadlock(deadlock) => core.stop(Stop::Deadlock(deadlock.to_string())),
        }
        if self.lint {
            self.warn(core);
        }
        Ok(())
    }

    fn disassemble(&self, _index: usize, word: u32, _pc: u64) -> String {
        match disassemble(word) {
            Some(text) => text.split_once(' ').map_or(String::new(), |(_, rest)| rest.to_owned()),
            None => format!("{word:#010x} (reserved)"),
        }
    }

    fn assemble(&self, line: &str) -> Option<Result<u32, String>> {
        match assemble(line) {
            Err(ParseError::Mnemonic { .. }) => None,
            found => Some(found.map_err(|error| error.to_string())),
        }
    }

    fn read_csr(&self, number: u16, _core: &Core) -> u64 {
        self.unit.csr_read(number).unwrap_or(0)
    }

    fn write_csr(&mut self, number: u16, value: u64, _core: &mut Core) {
        self.unit.csr_write(number, value);
    }

    fn on_trap_entry(&mut self, trap: &Trap, _core: &mut Core) {
        self.unit.trap_entered(trap.cause.is_interrupt());
    }

    fn on_trap_return(&mut self, _core: &mut Core) {
        self.unit.trap_returned();
    }

    fn is_watching(&self) -> bool {
        self.unit.watches()
    }

    fn before_instruction(&mut self, instruction: &Instruction, _core: &Core) -> Result<(), Trap> {
        self.faulting_lane = None;
        self.unit.before_instruction(instruction.word).map_err(|trap| self.convert(trap))
    }

    fn after_instruction(&mut self, _instruction: &Instruction, _core: &mut Core) {
        self.unit.instruction_retired();
    }

    fn on_exit(&mut self, core: &mut Core) {
        // Their stores belong to no instruction.
        self.unit.finish(&mut CorePort::unrecorded(core));
    }

    fn state(&self) -> Vec<(String, u64)> {
        let (ticket, armed) = self.unit.submissions();
        vec![("rt.last_ticket".to_owned(), ticket), ("rt.events_armed".to_owned(), armed)]
    }

    fn remarks(&self) -> Vec<String> {
        self.last.report()
    }

    fn report(&self) -> Vec<Vec<(&'static str, u64)>> {
        self.unit.memory_totals().iter().map(trace::total).collect()
    }

    fn trace(&self) -> Vec<(&'static str, serde_json::Value)> {
        trace::members(&self.last)
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn faulting_lane(&self, _trap: &Trap) -> Option<u64> {
        self.faulting_lane.map(u64::from)
    }

    fn monitor(&self, command: &str, _core: &Core) -> Option<String> {
        (command.trim() == "rt").then(|| monitor::report(&self.unit))
    }
}
