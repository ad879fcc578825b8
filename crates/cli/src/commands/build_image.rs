//! The image that `siliray build` lays a tree out as.

use crate::failure::Failure;
use crate::image_args::ImageOutput;
use crate::output::AtomicFile;
use crate::output::number::grouped;
use serde::Serialize;
use siliray::gfx12::encode::{Encoded, Options, encode};
use siliray::gfx12::rra;
use siliray::tree::Tree;

/// What `--json` adds.
#[derive(Serialize)]
pub(crate) struct ImageFigures {
    format: &'static str,
    policy: &'static str,
    bytes: u64,
    bytes_per_triangle: f64,
    nodes: usize,
    box_nodes: usize,
    primitive_nodes: usize,
    instance_nodes: usize,
    output: Option<String>,
}

/// Lays a tree out as the options ask.
pub(crate) fn lay_out(tree: &Tree, args: &ImageOutput) -> Result<Encoded, Failure> {
    let options = Options { obb: args.obb, ..Options::new(args.policy.into()) };
    encode(tree, &options).map_err(Failure::input)
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
        args: &ImageOutput,
    ) -> Result<ImageFigures, Failure> {
        if let Some(file) = self.0 {
            file.write(&rra::write(&encoded.image).map_err(Failure::input)?)?;
        }
        let report = &encoded.report;
        let primitive_nodes = report.triangle_nodes + report.procedural_nodes;
        Ok(ImageFigures {
            format: encoded.image.format,
            policy: siliray::gfx12::encode::Policy::from(args.policy).name(),
            bytes: report.bytes,
            bytes_per_triangle: report.bytes_per_triangle(),
            nodes: report.box_nodes + primitive_nodes + report.instance_nodes,
            box_nodes: report.box_nodes,
            primitive_nodes,
            instance_nodes: report.instance_nodes,
            output: args.output.as_ref().map(|path| path.display().to_string()),
        })
    }
}

impl ImageFigures {
    /// The figures as a paragraph.
    pub(crate) fn text(&self) -> String {
        let mut text = format!(
            "\n{}, {}: {} bytes, {:.1} bytes of nodes a triangle; {} box, {} primitive and {} instance nodes\n",
            self.format,
            self.policy,
            grouped(self.bytes),
            self.bytes_per_triangle,
            grouped(self.box_nodes as u64),
            grouped(self.primitive_nodes as u64),
            grouped(self.instance_nodes as u64)
        );
        if let Some(output) = &self.output {
            text += &format!("written to {output}\n");
        }
        text
    }
}
