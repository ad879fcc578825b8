//! What a name or a path opens to, and the way from there to a machine.
//!
//! ```text
//! Input ─┬─ Scene ──► build ──► Tree ──► encode ──► check ──┐
//!        └─ Image ──► check ────────────────────────────────┴─► MachineInput ──► machine
//! ```
//!
//! An image that came from the user is walked as it is stored. Building a new tree from it, or
//! laying it out in another format, is another question; [`Origin`] says which one was answered.

use crate::image_scene::{NotFinite, scene_of};
use crate::registry::registry;
use build::{BuildError, Preset, ProgressFn};
use isbe::mesh::import::ImportOptions;
use isbe::mesh::read::{DumpError, read_scene};
use machine::{
    AnyChecked, EncodeError, FilePlace, Finding, FormatEntry, Machine, MachineEntry, MachineInput,
    MachineOptions, MakeError, ReadError, ReadOptions, Settings, Severity, StructureSummary,
    TreeShape, tree_format,
};
use scene::builtin::Builtin;
use scene::{FileError, Scene, SceneError, read_file};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace::Tracer;
use tree::Tree;

/// Where an input comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Made by code.
    Builtin {
        /// Which one.
        builtin: Builtin,
        /// About how many triangles.
        triangles: usize,
    },
    /// Read from a file.
    File(PathBuf),
}

/// Why a name is no source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// Only built-in scenes come in any size.
    #[error("a number of triangles applies to built-in scenes, and {0:?} is a file")]
    SizedFile(PathBuf),
}

/// What a source holds.
#[derive(Debug)]
pub enum Input {
    /// A scene: a mesh file, an ISBE dump, or made by code.
    Scene(Scene),
    /// An image, as it is stored.
    Image(StoredImage),
}

/// A checked image out of a file.
#[derive(Debug, Clone)]
pub struct StoredImage {
    /// The name of the file.
    pub name: String,
    /// Its format.
    pub format: &'static FormatEntry,
    /// The image.
    pub checked: Arc<dyn AnyChecked>,
    /// What the check warns about.
    pub findings: Vec<Finding>,
    /// Where each segment lies in the file.
    pub places: Vec<FilePlace>,
    /// The structures of a file that holds several, by number.
    pub structures: Vec<StructureSummary>,
}

/// Why there is no input, no scene or no tree.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// The file is not a scene.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The file is an image that cannot be taken apart.
    #[error("{}: {error}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        error: Box<ReadError>,
    },
    /// The image is not safe to walk.
    #[error("{}: the image is not safe to walk: {finding}", path.display())]
    Unsound {
        /// The file.
        path: PathBuf,
        /// The first error.
        finding: Box<Finding>,
    },
    /// The file is a dump of ISBE memory, but not of a scene.
    #[error("{}: {error}", path.display())]
    Dump {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: Box<DumpError>,
    },
    /// The geometry of an image is no scene.
    #[error("{name}: {error}")]
    NotFinite {
        /// The file.
        name: String,
        /// What is not finite.
        error: NotFinite,
    },
}

impl Source {
    /// What `name` stands for: the built-in scene of that name, else a file. `./forest` is always a
    /// file.
    ///
    /// # Errors
    /// When a number of triangles is asked of a file.
    pub fn new(name: impl AsRef<Path>, triangles: Option<usize>) -> Result<Self, SourceError> {
        let path = name.as_ref();
        match (path.to_str().and_then(Builtin::from_name), triangles) {
            (Some(builtin), triangles) => {
                let triangles = triangles.unwrap_or_else(|| builtin.default_triangles());
                Ok(Self::Builtin { builtin, triangles })
            }
            (None, None) => Ok(Self::File(path.to_owned())),
            (None, Some(_)) => Err(SourceError::SizedFile(path.to_owned())),
        }
    }

    /// Makes the scene, or reads the file: an image or a dump by its first bytes or its ending,
    /// else a mesh.
    ///
    /// # Errors
    /// When the file cannot be read, or what it holds is broken.
    pub fn open(&self) -> Result<Input, InputError> {
        let path = match self {
            Self::Builtin { builtin, triangles } => {
                return Ok(Input::Scene(builtin.scene(*triangles)));
            }
            Self::File(path) => path,
        };
        // A pipe is left to the scene reader: what is read from it is gone.
        if !path.is_file() {
            return Ok(Input::Scene(scene::open(path)?));
        }
        let bytes = read_file(path)?;
        if let Some(format) = format_of(path, &bytes).filter(|format| format.holds_trees()) {
            let image = StoredImage::read(path, &bytes, format, &ReadOptions::default())?;
            return Ok(Input::Image(image));
        }
        if isbe::Dump::has_magic(&bytes) || has_ending(path, "isbe") {
            return open_dump(path, &bytes);
        }
        drop(bytes);
        Ok(Input::Scene(scene::open(path)?))
    }
}

/// The format of a file's bytes, else the one that its ending names.
#[must_use]
pub fn format_of(path: &Path, bytes: &[u8]) -> Option<&'static FormatEntry> {
    registry().sniff(bytes).or_else(|| {
        let mut formats = registry().formats().iter().copied();
        formats.find(|format| has_ending(path, format.ending))
    })
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending))
}

fn open_dump(path: &Path, bytes: &[u8]) -> Result<Input, InputError> {
    let imported = read_scene(bytes, &ImportOptions::default())
        .map_err(|error| InputError::Dump { path: path.to_owned(), error: Box::new(error) })?;
    Ok(Input::Scene(Scene { name: file_name(path), ..imported.scene }))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

impl StoredImage {
    /// Reads and proves the image in a file's bytes.
    ///
    /// # Errors
    /// When the file is broken, or its image is not safe to walk.
    pub fn read(
        path: &Path,
        bytes: &[u8],
        format: &'static FormatEntry,
        options: &ReadOptions,
    ) -> Result<Self, InputError> {
        let file = (format.read)(bytes, options).map_err(|error| InputError::Broken {
            path: path.to_owned(),
            error: Box::new(error),
        })?;
        let (places, structures) = (file.places.clone(), file.structures.clone());
        let report = file.check(format.check);
        let findings = report.findings.clone();
        let checked = report
            .into_checked()
            .map_err(|finding| InputError::Unsound { path: path.to_owned(), finding })?;
        // One format may read files of its siblings: the image knows which it is.
        let format = registry().format(checked.image().format).unwrap_or(format);
        Ok(Self { name: file_name(path), format, checked, findings, places, structures })
    }

    /// How many warnings the check has.
    #[must_use]
    pub fn warnings(&self) -> u32 {
        let warnings = self.findings.iter().filter(|f| f.severity == Severity::Warning);
        warnings.map(|finding| finding.count).sum()
    }
}

impl Input {
    /// The name of the scene or of the file.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Scene(scene) => &scene.name,
            Self::Image(image) => &image.name,
        }
    }

    /// The scene, if it is one.
    #[must_use]
    pub fn as_scene(&self) -> Option<&Scene> {
        match self {
            Self::Scene(scene) => Some(scene),
            Self::Image(_) => None,
        }
    }

    /// The scene: an image gives the geometry that it stores, without its tree.
    ///
    /// # Errors
    /// When an image holds something that is not finite.
    pub fn into_scene(self) -> Result<Scene, InputError> {
        match self {
            Self::Scene(scene) => Ok(scene),
            Self::Image(StoredImage { name, checked, .. }) => {
                scene_of(checked.tree(), name.clone())
                    .map_err(|error| InputError::NotFinite { name, error })
            }
        }
    }
}

/// What a machine walks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The tree of a scene, built here.
    Built,
    /// The bytes of a file, as they are.
    Stored,
    /// The tree of a file's image, laid out in another format.
    Converted {
        /// The format of the file.
        from: &'static str,
    },
    /// A new tree over the geometry of a file's image.
    Rebuilt,
}

impl Origin {
    /// Whether a tree was built.
    #[must_use]
    pub const fn is_built(self) -> bool {
        matches!(self, Self::Built | Self::Rebuilt)
    }

    /// The word used in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Built => "built",
            Self::Stored => "stored",
            Self::Converted { .. } => "converted",
            Self::Rebuilt => "rebuilt",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Built => f.write_str("a tree built from the scene"),
            Self::Stored => f.write_str("the image as stored"),
            Self::Converted { from } => write!(f, "the tree of the {from} image, converted"),
            Self::Rebuilt => f.write_str("a new tree over the image's geometry"),
        }
    }
}

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

/// How trees are built for a format with such settings: as it holds them best.
#[must_use]
pub fn format_options(format: &FormatEntry, settings: &Settings, preset: Preset) -> build::Options {
    let usual = build::Options::preset(preset);
    let Some(trees) = &format.trees else { return usual };
    let TreeShape { width, max_leaf, leaf_test_width, splits } = (trees.shape)(settings);
    let split_budget = if splits { usual.split_budget } else { 0.0 };
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

    /// The geometry and the hierarchy, as the machine sees them.
    #[must_use]
    pub fn tree(&self) -> &Arc<Tree> {
        self.input.tree()
    }
}

#[cfg(test)]
mod tests;
