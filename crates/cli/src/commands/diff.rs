//! `siliray diff`: how two images differ.

use super::open_image;
use crate::failure::Failure;
use crate::image_args::Diff;
use crate::output::number::{counted, grouped};
use crate::output::{Output, Table};
use siliray::documents::diff::{DiffDocument, FieldCount};
use siliray::image_diff::{self, Difference, FieldSum, ImageDiff, KindSums, OutsideSum};
use std::collections::BTreeMap;

/// Differences that are listed as text.
const LISTED: usize = 10;

/// Fields that the summary has room for.
const SUMMED: usize = 20;

/// Compares the files.
pub(crate) fn run(args: &Diff, output: &Output) -> Result<(), Failure> {
    let [first, second] =
        [&args.first, &args.second].map(|file| open_image(file, &args.image, None));
    let (first, second) = (first?, second?);
    let (one, other) = (first.format.name, second.format.name);
    if one != other {
        let message = format!("one image has the format {one}, the other {other}");
        return Err(Failure::input(message));
    }
    let everything = if output.is_json() || args.all { usize::MAX } else { LISTED };
    let most = args.limit.unwrap_or(everything);
    let files = [&first.file, &second.file];
    let bytes = |file| siliray::scene::read_file(file).map_err(Failure::input);
    let (a, b) = (bytes(&args.first)?, bytes(&args.second)?);
    let outside = OutsideSum::of(files, [&a, &b]);
    let diff = ImageDiff { outside, ..image_diff::diff(first.format, files, most) };
    output.result(&DiffDocument::new(&diff), &text(&diff))?;
    if diff.is_empty() { Ok(()) } else { Err(Failure::exit_only()) }
}

fn text(diff: &ImageDiff) -> String {
    let [a, b] = diff.structures.map(|count| grouped(count as u64));
    if diff.is_empty() {
        return format!("equal; {a} and {}\n", counted(diff.structures[1], "structure"));
    }
    let mut text = format!("different; {a} and {b} structures\n");
    if diff.other_bytes > 0 {
        let places = diff.other_at.iter().flatten().map(|at| format!("{at:#x}"));
        let places: Vec<String> = places.collect();
        text += &differing(diff.other_bytes, "of no structure", &places.join(" and "));
    }
    if let OutsideSum { count, first: Some(first) } = diff.outside {
        text += &differing(count, "of the files, in no image,", &format!("{first:#x}"));
    }
    text += &kind_sums(&diff.kinds);
    for (kind, &count) in &diff.beside {
        text += &format!("beside them, {} changed\n", counted(count, kind));
    }
    text += &field_sums(&diff.fields);
    for difference in &diff.differences {
        text += &paragraph(difference);
    }
    let left_out = diff.count() - diff.differences.len();
    if left_out > 0 {
        text += &format!("… {} more; --all lists them\n", grouped(left_out as u64));
    }
    text
}

/// How many bytes differ, and where the first is.
fn differing(count: usize, which: &str, first: &str) -> String {
    let differ = if count == 1 { "differs, at" } else { "differ, the first at" };
    format!("{} {which} {differ} byte {first}\n", counted(count, "byte"))
}

/// How many structures of each kind are what.
fn kind_sums(kinds: &BTreeMap<&'static str, KindSums>) -> String {
    let mut table = Table::new(&["structures", "equal", "changed", "only in a", "only in b"]);
    for (kind, sums) in kinds {
        let [a, b] = sums.only_in;
        let counts = [sums.equal, sums.changed, a, b].map(|count| grouped(count as u64));
        table.row([(*kind).to_owned()].into_iter().chain(counts).collect());
    }
    format!("\n{}", table.text())
}

fn field_sums(fields: &BTreeMap<String, FieldSum>) -> String {
    if fields.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["field", "changed", "first in", "at byte"]);
    for sum in FieldCount::all(fields).iter().take(SUMMED) {
        let offset = sum.offset.map_or(String::new(), |offset| format!("{offset:#x}"));
        let (name, pointer) = (sum.name.to_owned(), sum.pointer.to_owned());
        table.row(vec![name, grouped(sum.count as u64), pointer, offset]);
    }
    let more = match fields.len().saturating_sub(SUMMED) {
        0 => String::new(),
        more => format!("… {}\n", counted(more, "field")),
    };
    format!("\n{}{more}\n", table.text())
}

fn paragraph(difference: &Difference) -> String {
    let Difference { structure, pointer, kind, offsets, only_in, fields } = difference;
    let places: Vec<String> = offsets.iter().flatten().map(|at| format!("{at:#x}")).collect();
    let mut text =
        format!("structure {structure}, {kind} {pointer} at byte {}", places.join(" and "));
    text += &only_in.map_or("\n".to_owned(), |side| format!(": only in {}\n", ["a", "b"][side]));
    for field in fields {
        let ([start, end], [a, b]) = (field.bits, &field.values);
        text += &format!("  {}, bits {start}..{end}\n    a {a}\n    b {b}\n", field.name);
    }
    text
}
