//! The command, run as users run it.

mod console;
#[cfg(unix)]
mod files;
mod json;
mod support;
mod threads;
