//! The way from an input to a machine: as stored, converted, or by a new tree.

use super::{Input, InputError, Origin};
use crate::image_scene::scene_of;
use crate::registry::registry;
use build::{BuildError, Preset, ProgressFn};
use machine::registry::WidthError;
use machine::{
    AnyChecked, EncodeError, Finding, FormatEntry, Machine, MachineEntry, MachineInput,
    MachineOptions, MakeError, Settings, TreeShape, tree_format,
};
use scene::Scene;
use std::sync::Arc;
use trace::Tracer;
use tree::Tree;

/// Which machine walks, and what.
#[derive(Debug, Clone)]
pub struct Route {
    /// The machine.
    pub machine: &'static MachineEntry,
    /// The format that it shall read; what the input has, or what the machine likes, by default.
    pub format: Option<&'static FormatEntry>,
    /// How trees are encoded; over what the machine likes.
    pub settings: Settings,
    /// Build a new tree even if the input has one.
    pub rebuild: bool,
    /// How trees are built.
    pub build: build::Options,
}

/// What a machine stands on, and how it came to be.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The tree or the image.
    pub input: MachineInput,
    /// How it came to be.
    pub origin: Origin,
    /// Who walks it.
    pub machine: &'static MachineEntry,
}

/// Why a machine cannot walk an input.
#[derive(Debug, thiserror::Error)]
pub enum RouteError {
    /// The machine does not read the format.
    #[error("the machine {machine} does not read the format {format}")]
    Format {
        /// The machine.
        machine: &'static str,
        /// The format.
        format: &'static str,
    },
    /// The input is no scene.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The scene has no tree.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The tree has no image in the format.
    #[error("the tree has no image in the format {format}: {source}")]
    Encode {
        /// The format.
        format: &'static str,
        /// What it cannot hold.
        source: EncodeError,
    },
    /// An image made here does not pass its own check: a defect of siliray.
    #[error("the image in the format {format} does not pass its own check: {finding}")]
    Unsound {
        /// The format.
        format: &'static str,
        /// The first error.
        finding: Box<Finding>,
    },
    /// The machine refuses what it should stand on.
    #[error("{0}")]
    Machine(MakeError),
}

/// Who walks unless somebody else is asked for: the fastest machine that reads what is walked.
#[must_use]
pub fn usual_machine(
    input: &Input,
    format: Option<&'static FormatEntry>,
    rebuild: bool,
) -> &'static MachineEntry {
    let stored = match input {
        Input::Image(image) if !rebuild => Some(image.format),
        _ => None,
    };
    let fits = |machine: &&'static MachineEntry| {
        format.or(stored).is_none_or(|format| (machine.reads)(format))
    };
    let usual = [trace::NAME, machine::reference::NAME].into_iter();
    let usual = usual.filter_map(|name| registry().machine(name)).find(fits);
    usual.unwrap_or(registry().machines()[0])
}

/// How trees are built for a machine over a format, or over the one that it likes: by `preset`, or
/// by the one that suits it best.
#[must_use]
pub fn build_options(
    machine: &MachineEntry,
    format: Option<&'static FormatEntry>,
    preset: Option<Preset>,
) -> build::Options {
    if machine.name == trace::NAME {
        return Tracer::build_options(preset.unwrap_or(Tracer::PRESET));
    }
    let preset = preset.unwrap_or_default();
    match format.or_else(|| registry().format(machine.format)) {
        Some(format) => format_options(format, &liked_settings(machine, format), preset),
        None => build::Options::preset(preset),
    }
}

/// Refuses trees of a width that the nodes which a machine walks do not have.
///
/// # Errors
/// What there is room for.
pub fn accepts_width(
    machine: &MachineEntry,
    format: Option<&'static FormatEntry>,
    width: usize,
) -> Result<(), WidthError> {
    let format = format.or_else(|| registry().format(machine.format));
    format.map_or(Ok(()), |format| format.accepts_width(&liked_settings(machine, format), width))
}

/// How trees are built for a format with such settings: as it holds them best.
#[must_use]
pub fn format_options(format: &FormatEntry, settings: &Settings, preset: Preset) -> build::Options {
    let usual = build::Options::preset(preset);
    let Some(trees) = &format.trees else { return usual };
    let TreeShape { width, max_leaf, leaf_test_width, splits } = (trees.shape)(settings);
    let split_budget = if splits { usual.split_budget } else { Some(0.0) };
    build::Options { width, max_leaf, leaf_test_width, split_budget, ..usual }
}

/// How a machine likes trees encoded in a format.
fn liked_settings(machine: &MachineEntry, format: &FormatEntry) -> Settings {
    let liked = if format.name == machine.format { machine.settings } else { &[] };
    liked.iter().fold(Settings::default(), |all, (key, value)| all.with(*key, *value))
}

impl Route {
    /// The usual way to a machine.
    #[must_use]
    pub fn new(machine: &'static MachineEntry, build: build::Options) -> Self {
        Self { machine, format: None, settings: Settings::default(), rebuild: false, build }
    }

    /// Brings an input to the machine.
    ///
    /// # Errors
    /// When the machine does not read the format, or there is no tree or image.
    pub fn prepare(&self, input: &Input, watch: &ProgressFn<'_>) -> Result<Prepared, RouteError> {
        let machine = self.machine;
        let (tree, origin) = match input {
            Input::Scene(scene) => (self.tree(scene, watch)?, Origin::Built),
            Input::Image(image) if self.rebuild => {
                let scene = scene_of(image.checked.tree(), image.name.clone())
                    .map_err(|error| InputError::NotFinite { name: image.name.clone(), error })?;
                (self.tree(&scene, watch)?, Origin::Rebuilt)
            }
            Input::Image(image) => {
                let format = self.format.unwrap_or(image.format);
                if format.name == image.format.name {
                    self.check_format(format)?;
                    let input = MachineInput::Image(Arc::clone(&image.checked));
                    return Ok(Prepared { input, origin: Origin::Stored, machine });
                }
                let from = image.format.name;
                (Arc::clone(image.checked.tree()), Origin::Converted { from })
            }
        };
        let format = self.format.or_else(|| registry().format(machine.format));
        let format =
            format.ok_or(RouteError::Format { machine: machine.name, format: machine.format })?;
        self.check_format(format)?;
        if format.name == tree_format::NAME && machine.takes_trees {
            return Ok(Prepared { input: MachineInput::Tree(tree), origin, machine });
        }
        let input = MachineInput::Image(self.encoded(&tree, format)?);
        Ok(Prepared { input, origin, machine })
    }

    fn check_format(&self, format: &'static FormatEntry) -> Result<(), RouteError> {
        let (machine, name) = (self.machine.name, format.name);
        let error = RouteError::Format { machine, format: name };
        (self.machine.reads)(format).then_some(()).ok_or(error)
    }

    fn tree(&self, scene: &Scene, watch: &ProgressFn<'_>) -> Result<Arc<Tree>, RouteError> {
        Ok(Arc::new(build::build(scene, &self.build, watch)?.tree))
    }

    /// What the machine likes, and what was asked for over that.
    fn encoded(
        &self,
        tree: &Tree,
        format: &'static FormatEntry,
    ) -> Result<Arc<dyn AnyChecked>, RouteError> {
        let liked = liked_settings(self.machine, format);
        let settings = self.settings.iter().fold(liked, |all, (k, v)| all.with(k, v));
        encode_checked(tree, format, &settings)
    }
}

/// Lays a tree out and proves the result.
///
/// # Errors
/// When the format cannot hold the tree.
pub fn encode_checked(
    tree: &Tree,
    format: &'static FormatEntry,
    settings: &Settings,
) -> Result<Arc<dyn AnyChecked>, RouteError> {
    let name = format.name;
    let trees = format
        .trees
        .as_ref()
        .ok_or_else(|| RouteError::Encode { format: name, source: "it holds no trees".into() })?;
    let encoded = (trees.encode)(tree, settings)
        .map_err(|source| RouteError::Encode { format: name, source })?;
    (format.check)(encoded.image)
        .into_checked()
        .map_err(|finding| RouteError::Unsound { format: name, finding })
}

impl Prepared {
    /// The machine.
    ///
    /// # Errors
    /// When it refuses what it should stand on.
    pub fn make(&self, options: &MachineOptions) -> Result<Box<dyn Machine>, RouteError> {
        (self.machine.make)(&self.input, options).map_err(RouteError::Machine)
    }

    /// Whether boxes of an image that came from the user are walked, and lose what these lose.
    #[must_use]
    pub fn keeps_boxes(&self) -> bool {
        match self.origin {
            Origin::Stored => true,
            Origin::Converted { .. } => {
                let trees = registry().format(self.input.format()).and_then(|f| f.trees.as_ref());
                trees.is_none_or(|trees| trees.keeps_boxes)
            }
            Origin::Built | Origin::Rebuilt => false,
        }
    }

    /// The geometry and the hierarchy, as the machine sees them.
    #[must_use]
    pub fn tree(&self) -> &Arc<Tree> {
        self.input.tree()
    }
}
