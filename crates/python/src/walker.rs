//! Who walks, and what is seen.

use crate::scene::Scene;
use crate::{errors, names};
use pyo3::prelude::*;
use siliray::build::Preset;
use siliray::cameras::{self, Seen};
use siliray::input::{Input, Prepared, Route, build_options, usual_machine};
use siliray::machine::{MachineOptions, Settings};
use siliray::scene::Camera;

/// A machine, and what it walks.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Walker {
    machine: Option<String>,
    format: Option<String>,
    rebuild: bool,
    preset: Option<String>,
    rule: String,
    stack_size: Option<u8>,
}

impl Walker {
    /// The way from the input to the machine.
    pub(crate) fn route(&self, input: &Input) -> PyResult<Route> {
        let rebuild = self.rebuild;
        let format = self.format.as_deref().map(names::format).transpose()?;
        let preset = chosen_preset(input, self.preset.as_deref(), rebuild)?;
        let machine = match &self.machine {
            Some(name) => names::machine(name)?,
            None => usual_machine(input, format, rebuild),
        };
        if let Some(size) = self.stack_size {
            if machine.stack_sizes.is_empty() {
                let message = format!("the machine {} has no stack_size", machine.name);
                return Err(errors::option(message));
            }
            machine.accepts_stack(size).map_err(errors::option)?;
        }
        let build = build_options(machine, format, preset);
        Ok(Route { machine, format, settings: Settings::default(), rebuild, build })
    }

    /// What the machine is told when it is made.
    pub(crate) fn options(&self) -> PyResult<MachineOptions> {
        let (rule, stack_size) = (names::rule(&self.rule)?, self.stack_size);
        Ok(MachineOptions { rule, stack_size, capabilities: None })
    }
}

/// The preset of that name, if a tree is built at all.
pub(crate) fn chosen_preset(
    input: &Input,
    name: Option<&str>,
    rebuild: bool,
) -> PyResult<Option<Preset>> {
    let preset = name.map(names::preset).transpose()?;
    if preset.is_some() && !rebuild && input.as_scene().is_none() {
        let message = "an image has its own tree, so preset has no effect without rebuild";
        return Err(errors::option(format!("{}: {message}", input.name())));
    }
    Ok(preset)
}

/// A camera, by its numbers or its name.
#[derive(FromPyObject)]
pub(crate) enum ViewChoice {
    /// One of the scene's.
    Named(String),
    /// Eye, target, field of view, and perhaps up.
    Numbers(Vec<f32>),
}

/// What there is to see of an input.
pub(crate) fn seen<'a>(input: &'a Input, prepared: &'a Prepared) -> Seen<'a> {
    input.as_scene().map_or_else(|| Seen::Tree(prepared.tree()), Seen::Scene)
}

/// The view that was chosen, or that of what is seen.
pub(crate) fn view(
    scene: &Scene,
    seen: Seen<'_>,
    choice: Option<&ViewChoice>,
    aspect: f32,
) -> PyResult<Camera> {
    match (choice, &scene.source) {
        (Some(ViewChoice::Numbers(numbers)), _) => {
            cameras::from_numbers(numbers).map_err(errors::option)
        }
        (Some(ViewChoice::Named(name)), _) => {
            let all = match seen {
                Seen::Scene(scene) => &scene.cameras[..],
                Seen::Tree(_) => &[],
            };
            let camera = all.iter().find(|camera| camera.name == *name);
            let none = || errors::name(format!("{}: no camera is called {name:?}", scene.name()));
            camera.map(|named| named.camera).ok_or_else(none)
        }
        (None, Some(source)) => cameras::choose(source, seen, aspect).map_err(errors::scene),
        (None, None) => Ok(cameras::of(seen, aspect)),
    }
}
