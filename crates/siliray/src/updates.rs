//! Updates of images, for the formats that drivers update: making them, and what must hold between
//! an image before and after.

pub use bvh4::update::Update;

use crate::registry::registry;
use bvh4::update::Rule;
use gfx10::{GFX10_NAME, GFX11_NAME, Gfx10Bvh4, Gfx11Bvh4};
use gfx12::Gfx12;
use gfx12::bvh4x2::{self, BoxPrecision, Gfx12Bvh4x2};
use machine::source::Geometry;
use machine::{AnyChecked, AnyReport, Finding, Image, ImageFile, RuleEntry, downcast};
use std::sync::Arc;

/// The formats whose images are updated.
pub const FORMATS: [&str; 4] = [GFX10_NAME, GFX11_NAME, gfx12::NAME, bvh4x2::NAME];

/// The rules of updates of a format; none if its updates cannot be checked.
#[must_use]
pub fn rules(format: &str) -> Option<&'static [RuleEntry]> {
    FORMATS.contains(&format).then_some(Rule::ENTRIES)
}

/// What an update got wrong; offsets count over the segments of the image after.
///
/// # Errors
/// The first error of the image before.
pub fn check(update: &Update<'_>) -> Result<Vec<Finding>, Box<Finding>> {
    match update.before.format {
        GFX10_NAME | GFX11_NAME => gfx10::update::check_update(update),
        bvh4x2::NAME => bvh4x2::update::check_update(update),
        _ => gfx12::update::check_update(update),
    }
}

/// An update, as files.
#[derive(Debug, Clone, Copy)]
pub struct UpdateFiles<'a> {
    /// The image before.
    pub before: &'a ImageFile,
    /// The image after.
    pub after: &'a ImageFile,
    /// The geometry that the update was given.
    pub scene: Option<&'a Geometry>,
    /// The image of before, read again when the update had been made into another one.
    pub old: Option<&'a Image>,
    /// What the same update made in another run.
    pub twice: Option<&'a Image>,
}

/// Why an update cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum UpdateCheckError {
    /// Nobody updates one into the other.
    #[error("updates from {before} to {after} cannot be checked")]
    Formats {
        /// The format before.
        before: &'static str,
        /// The format after.
        after: &'static str,
    },
    /// The image before is unsound.
    #[error("the image is not safe to walk: {0}")]
    Unsound(Box<Finding>),
}

/// What an update of files got wrong; offsets are those of the file after.
///
/// # Errors
/// When the formats have no updates, or the image before is unsound.
pub fn check_files(files: &UpdateFiles<'_>) -> Result<AnyReport, UpdateCheckError> {
    let UpdateFiles { before, after, scene, old, twice } = *files;
    let [first, second] = [before.image.format, after.image.format];
    let format = registry().format(first).filter(|_| first == second && rules(first).is_some());
    let format = format.ok_or(UpdateCheckError::Formats { before: first, after: second })?;
    let mut failed = None;
    let report = after.clone().check(|after| {
        let update = Update { before: &before.image, after: &after, scene, old, twice };
        let outline = (format.outline)(&after);
        let kinds = ["boxes", "instances", "primitive_nodes"];
        let nodes = kinds.iter().map(|kind| outline.total(kind)).sum::<u64>() as usize;
        match check(&update) {
            Ok(findings) => AnyReport { findings, nodes, ..AnyReport::default() },
            Err(finding) => {
                failed = Some(finding);
                AnyReport::default()
            }
        }
    });
    failed.map_or(Ok(report), |finding| Err(UpdateCheckError::Unsound(finding)))
}

/// Why there is no image after an update.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// Nobody updates the format.
    #[error("images of the format {0} cannot be updated")]
    Format(&'static str),
    /// The geometry does not fit the image.
    #[error(transparent)]
    Refit(#[from] gfx12::refit::RefitError),
    /// The geometry does not fit the image of 4-wide nodes.
    #[error(transparent)]
    Bvh4(#[from] bvh4::update::RefitError),
}

/// The image with the geometry of a scene: the same tree, whose boxes are fitted anew.
///
/// # Errors
/// When the format has no updates, or the scene does not fit the image.
pub fn refit(image: &Arc<dyn AnyChecked>, scene: &Geometry) -> Result<Image, UpdateError> {
    if let Some(image) = downcast::<Gfx12>(image) {
        Ok(gfx12::refit::refit(&image, scene)?)
    } else if let Some(image) = downcast::<Gfx10Bvh4>(image) {
        Ok(gfx10::update::refit(&image, scene)?)
    } else if let Some(image) = downcast::<Gfx11Bvh4>(image) {
        Ok(gfx10::update::refit(&image, scene)?)
    } else if let Some(image) = downcast::<Gfx12Bvh4x2>(image) {
        Ok(bvh4x2::update::refit(&image, scene)?)
    } else {
        Err(UpdateError::Format(image.image().format))
    }
}

/// The settings by which an image of a scene is encoded as this one was, as far as it tells.
#[must_use]
pub fn settings_of(image: &Arc<dyn AnyChecked>) -> Vec<(&'static str, &'static str)> {
    if let Some(image) = downcast::<Gfx12>(image) {
        gfx12::refit::settings(&image)
    } else if let Some(image) = downcast::<Gfx10Bvh4>(image) {
        gfx10::update::settings(&image)
    } else if let Some(image) = downcast::<Gfx11Bvh4>(image) {
        gfx10::update::settings(&image)
    } else if let Some(image) = downcast::<Gfx12Bvh4x2>(image) {
        let precision = match bvh4x2::update::precision(&image) {
            BoxPrecision::High => "high",
            BoxPrecision::Fp32 => "fp32",
        };
        vec![("precision", precision)]
    } else {
        Vec::new()
    }
}
