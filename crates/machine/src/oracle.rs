//! The brute-force oracle: every primitive of every instance, one after the other.

use crate::beam::{BeamSpace, BeamWorld, BeamWorldError};
use crate::primitive_test::InstanceView;
use crate::{
    Answer, BeamQuery, Counters, Hit, HitKind, LeafRule, Machine, MachineError, Observer,
    PrimitiveTest, Query, RayQuery, Shape, Step,
};
use geometry::TriangleRule;
use std::ops::Deref;
use std::sync::OnceLock;
use tree::primitives::Primitive;
use tree::{Primitives, Tree};

/// The machine that looks at everything. It uses no box and no order, so it is right by definition;
/// all others are compared with it.
#[derive(Debug, Clone)]
pub struct Oracle<T> {
    tree: T,
    rule: TriangleRule,
    /// What beams need, found when the first is asked.
    beams: OnceLock<Result<BeamWorld, BeamWorldError>>,
}

impl<T: Deref<Target = Tree>> Oracle<T> {
    /// An oracle over the geometry of `tree`; its hierarchies are not looked at.
    #[must_use]
    pub fn new(tree: T, rule: TriangleRule) -> Self {
        Self { tree, rule, beams: OnceLock::new() }
    }

    /// What a ray sees: one view for each instance.
    fn views(&self, query: &RayQuery) -> Vec<InstanceView<'_>> {
        let tree = &*self.tree;
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

    /// What a beam sees: one space for each instance.
    fn spaces(&self, query: &BeamQuery) -> Result<Vec<(BeamSpace, &Primitives)>, MachineError> {
        let tree = &*self.tree;
        let world = self.beams.get_or_init(|| BeamWorld::new(tree)).as_ref().map_err(|e| *e)?;
        let primitives = |blas: usize| &tree.blases[blas].primitives;
        Ok(match &tree.tlas {
            None => (0..tree.blases.len())
                .filter_map(|blas| Some((BeamSpace::world(query)?, primitives(blas))))
                .collect(),
            Some(tlas) => (0..)
                .zip(&tlas.instances)
                .filter_map(|(number, instance)| {
                    let space = world.space(tree, query, Some(number))?;
                    Some((space, primitives(instance.blas as usize)))
                })
                .collect(),
        })
    }
}

impl<T: Deref<Target = Tree> + Send + Sync> Machine for Oracle<T> {
    fn name(&self) -> &'static str {
        "oracle"
    }

    fn watch(
        &self,
        query: &Query,
        answer: &mut Answer,
        observer: &mut dyn Observer,
    ) -> Result<(), MachineError> {
        let Answer { hits, counters } = answer;
        hits.clear();
        counters.queries += 1;
        match query.shape {
            Shape::Ray(ray) => {
                let query = query.with_shape(ray);
                let views = if query.can_hit() { self.views(&query) } else { Vec::new() };
                for view in views {
                    look(view.primitives, view.instance, hits, counters, observer, |index| {
                        view.hit(self.rule, index)
                    });
                }
            }
            Shape::Beam(shape) => {
                for (space, primitives) in self.spaces(&query.with_shape(shape))? {
                    look(primitives, space.instance, hits, counters, observer, |index| {
                        space.hit(primitives.get(index), primitives.ids[index])
                    });
                    if space.leaf == LeafRule::Conservative {
                        counters.box_tests += primitives.len() as u64;
                    }
                }
            }
        }
        hits.sort_by(Hit::total_cmp);
        hits.dedup(); // hits that nothing tells apart count once
        if query.kind != HitKind::All {
            hits.truncate(1);
        }
        if observer.is_watching() {
            hits.iter().for_each(|&hit| observer.see(Step::Accept { hit }));
            observer.see(Step::End);
        }
        Ok(())
    }
}

/// Tests every primitive of an instance.
fn look(
    primitives: &Primitives,
    instance: u32,
    hits: &mut Vec<Hit>,
    counters: &mut Counters,
    observer: &mut dyn Observer,
    test: impl Fn(usize) -> Option<Hit>,
) {
    counters.instances += 1;
    for index in 0..primitives.len() {
        match primitives.get(index) {
            Primitive::Triangle(_) => counters.triangle_tests += 1,
            Primitive::Box(_) => counters.procedural_tests += 1,
        }
        let hit = test(index);
        if observer.is_watching() {
            let (id, t) = (primitives.ids[index], hit.map(|hit| hit.t));
            observer.see(Step::Primitive(PrimitiveTest {
                pointer: index as u64,
                instance,
                geometry: id.geometry,
                primitive: id.primitive,
                t,
            }));
        }
        hits.extend(hit);
    }
}
