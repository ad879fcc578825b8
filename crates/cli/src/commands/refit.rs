//! `siliray refit`: an update of an image, as drivers make it.

use super::{about, no_image, open, read_image};
use crate::failure::Failure;
use crate::image_args::Refit;
use crate::output::number::grouped;
use crate::output::{AtomicFile, Output};
use serde::Serialize;
use siliray::input::geometry_of;
use siliray::machine::{FormatEntry, Image};
use siliray::updates::{self, UpdateError, cost};
use std::ffi::OsStr;
use std::path::Path;

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
    let image = updates::refit(&before, &geometry).map_err(|error| {
        let failure = named(&error);
        match error.remedy() {
            Some(option) => failure
                .hint(format!("an image that `siliray build {option}` writes has room for it")),
            None => failure,
        }
    })?;
    let after = (format.check)(image).into_checked();
    let after = after.map_err(|finding| named(&format!("after the update: {finding}")))?;
    let bytes = file_of(after.image(), format, args)?;
    written.write(&bytes)?;
    let (sah_before, sah_after) = (cost(&before), cost(&after));
    let sah_rebuilt = match args.no_rebuild {
        true => None,
        false => {
            let bar = output.bar("building");
            let rebuilt = updates::rebuilt(&scene, &before, &|progress| bar.update(progress));
            let rebuilt = rebuilt.map_err(|error| {
                about(&args.scene)(error).hint("--no-rebuild compares with no new tree")
            })?;
            Some(cost(&rebuilt))
        }
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
