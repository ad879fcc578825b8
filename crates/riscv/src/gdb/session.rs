//! A hart under a debugger's control.

use crate::commit::MemoryAccess;
use crate::core::Stop;
use crate::hart::{Event, Hart};
use crate::instruction::Op;
use crate::run::{Ended, Limits, Observer};
use crate::trap::{Cause, Trap};
use gdbstub::common::Signal;
use gdbstub::target::ext::breakpoints::WatchKind;
use std::collections::BTreeSet;

/// Instructions between two looks at the connection.
const SLICE: u32 = 1 << 14;

/// A hart, what should stop it, and who looks on.
pub(super) struct Session<'a> {
    pub(super) hart: &'a mut Hart,
    observer: &'a mut dyn Observer,
    budget: u64,
    until_pc: Option<u64>,
    /// The next slice is one instruction.
    pub(super) single_step: bool,
    pub(super) breakpoints: BTreeSet<u64>,
    pub(super) watchpoints: Vec<Watchpoint>,
    /// Whether the observer hears of instructions: `monitor log on|off`.
    pub(super) is_logging: bool,
    /// The watchpoint at this instruction has been reported: it may run now.
    reported_at: Option<u64>,
    /// Where the last trap without a handler happened: meeting it again ends the program.
    faulted: Option<u64>,
    ended: Option<Ended>,
}

/// Memory that must not be touched unseen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Watchpoint {
    pub(super) address: u64,
    pub(super) size: u64,
    pub(super) kind: WatchKind,
}

/// Why the hart stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopped {
    Step,
    Breakpoint,
    Watch(WatchKind, u64),
    Signal(Signal),
    Exited(u8),
}

impl<'a> Session<'a> {
    pub(super) fn new(hart: &'a mut Hart, limits: Limits, observer: &'a mut dyn Observer) -> Self {
        let is_logging = observer.wants_instructions();
        Self {
            hart,
            observer,
            budget: limits.instructions,
            until_pc: limits.until_pc,
            single_step: false,
            breakpoints: BTreeSet::new(),
            watchpoints: Vec::new(),
            is_logging,
            reported_at: None,
            faulted: None,
            ended: None,
        }
    }

    /// Whether there is a log that could be switched.
    pub(super) fn has_log(&self) -> bool {
        self.observer.wants_instructions()
    }

    /// Runs a slice; none if nothing stopped the hart.
    pub(super) fn resume_for_a_while(&mut self) -> Option<Stopped> {
        self.hart.set_recording(self.is_logging || !self.watchpoints.is_empty());
        for _ in 0..SLICE {
            if let Some(stopped) = self.step() {
                return Some(stopped);
            }
            if self.single_step {
                return Some(Stopped::Step);
            }
            if self.breakpoints.contains(&self.hart.core.pc) {
                return Some(Stopped::Breakpoint);
            }
        }
        let (bytes, warnings) = (self.hart.take_output(), self.hart.core.take_warnings());
        if self.observer.printed(&bytes, warnings) {
            return None;
        }
        Some(self.end(Ended::Aborted))
    }

    /// Runs to the end without a debugger.
    pub(super) fn run_on(mut self) -> Ended {
        self.breakpoints.clear();
        self.watchpoints.clear();
        self.single_step = false;
        self.is_logging = self.has_log();
        loop {
            if self.resume_for_a_while().is_some()
                && let Some(ended) = self.take_ended()
            {
                return ended;
            }
        }
    }

    /// How the program ended, if it has.
    pub(super) fn take_ended(&mut self) -> Option<Ended> {
        let ended = self.hart.finish_within(self.budget, self.ended.take()?);
        let (bytes, warnings) = (self.hart.take_output(), self.hart.core.take_warnings());
        self.observer.printed(&bytes, warnings);
        Some(ended)
    }

    fn step(&mut self) -> Option<Stopped> {
        if self.budget == 0 {
            return Some(self.end(Ended::Limit));
        }
        self.budget -= 1;
        if self.until_pc == Some(self.hart.core.pc) {
            return Some(self.end(Ended::UntilPc));
        }
        if !self.watchpoints.is_empty() && self.reported_at.take() != Some(self.hart.core.pc) {
            let stopped = self.about_to_touch();
            if stopped.is_some() {
                self.budget += 1;
                self.reported_at = Some(self.hart.core.pc);
                return stopped;
            }
        }
        self.hart.core.allow(self.budget);
        let pc = self.hart.core.pc;
        let event = self.hart.step();
        self.budget = self.budget.saturating_sub(self.hart.core.allow(u64::MAX));
        if event == Event::Host && !self.hart.serve_console(self.observer) {
            return Some(self.end(Ended::Aborted));
        }
        match event {
            Event::Retired | Event::Host => {
                if self.is_logging && !self.observer.retired(self.hart, pc) {
                    return Some(self.end(Ended::Aborted));
                }
                self.extension_touched()
            }
            Event::Trapped(trap) => {
                let epc = self.hart.core.machine.mepc;
                let goes_on = !self.is_logging || self.observer.trapped(self.hart, &trap, epc);
                if goes_on { None } else { Some(self.end(Ended::Aborted)) }
            }
            Event::Unhandled(trap) => {
                let epc = self.hart.core.machine.mepc;
                // A debugger wants to see the culprit, not the handler that is not there.
                self.hart.core.pc = epc;
                if self.faulted.replace(epc) == Some(epc) {
                    return Some(self.end(Ended::Unhandled(trap, epc)));
                }
                Some(Stopped::Signal(signal(&trap)))
            }
            Event::Exited(code) => {
                if self.is_logging {
                    self.observer.retired(self.hart, pc);
                }
                Some(self.end(Ended::Exited(code)))
            }
            Event::Stopped(Stop::Deadlock(what)) => Some(self.end(Ended::Deadlock(what))),
            Event::Stopped(Stop::Limit) => Some(self.end(Ended::Limit)),
        }
    }

    fn end(&mut self, ended: Ended) -> Stopped {
        let code = match ended {
            Ended::Exited(code) => code as u8,
            _ => u8::MAX,
        };
        self.ended = Some(ended);
        Stopped::Exited(code)
    }

    /// The watchpoint that the next instruction will meet. gdb expects to hear of it before the
    /// instruction has run, and lets it run then.
    fn about_to_touch(&self) -> Option<Stopped> {
        let core = &self.hart.core;
        let instruction = self.hart.registry.decode(self.hart.instruction_bits(core.pc)?);
        let touched = instruction.op.data_access()?;
        let offset = if touched.has_offset { i64::from(instruction.imm) as u64 } else { 0 };
        let address = core.x(instruction.rs1).wrapping_add(offset);
        self.meet(address, touched.size, touched.loads, touched.stores)
    }

    /// The watchpoint that an instruction of an extension has met: what it touches is known only
    /// afterwards.
    fn extension_touched(&self) -> Option<Stopped> {
        let commit = self.hart.commit();
        if self.watchpoints.is_empty() || commit.instruction.op != Op::Custom {
            return None;
        }
        let meets = |access: &MemoryAccess, stores: bool| {
            self.meet(access.address, access.bytes.len() as u64, !stores, stores)
        };
        let loads = commit.loads.iter().find_map(|access| meets(access, false));
        loads.or_else(|| commit.stores.iter().find_map(|access| meets(access, true)))
    }

    fn meet(&self, address: u64, size: u64, loads: bool, stores: bool) -> Option<Stopped> {
        let met = self.watchpoints.iter().find(|watchpoint| {
            let overlaps = address < watchpoint.address.saturating_add(watchpoint.size)
                && watchpoint.address < address.saturating_add(size);
            overlaps
                && match watchpoint.kind {
                    WatchKind::Read => loads,
                    WatchKind::Write => stores,
                    WatchKind::ReadWrite => true,
                }
        })?;
        Some(Stopped::Watch(met.kind, met.address))
    }
}

fn signal(trap: &Trap) -> Signal {
    match trap.cause {
        Cause::IllegalInstruction => Signal::SIGILL,
        Cause::Breakpoint => Signal::SIGTRAP,
        Cause::LoadMisaligned | Cause::StoreMisaligned | Cause::FetchMisaligned => Signal::SIGBUS,
        Cause::LoadAccess | Cause::StoreAccess | Cause::FetchAccess => Signal::SIGSEGV,
        Cause::Custom(_) => Signal::SIGFPE,
        _ => Signal::SIGSYS,
    }
}
