//! A whole run: limits, who looks on, and how it ended.

use crate::core::Stop;
use crate::hart::{Event, Hart};
use crate::trap::Trap;
use std::collections::VecDeque;

/// When to stop a program that does not stop by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most instructions that may retire; traps count too, so that a hart that only traps ends,
    /// and so do the steps of work inside instructions ([`crate::Core::spend`]).
    pub instructions: u64,
    /// Stop before the instruction at this address.
    pub until_pc: Option<u64>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The program said so, with this code.
    Exited(u64),
    /// The limit of instructions was reached.
    Limit,
    /// pc reached the address to stop at.
    UntilPc,
    /// A trap found no handler (`mtvec` is 0); the address is that of the instruction.
    Unhandled(Trap, u64),
    /// A deadlock, with what the program waits for.
    Deadlock(String),
    /// The observer did not want to go on.
    Aborted,
}

/// Looks on as a hart runs.
pub trait Observer {
    /// Whether it wants to hear of every instruction; if not, only of traps and output.
    fn wants_instructions(&self) -> bool;

    /// The instruction at `pc` has retired; `false` ends the run.
    fn retired(&mut self, hart: &Hart, pc: u64) -> bool;

    /// A trap was taken at `epc`; `false` ends the run.
    fn trapped(&mut self, hart: &Hart, trap: &Trap, epc: u64) -> bool;

    /// The program reads its console: what there is to read, nothing at the end.
    fn input(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// The program has printed something, or a while has passed without that; `false` ends the run.
    fn printed(&mut self, bytes: &[u8], warnings: Vec<String>) -> bool;
}

/// The last instructions of a run, for a report of why it did not end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recent {
    /// Addresses, oldest first.
    pub pcs: VecDeque<u64>,
}

/// How many instructions a report shows.
const SHOWN: usize = 10;

/// Instructions between two looks at output and interruption.
const SLICE: u64 = 1 << 20;

impl Hart {
    /// Runs until something ends it.
    pub fn run_program(&mut self, limits: Limits, observer: &mut dyn Observer) -> (Ended, Recent) {
        let mut budget = limits.instructions;
        let mut recent = Recent::default();
        let every_step = observer.wants_instructions() || limits.until_pc.is_some();
        let ended = loop {
            // The last instructions are stepped singly, so that a report can show them.
            let is_tail = budget <= SHOWN as u64;
            let most = if every_step || is_tail { 1 } else { SLICE.min(budget - SHOWN as u64) };
            if budget == 0 {
                break Ended::Limit;
            }
            if limits.until_pc == Some(self.core.pc) {
                break Ended::UntilPc;
            }
            let (pc, before) = (self.core.pc, self.core.retired());
            if most == 1 {
                recent.pcs.push_back(pc);
                if recent.pcs.len() > SHOWN {
                    recent.pcs.pop_front();
                }
            }
            self.core.allow(budget);
            let event = self.run(most);
            budget -= self.core.retired() - before;
            budget = budget.saturating_sub(self.core.allow(u64::MAX));
            if event == Event::Host && !self.serve_console(observer) {
                break Ended::Aborted;
            }
            let goes_on = match event {
                Event::Retired | Event::Host => {
                    !observer.wants_instructions() || observer.retired(self, pc)
                }
                Event::Exited(code) => {
                    if observer.wants_instructions() {
                        observer.retired(self, pc);
                    }
                    break Ended::Exited(code);
                }
                Event::Stopped(Stop::Deadlock(what)) => break Ended::Deadlock(what),
                Event::Stopped(Stop::Limit) => break Ended::Limit,
                Event::Trapped(trap) => {
                    budget = budget.saturating_sub(1);
                    observer.trapped(self, &trap, self.core.machine.mepc)
                }
                Event::Unhandled(trap) => {
                    let epc = self.core.machine.mepc;
                    observer.trapped(self, &trap, epc);
                    break Ended::Unhandled(trap, epc);
                }
            };
            let is_idle = most == 1 && self.host.output.is_empty();
            if !goes_on || !is_idle && !self.show_output(observer) {
                break Ended::Aborted;
            }
        };
        let ended = self.finish_within(budget, ended);
        self.show_output(observer);
        (ended, recent)
    }

    /// Lets extensions finish; work that passes the limit is not done, and that is how the run
    /// ended.
    pub(crate) fn finish_within(&mut self, budget: u64, ended: Ended) -> Ended {
        self.core.allow(budget);
        self.finish();
        let is_too_much = self.core.stop.take() == Some(Stop::Limit);
        if is_too_much { Ended::Limit } else { ended }
    }

    /// Adds to what the program can read from its console.
    pub fn offer_input(&mut self, bytes: &[u8]) {
        self.host.offer(bytes, &mut self.core.memory);
    }

    /// What the program has printed since the last call.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.host.output)
    }

    /// Whether the program can talk to its host at all.
    #[must_use]
    pub fn has_host_interface(&self) -> bool {
        self.host.to_host.is_some()
    }

    /// What [`Event::Host`] asks for. What was printed comes first: it may be a question.
    pub(crate) fn serve_console(&mut self, observer: &mut dyn Observer) -> bool {
        let goes_on = self.show_output(observer);
        if goes_on && self.host.is_reading() {
            let input = observer.input();
            self.offer_input(&input);
        }
        goes_on
    }

    fn show_output(&mut self, observer: &mut dyn Observer) -> bool {
        let (bytes, warnings) = (self.take_output(), self.core.take_warnings());
        observer.printed(&bytes, warnings)
    }
}
