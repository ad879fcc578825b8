//! Statistics of acceleration structures in the drivers' own words.
//!
//! RADV writes a CSV of its structures (`RADV_BVH_STATS_FILE`). The same lines are made here from
//! images, and files of the driver's are read, so that either can be compared with either.
//!
//! | file | concept |
//! |---|---|
//! | [`csv`] | the driver's file, read and written |
//! | [`totals`] | what changed between two sets of structures |

pub mod csv;
pub mod totals;

use crate::input::Reading;
use gfx10::{Gfx10Bvh4, Gfx11Bvh4};
use gfx12::Gfx12;
use gfx12::bvh4x2::{self, Gfx12Bvh4x2};
use machine::statistics::BvhStatistics;
use machine::{AnyChecked, ReadError, ReadOptions, StructureSummary, downcast};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// The figures of one structure, as a line of the driver's file.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The application, or the file that an image is in.
    pub app: String,
    /// The structure, if it has a name.
    pub name: String,
    /// `tlas` or `blas`.
    pub level: String,
    /// The driver's figures, in its order.
    pub figures: Vec<(String, u64)>,
    /// What the driver leaves out; empty in a file of the driver's.
    pub more: Vec<(String, f64)>,
}

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
pub enum StatsError {
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] scene::FileError),
    /// It is neither an image nor a CSV.
    #[error("{0}: neither an image of a format with statistics nor a CSV of a driver's")]
    Unknown(String),
    /// The image cannot be taken apart.
    #[error("{0}: {1}")]
    Broken(String, ReadError),
    /// The image is not safe to walk.
    #[error("{0}: the image is not safe to walk: {1}")]
    Unsound(String, Box<machine::Finding>),
    /// A line of a CSV is wrong.
    #[error("{0}: {1}")]
    Csv(String, csv::CsvError),
}

/// The figures of a checked image; `None` if no driver counts its format.
#[must_use]
pub fn of_image(image: &Arc<dyn AnyChecked>) -> Option<Vec<BvhStatistics>> {
    if let Some(image) = downcast::<Gfx12>(image) {
        Some(gfx12::stats::statistics(&image))
    } else if let Some(image) = downcast::<Gfx10Bvh4>(image) {
        Some(gfx10::update::statistics(&image))
    } else if let Some(image) = downcast::<Gfx11Bvh4>(image) {
        Some(gfx10::update::statistics(&image))
    } else {
        downcast::<Gfx12Bvh4x2>(image).map(|image| bvh4x2::update::statistics(&image))
    }
}

/// The figures of an image of a file with some structures, which may tell what was allocated.
#[must_use]
pub fn of_file(
    image: &Arc<dyn AnyChecked>,
    structures: &[StructureSummary],
) -> Option<Vec<BvhStatistics>> {
    let mut all = of_image(image)?;
    for one in &mut all {
        let allocated = number_of(one, structures).and_then(|number| structures[number].allocated);
        let place = one.figures.iter_mut().find(|(name, _)| *name == "allocated_size");
        if let Some(((_, value), allocated)) = place.zip(allocated) {
            *value = allocated;
        }
    }
    Some(all)
}

/// Which structure of a file it is.
fn number_of(one: &BvhStatistics, structures: &[StructureSummary]) -> Option<usize> {
    structures.iter().position(|known| {
        one.address.checked_sub(known.address).is_some_and(|at| at < known.bytes as u64)
    })
}

/// The lines of a file: an image, or what a driver wrote. Of a file with several structures, those
/// that are reached from the largest come first, then the others.
///
/// # Errors
/// When it is neither, or broken.
pub fn read(path: &Path, reading: &Reading) -> Result<Vec<Line>, StatsError> {
    let shown = path.display().to_string();
    let bytes = scene::read_file(path)?;
    if reading.options.raw.is_none() && csv::is_csv(&bytes) {
        return csv::read(&bytes).map_err(|error| StatsError::Csv(shown, error));
    }
    let format = reading.format_of(path, &bytes).filter(|format| format.holds_trees());
    let format = format.ok_or_else(|| StatsError::Unknown(shown.clone()))?;
    let mut lines = Vec::new();
    let mut seen = BTreeSet::new();
    let mut next = None;
    loop {
        let asked = reading.options.structure;
        let options = ReadOptions { structure: next.or(asked), raw: reading.options.raw };
        let file = (format.read)(&bytes, &options);
        let file = file.map_err(|error| StatsError::Broken(shown.clone(), error))?;
        let structures = file.structures.clone();
        let checked = file.check(format.check).into_checked();
        let checked = checked.map_err(|finding| StatsError::Unsound(shown.clone(), finding))?;
        let all = of_file(&checked, &structures);
        let all = all.ok_or_else(|| StatsError::Unknown(shown.clone()))?;
        for (place, one) in all.iter().enumerate() {
            let number = number_of(one, &structures);
            if number.is_none_or(|number| seen.insert(number)) {
                let name = number.and_then(|number| structures[number].name.clone());
                let name = name.unwrap_or_else(|| format!("structure {}", number.unwrap_or(place)));
                lines.push(Line::of(&shown, name, one));
            }
        }
        seen.extend(next);
        next = (0..structures.len()).find(|number| !seen.contains(number));
        if next.is_none() || asked.is_some() {
            return Ok(lines);
        }
    }
}

impl Line {
    /// The line of a structure of an image.
    fn of(file: &str, name: String, one: &BvhStatistics) -> Self {
        let figures = one.figures.iter().map(|&(name, value)| (name.to_owned(), value));
        let more = one.more.iter().map(|&(name, value)| (name.to_owned(), value));
        Self {
            app: file.to_owned(),
            name,
            level: one.level().to_owned(),
            figures: figures.collect(),
            more: more.collect(),
        }
    }

    /// The figure of a name.
    #[must_use]
    pub fn figure(&self, name: &str) -> Option<u64> {
        self.figures.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }
}
