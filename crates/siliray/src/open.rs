//! A scene given by name or by path.

use crate::image_file::is_container;
use crate::image_scene::{self, ImageSceneError};
use isbe::mesh::import::ImportOptions;
use isbe::mesh::read::{DumpError, read_scene};
use scene::builtin::Builtin;
use scene::{Scene, SceneError, read_file};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Where a scene comes from.
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

/// Why a source is no scene.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file is not a scene.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The file holds an image, and that is not a scene.
    #[error(transparent)]
    Image(#[from] ImageSceneError),
    /// The file is a dump of ISBE memory, but not of a scene.
    #[error("{file}: {error}")]
    Dump {
        /// The file as it was named.
        file: String,
        /// What is wrong with it.
        error: Box<DumpError>,
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

    /// Makes or reads the scene. A file with an image, by its first bytes or the ending `.rra`,
    /// gives the geometry that the image stores; a dump of ISBE memory, the meshes in it.
    ///
    /// # Errors
    /// When the file cannot be read or is not a scene.
    pub fn open(&self) -> Result<Scene, OpenError> {
        match self {
            Self::Builtin { builtin, triangles } => Ok(builtin.scene(*triangles)),
            Self::File(path) if is_container(path) || named_rra(path) => {
                Ok(image_scene::open(path)?)
            }
            Self::File(path) if is_dump(path) => open_dump(path),
            Self::File(path) => Ok(scene::open(path)?),
        }
    }
}

fn named_rra(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("rra"))
}

/// Whether a file is a dump of ISBE memory, by its first bytes or else by its name. A file that
/// cannot be read is left to the scene reader to explain.
fn is_dump(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    let mut start = [0; isbe::container::MAGIC.len()];
    let has_magic = File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && isbe::Dump::has_magic(&start);
    has_magic || path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("isbe"))
}

fn open_dump(path: &Path) -> Result<Scene, OpenError> {
    let file = path.display().to_string();
    let bytes = read_file(path).map_err(SceneError::from)?;
    let imported = read_scene(&bytes, &ImportOptions::default())
        .map_err(|error| OpenError::Dump { file: file.clone(), error: Box::new(error) })?;
    let name = path.file_name().map_or(file, |name| name.to_string_lossy().into_owned());
    Ok(Scene { name, ..imported.scene })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_file_whatever_it_is_called() {
        let file = Source::new("./forest", None);
        assert_eq!(file, Ok(Source::File("./forest".into())));
        let builtin = Source::new("forest", Some(5000));
        assert_eq!(builtin, Ok(Source::Builtin { builtin: Builtin::Forest, triangles: 5000 }));
        let sized = Source::new("bunny.ply", Some(5000));
        assert_eq!(sized, Err(SourceError::SizedFile("bunny.ply".into())));
    }
}
