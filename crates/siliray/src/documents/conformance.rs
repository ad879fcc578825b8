//! The law: every machine against brute force.

#![allow(missing_docs, reason = "docs/json.md explains the keys")]

use super::hex;
use crate::conformance::{
    Cell, Disagreement, ImageReport, LostPrimitive, MachineReport, Options, Table,
};
use crate::input::Origin;
use geometry::{Ray, Vec3, Volume};
use machine::{BeamShape, Hit, Shape};
use serde::Serialize;

/// The law on worlds of its own.
#[derive(Debug, Clone, Serialize)]
pub struct TableDocument {
    pub seed: u64,
    pub rays: usize,
    pub totals: Vec<TotalDocument>,
    pub cells: Vec<CellDocument>,
    pub cases: usize,
    pub mismatches: usize,
    pub losses: usize,
}

/// The cells of one machine on one format.
#[derive(Debug, Clone, Serialize)]
pub struct TotalDocument {
    pub format: &'static str,
    pub machine: &'static str,
    pub cells: usize,
    pub cases: usize,
    pub mismatches: usize,
    pub losses: usize,
}

#[derive(Debug, Clone, Serialize)]
pub struct CellDocument {
    pub format: &'static str,
    pub machine: &'static str,
    pub query: &'static str,
    pub triangle_rule: &'static str,
    pub scene: &'static str,
    pub preset: &'static str,
    pub cases: usize,
    pub mismatches: usize,
    pub losses: usize,
    pub example: Option<RayExample>,
    pub beam_example: Option<BeamExample>,
}

/// The first ray on which an answer differs. Floats are given as the bits of an `f32` too: they
/// decide.
#[derive(Debug, Clone, Serialize)]
pub struct RayExample {
    pub origin: [f32; 3],
    pub direction: [f32; 3],
    pub tmin: f32,
    pub tmax: f32,
    pub bits: [String; 8],
    pub mask: u8,
    pub flags: u32,
    pub expected: Vec<RayHit>,
    pub got: Vec<RayHit>,
    pub error: Option<String>,
}

/// The first beam on which an answer differs, by the bits of its corner rays and its range.
#[derive(Debug, Clone, Serialize)]
pub struct BeamExample {
    pub shape: &'static str,
    /// The numbers of a sphere or a frustum.
    pub volume: Vec<String>,
    pub upper_origin: [String; 3],
    pub lower_origin: [String; 3],
    pub upper_direction: [String; 3],
    pub lower_direction: [String; 3],
    pub range: [String; 2],
    pub mask: u8,
    pub expected: Vec<BeamHit>,
    pub got: Vec<BeamHit>,
    pub error: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct BeamHit {
    pub t: f32,
    pub exit: f32,
    pub instance: u32,
    pub geometry: u32,
    pub primitive: u32,
}

#[derive(Debug, Clone, Serialize)]
pub struct RayHit {
    pub t: f32,
    pub u: f32,
    pub v: f32,
    pub instance: u32,
    pub geometry: u32,
    pub primitive: u32,
}

impl TableDocument {
    /// Of a table that was made with these options.
    #[must_use]
    pub fn new(table: &Table, options: &Options) -> Self {
        Self {
            seed: table.seed,
            rays: options.rays,
            totals: sums(&table.cells),
            cells: table.cells.iter().map(CellDocument::from).collect(),
            cases: table.cells.iter().map(|cell| cell.cases).sum(),
            mismatches: table.mismatches(),
            losses: table.cells.iter().map(|cell| cell.losses).sum(),
        }
    }
}

/// Sums for each machine on each format, in the order of the cells.
fn sums(cells: &[Cell]) -> Vec<TotalDocument> {
    let mut totals: Vec<TotalDocument> = Vec::new();
    for cell in cells {
        let is_same =
            |total: &TotalDocument| (total.format, total.machine) == (cell.format, cell.machine);
        let number = totals.iter().position(is_same).unwrap_or_else(|| {
            let (format, machine) = (cell.format, cell.machine);
            let (cells, cases, mismatches, losses) = (0, 0, 0, 0);
            totals.push(TotalDocument { format, machine, cells, cases, mismatches, losses });
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

impl From<&Cell> for CellDocument {
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
            example: cell.example.as_ref().and_then(RayExample::new),
            beam_example: cell.example.as_ref().and_then(BeamExample::new),
        }
    }
}

impl RayExample {
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
        let hits = |hits: &[Hit]| hits.iter().map(RayHit::from).collect();
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

impl BeamExample {
    fn new(example: &Disagreement) -> Option<Self> {
        let Shape::Beam(shape) = example.query.shape else { return None };
        Some(Self::of(example, &shape))
    }

    fn of(example: &Disagreement, shape: &BeamShape) -> Self {
        let beam = &shape.beam;
        let ((upper, up), (lower, down)) = (beam.upper(), beam.lower());
        let word = |value: f32| format!("{:#010x}", value.to_bits());
        let words = |vector: Vec3| vector.to_array().map(word);
        let hits = |hits: &[Hit]| hits.iter().map(BeamHit::from).collect();
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

impl From<&Hit> for BeamHit {
    fn from(hit: &Hit) -> Self {
        let Hit { t, instance, geometry, primitive, .. } = *hit;
        Self { t, exit: hit.exit(), instance, geometry, primitive }
    }
}

impl From<&Hit> for RayHit {
    fn from(hit: &Hit) -> Self {
        let Hit { t, u, v, instance, geometry, primitive } = *hit;
        Self { t, u, v, instance, geometry, primitive }
    }
}

/// The law on images of the user's.
#[derive(Debug, Clone, Serialize)]
pub struct ImagesDocument {
    pub seed: u64,
    pub images: Vec<LawImage>,
}

#[derive(Debug, Clone, Serialize)]
pub struct LawImage {
    pub file: String,
    pub format: &'static str,
    /// Images are walked as they are stored.
    pub source: &'static str,
    pub rays: usize,
    pub machines: Vec<LawMachine>,
}

#[derive(Debug, Clone, Serialize)]
pub struct LawMachine {
    pub machine: &'static str,
    /// Then nothing was compared, and nothing is told of it.
    pub refused: Option<String>,
    pub hits: Option<usize>,
    pub losses: Option<usize>,
    pub known_losses: Option<usize>,
    pub mismatches: Option<usize>,
    pub lost_primitives: Option<usize>,
    pub lost: Option<Vec<LostDocument>>,
}

#[derive(Debug, Clone, Serialize)]
pub struct LostDocument {
    pub instance: u32,
    pub geometry: u32,
    pub primitive: u32,
    pub rays: usize,
    pub origin: [f32; 3],
    pub direction: [f32; 3],
    pub tmin: f32,
    pub tmax: Option<f32>,
    pub node: Option<String>,
    pub address: Option<String>,
    pub child: Option<u8>,
    pub reason: Option<String>,
}

impl From<&ImageReport> for LawImage {
    fn from(report: &ImageReport) -> Self {
        Self {
            file: report.name.clone(),
            format: report.format,
            source: Origin::Stored.name(),
            rays: report.rays,
            machines: report.machines.iter().map(LawMachine::from).collect(),
        }
    }
}

impl From<&MachineReport> for LawMachine {
    fn from(report: &MachineReport) -> Self {
        let walked = report.refused.is_none().then_some(report);
        Self {
            machine: report.machine,
            refused: report.refused.clone(),
            hits: walked.map(|report| report.hits),
            losses: walked.map(|report| report.losses),
            known_losses: walked.map(|report| report.known),
            mismatches: walked.map(|report| report.mismatches),
            lost_primitives: walked.map(|report| report.lost.len()),
            lost: walked.map(|report| report.lost.iter().map(LostDocument::from).collect()),
        }
    }
}

impl From<&LostPrimitive> for LostDocument {
    fn from(lost: &LostPrimitive) -> Self {
        let (instance, geometry, primitive) = lost.ids;
        let ray = lost.example.shape;
        let (node, child) = match &lost.reason {
            Some(reason) => (reason.node, reason.child),
            None => (None, None),
        };
        Self {
            instance,
            geometry,
            primitive,
            rays: lost.rays,
            origin: ray.origin.to_array(),
            direction: ray.direction.to_array(),
            tmin: ray.tmin,
            tmax: Some(ray.tmax).filter(|tmax| tmax.is_finite()),
            node: node.map(|stop| hex(stop.in_image.unwrap_or(stop.pointer))),
            address: node.and_then(|stop| stop.address).map(hex),
            child: child.map(|child| child.slot),
            reason: lost.reason.as_ref().map(|reason| reason.text.clone()),
        }
    }
}
