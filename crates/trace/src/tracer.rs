//! The tracer: from a scene or an image to answers.

use crate::ask::Ask;
use crate::batch::Batch;
use crate::beam::{BeamAsk, BeamBounds, Beams, BeamsError};
use crate::decay::LevelCost;
use crate::in_place::InPlace;
use crate::kernel::{Kernel, with_kernel};
use crate::kind::{Any, Closest, Kind};
use crate::nearest::Placements;
use crate::refit::Counts;
use crate::simd::HAS_WALKS;
use crate::source::TraversalSource;
use crate::vector::single_ray;
use crate::world::{Boxes, Tlas, World};
use crate::{Hit, TraceError};
use build::{Options as BuildOptions, Preset, ProgressFn};
use geometry::{Beam, Ray, TriangleRule};
use gfx12::Gfx12;
use gfx12::encode::{Options as EncodeOptions, Policy};
use machine::registry::{NodeNames, loses_nothing};
use machine::{
    BeamShape, CheckReport, Checked, Counters, Format, LeafRule, MachineEntry, MachineInput,
    TreeFormat, WrongFormat, downcast,
};
use scene::Scene;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use tree::Tree;

/// The name of the machine in options and reports.
pub const NAME: &str = "fast";

/// The machine, for the registry: over an image it walks in place, over a tree its own copy, with
/// the boxes of the tree.
pub const MACHINES: &[MachineEntry] = &[MachineEntry {
    name: NAME,
    summary: "the fast tracer",
    reads: |format| [machine::tree_format::NAME, gfx12::NAME].contains(&format.name),
    format: machine::tree_format::NAME,
    settings: &[],
    takes_trees: true,
    nodes: NodeNames::Image,
    stack_sizes: &[],
    has_capabilities: false,
    takes_beams: true,
    oracle: None,
    may_lose: loses_nothing,
    make: |input, options| {
        let options = Options { rule: options.rule, keeps_boxes: true, ..Options::default() };
        let image = match input {
            MachineInput::Image(image) if input.format() != machine::tree_format::NAME => image,
            _ => return Ok(Box::new(Tracer::from_tree(input.tree(), options)?)),
        };
        let wrong = WrongFormat { machine: NAME, format: input.format() };
        let image = downcast::<Gfx12>(image).ok_or(wrong)?;
        let options = Options { mode: Mode::InPlace, ..options };
        Ok(Box::new(Tracer::from_image(image, options)?))
    },
}];

/// What a tracer reads while it walks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// A copy made for the CPU: the fast way.
    #[default]
    Prepared,
    /// The image's own bytes: the small way.
    InPlace,
}

impl Mode {
    /// Both modes, in the order in which tables show them.
    pub const ALL: [Self; 2] = [Self::Prepared, Self::InPlace];

    /// The name used in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prepared => "prepared",
            Self::InPlace => "in_place",
        }
    }
}

/// How a tracer is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// What it reads.
    pub mode: Mode,
    /// Which arithmetic decides whether a triangle is hit.
    pub rule: TriangleRule,
    /// The instructions that it uses; the fastest of this processor if none are named.
    pub kernel: Option<Kernel>,
    /// How much time is spent on a tree that is built; a tree or an image that is there stays as it
    /// is.
    pub preset: Preset,
    /// Whether a copy keeps the boxes of its tree, and loses what they lose. Otherwise they are
    /// formed anew around what is below them, and nothing is lost.
    pub keeps_boxes: bool,
}

impl Default for Options {
    fn default() -> Self {
        let rule = TriangleRule::Watertight;
        let preset = Tracer::PRESET;
        Self { mode: Mode::Prepared, rule, kernel: None, preset, keeps_boxes: false }
    }
}

/// Answers ray and beam queries. It owns all it needs, has no state that an answer depends on, and
/// may be used by many threads at once.
///
/// ```
/// use geometry::{Ray, Vec3};
/// use trace::Tracer;
///
/// let scene = scene::builtin::Builtin::Organic.scene(2_000);
/// let tracer = Tracer::new(&scene)?;
/// let hits = tracer.closest(&[Ray::new(Vec3::new(0.1, 0.2, 50.0), Vec3::NEG_Z)]);
/// assert!(!hits[0].is_miss());
/// # Ok::<(), trace::TraceError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Tracer {
    pub(crate) storage: Storage,
    pub(crate) options: Options,
    kernel: Kernel,
    /// What beams need beside that, made when the first is asked.
    pub(crate) beams: OnceLock<Result<BeamState, BeamsError>>,
    /// What instances do to distances, looked at when the first nearest point is asked for.
    pub(crate) placements: OnceLock<Placements>,
    /// What the levels cost when they were built, known after the first refit.
    pub(crate) built_costs: Option<Vec<LevelCost>>,
    /// What geometries of a scene that it has followed hold.
    pub(crate) followed: Option<Vec<Counts>>,
}

/// What beams walk.
#[derive(Debug, Clone)]
pub(crate) struct BeamState {
    bounds: BeamBounds,
    /// The CPU's copy, if the tracer itself has none.
    copy: Option<World>,
}

/// What a tracer walks.
#[derive(Debug, Clone)]
pub(crate) enum Storage {
    /// The CPU's copy.
    Prepared(World),
    /// The image.
    InPlace(InPlace),
}

impl Tracer {
    /// The preset of trees for which nothing else is asked: it traces nearly as fast as the best
    /// one, and is there in a third of the time.
    pub const PRESET: Preset = Preset::Balanced;

    /// How trees are built for tracers, by all who build one: with leaves of up to eight triangles,
    /// which are tested at once. Splits may add 17 % of references; more take memory and gain no
    /// speed.
    #[must_use]
    pub fn build_options(preset: Preset) -> BuildOptions {
        BuildOptions {
            leaf_test_width: 8,
            split_budget: Some(0.17),
            ..BuildOptions::preset(preset)
        }
    }

    /// A tracer over a scene: builds a tree by [`Tracer::PRESET`], and prepares it.
    ///
    /// # Errors
    /// When the scene cannot be built, or is too large.
    pub fn new(scene: &Scene) -> Result<Self, TraceError> {
        Self::with_options(scene, Options::default())
    }

    /// The same with options.
    ///
    /// # Errors
    /// As [`Tracer::new`], and when the processor lacks the kernel that is asked for.
    pub fn with_options(scene: &Scene, options: Options) -> Result<Self, TraceError> {
        Self::watched(scene, options, &|_| ControlFlow::Continue(()))
    }

    /// The same; `watch` is told how far the tree is, and may break off.
    ///
    /// # Errors
    /// As [`Tracer::with_options`], and when `watch` breaks off.
    pub fn watched(
        scene: &Scene,
        options: Options,
        watch: &ProgressFn<'_>,
    ) -> Result<Self, TraceError> {
        let tree = build::tree(scene, &Self::build_options(options.preset), watch)?;
        match options.mode {
            Mode::Prepared => Self::prepared(&tree, Boxes::Built, options),
            Mode::InPlace => Self::from_tree(&tree, options),
        }
    }

    /// A tracer over a tree, best one of [`Tracer::build_options`]. [`Mode::Prepared`] copies it;
    /// [`Mode::InPlace`] needs an image, which is made of it.
    ///
    /// # Errors
    /// When the tree is too large or, in place, has no image, or the processor lacks the kernel.
    pub fn from_tree(tree: &Tree, options: Options) -> Result<Self, TraceError> {
        match options.mode {
            Mode::Prepared => Self::prepared(tree, boxes(options), options),
            Mode::InPlace => {
                // The walks' own box tests are conservative, so boxes need no margin.
                let dense = EncodeOptions::new(Policy::Dense);
                let format = Gfx12 { options: EncodeOptions { margin: false, ..dense } };
                let image = format.encode(tree).map_err(TraceError::Encode)?;
                Self::from_report(Gfx12::check(image), options)
            }
        }
    }

    /// A tracer over the main structure of an `.rra` file.
    ///
    /// # Errors
    /// When the file cannot be read, or is not sound.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TraceError> {
        Self::open_with(path, Options::default())
    }

    /// The same with options.
    ///
    /// # Errors
    /// As [`Tracer::open`], and when the processor lacks the kernel that is asked for.
    pub fn open_with(path: impl AsRef<Path>, options: Options) -> Result<Self, TraceError> {
        let bytes = scene::read_file(path.as_ref())?;
        let file = gfx12::rra::read(&bytes).map_err(Box::new)?;
        let opened = file.open(None).map_err(Box::new)?;
        Self::from_report(gfx12::check::check(opened.image), options)
    }

    /// A tracer over a proved image in the format `gfx12`.
    ///
    /// # Errors
    /// When the image has another format or is too large, or the processor lacks the kernel.
    pub fn from_image(image: Arc<Checked<Gfx12>>, options: Options) -> Result<Self, TraceError> {
        match options.mode {
            Mode::Prepared => Self::prepared(image.tree(), boxes(options), options),
            Mode::InPlace => Self::over(Storage::InPlace(InPlace::new(image)), options),
        }
    }

    /// Over a copy of a tree.
    fn prepared(tree: &Tree, boxes: Boxes, options: Options) -> Result<Self, TraceError> {
        let world = World::new(tree, boxes).map_err(|_| TraceError::TooLarge)?;
        Self::over(Storage::Prepared(world), options)
    }

    pub(crate) fn over(storage: Storage, options: Options) -> Result<Self, TraceError> {
        let kernel = options.kernel.unwrap_or_else(Kernel::fastest);
        if !kernel.is_available() {
            return Err(TraceError::Kernel { kernel });
        }
        let (beams, placements) = (OnceLock::new(), OnceLock::new());
        let (built_costs, followed) = (None, None);
        Ok(Self { storage, options, kernel, beams, placements, built_costs, followed })
    }

    fn from_report(report: CheckReport<Gfx12>, options: Options) -> Result<Self, TraceError> {
        let image = report.checked.ok_or(TraceError::Unsound { findings: report.findings })?;
        Self::from_image(Arc::new(image), options)
    }

    /// A question about many rays, to be refined.
    #[must_use]
    pub fn batch(&self) -> Batch<'_> {
        Batch::new(self)
    }

    /// The closest hit of each ray, in order; [`Hit::MISS`] where there is none.
    #[must_use]
    pub fn closest(&self, rays: &[Ray]) -> Vec<Hit> {
        self.batch().closest(rays)
    }

    /// Whether each ray hits anything.
    #[must_use]
    pub fn any(&self, rays: &[Ray]) -> Vec<bool> {
        self.batch().any(rays)
    }

    /// All hits of each ray, each primitive's once, in the order of [`Hit::total_cmp`].
    #[must_use]
    pub fn all(&self, rays: &[Ray]) -> Vec<Vec<Hit>> {
        self.batch().all(rays)
    }

    /// How many primitives each ray hits.
    ///
    /// ```
    /// use geometry::{Ray, Vec3};
    /// use trace::Tracer;
    ///
    /// let tracer = Tracer::new(&scene::builtin::Builtin::Organic.scene(2_000))?;
    /// let rays = [Ray::new(Vec3::new(0.1, 0.2, 50.0), Vec3::NEG_Z)];
    /// assert_eq!(tracer.count(&rays)[0] as usize, tracer.all(&rays)[0].len());
    /// # Ok::<(), trace::TraceError>(())
    /// ```
    #[must_use]
    pub fn count(&self, rays: &[Ray]) -> Vec<u32> {
        self.batch().count(rays)
    }

    /// The closest hit of one ray. One ray alone waits for memory at every step, so this is the
    /// slower way: collect rays and use [`Tracer::closest`] wherever that is possible.
    #[must_use]
    pub fn closest_one(&self, ray: &Ray) -> Hit {
        self.one::<Closest>(ray)
    }

    /// Whether one ray hits anything: the slower way, as [`Tracer::closest_one`]; [`Tracer::any`]
    /// is the faster one.
    ///
    /// ```
    /// use geometry::{Ray, Vec3};
    /// use trace::Tracer;
    ///
    /// let scene = scene::builtin::Builtin::Organic.scene(2_000);
    /// let tracer = Tracer::new(&scene)?;
    /// let down = Ray::new(Vec3::new(0.1, 0.2, 50.0), Vec3::NEG_Z);
    /// assert!(tracer.any_one(&down));
    /// assert!(!tracer.any_one(&down.between(0.0, 1.0)));
    /// # Ok::<(), trace::TraceError>(())
    /// ```
    #[must_use]
    pub fn any_one(&self, ray: &Ray) -> bool {
        self.one::<Any>(ray)
    }

    #[inline]
    fn one<K: Kind>(&self, ray: &Ray) -> K::Answer {
        if HAS_WALKS
            && let (Storage::Prepared(world), TriangleRule::Watertight) =
                (&self.storage, self.options.rule)
            && single_ray::can_walk(world)
        {
            return with_kernel!(self.kernel, V => {
                // SAFETY: FEATURES-DETECTED, STACK-ROOM: the world has been asked.
                unsafe { single_ray::answer::<V, K>(world, ray) }
            });
        }
        let mut answer = K::miss();
        let ask = Ask::everything(self.options.rule);
        let (rays, answers) = (std::slice::from_ref(ray), std::slice::from_mut(&mut answer));
        self.answer::<K>(&ask, 0, rays, answers, None);
        answer
    }

    /// A question about a beam, to be refined: what does a moving box meet?
    ///
    /// The first one takes the time of a look at every primitive, and memory if splits have cut
    /// triangles; in place it makes the CPU's copy, with the boxes of the image, which beams walk
    /// in both modes.
    ///
    /// # Errors
    /// When a coordinate is beyond `2^126` or a transform is singular.
    pub fn beam(&self, beam: Beam) -> Result<BeamAsk<'_>, BeamsError> {
        self.shape(BeamShape::new(beam, LeafRule::Conservative))
    }

    /// The same about any shape that is walked as a beam: a sphere, whose hits have their distance
    /// as `t`, or a frustum.
    ///
    /// # Errors
    /// As [`Tracer::beam`].
    pub fn shape(&self, shape: BeamShape) -> Result<BeamAsk<'_>, BeamsError> {
        Ok(BeamAsk::new(self.beams()?, shape))
    }

    /// The tracer as a machine for beams.
    ///
    /// # Errors
    /// As [`Tracer::beam`].
    pub fn beams(&self) -> Result<Beams<'_>, BeamsError> {
        let found =
            self.beams.get_or_init(|| self.beam_state()).as_ref().map_err(|error| *error)?;
        let world = match (&self.storage, &found.copy) {
            (_, Some(copy)) | (Storage::Prepared(copy), None) => copy,
            (Storage::InPlace(_), None) => return Err(BeamsError::TooLarge),
        };
        Ok(Beams { world, beam_bounds: &found.bounds, kernel: self.kernel })
    }

    fn beam_state(&self) -> Result<BeamState, BeamsError> {
        match &self.storage {
            Storage::Prepared(world) => {
                Ok(BeamState { bounds: BeamBounds::new(world)?, copy: None })
            }
            Storage::InPlace(image) => {
                let world = World::new(image.image().tree(), Boxes::Stored);
                let world = world.map_err(|_| BeamsError::TooLarge)?;
                Ok(BeamState { bounds: BeamBounds::new(&world)?, copy: Some(world) })
            }
        }
    }

    pub(crate) fn placements(&self) -> &Placements {
        self.placements.get_or_init(|| Placements::new(self.tlas()))
    }

    fn tlas(&self) -> Option<&Tlas> {
        match &self.storage {
            Storage::Prepared(world) => world.tlas(),
            Storage::InPlace(image) => image.tlas(),
        }
    }

    /// How it was made.
    #[must_use]
    pub fn options(&self) -> Options {
        self.options
    }

    /// The instructions that it uses.
    #[must_use]
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// How many instances there are; `None` for a scene that is one object in world space.
    #[must_use]
    pub fn instance_count(&self) -> Option<usize> {
        self.tlas().map(|tlas| tlas.instances.len())
    }

    /// Triangles stored, each once, however often it is placed or referred to.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        match &self.storage {
            Storage::Prepared(world) => world.triangles,
            Storage::InPlace(image) => image.triangles,
        }
    }

    /// Bytes of memory that it walks; what beams need beside that is not counted.
    #[must_use]
    pub fn byte_count(&self) -> usize {
        match &self.storage {
            Storage::Prepared(world) => world.byte_count(),
            Storage::InPlace(image) => image.byte_count(),
        }
    }

    /// Bytes of memory for each triangle.
    #[must_use]
    pub fn bytes_per_triangle(&self) -> f64 {
        self.byte_count() as f64 / self.triangle_count().max(1) as f64
    }

    /// Answers the rays of a part of a batch.
    pub(crate) fn answer<K: Kind>(
        &self,
        ask: &Ask<'_>,
        first: usize,
        rays: &[Ray],
        answers: &mut [K::Answer],
        counters: Option<&mut Counters>,
    ) {
        match &self.storage {
            Storage::Prepared(world) => {
                self.kernel.answer::<K>(world, ask, first, rays, answers, counters);
            }
            Storage::InPlace(image) => {
                image.answer_all::<K>(self.kernel, ask, first, rays, answers, counters);
            }
        }
    }
}

/// Where the boxes of a copy come from, as options say.
fn boxes(options: Options) -> Boxes {
    if options.keeps_boxes { Boxes::Stored } else { Boxes::Anew }
}
