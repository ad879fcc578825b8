//! The image that `siliray build` lays a tree out as.

use crate::failure::Failure;
use crate::image_args::{FormatArg, ImageOutput};
use crate::output::AtomicFile;
use crate::output::number::{counted, grouped};
use serde::Serialize;
use siliray::gfx12::encode::{Encoded, Options, Policy, Report, encode};
use siliray::gfx12::uncompressed::{self, BoxPrecision};
use siliray::gfx12::{NAME as COMPRESSED, rra};
use siliray::machine::{Format, Image};
use siliray::tree::Tree;
use siliray::ttu::tb12::{self, Density};
use siliray::xphmg::tiles::header::Header;
use siliray::xphmg::{Precision, Tiles};

/// What `--json` adds.
#[derive(Serialize)]
pub(crate) struct ImageFigures {
    format: &'static str,
    /// Of the format gfx12.
    policy: Option<&'static str>,
    /// Of the format gfx12-bvh4x2.
    precision: Option<&'static str>,
    bytes: u64,
    bytes_per_triangle: f64,
    nodes: usize,
    box_nodes: usize,
    primitive_nodes: usize,
    instance_nodes: usize,
    pairs_per_node: f64,
    vertex_bits_saved: usize,
    /// With `--obb`.
    obb: Option<ObbFigures>,
    /// Of the format ttu.
    blocks: Option<BlockFigures>,
    output: Option<String>,
}

/// How blocks are filled.
#[derive(Serialize)]
struct BlockFigures {
    blocks: usize,
    nodes: usize,
    references: usize,
    nodes_per_block: f64,
    /// The share of the nodes that is in use.
    fill: f64,
}

impl From<&Density> for BlockFigures {
    fn from(density: &Density) -> Self {
        Self {
            blocks: density.blocks,
            nodes: density.nodes,
            references: density.references,
            nodes_per_block: density.nodes_per_block(),
            fill: density.fill(),
        }
    }
}

/// What oriented nodes gained.
#[derive(Serialize)]
struct ObbFigures {
    oriented_nodes: usize,
    sah_cost_axis_aligned: f64,
    sah_cost: f64,
    /// The share of the cost that is saved.
    gain: f64,
}

/// Refuses options that are not for the format.
pub(crate) fn check_options(args: &ImageOutput) -> Result<(), Failure> {
    let stray = match args.format {
        None => None,
        Some(format) if format != FormatArg::Gfx12 && args.obb => Some("--obb is for gfx12"),
        Some(format) if format != FormatArg::Gfx12 && args.policy.is_some() => {
            Some("--policy is for gfx12")
        }
        Some(FormatArg::Gfx12Bvh4x2) => None,
        Some(_) => args.precision.map(|_| "--precision is for gfx12-bvh4x2"),
    };
    stray.map_or(Ok(()), |stray| Err(Failure::usage(stray)))
}

/// Lays a tree out as the options ask, or says why not.
pub(crate) fn lay_out(
    tree: &Tree,
    format: FormatArg,
    args: &ImageOutput,
) -> Result<Encoded, String> {
    match format {
        FormatArg::Gfx12 => {
            let options = Options { obb: args.obb, ..Options::new(policy(args)) };
            encode(tree, &options).map_err(|error| error.to_string())
        }
        FormatArg::Gfx12Bvh4x2 => {
            let options = uncompressed::Options::new(precision(args));
            let image = uncompressed::encode::encode(tree, &options);
            let image = image.map_err(|error| error.to_string())?;
            Ok(Encoded { report: uncompressed::report::report(tree, &image), image })
        }
        FormatArg::Ttu => {
            let image = tb12::encode::encode(tree).map_err(|error| error.to_string())?;
            let density = Density::of(&image).unwrap_or_default();
            let report = Report {
                bytes: image.byte_count() as u64,
                node_bytes: density.bytes(),
                box_nodes: density.blocks,
                instance_nodes: density.instances,
                triangles: density.triangles,
                ..Report::default()
            };
            Ok(Encoded { report, image })
        }
        FormatArg::XphmgFp32 => lay_out_tiles(tree, Precision::Fp32),
        FormatArg::XphmgFp16 => lay_out_tiles(tree, Precision::Fp16),
        FormatArg::XphmgBf16 => lay_out_tiles(tree, Precision::Bf16),
        FormatArg::XphmgInt16q => lay_out_tiles(tree, Precision::Int16q),
    }
}

fn lay_out_tiles(tree: &Tree, precision: Precision) -> Result<Encoded, String> {
    let image = Tiles::new(precision).encode(tree).map_err(|error| error.to_string())?;
    Ok(Encoded { report: tiles_report(&image), image })
}

/// The figures of tiles: what lies before the table of names is what a ray can touch.
fn tiles_report(image: &Image) -> Report {
    let header = Header::from_bytes(image.segments[0].bytes());
    let figures = header.map(|header| Report {
        bytes: image.byte_count() as u64,
        node_bytes: header.triangle_base - header.base,
        box_nodes: header.nodes as usize,
        triangle_nodes: header.ranges as usize,
        triangles: header.triangles as usize,
        ..Report::default()
    });
    figures.unwrap_or_default()
}

fn policy(args: &ImageOutput) -> Policy {
    args.policy.map_or(Policy::Dense, Policy::from)
}

fn precision(args: &ImageOutput) -> BoxPrecision {
    args.precision.map_or(BoxPrecision::Fp32, BoxPrecision::from)
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
        let Encoded { image, report } = encoded;
        let is_compressed = image.format == COMPRESSED;
        if let Some(file) = self.0 {
            file.write(&match image.format {
                COMPRESSED => rra::write(image).map_err(Failure::input)?,
                uncompressed::NAME => uncompressed::file::write(image),
                // One segment, as it lies in memory.
                _ => image.segments[0].bytes().to_vec(),
            })?;
        }
        let primitive_nodes = report.triangle_nodes + report.procedural_nodes;
        Ok(ImageFigures {
            format: image.format,
            policy: is_compressed.then(|| policy(args).name()),
            precision: (image.format == uncompressed::NAME).then(|| precision(args).name()),
            blocks: (image.format == tb12::NAME)
                .then(|| BlockFigures::from(&Density::of(image).unwrap_or_default())),
            bytes: report.bytes,
            bytes_per_triangle: report.bytes_per_triangle(),
            nodes: report.box_nodes + primitive_nodes + report.instance_nodes,
            box_nodes: report.box_nodes,
            primitive_nodes,
            instance_nodes: report.instance_nodes,
            pairs_per_node: report.pairs_per_node(),
            vertex_bits_saved: report.vertex_bits_saved(),
            obb: args.obb.then(|| ObbFigures::from(report)),
            output: args.output.as_ref().map(|path| path.display().to_string()),
        })
    }
}

impl From<&Report> for ObbFigures {
    fn from(report: &Report) -> Self {
        Self {
            oriented_nodes: report.oriented_nodes,
            sah_cost_axis_aligned: report.sah_encoded,
            sah_cost: report.sah_oriented,
            gain: if report.sah_encoded > 0.0 {
                1.0 - report.sah_oriented / report.sah_encoded
            } else {
                0.0
            },
        }
    }
}

impl ImageFigures {
    /// The figures as a paragraph.
    pub(crate) fn text(&self) -> String {
        let written = self.output.as_ref().map(|output| format!("written to {output}\n"));
        if let Some(blocks) = &self.blocks {
            let text = format!(
                "\n{}: {} bytes, {:.1} bytes of blocks and references a triangle; {} of 128 bytes, \
                 {:.2} nodes each ({:.0} % full)\n",
                self.format,
                grouped(self.bytes),
                self.bytes_per_triangle,
                counted(blocks.blocks, "block"),
                blocks.nodes_per_block,
                100.0 * blocks.fill,
            );
            return text + &written.unwrap_or_default();
        }
        if self.policy.is_none() && self.precision.is_none() {
            let text = format!(
                "\n{}: {} bytes, {:.1} bytes of tiles and ranges a triangle; {} and {}\n",
                self.format,
                grouped(self.bytes),
                self.bytes_per_triangle,
                counted(self.box_nodes, "node"),
                counted(self.primitive_nodes, "range"),
            );
            return text + &written.unwrap_or_default();
        }
        let mut text = format!(
            "\n{}, {}: {} bytes, {:.1} bytes of nodes a triangle; {} box, {} primitive and {} \
             instance nodes\n",
            self.format,
            self.policy.or(self.precision).unwrap_or_default(),
            grouped(self.bytes),
            self.bytes_per_triangle,
            grouped(self.box_nodes as u64),
            grouped(self.primitive_nodes as u64),
            grouped(self.instance_nodes as u64)
        );
        text += &format!(
            "{:.2} pairs a primitive node, {} vertex bits saved\n",
            self.pairs_per_node,
            grouped(self.vertex_bits_saved as u64)
        );
        if let Some(obb) = &self.obb {
            text += &format!(
                "{} oriented: SAH {:.2} instead of {:.2}, {:.1} % less\n",
                counted(obb.oriented_nodes, "node"),
                obb.sah_cost,
                obb.sah_cost_axis_aligned,
                100.0 * obb.gain
            );
        }
        text + &written.unwrap_or_default()
    }
}
