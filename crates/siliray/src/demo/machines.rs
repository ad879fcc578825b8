//! One ray, and a sample of the law, on every machine.

use crate::conformance::{ImageError, ImageOptions, MachineReport, image_rays, run_machine};
use crate::input::{Input, Route, StoredImage};
use crate::registry::registry;
use crate::walk::{Walk, watch_over};
use build::unwatched;
use geometry::Ray;
use machine::{Hit, HitKind, MachineEntry, MachineInput, MachineOptions, Query};

/// Chooses the rays of the law.
const SEED: u64 = 20_261;

/// Triangles that brute force may look at for each machine.
const MOST_TESTS: usize = 12_000_000;

/// Bounds of the number of rays.
const RAYS: (usize, usize) = (8, 200);

/// A machine, its answer and its walk.
#[derive(Debug, Clone)]
pub struct MachineRow {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// The format of what it stands on.
    pub format: &'static str,
    /// What came of it, or why it does not take the scene.
    pub outcome: Result<MachineAnswer, String>,
}

/// What a machine says to one ray, and what the law says to the machine.
#[derive(Debug, Clone)]
pub struct MachineAnswer {
    /// The closest hit, by the ids of the scene.
    pub hit: Option<Hit>,
    /// The walk.
    pub walk: Walk,
    /// Many rays, compared with brute force.
    pub law: MachineReport,
    /// How many.
    pub rays: usize,
}

/// Asks a machine over the tree in `plain`, laid out as the machine likes it.
pub(super) fn row(
    entry: &'static MachineEntry,
    plain: &StoredImage,
    ray: Ray,
) -> Result<MachineRow, ImageError> {
    let format = registry().format(entry.format);
    let route = Route { format, ..Route::new(entry, build::Options::default()) };
    let prepared = route.prepare(&Input::Image(plain.clone()), &unwatched);
    let row = |outcome| MachineRow {
        name: entry.name,
        summary: entry.summary,
        format: entry.format,
        outcome,
    };
    let input = match prepared {
        Ok(prepared) => prepared.input,
        Err(error) => return Ok(row(Err(error.to_string()))),
    };
    let machine = match (entry.make)(&input, &MachineOptions::default()) {
        Ok(machine) => machine,
        Err(error) => return Ok(row(Err(error.to_string()))),
    };
    let (walk, _) = watch_over(entry, &input, &*machine, &Query::ray(HitKind::Closest, ray));
    let hit = match &walk.answer {
        Ok(answer) => answer.hits.first().map(|hit| input.scene_hit(*hit)),
        Err(error) => return Ok(row(Err(error.to_string()))),
    };
    let rays = rays_of(&input);
    let queries = image_rays(input.tree(), SEED, rays);
    let options = ImageOptions { seed: SEED, rays, stack_size: STACK, followed: 0 };
    let law = run_machine(entry, &input, &queries, &options, &unwatched)?;
    Ok(row(Ok(MachineAnswer { hit, walk, law, rays })))
}

/// Entries of the traversal stack: enough for any loop here.
const STACK: u8 = 16;

/// As many rays as brute force can answer in a moment.
fn rays_of(input: &MachineInput) -> usize {
    let tree = input.tree();
    let instances = tree.tlas.as_ref().map_or(1, |tlas| tlas.instances.len().clamp(1, 64));
    (MOST_TESTS / (tree.primitive_count().max(1) * instances)).clamp(RAYS.0, RAYS.1)
}
