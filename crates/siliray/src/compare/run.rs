//! Scene → rows.

use super::rays::{Losses, Rays};
use super::row::{BytesPerTriangle, Row, RowKey, Work};
use super::variant::Variant;
use crate::input::format_options;
use crate::registry::registry;
use crate::resume::Rows;
use crate::workload::WorkloadError;
use build::{BuildError, Built, Preset, Progress, ProgressFn};
use geometry::TriangleRule;
use machine::{
    Answer, AnyChecked, Counters, Encoded, Hit, Machine, MachineEntry, MachineError, MachineInput,
    MachineOptions, MakeError, reference,
};
use rayon::prelude::*;
use scene::{Camera, Scene};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use trace::{TraceError, Tracer};
use tree::quality::LevelCosts;
use ttu::run::Options as RunOptions;
use ttu::{Config, RunError, World, simulate, ttu_machine};

/// Rays that a thread asks in a row.
const CHUNK: usize = 64;

/// What is compared.
#[derive(Debug, Clone)]
pub struct Plan {
    /// How trees are built.
    pub presets: Vec<Preset>,
    /// The formats.
    pub variants: Vec<Variant>,
    /// The machines, each on the formats that it reads. Without any, the traversal unit walks, and
    /// the reference where that does not run the format.
    pub machines: Vec<&'static MachineEntry>,
    /// Rays of each kind.
    pub rays: usize,
}

/// Why there is nothing to compare.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the machine {machine} reads none of the formats")]
pub struct PlanError {
    /// The machine, which would be left out without a word.
    pub machine: &'static str,
}

impl Plan {
    /// A plan; of what is not named, what is usual: the presets that have a use everywhere, every
    /// format in each way that a comparison shows.
    ///
    /// # Errors
    /// When a machine reads none of the formats.
    pub fn new(
        presets: Vec<Preset>,
        variants: Vec<Variant>,
        machines: Vec<&'static MachineEntry>,
        rays: usize,
    ) -> Result<Self, PlanError> {
        let presets = if presets.is_empty() { Preset::BVHS.to_vec() } else { presets };
        let variants = if variants.is_empty() { Variant::all() } else { variants };
        let is_idle = |machine: &&&MachineEntry| {
            !variants.iter().any(|variant| (machine.reads)(variant.format))
        };
        match machines.iter().find(is_idle) {
            Some(machine) => Err(PlanError { machine: machine.name }),
            None => Ok(Self { presets, variants, machines, rays }),
        }
    }
}

/// What came of a scene.
#[derive(Debug, Clone, Default)]
pub struct Compared {
    /// The rows: by preset, then format, then machine.
    pub rows: Vec<Row>,
    /// Formats that could not take part.
    pub skipped: Vec<Skipped>,
}

/// A format that could not take part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The scene.
    pub scene: String,
    /// The format and its settings.
    pub format: String,
    /// Why.
    pub reason: String,
}

/// Why nothing can be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// The scene has no tree.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The scene cannot be traced.
    #[error(transparent)]
    Tracer(#[from] TraceError),
    /// There are no rays.
    #[error(transparent)]
    Rays(#[from] WorkloadError),
    /// A machine gives no answer.
    #[error("{format}: {source}")]
    Machine {
        /// The format.
        format: String,
        /// What the machine says.
        source: MachineError,
    },
    /// The traversal unit gives no answer.
    #[error("{format}: {source}")]
    Unit {
        /// The format.
        format: String,
        /// What it says.
        source: RunError,
    },
    /// A row could not be kept.
    #[error("{0}")]
    Keep(String),
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

/// Makes the rows of a scene. Those that `kept` has are not made again, and nothing is built that
/// only they would need. `watch` is told of progress, and may end the work.
///
/// # Errors
/// When the scene cannot be built or traced, or a machine gives no answer.
pub fn compare(
    scene: &Scene,
    camera: &Camera,
    plan: &Plan,
    kept: Option<&dyn Rows<Row>>,
    watch: &ProgressFn<'_>,
) -> Result<Compared, CompareError> {
    let parts = plan.presets.len() * plan.variants.len();
    let done = AtomicUsize::new(0);
    // Of a format there is a build and several walks, of which nobody knows how long they take.
    let told = |_: Progress| watch(Progress::of(done.load(Ordering::Relaxed), parts));
    let (rays, compared) = (None, Compared::default());
    let mut comparison = Comparison { scene, camera, plan, kept, watch: &told, rays, compared };
    for &preset in &plan.presets {
        let mut built = Vec::new();
        for variant in &plan.variants {
            if watch(Progress::of(done.load(Ordering::Relaxed), parts)).is_break() {
                return Err(CompareError::Cancelled);
            }
            comparison.variant(preset, variant, &mut built)?;
            done.fetch_add(1, Ordering::Relaxed);
        }
    }
    Ok(comparison.compared)
}

/// The rows so far, and what more of them are made of.
struct Comparison<'a> {
    scene: &'a Scene,
    camera: &'a Camera,
    plan: &'a Plan,
    kept: Option<&'a dyn Rows<Row>>,
    watch: &'a ProgressFn<'a>,
    /// Made when the first row needs them.
    rays: Option<[Rays; 3]>,
    compared: Compared,
}

impl Comparison<'_> {
    /// The rows of one preset and format. `built` are the trees of the preset so far: formats of
    /// the same shape share one.
    fn variant(
        &mut self,
        preset: Preset,
        variant: &Variant,
        built: &mut Vec<(build::Options, Built)>,
    ) -> Result<(), CompareError> {
        let machines = machines(self.plan, variant);
        let key = |machine: &MachineEntry| RowKey {
            scene: self.scene.name.clone(),
            triangles: self.scene.triangle_count() as u64,
            preset: preset.name().to_owned(),
            format: variant.name(),
            machine: machine.name.to_owned(),
            rays: self.plan.rays as u64,
        };
        let known: Option<Vec<Row>> =
            machines.iter().map(|machine| self.kept?.find(&key(machine))).collect();
        if let Some(known) = known {
            self.compared.rows.extend(known);
            return Ok(());
        }
        let options = format_options(variant.format, &variant.settings, preset);
        let is_same = |(known, _): &&(build::Options, Built)| *known == options;
        if built.iter().find(is_same).is_none() {
            let fresh = build::build(self.scene, &options, self.watch)?;
            built.push((options, fresh));
        }
        let Some((_, built)) = built.iter().find(is_same) else { return Ok(()) };
        if self.rays.is_none() {
            self.rays = Some(self.make_rays()?);
        }
        let Some(rays) = &self.rays else { return Ok(()) };
        let image = match Measured::new(variant, built) {
            Ok(image) => image,
            Err(reason) => {
                let scene = self.scene.name.clone();
                self.compared.skipped.push(Skipped { scene, format: variant.name(), reason });
                return Ok(());
            }
        };
        let unit = image.unit(rays, self.watch).map_err(unit_error(variant))?;
        for machine in machines {
            let answered = match (&unit, machine.name) {
                (Some(unit), ttu_machine::NAME) => unit.clone(),
                _ => image.ask(machine, rays, variant, self.watch)?,
            };
            let cycles = unit.as_ref().map(|unit| unit.each_ref().map(|kind| kind.cycles));
            let row = image.row(key(machine), built, &answered, cycles, self.plan.rays);
            if let Some(kept) = self.kept {
                kept.keep(&row).map_err(CompareError::Keep)?;
            }
            self.compared.rows.push(row);
        }
        Ok(())
    }

    fn make_rays(&self) -> Result<[Rays; 3], CompareError> {
        let options = Tracer::build_options(Preset::Balanced);
        let tree = build::build(self.scene, &options, self.watch)?.tree;
        let tracer = Tracer::from_tree(&tree, trace::Options::default())?;
        Ok(Rays::all(&self.scene.name, &tree, &tracer, self.camera, self.plan.rays)?)
    }
}

/// The machines that walk a format.
fn machines(plan: &Plan, variant: &Variant) -> Vec<&'static MachineEntry> {
    let reads = |machine: &&MachineEntry| (machine.reads)(variant.format);
    if !plan.machines.is_empty() {
        return plan.machines.iter().copied().filter(reads).collect();
    }
    let usual = [ttu_machine::NAME, reference::NAME];
    usual.into_iter().filter_map(|name| registry().machine(name)).filter(reads).take(1).collect()
}

fn unit_error(variant: &Variant) -> impl Fn(RunError) -> CompareError {
    move |source| CompareError::Unit { format: variant.name(), source }
}

fn machine_error(variant: &Variant) -> impl Fn(MachineError) -> CompareError {
    move |source| CompareError::Machine { format: variant.name(), source }
}

/// An image, and what there is to say of it alone.
struct Measured {
    checked: Arc<dyn AnyChecked>,
    bytes: machine::ByteSplit,
    file_bytes: u64,
    sah_cost: f64,
    encode_seconds: f64,
}

/// What the rays of one kind came to.
#[derive(Clone, Default)]
struct Outcome {
    counters: Counters,
    losses: Losses,
    /// Of the traversal unit, for all rays.
    cycles: u64,
}

impl Measured {
    /// Lays the tree out; says why if that cannot be.
    fn new(variant: &Variant, built: &Built) -> Result<Self, String> {
        let trees = variant.format.trees.as_ref().ok_or("it holds no trees")?;
        let start = Instant::now();
        let encoded = (trees.encode)(&built.tree, &variant.settings);
        let encode_seconds = start.elapsed().as_secs_f64();
        let Encoded { image, .. } = encoded.map_err(|error| error.to_string())?;
        let file = (trees.write)(&image, None).map_err(|error| error.to_string())?;
        let bytes = (trees.figures)(&image).bytes;
        let checked = (variant.format.check)(image).into_checked();
        let checked = checked.map_err(|finding| finding.to_string())?;
        let cost = LevelCosts::of(checked.tree()).expected(checked.tree());
        let sah_cost = cost.map_err(|(number, error)| format!("instance {number}: {error}"))?;
        Ok(Self { checked, bytes, file_bytes: file.len() as u64, sah_cost, encode_seconds })
    }

    /// Runs the rays through the traversal unit, if it runs the format.
    fn unit(
        &self,
        rays: &[Rays; 3],
        watch: &ProgressFn<'_>,
    ) -> Result<Option<[Outcome; 3]>, RunError> {
        let config = Config::default();
        let Ok(world) = World::new(&*self.checked, TriangleRule::Watertight) else {
            return Ok(None);
        };
        let runs = rays.par_iter().map(|rays| {
            let told = |answered| watch(Progress::of(answered as usize, rays.queries.len()));
            let run = simulate(&world, &config, &rays.queries, RunOptions::ONLY_ANSWERS, &told)?;
            let mut outcome = Outcome {
                counters: ttu_machine::counters_of(&run),
                cycles: run.cycles,
                ..Outcome::default()
            };
            for (number, answer) in run.answers.iter().enumerate() {
                self.count_loss(rays, number, answer.hits.first(), &mut outcome.losses);
            }
            Ok(outcome)
        });
        match in_order(runs) {
            Err(RunError::TooSmall(_)) => Ok(None),
            runs => runs.map(Some),
        }
    }

    /// Asks a machine.
    fn ask(
        &self,
        entry: &MachineEntry,
        rays: &[Rays; 3],
        variant: &Variant,
        watch: &ProgressFn<'_>,
    ) -> Result<[Outcome; 3], CompareError> {
        let input = MachineInput::Image(Arc::clone(&self.checked));
        let made = (entry.make)(&input, &MachineOptions::default());
        let refused = |error: MakeError| {
            let failed = MachineError::Failed { machine: entry.name, reason: error.to_string() };
            machine_error(variant)(failed)
        };
        let machine = made.map_err(refused)?;
        in_order(rays.par_iter().map(|rays| {
            let numbers: Vec<usize> = (0..rays.queries.len()).collect();
            let outcomes = numbers.par_chunks(CHUNK).map(|chunk| {
                if watch(Progress::of(chunk[0], rays.queries.len())).is_break() {
                    return Err(CompareError::Cancelled);
                }
                self.ask_some(&*machine, rays, chunk).map_err(machine_error(variant))
            });
            outcomes.try_reduce(Outcome::default, |mut all, some| {
                all.counters += some.counters;
                all.losses.lost += some.losses.lost;
                all.losses.wrong += some.losses.wrong;
                Ok(all)
            })
        }))
    }

    fn ask_some(
        &self,
        machine: &dyn Machine,
        rays: &Rays,
        numbers: &[usize],
    ) -> Result<Outcome, MachineError> {
        let (mut outcome, mut answer) = (Outcome::default(), Answer::default());
        for &number in numbers {
            machine.answer_into(&rays.queries[number], &mut answer)?;
            self.count_loss(rays, number, answer.hits.first(), &mut outcome.losses);
        }
        outcome.counters = answer.counters;
        Ok(outcome)
    }

    fn count_loss(&self, rays: &Rays, number: usize, got: Option<&Hit>, losses: &mut Losses) {
        rays.count_loss(number, got.map(|hit| self.checked.scene_hit(*hit)), losses);
    }

    fn row(
        &self,
        key: RowKey,
        built: &Built,
        outcomes: &[Outcome; 3],
        cycles: Option<[u64; 3]>,
        rays: usize,
    ) -> Row {
        let work = |kind: usize| {
            Work::new(&outcomes[kind].counters, cycles.map(|cycles| cycles[kind]), rays)
        };
        let each = self.bytes.per_triangle(key.triangles as usize);
        let [nodes, geometry, ids, total] = each.map(|(_, bytes)| bytes);
        Row {
            bytes_per_triangle: BytesPerTriangle { nodes, geometry, ids, total },
            bytes: self.bytes.total(),
            file_bytes: self.file_bytes,
            sah_cost: self.sah_cost,
            primary: work(0),
            occlusion: work(1),
            bounce: work(2),
            lost: outcomes.iter().map(|kind| kind.losses.lost).sum(),
            wrong: outcomes.iter().map(|kind| kind.losses.wrong).sum(),
            build_seconds: built.report.seconds,
            encode_seconds: self.encode_seconds,
            key,
        }
    }
}

/// The three results, or the first error.
fn in_order<E: Send>(
    outcomes: impl IndexedParallelIterator<Item = Result<Outcome, E>>,
) -> Result<[Outcome; 3], E> {
    let mut all = outcomes.collect::<Result<Vec<Outcome>, E>>()?.into_iter();
    Ok(std::array::from_fn(|_| all.next().unwrap_or_default()))
}
