//! Beam against triangle, judged by linear programming in rational arithmetic.

use geometry::exact::rational;
use geometry::random::Random;
use geometry::{Aabb, Beam, Triangle, Vec3};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// `coefficients . unknowns >= bound`.
pub(crate) struct Constraint<const N: usize> {
    pub(crate) coefficients: [BigRational; N],
    pub(crate) bound: BigRational,
}

/// The smallest first coordinate of a point that satisfies all constraints. The feasible set, if it
/// is not empty, has a corner there, and a corner is where `N` constraints are tight: all choices
/// are tried.
pub(crate) fn smallest_first_coordinate<const N: usize>(
    constraints: &[Constraint<N>],
) -> Option<BigRational> {
    let mut best: Option<BigRational> = None;
    let mut chosen: [usize; N] = std::array::from_fn(|i| i);
    loop {
        if let Some(corner) = solve(chosen.map(|i| &constraints[i])) {
            let is_feasible = constraints.iter().all(|constraint| {
                let terms = constraint.coefficients.iter().zip(&corner).map(|(a, b)| a * b);
                terms.sum::<BigRational>() >= constraint.bound
            });
            if is_feasible && best.as_ref().is_none_or(|best| corner[0] < *best) {
                best = Some(corner[0].clone());
            }
        }
        // The next choice in lexicographic order.
        let movable = (0..N).rev().find(|&i| chosen[i] < constraints.len() - N + i);
        let Some(place) = movable else { return best };
        chosen[place] += 1;
        for next in place + 1..N {
            chosen[next] = chosen[next - 1] + 1;
        }
    }
}

/// Gaussian elimination; `None` where the constraints do not single out a point.
fn solve<const N: usize>(rows: [&Constraint<N>; N]) -> Option<[BigRational; N]> {
    let mut rows = rows.map(|row| (row.coefficients.clone(), row.bound.clone()));
    for column in 0..N {
        let pivot = (column..N).find(|&row| !rows[row].0[column].is_zero())?;
        rows.swap(column, pivot);
        let (lead, bound) = rows[column].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            if index == column || row.0[column].is_zero() {
                continue;
            }
            let factor = &row.0[column] / &lead[column];
            for (entry, lead) in row.0.iter_mut().zip(&lead).skip(column) {
                *entry = &*entry - &factor * lead;
            }
            row.1 = &row.1 - &factor * &bound;
        }
    }
    Some(std::array::from_fn(|i| &rows[i].1 / &rows[i].0[i]))
}

/// The first contact: the smallest `t` such that a point of the triangle, with weights `u` and `v`,
/// lies in `Box(t)`.
fn first_contact(beam: &Beam, triangle: &Triangle) -> Option<BigRational> {
    smallest_first_coordinate(&constraints(beam, triangle))
}

fn constraints(beam: &Beam, triangle: &Triangle) -> Vec<Constraint<3>> {
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

/// Small integers give exact touches, degenerate triangles and zero directions; floats give the
/// rest.
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
