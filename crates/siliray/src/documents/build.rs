//! Trees, and the images that they are laid out as.

use build::Report;
use machine::{ByteSplit, Detail, Encoded, Figures, FormatEntry, Setting, Settings};
use serde::Serialize;
use std::collections::BTreeMap;

/// The trees of a scene, and the image of the last one if a format was asked for.
#[derive(Debug, Clone, Serialize)]
pub struct BuildDocument {
    /// The scene, by name.
    pub scene: String,
    /// Whether the scene was an image, whose own tree plays no part.
    pub source: &'static str,
    /// Triangles stored.
    pub triangles: usize,
    /// Triangles seen.
    pub placed_triangles: usize,
    /// Placed copies of objects.
    pub instances: usize,
    /// Most children of a node.
    pub width: usize,
    /// Most triangles of a leaf.
    pub max_leaf: usize,
    /// One tree for each preset.
    pub presets: Vec<TreeFigures>,
    /// The image.
    #[serde(flatten)]
    pub image: Option<ImageFigures>,
}

/// The figures of one tree.
#[derive(Debug, Clone, Serialize)]
pub struct TreeFigures {
    /// How it was built.
    pub preset: &'static str,
    /// Surface-area cost of the binary tree.
    pub sah_cost: f64,
    /// The same of the wide tree.
    pub sah_cost_wide: f64,
    /// End-point overlap of the wide tree.
    pub overlap: f64,
    /// Most entries on a path from the root to a leaf.
    pub depth: usize,
    /// References in a leaf, as a share of the most.
    pub leaf_fill: f64,
    /// Nodes.
    pub nodes: usize,
    /// Leaves.
    pub leaves: usize,
    /// References that spatial splits added.
    pub duplicates: usize,
    /// Time from scene to tree.
    pub seconds: f64,
    /// Triangles over time.
    pub triangles_per_second: f64,
}

impl From<&Report> for TreeFigures {
    fn from(report: &Report) -> Self {
        Self {
            preset: report.preset.name(),
            sah_cost: report.sah_cost,
            sah_cost_wide: report.sah_cost_wide,
            overlap: report.overlap,
            depth: report.depth,
            leaf_fill: report.leaf_fill,
            nodes: report.nodes,
            leaves: report.leaves,
            duplicates: report.duplicates,
            seconds: report.seconds,
            triangles_per_second: report.primitives_per_second,
        }
    }
}

/// The figures of an image.
#[derive(Debug, Clone, Serialize)]
pub struct ImageFigures {
    /// Its format.
    pub format: &'static str,
    /// The settings of the format, by key.
    #[serde(flatten)]
    pub settings: BTreeMap<&'static str, String>,
    /// What it takes.
    #[serde(flatten)]
    pub bytes: ImageBytes,
    /// All nodes.
    pub nodes: usize,
    /// Those with boxes.
    pub box_nodes: usize,
    /// Those with primitives.
    pub primitive_nodes: usize,
    /// Those with instances.
    pub instance_nodes: usize,
    /// What only this format knows.
    #[serde(flatten)]
    pub details: BTreeMap<&'static str, FormatDetail>,
    /// The file that was written.
    pub output: Option<String>,
}

/// What an image takes.
#[derive(Debug, Clone, Serialize)]
pub struct ImageBytes {
    /// Bytes of the image.
    pub bytes: u64,
    /// Where they go.
    pub bytes_split: BTreeMap<&'static str, u64>,
    /// The same for each triangle, all of it.
    pub bytes_per_triangle: f64,
    /// Bytes of the file.
    pub file_bytes: usize,
    /// The parts for each triangle, and all of it.
    #[serde(skip)]
    pub per_triangle: [(&'static str, f64); 4],
}

impl ImageBytes {
    /// Of an image with so many triangles in a file of so many bytes.
    #[must_use]
    pub fn new(split: &ByteSplit, triangles: usize, file_bytes: usize) -> Self {
        let per_triangle = split.per_triangle(triangles);
        let [parts @ .., (_, bytes)] = split.named();
        let bytes_split = parts.into_iter().collect();
        let bytes_per_triangle = per_triangle[3].1;
        Self { bytes, bytes_split, bytes_per_triangle, file_bytes, per_triangle }
    }
}

/// A figure that only one format knows.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(untagged)]
pub enum FormatDetail {
    /// A whole number.
    Count(u64),
    /// Another one.
    Number(f64),
}

impl From<Detail> for FormatDetail {
    fn from(detail: Detail) -> Self {
        match detail {
            Detail::Count(count) => Self::Count(count),
            Detail::Number(number) => Self::Number(number),
        }
    }
}

impl ImageFigures {
    /// Of an image with so many triangles, which a tree was encoded as with `settings`, in a file
    /// of so many bytes. `None` for a format that holds no trees.
    #[must_use]
    pub fn new(
        encoded: &Encoded,
        format: &FormatEntry,
        settings: &Settings,
        triangles: usize,
        file_bytes: usize,
    ) -> Option<Self> {
        let trees = format.trees.as_ref()?;
        let figures: Figures = (trees.figures)(&encoded.image);
        let value =
            |setting: &Setting| settings.get(setting.key).unwrap_or(setting.values[0]).to_owned();
        let details = figures.details.iter().chain(&encoded.details);
        Some(Self {
            format: encoded.image.format,
            settings: trees.settings.iter().map(|known| (known.key, value(known))).collect(),
            bytes: ImageBytes::new(&figures.bytes, triangles, file_bytes),
            nodes: figures.nodes(),
            box_nodes: figures.box_nodes,
            primitive_nodes: figures.primitive_nodes,
            instance_nodes: figures.instance_nodes,
            details: details.map(|(key, detail)| (*key, (*detail).into())).collect(),
            output: None,
        })
    }
}
