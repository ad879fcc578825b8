//! Heat maps and lost pixels, in figures.

use crate::render::{HeatMap, LostPixels};
use serde::Serialize;

/// The scale of a heat map.
#[derive(Debug, Clone, Serialize)]
pub struct HeatMapDocument {
    /// What was counted.
    pub measure: &'static str,
    /// The count that has the brightest colour.
    pub brightest: u64,
    /// Smallest count of a pixel.
    pub least: u64,
    /// The count that half of the pixels do not exceed.
    pub median: u64,
    /// Mean over the pixels.
    pub mean: f64,
    /// The count that 99 of 100 pixels do not exceed.
    pub percentile_99: u64,
    /// Largest count of a pixel.
    pub most: u64,
}

/// Pixels that a machine loses.
#[derive(Debug, Clone, Serialize)]
pub struct LossDocument {
    /// Something is there.
    pub hits: u64,
    /// The machine does not see it.
    pub lost: u64,
    /// The machine sees something that is not there.
    pub wrong: u64,
}

impl From<&HeatMap> for HeatMapDocument {
    fn from(map: &HeatMap) -> Self {
        Self {
            measure: map.measure.name(),
            brightest: map.brightest,
            least: map.least,
            median: map.median,
            mean: map.mean,
            percentile_99: map.percentile_99,
            most: map.most,
        }
    }
}

impl From<LostPixels> for LossDocument {
    fn from(LostPixels { hits, lost, wrong }: LostPixels) -> Self {
        Self { hits, lost, wrong }
    }
}
