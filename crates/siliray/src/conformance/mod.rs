//! The law, run: every machine against the brute-force oracle.
//!
//! For each world and each way to build its tree, rays are drawn that are likely to go wrong: aimed
//! at shared edges and corners, lying in face planes, grazing, starting on a surface, ending
//! exactly at a hit, denormal, untraceable, with masks and flags. Each is asked for its closest
//! hit, any hit and all hits under both triangle rules. An answer that differs from the oracle's in
//! a single bit is a *mismatch*.
//!
//! A *loss* is a hit that is missing by a mechanism that the machine is known for; it is reported
//! and does not fail the run. These are known:
//!
//! * The Möller-Trumbore rule accepts rays that pass a near edge-on triangle at a distance, so a
//!   tree that cuts triangles into parts (preset `best`) may not lead such a ray to any part. The
//!   watertight rule has no such hits.
//! * A machine with the hardware's own box test may lose grazing hits of rays that start beyond the
//!   reach of the image's margin, or whose reciprocals overflow.
//! * A format or a machine that copies a driver loses what the driver loses.
//! * In RADV's memory of RDNA2 and RDNA3 a procedural is the box of its slot: a grazing hit of it
//!   has no margin.
//! * XPHMG's triangle test accepts some near edge-on triangles by rounding alone, at a `t` where
//!   the ray is outside the triangle's own box.
//!
//! Hardware with a triangle arithmetic of its own is compared with brute force by that arithmetic.
//!
//! An answer with a hit that the oracle does not have is never a loss.
//!
//! Beams are drawn likewise and asked for anything, the first and everything that they meet, with
//! both leaf rules. No machine is known to lose any of it.
//!
//! | file | concept |
//! |---|---|
//! | `filter` | which cells of the table |
//! | `targets` | the formats and machines that are tried |
//! | `worlds` | the scenes that they are tried on |
//! | `aimed_rays` | rays that are likely to go wrong |
//! | `batched` | the fast tracer, asked in batches |
//! | `question` | one answer against the oracle's |
//! | `aimed_beams` | beams that are likely to go wrong |
//! | `stored` | the law on an image of the user's |
//! | `table` | cells and their sums |
//! | `spot_check` | a sample of queries on any tree |

mod aimed_beams;
mod aimed_rays;
mod batched;
mod filter;
mod question;
mod spot_check;
mod stored;
mod table;
mod targets;
mod worlds;

pub use filter::{Filter, FilterError};
pub use spot_check::{aimed_rays, spot_check};
pub use stored::{
    ImageError, ImageOptions, ImageReport, LostPrimitive, MachineReport, image_rays, run_image,
    run_machine,
};
pub use table::{Cell, Disagreement, QueryKind, Table};

use crate::input::{RouteError, encode_checked};
use crate::registry::registry;
use aimed_beams::AimedBeams;
use aimed_rays::AimedRays;
use build::{Options as BuildOptions, Preset, Progress, ProgressFn, unwatched};
use filter::Column;
use geometry::TriangleRule;
use machine::{
    AnyChecked, HitKind, LeafRule, MachineInput, MachineOptions, MakeError, Oracle, Shape,
    StackSizeError,
};
use question::Question;
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use targets::{Target, targets};
use worlds::{WORLDS, World};

/// What to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Chooses the rays.
    pub seed: u64,
    /// Rays for each world and preset.
    pub rays: usize,
    /// Only some cells: filters of one column are alternatives, and every column must match.
    pub only: Vec<Filter>,
    /// Entries of the traversal stack, for machines that have one.
    pub stack_size: u8,
}

impl Default for Options {
    fn default() -> Self {
        Self { seed: 1, rays: 2000, only: Vec::new(), stack_size: 16 }
    }
}

/// Why the table could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ConformanceError {
    /// A filter leaves nothing to try.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// A machine that is to be tried has no stack of that size.
    #[error(transparent)]
    StackSize(#[from] StackSizeError),
    /// A world has no tree: a defect of siliray.
    #[error("scene {scene}, preset {preset}: {source}")]
    Build {
        /// Name of the world.
        scene: &'static str,
        /// How it was built.
        preset: Preset,
        /// What went wrong.
        source: build::BuildError,
    },
    /// A tree has no image: a defect of siliray.
    #[error("scene {scene}, preset {preset}: {source}")]
    Encode {
        /// Name of the world.
        scene: &'static str,
        /// How it was built.
        preset: Preset,
        /// What went wrong.
        source: RouteError,
    },
    /// A machine refuses an image that siliray made for it: a defect of siliray.
    #[error("scene {scene}, preset {preset}, format {format}, machine {machine}: {source}")]
    Machine {
        /// Name of the world.
        scene: &'static str,
        /// How it was built.
        preset: Preset,
        /// What it was laid out in.
        format: &'static str,
        /// Who refuses.
        machine: &'static str,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

/// Runs the table. The result depends on the options alone, not on the number of threads.
///
/// # Errors
/// When a filter matches nothing, a machine has no stack of that size, a world cannot be built or
/// laid out, or the caller cancels.
pub fn run(options: &Options, watch: &ProgressFn<'_>) -> Result<Table, ConformanceError> {
    let targets = targets();
    let rows = rows(&targets, &options.only)?;
    for row in &rows {
        if let Some(machine) = registry().machine(row.target.machine) {
            machine.accepts_stack(options.stack_size)?;
        }
    }
    let mut cells = Vec::with_capacity(rows.len());
    let told = |done: usize| watch(Progress::of(done, rows.len()));
    for same_image in rows.chunk_by(Row::same_image) {
        let subject = Subject::new(&same_image[0])?;
        for same_questions in same_image.chunk_by(Row::same_questions) {
            let done = cells.len();
            let questions = subject.questions(&same_questions[0], options, &|_| told(done))?;
            for row in same_questions {
                let done = cells.len();
                let within = |part: Progress| watch(part.within(done, rows.len()));
                let cell = subject.try_row(row, &questions, options.stack_size, &within)?;
                cells.push(cell);
                if told(cells.len()).is_break() {
                    return Err(ConformanceError::Cancelled);
                }
            }
        }
    }
    Ok(Table { seed: options.seed, cells })
}

/// One line of the table before it is tried.
#[derive(Debug, Clone, Copy)]
struct Row<'a> {
    target: &'a Target,
    world: &'static World,
    preset: Preset,
    query: QueryKind,
}

impl QueryKind {
    /// Whether the oracle's answers serve both.
    fn same_questions(self, other: Self) -> bool {
        match (self, other) {
            (Self::Ray(a, _), Self::Ray(b, _)) => a == b,
            (Self::Beam(a, _), Self::Beam(b, _)) => a == b,
            _ => false,
        }
    }
}

impl Row<'_> {
    fn same_image(&self, other: &Self) -> bool {
        (self.world.name, self.preset) == (other.world.name, other.preset)
            && self.target.same_layout(other.target)
    }

    fn same_questions(&self, other: &Self) -> bool {
        let oracle = |row: &Self| row.target.oracle.map(|make| make as usize);
        oracle(self) == oracle(other) && self.query.same_questions(other.query)
    }

    /// The machine, or the oracle, does not take the world.
    fn refused(&self, source: MakeError) -> ConformanceError {
        ConformanceError::Machine {
            scene: self.world.name,
            preset: self.preset,
            format: self.target.name,
            machine: self.target.machine,
            source,
        }
    }

    fn value(&self, column: Column) -> &'static str {
        match column {
            Column::Format => self.target.name,
            Column::Machine => self.target.machine,
            Column::Query => self.query.name(),
            Column::TriangleRule => self.query.rule_name(),
            Column::Scene => self.world.name,
            Column::Preset => self.preset.name(),
        }
    }
}

/// Every line that passes the filters.
fn rows<'a>(targets: &'a [Target], only: &[Filter]) -> Result<Vec<Row<'a>>, FilterError> {
    let mut rows = Vec::new();
    for world in WORLDS {
        for preset in Preset::ALL {
            for machines in targets.chunk_by(Target::same_layout) {
                let tried = || machines.iter().filter(|tried| tried.presets.contains(&preset));
                let row = |target, query| Row { target, world, preset, query };
                for rule in TriangleRule::ALL {
                    for target in tried().filter(|tried| tried.takes_rule(rule)) {
                        rows.extend(
                            HitKind::ALL.map(|kind| row(target, QueryKind::Ray(rule, kind))),
                        );
                    }
                }
                for leaf in LeafRule::ALL {
                    for target in tried().filter(|tried| tried.takes_beams) {
                        rows.extend(
                            BEAM_KINDS.map(|kind| row(target, QueryKind::Beam(leaf, kind))),
                        );
                    }
                }
            }
        }
    }
    filter::check(only, |column| rows.iter().map(|row| row.value(column)).collect())?;
    rows.retain(|row| filter::passes(only, |column| row.value(column)));
    if rows.is_empty() { Err(FilterError::NoCell(filter::in_words(only))) } else { Ok(rows) }
}

/// What beams are asked for, in the order of the table.
const BEAM_KINDS: [HitKind; 3] = [HitKind::Any, HitKind::Closest, HitKind::All];

/// A world in a format, and what the image holds.
struct Subject {
    image: Arc<dyn AnyChecked>,
    input: MachineInput,
}

impl Subject {
    fn new(row: &Row<'_>) -> Result<Self, ConformanceError> {
        let Row { target, world, preset, .. } = *row;
        let scene = world.name;
        let options = BuildOptions { preset, ..BuildOptions::default() };
        let built =
            build::build(&world.for_format(target.format, &target.settings), &options, &unwatched)
                .map_err(|source| ConformanceError::Build { scene, preset, source })?;
        let image = encode_checked(&built.tree, target.format, &target.settings)
            .map_err(|source| ConformanceError::Encode { scene, preset, source })?;
        Ok(Self { input: MachineInput::Image(Arc::clone(&image)), image })
    }

    /// The rays or beams of a row, with everything that the oracle says they meet.
    fn questions(
        &self,
        row: &Row<'_>,
        options: &Options,
        watch: &ProgressFn<'_>,
    ) -> Result<Vec<Question>, ConformanceError> {
        let tree = self.image.tree();
        let rays = AimedRays::new(tree, options.seed);
        let indices = (0..options.rays).into_par_iter();
        let questions: Option<Vec<Option<Question>>> = match row.query {
            QueryKind::Ray(rule, _) => {
                let oracle = match row.target.oracle {
                    Some(make) => make(&self.input).map_err(|error| row.refused(error))?,
                    None => Box::new(Oracle::new(Arc::clone(tree), rule)),
                };
                let question = |index| {
                    watch(Progress::of(index, options.rays))
                        .is_continue()
                        .then(|| Some(Question::new(rays.query(index).into(), &*oracle)))
                };
                indices.map(question).collect()
            }
            QueryKind::Beam(leaf, _) => {
                let oracle = Oracle::new(Arc::clone(tree), TriangleRule::Watertight);
                let beams = AimedBeams::new(rays);
                let question = |index| {
                    watch(Progress::of(index, options.rays))
                        .is_continue()
                        .then(|| Some(Question::new(beams.query(index, leaf)?.into(), &oracle)))
                };
                indices.map(question).collect()
            }
        };
        let questions = questions.ok_or(ConformanceError::Cancelled)?;
        Ok(questions.into_iter().flatten().collect())
    }

    /// Asks one machine every question and sums up.
    fn try_row(
        &self,
        row: &Row<'_>,
        questions: &[Question],
        stack_size: u8,
        watch: &ProgressFn<'_>,
    ) -> Result<Cell, ConformanceError> {
        let Row { target, world, preset, query } = *row;
        let (rule, kind) = match query {
            QueryKind::Ray(rule, kind) => (rule, kind),
            QueryKind::Beam(_, kind) => (TriangleRule::Watertight, kind),
        };
        let options =
            MachineOptions { rule, stack_size: Some(stack_size), ..MachineOptions::default() };
        let machine = (target.make)(&self.input, &options).map_err(|error| row.refused(error))?;
        let asked = AtomicUsize::new(0);
        let verdict = |question: &Question| {
            let done = asked.fetch_add(1, Ordering::Relaxed);
            let told = watch(Progress::of(done, questions.len()));
            told.is_continue().then(|| question.verdict(&*machine, kind))
        };
        let verdicts: Option<Vec<Option<Disagreement>>> =
            questions.par_iter().map(verdict).collect();
        let verdicts = verdicts.ok_or(ConformanceError::Cancelled)?;
        let (losses, mismatches): (Vec<Disagreement>, Vec<Disagreement>) =
            verdicts.into_iter().flatten().partition(|found| self.is_loss(row, found));
        Ok(Cell {
            format: target.name,
            machine: target.machine,
            query,
            scene: world.name,
            preset,
            cases: questions.len(),
            mismatches: mismatches.len(),
            losses: losses.len(),
            example: mismatches.into_iter().chain(losses).next(),
        })
    }

    /// Whether the difference is one that the machine is known for.
    fn is_loss(&self, row: &Row<'_>, found: &Disagreement) -> bool {
        let Shape::Ray(ray) = found.query.shape else { return false };
        let query = found.query.with_shape(ray);
        let is_known =
            || found.missing().all(|hit| (row.target.may_lose)(&self.input, &query, hit));
        let cuts_triangles = !self.image.facts().lossless;
        let slips_past =
            cuts_triangles && matches!(row.query, QueryKind::Ray(TriangleRule::MollerTrumbore, _));
        found.only_lost && (slips_past || is_known())
    }
}
