//! `siliray completions` and `siliray man`.

use crate::args::{Cli, Completions, Man};
use crate::failure::Failure;
use crate::output;
use clap::CommandFactory;

/// Prints completions for a shell.
pub(crate) fn completions(args: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "siliray", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}

/// Prints a manual page.
pub(crate) fn man(args: &Man) -> Result<(), Failure> {
    let mut command = Cli::command();
    command.build();
    let command = match &args.command {
        None => command,
        Some(name) => {
            let found = command.find_subcommand(name);
            let found =
                found.ok_or_else(|| Failure::usage(format!("no command is called {name:?}")))?;
            found.clone()
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(|error| Failure::input(format!("cannot make the manual page: {error}")))?;
    output::print(&String::from_utf8_lossy(&page))
}
