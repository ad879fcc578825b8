//! `siliray check`: is this image safe to walk?

use super::{NO_CONTAINER, about, no_container_hint, no_image, open, open_image, read_image};
use crate::failure::Failure;
use crate::image_args::Check;
use crate::output::{FindingReport, Output};
use siliray::input::{OpenedImage, geometry_of};
use siliray::machine::source::{self, Geometry};
use siliray::updates::{self, UpdateCheckError, UpdateFiles};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Checks the file and lists what was found.
pub(crate) fn run(args: &Check, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    let (format, file) = read_image(&args.file, &args.image, None)?;
    if args.scene.is_some() && !format.holds_trees() {
        let (file, format) = (args.file.display(), format.name);
        let message = format!("{file}: --scene compares trees, and the format {format} holds none");
        return Err(Failure::usage(message).hint("leave --scene out"));
    }
    let scene = args.scene.as_deref().map(|scene| geometry(scene, triangles)).transpose()?;
    if triangles.is_some() && scene.is_none() {
        return Err(Failure::usage("--triangles has no effect here: there is no --scene"));
    }
    if let Some(before) = &args.update {
        return update(args, before, scene.as_ref(), output);
    }
    let opened = OpenedImage { name: args.file.display().to_string(), format, file };
    let report = opened.check(scene.as_ref()).map_err(|error| no_image(&args.file, error))?;
    let no_container = report.findings.iter().any(|finding| finding.rule == NO_CONTAINER);
    let rules: Vec<_> = format.rules.iter().copied().chain(scene.map(|_| source::SOURCE)).collect();
    let shown = FindingReport {
        file: &args.file,
        findings: &report.findings,
        nodes: report.nodes,
        thing: if format.holds_trees() { "node" } else { "workgroup" },
        rules: &rules,
    };
    let shown = shown.show(&args.findings, output);
    shown.map_err(
        |failure| {
            if no_container { failure.hint(no_container_hint(&args.file)) } else { failure }
        },
    )
}

/// Checks what lies between two images.
fn update(
    args: &Check,
    before: &Path,
    scene: Option<&Geometry>,
    output: &Output,
) -> Result<(), Failure> {
    let first = open_image(before, &args.image, None)?;
    let second = open_image(&args.file, &args.image, None)?;
    let open = |file: &Option<PathBuf>| match file {
        Some(file) => open_image(file, &args.image, None).map(|open| Some(open.file.image)),
        None => Ok(None),
    };
    let (old, twice) = (open(&args.old)?, open(&args.twice)?);
    let files = UpdateFiles {
        before: &first.file,
        after: &second.file,
        scene,
        old: old.as_ref(),
        twice: twice.as_ref(),
    };
    let report = updates::check_files(&files).map_err(|error| match error {
        UpdateCheckError::Formats { .. } => {
            let formats = updates::FORMATS.join(", ");
            Failure::input(error)
                .hint(format!("both images must have one of the formats {formats}"))
        }
        UpdateCheckError::Unsound(_) => Failure::input(format!("{}: {error}", before.display())),
    })?;
    let rules = updates::rules(first.format.name).unwrap_or_default();
    let rules: Vec<_> = rules.iter().chain(first.format.rules).copied().collect();
    let shown = FindingReport {
        file: &args.file,
        findings: &report.findings,
        nodes: report.nodes,
        thing: "node",
        rules: &rules,
    };
    shown.show(&args.findings, output)
}

/// What a named scene holds.
fn geometry(scene: &OsStr, triangles: Option<usize>) -> Result<Geometry, Failure> {
    geometry_of(&open(scene, triangles)?).map_err(about(scene))
}
