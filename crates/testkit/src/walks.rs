//! Answers like the oracle's, and walks that are watched: the same answer as unwatched, steps in an
//! order that makes sense.

use machine::{Answer, Hit, HitKind, Machine, Query, RayQuery, Step};
use std::collections::HashMap;

/// The hits of a machine.
///
/// # Panics
/// When it has none to give.
#[must_use]
pub fn answer(machine: &dyn Machine, query: &RayQuery) -> Vec<Hit> {
    machine.answer(&(*query).into()).unwrap().hits
}

/// Whether an answer is the oracle's; any of all hits will do for an any query.
#[must_use]
pub fn agrees(oracle: &dyn Machine, query: &RayQuery, got: &[Hit]) -> bool {
    let all = answer(oracle, &RayQuery { kind: HitKind::All, ..*query });
    match query.kind {
        HitKind::All => got == all,
        HitKind::Closest => got == &all[..all.len().min(1)],
        HitKind::Any => match got {
            [] => all.is_empty(),
            [hit] => all.contains(hit),
            _ => false,
        },
    }
}

/// Watches a machine answer, and compares with what it answers unwatched. The steps keep the order
/// of [`out_of_order`].
///
/// # Panics
/// When watching changes hits or counters, and when a step is out of order.
#[must_use]
pub fn watched(machine: &dyn Machine, query: &Query) -> (Vec<Step>, Answer) {
    let (mut steps, mut seen, mut unseen) = (Vec::new(), Answer::default(), Answer::default());
    machine.watch(query, &mut seen, &mut steps).unwrap();
    machine.answer_into(query, &mut unseen).unwrap();
    assert_eq!((&seen.hits, &seen.counters), (&unseen.hits, &unseen.counters), "{query:?}");
    let broken = out_of_order(&steps).map(|(number, rule)| {
        (number, rule, &steps[number.saturating_sub(6)..(number + 1).min(steps.len())])
    });
    assert_eq!(broken, None, "{query:?}");
    (steps, seen)
}

/// The first step that breaks a rule, and the rule: a primitive is tested after some node was read,
/// a hit is judged once and after its test, nothing is reported twice in a row, the walk ends once.
#[must_use]
pub fn out_of_order(steps: &[Step]) -> Option<(usize, &'static str)> {
    let mut has_node = false;
    // Tests that gave a hit and have not been judged, by ids.
    let mut open: HashMap<[u32; 3], usize> = HashMap::new();
    for (number, step) in steps.iter().enumerate() {
        if number > 0 && *step == steps[number - 1] {
            return Some((number, "no step is reported twice"));
        }
        match step {
            Step::Node { .. } => has_node = true,
            Step::Primitive(_) if !has_node => {
                return Some((number, "a primitive is tested after its node was read"));
            }
            Step::Primitive(test) => {
                let tests = open.entry([test.instance, test.geometry, test.primitive]).or_default();
                *tests += usize::from(test.t.is_some());
            }
            Step::Accept { hit } | Step::Refuse { hit, .. } => {
                let tests = open.entry([hit.instance, hit.geometry, hit.primitive]).or_default();
                match tests.checked_sub(1) {
                    Some(left) => *tests = left,
                    None => return Some((number, "a hit is judged once, after its test")),
                }
            }
            Step::End if number + 1 < steps.len() => {
                return Some((number, "nothing follows the end"));
            }
            _ => (),
        }
    }
    (steps.last() != Some(&Step::End)).then_some((steps.len(), "a walk ends"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::{Hit, PrimitiveTest};

    #[test]
    fn broken_rules_are_found() {
        let node = Step::Node { pointer: 0, address: None, kind: "leaf" };
        let (instance, geometry, primitive) = (0, 1, 7);
        let test = PrimitiveTest { pointer: 3, instance, geometry, primitive, t: Some(1.5) };
        let hit = Hit { t: 1.5, u: 0.25, v: 0.5, instance, geometry, primitive };
        let (test, accept) = (Step::Primitive(test), Step::Accept { hit });
        let refuse = Step::Refuse { hit, reason: "closer" };
        let broken = |steps: &[&Step]| {
            let steps: Vec<Step> = steps.iter().map(|&step| step.clone()).collect();
            out_of_order(&steps).map(|(number, _)| number)
        };
        assert_eq!(broken(&[&node, &test, &accept, &Step::End]), None);
        assert_eq!(broken(&[&test, &accept, &Step::End]), Some(0));
        assert_eq!(broken(&[&node, &accept, &test, &Step::End]), Some(1));
        assert_eq!(broken(&[&node, &test, &accept, &refuse, &Step::End]), Some(3));
        assert_eq!(broken(&[&node, &node, &Step::End]), Some(1));
        assert_eq!(broken(&[&node, &Step::End, &test]), Some(1));
        assert_eq!(broken(&[&node, &test]), Some(2));
    }
}
