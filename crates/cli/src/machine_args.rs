//! Which machine, and what it walks.

use crate::args::TreeShape;
use crate::failure::Failure;
use crate::shared_args::PresetChoice;
use crate::values;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use siliray::geometry::TriangleRule;
use siliray::input::{Input, Route, RouteError, build_options, usual_machine};
use siliray::machine::{FormatEntry, MachineEntry, MachineOptions, Settings};
use siliray::registry::registry;
use siliray::xphmg::Readings;
use std::ffi::OsStr;
use std::path::Path;

/// Who walks, and what.
#[derive(Debug, Clone, Args)]
pub(crate) struct MachineChoice {
    /// The format that is walked: an image of another one is converted, an image of this one is
    /// walked as it is stored [default: that of the file, or the one that the machine likes]
    #[arg(long, value_name = "FORMAT", value_parser = tree_formats())]
    pub(crate) format: Option<&'static FormatEntry>,

    /// The machine that walks [default: fast, or reference where fast does not read the format]
    #[arg(long, value_name = "MACHINE", value_parser = machines())]
    pub(crate) machine: Option<&'static MachineEntry>,

    /// Build a new tree over the geometry of an image, instead of walking the image as it is stored
    #[arg(long)]
    pub(crate) rebuild: bool,

    /// Entries of the traversal stack, for machines that have one: 8, 16, 32 or 64 on GFX11, 1 to
    /// 31 with the stack instruction of GFX12, else 1 to 255 [default: 16; of gfx12-hiprt 64]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = values::stack_size)]
    pub(crate) stack_size: Option<u8>,

    /// The features that the capability register of the machine hart shows, 0 to 0x3f: its program
    /// does without the others [default: 0x3f]
    #[arg(long, value_name = "VALUE", value_parser = features)]
    pub(crate) rtcap: Option<u8>,

    #[command(flatten)]
    pub(crate) preset: PresetChoice,
}

impl MachineChoice {
    /// The machine: as asked for, else the fastest that reads what is walked.
    pub(crate) fn machine(&self, input: &Input) -> &'static MachineEntry {
        self.machine.unwrap_or_else(|| usual_machine(input, self.format, self.rebuild))
    }

    /// The way from the input called `name` to the machine, by trees of a shape.
    pub(crate) fn route(
        &self,
        name: &OsStr,
        input: &Input,
        shape: TreeShape,
    ) -> Result<Route, Failure> {
        let asked = shape.asked().into_iter().chain(self.preset.asked());
        refuse_build_options(name, input, self.rebuild, asked)?;
        let machine = self.machine(input);
        if let Some(size) = self.stack_size {
            require_option("--stack-size", machine, |machine| !machine.stack_sizes.is_empty())?;
            machine.accepts_stack(size).map_err(Failure::usage)?;
        }
        if self.rtcap.is_some() {
            require_option("--rtcap", machine, |machine| machine.has_capabilities)?;
        }
        let usual = build_options(machine, self.format, self.preset.preset());
        let build = shape.of(usual, machine, self.format)?;
        let (format, rebuild) = (self.format, self.rebuild);
        Ok(Route { machine, format, settings: Settings::default(), rebuild, build })
    }

    /// What the machine is told when it is made.
    pub(crate) fn options(&self, rule: TriangleRule) -> MachineOptions {
        MachineOptions { rule, stack_size: self.stack_size, capabilities: self.rtcap }
    }
}

/// Refuses an option that a machine does not have.
fn require_option(
    option: &'static str,
    machine: &MachineEntry,
    has: fn(&MachineEntry) -> bool,
) -> Result<(), Failure> {
    if has(machine) {
        return Ok(());
    }
    let message = format!("the machine {} has no {option}", machine.name);
    let all = registry().machines().iter().filter(|machine| has(machine));
    let all: Vec<&str> = all.map(|machine| machine.name).collect();
    Err(Failure::usage(message).hint(format!("machines that do are {}", all.join(", "))))
}

/// The bits of RTCAP.
fn features(text: &str) -> Result<u8, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u8::from_str_radix(digits, 16),
        None => text.parse(),
    };
    let most = Readings::default().rtcap;
    let expected = || format!("expected a number from 0 to {most:#x}");
    parsed.ok().filter(|bits| *bits <= most).ok_or_else(expected)
}

/// Refuses options about building where nothing is built: an image is walked by its own tree.
pub(crate) fn refuse_build_options(
    name: &OsStr,
    input: &Input,
    rebuild: bool,
    asked: impl IntoIterator<Item = &'static str>,
) -> Result<(), Failure> {
    match asked.into_iter().next().filter(|_| !rebuild && input.as_scene().is_none()) {
        None => Ok(()),
        Some(option) => {
            let name = Path::new(name).display();
            let message = format!("{name}: an image has its own tree, so {option} has no effect");
            Err(Failure::usage(message).hint("add --rebuild to build a new tree over its geometry"))
        }
    }
}

/// Refuses to build a scene's tree anew: nothing else is done with a scene.
pub(crate) fn refuse_rebuild(name: &OsStr, input: &Input, rebuild: bool) -> Result<(), Failure> {
    if !rebuild || input.as_scene().is_none() {
        return Ok(());
    }
    let name = Path::new(name).display();
    Err(Failure::usage(format!("{name}: a scene, so --rebuild has no effect")))
}

/// Refuses a machine that does not read the format called `format`.
pub(crate) fn require_reads(
    machine: &'static MachineEntry,
    format: &'static str,
    scene: &OsStr,
) -> Result<(), Failure> {
    let reads = registry().format(format).is_none_or(|format| (machine.reads)(format));
    let error = RouteError::Format { machine: machine.name, format };
    if reads { Ok(()) } else { Err(no_route(scene)(error)) }
}

/// Refuses a machine that answers rays only.
pub(crate) fn require_beams(machine: &MachineEntry, scene: &OsStr) -> Result<(), Failure> {
    if machine.takes_beams {
        return Ok(());
    }
    let message =
        format!("{}: the machine {} takes no beams", Path::new(scene).display(), machine.name);
    let all = registry().machines().iter().filter(|machine| machine.takes_beams);
    let all: Vec<&str> = all.map(|machine| machine.name).collect();
    Err(Failure::usage(message).hint(format!("machines that do are {}", all.join(", "))))
}

/// The name of a triangle rule, for machines that have no arithmetic of their own.
pub(crate) fn rule_name(machine: &MachineEntry, rule: TriangleRule) -> Option<&'static str> {
    machine.oracle.is_none().then(|| rule.name())
}

/// Why there is no way to the machine: wrong usage if they do not go together.
pub(crate) fn no_route(scene: &OsStr) -> impl Fn(RouteError) -> Failure {
    move |error| {
        let message = format!("{}: {error}", Path::new(scene).display());
        match &error {
            RouteError::Format { machine, .. } => {
                let reads = registry().machine(machine).into_iter().flat_map(|machine| {
                    let formats = registry().formats().iter();
                    formats.filter(move |format| (machine.reads)(format)).map(|format| format.name)
                });
                let reads: Vec<&str> = reads.collect();
                Failure::usage(message).hint(format!("it reads {}", reads.join(", ")))
            }
            RouteError::Input(_) => Failure::input(error),
            _ => Failure::input(message),
        }
    }
}

/// The names of machines, for clap.
pub(crate) fn machines() -> impl TypedValueParser<Value = &'static MachineEntry> {
    let all = registry().machines();
    let values = all.iter().map(|machine| {
        let value = PossibleValue::new(machine.name).help(machine.summary);
        value.aliases(registry().aliases(machine))
    });
    PossibleValuesParser::new(values)
        .map(|name| registry().machine(&name).unwrap_or(registry().machines()[0]))
}

/// The names of formats that hold trees, for clap.
pub(crate) fn tree_formats() -> impl TypedValueParser<Value = &'static FormatEntry> {
    formats(FormatEntry::holds_trees)
}

/// The names of formats that a traversal unit runs, for clap.
pub(crate) fn block_formats() -> impl TypedValueParser<Value = &'static FormatEntry> {
    formats(|format| format.trees.as_ref().is_some_and(|trees| trees.has_blocks))
}

/// The names of all formats, for clap.
pub(crate) fn all_formats() -> impl TypedValueParser<Value = &'static FormatEntry> {
    formats(|_| true)
}

fn formats(which: fn(&FormatEntry) -> bool) -> impl TypedValueParser<Value = &'static FormatEntry> {
    let all = registry().formats().iter().filter(move |format| which(format));
    let values = all.map(|format| PossibleValue::new(format.name).help(format.summary));
    PossibleValuesParser::new(values)
        .map(|name| registry().format(&name).unwrap_or(registry().formats()[0]))
}

/// The writers whose raw memory some format tells apart, for clap.
pub(crate) fn writers() -> impl TypedValueParser<Value = &'static str> {
    let all = || registry().formats().iter().flat_map(|format| format.writers.iter().copied());
    let mut names: Vec<&'static str> = all().collect();
    names.sort_unstable();
    names.dedup();
    PossibleValuesParser::new(names)
        .map(move |name| all().find(|known| *known == name).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use crate::args::Cli;
    use clap::CommandFactory;
    use siliray::machine::FormatEntry;
    use siliray::registry::registry;

    /// Options take every format and machine of the registry that fits, and nothing else.
    #[test]
    fn options_name_what_the_registry_has() {
        let formats = |which: fn(&FormatEntry) -> bool| -> Vec<&str> {
            let all = registry().formats().iter().filter(|format| which(format));
            all.map(|format| format.name).collect()
        };
        let machines: Vec<&str> = registry().machines().iter().map(|entry| entry.name).collect();
        let blocks = |format: &FormatEntry| format.trees.as_ref().is_some_and(|t| t.has_blocks);
        let expected = [
            ("build", "format", formats(FormatEntry::holds_trees)),
            ("render", "format", formats(FormatEntry::holds_trees)),
            ("sim", "format", formats(blocks)),
            ("check", "raw_format", formats(|_| true)),
            ("walk", "raw_format", formats(|_| true)),
            ("walk", "machine", machines),
        ];
        for (command, option, names) in expected {
            let all = Cli::command();
            let command = all.find_subcommand(command).unwrap();
            let option = command.get_arguments().find(|argument| argument.get_id() == option);
            let values = option.unwrap().get_possible_values();
            let values: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
            assert_eq!(values, names, "{}", command.get_name());
        }
    }
}
