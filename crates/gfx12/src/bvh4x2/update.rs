//! Updates and figures of images, as drivers make them for the nodes that this format descends from
//! ([`bvh4::update`], [`bvh4::image::stats`]).

use super::survey::Structure;
use super::{BoxPrecision, Gfx12Bvh4x2};
use crate::layout::bvh4x2::Bvh4Kind;
use bvh4::image::stats;
use bvh4::update::{self, RefitError, Update};
use machine::source::Geometry;
use machine::statistics::BvhStatistics;
use machine::{Checked, Finding, Image};

/// The figures of all structures of an image: BLASes first, as the driver has them.
#[must_use]
pub fn statistics(checked: &Checked<Gfx12Bvh4x2>) -> Vec<BvhStatistics> {
    stats::statistics(checked.image(), &checked.proof().survey)
}

/// The image with the geometry of a scene: the same tree, whose boxes are fitted anew.
///
/// # Errors
/// When the scene does not have what the image holds, or the image no room for it.
pub fn refit(checked: &Checked<Gfx12Bvh4x2>, scene: &Geometry) -> Result<Image, RefitError> {
    update::refit(checked.image(), &checked.proof().survey, checked.tree(), scene)
}

/// How the planes of an image are stored.
#[must_use]
pub fn precision(checked: &Checked<Gfx12Bvh4x2>) -> BoxPrecision {
    let structures = &checked.proof().survey.structures;
    let mut boxes = structures.iter().flat_map(|surveyed| &surveyed.boxes);
    match boxes.any(|record| record.pointer.kind() == Bvh4Kind::HalfBox) {
        true => BoxPrecision::High,
        false => BoxPrecision::Fp32,
    }
}

/// What an update got wrong. Offsets count over the segments of the image after.
///
/// # Errors
/// The first error of the image before, if that is unsound.
pub fn check_update(update: &Update<'_>) -> Result<Vec<Finding>, Box<Finding>> {
    update::check_update::<Gfx12Bvh4x2, Structure>(update, |checked| &checked.proof().survey)
}
