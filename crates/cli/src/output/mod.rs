//! Everything that leaves the command.
//!
//! Results go to standard output, as text or as one JSON object. Notes and progress go to standard
//! error, and only where a person reads along.

pub(crate) mod atomic_file;
pub(crate) mod finding;
pub(crate) mod new_folder;
pub(crate) mod number;
pub(crate) mod progress;
mod resume_log;
pub(crate) mod table;

pub(crate) use atomic_file::{AtomicFile, is_stdout};
pub(crate) use new_folder::NewFolder;
pub(crate) use progress::Bar;
pub(crate) use resume_log::ResumeLog;
pub(crate) use table::Table;

use crate::failure::Failure;
use serde::Serialize;
use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

/// Where a command's results, notes and progress go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    json: bool,
    show_progress: bool,
}

impl Output {
    /// As the global options ask.
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        Self { json, show_progress: !quiet && std::io::stderr().is_terminal() }
    }

    /// Prints the result: `value` as JSON if that was asked for, else `text`.
    pub(crate) fn result(&self, value: &impl Serialize, text: &str) -> Result<(), Failure> {
        if self.json {
            let json = serde_json::to_string_pretty(value)
                .map_err(|error| Failure::input(format!("cannot write JSON: {error}")))?;
            print(&format!("{json}\n"))
        } else {
            print(text)
        }
    }

    /// The same for a command that wrote `file`: where that was standard output, the text goes to
    /// standard error.
    pub(crate) fn written(
        &self,
        file: &Path,
        value: &impl Serialize,
        text: &str,
    ) -> Result<(), Failure> {
        if !is_stdout(file) {
            return self.result(value, text);
        }
        // Nobody is left to be told if standard error is closed.
        let _ = std::io::stderr().write_all(text.as_bytes());
        Ok(())
    }

    /// Refuses to print JSON to where `file` is written.
    pub(crate) fn refuse_mixture(&self, file: &Path) -> Result<(), Failure> {
        if self.json && is_stdout(file) {
            return Err(Failure::usage("-o - and --json both write to standard output"));
        }
        Ok(())
    }

    /// Tells something in passing, to a person who reads along.
    pub(crate) fn note(&self, text: &str) {
        if self.show_progress {
            let _ = writeln!(std::io::stderr(), "{text}");
        }
    }

    /// Whether the result must be one JSON object.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// A progress bar called `label`, if anybody would see it.
    pub(crate) fn bar(&self, label: &'static str) -> Bar {
        Bar::new(label, self.show_progress)
    }
}

/// Tells of something that is no reason to stop, on standard error.
pub(crate) fn warn(warning: impl Display) {
    // Nothing is left to tell if standard error is closed.
    let _ = writeln!(std::io::stderr(), "warning: {warning}");
}

/// Writes text to standard output.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// Writes to standard output. A reader that has gone away has seen enough: that is no failure.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::input(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}
