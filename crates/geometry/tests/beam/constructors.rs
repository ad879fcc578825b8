//! Constructors: what goes in lies inside, and each rule is enforced.

use geometry::beam::construct::Corners;
use geometry::beam::{BeamError, check_box, oracle};
use geometry::exact::rational;
use geometry::random::Random;
use geometry::{Aabb, Beam, Ray, Transform, Vec3};
use num_rational::BigRational;

fn random_box(random: &mut Random, size: f32) -> Aabb {
    Aabb::of_points([random.vector(-size, size), random.vector(-size, size)])
}

/// `lo(t)` and `hi(t)` on an axis, exactly.
fn exact_faces(beam: &Beam, axis: usize, t: &BigRational) -> (BigRational, BigRational) {
    let ((upper, up), (lower, down)) = (beam.upper(), beam.lower());
    let at = |o: f32, d: f32| rational(o) + rational(d) * t;
    (at(lower[axis], down[axis]), at(upper[axis], up[axis]))
}

fn contains_point(beam: &Beam, t: &BigRational, point: &[BigRational; 3]) -> bool {
    (0..3).all(|axis| {
        let (low, high) = exact_faces(beam, axis, t);
        low <= point[axis] && point[axis] <= high
    })
}

#[test]
fn both_boxes_lie_in_the_beam_between_them() {
    let mut random = Random(21);
    let mut strict = 0;
    for _ in 0..3000 {
        let (a0, a1) = (random_box(&mut random, 3.0), random_box(&mut random, 5.0));
        let shrinking = Beam::from_aabbs_shrinking(&a0, &a1).unwrap();
        for (t, bounds) in [(0.0, a0), (1.0, a1)] {
            for corner in bounds.corners() {
                let corner = corner.to_array().map(rational);
                assert!(contains_point(&shrinking, &rational(t), &corner));
            }
        }
        let shrinks = (0..3).find(|&k| shrinking.upper().1[k] < shrinking.lower().1[k]);
        match (Beam::from_aabbs(&a0, &a1), shrinks) {
            (Ok(beam), None) => {
                assert_eq!(beam, shrinking);
                strict += 1;
            }
            (Err(error), Some(axis)) => {
                assert_eq!((error.rule(), error.axis()), ("direction_inverted", Some(axis)));
            }
            (outcome, _) => panic!("{outcome:?}"),
        }
    }
    assert!((100..2900).contains(&strict), "{strict}");
}

#[test]
fn rays_lie_in_their_beam() {
    let mut random = Random(22);
    for _ in 0..500 {
        let rays: Vec<Ray> = (0..1 + random.below(6))
            .map(|_| Ray::new(random.vector(-5.0, 5.0), random.vector(-1.0, 1.0)))
            .collect();
        let beam = Beam::from_rays(&rays).unwrap();
        let t = rational(random.range(0.0, 50.0));
        for ray in &rays {
            let point =
                std::array::from_fn(|k| rational(ray.origin[k]) + rational(ray.direction[k]) * &t);
            assert!(contains_point(&beam, &t, &point));
        }
    }
    assert_eq!(Beam::from_rays(&[]), Err(BeamError::EmptySet));
    let nan = Ray::new(Vec3::new(0.0, f32::NAN, 0.0), Vec3::X);
    let error = Beam::from_rays(&[Ray::new(Vec3::ONE, Vec3::X), nan]).unwrap_err();
    assert_eq!((error.rule(), error.axis()), ("not_finite", Some(1)));
}

/// The entry of a swept box is the time of impact, by hand: the gap over the speed.
#[test]
fn a_swept_box_arrives_on_time() {
    let mut random = Random(23);
    for _ in 0..2000 {
        let size = random.vector(0.1, 2.0);
        let start = Aabb::new(Vec3::ZERO, size);
        let (gap, speed) = (random.range(0.5, 9.0), random.range(0.1, 3.0));
        let wall = Aabb::new(Vec3::new(size.x + gap, -50.0, -50.0), Vec3::splat(100.0));
        let beam = Beam::swept(&start, Vec3::new(speed, 0.01, -0.02), 1000.0).unwrap();
        let contact = beam.contact(&wall).unwrap();
        let exact = (rational(size.x + gap) - rational(size.x)) / rational(speed);
        assert!(rational(contact.first) <= exact);
        assert!(exact <= rational(contact.first * (1.0 + 16.0 * f32::EPSILON)));
    }
}

#[test]
fn dilation_surrounds_a_ray_and_a_cone_grows() {
    let mut random = Random(24);
    for _ in 0..500 {
        let ray = Ray::new(random.vector(-90.0, 90.0), random.vector(-1.0, 1.0)).between(0.25, 8.0);
        let (e, f) = (random.range(0.0, 1e-3), random.range(0.0, 1e-2));
        let beam = Beam::cone_like(&ray, e, f).unwrap();
        assert_eq!((beam.tmin(), beam.tmax()), (0.25, 8.0));
        let t = rational(random.range(0.25, 8.0));
        for axis in 0..3 {
            let (low, high) = exact_faces(&beam, axis, &t);
            let center = rational(ray.origin[axis]) + rational(ray.direction[axis]) * &t;
            let radius = rational(e) + rational(f) * &t;
            assert!(low <= &center - &radius && &center + &radius <= high);
        }
        assert_eq!(Beam::dilated_ray(&ray, e), Beam::cone_like(&ray, e, 0.0));
    }
}

#[test]
fn each_rule_is_enforced_in_order() {
    let good = Corners {
        upper_origin: Vec3::new(1.0, 2.0, 3.0),
        lower_origin: Vec3::new(-1.0, 0.5, 3.0),
        upper_direction: Vec3::new(0.5, 0.0, -1.0),
        lower_direction: Vec3::new(-0.5, 0.0, -2.0),
        tmin: -0.0,
        tmax: f32::INFINITY,
    };
    assert_eq!(Beam::new(&good).unwrap().tmin().to_bits(), 0);
    let broken = |change: &dyn Fn(&mut Corners)| {
        let mut corners = good;
        change(&mut corners);
        let error = Beam::new(&corners).unwrap_err();
        (error.rule(), error.axis())
    };
    assert_eq!(broken(&|c| c.lower_direction.z = f32::NAN), ("not_finite", Some(2)));
    assert_eq!(broken(&|c| c.tmin = f32::INFINITY), ("not_finite", None));
    assert_eq!(broken(&|c| c.tmax = f32::NAN), ("not_finite", None));
    assert_eq!(broken(&|c| c.upper_origin.y = 1e38), ("magnitude", Some(1)));
    assert_eq!(broken(&|c| c.tmax = 2e36), ("magnitude", None));
    assert_eq!(broken(&|c| c.tmin = -1e-44), ("tmin_negative", None));
    assert_eq!(broken(&|c| c.tmax = f32::NEG_INFINITY), ("tmax_below_tmin", None));
    assert_eq!(broken(&|c| c.upper_origin.z = 2.9), ("origin_inverted", Some(2)));
    assert_eq!(broken(&|c| c.upper_direction.x = -0.6), ("direction_inverted", Some(0)));
    // One error each, the first in the order of the rules.
    assert_eq!(
        broken(&|c| {
            c.upper_direction.x = -0.6;
            c.upper_origin.z = 2.9;
            c.tmin = -1.0;
        }),
        ("tmin_negative", None)
    );
}

#[test]
fn shrinking_beams_keep_their_ends_in_order() {
    let mut random = Random(25);
    let (mut accepted, mut hits) = (0, 0);
    for _ in 0..20_000 {
        let integer = |random: &mut Random| {
            Vec3::from_array(std::array::from_fn(|_| random.below(13) as f32 - 6.0))
        };
        let (a, b) = (integer(&mut random), integer(&mut random));
        let corners = Corners {
            upper_origin: a.max(b),
            lower_origin: a.min(b),
            upper_direction: integer(&mut random),
            lower_direction: integer(&mut random),
            tmin: [0.0, 0.5][random.below(2)],
            tmax: [0.5, 1.0, 1.5, 3.0][random.below(4)],
        };
        let in_order = (0..3).all(|k| {
            let end = |o: f32, d: f32| o + corners.tmax * d;
            end(corners.upper_origin[k], corners.upper_direction[k])
                >= end(corners.lower_origin[k], corners.lower_direction[k])
        });
        let Ok(beam) = Beam::new_shrinking(&corners) else {
            assert!(!in_order);
            continue;
        };
        assert!(in_order);
        accepted += 1;
        let (a, b) = (integer(&mut random), integer(&mut random));
        let bounds = Aabb::of_points([a, b]);
        let exact = oracle::by_bounds(&corners, &bounds).is_some();
        assert_eq!(exact, oracle::by_events(&corners, &bounds).is_some());
        assert_eq!(exact, beam.decide(&bounds).is_hit(), "{corners:?} {bounds:?}");
        assert!(!exact || beam.overlap(&bounds).is_some());
        assert_eq!(beam.overlap(&bounds), beam.overlap_by_comparison(&bounds));
        hits += usize::from(exact);
    }
    assert!(accepted > 3000 && hits > 300, "{accepted} {hits}");
    let corners = Corners {
        upper_origin: Vec3::ONE,
        lower_origin: Vec3::ZERO,
        upper_direction: Vec3::ZERO,
        lower_direction: Vec3::new(0.0, 1.0, 0.0),
        tmin: 0.0,
        tmax: f32::INFINITY,
    };
    let error = Beam::new_shrinking(&corners).unwrap_err();
    assert_eq!((error.rule(), error.axis()), ("direction_inverted", Some(1)));
    let beam = Beam::new_shrinking(&Corners { tmax: 0.5, ..corners }).unwrap();
    assert!(beam.with_range(0.0, 1.0).is_ok() && beam.with_range(0.0, 1.0f32.next_up()).is_err());
}

#[test]
fn node_boxes_are_checked() {
    let rule = |min: Vec3, max: Vec3| {
        check_box(&Aabb::new(min, max)).err().map(|error| (error.rule(), error.axis()))
    };
    let inf = f32::INFINITY;
    assert_eq!(rule(Vec3::NEG_INFINITY, Vec3::INFINITY), None);
    assert_eq!(rule(Vec3::ONE, Vec3::new(2.0, f32::NAN, 0.0)), Some(("box_nan", 1)));
    assert_eq!(rule(Vec3::ONE, Vec3::new(2.0, 1.0, 0.0)), Some(("box_empty", 2)));
    assert_eq!(rule(Vec3::INFINITY, Vec3::NEG_INFINITY), Some(("box_empty", 0)));
    assert_eq!(rule(Vec3::ZERO, Vec3::new(1.0, 2e38, 1.0)), Some(("box_magnitude", 1)));
    assert_eq!(rule(Vec3::new(inf, 0.0, 0.0), Vec3::INFINITY), Some(("box_magnitude", 0)));
}

/// Whatever lies in a beam is mapped into the mapped beam.
#[test]
fn transforms_are_outward() {
    let mut random = Random(26);
    for _ in 0..1000 {
        let rows = std::array::from_fn(|_| std::array::from_fn(|_| random.range(-3.0, 3.0)));
        let transform = Transform { rows };
        let (a0, a1) = (random_box(&mut random, 2.0), random_box(&mut random, 9.0));
        let beam = Beam::from_aabbs_shrinking(&a0, &a1).unwrap();
        let moved = transform.beam(&beam).unwrap();
        let t = rational(random.range(0.0, 1.0));
        for corner in 0..8 {
            let point: [BigRational; 3] = std::array::from_fn(|k| {
                let (low, high) = exact_faces(&beam, k, &t);
                if corner >> k & 1 == 1 { high } else { low }
            });
            let image = transform.rows.map(|row| {
                let linear = (0..3).map(|k| rational(row[k]) * &point[k]);
                linear.fold(rational(row[3]), |sum, term| sum + term)
            });
            assert!(contains_point(&moved, &t, &image));
        }
        assert_eq!(Transform::IDENTITY.beam(&beam), Ok(beam));
    }
}
