//! The machines that take beams, and their answers against the oracle's.

use super::BeamDisagreement;
use super::contenders::{Contender, DENSE, FP16, Ground, MakeError};
use super::make;
use machine::beam::{BeamOracle, BeamReference};
use machine::{
    BeamHit, BeamKind, BeamMachine, BeamQuery, BlockFormat, BudgetExhausted, Counters, TreeFormat,
    Visit,
};
use trace::{Kernel, Mode, Options as TracerOptions, Tracer};
use ttu::Tb12;

/// Whether a contender answers beam queries.
pub(super) fn takes_beams(contender: &Contender) -> bool {
    matches!(
        contender.machine,
        "reference" | "fast" | "fast-avx2" | "fast-scalar" | "fast-in-place" | "ttu"
    )
}

/// The contender's machine for beams.
pub(super) fn machine<'a>(
    contender: &Contender,
    ground: Ground<'a>,
) -> Result<Box<dyn BeamMachine + 'a>, MakeError> {
    let fast = TracerOptions::default();
    match contender.machine {
        "reference" => Ok(Box::new(BeamReference::new(ground.decoded)?)),
        "fast" => tracer(ground, fast),
        "fast-avx2" => tracer(ground, TracerOptions { kernel: make::avx2(), ..fast }),
        "fast-scalar" => tracer(ground, TracerOptions { kernel: Some(Kernel::Scalar), ..fast }),
        "fast-in-place" => tracer(ground, TracerOptions { mode: Mode::InPlace, ..fast }),
        "ttu" => Ok(Box::new(make::ttu(block_format(contender), ground)?)),
        other => Err(format!("{other} takes no beams").into()),
    }
}

/// What the blocks of a contender's images are read by.
fn block_format(contender: &Contender) -> &'static dyn BlockFormat {
    match contender.format.name() {
        "gfx12" => &DENSE,
        "tree" => &TreeFormat,
        "ttu" => &Tb12,
        _ => &FP16,
    }
}

fn tracer<'a>(
    ground: Ground<'a>,
    options: TracerOptions,
) -> Result<Box<dyn BeamMachine + 'a>, MakeError> {
    let tracer = Tracer::from_image(ground.image.clone(), options)?;
    tracer.beams()?;
    Ok(Box::new(OwnedTracer(tracer)))
}

/// A tracer that takes beams.
struct OwnedTracer(Tracer);

impl BeamMachine for OwnedTracer {
    fn name(&self) -> &'static str {
        "fast"
    }

    fn visit(
        &self,
        query: &BeamQuery,
        counters: &mut Counters,
        visitor: &mut dyn FnMut(&BeamHit) -> Visit,
    ) -> Result<(), BudgetExhausted> {
        // It was seen to take beams when it was made.
        let beams = self.0.beams().map_err(|_| BudgetExhausted { limit: 0 })?;
        beams.visit(query, counters, visitor)
    }
}

/// A beam and everything that it meets.
pub(super) struct BeamQuestion {
    query: BeamQuery,
    /// Sorted by ids.
    truth: Vec<BeamHit>,
}

impl BeamQuestion {
    pub(super) fn new(query: BeamQuery, oracle: &BeamOracle<'_>) -> Self {
        // The oracle has no budget.
        Self { query, truth: everything(oracle, &query).unwrap_or_default() }
    }

    /// How `machine` disagrees when it is asked for an answer of `kind`, if it does.
    pub(super) fn verdict(
        &self,
        machine: &dyn BeamMachine,
        kind: BeamKind,
    ) -> Option<BeamDisagreement> {
        let (query, truth) = (&self.query, &self.truth);
        let counters = &mut Counters::default();
        let first = truth.iter().min_by(|a, b| a.total_cmp(b));
        let expected: Vec<BeamHit> = match kind {
            BeamKind::Collect => truth.clone(),
            BeamKind::First | BeamKind::Any => first.copied().into_iter().collect(),
        };
        let (got, agrees) = match kind {
            BeamKind::Any => match machine.any(query, counters) {
                Ok(is_met) => (Ok(Vec::new()), is_met == first.is_some()),
                Err(exhausted) => (Err(exhausted), false),
            },
            BeamKind::First => compared(
                machine.first(query, counters).map(|first| first.into_iter().collect()),
                &expected,
            ),
            BeamKind::Collect => compared(everything(machine, query), &expected),
        };
        (!agrees).then_some(BeamDisagreement { query: *query, expected, got })
    }
}

type Answer = Result<Vec<BeamHit>, BudgetExhausted>;

fn everything(machine: &dyn BeamMachine, query: &BeamQuery) -> Answer {
    let mut hits = Vec::new();
    machine.collect(query, &mut hits, &mut Counters::default()).map(|()| hits)
}

/// An answer, and whether it equals what is expected in every bit.
fn compared(got: Answer, expected: &[BeamHit]) -> (Answer, bool) {
    let bits = |hit: &BeamHit| ([hit.t, hit.exit].map(f32::to_bits), hit.ids());
    let agrees = got.as_ref().is_ok_and(|got| got.iter().map(bits).eq(expected.iter().map(bits)));
    (got, agrees)
}
