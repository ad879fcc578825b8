//! What there is: formats, machines, scenes, examples.

use crate::examples;
use serde_json::{Value, json};
use siliray::build::Preset;
use siliray::documents::units::UnitDocument;
use siliray::machine::{FormatEntry, MachineEntry};
use siliray::registry::registry;
use siliray::render::{Measure, measures};
use siliray::scene::builtin::Builtin;
use siliray::sim::Workload;

/// All of it.
pub(crate) fn about() -> Value {
    let builtins = Builtin::ALL.map(|builtin| {
        json!({
            "name": builtin.name(),
            "summary": builtin.summary(),
            "triangles": builtin.default_triangles(),
        })
    });
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "formats": registry().formats().iter().map(|entry| format(entry)).collect::<Vec<_>>(),
        "machines": registry().machines().iter().map(|entry| machine(entry)).collect::<Vec<_>>(),
        "builtins": builtins,
        "presets": Preset::ALL.map(Preset::name),
        "examples": examples::list(),
        "measures": Measure::ALL.map(Measure::name),
        "sim": UnitDocument::new().ok(),
        "workloads": Workload::ALL.map(Workload::name),
    })
}

fn format(entry: &FormatEntry) -> Value {
    let settings = entry.trees.as_ref().map_or(&[][..], |trees| trees.settings);
    let settings = settings.iter().map(
        |setting| json!({"key": setting.key, "values": setting.values, "meaning": setting.meaning}),
    );
    json!({
        "name": entry.name,
        "summary": entry.summary,
        "ending": entry.ending,
        "holds_trees": entry.holds_trees(),
        "blocks": entry.trees.as_ref().is_some_and(|trees| trees.has_blocks),
        "settings": settings.collect::<Vec<_>>(),
    })
}

fn machine(entry: &MachineEntry) -> Value {
    let formats = registry().formats().iter().filter(|format| (entry.reads)(format));
    json!({
        "name": entry.name,
        "summary": entry.summary,
        "formats": formats.map(|format| format.name).collect::<Vec<_>>(),
        "takes_beams": entry.takes_beams,
        "measures": measures(entry).map(Measure::name).collect::<Vec<_>>(),
    })
}
