//! `siliray conformance`: every machine against brute force.

use crate::args::Conformance;
use crate::failure::Failure;
use crate::output::number::{counted, counted_as, grouped};
use crate::output::{Output, Table};
use serde::Serialize;
use siliray::conformance::{self, Cell, ConformanceError, Disagreement, Options};
use siliray::geometry::{Ray, Vec3, Volume};
use siliray::machine::{BeamShape, Hit, Shape};

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    seed: u64,
    rays: usize,
    totals: Vec<JsonTotal>,
    cells: Vec<JsonCell>,
    cases: usize,
    mismatches: usize,
    losses: usize,
}

/// The cells of one machine on one format.
#[derive(Serialize)]
struct JsonTotal {
    format: &'static str,
    machine: &'static str,
    cells: usize,
    cases: usize,
    mismatches: usize,
    losses: usize,
}

#[derive(Serialize)]
struct JsonCell {
    format: &'static str,
    machine: &'static str,
    query: &'static str,
    triangle_rule: &'static str,
    scene: &'static str,
    preset: &'static str,
    cases: usize,
    mismatches: usize,
    losses: usize,
    example: Option<JsonExample>,
    beam_example: Option<JsonBeamExample>,
}

/// The first ray on which an answer differs. Floats are given as the bits of an `f32` too: they
/// decide.
#[derive(Serialize)]
struct JsonExample {
    origin: [f32; 3],
    direction: [f32; 3],
    tmin: f32,
    tmax: f32,
    bits: [String; 8],
    mask: u8,
    flags: u32,
    expected: Vec<JsonHit>,
    got: Vec<JsonHit>,
    error: Option<String>,
}

/// The first beam on which an answer differs, by the bits of its corner rays and its range.
#[derive(Serialize)]
struct JsonBeamExample {
    shape: &'static str,
    /// The numbers of a sphere or a frustum.
    volume: Vec<String>,
    upper_origin: [String; 3],
    lower_origin: [String; 3],
    upper_direction: [String; 3],
    lower_direction: [String; 3],
    range: [String; 2],
    mask: u8,
    expected: Vec<JsonBeamHit>,
    got: Vec<JsonBeamHit>,
    error: Option<String>,
}

#[derive(Serialize)]
struct JsonBeamHit {
    t: f32,
    exit: f32,
    instance: u32,
    geometry: u32,
    primitive: u32,
}

#[derive(Serialize)]
struct JsonHit {
    t: f32,
    u: f32,
    v: f32,
    instance: u32,
    geometry: u32,
    primitive: u32,
}

/// Runs the table and shows it.
pub(crate) fn run(args: &Conformance, output: &Output) -> Result<(), Failure> {
    if !args.images.is_empty() {
        return super::conformance_images::run(args, output);
    }
    let options = Options {
        seed: args.seed.seed,
        rays: args.rays,
        only: args.only.clone(),
        stack_size: args.stack_size as u8,
    };
    let bar = output.bar("checking");
    let table =
        conformance::run(&options, &|progress| bar.update(progress)).map_err(
            |error| match error {
                ConformanceError::Filter(_) => Failure::usage(error),
                _ => Failure::input(error),
            },
        )?;
    drop(bar);
    let json = Json {
        seed: table.seed,
        rays: options.rays,
        totals: sums(&table.cells),
        cells: table.cells.iter().map(JsonCell::from).collect(),
        cases: table.cells.iter().map(|cell| cell.cases).sum(),
        mismatches: table.mismatches(),
        losses: table.cells.iter().map(|cell| cell.losses).sum(),
    };
    output.result(&json, &text(&json, args.all))?;
    match json.mismatches {
        0 => Ok(()),
        wrong => Err(Failure::input(format!("{wrong} answers differ from brute force"))),
    }
}

/// Sums for each machine on each format, in the order of the cells.
fn sums(cells: &[Cell]) -> Vec<JsonTotal> {
    let mut totals: Vec<JsonTotal> = Vec::new();
    for cell in cells {
        let is_same =
            |total: &JsonTotal| (total.format, total.machine) == (cell.format, cell.machine);
        let number = totals.iter().position(is_same).unwrap_or_else(|| {
            let (format, machine) = (cell.format, cell.machine);
            let (cells, cases, mismatches, losses) = (0, 0, 0, 0);
            totals.push(JsonTotal { format, machine, cells, cases, mismatches, losses });
            totals.len() - 1
        });
        let total = &mut totals[number];
        total.cells += 1;
        total.cases += cell.cases;
        total.mismatches += cell.mismatches;
        total.losses += cell.losses;
    }
    totals
}

fn totals(totals: &[JsonTotal]) -> String {
    let header = ["format", "machine", "cells", "cases", "mismatches", "losses"];
    let mut table = Table::new(&header).left(2);
    for total in totals {
        let counts = [total.cells, total.cases, total.mismatches, total.losses];
        let names = [total.format, total.machine].map(str::to_owned).into_iter();
        table.row(names.chain(counts.map(|count| grouped(count as u64))).collect());
    }
    table.text()
}

fn cells(cells: &[JsonCell]) -> String {
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

impl From<&Cell> for JsonCell {
    fn from(cell: &Cell) -> Self {
        Self {
            format: cell.format,
            machine: cell.machine,
            query: cell.query.name(),
            triangle_rule: cell.query.rule_name(),
            scene: cell.scene,
            preset: cell.preset.name(),
            cases: cell.cases,
            mismatches: cell.mismatches,
            losses: cell.losses,
            example: cell.example.as_ref().and_then(JsonExample::new),
            beam_example: cell.example.as_ref().and_then(JsonBeamExample::new),
        }
    }
}

impl JsonExample {
    fn new(example: &Disagreement) -> Option<Self> {
        let Shape::Ray(ray) = example.query.shape else { return None };
        Some(Self::of(example, &ray))
    }

    fn of(example: &Disagreement, ray: &Ray) -> Self {
        let query = &example.query;
        let (origin, direction) = (ray.origin.to_array(), ray.direction.to_array());
        let [ox, oy, oz] = origin;
        let [dx, dy, dz] = direction;
        let bits = [ox, oy, oz, dx, dy, dz, ray.tmin, ray.tmax];
        let hits = |hits: &[Hit]| hits.iter().map(JsonHit::from).collect();
        Self {
            origin,
            direction,
            tmin: ray.tmin,
            tmax: ray.tmax,
            bits: bits.map(|value| format!("{:#010x}", value.to_bits())),
            mask: query.mask,
            flags: query.flags.bits(),
            expected: hits(&example.expected),
            got: example.got.as_deref().map_or(Vec::new(), hits),
            error: example.got.as_ref().err().map(ToString::to_string),
        }
    }
}

impl JsonBeamExample {
    fn new(example: &Disagreement) -> Option<Self> {
        let Shape::Beam(shape) = example.query.shape else { return None };
        Some(Self::of(example, &shape))
    }

    fn of(example: &Disagreement, shape: &BeamShape) -> Self {
        let beam = &shape.beam;
        let ((upper, up), (lower, down)) = (beam.upper(), beam.lower());
        let word = |value: f32| format!("{:#010x}", value.to_bits());
        let words = |vector: Vec3| vector.to_array().map(word);
        let hits = |hits: &[Hit]| hits.iter().map(JsonBeamHit::from).collect();
        let numbers = shape.volume.as_ref().map_or(Vec::new(), Volume::numbers);
        Self {
            shape: shape.name(),
            volume: numbers.into_iter().map(word).collect(),
            upper_origin: words(upper),
            lower_origin: words(lower),
            upper_direction: words(up),
            lower_direction: words(down),
            range: [beam.tmin(), beam.tmax()].map(word),
            mask: example.query.mask,
            expected: hits(&example.expected),
            got: example.got.as_deref().map_or(Vec::new(), hits),
            error: example.got.as_ref().err().map(ToString::to_string),
        }
    }
}

impl From<&Hit> for JsonBeamHit {
    fn from(hit: &Hit) -> Self {
        let Hit { t, instance, geometry, primitive, .. } = *hit;
        Self { t, exit: hit.exit(), instance, geometry, primitive }
    }
}

impl From<&Hit> for JsonHit {
    fn from(hit: &Hit) -> Self {
        let Hit { t, u, v, instance, geometry, primitive } = *hit;
        Self { t, u, v, instance, geometry, primitive }
    }
}

/// The sums for each machine on each format, or every cell, then those of all, then the first ray
/// that went wrong.
fn text(json: &Json, all: bool) -> String {
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

fn first_mismatch(cell: &JsonCell) -> String {
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
