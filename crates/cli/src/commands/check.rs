//! `siliray check`: is this image safe to walk?

use super::{NO_CONTAINER, about, no_container_hint, no_image, open, open_image, read_image};
use crate::failure::Failure;
use crate::image_args::Check;
use crate::output::{FindingReport, Output};
use siliray::build::BuildError;
use siliray::machine::source::{self, Geometry};
use siliray::machine::{AnyReport, FormatEntry, Image, ReadError};
use siliray::scene::Scene;
use siliray::updates::{self, Update};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Checks the file and lists what was found.
pub(crate) fn run(args: &Check, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    let (format, file) = read_image(&args.file, &args.image, None)?;
    let scene = args.scene.as_deref().map(|scene| geometry(scene, triangles)).transpose()?;
    if triangles.is_some() && scene.is_none() {
        return Err(Failure::usage("--triangles has no effect here: there is no --scene"));
    }
    if let Some(before) = &args.update {
        return update(args, before, scene.as_ref(), output);
    }
    let report = match file {
        // A file that cannot be taken apart is unsound for one reason, and that is a finding.
        Err(ReadError::Broken(finding)) => {
            AnyReport { findings: vec![*finding], ..AnyReport::default() }
        }
        Err(error) => return Err(no_image(&args.file, &error)),
        Ok(file) => file.check(|image| examine(format, image, scene.as_ref())),
    };
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
    let name = first.format.name;
    let rules = updates::rules(name).filter(|_| second.format.name == name).ok_or_else(|| {
        let message = format!("updates from {name} to {} cannot be checked", second.format.name);
        Failure::input(message).hint(format!(
            "both images must have one of the formats {}",
            updates::FORMATS.join(", ")
        ))
    })?;
    let open = |file: &Option<PathBuf>| match file {
        Some(file) => open_image(file, &args.image, None).map(|open| Some(open.file.image)),
        None => Ok(None),
    };
    let (old, twice) = (open(&args.old)?, open(&args.twice)?);
    let mut failed = None;
    let report = second.file.check(|after| {
        let update = Update {
            before: &first.file.image,
            after: &after,
            scene,
            old: old.as_ref(),
            twice: twice.as_ref(),
        };
        let nodes = (first.format.outline)(&after).entries.len();
        match updates::check(&update) {
            Ok(findings) => AnyReport { findings, nodes, ..AnyReport::default() },
            Err(finding) => {
                failed = Some(finding);
                AnyReport::default()
            }
        }
    });
    if let Some(finding) = failed {
        let message = format!("{}: the image is not safe to walk: {finding}", before.display());
        return Err(Failure::input(message));
    }
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

/// What the check of a format finds, and how a sound image differs from its scene.
fn examine(format: &FormatEntry, image: Image, scene: Option<&Geometry>) -> AnyReport {
    let mut report = (format.check)(image);
    if let (Some(checked), Some(scene)) = (&report.checked, scene) {
        report.findings.extend(source::differences(checked.as_ref(), scene));
    }
    report
}

/// What a named scene holds.
fn geometry(scene: &OsStr, triangles: Option<usize>) -> Result<Geometry, Failure> {
    geometry_of(&open(scene, triangles)?).map_err(about(scene))
}

/// What a scene holds.
pub(super) fn geometry_of(scene: &Scene) -> Result<Geometry, BuildError> {
    let (objects, instances) = siliray::build::contents(scene)?;
    Ok(Geometry { objects, instances })
}
