//! A map of lost pixels: where a machine does not see what is there.
//!
//! What is there is found by the fast tracer over the same geometry with boxes that contain it,
//! which by the law gives the answers of brute force. Surfaces are grey; pixels whose closest hit
//! the machine misses are red, those where it sees something that is not there yellow.

use super::rows::Rows;
use super::surface::Surfaces;
use super::{Picture, RenderError, Rendering, View, ask};
use geometry::{Ray, TriangleRule, Vec3};
use machine::{Answer, Hit, HitKind, Machine, MachineError};
use scene::Camera;
use trace::{Options, Tracer};
use tree::Tree;

/// How many pixels differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LostPixels {
    /// Something is there.
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
    tree: &Tree,
    machine: &dyn Machine,
    rule: TriangleRule,
    camera: &Camera,
    width: u32,
    rows: &Rows<'_>,
) -> Result<(Rendering, LostPixels), RenderError> {
    let failed = |reason: String| MachineError::Failed { machine: trace::NAME, reason };
    let whole = tree.refitted().map_err(|error| failed(error.to_string()))?;
    let options = Options { rule, ..Options::default() };
    let truth = Tracer::from_tree(&whole, options).map_err(|error| failed(error.to_string()))?;
    let surfaces = Surfaces::new(View::of(tree), machine.name());
    let height = rows.height();
    let mut pixels = vec![SKY; width as usize * height as usize];
    let counters = rows.fill(&mut pixels, width, |y, row, counters| {
        let mut answer = Answer::default();
        let rays: Vec<Ray> =
            (0..width).map(|x| camera.ray(x as f32 + 0.5, y as f32 + 0.5, width, height)).collect();
        let expected = truth.closest(&rays);
        for ((pixel, ray), expected) in row.iter_mut().zip(&rays).zip(&expected) {
            let got = ask(machine, HitKind::Closest, *ray, &mut answer, counters)?;
            *pixel = match verdict(expected, got.as_ref()) {
                Verdict::Same if expected.is_miss() => SKY,
                Verdict::Same => grey(&surfaces, ray, expected)?,
                Verdict::Lost => LOST,
                Verdict::Wrong => WRONG,
            };
        }
        Ok(())
    })?;
    let count = |colour: [u8; 3]| pixels.iter().filter(|pixel| **pixel == colour).count() as u64;
    let lost = LostPixels {
        hits: pixels.len() as u64 - count(SKY),
        lost: count(LOST),
        wrong: count(WRONG),
    };
    let picture = Picture { width, height, pixels };
    Ok((Rendering { picture, counters, heat_map: None }, lost))
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
