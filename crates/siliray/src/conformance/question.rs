//! One answer against the oracle's.

use super::Disagreement;
use machine::{Hit, HitKind, Machine, MachineError, Query};

/// A query and everything that it hits.
pub(super) struct Question {
    query: Query,
    /// All hits in order, or why the oracle has none.
    truth: Result<Vec<Hit>, MachineError>,
}

impl Question {
    /// Asks the oracle for all hits: the closest is the first of them, and any of them is any.
    pub(super) fn new(query: Query, oracle: &dyn Machine) -> Self {
        Self { query, truth: ask(oracle, &Query { kind: HitKind::All, ..query }) }
    }

    /// How many hits there are.
    pub(super) fn hits(&self) -> usize {
        self.truth.as_ref().map_or(0, Vec::len)
    }

    /// How `machine` disagrees when it is asked for hits of `kind`, if it does.
    pub(super) fn verdict(&self, machine: &dyn Machine, kind: HitKind) -> Option<Disagreement> {
        let query = Query { kind, ..self.query };
        let got = ask(machine, &query);
        let truth = self.truth.as_deref().unwrap_or_default();
        let closest = &truth[..truth.len().min(1)];
        let agree = match (kind, &got) {
            (_, Err(_)) => false,
            (HitKind::Closest, Ok(got)) => same_bits(closest, got),
            (HitKind::All, Ok(got)) => same_bits(truth, got),
            (HitKind::Any, Ok(got)) => match got.as_slice() {
                [] => truth.is_empty(),
                [hit] => truth.iter().any(|candidate| same_bits(&[*candidate], &[*hit])),
                _ => false,
            },
        };
        if agree {
            return None;
        }
        let expected = if kind == HitKind::All { truth } else { closest };
        let only_lost = got.as_ref().is_ok_and(|got| {
            got.iter().all(|hit| truth.iter().any(|true_hit| same_bits(&[*true_hit], &[*hit])))
        });
        Some(Disagreement { query, expected: expected.to_vec(), got, only_lost })
    }
}

impl Disagreement {
    /// The hits that should be there and are not.
    pub fn missing(&self) -> impl Iterator<Item = &Hit> {
        let got = self.got.as_deref().unwrap_or_default();
        self.expected.iter().filter(|hit| !got.iter().any(|found| same_bits(&[*found], &[**hit])))
    }
}

fn ask(machine: &dyn Machine, query: &Query) -> Result<Vec<Hit>, MachineError> {
    machine.answer(query).map(|answer| answer.hits)
}

fn same_bits(a: &[Hit], b: &[Hit]) -> bool {
    let bits = |hit: &Hit| ([hit.t, hit.u, hit.v].map(f32::to_bits), hit.ids());
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| bits(a) == bits(b))
}
