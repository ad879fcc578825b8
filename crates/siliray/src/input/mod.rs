//! What a name or a path opens to, and the way from there to a machine.
//!
//! ```text
//! Input ─┬─ Scene ──► build ──► Tree ──► encode ──► check ──┐
//!        └─ Image ──► check ────────────────────────────────┴─► MachineInput ──► machine
//! ```
//!
//! An image that came from the user is walked as it is stored. Building a new tree from it, or
//! laying it out in another format, is another question; [`Origin`] says which one was answered.

mod opened;
mod reading;
mod route;

pub use opened::{OpenedImage, geometry_of};
pub use reading::Reading;
pub use route::{
    Prepared, Route, RouteError, accepts_width, build_options, encode_checked, format_options,
    usual_machine,
};

use crate::image_scene::{NotFinite, scene_of};
use crate::registry::registry;
use isbe::mesh::import::ImportOptions;
use isbe::mesh::read::{DumpError, read_scene};
use machine::{
    AnyChecked, FilePlace, Finding, FormatEntry, ImageFile, ReadError, ReadOptions, Severity,
    StructureSummary,
};
use scene::builtin::Builtin;
use scene::{FileError, Scene, SceneError, read_file};
use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
        self.open_as(&Reading::default())
    }

    /// The same, with what is said of an image in the file.
    ///
    /// # Errors
    /// When the file cannot be read, or what it holds is broken.
    pub fn open_as(&self, reading: &Reading) -> Result<Input, InputError> {
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
        if let Some(input) = image_or_dump(path, &bytes, reading)? {
            return Ok(input);
        }
        drop(bytes);
        Ok(Input::Scene(scene::open(path)?))
    }
}

/// What the bytes of a file hold, unless it is a mesh.
fn image_or_dump(
    path: &Path,
    bytes: &[u8],
    reading: &Reading,
) -> Result<Option<Input>, InputError> {
    if let Some(format) = reading.format_of(path, bytes).filter(|format| format.holds_trees()) {
        let image = StoredImage::read(path, bytes, format, &reading.options)?;
        return Ok(Some(Input::Image(image)));
    }
    if isbe::Dump::has_magic(bytes) || has_ending(path, "isbe") {
        return open_dump(path, bytes).map(Some);
    }
    Ok(None)
}

/// The format of a file's bytes, else the one that its ending names.
#[must_use]
pub fn format_of(path: &Path, bytes: &[u8]) -> Option<&'static FormatEntry> {
    registry().sniff(bytes).or_else(|| {
        let mut formats = registry().formats().iter().copied();
        formats.find(|format| has_ending(path, format.ending))
    })
}

/// The format of a file's bytes, and its image unless that is broken. Raw memory has the format
/// that is given; other files that say nothing are read as if they had it.
pub fn image_file(
    path: &Path,
    bytes: &[u8],
    raw: &'static FormatEntry,
    options: &ReadOptions,
) -> (&'static FormatEntry, Result<ImageFile, ReadError>) {
    let named = if options.raw.is_some() { None } else { format_of(path, bytes) };
    read_as(named.unwrap_or(raw), bytes, options)
}

/// The image of a file's bytes in a format, and which of its siblings that is.
fn read_as(
    format: &'static FormatEntry,
    bytes: &[u8],
    options: &ReadOptions,
) -> (&'static FormatEntry, Result<ImageFile, ReadError>) {
    let file = (format.read)(bytes, options);
    // One format may read files of its siblings: the image knows which it is.
    let own = file.as_ref().ok().and_then(|file| registry().format(file.image.format));
    (own.unwrap_or(format), file)
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
        Self::of(path, file, format)
    }

    /// Proves the image of a file.
    fn of(path: &Path, file: ImageFile, format: &'static FormatEntry) -> Result<Self, InputError> {
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
    /// What the bytes of a file called `name` hold; files beside it are not read.
    ///
    /// # Errors
    /// When what they hold is broken.
    pub fn read(name: &Path, bytes: &[u8]) -> Result<Self, InputError> {
        match image_or_dump(name, bytes, &Reading::default())? {
            Some(input) => Ok(input),
            None => Ok(Self::Scene(scene::read(&file_name(name), bytes)?)),
        }
    }

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
    pub fn scene(&self) -> Result<Cow<'_, Scene>, InputError> {
        match self {
            Self::Scene(scene) => Ok(Cow::Borrowed(scene)),
            Self::Image(StoredImage { name, checked, .. }) => {
                let scene = scene_of(checked.tree(), name.clone());
                let wrong = |error| InputError::NotFinite { name: name.clone(), error };
                scene.map(Cow::Owned).map_err(wrong)
            }
        }
    }

    /// The same, for whoever needs the input no more.
    ///
    /// # Errors
    /// When an image holds something that is not finite.
    pub fn into_scene(self) -> Result<Scene, InputError> {
        match self {
            Self::Scene(scene) => Ok(scene),
            Self::Image(_) => self.scene().map(Cow::into_owned),
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

#[cfg(test)]
mod tests;
