//! The law, run: every machine against the brute-force oracle.
//!
//! For each world and each way to build its tree, rays are drawn that are likely to go wrong: aimed at
//! shared edges and corners, lying in face planes, grazing, starting on a surface, ending exactly at a
//! hit, denormal, untraceable, with masks and flags. Each is asked for its closest hit, any hit and all
//! hits under both triangle rules. An answer that differs from the oracle's in a single bit is a
//! *mismatch*.
//!
//! A *loss* is a hit that is missing by a mechanism that the machine is known for; it is reported and
//! does not fail the run. These are known:
//!
//! * The Möller-Trumbore rule accepts rays that pass a near edge-on triangle at a distance, so a tree that
//!   cuts triangles into parts (preset `best`) may not lead such a ray to any part. The watertight rule has
//!   no such hits.
//! * A machine with the hardware's own box test may lose grazing hits of rays that start beyond the reach of
//!   the image's margin, or whose reciprocals overflow.
//! * A format or a machine that copies a driver loses what the driver loses.
//! * XPHMG's triangle test accepts some near edge-on triangles by rounding alone, at a `t` where the ray is outside
//!   the triangle's own box.
//!
//! Hardware with a triangle arithmetic of its own is compared with brute force by that arithmetic.
//!
//! An answer with a hit that the oracle does not have is never a loss.
//!
//! Beams are drawn likewise and asked for anything, the first and everything that they meet, with both leaf
//! rules. No machine is known to lose any of it.
//!
//! | file | concept |
//! |---|---|
//! | `filter` | which cells of the table |
//! | `contenders` | the formats and machines that are tried |
//! | `worlds` | the scenes that they are tried on |
//! | `aimed_rays` | rays that are likely to go wrong |
//! | `batched` | the fast tracer, asked in batches |
//! | `judge` | one answer against the oracle's |
//! | `aimed_beams` | beams that are likely to go wrong |
//! | `beams` | the machines that take beams, and their answers against the oracle's |
//! | `table` | cells and their sums |
//! | `spot_check` | a sample of queries on any tree |

mod aimed_beams;
mod aimed_rays;
mod batched;
mod beams;
mod contenders;
mod filter;
mod judge;
mod make;
mod spot_check;
mod table;
mod worlds;

pub use filter::{Filter, FilterError};
pub use spot_check::{aimed_rays, spot_check};
pub use table::{Asked, BeamDisagreement, Cell, Disagreement, Table};

use aimed_beams::AimedBeams;
use aimed_rays::AimedRays;
use beams::BeamQuestion;
use build::{Options as BuildOptions, Preset};
use contenders::{CONTENDERS, Contender, Ground, Loses, MakeError, Truth};
use filter::Column;
use geometry::TriangleRule;
use gfx12::walk::Promise;
use judge::Question;
use machine::beam::BeamOracle;
use machine::{BeamKind, BeamQuery, CheckedImage, Finding, HitKind, LeafRule, Machine, Oracle};
use rayon::prelude::*;
use std::ops::ControlFlow;
use tree::Tree;
use worlds::{WORLDS, World};
use xphmg::machines::{BruteForce, TilesImage};

/// What to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Chooses the rays.
    pub seed: u64,
    /// Rays for each world and preset.
    pub rays: usize,
    /// Only some cells: filters of one column are alternatives, and every column must match.
    pub only: Vec<Filter>,
    /// Entries of the traversal stack, 1 to 31, for machines that have one.
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
    #[error("scene {scene}, preset {preset}, format {format}: {source}")]
    Encode {
        /// Name of the world.
        scene: &'static str,
        /// How it was built.
        preset: Preset,
        /// What it could not be laid out in.
        format: &'static str,
        /// What went wrong.
        source: machine::EncodeError,
    },
    /// An image that siliray made does not pass its own check: a defect of siliray.
    #[error("scene {scene}, preset {preset}, format {format}: {}", list(findings))]
    Unsound {
        /// Name of the world.
        scene: &'static str,
        /// How it was built.
        preset: Preset,
        /// What it was laid out in.
        format: &'static str,
        /// Everything that was found.
        findings: Vec<Finding>,
    },
    /// A machine refuses an image that siliray made for it: a defect of siliray, or a stack of a size that
    /// the machine does not have.
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

fn list(findings: &[Finding]) -> String {
    findings.iter().map(Finding::to_string).collect::<Vec<_>>().join("; ")
}

/// Is told the share of the work done, and may break to cancel.
pub type Watch<'a> = dyn Fn(f32) -> ControlFlow<()> + Sync + 'a;

/// Runs the table. The result depends on the options alone, not on the number of threads.
///
/// # Errors
/// When a filter matches nothing, a world cannot be built or laid out, or the caller cancels.
pub fn run(options: &Options, watch: &Watch<'_>) -> Result<Table, ConformanceError> {
    let rows = rows(&options.only)?;
    let mut cells = Vec::with_capacity(rows.len());
    for same_image in rows.chunk_by(Row::same_image) {
        let subject = Subject::new(&same_image[0])?;
        for same_questions in same_image.chunk_by(Row::same_questions) {
            let questions = subject.questions(&same_questions[0], options)?;
            for row in same_questions {
                cells.push(subject.try_row(row, &questions, options.stack_size)?);
                if watch(cells.len() as f32 / rows.len() as f32).is_break() {
                    return Err(ConformanceError::Cancelled);
                }
            }
        }
    }
    Ok(Table { seed: options.seed, cells })
}

/// One line of the table before it is tried.
#[derive(Debug, Clone, Copy)]
struct Row {
    contender: &'static Contender,
    world: &'static World,
    preset: Preset,
    asked: Asked,
}

impl Asked {
    /// Whether the oracle's answers serve both.
    fn same_questions(self, other: Self) -> bool {
        match (self, other) {
            (Self::Ray(a, _), Self::Ray(b, _)) => a == b,
            (Self::Beam(a, _), Self::Beam(b, _)) => a == b,
            _ => false,
        }
    }
}

impl Row {
    fn same_image(&self, other: &Self) -> bool {
        (self.world.name, self.preset) == (other.world.name, other.preset)
            && self.contender.same_layout(other.contender)
    }

    fn same_questions(&self, other: &Self) -> bool {
        self.contender.truth == other.contender.truth && self.asked.same_questions(other.asked)
    }

    /// The machine, or the oracle, does not take the world.
    fn refused(&self, source: MakeError) -> ConformanceError {
        ConformanceError::Machine {
            scene: self.world.name,
            preset: self.preset,
            format: self.contender.name,
            machine: self.contender.machine,
            source,
        }
    }

    fn value(&self, column: Column) -> &'static str {
        match column {
            Column::Format => self.contender.name,
            Column::Machine => self.contender.machine,
            Column::Query => self.asked.name(),
            Column::TriangleRule => self.asked.rule_name(),
            Column::Scene => self.world.name,
            Column::Preset => self.preset.name(),
        }
    }
}

/// Every line that passes the filters.
fn rows(only: &[Filter]) -> Result<Vec<Row>, FilterError> {
    let mut rows = Vec::new();
    for world in WORLDS {
        for preset in Preset::ALL {
            for machines in CONTENDERS.chunk_by(Contender::same_layout) {
                let tried = || machines.iter().filter(|tried| tried.presets.contains(&preset));
                let row = |contender, asked| Row { contender, world, preset, asked };
                for rule in TriangleRule::ALL {
                    for contender in tried().filter(|tried| tried.takes_rule(rule)) {
                        rows.extend(
                            HitKind::ALL.map(|kind| row(contender, Asked::Ray(rule, kind))),
                        );
                    }
                }
                for leaf in LeafRule::ALL {
                    for contender in tried().filter(|tried| beams::takes_beams(tried)) {
                        rows.extend(
                            BeamKind::ALL.map(|kind| row(contender, Asked::Beam(leaf, kind))),
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

/// Questions with the oracle's answers.
enum Questions {
    Rays(Vec<Question>),
    Beams(Vec<BeamQuestion>),
}

/// A world in a format, and what the image holds.
struct Subject {
    image: CheckedImage,
    decoded: Tree,
}

impl Subject {
    fn new(row: &Row) -> Result<Self, ConformanceError> {
        let Row { contender, world, preset, .. } = *row;
        let (scene, format) = (world.name, contender.name);
        let options = BuildOptions { preset, ..BuildOptions::default() };
        let built = build::build(&world.for_format(contender.format), &options, &|_| {
            ControlFlow::Continue(())
        })
        .map_err(|source| ConformanceError::Build { scene, preset, source })?;
        let image = contender
            .format
            .encode(&built.tree)
            .map_err(|source| ConformanceError::Encode { scene, preset, format, source })?;
        let report = contender.format.check(image);
        let findings = report.findings;
        let image =
            report.checked.ok_or(ConformanceError::Unsound { scene, preset, format, findings })?;
        Ok(Self { decoded: contender.format.decode(&image), image })
    }

    /// The rays or beams of a row, with everything that the oracle says they meet.
    fn questions(&self, row: &Row, options: &Options) -> Result<Questions, ConformanceError> {
        let tree = &self.decoded;
        match row.asked {
            Asked::Ray(rule, _) => {
                let rays = AimedRays::new(tree, options.seed);
                let truth: Box<dyn Machine> = match row.contender.truth {
                    Truth::Oracle => Box::new(Oracle::new(tree, rule)),
                    Truth::Tiles => Box::new(BruteForce::new(self.tiles(row)?)),
                    Truth::TilesNarrowed => Box::new(BruteForce::by_narrowed_t(self.tiles(row)?)),
                };
                let question = |index| Question::new(rays.query(index), &*truth);
                let questions = (0..options.rays).into_par_iter().map(question);
                Ok(Questions::Rays(questions.collect()))
            }
            Asked::Beam(leaf, _) => {
                let oracle = BeamOracle::new(tree).map_err(|error| row.refused(error.into()))?;
                let beams = AimedBeams::new(AimedRays::new(tree, options.seed));
                let question = |index| {
                    let query = BeamQuery { leaf, ..beams.query(index)? };
                    Some(BeamQuestion::new(query, &oracle))
                };
                let questions = (0..options.rays).into_par_iter().filter_map(question);
                Ok(Questions::Beams(questions.collect()))
            }
        }
    }

    fn tiles(&self, row: &Row) -> Result<TilesImage<'_>, ConformanceError> {
        TilesImage::new(&self.image, &self.decoded).map_err(|error| row.refused(error.into()))
    }

    /// Asks one machine every question and sums up.
    fn try_row(
        &self,
        row: &Row,
        questions: &Questions,
        stack_size: u8,
    ) -> Result<Cell, ConformanceError> {
        let Row { contender, world, preset, asked } = *row;
        let empty = Cell {
            format: contender.name,
            machine: contender.machine,
            query: asked,
            scene: world.name,
            preset,
            cases: 0,
            mismatches: 0,
            losses: 0,
            example: None,
            beam_example: None,
        };
        let (image, decoded) = (&self.image, &self.decoded);
        match (questions, asked) {
            (Questions::Rays(questions), Asked::Ray(rule, kind)) => {
                let ground = Ground { image, decoded, rule, stack_size };
                let machine = (contender.make)(ground).map_err(|source| row.refused(source))?;
                let verdicts: Vec<Option<Disagreement>> = questions
                    .par_iter()
                    .map(|question| question.verdict(&*machine, kind))
                    .collect();
                let (losses, mismatches): (Vec<Disagreement>, Vec<Disagreement>) =
                    verdicts.into_iter().flatten().partition(|found| self.is_loss(row, found));
                Ok(Cell {
                    cases: questions.len(),
                    mismatches: mismatches.len(),
                    losses: losses.len(),
                    example: mismatches.into_iter().chain(losses).next(),
                    ..empty
                })
            }
            (Questions::Beams(questions), Asked::Beam(_, kind)) => {
                let ground = Ground { image, decoded, rule: TriangleRule::Watertight, stack_size };
                let machine =
                    beams::machine(contender, ground).map_err(|source| row.refused(source))?;
                let verdicts: Vec<Option<BeamDisagreement>> = questions
                    .par_iter()
                    .map(|question| question.verdict(&*machine, kind))
                    .collect();
                let mut mismatches = verdicts.into_iter().flatten().peekable();
                let beam_example = mismatches.peek().cloned();
                let mismatches = mismatches.count();
                Ok(Cell { cases: questions.len(), mismatches, beam_example, ..empty })
            }
            // Questions are made for the rows that they are asked with.
            (Questions::Rays(_), Asked::Beam(..)) | (Questions::Beams(_), Asked::Ray(..)) => {
                Ok(empty)
            }
        }
    }

    /// Whether the difference is one that the machine is known for.
    fn is_loss(&self, row: &Row, found: &Disagreement) -> bool {
        let cuts_triangles = !self.image.facts().lossless;
        let is_known = match row.contender.loses {
            Loses::Nothing => false,
            Loses::BeyondTheMargin => {
                !Promise::new(&self.decoded.bounds()).holds_for(&found.query.ray)
            }
            Loses::Hits => true,
            Loses::OutsideTheirBoxes => {
                let promise = Promise::new(&self.decoded.bounds());
                let slips = |tiles: TilesImage<'_>| found.slip_past_their_boxes(&tiles);
                !promise.holds_for(&found.query.ray) || self.tiles(row).is_ok_and(slips)
            }
        };
        let slips_past =
            cuts_triangles && matches!(row.asked, Asked::Ray(TriangleRule::MollerTrumbore, _));
        found.only_lost && (is_known || slips_past)
    }
}
