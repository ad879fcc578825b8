//! Updates of images, for the formats that drivers update: making them, and what must hold between
//! an image before and after.

pub use bvh4::update::Update;

use crate::image_scene::scene_of;
use crate::input::{OpenedImage, RouteError, encode_checked, format_options};
use crate::registry::registry;
use crate::stats;
use build::{BuildError, Preset, ProgressFn};
use bvh4::update::Rule;
use gfx10::{GFX10_NAME, GFX11_NAME, Gfx10Bvh4, Gfx11Bvh4};
use gfx12::Gfx12;
use gfx12::bvh4x2::{self, BoxPrecision, Gfx12Bvh4x2};
use machine::source::Geometry;
use machine::{
    AnyChecked, AnyReport, Finding, Image, ImageFile, ReadError, RuleEntry, Settings, Severity,
    downcast,
};
use scene::Scene;
use std::ops::ControlFlow;
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
    pub after: &'a OpenedImage,
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
    /// The file after has no such structure.
    #[error(transparent)]
    After(#[from] ReadError),
}

/// What an update of files got wrong; offsets are those of the file after. That one may be broken:
/// why is then the one finding.
///
/// # Errors
/// When the formats have no updates, or the image before is unsound.
pub fn check_files(files: &UpdateFiles<'_>) -> Result<AnyReport, UpdateCheckError> {
    let UpdateFiles { before, after, scene, old, twice } = *files;
    let Ok(file) = &after.file else { return Ok(after.check(None).map_err(Clone::clone)?) };
    let [first, second] = [before.image.format, after.format.name];
    let format = registry().format(first).filter(|_| first == second && rules(first).is_some());
    let format = format.ok_or(UpdateCheckError::Formats { before: first, after: second })?;
    let mut failed = None;
    let mut report = file.clone().check(|after| {
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
    if let Some(finding) = failed {
        return Err(UpdateCheckError::Unsound(finding));
    }
    if scene.is_some() {
        let checked = file.clone().check(format.check).into_checked().ok();
        report.findings.extend(checked.and_then(|after| over_rebuilt(&after)));
        report.findings.sort_by_key(Finding::report_order);
    }
    Ok(report)
}

/// What an image costs beside a new tree over what it holds; nothing if there can be none.
fn over_rebuilt(after: &Arc<dyn AnyChecked>) -> Option<Finding> {
    let scene = scene_of(after.tree(), String::new()).ok()?;
    let new = rebuilt(&scene, after, &|_| ControlFlow::Continue(())).ok()?;
    let [after, new] = [cost(after), cost(&new)];
    (new > 0.0).then(|| Finding {
        severity: Severity::Note,
        rule: Rule::Cost.name(),
        offset: 0,
        bits: 0..0,
        found: format!("SAH {after:.3}, {:.3} times that of a new tree", after / new),
        expected: format!("{new:.3}"),
        place: "image".to_owned(),
        count: 1,
        weight: 0,
    })
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
    /// There is no new tree to compare with.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The new tree has no image.
    #[error(transparent)]
    Encode(#[from] RouteError),
}

impl UpdateError {
    /// The options of a build whose leaves have room for what these lack, if there are any.
    #[must_use]
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::Refit(gfx12::refit::RefitError::Bits { .. }) => {
                Some("--format gfx12 --set updatable=on")
            }
            _ => None,
        }
    }
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

/// A new tree over a scene, encoded as an image was.
///
/// # Errors
/// When the scene has no tree, or the format no room for it.
pub fn rebuilt(
    scene: &Scene,
    image: &Arc<dyn AnyChecked>,
    watch: &ProgressFn<'_>,
) -> Result<Arc<dyn AnyChecked>, UpdateError> {
    let name = image.image().format;
    let format = registry().format(name).ok_or(UpdateError::Format(name))?;
    let settings = settings_of(image).into_iter();
    let settings = settings.fold(Settings::default(), |all, (key, value)| all.with(key, value));
    let options = format_options(format, &settings, Preset::Balanced);
    let built = build::build(scene, &options, watch)?;
    Ok(encode_checked(&built.tree, format, &settings)?)
}

/// The driver's figure of the structure that an image starts in, with what is below it.
#[must_use]
pub fn cost(image: &Arc<dyn AnyChecked>) -> f64 {
    let all = stats::of_image(image).unwrap_or_default();
    let figure = |name| all.last().and_then(|last| last.figure(name)).unwrap_or(0);
    let millionths = figure("scene_sah").max(figure("sah"));
    millionths as f64 / 1e6
}
