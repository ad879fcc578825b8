//! A report that a browser can show: one HTML file that needs nothing else.

mod html;
mod text;

pub(crate) use html::style;
pub use html::to_html;
pub(crate) use text::escaped;
pub use text::grouped;

use crate::render::Rendering;

/// The label of the timing of the shaded picture.
pub const SHADED: &str = "shaded picture";

/// What a report tells.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// Name of the scene.
    pub scene: &'a str,
    /// Triangles stored.
    pub triangles: usize,
    /// Triangles seen, counted as often as they are placed.
    pub placed_triangles: usize,
    /// Instances; 0 for a scene that is one object.
    pub instances: usize,
    /// Figures of the trees, one for each preset.
    pub trees: &'a [build::Report],
    /// The preset whose tree was rendered and checked.
    pub preset: build::Preset,
    /// A shaded picture.
    pub shaded: &'a Rendering,
    /// A heat map of the same view.
    pub heat_map: &'a Rendering,
    /// What came of the check.
    pub check: Check,
    /// What was done, in order, and how many seconds each took.
    pub timings: &'a [(&'a str, f64)],
    /// How many threads did it.
    pub threads: usize,
}

/// A sample of queries compared with brute force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    /// How many queries were asked.
    pub queries: usize,
    /// How many answers differ from the oracle's.
    pub mismatches: usize,
}
