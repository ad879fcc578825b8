//! `siliray build`: figures of the tree for each preset.

use super::build_image::{ImageFigures, ImageOutputFile, check_options, encode};
use super::{about, build_tree, open_input};
use crate::args::Build;
use crate::failure::Failure;
use crate::output::number::{counted, grouped, rate, seconds};
use crate::output::{Output, Table};
use serde::Serialize;
use siliray::build::{Options, Preset, Report};
use siliray::input::{Origin, format_options};

/// What `--json` prints.
#[derive(Serialize)]
struct Json<'a> {
    scene: &'a str,
    /// Whether the scene was an image, whose own tree plays no part.
    source: &'static str,
    triangles: usize,
    placed_triangles: usize,
    instances: usize,
    width: usize,
    max_leaf: usize,
    presets: Vec<TreeFigures>,
    #[serde(flatten)]
    image: Option<ImageFigures>,
}

/// The figures of one tree.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct TreeFigures {
    pub(crate) preset: &'static str,
    pub(crate) sah_cost: f64,
    pub(crate) sah_cost_wide: f64,
    pub(crate) overlap: f64,
    pub(crate) depth: usize,
    pub(crate) leaf_fill: f64,
    pub(crate) nodes: usize,
    pub(crate) leaves: usize,
    pub(crate) duplicates: usize,
    pub(crate) seconds: f64,
    pub(crate) triangles_per_second: f64,
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

/// Builds with each preset and shows the figures.
pub(crate) fn run(args: &Build, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    let presets = presets(args)?;
    let output_image = args.image.with_width(args.shape.width);
    check_options(&output_image)?;
    let file = ImageOutputFile::begin(&output_image)?;
    let input = open_input(&args.scene, triangles)?;
    let origin = if input.as_scene().is_some() { Origin::Built } else { Origin::Rebuilt };
    let scene = input.into_scene().map_err(Failure::input)?;
    let mut figures = Vec::new();
    let mut image = None;
    let options = |preset| {
        let usual = match output_image.format {
            Some(format) => format_options(format, &output_image.settings(), preset),
            None => Options::preset(preset),
        };
        args.shape.of(usual)
    };
    let Options { width, max_leaf, .. } = options(Preset::Balanced);
    for preset in presets {
        let built = build_tree(&scene, &options(preset), output)?;
        figures.push(TreeFigures::from(&built.report));
        if let Some(format) = output_image.format {
            let encoded = encode(&built.tree, format, &output_image);
            let encoded = encoded.map_err(about(&args.scene))?;
            image = Some((encoded, format, built.tree.triangle_count()));
        }
    }
    let image = image
        .map(|(encoded, format, triangles)| file.finish(encoded, format, triangles, &output_image));
    let image = image.transpose()?;
    let json = Json {
        scene: &scene.name,
        source: origin.name(),
        triangles: scene.triangle_count(),
        placed_triangles: scene.placed_triangle_count(),
        instances: scene.instances.len(),
        width,
        max_leaf,
        presets: figures,
        image,
    };
    output.result(&json, &text(&json, origin))
}

/// The presets to build with: one if the tree becomes an image.
fn presets(args: &Build) -> Result<Vec<Preset>, Failure> {
    let presets: Vec<Preset> = args.presets.iter().map(|&preset| preset.into()).collect();
    match (args.image.format, presets.len()) {
        (None, 0) => Ok(Preset::BVHS.to_vec()),
        (Some(_), 0) => Ok(vec![Preset::Balanced]),
        (Some(_), 2..) => {
            Err(Failure::usage("--format takes one --preset: an image holds one tree"))
        }
        _ => Ok(presets),
    }
}

fn text(json: &Json<'_>, origin: Origin) -> String {
    let mut text = format!("{}: {}", json.scene, counted(json.triangles, "triangle"));
    if json.instances > 0 {
        text += &format!(
            ", placed by {} as {}",
            counted(json.instances, "instance"),
            grouped(json.placed_triangles as u64)
        );
    }
    if origin == Origin::Rebuilt {
        text += &format!("; rebuilt: {origin}");
    }
    text += "\n\n";
    let mut table = Table::new(&[
        "preset",
        "SAH binary",
        "SAH wide",
        "overlap",
        "depth",
        "leaf fill",
        "nodes",
        "leaves",
        "split",
        "time",
        "triangles",
    ]);
    for tree in &json.presets {
        table.row(vec![
            tree.preset.to_owned(),
            format!("{:.2}", tree.sah_cost),
            format!("{:.2}", tree.sah_cost_wide),
            format!("{:.3}", tree.overlap),
            tree.depth.to_string(),
            format!("{:.0} %", 100.0 * tree.leaf_fill),
            grouped(tree.nodes as u64),
            grouped(tree.leaves as u64),
            grouped(tree.duplicates as u64),
            seconds(tree.seconds),
            rate(tree.triangles_per_second),
        ]);
    }
    text += &table.text();
    text + &json.image.as_ref().map_or(String::new(), ImageFigures::text)
}
