//! What looks on while a program runs: the log, the trace, the console.

use crate::failure::Failure;
use crate::output::{AtomicFile, print_bytes};
use siliray::riscv::{Hart, Observer, Profile, Trap, jsonl, log};
use std::io::{Read, Write};

/// Writes what the options asked for. A failure ends the run and is kept.
pub(crate) struct Files {
    pub(crate) log: Option<AtomicFile>,
    pub(crate) log_traps: bool,
    pub(crate) trace: Option<AtomicFile>,
    pub(crate) profile: Option<Profile>,
    /// Keep what the program prints instead of printing it.
    pub(crate) keeps_output: bool,
    pub(crate) output: Vec<u8>,
    pub(crate) warnings: Vec<String>,
    pub(crate) failure: Option<Failure>,
}

impl Files {
    fn append(&mut self, log: Option<String>, trace: Option<String>) -> bool {
        let lines = [(&mut self.log, log), (&mut self.trace, trace)];
        for (file, line) in lines {
            if let (Some(file), Some(line)) = (file, line)
                && let Err(failure) = file.append(line.as_bytes())
            {
                self.failure = Some(failure);
                return false;
            }
        }
        true
    }

    /// Puts the files in their places.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        for file in [self.log.take(), self.trace.take()].into_iter().flatten() {
            file.finish()?;
        }
        Ok(())
    }
}

impl Observer for Files {
    fn wants_instructions(&self) -> bool {
        self.log.is_some() || self.trace.is_some() || self.profile.is_some()
    }

    fn retired(&mut self, hart: &Hart, pc: u64) -> bool {
        if let Some(profile) = &mut self.profile {
            profile.count(pc);
        }
        let log = self.log.is_some().then(|| log::commit_line(hart) + "\n");
        let trace = self.trace.is_some().then(|| jsonl::retired(hart) + "\n");
        self.append(log, trace)
    }

    fn trapped(&mut self, hart: &Hart, trap: &Trap, epc: u64) -> bool {
        let wants_log = self.log.is_some() && self.log_traps;
        let log = wants_log.then(|| log::trap_lines(trap, epc));
        let trace = self.trace.is_some().then(|| jsonl::trapped(hart, trap, epc) + "\n");
        self.append(log, trace)
    }

    fn input(&mut self) -> Vec<u8> {
        let mut bytes = vec![0; 4096];
        // An input that cannot be read has ended.
        let size = std::io::stdin().lock().read(&mut bytes).unwrap_or(0);
        bytes.truncate(size);
        bytes
    }

    fn printed(&mut self, bytes: &[u8], warnings: Vec<String>) -> bool {
        for warning in warnings {
            if self.keeps_output {
                self.warnings.push(warning);
            } else {
                // Nobody is left to warn if standard error is closed.
                let _ = writeln!(std::io::stderr(), "warning: {warning}");
            }
        }
        if self.keeps_output {
            self.output.extend_from_slice(bytes);
            return true;
        }
        if bytes.is_empty() {
            return true;
        }
        if let Err(failure) = print_bytes(bytes) {
            self.failure = Some(failure);
            return false;
        }
        true
    }
}
