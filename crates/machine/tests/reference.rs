//! The reference machine: beams as brute force answers them, and a walk that can be watched.
#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use geometry::{Aabb, Beam, TriangleRule, Vec3};
use machine::{
    Answer, Hit, HitKind, LeafRule, Machine, Oracle, Query, Reference, Shape, Step, Verdict,
};
use testkit::Random;
use testkit::worlds::{instanced, mixed, point_in, rays};
use tree::Tree;

const RULE: TriangleRule = TriangleRule::Watertight;

/// Moving, growing, shrinking and resting boxes, of every size from a point on.
fn beams(bounds: &Aabb, seed: u64, count: usize) -> Vec<Query> {
    let mut random = Random(seed);
    let beam = |_| {
        let mut place = |size: f32| {
            let low = point_in(bounds, 1.5, &mut random);
            Aabb::new(low, low + bounds.extent() * size * random.vector(0.0, 1.0))
        };
        let (a, b) = (place(0.05), place(0.15));
        let beam = match random.below(4) {
            0 => Beam::swept(&a, Vec3::ZERO, 1.0),
            1 => Beam::swept(&Aabb::new(a.min, a.min), b.min - a.min, f32::INFINITY),
            2 => Beam::swept(&a, b.min - a.min, 1.25),
            _ => Beam::from_aabbs_shrinking(&a, &b),
        };
        let leaf = LeafRule::ALL[random.below(2)];
        let mask = if random.one_in(4) { random.bits() as u8 } else { 0xFF };
        Query { mask, ..Query::beam(HitKind::ALL[random.below(3)], beam.unwrap(), leaf) }
    };
    (0..count).map(beam).collect()
}

#[test]
fn beams_are_answered_as_the_oracle_does() {
    for (number, tree) in [instanced(), mixed()].iter().enumerate() {
        let (reference, oracle) = (Reference::new(tree, RULE), Oracle::new(tree, RULE));
        let mut hits = 0;
        for query in beams(&tree.bounds(), 7 + number as u64, 400) {
            let all = oracle.answer(&Query { kind: HitKind::All, ..query }).unwrap().hits;
            let got = reference.answer(&query).unwrap().hits;
            match query.kind {
                HitKind::All => assert_eq!(got, all, "{query:?}"),
                HitKind::Closest => assert_eq!(got, all[..all.len().min(1)], "{query:?}"),
                HitKind::Any => {
                    assert_eq!(got.len(), all.len().min(1), "{query:?}");
                    assert!(got.iter().all(|hit| all.contains(hit)), "{query:?}");
                }
            }
            assert!(got.iter().all(|hit| hit.t <= hit.exit()), "{query:?}");
            hits += usize::from(!got.is_empty());
        }
        assert!((50..350).contains(&hits), "{hits} of 400 beams hit something");
    }
}

#[test]
fn a_watched_walk_gives_the_same_answer_and_tells_it_in_order() {
    for tree in [instanced(), mixed()] {
        let machine = Reference::new(&tree, RULE);
        let mut queries = beams(&tree.bounds(), 21, 100);
        queries.extend(rays(&tree.bounds(), 22, 200).into_iter().map(Query::from));
        let mut accepted = 0;
        for query in queries {
            let (mut answer, mut steps) = (Answer::default(), Vec::new());
            machine.watch(&query, &mut answer, &mut steps).unwrap();
            assert_eq!(answer, machine.answer(&query).unwrap(), "{query:?}");
            follows_the_order(&tree, &steps);
            accepted += accepts_the_answer(&query, &steps, &answer.hits);
            let is_beam = matches!(query.shape, Shape::Beam(_));
            for step in &steps {
                if let Step::Instance { ray, .. } = step {
                    assert_eq!(ray.is_none(), is_beam);
                }
            }
        }
        assert!(accepted > 100, "{accepted}");
    }
}

/// Each step comes after one that it follows from.
fn follows_the_order(tree: &Tree, steps: &[Step]) {
    assert_eq!(steps.iter().filter(|step| **step == Step::End).count(), 1);
    assert_eq!(steps.last(), Some(&Step::End));
    let world = tree.tlas.as_ref().map_or(&tree.blases[0].bvh, |tlas| &tlas.bvh);
    // The world, and the instance that the walk is in: the children that are still to be visited.
    let mut levels = vec![(world, Vec::new())];
    for (step, after) in steps.iter().zip(1..) {
        let (bvh, waiting) = levels.last_mut().unwrap();
        match step {
            Step::Child(child) => {
                assert_eq!(child.interval.is_none(), child.verdict == Verdict::Miss);
                waiting.extend((child.verdict == Verdict::Visit).then_some(child.pointer));
            }
            Step::Pop { pointer, .. } => {
                let place = waiting.iter().position(|child| Some(*child) == *pointer);
                waiting.remove(place.unwrap());
            }
            Step::Node { pointer, kind, .. } => {
                let popped = &steps[after - 2];
                assert!(matches!(popped, Step::Pop { pointer: p, .. } if *p == Some(*pointer)));
                let node = &bvh.nodes()[*pointer as usize];
                assert_eq!(*kind, if node.link.is_leaf() { "leaf" } else { "box" });
                let children = if node.link.is_leaf() { 0 } else { bvh.children(node).len() };
                let tests = steps[after..].iter();
                let tests = tests.take_while(|step| matches!(step, Step::Child(_)));
                assert!(node.link.is_leaf() || tests.count() == children);
            }
            Step::Instance { instance, .. } => {
                let instance = tree.tlas.as_ref().unwrap().instances[*instance as usize];
                levels.push((&tree.blases[instance.blas as usize].bvh, Vec::new()));
            }
            Step::Leave => {
                assert!(waiting.is_empty());
                levels.pop();
            }
            Step::Accept { hit } | Step::Refuse { hit, .. } => {
                let before = &steps[after - 2];
                let test = if let Step::Primitive(test) = before { Some(test) } else { None };
                let test = test.unwrap();
                let ids = (test.instance, test.geometry, test.primitive);
                assert_eq!((test.t, ids), (Some(hit.t), hit.ids()));
            }
            Step::Primitive(test) => {
                let next = &steps[after];
                let is_hit = matches!(next, Step::Accept { .. } | Step::Refuse { .. });
                assert_eq!(is_hit, test.t.is_some(), "{next:?}");
            }
            _ => {}
        }
    }
}

/// What was accepted is the answer; says how much that was.
fn accepts_the_answer(query: &Query, steps: &[Step], hits: &[Hit]) -> usize {
    let accepted = steps.iter().filter_map(|step| match step {
        Step::Accept { hit } => Some(*hit),
        _ => None,
    });
    let mut accepted: Vec<Hit> = accepted.collect();
    if query.kind == HitKind::All {
        accepted.sort_by(Hit::total_cmp);
        accepted.dedup();
        assert_eq!(accepted, hits);
    } else {
        assert_eq!(accepted.last(), hits.first());
    }
    accepted.len()
}
