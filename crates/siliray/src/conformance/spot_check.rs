//! A sample of queries on any tree, for scenes that are not in the table.

use super::Disagreement;
use super::aimed_rays::AimedRays;
use super::question::Question;
use geometry::TriangleRule;
use machine::{HitKind, Machine, Oracle, RayQuery};
use rayon::prelude::*;
use tree::Tree;

/// `count` rays that are likely to go wrong on `tree`.
#[must_use]
pub fn aimed_rays(tree: &Tree, seed: u64, count: usize) -> Vec<RayQuery> {
    let rays = AimedRays::new(tree, seed);
    (0..count).map(|index| rays.query(index)).collect()
}

/// Where `machine` and the oracle over `tree` disagree when each of `rays` is asked for its closest
/// hit, any hit and all hits.
#[must_use]
pub fn spot_check(
    tree: &Tree,
    machine: &dyn Machine,
    rule: TriangleRule,
    rays: &[RayQuery],
) -> Vec<Disagreement> {
    let oracle = Oracle::new(tree, rule);
    let verdicts: Vec<[Option<Disagreement>; 3]> = rays
        .par_iter()
        .map(|&ray| {
            let question = Question::new(ray.into(), &oracle);
            HitKind::ALL.map(|kind| question.verdict(machine, kind))
        })
        .collect();
    verdicts.into_iter().flatten().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use build::Options;
    use machine::Reference;
    use scene::builtin::Builtin;

    fn tree(builtin: Builtin) -> Tree {
        let scene = builtin.scene(2000);
        Options::default().build(&scene).unwrap()
    }

    #[test]
    fn the_reference_machine_agrees_and_a_machine_over_another_tree_does_not() {
        let rule = TriangleRule::Watertight;
        let (right, wrong) = (tree(Builtin::Interior), tree(Builtin::Hairball));
        let rays = aimed_rays(&right, 5, 100);
        assert_eq!(spot_check(&right, &Reference::new(&right, rule), rule, &rays), []);
        let disagreements = spot_check(&right, &Reference::new(&wrong, rule), rule, &rays);
        assert!(disagreements.len() > 50, "{}", disagreements.len());
        for kind in HitKind::ALL {
            assert!(disagreements.iter().any(|found| found.query.kind == kind));
        }
    }
}
