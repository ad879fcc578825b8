//! Beam against triangle, judged by linear programming in rational arithmetic.

use crate::common::Random;
use geometry::exact::rational;
use geometry::{Aabb, Beam, Triangle, Vec3};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// `coefficients . (t, u, v) >= bound`.
struct Constraint {
    coefficients: [BigRational; 3],
    bound: BigRational,
}

/// The first contact: the smallest `t` such that a point of the triangle, with weights `u` and `v`, lies in
/// `Box(t)`. The feasible set has a corner if it has a point, and a corner is where three
/// constraints are tight: all triples are tried.
fn first_contact(beam: &Beam, triangle: &Triangle) -> Option<BigRational> {
    let constraints = constraints(beam, triangle);
    let mut best: Option<BigRational> = None;
    for i in 0..constraints.len() {
        for j in i + 1..constraints.len() {
            for k in j + 1..constraints.len() {
                let tight = [&constraints[i], &constraints[j], &constraints[k]];
                let Some(corner) = solve(tight) else { continue };
                let is_feasible = constraints.iter().all(|constraint| {
                    let sum: BigRational =
                        (0..3).map(|n| &constraint.coefficients[n] * &corner[n]).sum();
                    sum >= constraint.bound
                });
                let [t, ..] = corner;
                if is_feasible && best.as_ref().is_none_or(|best| t < *best) {
                    best = Some(t);
                }
            }
        }
    }
    best
}

fn constraints(beam: &Beam, triangle: &Triangle) -> Vec<Constraint> {
    let (zero, one) = (BigRational::zero, BigRational::one);
    let constraint = |coefficients, bound| Constraint { coefficients, bound };
    let mut list = vec![
        constraint([one(), zero(), zero()], rational(beam.tmin())),
        constraint([zero(), one(), zero()], zero()),
        constraint([zero(), zero(), one()], zero()),
        constraint([zero(), -one(), -one()], -one()),
    ];
    if beam.tmax().is_finite() {
        list.push(constraint([-one(), zero(), zero()], -rational(beam.tmax())));
    }
    let ((upper, up), (lower, down)) = (beam.upper(), beam.lower());
    for k in 0..3 {
        let [p, q, r] = triangle.vertices.map(|vertex| rational(vertex[k]));
        let (e, f) = (q - &p, r - &p);
        let above = [rational(up[k]), -e.clone(), -f.clone()];
        list.push(constraint(above, &p - rational(upper[k])));
        list.push(constraint([-rational(down[k]), e, f], rational(lower[k]) - p));
    }
    list
}

/// Cramer's rule; `None` for parallel planes.
fn solve(rows: [&Constraint; 3]) -> Option<[BigRational; 3]> {
    let determinant = |column: Option<usize>| {
        let entry = |row: usize, col: usize| match column {
            Some(replaced) if replaced == col => rows[row].bound.clone(),
            _ => rows[row].coefficients[col].clone(),
        };
        let minor = |a: usize, b: usize| entry(1, a) * entry(2, b) - entry(1, b) * entry(2, a);
        entry(0, 0) * minor(1, 2) - entry(0, 1) * minor(0, 2) + entry(0, 2) * minor(0, 1)
    };
    let whole = determinant(None);
    if whole.is_zero() {
        return None;
    }
    Some(std::array::from_fn(|column| determinant(Some(column)) / &whole))
}

/// Small integers give exact touches, degenerate triangles and zero directions; floats give the rest.
fn random_point(random: &mut Random, integers: bool, size: f32) -> Vec3 {
    if integers {
        Vec3::from_array(std::array::from_fn(|_| random.below(9) as f32 - 4.0))
    } else {
        random.vector(-size, size)
    }
}

fn random_beam(random: &mut Random, integers: bool) -> Beam {
    let mut point = |size| random_point(random, integers, size);
    let (a, b, c, d) = (point(3.0), point(3.0), point(6.0), point(6.0));
    let (a0, a1) = (Aabb::of_points([a, b]), Aabb::of_points([c, d]));
    match random.below(4) {
        0 => Beam::swept(&a0, c, f32::INFINITY).unwrap(),
        1 => Beam::swept(&Aabb::of_points([a]), d, [1.0, 2.0][random.below(2)]).unwrap(),
        2 => Beam::swept(&a0, c, 1.0).unwrap().with_range(0.25, 1.0).unwrap(),
        _ => Beam::from_aabbs_shrinking(&a0, &a1).unwrap(),
    }
}

#[test]
fn triangles_are_decided_exactly() {
    let mut random = Random(31);
    let (mut hits, mut misses, mut later) = (0, 0, 0);
    for case in 0..700 {
        let integers = case % 3 != 0;
        let beam = random_beam(&mut random, integers);
        let corners = [5.0, 5.0, 5.0].map(|size| random_point(&mut random, integers, size));
        let triangle = Triangle { vertices: corners };
        let exact = first_contact(&beam, &triangle);
        let computed = beam.triangle_contact(&triangle);
        assert_eq!(computed.is_some(), exact.is_some(), "{beam:?} {triangle:?} {exact:?}");
        let Some((contact, exact)) = computed.zip(exact) else {
            misses += 1;
            continue;
        };
        hits += 1;
        later += usize::from(exact > rational(beam.tmin()));
        // Never late, and no more than two steps early.
        assert!(rational(contact.first) <= exact, "{contact:?} {exact}");
        let two_steps = rational(contact.first.next_up().next_up());
        assert!(exact <= two_steps || (&exact - rational(contact.first)).abs() < rational(1e-37));
        assert!(rational(beam.contact(&triangle.bounds()).unwrap().first) <= exact);
    }
    assert!(hits > 100 && misses > 200 && later > 60, "{hits} {misses} {later}");
}

/// Scaling by powers of two changes nothing but the scale, down to subnormal corners.
#[test]
fn decisions_do_not_depend_on_the_scale() {
    let mut random = Random(32);
    let mut hits = 0;
    for _ in 0..2000 {
        let mut point = || random_point(&mut random, true, 0.0);
        let (a, b, velocity) = (point(), point(), point());
        let corners = [point(), point(), point()];
        let meets = |scale: f32| {
            let start = Aabb::of_points([a * scale, b * scale]);
            let beam = Beam::swept(&start, velocity, scale).unwrap();
            beam.triangle_contact(&Triangle { vertices: corners.map(|v| v * scale) }).is_some()
        };
        let plain = meets(1.0);
        assert_eq!([meets(2f32.powi(-130)), meets(2f32.powi(110))], [plain; 2]);
        hits += usize::from(plain);
    }
    assert!((300..1700).contains(&hits), "{hits}");
}
