//! Every leaf is found exactly once, however small the stack is (G-33): the experiment that showed
//! otherwise for the published walkback, on random trees of overlapping boxes.

use super::*;
use crate::bvh4x2::Gfx12Bvh4x2;
use geometry::random::Random;
use geometry::{Aabb, Ray, TriangleRule, Vec3};
use machine::{Counters, Format, Hit, HitKind, Machine, Oracle, RayQuery, TreeFormat, Unwatched};
use testkit::worlds::{divided, parts};
use tree::{Blas, PrimitiveFlags, PrimitiveId, Primitives, Tree};

/// `count` boxes that overlap a lot, four by four in random order, so that siblings do too.
fn overlapping(count: usize, random: &mut Random) -> Tree {
    let boxes: Vec<Aabb> = (0..count)
        .map(|_| {
            let low = random.vector(0.0, 7.0);
            Aabb::new(low, low + Vec3::splat(0.5) + random.vector(0.0, 5.0))
        })
        .collect();
    let ids = (0..count as u32)
        .map(|n| PrimitiveId { geometry: 0, primitive: n, flags: PrimitiveFlags::empty() })
        .collect();
    let items = (0..count as u32).collect();
    let bounds = |item: u32| boxes[item as usize];
    let bvh = divided(items, count, bounds, |items| match items {
        [_] => Vec::new(),
        several => parts(several, 4),
    });
    let primitives = Primitives { triangles: Vec::new(), boxes, ids };
    Tree { blases: vec![Blas { primitives, bvh }], tlas: None }
}

#[test]
fn every_leaf_is_found_exactly_once() {
    let mut random = Random(17);
    let format = Gfx12Bvh4x2::default();
    let mut rays_with_losses = [0; 4];
    for _ in 0..30 {
        let tree = overlapping(300, &mut random);
        let image = Gfx12Bvh4x2::check(format.encode(&tree).unwrap()).checked.unwrap();
        let image = Arc::new(image);
        let rule = TriangleRule::Watertight;
        let oracle = Oracle::new(&**image.tree(), rule);
        for _ in 0..10 {
            let origin = random.vector(0.0, 14.0) - Vec3::splat(2.0);
            let target = Vec3::splat(3.0) + random.vector(0.0, 4.0);
            let query = RayQuery::new(HitKind::All, Ray::new(origin, target - origin));
            let expected = oracle.answer(&query.into()).unwrap().hits;
            for (size, losses) in [16, 8, 4, 2].into_iter().zip(&mut rays_with_losses) {
                let options = Options { stack_size: size, ..Options::dual(rule) };
                let dual = Dual::new(Arc::clone(&image), options).unwrap();
                let (mut hits, mut counters) = (Vec::new(), Counters::default());
                let found = Found::new(&query, &mut hits);
                let observer = &mut Unwatched;
                let mut lane = Lane::new(&dual.0, &query, found, &mut counters, observer);
                *losses += usize::from(walk(&mut lane).unwrap() == Ended::Lost);
                // Not finished: these are the hits as the walk met them, doubles and all.
                hits.sort_by(Hit::total_cmp);
                assert_eq!(hits, expected, "{size} nodes");
            }
        }
    }
    let [sixteen, eight, four, two] = rays_with_losses;
    assert!(sixteen > 20 && eight > 200, "{rays_with_losses:?}");
    assert!(four >= eight && two >= four, "{rays_with_losses:?}");
}
