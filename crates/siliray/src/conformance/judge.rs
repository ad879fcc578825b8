//! One answer against the oracle's.

use super::Disagreement;
use geometry::TriangleRule;
use machine::{Counters, Hit, HitKind, Machine, Oracle, RayQuery};
use tree::Tree;

/// Compares answers with those of the oracle over one tree.
pub(super) struct Judge<'a> {
    oracle: Oracle<'a>,
    kind: HitKind,
}

impl<'a> Judge<'a> {
    pub(super) fn new(tree: &'a Tree, rule: TriangleRule, kind: HitKind) -> Self {
        Self { oracle: Oracle::new(tree, rule), kind }
    }

    /// How `machine` disagrees on `query`, if it does.
    pub(super) fn verdict(&self, machine: &dyn Machine, query: &RayQuery) -> Option<Disagreement> {
        // Any hit may be any of all hits, so the oracle is asked for all of them.
        let oracle_kind = if self.kind == HitKind::Any { HitKind::All } else { self.kind };
        let expected = ask(&self.oracle, &RayQuery { kind: oracle_kind, ..*query });
        let got = ask(machine, query);
        let agree = match (&expected, &got) {
            (Ok(expected), Ok(got)) => match self.kind {
                HitKind::Closest | HitKind::All => same_bits(expected, got),
                HitKind::Any => match got.as_slice() {
                    [] => expected.is_empty(),
                    [hit] => expected.iter().any(|candidate| same_bits(&[*candidate], &[*hit])),
                    _ => false,
                },
            },
            _ => false,
        };
        let expected = expected.unwrap_or_default();
        (!agree).then_some(Disagreement { query: *query, expected, got })
    }
}

fn ask(machine: &dyn Machine, query: &RayQuery) -> Result<Vec<Hit>, machine::BudgetExhausted> {
    let mut hits = Vec::new();
    machine.answer(query, &mut hits, &mut Counters::default()).map(|()| hits)
}

fn same_bits(a: &[Hit], b: &[Hit]) -> bool {
    let bits = |hit: &Hit| {
        ([hit.t, hit.u, hit.v].map(f32::to_bits), hit.instance, hit.geometry, hit.primitive)
    };
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| bits(a) == bits(b))
}
