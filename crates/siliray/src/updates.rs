//! Updates of images, for the formats that drivers update: making them, and what must hold between
//! an image before and after.

pub use gfx12::update::Update;

use gfx12::Gfx12;
use gfx12::refit::RefitError;
use machine::source::Geometry;
use machine::{AnyChecked, Finding, Image, RuleEntry, downcast};
use std::sync::Arc;

/// The rules of updates of a format; none if its updates cannot be checked.
#[must_use]
pub fn rules(format: &str) -> Option<&'static [RuleEntry]> {
    (format == gfx12::NAME).then_some(gfx12::update::Rule::ENTRIES)
}

/// What an update got wrong; offsets count over the segments of the image after.
///
/// # Errors
/// The first error of the image before.
pub fn check(update: &Update<'_>) -> Result<Vec<Finding>, Box<Finding>> {
    gfx12::update::check_update(update)
}

/// Why there is no image after an update.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// Nobody updates the format.
    #[error("images of the format {0} cannot be updated")]
    Format(&'static str),
    /// The geometry does not fit the image.
    #[error(transparent)]
    Refit(#[from] RefitError),
}

/// The image with the geometry of a scene: the same tree, whose boxes are fitted anew.
///
/// # Errors
/// When the format has no updates, or the scene does not fit the image.
pub fn refit(image: &Arc<dyn AnyChecked>, scene: &Geometry) -> Result<Image, UpdateError> {
    let checked = downcast::<Gfx12>(image).ok_or(UpdateError::Format(image.image().format))?;
    Ok(gfx12::refit::refit(&checked, scene)?)
}

/// The settings by which an image of a scene is encoded as this one was, as far as it tells.
#[must_use]
pub fn settings_of(image: &Arc<dyn AnyChecked>) -> Vec<(&'static str, &'static str)> {
    downcast::<Gfx12>(image).map_or_else(Vec::new, |image| gfx12::refit::settings(&image))
}
