//! `siliray stats`: figures of acceleration structures in the drivers' own words.

use super::files_in;
use crate::failure::Failure;
use crate::image_args::Stats;
use crate::output::number::counted;
use crate::output::{self, Output, Table};
use rayon::prelude::*;
use serde::Serialize;
use siliray::input::Reading;
use siliray::stats::totals::{Totals, totals};
use siliray::stats::{Line, StatsError, csv, read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What `--json` prints.
#[derive(Serialize)]
struct Json<'a> {
    structures: Vec<JsonLine<'a>>,
}

#[derive(Serialize)]
struct JsonLine<'a> {
    app: &'a str,
    name: &'a str,
    #[serde(rename = "type")]
    level: &'a str,
    #[serde(flatten)]
    figures: serde_json::Map<String, serde_json::Value>,
}

/// What `--json` prints of a comparison.
#[derive(Serialize)]
struct JsonTotals<'a> {
    compared: usize,
    affected: usize,
    only_in_old: usize,
    only_in_new: usize,
    figures: Vec<JsonFigure<'a>>,
}

#[derive(Serialize)]
struct JsonFigure<'a> {
    name: &'a str,
    old: u64,
    new: u64,
    down: u64,
    up: u64,
}

/// Lists the figures, or compares two sets of them.
pub(crate) fn run(args: &Stats, output: &Output) -> Result<(), Failure> {
    let is_comparison = args.inputs.len() == 2 && !args.list && !args.csv;
    if args.more && is_comparison {
        let message = "--more has no effect here: a comparison is over the driver's figures";
        return Err(Failure::usage(message).hint("--list shows both inputs"));
    }
    if args.csv && output.is_json() {
        return Err(Failure::usage("--csv and --json: expected one of them"));
    }
    let reading = args.image.reading(None)?;
    let mut broken = 0;
    let sets =
        args.inputs.iter().map(|input| lines(input, is_comparison, &reading, &mut broken, output));
    let sets = sets.collect::<Result<Vec<_>, _>>()?;
    if let ([old, new], true) = (&sets[..], is_comparison) {
        compare(&totals(old, new), output)?;
    } else {
        let all = sets.concat();
        let json = Json { structures: all.iter().map(|line| json_line(line, args.more)).collect() };
        let text = if args.csv { csv::write(&all, args.more) } else { table(&all, args.more) };
        output.result(&json, &text)?;
    }
    match broken {
        0 => Ok(()),
        _ => Err(Failure::input(format!("{} left out", counted(broken, "broken file")))),
    }
}

/// The lines of a file, or of all files of a folder that have some. In a comparison, folders name
/// files as they lie in them. Files that should have lines and are broken are counted.
fn lines(
    input: &Path,
    is_comparison: bool,
    reading: &Reading,
    broken: &mut usize,
    output: &Output,
) -> Result<Vec<Line>, Failure> {
    if !input.is_dir() {
        return read(input, reading).map_err(Failure::input);
    }
    let mut files = Vec::new();
    files_in(input, &mut files)?;
    files.sort();
    let bar = output.bar("reading");
    let done = AtomicUsize::new(0);
    let read_one = |file: &PathBuf| {
        let found = read(file, reading);
        let count = done.fetch_add(1, Ordering::Relaxed) + 1;
        let _ = bar.set(count as f32 / files.len() as f32);
        found
    };
    let results: Vec<Result<Vec<Line>, StatsError>> = files.par_iter().map(read_one).collect();
    drop(bar);
    let mut all = Vec::new();
    for (file, result) in files.iter().zip(results) {
        match result {
            Ok(mut found) => {
                let inside = file.strip_prefix(input).unwrap_or(file).display().to_string();
                let own = found.iter_mut().filter(|line| is_comparison && !line.more.is_empty());
                own.for_each(|line| line.app.clone_from(&inside));
                all.extend(found);
            }
            // Other files may lie beside.
            Err(StatsError::Unknown(_)) => (),
            Err(error) => {
                output::warn(error);
                *broken += 1;
            }
        }
    }
    if all.is_empty() && *broken == 0 {
        let message = format!("{}: no image and no CSV of a driver's in it", input.display());
        return Err(Failure::input(message));
    }
    Ok(all)
}

fn compare(totals: &Totals, output: &Output) -> Result<(), Failure> {
    let [only_in_old, only_in_new] = totals.unmatched;
    if only_in_old + only_in_new > 0 {
        let text = format!(
            "structures that only the old set has: {only_in_old}, only the new one: {only_in_new}"
        );
        output::warn(text);
    }
    let figures = totals.figures.iter().map(|figure| {
        let [down, up] = figure.parts;
        JsonFigure { name: &figure.name, old: figure.old, new: figure.new, down, up }
    });
    let json = JsonTotals {
        compared: totals.compared,
        affected: totals.affected,
        only_in_old,
        only_in_new,
        figures: figures.collect(),
    };
    output.result(&json, &totals.text())
}

fn json_line(line: &Line, more: bool) -> JsonLine<'_> {
    let own = line.figures.iter().map(|(name, value)| (name.clone(), (*value).into()));
    let added = line.more.iter().filter(|_| more);
    let added = added.map(|(name, value)| (name.clone(), (*value).into()));
    let figures = own.chain(added).collect();
    JsonLine { app: &line.app, name: &line.name, level: &line.level, figures }
}

/// A table for each set of columns.
fn table(lines: &[Line], more: bool) -> String {
    let columns = |line: &Line| -> Vec<String> {
        let added = line.more.iter().filter(|_| more).map(|(name, _)| name.clone());
        line.figures.iter().map(|(name, _)| name.clone()).chain(added).collect()
    };
    let mut text = String::new();
    for same in lines.chunk_by(|a, b| columns(a) == columns(b)) {
        let names = columns(&same[0]);
        let header: Vec<&str> =
            ["file", "name", "type"].into_iter().chain(names.iter().map(String::as_str)).collect();
        let mut table = Table::new(&header).left(3);
        for line in same {
            let own = line.figures.iter().map(|(_, value)| value.to_string());
            let added = line.more.iter().filter(|_| more);
            let added = added.map(|(_, value)| format!("{value:.3}"));
            let labels = [&line.app, &line.name, &line.level].map(Clone::clone);
            table.row(labels.into_iter().chain(own).chain(added).collect());
        }
        text += &table.text();
    }
    text
}
