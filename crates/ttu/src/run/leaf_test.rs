//! The primitives of a leaf, as the SM tests them: by the definition of a hit that all machines
//! share. Of a sphere or a frustum the unit knows the beam around it; the volume itself is asked
//! here (T-24).

use crate::job::Job;
use crate::reporter::Reporter;
use crate::unit::tick::Env;
use machine::primitive_test::InstanceView;
use machine::{Hit, Observer, PrimitiveTest, RayQuery, Shape, Step};
use tree::{PrimitiveId, Primitives};

/// Tests the primitives of a leaf; says whether boxes matter less far now.
pub(super) fn test_primitives<O: Observer + ?Sized>(
    env: &Env<'_>,
    job: &mut Job,
    instance: Option<u32>,
    items: &[u32],
    reporter: &mut Reporter<'_, O>,
) -> bool {
    if job.is_settled() {
        return false;
    }
    match job.query.shape {
        Shape::Ray(ray) => {
            test_ray(env, &job.query.with_shape(ray), job, instance, items, reporter)
        }
        Shape::Beam(shape) => {
            let (tree, query) = (&env.world.tree, job.query.with_shape(shape));
            let space = env.beams.and_then(|beams| beams.world.space(tree, &query, instance));
            let Some(space) = space else { return false };
            let primitives = &tree.blases[env.world.level_of(instance)].primitives;
            let mut is_shorter = false;
            for &item in items {
                let index = item as usize;
                let hit = space.hit(primitives.get(index), primitives.ids[index]);
                is_shorter |= tested(job, item, (space.instance, primitives), hit, reporter);
            }
            is_shorter
        }
    }
}

fn test_ray<O: Observer + ?Sized>(
    env: &Env<'_>,
    query: &RayQuery,
    job: &mut Job,
    instance: Option<u32>,
    items: &[u32],
    reporter: &mut Reporter<'_, O>,
) -> bool {
    let tree = &env.world.tree;
    let view = match (&tree.tlas, instance) {
        (Some(tlas), Some(number)) => {
            let instance = &tlas.instances[number as usize];
            let blas = &tree.blases[instance.blas as usize];
            InstanceView::placed(&blas.primitives, query, number, instance)
        }
        _ => tree.blases.first().map(|blas| InstanceView::world(&blas.primitives, query)),
    };
    let Some(view) = view else { return false };
    let mut is_shorter = false;
    for &item in items {
        let hit = view.hit(env.world.rule, item as usize);
        is_shorter |= tested(job, item, (view.instance, view.primitives), hit, reporter);
    }
    is_shorter
}

/// A primitive was tested: takes its hit, if there is one; says whether boxes matter less far now.
fn tested<O: Observer + ?Sized>(
    job: &mut Job,
    item: u32,
    (instance, primitives): (u32, &Primitives),
    hit: Option<Hit>,
    reporter: &mut Reporter<'_, O>,
) -> bool {
    if reporter.is_watching() {
        let PrimitiveId { geometry, primitive, .. } = primitives.ids[item as usize];
        let (pointer, t) = (item.into(), hit.map(|hit| hit.t));
        let test = PrimitiveTest { pointer, instance, geometry, primitive, t };
        reporter.see_also(Step::Primitive(test));
        if let Some(hit) = hit {
            reporter.see_also(match job.refusal(&hit) {
                None => Step::Accept { hit },
                Some(reason) => Step::Refuse { hit, reason },
            });
        }
    }
    hit.is_some_and(|hit| job.take(hit))
}
