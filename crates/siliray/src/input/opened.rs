//! An image that somebody looks at, which may be broken.

use super::{InputError, StoredImage, image_file};
use build::BuildError;
use machine::source::{Geometry, differences};
use machine::{AnyReport, FormatEntry, ImageFile, ReadError, ReadOptions};
use scene::Scene;
use std::path::Path;

/// The image in the bytes of a file. Bytes that cannot be taken apart are one too: their check
/// says why.
#[derive(Debug, Clone)]
pub struct OpenedImage {
    /// What the file is called.
    pub name: String,
    /// The format.
    pub format: &'static FormatEntry,
    /// The image, unless it is broken.
    pub file: Result<ImageFile, ReadError>,
}

impl OpenedImage {
    /// The image in `bytes` of a file called `name`; raw memory has the format that is given.
    #[must_use]
    pub fn read(
        name: String,
        bytes: &[u8],
        raw: &'static FormatEntry,
        options: &ReadOptions,
    ) -> Self {
        let (format, file) = image_file(Path::new(&name), bytes, raw, options);
        Self { name, format, file }
    }

    /// What the check finds, and how a sound image differs from a scene. A file that cannot be
    /// taken apart is unsound for one reason, and that is a finding.
    ///
    /// # Errors
    /// When the file has no such structure.
    pub fn check(&self, scene: Option<&Geometry>) -> Result<AnyReport, &ReadError> {
        match &self.file {
            Err(ReadError::Broken(finding)) => {
                Ok(AnyReport { findings: vec![(**finding).clone()], ..AnyReport::default() })
            }
            Err(error) => Err(error),
            Ok(file) => Ok(file.clone().check(|image| {
                let mut report = (self.format.check)(image);
                if let (Some(checked), Some(scene)) = (&report.checked, scene) {
                    report.findings.extend(differences(checked.as_ref(), scene));
                }
                report
            })),
        }
    }

    /// The image, proved to be safe to walk.
    ///
    /// # Errors
    /// When it is broken, or not safe to walk.
    pub fn stored(&self) -> Result<StoredImage, InputError> {
        let path = Path::new(&self.name);
        let file = self.file.clone();
        let file = file.map_err(|error| InputError::Broken {
            path: path.to_owned(),
            error: Box::new(error),
        })?;
        StoredImage::of(path, file, self.format)
    }
}

/// What an image of a scene should hold.
///
/// # Errors
/// When the scene has no tree.
pub fn geometry_of(scene: &Scene) -> Result<Geometry, BuildError> {
    let (objects, instances) = build::contents(scene)?;
    Ok(Geometry { objects, instances })
}
