//! `siliray build`: figures of the tree for each preset.

use super::{about, open_input};
use crate::args::Build;
use crate::failure::Failure;
use crate::output::number::{counted, grouped, rate, seconds};
use crate::output::{self, AtomicFile, Output, Table};
use siliray::build::Preset;
use siliray::documents::build::{BuildDocument, FormatDetail, ImageBytes, ImageFigures};
use siliray::image_build::{BuildPlan, BuiltImage, MakeImageError};
use siliray::input::Origin;
use std::ffi::OsStr;
use std::path::Path;

/// The first bytes of an .rra file.
const VIEWER_FILE: &[u8] = b"AMD_RDF ";

/// Builds with each preset and shows the figures.
pub(crate) fn run(args: &Build, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    let presets: Vec<Preset> = args.presets.clone();
    let settings = args.image.settings()?;
    let format = args.image.format.map(|format| (format, settings));
    let plan =
        BuildPlan::new(&presets, format, args.shape.sizes()).map_err(|error| match error {
            MakeImageError::ManyPresets(_) => {
                Failure::usage("--format takes one --preset: an image holds one tree")
            }
            MakeImageError::Width(_) => Failure::usage(format!("--width: {error}")),
            _ => Failure::usage(error),
        })?;
    // A place that cannot be written to is found out before the long work.
    let path = args.image.output.as_deref();
    let file = path.map(AtomicFile::create).transpose()?;
    let input = open_input(&args.scene, triangles)?;
    let origin = if input.as_scene().is_some() { Origin::Built } else { Origin::Rebuilt };
    let scene = input.into_scene().map_err(Failure::input)?;
    let ending = path.and_then(Path::extension).and_then(OsStr::to_str);
    let own = args.image.format.map(|format| format.ending);
    let is_own = |ending: &str| own.into_iter().chain(["rra"]).any(|own| own == ending);
    let is_other = ending.is_some_and(|ending| !is_own(&ending.to_lowercase()));
    let bar = output.bar("building");
    let made = plan.run(&scene, origin, ending, &|progress| bar.update(progress));
    drop(bar);
    let BuiltImage { mut document, file: bytes } = made.map_err(|error| match error {
        MakeImageError::Encode(error) => about(&args.scene)(error),
        _ => Failure::input(error),
    })?;
    if let (Some(file), Some(bytes)) = (file, bytes) {
        file.write(&bytes)?;
        if let Some(path) = path.filter(|_| bytes.starts_with(VIEWER_FILE) && is_other) {
            let path = path.display();
            output::warn(format!(
                "{path} is an .rra file: only drivers' memory is written as it is"
            ));
        }
    }
    if let Some(image) = &mut document.image {
        image.output = path.map(|path| path.display().to_string());
    }
    output.result(&document, &text(&document, origin))
}

fn text(json: &BuildDocument, origin: Origin) -> String {
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
    text + &json.image.as_ref().map_or(String::new(), image_text)
}

/// The figures of the image as a paragraph.
fn image_text(image: &ImageFigures) -> String {
    let set: Vec<String> = image.settings.iter().map(|(k, v)| format!("{k} {v}")).collect();
    let set = if set.is_empty() { String::new() } else { format!(", {}", set.join(", ")) };
    let mut text = format!(
        "\n{}{set}: {}\n{} box, {} primitive and {} instance nodes\n",
        image.format,
        bytes_text(&image.bytes),
        grouped(image.box_nodes as u64),
        grouped(image.primitive_nodes as u64),
        grouped(image.instance_nodes as u64)
    );
    let detail = |(key, value): (&&str, &FormatDetail)| {
        let value = match value {
            FormatDetail::Count(count) => grouped(*count),
            FormatDetail::Number(number) => format!("{number:.2}"),
        };
        format!("{} {value}", key.replace('_', " "))
    };
    let details: Vec<String> = image.details.iter().map(detail).collect();
    if !details.is_empty() {
        text += &format!("{}\n", details.join(", "));
    }
    if let Some(output) = &image.output {
        text += &format!("written to {output}\n");
    }
    text
}

/// What an image takes, in words.
pub(crate) fn bytes_text(image: &ImageBytes) -> String {
    let [parts @ .., (_, total)] = image.per_triangle;
    let parts = parts.map(|(name, bytes)| format!("{name} {bytes:.1}")).join(", ");
    let (bytes, file) = (grouped(image.bytes), grouped(image.file_bytes as u64));
    format!("{bytes} bytes, {file} in a file; {total:.1} bytes a triangle: {parts}")
}
