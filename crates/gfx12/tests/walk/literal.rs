//! What RADV's loop loses as shipped (G-35).

use super::support::{Questions, Random, World, across, built, soup};
use geometry::{Aabb, Ray, Triangle, TriangleRule, Vec3};
use gfx12::encode::{Options as EncodeOptions, Policy};
use gfx12::layout::SortHeuristic;
use gfx12::walk::{Gpurt, Options, Radv, RadvLiteral, Shipped, WalkBack};
use machine::{HitKind, Machine, RayQuery};
use std::ops::Range;
use std::sync::Arc;
use testkit::worlds::divided;
use tree::{Blas, Bvh, Node, NodeLink, PrimitiveFlags, PrimitiveId, Primitives, Tree};

/// Wrong closest hits among 1,500 rays through boxes that overlap at random: about two hundred with
/// 2 entries, a dozen with 4. Primitives are sorted before boxes, so they stay on the stack while
/// the boxes below them are overwritten; what is lost are these boxes, when the last of the
/// primitives lies behind a nearer hit. So losses grow with the number of primitives that a box
/// has, and end where the stack holds all of them.
#[test]
fn closest_hits_are_lost_when_the_stack_overflows() {
    let one_pair = EncodeOptions { margin: true, ..EncodeOptions::new(Policy::Radv) };
    let world = World::of_tree(&random_tree(&cards(600, 8), 9, 7), &one_pair);
    let rule = TriangleRule::MollerTrumbore;
    let questions = Questions::new(&world.tree, rule, 21, 1500, forward);
    for shipped in Shipped::ALL {
        let losses = [2, 4, 8, 16].map(|stack_size| {
            let options = Options { stack_size, ..Options::radv(rule) };
            let repaired = Radv::new(Arc::clone(&world.image), options).unwrap();
            assert_eq!(questions.losses(&repaired), [0; 3]);
            let literal = RadvLiteral::new(shipped, Arc::clone(&world.image), options).unwrap();
            let [closest, any, all] = questions.losses(&literal);
            assert_eq!((any, all), (0, 0), "their extent does not shrink");
            closest
        });
        println!("{}: {losses:?}", shipped.name());
        assert!(losses.is_sorted_by(|a, b| a >= b), "{losses:?}");
        let is_lost = (100..400).contains(&losses[0]) && (5..60).contains(&losses[1]);
        assert!(is_lost || shipped == Shipped::Mesa26_2, "{losses:?}");
    }
}

/// A box is first visited when a hit at 12 is known. If the middles of its children A = [1, 100]
/// and B = [10, 20] depended on that extent, they would be 6.5 and 11, and 50.5 and 15 when Mesa
/// 26.2 walks back with the ray's own: B, lost from the stack, would come before A, and its hit
/// before 11 would never be found. The unit adds unclamped ends: B comes first both times.
#[test]
fn middles_do_not_depend_on_the_extent() {
    let triangles = vec![
        hit(12.0, 12.0),
        beside(1.0, 100.0),
        beside(2.0, 99.0),
        beside(3.0, 98.0),
        beside(4.0, 97.0),
        hit(10.0, 20.0),
        beside(10.0, 20.0),
    ];
    let world = nested(triangles, &[1..5, 5..7]);
    assert_eq!(primitives_of_shipped(&world, 5), [5; 3]);
}

/// Mesa 26.2 loses a hit where middles are equal. A box is first visited when a hit at 12 is known:
/// of its children A = B = [10, 20] and C = [13, 14] the last is missed, and A comes before B. A
/// pushes B off the stack. Walking back with the ray's own extent, C is met too; it comes first,
/// and on its way there the sorting network exchanges A and B, which it does not tell apart.
/// Nothing comes behind A, and B with the nearest hit is never visited.
#[test]
fn a_hit_is_lost_where_middles_are_equal() {
    let triangles = vec![
        hit(12.0, 12.0),
        beside(10.0, 20.0),
        beside(11.0, 19.0),
        beside(12.0, 18.0),
        beside(13.0, 17.0),
        hit(10.0, 20.0),
        beside(10.0, 20.0),
        beside(13.0, 14.0),
        beside(13.0, 14.0),
    ];
    let world = nested(triangles, &[1..5, 5..7, 7..9]);
    assert_eq!(primitives_of_shipped(&world, 5), [5, 5, 0]);
}

/// A triangle beside the ray along z, in a box that the ray meets from `low` to `high`.
fn beside(low: f32, high: f32) -> Triangle {
    Triangle::new(Vec3::new(1.0, -0.1, low), Vec3::new(-0.1, 1.0, low), Vec3::new(1.0, 1.0, high))
}

/// A triangle that the ray along z hits near `low`.
fn hit(low: f32, high: f32) -> Triangle {
    Triangle::new(Vec3::new(-1.0, -1.0, low), Vec3::new(1.0, -1.0, low), Vec3::new(0.0, 10.0, high))
}

/// RADV's memory of a root over triangle 0 and a box, whose children are boxes over ranges of the
/// others.
fn nested(triangles: Vec<Triangle>, boxes: &[Range<usize>]) -> World {
    let count = triangles.len();
    let ids = (0..count as u32).map(|primitive| PrimitiveId {
        geometry: 0,
        primitive,
        flags: PrimitiveFlags::OPAQUE,
    });
    let primitives = Primitives { ids: ids.collect(), triangles, boxes: Vec::new() };
    let around = |items: Range<usize>| {
        items.map(|item| primitives.bounds(item)).fold(Aabb::EMPTY, Aabb::union)
    };
    let leaf =
        |item: usize| Node { bounds: around(item..item + 1), link: NodeLink::leaf(item as u32, 1) };
    let inner = |items, first: usize, count| Node {
        bounds: around(items),
        link: NodeLink::inner(first as u32, count),
    };
    let mut nodes = vec![inner(0..count, 1, 2), leaf(0), inner(1..count, 3, boxes.len())];
    // Leaves lie behind the boxes, in the order of the triangles from 1 on.
    let first_leaf = 2 + boxes.len();
    nodes.extend(
        boxes.iter().map(|items| inner(items.clone(), first_leaf + items.start, items.len())),
    );
    nodes.extend((1..count).map(leaf));
    let bvh = Bvh::new(nodes, (0..count as u32).collect(), count).unwrap();
    let tree = Tree { blases: vec![Blas { primitives, bvh }], tlas: None };
    let options = EncodeOptions { keep_leaves: true, ..EncodeOptions::new(Policy::Radv) };
    World::of_tree(&tree, &options)
}

/// What each version finds along z with one entry on the stack; the repaired loop finds `nearest`.
fn primitives_of_shipped(world: &World, nearest: u32) -> [u32; 3] {
    let rule = TriangleRule::MollerTrumbore;
    let ray = Ray { tmax: 1000.0, ..Ray::new(Vec3::ZERO, Vec3::Z) };
    let small = Options { stack_size: 1, ..Options::radv(rule) };
    let repaired = Radv::new(Arc::clone(&world.image), small).unwrap();
    let closest = repaired.closest(&ray).unwrap().unwrap();
    assert_eq!(closest.primitive, nearest);
    assert!(closest.t > 10.0 && closest.t < 11.0, "{closest:?}");
    Shipped::ALL.map(|shipped| {
        let machine = RadvLiteral::new(shipped, Arc::clone(&world.image), small).unwrap();
        machine.closest(&ray).unwrap().unwrap().primitive
    })
}

/// The ray's own extent in steps that walk back is not quite enough: where keys tie, the order of a
/// box's children depends on which others were hit, and so on the extent of the first visit.
#[test]
fn ties_are_lost_with_the_original_extent() {
    let one_pair = EncodeOptions { margin: true, ..EncodeOptions::new(Policy::Radv) };
    let world = World::of_tree(&random_tree(&built(&soup(300, 8)), 8, 5), &one_pair);
    let rule = TriangleRule::MollerTrumbore;
    let questions = Questions::new(&world.tree, rule, 21, 1500, across);
    let losses = |walk_back| {
        let heuristic = SortHeuristic::Closest;
        let radv = Options { stack_size: 2, heuristic, walk_back, ..Options::radv(rule) };
        let gpurt = Options { stack_size: 2, walk_back, ..Options::gpurt(rule) };
        let radv = Radv::new(Arc::clone(&world.image), radv).unwrap();
        let gpurt = Gpurt::new(Arc::clone(&world.image), gpurt).unwrap();
        [questions.losses(&radv), questions.losses(&gpurt)]
    };
    let published = losses(WalkBack::OriginalExtent);
    println!("original extent: {published:?}");
    assert!(
        published.iter().all(|&[closest, any, all]| (1..20).contains(&closest) && any + all == 0)
    );
    assert_eq!(losses(WalkBack::Restarting), [[0; 3]; 2]);
}

/// A ray through the cards, almost along z.
fn forward(_: &Tree, random: &mut Random) -> RayQuery {
    let origin = random.vector(-1.0, 1.0) - Vec3::Z * 3.0;
    let direction = Vec3::new(random.range(-0.1, 0.1), random.range(-0.1, 0.1), 1.0);
    RayQuery::new(HitKind::Closest, Ray::new(origin, direction))
}

/// Triangles that nearly face z, scattered over a deep space.
fn cards(count: usize, seed: u64) -> Tree {
    let mut tree = built(&soup(count, seed));
    let mut random = Random(seed);
    for triangle in &mut tree.blases[0].primitives.triangles {
        let center =
            random.vector(-1.0, 1.0) * Vec3::new(1.0, 1.0, 0.0) + Vec3::Z * random.range(0.0, 9.0);
        let corner = |_| center + random.vector(-1.0, 1.0) * Vec3::new(0.8, 0.8, 0.02);
        *triangle = Triangle { vertices: [0; 3].map(corner) };
    }
    tree
}

/// The same triangles under nodes that divide them at random, with boxes beside `leaves` leaves.
fn random_tree(tree: &Tree, seed: u64, leaves: usize) -> Tree {
    let mut random = Random(seed);
    let primitives = tree.blases[0].primitives.clone();
    let bounds = |item: u32| primitives.bounds(item as usize);
    let all = (0..primitives.len() as u32).collect();
    let bvh = divided(all, primitives.len(), bounds, |items| {
        if items.len() <= 2 {
            return Vec::new();
        }
        let mut parts = vec![Vec::new(); 8];
        for (n, &item) in items.iter().enumerate() {
            parts[if n < leaves { n } else { leaves + random.below(8 - leaves) }].push(item);
        }
        parts.retain(|part| !part.is_empty());
        parts
    });
    Tree { blases: vec![Blas { primitives, bvh }], tlas: None }
}
