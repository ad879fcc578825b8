//! Names of formats, machines, presets, modes and rules.

use crate::errors;
use pyo3::PyResult;
use siliray::build::Preset;
use siliray::geometry::TriangleRule;
use siliray::machine::nearest_name;
use siliray::machine::{FormatEntry, MachineEntry};
use siliray::registry::registry;
use siliray::trace::{Kernel, Mode};

/// The machine of that name.
pub(crate) fn machine(name: &str) -> PyResult<&'static MachineEntry> {
    let names = registry().machines().iter().map(|machine| machine.name);
    registry().machine(name).map_or_else(|| unknown("machine", name, names), Ok)
}

/// The format of that name.
pub(crate) fn format(name: &str) -> PyResult<&'static FormatEntry> {
    let names = registry().formats().iter().map(|format| format.name);
    registry().format(name).map_or_else(|| unknown("format", name, names), Ok)
}

/// The writer of that name, of those whose memory a format tells apart.
pub(crate) fn writer(format: &FormatEntry, name: &str) -> PyResult<&'static str> {
    if format.writers.is_empty() {
        let message = format!("writer {name:?}: {} has one layout, whoever writes it", format.name);
        return Err(errors::option(message));
    }
    one_of("writer", name, format.writers, |writer| writer)
}

/// A kind of file of a format. Those that drivers write too come in several.
pub(crate) fn ending(format: &FormatEntry, name: &str) -> PyResult<&'static str> {
    let settings = format.trees.as_ref().map_or(&[][..], |trees| trees.settings);
    let mut all = vec![format.ending];
    if settings.iter().any(|setting| setting.key == "policy") {
        all.extend(["rra", "gamma", "bin"].iter().filter(|&&ending| ending != format.ending));
    }
    one_of("ending", name, &all, |ending| ending)
}

/// The preset of that name.
pub(crate) fn preset(name: &str) -> PyResult<Preset> {
    one_of("preset", name, &Preset::ALL, |preset| preset.name())
}

/// The mode of that name; `in-place` is `in_place`.
pub(crate) fn mode(name: &str) -> PyResult<Mode> {
    one_of("mode", &name.replace('-', "_"), &Mode::ALL, |mode| mode.name())
}

/// The kernel of that name.
pub(crate) fn kernel(name: &str) -> PyResult<Kernel> {
    one_of("kernel", name, &Kernel::ALL, |kernel| kernel.name())
}

/// The triangle rule of that name.
pub(crate) fn rule(name: &str) -> PyResult<TriangleRule> {
    one_of("rule", &name.replace('_', "-"), &TriangleRule::ALL, |rule| rule.name())
}

/// One of a few things by its name.
pub(crate) fn one_of<T: Copy>(
    what: &str,
    name: &str,
    all: &[T],
    of: impl Fn(T) -> &'static str,
) -> PyResult<T> {
    let names = all.iter().map(|&one| of(one));
    all.iter().copied().find(|&one| of(one) == name).map_or_else(|| unknown(what, name, names), Ok)
}

fn unknown<T>(
    what: &str,
    name: &str,
    names: impl Iterator<Item = &'static str> + Clone,
) -> PyResult<T> {
    let meant = nearest_name(name, names.clone());
    let all = names.collect::<Vec<_>>().join(", ");
    let meant = meant.map_or(String::new(), |meant| format!(", did you mean {meant:?}?"));
    Err(errors::name(format!("there is no {what} {name:?}{meant} (there are {all})")))
}
