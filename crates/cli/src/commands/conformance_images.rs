//! `siliray conformance IMAGE`: every machine on the user's own bytes.

use super::{open_input_as, warn_of_losses};
use crate::args::Conformance;
use crate::failure::Failure;
use crate::output::number::{counted, counted_as, grouped};
use crate::output::{Output, Table};
use siliray::conformance::{ImageError, ImageOptions, ImageReport, MachineReport, run_image};
use siliray::documents::conformance::{ImagesDocument, LawImage};
use siliray::input::Input;
use siliray::walk::text::ids;

/// Lost primitives that are followed and shown, for each machine.
const FOLLOWED: usize = 5;

/// Runs the law on each image and shows what came of it.
pub(crate) fn run(args: &Conformance, output: &Output) -> Result<(), Failure> {
    let options = ImageOptions {
        seed: args.seed.seed,
        rays: args.rays,
        stack_size: args.stack_size,
        followed: FOLLOWED,
    };
    let mut reports = Vec::new();
    for path in &args.images {
        let Input::Image(image) = open_input_as(path.as_os_str(), None, &args.image)? else {
            let message = format!("{}: a scene, expected an image", path.display());
            return Err(Failure::input(message)
                .hint("build one with `siliray build SCENE --format FORMAT -o FILE`"));
        };
        warn_of_losses(path.as_os_str(), &image);
        let bar = output.bar("checking");
        let report = run_image(&image, &options, &|progress| bar.update(progress));
        reports.push(report.map_err(|error| match error {
            ImageError::StackSize(_) => Failure::usage(error),
            _ => Failure::input(error),
        })?);
    }
    let images = reports.iter().map(LawImage::from).collect();
    let json = ImagesDocument { seed: args.seed.seed, images };
    let text: Vec<String> = reports.iter().map(text).collect();
    output.result(&json, &text.join("\n"))?;
    let machines = reports.iter().flat_map(|report| &report.machines);
    let wrong: Vec<&str> = machines.filter(|m| m.is_wrong()).map(|m| m.machine).collect();
    if !wrong.is_empty() {
        return Err(Failure::input(format!("not as brute force: {}", wrong.join(", "))));
    }
    let refused: Vec<&str> =
        reports.iter().filter(|report| report.is_refused()).map(|r| r.name.as_str()).collect();
    match refused[..] {
        [] => Ok(()),
        _ => Err(Failure::input(format!(
            "{}: every machine of its format refuses it, so that nothing was compared",
            refused.join(", ")
        ))),
    }
}

fn text(report: &ImageReport) -> String {
    let mut text = format!(
        "{}: {}, walked as stored, {}\n\n",
        report.name,
        report.format,
        counted(report.rays, "ray")
    );
    let mut table = Table::new(&["machine", "hits", "lost", "known", "mismatches", ""]).left(1);
    for machine in &report.machines {
        let verdict = match (&machine.refused, machine.mismatches, machine.losses) {
            (Some(_), ..) => "refuses the image",
            (None, 1.., _) => "WRONG",
            (None, 0, 0) => "as brute force",
            (None, 0, losses) if losses == machine.known => "loses what it is known to lose",
            (None, 0, _) => "LOSES HITS",
        };
        let count = |count: usize| match machine.refused {
            Some(_) => "-".to_owned(),
            None => grouped(count as u64),
        };
        let MachineReport { hits, losses, known, mismatches, .. } = *machine;
        let counts = [hits, losses, known, mismatches].map(count);
        let name = machine.machine.to_owned();
        table.row([name].into_iter().chain(counts).chain([verdict.to_owned()]).collect());
    }
    text += &table.text();
    for machine in &report.machines {
        if let Some(reason) = &machine.refused {
            text += &format!("\n{}: {reason}\n", machine.machine);
        }
        if machine.lost.is_empty() {
            continue;
        }
        let lost = counted(machine.lost.len(), "primitive");
        text += &format!("\n{} loses {lost}\n", machine.machine);
        for lost in machine.lost.iter().take(FOLLOWED) {
            let (instance, geometry, primitive) = lost.ids;
            let rays = counted_as(lost.rays, "ray", "rays");
            text += &format!("  {}, by {rays}\n", ids(instance, geometry, primitive));
            if let Some(reason) = &lost.reason {
                text += &format!("    {}\n", reason.text);
            }
        }
        if machine.lost.len() > FOLLOWED {
            let more = grouped((machine.lost.len() - FOLLOWED) as u64);
            text += &format!("  … {more} more; --json has all\n");
        }
    }
    text
}
