//! Updates and figures of images, as RADV and GPURT make them ([`bvh4::update`],
//! [`bvh4::image::stats`]).

use crate::format::{Bvh4, Proved};
use crate::structure::Structure;
use crate::{GFX11_NAME, Writer};
use bvh4::image::stats;
use bvh4::layout::Bvh4Kind;
use bvh4::update::{self, RefitError, Update};
use machine::source::Geometry;
use machine::statistics::BvhStatistics;
use machine::{Checked, Finding, Image};

/// The figures of all structures of an image: BLASes first, as the driver has them.
#[must_use]
pub fn statistics<const GFX11: bool>(checked: &Checked<Bvh4<GFX11>>) -> Vec<BvhStatistics> {
    stats::statistics(checked.image(), checked.survey())
}

/// The image with the geometry of a scene: the same tree, whose boxes are fitted anew.
///
/// # Errors
/// When the scene does not have what the image holds, or the image no room for it.
pub fn refit<const GFX11: bool>(
    checked: &Checked<Bvh4<GFX11>>,
    scene: &Geometry,
) -> Result<Image, RefitError> {
    update::refit(checked.image(), checked.survey(), checked.tree(), scene)
}

/// The encoder's settings by which an image of other geometry is laid out as this one. An update
/// leaves no margin.
#[must_use]
pub fn settings<const GFX11: bool>(
    checked: &Checked<Bvh4<GFX11>>,
) -> Vec<(&'static str, &'static str)> {
    let survey = checked.survey();
    let policy = match survey.structures[0].structure.writer {
        Writer::Own | Writer::Hiprt => "own",
        Writer::Gpurt | Writer::RadvFile => "gpurt",
        Writer::Radv => "radv",
    };
    let mut boxes = survey.structures.iter().flat_map(|surveyed| &surveyed.boxes);
    let has_halves = boxes.any(|record| record.pointer.kind() == Bvh4Kind::HalfBox);
    vec![("policy", policy), ("half", if has_halves { "on" } else { "off" }), ("margin", "off")]
}

/// What an update got wrong. Offsets count over the segments of the image after.
///
/// # Errors
/// The first error of the image before, if that is unsound.
pub fn check_update(update: &Update<'_>) -> Result<Vec<Finding>, Box<Finding>> {
    match update.before.format == GFX11_NAME {
        true => update::check_update::<Bvh4<true>, Structure>(update, Checked::survey),
        false => update::check_update::<Bvh4<false>, Structure>(update, Checked::survey),
    }
}
