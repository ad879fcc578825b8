//! The image that `siliray build` encodes a tree as.

use crate::failure::Failure;
use crate::image_args::ImageOutput;
use crate::output::AtomicFile;
use crate::output::number::grouped;
use serde::Serialize;
use siliray::machine::{ByteSplit, Detail, Encoded, FormatEntry, Setting, TreeEntry};
use siliray::tree::Tree;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

/// What `--json` adds.
#[derive(Serialize)]
pub(crate) struct ImageFigures {
    format: &'static str,
    /// The settings of the format, by key.
    #[serde(flatten)]
    settings: BTreeMap<&'static str, String>,
    #[serde(flatten)]
    bytes: ImageBytes,
    nodes: usize,
    box_nodes: usize,
    primitive_nodes: usize,
    instance_nodes: usize,
    /// What only this format knows.
    #[serde(flatten)]
    details: BTreeMap<&'static str, JsonDetail>,
    output: Option<String>,
}

/// What an image takes.
#[derive(Serialize)]
pub(crate) struct ImageBytes {
    bytes: u64,
    bytes_split: BTreeMap<&'static str, u64>,
    bytes_per_triangle: f64,
    file_bytes: usize,
    #[serde(skip)]
    per_triangle: [(&'static str, f64); 4],
}

impl ImageBytes {
    /// Of an image with so many triangles in a file of so many bytes.
    pub(crate) fn new(split: &ByteSplit, triangles: usize, file_bytes: usize) -> Self {
        let per_triangle = split.per_triangle(triangles);
        let [parts @ .., (_, bytes)] = split.named();
        let bytes_split = parts.into_iter().collect();
        let bytes_per_triangle = per_triangle[3].1;
        Self { bytes, bytes_split, bytes_per_triangle, file_bytes, per_triangle }
    }

    /// The bytes in words.
    pub(crate) fn text(&self) -> String {
        let [parts @ .., (_, total)] = self.per_triangle;
        let parts = parts.map(|(name, bytes)| format!("{name} {bytes:.1}")).join(", ");
        let (bytes, file) = (grouped(self.bytes), grouped(self.file_bytes as u64));
        format!("{bytes} bytes, {file} in a file; {total:.1} bytes a triangle: {parts}")
    }
}

/// A figure that only one format knows.
#[derive(Serialize)]
#[serde(untagged)]
enum JsonDetail {
    Count(u64),
    Number(f64),
}

impl From<Detail> for JsonDetail {
    fn from(detail: Detail) -> Self {
        match detail {
            Detail::Count(count) => Self::Count(count),
            Detail::Number(number) => Self::Number(number),
        }
    }
}

impl JsonDetail {
    fn text(&self) -> String {
        match self {
            Self::Count(count) => grouped(*count),
            Self::Number(number) => format!("{number:.2}"),
        }
    }
}

/// Refuses settings that the format does not have.
pub(crate) fn check_options(args: &ImageOutput) -> Result<(), Failure> {
    let Some(format) = args.format else { return Ok(()) };
    format.accepts(&args.settings()).map_err(Failure::usage)
}

/// Encodes a tree as the options ask, or says why not.
pub(crate) fn encode(
    tree: &Tree,
    format: &'static FormatEntry,
    args: &ImageOutput,
) -> Result<Encoded, String> {
    (trees(format)?.encode)(tree, &args.settings()).map_err(|error| error.to_string())
}

fn trees(format: &'static FormatEntry) -> Result<&'static TreeEntry, String> {
    format.trees.as_ref().ok_or_else(|| format!("{} holds no trees", format.name))
}

/// The file under way, if one was asked for.
pub(crate) struct ImageOutputFile(Option<AtomicFile>);

impl ImageOutputFile {
    /// Begins the file: a place that cannot be written to is found out before the long work.
    pub(crate) fn begin(args: &ImageOutput) -> Result<Self, Failure> {
        args.output.as_deref().map(AtomicFile::create).transpose().map(Self)
    }

    /// Writes the image and tells its figures.
    pub(crate) fn finish(
        self,
        encoded: Encoded,
        format: &'static FormatEntry,
        triangles: usize,
        args: &ImageOutput,
    ) -> Result<ImageFigures, Failure> {
        let Encoded { image, details } = encoded;
        let trees = trees(format).map_err(Failure::input)?;
        let ending = args.output.as_deref().and_then(Path::extension).and_then(OsStr::to_str);
        let bytes = (trees.write)(&image, ending).map_err(Failure::input)?;
        let figures = (trees.figures)(&image);
        if let Some(file) = self.0 {
            file.write(&bytes)?;
        }
        let set = args.settings();
        let known = trees.settings;
        let value =
            |setting: &Setting| set.get(setting.key).unwrap_or(setting.values[0]).to_owned();
        Ok(ImageFigures {
            format: image.format,
            settings: known.iter().map(|setting| (setting.key, value(setting))).collect(),
            bytes: ImageBytes::new(&figures.bytes, triangles, bytes.len()),
            nodes: figures.nodes(),
            box_nodes: figures.box_nodes,
            primitive_nodes: figures.primitive_nodes,
            instance_nodes: figures.instance_nodes,
            details: figures
                .details
                .into_iter()
                .chain(details)
                .map(|(k, d)| (k, d.into()))
                .collect(),
            output: args.output.as_ref().map(|path| path.display().to_string()),
        })
    }
}

impl ImageFigures {
    /// The figures as a paragraph.
    pub(crate) fn text(&self) -> String {
        let set: Vec<String> = self.settings.iter().map(|(k, v)| format!("{k} {v}")).collect();
        let set = if set.is_empty() { String::new() } else { format!(", {}", set.join(", ")) };
        let mut text = format!(
            "\n{}{set}: {}\n{} box, {} primitive and {} instance nodes\n",
            self.format,
            self.bytes.text(),
            grouped(self.box_nodes as u64),
            grouped(self.primitive_nodes as u64),
            grouped(self.instance_nodes as u64)
        );
        let details = self.details.iter();
        let details =
            details.map(|(key, value)| format!("{} {}", key.replace('_', " "), value.text()));
        let details: Vec<String> = details.collect();
        if !details.is_empty() {
            text += &format!("{}\n", details.join(", "));
        }
        if let Some(output) = &self.output {
            text += &format!("written to {output}\n");
        }
        text
    }
}
