//! `siliray conformance`: every machine against brute force.

use crate::args::Conformance;
use crate::failure::Failure;
use crate::output::number::{counted, counted_as, grouped};
use crate::output::{Output, Table};
use siliray::conformance::{self, ConformanceError, Options};
use siliray::documents::conformance::{CellDocument, TableDocument, TotalDocument};

/// Runs the table and shows it.
pub(crate) fn run(args: &Conformance, output: &Output) -> Result<(), Failure> {
    if !args.images.is_empty() {
        return super::conformance_images::run(args, output);
    }
    if let Some(option) = args.image.asked() {
        return Err(Failure::usage(format!("{option} is about an image: name one")));
    }
    let options = Options {
        seed: args.seed.seed,
        rays: args.rays,
        only: args.only.clone(),
        stack_size: args.stack_size,
    };
    let bar = output.bar("checking");
    let table =
        conformance::run(&options, &|progress| bar.update(progress)).map_err(
            |error| match error {
                ConformanceError::Filter(_) => Failure::usage(error),
                ConformanceError::StackSize(_) => Failure::usage(error)
                    .hint("--only machine= and --only format= leave machines out"),
                _ => Failure::input(error),
            },
        )?;
    drop(bar);
    let json = TableDocument::new(&table, &options);
    output.result(&json, &text(&json, args.all))?;
    match json.mismatches {
        0 => Ok(()),
        wrong => Err(Failure::input(format!("{wrong} answers differ from brute force"))),
    }
}

fn totals(totals: &[TotalDocument]) -> String {
    let header = ["format", "machine", "cells", "cases", "mismatches", "losses"];
    let mut table = Table::new(&header).left(2);
    for total in totals {
        let counts = [total.cells, total.cases, total.mismatches, total.losses];
        let names = [total.format, total.machine].map(str::to_owned).into_iter();
        table.row(names.chain(counts.map(|count| grouped(count as u64))).collect());
    }
    table.text()
}

fn cells(cells: &[CellDocument]) -> String {
    let header =
        ["format", "machine", "scene", "preset", "rule", "query", "cases", "mismatches", "losses"];
    let mut table = Table::new(&header).left(6);
    for cell in cells {
        let names =
            [cell.format, cell.machine, cell.scene, cell.preset, cell.triangle_rule, cell.query];
        let counts = [cell.cases, cell.mismatches, cell.losses];
        let counts = counts.map(|count| grouped(count as u64));
        table.row(names.map(str::to_owned).into_iter().chain(counts).collect());
    }
    table.text()
}

/// The sums for each machine on each format, or every cell, then those of all, then the first ray
/// that went wrong.
fn text(json: &TableDocument, all: bool) -> String {
    let mut text = if all { cells(&json.cells) } else { totals(&json.totals) };
    text += &format!(
        "\nseed {}: {} in {}, {}, {}\n",
        json.seed,
        counted(json.cases, "answer"),
        counted(json.cells.len(), "cell"),
        counted_as(json.mismatches, "mismatch", "mismatches"),
        counted_as(json.losses, "loss", "losses")
    );
    if let Some(cell) = json.cells.iter().find(|cell| cell.mismatches > 0) {
        text += &first_mismatch(cell);
    }
    text
}

fn first_mismatch(cell: &CellDocument) -> String {
    let mut text = format!(
        "\nfirst mismatch: {} on {}, {}, preset {}, {}, {}\n",
        cell.machine, cell.format, cell.scene, cell.preset, cell.triangle_rule, cell.query
    );
    if let Some(ray) = &cell.example {
        text += &format!(
            "  origin {:?}, direction {:?}, t {} to {}\n  bits {}\n  mask {:#04x}, flags {:#x}; {} \
             expected, {} found\n",
            ray.origin,
            ray.direction,
            ray.tmin,
            ray.tmax,
            ray.bits.join(" "),
            ray.mask,
            ray.flags,
            counted(ray.expected.len(), "hit"),
            ray.got.len()
        );
    }
    if let Some(beam) = &cell.beam_example {
        if !beam.volume.is_empty() {
            text += &format!("  {} {}\n", beam.shape, beam.volume.join(" "));
        }
        text += &format!(
            "  oA {}, dA {}\n  oB {}, dB {}\n  t {}, mask {:#04x}; {} expected, {} found\n",
            beam.upper_origin.join(" "),
            beam.upper_direction.join(" "),
            beam.lower_origin.join(" "),
            beam.lower_direction.join(" "),
            beam.range.join(" "),
            beam.mask,
            counted(beam.expected.len(), "primitive"),
            beam.got.len()
        );
    }
    text
}
