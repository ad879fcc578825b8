//! The image that `siliray build` encodes a tree as.

use crate::failure::Failure;
use crate::image_args::ImageOutput;
use crate::output::AtomicFile;
use crate::output::number::grouped;
use serde::Serialize;
use siliray::machine::{Encoded, FormatEntry, Setting, TreeEntry};
use siliray::tree::Tree;
use std::collections::BTreeMap;

/// What `--json` adds.
#[derive(Serialize)]
pub(crate) struct ImageFigures {
    format: &'static str,
    /// The settings of the format, by key.
    #[serde(flatten)]
    settings: BTreeMap<&'static str, String>,
    bytes: u64,
    bytes_per_triangle: f64,
    nodes: usize,
    box_nodes: usize,
    primitive_nodes: usize,
    instance_nodes: usize,
    /// What only this format knows.
    #[serde(flatten)]
    details: BTreeMap<&'static str, f64>,
    output: Option<String>,
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
        encoded: &Encoded,
        format: &'static FormatEntry,
        args: &ImageOutput,
    ) -> Result<ImageFigures, Failure> {
        let Encoded { image, figures } = encoded;
        if let Some(file) = self.0 {
            let trees = trees(format).map_err(Failure::input)?;
            file.write(&(trees.write)(image).map_err(Failure::input)?)?;
        }
        let set = args.settings();
        let known = format.trees.as_ref().map_or(&[][..], |trees| trees.settings);
        let value =
            |setting: &Setting| set.get(setting.key).unwrap_or(setting.values[0]).to_owned();
        Ok(ImageFigures {
            format: image.format,
            settings: known.iter().map(|setting| (setting.key, value(setting))).collect(),
            bytes: figures.bytes,
            bytes_per_triangle: figures.bytes_per_triangle(),
            nodes: figures.nodes(),
            box_nodes: figures.box_nodes,
            primitive_nodes: figures.primitive_nodes,
            instance_nodes: figures.instance_nodes,
            details: figures.details.iter().copied().collect(),
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
            "\n{}{set}: {} bytes, {:.1} bytes of nodes a triangle; {} box, {} primitive and {} \
             instance nodes\n",
            self.format,
            grouped(self.bytes),
            self.bytes_per_triangle,
            grouped(self.box_nodes as u64),
            grouped(self.primitive_nodes as u64),
            grouped(self.instance_nodes as u64)
        );
        let details = self.details.iter();
        let details: Vec<String> =
            details.map(|(key, value)| format!("{} {value:.2}", key.replace('_', " "))).collect();
        if !details.is_empty() {
            text += &format!("{}\n", details.join(", "));
        }
        if let Some(output) = &self.output {
            text += &format!("written to {output}\n");
        }
        text
    }
}
