//! `siliray refit`: an update of an image, as drivers make it.

use super::{about, build_tree, no_image, open, read_image};
use crate::failure::Failure;
use crate::image_args::Refit;
use crate::output::number::grouped;
use crate::output::{AtomicFile, Output};
use serde::Serialize;
use siliray::build::Preset;
use siliray::input::{encode_checked, format_options, geometry_of};
use siliray::machine::{AnyChecked, FormatEntry, Image, Settings};
use siliray::scene::Scene;
use siliray::stats;
use siliray::updates::{self, UpdateError};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    output: String,
    file_bytes: usize,
    sah_before: f64,
    sah_after: f64,
    sah_rebuilt: Option<f64>,
    after_over_before: f64,
    after_over_rebuilt: Option<f64>,
}

/// Updates the image and writes it.
pub(crate) fn run(args: &Refit, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    let scene = open(&args.scene, triangles)?;
    let geometry = geometry_of(&scene).map_err(about(&args.scene))?;
    let (format, file) = read_image(&args.file, &args.image, None)?;
    let named =
        |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", args.file.display()));
    if updates::rules(format.name).is_none() {
        return Err(named(&UpdateError::Format(format.name)));
    }
    let file = file.map_err(|error| no_image(&args.file, &error))?;
    let before = file.check(format.check).into_checked();
    let before = before.map_err(|finding| {
        let file = args.file.display();
        named(&format!("the image is not safe to walk: {finding}"))
            .hint(format!("try `siliray check {file}`"))
    })?;
    let written = AtomicFile::create(&args.output)?;
    let image = updates::refit(&before, &geometry).map_err(|error| named(&error))?;
    let after = (format.check)(image).into_checked();
    let after = after.map_err(|finding| named(&format!("after the update: {finding}")))?;
    let bytes = file_of(after.image(), format, args)?;
    written.write(&bytes)?;
    let (sah_before, sah_after) = (cost(&before), cost(&after));
    let sah_rebuilt = match args.rebuild {
        true => Some(cost(&rebuilt(&scene, format, &before, args, output)?)),
        false => None,
    };
    let json = Json {
        output: args.output.display().to_string(),
        file_bytes: bytes.len(),
        sah_before,
        sah_after,
        sah_rebuilt,
        after_over_before: sah_after / sah_before,
        after_over_rebuilt: sah_rebuilt.map(|rebuilt| sah_after / rebuilt),
    };
    output.written(&args.output, &json, &text(&json, &args.output))
}

/// The file of an image. Raw memory stays raw, unless the ending of the output asks for another
/// kind of file.
fn file_of(image: &Image, format: &FormatEntry, args: &Refit) -> Result<Vec<u8>, Failure> {
    let ending = args.output.extension().and_then(OsStr::to_str);
    let is_asked = |kind: &str| ending.is_some_and(|ending| ending.eq_ignore_ascii_case(kind));
    let is_other = ["rra", "gamma", format.ending].into_iter().any(is_asked);
    match (&image.segments[..], &format.trees) {
        ([memory], _) if args.image.raw && !is_other => Ok(memory.bytes().to_vec()),
        (_, Some(trees)) => (trees.write)(image, ending).map_err(Failure::input),
        (_, None) => Ok(Vec::new()),
    }
}

fn text(json: &Json, file: &Path) -> String {
    let (file, bytes) = (file.display(), grouped(json.file_bytes as u64));
    let [before, after, ratio] = [json.sah_before, json.sah_after, json.after_over_before];
    let mut text = format!("{file}: {bytes} bytes\n");
    text += &format!("SAH {after:.3} after, {before:.3} before: {ratio:.3} times\n");
    if let (Some(rebuilt), Some(ratio)) = (json.sah_rebuilt, json.after_over_rebuilt) {
        text += &format!("{rebuilt:.3} rebuilt: {ratio:.3} times\n");
    }
    text
}

/// The driver's figure of the structure that an image starts in, with what is below it.
fn cost(image: &Arc<dyn AnyChecked>) -> f64 {
    let all = stats::of_image(image).unwrap_or_default();
    let figure = |name| all.last().and_then(|last| last.figure(name)).unwrap_or(0);
    let millionths = figure("scene_sah").max(figure("sah"));
    millionths as f64 / 1e6
}

/// The scene built anew, as the image was.
fn rebuilt(
    scene: &Scene,
    format: &'static FormatEntry,
    image: &Arc<dyn AnyChecked>,
    args: &Refit,
    output: &Output,
) -> Result<Arc<dyn AnyChecked>, Failure> {
    let settings = updates::settings_of(image);
    let settings = settings.into_iter().fold(Settings::default(), |all, (k, v)| all.with(k, v));
    let options = format_options(format, &settings, Preset::Balanced);
    let built = build_tree(scene, &options, output)?;
    encode_checked(&built.tree, format, &settings).map_err(about(&args.scene))
}
