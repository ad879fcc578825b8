//! `Tracer`: many rays, fast.

use crate::columns::{Columns, HitArrays, HitRoom, PyColumns, room};
use crate::generated::{self, AnyRays, GeneratedRays, PyRows, RaySource};
use crate::job::{self, Watch};
use crate::scene::Scene;
use crate::{errors, names};
use numpy::PyReadwriteArray1;
use pyo3::prelude::*;
use rayon::prelude::*;
use siliray::generators::PlacedTriangles;
use siliray::geometry::{Ray, Vec3};
use siliray::gfx12::Gfx12;
use siliray::input::{Input, Origin};
use siliray::machine::{RayFlags, downcast};
use siliray::render::View;
use siliray::render::surface::Surfaces;
use siliray::scene::{Geometry, Shape};
use siliray::trace::{Batch, Hit, Mode, NAME as FAST, Options, Tracer as Fast};
use siliray::tree::Tree;
use std::sync::{Arc, OnceLock};

/// Rays of one task: as many as the tracer itself takes at once.
pub(crate) const CHUNK: usize = 1 << 13;

/// Of a scene its own triangles are looked at.
static NO_TREE: Tree = Tree { blases: Vec::new(), tlas: None };

/// Fewer rays are not worth other threads.
const FEW: usize = 256;

/// The fast tracer over a scene.
#[pyclass(frozen, module = "siliray._native")]
pub(crate) struct Tracer {
    /// What is traced; missing where a tracer was read from a file alone.
    input: Option<Arc<Input>>,
    source: &'static str,
    fast: Arc<Fast>,
    threads: usize,
    /// What generated rays may start from, once it was asked for.
    ground: OnceLock<Arc<PlacedTriangles>>,
}

/// Which hits count: mask of instances, flags of rays.
type Ask = (u8, u32);

/// How a tracer is made.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct TracerChoice {
    mode: Option<String>,
    rule: String,
    threads: usize,
    preset: Option<String>,
    kernel: Option<String>,
}

#[pymethods]
impl Tracer {
    #[new]
    fn new(
        py: Python<'_>,
        scene: &Scene,
        choice: TracerChoice,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let rule = names::rule(&choice.rule)?;
        let mode = choice.mode.as_deref().map(names::mode).transpose()?;
        let preset = choice.preset.as_deref().map(names::preset).transpose()?;
        let preset = preset.unwrap_or(Fast::PRESET);
        let kernel = choice.kernel.as_deref().map(names::kernel).transpose()?;
        let machine = names::machine(FAST)?;
        let (input, threads) = (Arc::clone(&scene.input), choice.threads);
        let made = job::run(py, threads, progress, |watch| {
            let options = |mode| Options { mode, rule, kernel, preset, keeps_boxes: false };
            match &*input {
                Input::Scene(scene) => {
                    let options = options(mode.unwrap_or_default());
                    Fast::watched(scene, options, &|progress| watch.tell(progress))
                        .map(|fast| (fast, Origin::Built))
                }
                Input::Image(image) => {
                    let gfx12 = downcast::<Gfx12>(&image.checked);
                    let origin = match (mode, &gfx12) {
                        (Some(Mode::Prepared), _) => Origin::Rebuilt,
                        (Some(Mode::InPlace), Some(_)) => Origin::Stored,
                        (None, _) if (machine.reads)(image.format) => Origin::Stored,
                        _ => Origin::Converted { from: image.format.name },
                    };
                    // The boxes of an image are walked as they are unless a mode is named.
                    let options = |usual| Options { keeps_boxes: mode.is_none(), ..options(usual) };
                    let fast = match gfx12 {
                        Some(image) => {
                            Fast::from_image(image, options(mode.unwrap_or(Mode::InPlace)))
                        }
                        None => {
                            let tree = image.checked.tree();
                            Fast::from_tree(tree, options(mode.unwrap_or_default()))
                        }
                    };
                    fast.map(|fast| (fast, origin))
                }
            }
        })?;
        let (fast, origin) = made.map_err(|error| errors::tracer(&error))?;
        Ok(Self::over(Some(input), origin.name(), fast, threads))
    }

    /// The same tracer for another number of threads; nothing is built or copied.
    fn with_threads(&self, threads: usize) -> Self {
        let Self { input, source, fast, ground, .. } = self;
        let (input, fast) = (input.clone(), Arc::clone(fast));
        Self { input, source, fast, threads, ground: ground.clone() }
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
            let input = self.input()?;
            let ground = job::run(py, self.threads, None, |_| PlacedTriangles::of(input))?;
            let ground = Arc::new(ground.map_err(errors::scene)?);
            Ok(Arc::clone(self.ground.get_or_init(|| ground)))
        })
    }

    /// The rays themselves: ox oy oz tmin dx dy dz tmax.
    fn rays<'py>(&self, py: Python<'py>, rays: RaySource<'py>) -> PyResult<PyRows<'py>> {
        generated::rows(py, self.threads, &rays.rays()?)
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
        let is_box =
            |part: &Geometry| matches!(&part.shape, Shape::Boxes(boxes) if !boxes.is_empty());
        match self.input.as_deref() {
            Some(Input::Scene(scene)) => {
                scene.objects.iter().any(|object| object.geometries.iter().any(is_box))
            }
            Some(Input::Image(image)) => {
                let mut blases = image.checked.tree().blases.iter();
                blases.any(|blas| !blas.primitives.boxes.is_empty())
            }
            None => false,
        }
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

    /// A tracer of which nothing was asked yet.
    pub(crate) fn over(
        input: Option<Arc<Input>>,
        source: &'static str,
        fast: Fast,
        threads: usize,
    ) -> Self {
        Self { input, source, fast: Arc::new(fast), threads, ground: OnceLock::new() }
    }

    /// How it came to be.
    pub(crate) const fn source_name(&self) -> &'static str {
        self.source
    }

    /// How many threads work at once; 0 is one for each processor.
    pub(crate) const fn thread_choice(&self) -> usize {
        self.threads
    }

    /// What is asked of many rays.
    pub(crate) fn batch(&self, (mask, flags): Ask) -> PyResult<Batch<'_>> {
        let flags = RayFlags::from_bits(flags)
            .ok_or_else(|| errors::option(format!("there are no ray flags {flags:#x}")))?;
        Ok(self.fast.batch().mask(mask).flags(flags))
    }

    fn input(&self) -> PyResult<&Input> {
        self.input.as_deref().ok_or_else(errors::no_scene)
    }

    fn view(&self) -> PyResult<View<'_>> {
        Ok(match self.input()? {
            Input::Scene(scene) => View { scene: Some(scene), ..View::of(&NO_TREE) },
            Input::Image(image) => View::of(image.checked.tree()),
        })
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
        let (view, vectors) = (self.view()?, room(room_for, 3 * hits.len())?);
        self.run(py, hits.len(), None, |watch| {
            let surfaces = Surfaces::new(view, FAST);
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
