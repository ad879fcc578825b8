//! The `siliray` command.
//!
//! | file | concept |
//! |---|---|
//! | `args`, `image_args`, `machine_args` | the options and their help |
//! | `beam_args`, `compare_args`, `sim_args`, `trace_args`, `walk_args` | those of one command |
//! | `finding_args` | which findings commands list |
//! | `named_values` | what options take by name |
//! | `shared_args` | options that several commands take |
//! | `program_text` | programs, from wherever they come |
//! | `values` | sizes, cameras and counts as users type them |
//! | `failure` | what can go wrong, and its exit code |
//! | `overwrite_guard` | what a command reads and writes, kept apart |
//! | `interrupt` | Ctrl-C, and files that grow too large |
//! | `commands` | one file for each command |
//! | `book` | pages of the book that are made from the code (tests) |
//! | `output` | tables, JSON, progress bars, files |

mod args;
mod beam_args;
#[cfg(test)]
mod book;
mod commands;
mod compare_args;
mod failure;
mod finding_args;
mod image_args;
mod interrupt;
mod machine_args;
mod named_values;
mod output;
mod overwrite_guard;
mod program_text;
mod shared_args;
mod sim_args;
mod trace_args;
mod values;
mod walk_args;

use args::Cli;
use clap::Parser;
use failure::Failure;
use output::Output;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::explain_usage(&error),
    };
    let output = Output::new(cli.global.json, cli.global.quiet);
    match run(cli, &output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(cli: Cli, output: &Output) -> Result<(), Failure> {
    interrupt::install()?;
    if let Some(threads) = cli.global.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        pool.map_err(|error| Failure::input(format!("cannot start {threads} threads: {error}")))?;
    }
    commands::run(cli, output)
}
