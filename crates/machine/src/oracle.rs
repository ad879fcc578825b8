//! The brute-force oracle: every primitive of every instance, one after the other.

use crate::primitive_test::InstanceView;
use crate::{BudgetExhausted, Counters, Hit, HitKind, Machine, RayQuery};
use geometry::TriangleRule;
use tree::Tree;
use tree::primitives::Primitive;

/// The machine that looks at everything. It uses no box and no order, so it is right by definition;
/// all others are compared with it.
#[derive(Debug, Clone, Copy)]
pub struct Oracle<'a> {
    tree: &'a Tree,
    rule: TriangleRule,
}

impl<'a> Oracle<'a> {
    /// An oracle over the geometry of `tree`; its hierarchies are not looked at.
    #[must_use]
    pub fn new(tree: &'a Tree, rule: TriangleRule) -> Self {
        Self { tree, rule }
    }

    /// What the query sees: one view for each instance.
    fn views(&self, query: &RayQuery) -> Vec<InstanceView<'a>> {
        let tree = self.tree;
        match &tree.tlas {
            None => tree.blases.iter().map(|b| InstanceView::world(&b.primitives, query)).collect(),
            Some(tlas) => (0..)
                .zip(&tlas.instances)
                .filter_map(|(number, instance)| {
                    let blas = &tree.blases[instance.blas as usize];
                    InstanceView::placed(&blas.primitives, query, number, instance)
                })
                .collect(),
        }
    }
}

impl Machine for Oracle<'_> {
    fn name(&self) -> &'static str {
        "oracle"
    }

    fn answer(
        &self,
        query: &RayQuery,
        hits: &mut Vec<Hit>,
        counters: &mut Counters,
    ) -> Result<(), BudgetExhausted> {
        hits.clear();
        counters.queries += 1;
        if !query.can_hit() {
            return Ok(());
        }
        for view in self.views(query) {
            counters.instances += 1;
            for index in 0..view.primitives.len() {
                match view.primitives.get(index) {
                    Primitive::Triangle(_) => counters.triangle_tests += 1,
                    Primitive::Box(_) => counters.procedural_tests += 1,
                }
                hits.extend(view.hit(self.rule, index));
            }
        }
        hits.sort_by(Hit::total_cmp);
        hits.dedup(); // hits that nothing tells apart count once
        if query.kind != HitKind::All {
            hits.truncate(1);
        }
        Ok(())
    }
}
