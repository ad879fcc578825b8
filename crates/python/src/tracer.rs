//! `Tracer`: many rays, fast.

use crate::columns::{Columns, HitArrays, HitRoom, PyColumns, filled, room};
use crate::generated::{AnyRays, GeneratedRays, RaySource};
use crate::job::{self, Watch};
use crate::scene::Scene;
use crate::{errors, names};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadwriteArray1};
use pyo3::prelude::*;
use rayon::prelude::*;
use siliray::generators::Ground;
use siliray::geometry::{Ray, Vec3};
use siliray::gfx12::Gfx12;
use siliray::input::{Input, Route, build_options};
use siliray::machine::{MachineInput, RayFlags, downcast};
use siliray::render::View;
use siliray::render::surface::Surfaces;
use siliray::trace::{Batch, Hit, Mode, NAME as FAST, Options, Tracer as Fast};
use std::sync::{Arc, OnceLock};

/// Rays of one task: as many as the tracer itself takes at once.
pub(crate) const CHUNK: usize = 1 << 13;

/// Fewer rays are not worth other threads.
const FEW: usize = 256;

/// The fast tracer over a scene.
#[pyclass(frozen, module = "siliray._native")]
pub(crate) struct Tracer {
    input: Arc<Input>,
    walked: MachineInput,
    source: &'static str,
    fast: Arc<Fast>,
    threads: usize,
    /// What generated rays may start from, once it was asked for.
    ground: OnceLock<Arc<Ground>>,
}

/// Three floats for each hit, or eight for each ray.
type PyPoints<'py> = Bound<'py, PyArray2<f32>>;

/// Which hits count: mask of instances, flags of rays.
type Ask = (u8, u32);

#[pymethods]
impl Tracer {
    #[new]
    fn new(
        py: Python<'_>,
        scene: &Scene,
        mode: Option<&str>,
        rule: &str,
        threads: usize,
        preset: Option<&str>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let rule = names::rule(rule)?;
        let mode = mode.map(names::mode).transpose()?;
        let preset = preset.map(names::preset).transpose()?;
        let machine = names::machine(FAST)?;
        let mut route = Route::new(machine, build_options(machine, None, preset));
        // The bytes of an image that the tracer does not read become a tree, as they are.
        if let Input::Image(image) = &*scene.input
            && !(machine.reads)(image.format)
        {
            route.format = Some(names::format(machine.format)?);
        }
        let input = Arc::clone(&scene.input);
        let made = job::run(py, threads, progress, |watch| {
            let prepared = route
                .prepare(&input, &|progress| watch.tell(progress))
                .map_err(|error| errors::route(&error))?;
            let image = match &prepared.input {
                MachineInput::Image(image) => downcast::<Gfx12>(image),
                MachineInput::Tree(_) => None,
            };
            let options = |mode| Options { mode, rule, ..Options::default() };
            let fast = match image {
                Some(image) => {
                    let options = options(mode.unwrap_or(Mode::InPlace));
                    Fast::from_image(image, Options { keeps_boxes: mode.is_none(), ..options })
                }
                None => Fast::from_tree(prepared.input.tree(), options(mode.unwrap_or_default())),
            };
            let fast = fast.map_err(|error| errors::tracer(&error))?;
            Ok::<_, PyErr>((prepared.input, prepared.origin.name(), fast))
        })?;
        let (walked, source, fast) = made?;
        Ok(Self {
            input: scene.input.clone(),
            walked,
            source,
            fast: Arc::new(fast),
            threads,
            ground: OnceLock::new(),
        })
    }

    /// The same tracer for another number of threads; nothing is built or copied.
    fn with_threads(&self, threads: usize) -> Self {
        let Self { input, walked, source, fast, ground, .. } = self;
        let (input, walked, fast) = (Arc::clone(input), walked.clone(), Arc::clone(fast));
        Self { input, walked, source, fast, threads, ground: ground.clone() }
    }

    /// Rays of a generator, which is written as JSON, from number `first` on.
    fn generated(
        &self,
        py: Python<'_>,
        json: &str,
        first: u64,
        count: Option<u64>,
    ) -> PyResult<GeneratedRays> {
        GeneratedRays::new(json, first, count, || {
            if let Some(ground) = self.ground.get() {
                return Ok(Arc::clone(ground));
            }
            let ground = job::run(py, self.threads, None, |_| Ground::of(&self.input))?;
            let ground = Arc::new(ground.map_err(errors::scene)?);
            Ok(Arc::clone(self.ground.get_or_init(|| ground)))
        })
    }

    /// The rays themselves: ox oy oz tmin dx dy dz tmax.
    fn rays<'py>(&self, py: Python<'py>, rays: RaySource<'py>) -> PyResult<PyPoints<'py>> {
        let rays = rays.rays()?;
        let mut rows = filled([0.0f32; 8], rays.len(), "rays")?;
        self.answer(py, &rays, &mut rows, None, |rays, rows| {
            for (row, ray) in rows.iter_mut().zip(rays) {
                ray.origin.write_to_slice(row);
                ray.direction.write_to_slice(&mut row[4..]);
                (row[3], row[7]) = (ray.tmin, ray.tmax);
            }
        })?;
        PyArray1::from_vec(py, rows.into_flattened()).reshape([rays.len(), 8])
    }

    /// The closest hit of each ray, into the columns of `room_for`.
    fn closest<'py>(
        &self,
        py: Python<'py>,
        rays: RaySource<'py>,
        ask: Ask,
        mut room_for: HitRoom<'py>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let (rays, batch) = (rays.rays()?, self.batch(ask)?);
        let (t, u, v, instance, geometry, primitive) = room_for.slices(rays.len())?;
        self.run(py, rays.len(), progress, |watch| {
            let parts = (
                t.par_chunks_mut(CHUNK),
                u.par_chunks_mut(CHUNK),
                v.par_chunks_mut(CHUNK),
                instance.par_chunks_mut(CHUNK),
                geometry.par_chunks_mut(CHUNK),
                primitive.par_chunks_mut(CHUNK),
            );
            let scratch = || (Vec::new(), vec![Hit::MISS; CHUNK.min(rays.len())]);
            let parts = parts.into_par_iter().enumerate();
            let _ = parts.try_for_each_init(scratch, |(part, hits), (number, columns)| {
                let (t, u, v, instance, geometry, primitive) = columns;
                let start = number * CHUNK;
                rays.read(start..start + t.len(), part);
                let hits = &mut hits[..part.len()];
                hits.fill(Hit::MISS);
                batch.closest_into(part, hits);
                let floats = t.iter_mut().zip(u).zip(v);
                let ids = instance.iter_mut().zip(geometry).zip(primitive);
                for (hit, (((t, u), v), ((instance, geometry), primitive))) in
                    hits.iter().zip(floats.zip(ids))
                {
                    (*t, *u, *v) = (hit.t, hit.u, hit.v);
                    (*instance, *geometry, *primitive) = hit.ids();
                }
                watch.advance(part.len())
            });
        })?;
        rays.held()
    }

    /// Whether each ray hits anything, into `room_for`.
    fn any<'py>(
        &self,
        py: Python<'py>,
        rays: RaySource<'py>,
        ask: Ask,
        mut room_for: PyReadwriteArray1<'py, bool>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let (rays, batch) = (rays.rays()?, self.batch(ask)?);
        let answers = room(&mut room_for, rays.len())?;
        self.answer(py, &rays, answers, progress, |rays, answers| batch.any_into(rays, answers))
    }

    /// How many primitives each ray hits, into `room_for`.
    fn count<'py>(
        &self,
        py: Python<'py>,
        rays: RaySource<'py>,
        ask: Ask,
        mut room_for: PyReadwriteArray1<'py, u32>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let (rays, batch) = (rays.rays()?, self.batch(ask)?);
        let counts = room(&mut room_for, rays.len())?;
        self.answer(py, &rays, counts, progress, |rays, counts| {
            counts.copy_from_slice(&batch.count(rays));
        })
    }

    /// All hits of each ray. Where those of each end goes into `room_for`.
    fn all<'py>(
        &self,
        py: Python<'py>,
        rays: RaySource<'py>,
        ask: Ask,
        mut room_for: PyReadwriteArray1<'py, i64>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<PyColumns<'py>> {
        let (rays, batch) = (rays.rays()?, self.batch(ask)?);
        let ends = room(&mut room_for, rays.len())?;
        let columns = self.run(py, rays.len(), progress, |watch| {
            let parts = ends.par_chunks_mut(CHUNK).enumerate();
            let parts = parts.map_init(Vec::new, |part, (number, ends)| {
                if watch.is_cancelled() {
                    return Ok(Columns::default());
                }
                let start = number * CHUNK;
                rays.read(start..start + ends.len(), part);
                let hits = batch.all(part);
                let mut columns = Columns::with_room(hits.iter().map(Vec::len).sum())?;
                for (end, hits) in ends.iter_mut().zip(&hits) {
                    hits.iter().for_each(|hit| columns.push(hit));
                    *end = columns.len() as i64;
                }
                let _ = watch.advance(part.len());
                Ok(columns)
            });
            let parts: Vec<Columns> = parts.collect::<PyResult<_>>()?;
            let mut all = Columns::with_room(parts.iter().map(Columns::len).sum())?;
            for (ends, columns) in ends.chunks_mut(CHUNK).zip(&parts) {
                ends.iter_mut().for_each(|end| *end += all.len() as i64);
                all.append(columns);
            }
            Ok::<_, PyErr>(all)
        })??;
        rays.held()?;
        Ok(columns.into_python(py))
    }

    /// Whether there are boxes, whose hits are nowhere without their rays.
    #[getter]
    fn has_boxes(&self) -> bool {
        self.walked.tree().blases.iter().any(|blas| !blas.primitives.boxes.is_empty())
    }

    /// Points of hits, three floats each; NaN for a miss. `rays` has the ray of each if there are
    /// boxes.
    fn positions<'py>(
        &self,
        py: Python<'py>,
        hits: HitArrays<'py>,
        rays: Option<RaySource<'py>>,
        mut room_for: PyReadwriteArray1<'py, f32>,
    ) -> PyResult<()> {
        self.surfaces(py, &hits, rays.as_ref(), &mut room_for, |[position, _]| position)
    }

    /// Unit normals, likewise.
    fn normals<'py>(
        &self,
        py: Python<'py>,
        hits: HitArrays<'py>,
        rays: Option<RaySource<'py>>,
        mut room_for: PyReadwriteArray1<'py, f32>,
    ) -> PyResult<()> {
        self.surfaces(py, &hits, rays.as_ref(), &mut room_for, |[_, normal]| normal)
    }

    #[getter]
    fn source(&self) -> &'static str {
        self.source
    }

    #[getter]
    fn mode(&self) -> &'static str {
        self.fast.options().mode.name()
    }

    #[getter]
    fn rule(&self) -> &'static str {
        self.fast.options().rule.name()
    }

    #[getter]
    fn kernel(&self) -> &'static str {
        self.fast.kernel().name()
    }

    #[getter]
    fn triangles(&self) -> usize {
        self.fast.triangle_count()
    }

    #[getter]
    fn bytes(&self) -> usize {
        self.fast.byte_count()
    }

    #[getter]
    fn threads(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(job::pool(py, self.threads)?.current_num_threads())
    }
}

impl Tracer {
    /// The tracer itself.
    pub(crate) fn fast(&self) -> &Fast {
        &self.fast
    }

    /// Whether there are instances.
    pub(crate) fn has_instances(&self) -> bool {
        self.walked.tree().tlas.is_some()
    }

    /// What is asked of many rays.
    pub(crate) fn batch(&self, (mask, flags): Ask) -> PyResult<Batch<'_>> {
        let flags = RayFlags::from_bits(flags)
            .ok_or_else(|| errors::option(format!("there are no ray flags {flags:#x}")))?;
        Ok(self.fast.batch().mask(mask).flags(flags))
    }

    fn view(&self) -> View<'_> {
        let scene = self.input.as_scene();
        View { scene, input: Some(&self.walked), ..View::of(self.walked.tree()) }
    }

    /// One answer for each ray: `answer` is given some rays, and where theirs go.
    fn answer<T: Send>(
        &self,
        py: Python<'_>,
        rays: &AnyRays<'_>,
        answers: &mut [T],
        progress: Option<&Bound<'_, PyAny>>,
        answer: impl Fn(&[Ray], &mut [T]) + Sync,
    ) -> PyResult<()> {
        self.run(py, rays.len(), progress, |watch| {
            let parts = answers.par_chunks_mut(CHUNK).enumerate();
            let _ = parts.try_for_each_init(Vec::new, |part, (number, answers)| {
                let start = number * CHUNK;
                rays.read(start..start + answers.len(), part);
                answer(part, answers);
                watch.advance(part.len())
            });
        })?;
        rays.held()
    }

    /// What `of` says of position and normal of each hit.
    fn surfaces<'py>(
        &self,
        py: Python<'py>,
        hits: &HitArrays<'py>,
        rays: Option<&RaySource<'py>>,
        room_for: &mut PyReadwriteArray1<'py, f32>,
        of: impl Fn([Vec3; 2]) -> Vec3 + Sync,
    ) -> PyResult<()> {
        let (hits, rays) = (hits.columns()?, rays.map(RaySource::rays).transpose()?);
        if rays.as_ref().is_some_and(|rays| rays.len() != hits.len()) {
            return Err(errors::array("one hit for each ray is expected"));
        }
        let vectors = room(room_for, 3 * hits.len())?;
        self.run(py, hits.len(), None, |watch| {
            let surfaces = Surfaces::new(self.view(), FAST);
            let parts = vectors.par_chunks_mut(3 * CHUNK).enumerate();
            parts.try_for_each_init(Vec::new, |part, (number, vectors)| {
                let rows = number * CHUNK..number * CHUNK + vectors.len() / 3;
                rays.iter().for_each(|rays| rays.read(rows.clone(), part));
                for (place, (row, vector)) in rows.zip(vectors.chunks_exact_mut(3)).enumerate() {
                    let hit = hits.hit(row);
                    if hit.is_miss() {
                        vector.fill(f32::NAN);
                        continue;
                    }
                    let found = surfaces.by_weights(&hit).and_then(|found| match part.get(place) {
                        Some(ray) if found.is_none() => {
                            surfaces.at(ray, &hit).map(|point| [point.position, point.normal])
                        }
                        _ => Ok(found.unwrap_or([Vec3::NAN; 2])),
                    });
                    of(found.map_err(|error| errors::render(&error))?).write_to_slice(vector);
                }
                // A caller that has lost interest raises its own exception.
                let _ = watch.advance(vectors.len() / 3);
                Ok::<(), PyErr>(())
            })
        })?
    }

    /// On the caller's own thread if there is little to do.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        count: usize,
        progress: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(&Watch) -> T + Send,
    ) -> PyResult<T> {
        if count <= FEW && progress.is_none() {
            return py.detach(|| job::guarded(|| work(&Watch::default())));
        }
        job::run(py, self.threads, progress, |watch| {
            watch.begin(count);
            work(watch)
        })
    }
}
