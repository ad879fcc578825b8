//! What can go wrong, and its exit code.

use crate::output;
use clap::error::ErrorKind;
use siliray::input::format_of;
use siliray::scene::builtin::Builtin;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

/// Exit code of a command that could not do or did not pass what was asked.
const INPUT: u8 = 1;

/// Exit code of wrong usage.
const USAGE: u8 = 2;

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
    code: u8,
}

impl Failure {
    /// The input is bad, a file cannot be read or written, or a check failed.
    pub(crate) fn input(message: impl ToString) -> Self {
        Self { message: message.to_string(), hint: None, code: INPUT }
    }

    /// The options make no sense.
    pub(crate) fn usage(message: impl ToString) -> Self {
        Self { message: message.to_string(), hint: None, code: USAGE }
    }

    /// The result has told everything: only the exit code is left.
    pub(crate) fn exit_only() -> Self {
        Self { message: String::new(), hint: None, code: INPUT }
    }

    /// The same with another exit code.
    pub(crate) fn code(self, code: u8) -> Self {
        Self { code, ..self }
    }

    /// The same with advice.
    pub(crate) fn hint(self, hint: impl ToString) -> Self {
        Self { hint: Some(hint.to_string()), ..self }
    }

    /// The same with advice, where there is none yet.
    pub(crate) fn or_hint(self, hint: impl FnOnce() -> String) -> Self {
        Self { hint: self.hint.or_else(|| Some(hint())), ..self }
    }

    /// What went wrong.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// What the command exits with.
    pub(crate) fn exit_code(&self) -> u8 {
        self.code
    }

    /// Tells the user, on standard error.
    pub(crate) fn report(&self) -> ExitCode {
        if self.message.is_empty() {
            return ExitCode::from(self.code);
        }
        let mut text = format!("error: {}\n", self.message);
        if let Some(hint) = &self.hint {
            text += &format!("  hint: {hint}\n");
        }
        // Nothing is left to tell if standard error is closed.
        let _ = std::io::stderr().write_all(text.as_bytes());
        ExitCode::from(self.code)
    }
}

/// Prints what the parser has to say: help, the version, or what is wrong. A scene where a command
/// belongs is explained.
pub(crate) fn explain_usage(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument)
        && let Some(first) = std::env::args_os().skip(1).find(|arg| !is_option(arg))
        && is_scene(Path::new(&first))
    {
        let scene = first.to_string_lossy();
        return Failure::usage(format!("{scene:?} is a scene, not a command"))
            .hint(format!("try `siliray info {scene}` or `siliray render {scene} -o picture.png`"))
            .report();
    }
    if error.use_stderr() || std::io::stdout().is_terminal() {
        // Nothing is left to tell if standard error is closed.
        let _ = error.print();
    } else if let Err(failure) = output::print(&error.render().to_string()) {
        return failure.report();
    }
    ExitCode::from(error.exit_code() as u8)
}

fn is_option(arg: &std::ffi::OsStr) -> bool {
    arg.as_encoded_bytes().starts_with(b"-")
}

fn is_scene(path: &Path) -> bool {
    let named = |name| Builtin::from_name(name).is_some() || siliray::scene::is_scene(name, &[]);
    path.is_file() || path.to_str().is_some_and(named) || format_of(path, &[]).is_some()
}
