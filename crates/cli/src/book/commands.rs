//! A page for each command, from its help text.

use super::Pages;
use super::markdown::{MADE, item, item_paragraph, marked, paragraphs};
use crate::args::Cli;
use clap::{Arg, Command, CommandFactory};

pub(super) fn pages() -> Pages {
    let mut siliray = Cli::command();
    siliray.build();
    let mut overview = format!("# Commands\n\n{MADE}{}\n", text_of(&siliray));
    let mut pages = Pages::new();
    for command in shown_commands(&siliray) {
        let (name, about) = (command.get_name(), about(command));
        overview += &item(0, &format!("[`{name}`]({name}.md): {about}"));
        pages.insert(format!("{name}.md"), format!("{}{}", title(1, command), body(command, 1)));
    }
    overview += "\n## Global options\n\nEvery command takes these.\n\n";
    let globals = siliray.get_arguments().filter(|arg| arg.is_global_set());
    overview.extend(globals.map(argument));
    overview += &after_help(&siliray);
    pages.insert("README.md".to_owned(), overview);
    pages
}

fn shown_commands(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help")
}

fn about(command: &Command) -> String {
    command.get_about().map(|about| marked(&about.to_string())).unwrap_or_default()
}

fn title(level: usize, command: &Command) -> String {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let made = if level == 1 { MADE } else { "" };
    format!("{} `{name}`\n\n{made}", "#".repeat(level))
}

/// What it does.
fn text_of(command: &Command) -> String {
    let about = command.get_long_about().or_else(|| command.get_about());
    paragraphs(&about.map(ToString::to_string).unwrap_or_default())
}

/// Everything below the title.
fn body(command: &Command, level: usize) -> String {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").replace("\n       ", "\n");
    let mut body = format!("{}\n```text\n{usage}\n```\n", text_of(command));
    let own = |arg: &&Arg| {
        let is_made_by_clap = ["help", "version"].contains(&arg.get_id().as_str());
        !arg.is_global_set() && !arg.is_hide_set() && !is_made_by_clap
    };
    let mut sections: Vec<(&str, String)> = Vec::new();
    for arg in command.get_arguments().filter(own) {
        let default = if arg.is_positional() { "Arguments" } else { "Options" };
        let heading = arg.get_help_heading().unwrap_or(default);
        match sections.iter_mut().find(|(name, _)| *name == heading) {
            Some((_, list)) => *list += &argument(arg),
            None => sections.push((heading, argument(arg))),
        }
    }
    for (heading, list) in sections {
        body += &format!("\n{} {heading}\n\n{list}", "#".repeat(level + 1));
    }
    for inner in shown_commands(command) {
        body += &format!("\n{}{}", title(level + 1, inner), self::body(inner, level + 1));
    }
    body + &after_help(command)
}

/// An argument or option as an item of a list.
fn argument(arg: &Arg) -> String {
    let short = match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(_)) => format!("-{short}, "),
        _ => String::new(),
    };
    let help = arg.get_long_help().or_else(|| arg.get_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    let mut texts = help.split("\n\n").map(marked);
    let mut text = item(0, &format!("`{short}{arg}`: {}", texts.next().unwrap_or_default()));
    text.extend(texts.map(|paragraph| item_paragraph(0, &paragraph)));
    if !arg.get_action().takes_values() {
        return text;
    }
    let quoted = |values: Vec<String>| format!("`{}`", values.join("`, `"));
    let values = arg.get_possible_values();
    let values: Vec<_> = values.iter().filter(|value| !value.is_hide_set()).collect();
    if values.iter().any(|value| value.get_help().is_some()) {
        for value in values {
            let help = value.get_help().map(ToString::to_string).unwrap_or_default();
            text += &item(1, &format!("`{}`: {}", value.get_name(), marked(&help)));
        }
    } else if !values.is_empty() && !arg.is_hide_possible_values_set() {
        let names = values.iter().map(|value| value.get_name().to_owned()).collect();
        text += &item_paragraph(0, &format!("Values: {}", quoted(names)));
    }
    let defaults = arg.get_default_values();
    if !defaults.is_empty() && !arg.is_hide_default_value_set() {
        let defaults = defaults.iter().map(|value| value.to_string_lossy().into_owned()).collect();
        text += &item_paragraph(0, &format!("Default: {}", quoted(defaults)));
    }
    text
}

/// Examples and whatever else stands at the end.
fn after_help(command: &Command) -> String {
    match command.get_after_long_help().or_else(|| command.get_after_help()) {
        Some(text) => format!("\n```text\n{text}\n```\n"),
        None => String::new(),
    }
}
