//! Options that several commands take, each declared once.

use crate::failure::Failure;
use crate::named_values::{PRESETS, QUERIES, RULES, one_of};
use crate::values::{self, View};
use clap::Args;
use siliray::build::Preset;
use siliray::geometry::TriangleRule;
use siliray::machine::{HitKind, MachineEntry};
use siliray::trace::Kernel;

/// How the tree is built.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct PresetChoice {
    /// How much time to spend on the tree [default: balanced]
    #[arg(long, value_name = "PRESET", value_parser = one_of(PRESETS))]
    preset: Option<Preset>,
}

impl PresetChoice {
    /// The option, if it is given.
    pub(crate) fn asked(self) -> Option<&'static str> {
        self.preset.map(|_| "--preset")
    }

    /// The preset, if one is asked for.
    pub(crate) fn preset(self) -> Option<Preset> {
        self.preset
    }
}

/// How triangles are met.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct RuleChoice {
    /// The arithmetic that decides whether a ray meets a triangle; hart and offload have their own
    /// [default: watertight]
    #[arg(long, alias = "triangle-rule", value_name = "RULE", value_parser = one_of(RULES))]
    rule: Option<TriangleRule>,
}

impl RuleChoice {
    /// The rule, for a machine that has a choice; one that has none refuses to be given one.
    pub(crate) fn rule(self, machine: &MachineEntry) -> Result<TriangleRule, Failure> {
        if self.rule.is_some() && machine.oracle.is_some() {
            let name = machine.name;
            let message = format!("the machine {name} has an arithmetic of its own, not --rule");
            return Err(Failure::usage(message).hint("leave --rule out"));
        }
        Ok(self.rule.unwrap_or(TriangleRule::Watertight))
    }
}

/// The view.
#[derive(Debug, Clone, Args)]
pub(crate) struct CameraChoice {
    /// Eye, target and vertical field of view in degrees: ex,ey,ez,tx,ty,tz,fov; or the name of a
    /// camera of the scene [default: the scene's first, that of cameras.json beside it, or one
    /// that frames it]
    #[arg(long, value_name = "CAMERA", value_parser = values::view, allow_hyphen_values = true)]
    pub(crate) camera: Option<View>,
}

/// The instructions of the fast tracer.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct KernelChoice {
    /// The instructions that the tracer uses: plain, simd128, neon, avx2 or avx512 [default: the
    /// fastest of this processor]
    #[arg(long, value_name = "KERNEL", value_parser = values::kernel)]
    pub(crate) kernel: Option<Kernel>,
}

/// What random numbers start from.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct SeedChoice {
    /// Chooses the random cases
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    #[arg(value_parser = values::seed)]
    pub(crate) seed: u64,
}

/// Which hits are wanted.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct QueryChoice {
    /// Which hits are wanted
    #[arg(long = "query", value_name = "QUERY", default_value = "closest")]
    #[arg(value_parser = one_of(QUERIES))]
    pub(crate) kind: HitKind,
}

#[cfg(test)]
mod tests {
    use crate::args::Cli;
    use clap::{Arg, Command, CommandFactory};
    use std::collections::BTreeMap;

    /// Options that mean another thing in another command: a file or a number of rays, an
    /// arithmetic or a rule of findings, an outline or a tree, a file or a folder, one value or
    /// several.
    const AMBIGUOUS: [&str; 12] = [
        "rays",
        "rule",
        "all",
        "against",
        "csv",
        "output",
        "trace",
        "set",
        "offset",
        "vertices",
        "workload",
        "primitives",
    ];

    fn options(command: &Command, all: &mut BTreeMap<String, Vec<(String, String)>>) {
        for option in command.get_arguments().filter(|option| option.get_long().is_some()) {
            let long = option.get_long().unwrap_or_default().to_owned();
            let path = command.get_name().to_owned();
            all.entry(long).or_default().push((path, takes(option)));
        }
        command.get_subcommands().for_each(|command| options(command, all));
    }

    fn takes(option: &Arg) -> String {
        let names = option.get_value_names().unwrap_or_default();
        let values = option.get_possible_values();
        let values = values.iter().map(|value| value.get_name()).collect::<Vec<_>>();
        let values = if values.len() > 5 { Vec::new() } else { values };
        format!("{} {}", names.join(" "), values.join(","))
    }

    /// An option of one name takes the same everywhere.
    #[test]
    fn the_same_option_takes_the_same() {
        let mut all = BTreeMap::new();
        options(&Cli::command(), &mut all);
        assert!(all.len() > 60, "{}", all.len());
        all.retain(|_, takers| takers.iter().any(|(_, other)| *other != takers[0].1));
        all.retain(|name, _| !AMBIGUOUS.contains(&&**name));
        assert!(all.is_empty(), "{all:#?}");
    }
}
