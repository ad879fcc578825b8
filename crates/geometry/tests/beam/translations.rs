//! A moving triangle against a standing one, judged by linear programming in rational arithmetic.

use super::triangles::{Constraint, smallest_first_coordinate};
use geometry::exact::rational;
use geometry::random::Random;
use geometry::touch_point::{Features, touch_point};
use geometry::translation::contact;
use geometry::{Triangle, Vec3};
use num_rational::BigRational;
use num_traits::{One, Zero};

/// The first contact: the smallest `t` for which a point of the one, moved, is a point of the
/// other. Unknowns: `t`, and the weights of both points. The first two equations are solved for by
/// the constraints themselves: each is two inequalities.
fn first_contact(moving: &Triangle, along: Vec3, still: &Triangle) -> Option<BigRational> {
    let zero = BigRational::zero;
    let mut list = Vec::new();
    let mut add = |coefficients: [BigRational; 5], bound: BigRational| {
        list.push(Constraint { coefficients, bound });
    };
    let unit = |index: usize, value: i32| -> [BigRational; 5] {
        std::array::from_fn(|i| {
            if i == index { BigRational::from_integer(value.into()) } else { zero() }
        })
    };
    add(unit(0, 1), zero());
    add(unit(0, -1), -BigRational::one());
    for index in 1..5 {
        add(unit(index, 1), zero());
    }
    let minus_one = || -BigRational::one();
    add([zero(), minus_one(), minus_one(), zero(), zero()], minus_one());
    add([zero(), zero(), zero(), minus_one(), minus_one()], minus_one());
    for k in 0..3 {
        let [p, q, r] = moving.vertices.map(|vertex| rational(vertex[k]));
        let [a, b, c] = still.vertices.map(|vertex| rational(vertex[k]));
        let row = [rational(along[k]), &q - &p, &r - &p, &a - &b, &a - &c];
        let bound = a - p;
        add(row.clone().map(|x| -x), -bound.clone());
        add(row, bound);
    }
    smallest_first_coordinate(&list)
}

#[test]
fn moving_triangles_are_decided_exactly() {
    let mut random = Random(41);
    let (mut hits, mut misses, mut later) = (0, 0, 0);
    for case in 0..60 {
        let mut point = |size: f32| match case % 3 {
            0 => random.vector(-size, size),
            // Few values: coplanar, parallel and degenerate triangles abound.
            1 => Vec3::from_array(std::array::from_fn(|_| random.below(3) as f32)),
            _ => Vec3::from_array(std::array::from_fn(|_| random.below(7) as f32 - 3.0)),
        };
        let moving = Triangle { vertices: [point(2.0), point(2.0), point(2.0)] };
        let still = Triangle { vertices: [point(2.0), point(2.0), point(2.0)] };
        let along = point(4.0);
        let exact = first_contact(&moving, along, &still);
        let computed = contact(&moving, along, &still, 1.0);
        assert_eq!(computed.is_some(), exact.is_some(), "{moving:?} {along:?} {still:?} {exact:?}");
        let Some((computed, exact)) = computed.zip(exact) else {
            misses += 1;
            continue;
        };
        hits += 1;
        later += usize::from(computed.first > 0.0);
        assert!(rational(computed.first) <= exact);
        assert!(exact <= rational(computed.first.next_up().next_up()), "{computed:?} {exact}");
        let offset = along.as_dvec3() * f64::from(computed.first);
        let touch = touch_point(&moving, offset, &still);
        assert!(touch.distance < 1e-5, "{touch:?}");
    }
    assert!(hits > 10 && misses > 10 && later > 3, "{hits} {misses} {later}");
}

#[test]
fn features_are_named() {
    let floor = Triangle::new(Vec3::ZERO, Vec3::new(9.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 9.0));
    let tip = Triangle::new(
        Vec3::new(2.0, 1.0, 2.0),
        Vec3::new(2.5, 3.0, 2.0),
        Vec3::new(2.0, 3.0, 2.75),
    );
    let down = Vec3::new(0.0, -4.0, 0.0);
    let first = contact(&tip, down, &floor, 1.0).unwrap();
    assert_eq!(first.first, 0.25);
    let touch = touch_point(&tip, down.as_dvec3() * 0.25, &floor);
    assert_eq!((touch.point, touch.features), (Vec3::new(2.0, 0.0, 2.0), Features::VertexFace));
    let through = touch_point(&tip, down.as_dvec3() * 0.5, &floor);
    assert_eq!((through.features, through.point.y), (Features::Crossing, 0.0));
    // The long side of the floor, met by a horizontal bar that crosses it from the side.
    let bar = Triangle::new(
        Vec3::new(12.0, -1.0, 4.0),
        Vec3::new(12.0, 1.0, 4.0),
        Vec3::new(13.0, 0.0, 4.5),
    );
    let left = Vec3::new(-8.0, 0.0, 0.0);
    let met = contact(&bar, left, &floor, 1.0).unwrap();
    assert_eq!(met.first, 0.875);
    let touch = touch_point(&bar, left.as_dvec3() * 0.875, &floor);
    assert_eq!((touch.point, touch.features), (Vec3::new(5.0, 0.0, 4.0), Features::EdgeEdge));
}
