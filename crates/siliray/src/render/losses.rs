//! A map of lost pixels: where a machine does not see what is there.
//!
//! What is there is found over the same geometry with boxes that contain it, which by the law gives
//! the answers of brute force: by the fast tracer or, for a machine with a triangle arithmetic of
//! its own, by that machine. Surfaces are grey; pixels whose closest hit the machine misses are
//! red, those where it sees something that is not there yellow.

use super::rows::Rows;
use super::surface::Surfaces;
use super::{Picture, RenderError, Rendering, View, ask};
use crate::input::encode_checked;
use crate::registry::registry;
use geometry::{Ray, TriangleRule, Vec3};
use machine::{
    Answer, Hit, HitKind, Machine, MachineEntry, MachineError, MachineInput, MachineOptions,
    Settings,
};
use scene::Camera;
use trace::{Options, Tracer};

/// How many pixels differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LostPixels {
    /// Something is there, whatever the machine sees.
    pub hits: u64,
    /// The machine sees nothing, or something behind it.
    pub lost: u64,
    /// The machine sees something that is not there.
    pub wrong: u64,
}

const SKY: [u8; 3] = [18, 20, 26];
const LOST: [u8; 3] = [235, 40, 30];
const WRONG: [u8; 3] = [250, 210, 40];

/// Renders the map.
pub(crate) fn render(
    input: &MachineInput,
    (entry, machine): (&MachineEntry, &dyn Machine),
    rule: TriangleRule,
    camera: &Camera,
    width: u32,
    rows: &Rows<'_>,
) -> Result<(Rendering, LostPixels), RenderError> {
    let expected_hits = ExpectedHits::new(input, entry, rule).map_err(|reason| {
        let machine = if entry.oracle.is_some() { entry.name } else { trace::NAME };
        MachineError::Failed { machine, reason }
    })?;
    let surfaces = Surfaces::new(View::of(input.tree()), machine.name());
    let height = rows.height();
    let mut pixels = vec![(Verdict::Same, false, SKY); width as usize * height as usize];
    let counters = rows.fill(&mut pixels, width, |y, row, counters| {
        let mut answer = Answer::default();
        let rays: Vec<Ray> =
            (0..width).map(|x| camera.ray(x as f32 + 0.5, y as f32 + 0.5, width, height)).collect();
        let expected = expected_hits.closest(&rays)?;
        for ((pixel, ray), expected) in row.iter_mut().zip(&rays).zip(&expected) {
            let got = ask(machine, HitKind::Closest, *ray, &mut answer, counters)?;
            let verdict = verdict(expected, got.as_ref());
            let colour = match verdict {
                Verdict::Same if expected.is_miss() => SKY,
                Verdict::Same => grey(&surfaces, ray, expected)?,
                Verdict::Lost => LOST,
                Verdict::Wrong => WRONG,
            };
            *pixel = (verdict, !expected.is_miss(), colour);
        }
        Ok(())
    })?;
    let count = |counts: &dyn Fn(Verdict, bool) -> bool| {
        let pixels = pixels.iter().filter(|(verdict, is_hit, _)| counts(*verdict, *is_hit));
        pixels.count() as u64
    };
    let lost = LostPixels {
        hits: count(&|_, is_hit| is_hit),
        lost: count(&|verdict, _| verdict == Verdict::Lost),
        wrong: count(&|verdict, _| verdict == Verdict::Wrong),
    };
    let pixels = pixels.into_iter().map(|(.., colour)| colour).collect();
    let picture = Picture { width, height, pixels };
    Ok((Rendering { picture, counters, heat_map: None, warnings: Vec::new() }, lost))
}

/// What finds the hits that are there.
enum ExpectedHits {
    Fast(Box<Tracer>),
    /// By an arithmetic of its own.
    Own(Box<dyn Machine>),
}

impl ExpectedHits {
    /// Over the geometry of an input, in boxes that contain it.
    fn new(input: &MachineInput, entry: &MachineEntry, rule: TriangleRule) -> Result<Self, String> {
        let whole = input.tree().refitted().map_err(|error| error.to_string())?;
        let format = registry().format(input.format()).filter(|_| entry.oracle.is_some());
        let Some(format) = format else {
            let options = Options { rule, ..Options::default() };
            let tracer = Tracer::from_tree(&whole, options).map_err(|error| error.to_string())?;
            return Ok(Self::Fast(Box::new(tracer)));
        };
        let image = encode_checked(&whole, format, &Settings::default());
        let image = MachineInput::Image(image.map_err(|error| error.to_string())?);
        let options = MachineOptions { rule, ..MachineOptions::default() };
        Ok(Self::Own((entry.make)(&image, &options).map_err(|error| error.to_string())?))
    }

    /// The closest hit of each ray.
    fn closest(&self, rays: &[Ray]) -> Result<Vec<Hit>, MachineError> {
        match self {
            Self::Fast(tracer) => Ok(Tracer::closest(tracer, rays)),
            Self::Own(machine) => {
                rays.iter().map(|ray| Ok(machine.closest(ray)?.unwrap_or(Hit::MISS))).collect()
            }
        }
    }
}

/// How an answer stands to the expected one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Same,
    Lost,
    Wrong,
}

/// Compares the closest hit of a ray with what a machine says.
pub(crate) fn verdict(expected: &Hit, got: Option<&Hit>) -> Verdict {
    let got = got.copied().unwrap_or(Hit::MISS);
    if expected.ids() == got.ids() || expected.t.to_bits() == got.t.to_bits() {
        Verdict::Same
    } else if expected.is_closer_than(Some(&got)) {
        Verdict::Lost
    } else {
        Verdict::Wrong
    }
}

/// A surface by how much it faces the camera.
fn grey(surfaces: &Surfaces<'_>, ray: &Ray, hit: &Hit) -> Result<[u8; 3], RenderError> {
    let point = surfaces.at(ray, hit)?;
    let toward: Vec3 = -ray.direction.normalize_or_zero();
    let light = 60.0 + 130.0 * point.normal.dot(toward).max(0.0);
    Ok([light as u8; 3])
}
