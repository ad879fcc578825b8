//! Where rays meet the triangles of a mesh of doubles.

use crate::arrays::{Floats, Integers, RayArrays, Rays, WideRay};
use crate::columns::room;
use crate::errors;
use crate::tracer::{CHUNK, Tracer};
use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;
use rayon::prelude::*;
use siliray::geometry::Ray;
use siliray::locations::Planes as MeshPlanes;
use siliray::trace::Hit;

/// The planes of a mesh's triangles.
#[pyclass(frozen, module = "siliray._native")]
pub(crate) struct Planes {
    planes: MeshPlanes,
}

#[pymethods]
impl Planes {
    #[new]
    fn new(py: Python<'_>, vertices: Floats<'_>, faces: Integers<'_>) -> PyResult<Self> {
        let (vertices, faces) = (vertices.point_rows(), faces.triangle_rows());
        let planes =
            py.detach(|| Ok::<_, PyErr>(MeshPlanes::new(&vertices.wide()?, &faces.triangles()?)))?;
        let planes = planes.ok_or_else(|| errors::scene("faces: a triangle names no vertex"))?;
        Ok(Self { planes })
    }

    fn __len__(&self) -> usize {
        self.planes.len()
    }
}

/// Room for results: three floats for each location, its ray, its triangle.
#[derive(FromPyObject)]
pub(crate) struct LocationRoom<'py>(
    PyReadwriteArray1<'py, f64>,
    PyReadwriteArray1<'py, i64>,
    PyReadwriteArray1<'py, i64>,
);

/// Hits that are located at once: what they need stays in the processor's nearest memory.
const BLOCK: usize = 128;

/// What a task works with: rays, what they hit, and a block of rays as they came with places.
struct Scratch {
    rays: Vec<Ray>,
    hits: Vec<Hit>,
    wide: [WideRay; BLOCK],
    places: [[f64; 3]; BLOCK],
}

impl Scratch {
    const fn new() -> Self {
        let places = [[0.0; 3]; BLOCK];
        Self { rays: Vec::new(), hits: Vec::new(), wide: [([0.0; 3], [0.0; 3]); BLOCK], places }
    }

    /// Where the rays from number `start` on meet the planes of what they hit.
    fn locate(&mut self, rays: &Rays<'_>, planes: &MeshPlanes, start: usize, hits: &[Hit]) {
        let (wide, places) = (&mut self.wide[..hits.len()], &mut self.places[..hits.len()]);
        rays.read_wide(start..start + hits.len(), wide);
        planes.locations(wide, hits, places);
    }
}

/// Where each ray first meets the mesh, which was moved by `shift` before it was rounded. Returns
/// how many rays do: so many places of the room are filled, in the order of the rays.
#[pyfunction]
pub(crate) fn first_locations<'py>(
    py: Python<'py>,
    tracer: &Tracer,
    rays: RayArrays<'py>,
    planes: &Planes,
    shift: [f64; 3],
    mut room_for: LocationRoom<'py>,
) -> PyResult<usize> {
    let (rays, batch) = (rays.rays()?, tracer.batch((0xFF, 0))?);
    let count = rays.len();
    let LocationRoom(locations, index_ray, index_tri) = &mut room_for;
    let locations = room(locations, 3 * count)?;
    let (index_ray, index_tri) = (room(index_ray, count)?, room(index_tri, count)?);
    let found = tracer.run(py, count, None, |watch| {
        let parts = (
            locations.par_chunks_mut(3 * CHUNK),
            index_ray.par_chunks_mut(CHUNK),
            index_tri.par_chunks_mut(CHUNK),
        );
        let parts = parts.into_par_iter().enumerate();
        let found = parts.map_init(Scratch::new, |scratch, (number, room)| {
            if watch.is_cancelled() {
                return 0;
            }
            let (locations, index_ray, index_tri) = room;
            let start = number * CHUNK;
            rays.read_moved(start..start + index_ray.len(), shift, &mut scratch.rays);
            let mut hits = std::mem::take(&mut scratch.hits);
            hits.clear();
            hits.resize(scratch.rays.len(), Hit::MISS);
            batch.closest_into(&scratch.rays, &mut hits);
            let mut found = 0;
            for (block, hits) in hits.chunks(BLOCK).enumerate() {
                let start = start + block * BLOCK;
                scratch.locate(&rays, &planes.planes, start, hits);
                for (row, (hit, place)) in hits.iter().zip(&scratch.places).enumerate() {
                    if !hit.is_miss() {
                        locations[3 * found..3 * found + 3].copy_from_slice(place);
                        index_ray[found] = (start + row) as i64;
                        index_tri[found] = i64::from(hit.primitive);
                        found += 1;
                    }
                }
            }
            scratch.hits = hits;
            let _ = watch.advance(scratch.rays.len());
            found
        });
        let found: Vec<usize> = found.collect();
        // Close the gaps that misses leave.
        let mut end = 0;
        for (number, found) in found.into_iter().enumerate() {
            let from = number * CHUNK..number * CHUNK + found;
            if from.start > end {
                locations.copy_within(3 * from.start..3 * from.end, 3 * end);
                index_ray.copy_within(from.clone(), end);
                index_tri.copy_within(from, end);
            }
            end += found;
        }
        end
    })?;
    rays.held()?;
    Ok(found)
}

/// Hits of rays on a mesh.
#[derive(FromPyObject)]
pub(crate) struct MeshHits<'py>(
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, f32>,
);

/// Where rays meet the triangles of hits: ray, triangle and parameter of each.
#[pyfunction]
pub(crate) fn locations<'py>(
    py: Python<'py>,
    tracer: &Tracer,
    rays: RayArrays<'py>,
    planes: &Planes,
    hits: MeshHits<'py>,
    mut room_for: PyReadwriteArray1<'py, f64>,
) -> PyResult<()> {
    let rays = rays.rays()?;
    let MeshHits(index_ray, index_tri, t) = &hits;
    let different = |_| errors::array("columns of hits with gaps");
    let index_ray = index_ray.as_slice().map_err(different)?;
    let (index_tri, t) =
        (index_tri.as_slice().map_err(different)?, t.as_slice().map_err(different)?);
    let is_known = |&ray: &i64| usize::try_from(ray).is_ok_and(|ray| ray < rays.len());
    if [index_tri.len(), t.len()] != [index_ray.len(); 2] || !index_ray.iter().all(is_known) {
        return Err(errors::array("hits of other rays"));
    }
    let places = room(&mut room_for, 3 * index_ray.len())?;
    tracer.run(py, index_ray.len(), None, |watch| {
        let parts = (
            places.par_chunks_mut(3 * CHUNK),
            index_ray.par_chunks(CHUNK),
            index_tri.par_chunks(CHUNK),
            t.par_chunks(CHUNK),
        );
        let _ = parts.into_par_iter().try_for_each(|(places, index_ray, index_tri, t)| {
            let hits = index_ray.iter().zip(index_tri.iter().zip(t));
            let mut wide: [WideRay; 1] = Default::default();
            for (place, (&ray, (&primitive, &t))) in places.chunks_exact_mut(3).zip(hits) {
                let ray = ray as usize;
                rays.read_wide(ray..ray + 1, &mut wide);
                let hit = Hit { t, primitive, ..Hit::MISS };
                place.copy_from_slice(&planes.planes.location(wide[0].0, wide[0].1, &hit));
            }
            watch.advance(t.len())
        });
    })
}
