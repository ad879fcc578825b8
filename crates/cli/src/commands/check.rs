//! `siliray check`: are these images safe to walk?

use super::{
    NO_CONTAINER, about, files_in, no_container_hint, no_image, open, open_image, read_image,
};
use crate::failure::Failure;
use crate::image_args::Check;
use crate::output::finding::{FindingReport, Outcome};
use crate::output::{Output, number::counted};
use rayon::prelude::*;
use serde::Serialize;
use siliray::documents::findings::CheckDocument;
use siliray::input::{OpenedImage, Reading, geometry_of};
use siliray::machine::source::{self, Geometry};
use siliray::updates::{self, UpdateCheckError, UpdateFiles};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What `--json` prints of several files.
#[derive(Serialize)]
struct Json {
    files: Vec<JsonFile>,
    failed: usize,
    left_out: usize,
}

/// What was found in one of them, or why it was not checked.
#[derive(Serialize)]
#[serde(untagged)]
enum JsonFile {
    Checked(CheckDocument),
    Unchecked { file: String, error: String },
}

/// Checks files and lists what was found.
pub(crate) fn run(args: &Check, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    let scene = args.scene.as_deref().map(|scene| geometry(scene, triangles)).transpose()?;
    if triangles.is_some() && scene.is_none() {
        return Err(Failure::usage("--triangles has no effect here: there is no --scene"));
    }
    let scene = scene.as_ref();
    let (file, report) = match (&args.files[..], &args.update) {
        ([file], update) if !file.is_dir() => match update {
            Some(before) => (file, update_report(args, file, before, scene)?),
            None => (file, report(args, file, scene)?),
        },
        (_, None) => return several(args, scene, output),
        (_, Some(_)) => {
            return Err(Failure::usage("--update: expected one FILE, the image after the update"));
        }
    };
    let no_container = report.findings.iter().any(|finding| finding.rule == NO_CONTAINER);
    report.show(&args.findings, output).map_err(|failure| {
        if no_container { failure.hint(no_container_hint(file)) } else { failure }
    })
}

/// What is found in one file.
fn report(args: &Check, file: &Path, scene: Option<&Geometry>) -> Result<FindingReport, Failure> {
    let opened = opened(args, file)?;
    let format = opened.format;
    if scene.is_some() && !format.holds_trees() {
        let (file, format) = (file.display(), format.name);
        let message = format!("{file}: --scene compares trees, and the format {format} holds none");
        return Err(Failure::usage(message).hint("leave --scene out"));
    }
    let found = opened.check(scene).map_err(|error| no_image(file, error))?;
    let rules = format.rules.iter().copied().chain(scene.map(|_| source::SOURCE));
    Ok(FindingReport {
        file: opened.name,
        findings: found.findings,
        nodes: found.nodes,
        thing: if format.holds_trees() { "node" } else { "workgroup" },
        rules: rules.collect(),
    })
}

/// What is found between two images.
fn update_report(
    args: &Check,
    after: &Path,
    before: &Path,
    scene: Option<&Geometry>,
) -> Result<FindingReport, Failure> {
    let first = open_image(before, &args.image, None)?;
    let opened = opened(args, after)?;
    let open = |file: &Option<PathBuf>| match file {
        Some(file) => open_image(file, &args.image, None).map(|open| Some(open.file.image)),
        None => Ok(None),
    };
    let (old, twice) = (open(&args.old)?, open(&args.twice)?);
    let files = UpdateFiles {
        before: &first.file,
        after: &opened,
        scene,
        old: old.as_ref(),
        twice: twice.as_ref(),
    };
    let found = updates::check_files(&files).map_err(|error| match error {
        UpdateCheckError::Formats { .. } => {
            let formats = updates::FORMATS.join(", ");
            Failure::input(error)
                .hint(format!("both images must have one of the formats {formats}"))
        }
        UpdateCheckError::Unsound(_) => Failure::input(format!("{}: {error}", before.display())),
        UpdateCheckError::After(error) => no_image(after, &error),
    })?;
    let rules = updates::rules(first.format.name).unwrap_or_default();
    Ok(FindingReport {
        file: opened.name,
        findings: found.findings,
        nodes: found.nodes,
        thing: "node",
        rules: rules.iter().chain(first.format.rules).copied().collect(),
    })
}

/// Checks several files, each with a verdict of its own.
fn several(args: &Check, scene: Option<&Geometry>, output: &Output) -> Result<(), Failure> {
    let reading = args.image.reading(None)?;
    let mut files = Vec::new();
    for input in &args.files {
        if input.is_dir() {
            let mut inside = Vec::new();
            files_in(input, &mut inside)?;
            inside.sort();
            files.extend(inside.into_iter().map(|file| (file, false)));
        } else {
            files.push((input.clone(), true));
        }
    }
    let bar = output.bar("checking");
    let done = AtomicUsize::new(0);
    let check_one = |(file, is_named): &(PathBuf, bool)| {
        let result = (*is_named || is_image(file, &reading)).then(|| report(args, file, scene));
        let count = done.fetch_add(1, Ordering::Relaxed) + 1;
        let _ = bar.set(count as f32 / files.len() as f32);
        let known = result.iter().flatten().flat_map(FindingReport::known).collect::<Vec<_>>();
        let is_json = output.is_json();
        (result.map(|found| found.map(|it| it.outcome(&args.findings, is_json))), known)
    };
    let results: Vec<_> = files.par_iter().map(check_one).collect();
    drop(bar);
    let known: BTreeSet<&str> = results.iter().flat_map(|(_, known)| known).copied().collect();
    if !known.is_empty() {
        args.findings.require_known(&known.into_iter().collect::<Vec<_>>())?;
    }
    let left_out = results.iter().filter(|(result, _)| result.is_none()).count();
    let mut json = Json { files: Vec::new(), failed: 0, left_out };
    let (mut text, mut worst) = (String::new(), 0);
    for ((file, _), (result, _)) in files.iter().zip(results) {
        let one = match result {
            None => continue,
            Some(Ok(outcome)) => {
                let has_failed = outcome.failure.is_some();
                text += &lines(&outcome, has_failed || args.findings.is_asked());
                worst = worst.max(u8::from(has_failed));
                json.failed += usize::from(has_failed);
                JsonFile::Checked(outcome.json)
            }
            Some(Err(failure)) => {
                text += &format!("{}\n", failure.message());
                worst = worst.max(failure.exit_code());
                json.failed += 1;
                JsonFile::Unchecked {
                    file: file.display().to_string(),
                    error: failure.message().to_owned(),
                }
            }
        };
        json.files.push(one);
    }
    let (count, failed) = (json.files.len(), json.failed);
    if count == 0 {
        let names: Vec<String> = args.files.iter().map(|it| it.display().to_string()).collect();
        return Err(Failure::input(format!("{}: no image in it", names.join(", "))));
    }
    text += &format!("{}, {failed} failed", counted(count, "file"));
    text += &match left_out {
        0 => "\n".to_owned(),
        _ => format!("; {} left out, no images\n", counted(left_out, "other file")),
    };
    output.result(&json, &text)?;
    match failed {
        0 => Ok(()),
        _ => {
            let message = format!("{failed} of {} failed", counted(count, "file"));
            Err(Failure::input(message).code(worst))
        }
    }
}

/// The verdict about one of several files, and what was found where that is asked for.
fn lines(outcome: &Outcome, with_findings: bool) -> String {
    let findings = if with_findings { &outcome.text[..] } else { "" };
    format!("{}: {}\n{findings}", outcome.json.file, outcome.verdict)
}

/// Whether a file of a folder is an image, by its bytes or its name.
fn is_image(file: &Path, reading: &Reading) -> bool {
    // What cannot be read is not passed over.
    siliray::scene::read_file(file).map_or(true, |bytes| reading.format_of(file, &bytes).is_some())
}

/// The image of a file, which may be broken.
fn opened(args: &Check, file: &Path) -> Result<OpenedImage, Failure> {
    let name = file.display().to_string();
    let (format, file) = read_image(file, &args.image, None)?;
    Ok(OpenedImage { name, format, file })
}

/// What a named scene holds.
fn geometry(scene: &OsStr, triangles: Option<usize>) -> Result<Geometry, Failure> {
    geometry_of(&open(scene, triangles)?).map_err(about(scene))
}
