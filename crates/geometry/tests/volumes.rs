//! Spheres and frusta against rational arithmetic.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use geometry::beam::Contact;
use geometry::exact::{ExactVec3, rational, vector};
use geometry::random::Random;
use geometry::volume::Body;
use geometry::{Aabb, Frustum, Sphere, Transform, Triangle, Vec3, Volume};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

type Rational = BigRational;

fn sub(a: &ExactVec3, b: &ExactVec3) -> ExactVec3 {
    std::array::from_fn(|k| &a[k] - &b[k])
}

fn dot(a: &ExactVec3, b: &ExactVec3) -> Rational {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn along(a: &ExactVec3, d: &ExactVec3, t: &Rational) -> ExactVec3 {
    std::array::from_fn(|k| &a[k] + &d[k] * t)
}

/// The squared distance of a point and a segment: the projection, clamped.
fn to_segment(p: &ExactVec3, a: &ExactVec3, b: &ExactVec3) -> Rational {
    let (ab, ap) = (sub(b, a), sub(p, a));
    let length = dot(&ab, &ab);
    let share = if length.is_zero() {
        Rational::zero()
    } else {
        (dot(&ap, &ab) / length).max(Rational::zero()).min(Rational::one())
    };
    let away = sub(p, &along(a, &ab, &share));
    dot(&away, &away)
}

/// The squared distance of a point and a triangle: its plane by a Gram determinant where the foot
/// has three weights that are not negative, else the nearest edge.
fn to_triangle(p: &ExactVec3, [a, b, c]: &[ExactVec3; 3]) -> Rational {
    let edges = [(a, b), (b, c), (c, a)].map(|(from, to)| to_segment(p, from, to));
    let nearest = edges.into_iter().min().unwrap();
    let (u, v, w) = (sub(b, a), sub(c, a), sub(p, a));
    let (uu, uv, vv, wu, wv) = (dot(&u, &u), dot(&u, &v), dot(&v, &v), dot(&w, &u), dot(&w, &v));
    let gram = &uu * &vv - &uv * &uv;
    if gram.is_zero() {
        return nearest;
    }
    let (s, t) = ((&vv * &wu - &uv * &wv) / &gram, (&uu * &wv - &uv * &wu) / &gram);
    if s.is_negative() || t.is_negative() || &s + &t > Rational::one() {
        return nearest;
    }
    let away = sub(p, &along(&along(a, &u, &s), &v, &t));
    dot(&away, &away)
}

fn det(a: &ExactVec3, b: &ExactVec3, c: &ExactVec3) -> Rational {
    let cross: ExactVec3 = std::array::from_fn(|k| {
        &b[(k + 1) % 3] * &c[(k + 2) % 3] - &b[(k + 2) % 3] * &c[(k + 1) % 3]
    });
    dot(a, &cross)
}

/// The solution of `x a + y b + z c = p`, by Cramer's rule.
fn solution([a, b, c]: &[ExactVec3; 3], p: &ExactVec3) -> ExactVec3 {
    let whole = det(a, b, c);
    [det(p, b, c) / &whole, det(a, p, c) / &whole, det(a, b, p) / &whole]
}

/// Where a point of the space that a map leads to lies in the world.
fn preimage(map: Option<&Transform>, v: Vec3) -> ExactVec3 {
    let Some(map) = map else { return vector(v) };
    let column = |k: usize| -> ExactVec3 { map.rows.map(|row| rational(row[k])) };
    solution(&[column(0), column(1), column(2)], &sub(&vector(v), &column(3)))
}

fn corners(map: Option<&Transform>, triangle: &Triangle) -> [ExactVec3; 3] {
    triangle.vertices.map(|vertex| preimage(map, vertex))
}

/// The surface of a box, as triangles.
fn surface(bounds: &Aabb) -> Vec<Triangle> {
    let c = bounds.corners();
    let faces =
        [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    let halves = |[a, b, d, e]: [usize; 4]| {
        [Triangle::new(c[a], c[b], c[d]), Triangle::new(c[a], c[d], c[e])]
    };
    faces.into_iter().flat_map(halves).collect()
}

/// Whether a point of the world lies in a box of the space that a map leads to.
fn is_inside(map: Option<&Transform>, p: &ExactVec3, bounds: &Aabb) -> bool {
    let moved: ExactVec3 = map.map_or(p.clone(), |map| {
        map.rows.map(|[x, y, z, w]| dot(&[x, y, z].map(rational), p) + rational(w))
    });
    let (min, max) = (vector(bounds.min), vector(bounds.max));
    (0..3).all(|k| min[k] <= moved[k] && moved[k] <= max[k])
}

fn to_box(map: Option<&Transform>, p: &ExactVec3, bounds: &Aabb) -> Rational {
    if is_inside(map, p, bounds) {
        return Rational::zero();
    }
    let faces = surface(bounds);
    faces.iter().map(|face| to_triangle(p, &corners(map, face))).min().unwrap()
}

/// Nothing, or a map that turns, shears, mirrors and moves, of small whole numbers or of any.
fn map(random: &mut Random) -> Option<Transform> {
    let whole = random.one_in(2);
    let mut entry = || {
        let x = random.range(-3.0, 3.0);
        if whole { x.round() } else { x }
    };
    let map = Transform { rows: std::array::from_fn(|_| std::array::from_fn(|_| entry())) };
    (map.inverse().is_ok() && random.one_in(2)).then_some(map)
}

/// First and last `t` of a system `a t + b x + c y >= d` by Fourier-Motzkin elimination of all but
/// `t`: independent of axes that separate.
fn range_of_first(mut system: Vec<[Rational; 4]>) -> Option<(Rational, Rational)> {
    for eliminated in [2, 1] {
        let (mut below, mut above, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for row in system {
            let factor = row[eliminated].clone();
            let scaled = |by: Rational| row.clone().map(|x| x / &by);
            if factor.is_zero() {
                rest.push(row);
            } else if factor.is_positive() {
                below.push(scaled(factor));
            } else {
                above.push(scaled(-factor));
            }
        }
        for low in &below {
            rest.extend(above.iter().map(|high| std::array::from_fn(|k| &low[k] + &high[k])));
        }
        system = rest;
    }
    let (mut first, mut last): (Option<Rational>, Option<Rational>) = (None, None);
    for [a, _, _, d] in system {
        if a.is_zero() {
            if d.is_positive() {
                return None;
            }
        } else if a.is_positive() {
            let bound = d / a;
            first = Some(first.map_or(bound.clone(), |first| first.max(bound)));
        } else {
            let bound = d / a;
            last = Some(last.map_or(bound.clone(), |last| last.min(bound)));
        }
    }
    let (first, last) = (first.unwrap(), last.unwrap());
    (first <= last).then_some((first, last))
}

/// The depths at which a triangle lies in a frustum: of its points `corner + x e1 + y e2` with `x`,
/// `y >= 0` and `x + y <= 1`, given as `eye + t forward + a right + b up`.
fn exact_depths(frustum: &Frustum, corners: &[ExactVec3; 3]) -> Option<(Rational, Rational)> {
    let directions = [frustum.forward, frustum.right, frustum.up].map(vector);
    let eye = vector(frustum.eye);
    let [v0, v1, v2] = corners.each_ref().map(|v| solution(&directions, &sub(v, &eye)));
    let (e1, e2) = (sub(&v1, &v0), sub(&v2, &v0));
    let (one, zero) = (Rational::one(), Rational::zero());
    // t - (v0.t + x e1.t + y e2.t) = 0, as two inequalities; then |a| <= t and |b| <= t.
    let mut system = Vec::new();
    for sign in [one.clone(), -one.clone()] {
        system.push([sign.clone(), -&e1[0] * &sign, -&e2[0] * &sign, &v0[0] * &sign]);
        for k in [1, 2] {
            let row = [one.clone(), &e1[k] * &sign, &e2[k] * &sign, -&v0[k] * &sign];
            system.push(row);
        }
    }
    system.push([zero.clone(), one.clone(), zero.clone(), zero.clone()]);
    system.push([zero.clone(), zero.clone(), one.clone(), zero.clone()]);
    system.push([zero.clone(), -one.clone(), -one.clone(), -one.clone()]);
    system.push([one.clone(), zero.clone(), zero.clone(), rational(frustum.near)]);
    let far = if frustum.far.is_finite() { frustum.far } else { f32::MAX };
    system.push([-one, zero.clone(), zero, -rational(far)]);
    range_of_first(system)
}

fn is_just_below(bound: f32, exact: &Rational) -> bool {
    rational(bound) <= *exact && *exact < rational(bound.next_up().next_up())
}

/// Triangles of any kind, with small whole coordinates among them.
fn triangle(random: &mut Random) -> Triangle {
    let whole = random.one_in(2);
    let mut point = |scale: f32| {
        let v = random.vector(-scale, scale);
        if whole { v.round() } else { v }
    };
    let corner = point(4.0);
    let (e1, e2) = (point(3.0), point(3.0));
    match random.below(8) {
        0 => Triangle::new(corner, corner + e1, corner + e1 * 2.0),
        1 => Triangle::new(corner, corner, corner + e2),
        2 => Triangle::new(corner, corner, corner),
        _ => Triangle::new(corner, corner + e1, corner + e2),
    }
}

#[test]
fn spheres_meet_what_is_not_farther() {
    let mut random = Random(31);
    let (mut met, mut touched) = ([0; 2], [0; 2]);
    for _ in 0..1500 {
        let (triangle, map) = (triangle(&mut random), map(&mut random));
        let bounds = triangle.bounds();
        let center = random.vector(-5.0, 5.0);
        let center = if random.one_in(2) { center.round() } else { center };
        let exact = [
            to_triangle(&vector(center), &corners(map.as_ref(), &triangle)),
            to_box(map.as_ref(), &vector(center), &bounds),
        ];
        let near = geometry::exact::approximately(&exact[random.below(2)]).sqrt() as f32;
        let radius = match random.below(4) {
            0 => near,
            1 => near.next_up(),
            2 => near.next_down().max(0.0),
            _ => random.range(0.0, 6.0),
        };
        let sphere = Volume::from(Sphere { center, radius });
        let squared = rational(radius) * rational(radius);
        let bodies = [Body::Triangle(&triangle), Body::Box(&bounds)];
        for (kind, (exact, body)) in exact.iter().zip(bodies).enumerate() {
            let contact = sphere.contact(body, map.as_ref());
            assert_eq!(contact.is_some(), *exact <= squared, "{sphere:?} {body:?} {map:?}");
            touched[kind] += usize::from(*exact == squared);
            let Some(Contact { first, last }) = contact else { continue };
            let [down, up] = [first, first.next_up()].map(|x| rational(x) * rational(x));
            assert!(down <= *exact && *exact < up, "{sphere:?} {body:?} {map:?}");
            assert_eq!(last, radius);
            met[kind] += 1;
            // The beam around it misses nothing.
            let beam = sphere.beam().unwrap();
            let beam = map.map_or(beam, |map| map.beam(&beam).unwrap());
            assert!(beam.contact(&bounds).unwrap().first <= first, "{sphere:?} {body:?} {map:?}");
        }
    }
    assert!(met.into_iter().all(|met| met > 400), "{met:?}");
    assert!(touched.into_iter().all(|touched| touched > 2), "{touched:?}");
}

fn frustum(random: &mut Random, triangle: &Triangle) -> Frustum {
    let whole = random.one_in(2);
    let mut point = |scale: f32| {
        let v = random.vector(-scale, scale);
        if whole { v.round() } else { v }
    };
    let (eye, right, up, ahead) = (point(5.0), point(2.0), point(2.0), point(3.0));
    let target = triangle.vertices[0] - eye;
    let forward = match random.below(4) {
        0 => target,
        1 => target - right,
        2 => target - right - up,
        _ => ahead,
    };
    let near = [0.0, 0.5, 1.0][random.below(3)];
    let far = [1.0, 2.0, f32::INFINITY][random.below(3)];
    Frustum { eye, forward, right, up, near, far }
}

#[test]
fn frusta_meet_what_elimination_says() {
    let mut random = Random(32);
    let (mut met, mut missed) = ([0; 2], [0; 2]);
    while missed[0] < 250 {
        let (triangle, map) = (triangle(&mut random), map(&mut random));
        let bounds = triangle.bounds();
        let frustum = frustum(&mut random, &triangle);
        let volume = Volume::from(frustum);
        let Ok(beam) = volume.beam() else { continue };
        let depths = |triangle| exact_depths(&frustum, &corners(map.as_ref(), triangle));
        let contact = volume.contact(Body::Triangle(&triangle), map.as_ref());
        let exact = depths(&triangle);
        assert_eq!(contact.is_some(), exact.is_some(), "{frustum:?} {triangle:?} {map:?}");
        // A box is met if its surface is, or if all of the frustum lies inside.
        let surface = surface(&bounds);
        let mut depths = surface.iter().filter_map(depths);
        let near = rational(frustum.near);
        let near = along(&vector(frustum.eye), &vector(frustum.forward), &near);
        let is_met = is_inside(map.as_ref(), &near, &bounds) || depths.next().is_some();
        let around = volume.contact(Body::Box(&bounds), map.as_ref());
        assert_eq!(around.is_some(), is_met, "{frustum:?} {bounds:?} {map:?}");
        for (kind, contact) in [contact, around].into_iter().enumerate() {
            met[kind] += usize::from(contact.is_some());
            missed[kind] += usize::from(contact.is_none());
            let Some(contact) = contact else { continue };
            let beam = map.map_or(beam, |map| map.beam(&beam).unwrap());
            let by_beam = beam.contact(&bounds).unwrap();
            assert!(by_beam.first <= contact.first, "{frustum:?} {bounds:?} {map:?}");
        }
        if let (Some(contact), Some((first, last))) = (contact, exact) {
            assert!(is_just_below(contact.first, &first), "{frustum:?} {triangle:?} {map:?}");
            assert!(rational(contact.last.min(f32::MAX)) >= last, "{frustum:?} {triangle:?}");
            assert!(rational(around.unwrap().first) <= first, "{frustum:?} {triangle:?} {map:?}");
        }
    }
    assert!(met[0] > 100 && met[1] > 120 && missed[1] > 80, "{met:?} {missed:?}");
}

#[test]
fn extremes_are_decided_too() {
    for scale in [-100, -40, 0, 40, 100].map(|power| 2f32.powi(power)) {
        let at = |x: f32, y: f32, z: f32| Vec3::new(x, y, z) * scale;
        let triangle = Triangle::new(at(3.0, 0.0, 4.0), at(4.0, 0.0, 4.0), at(3.0, 1.0, 4.0));
        let meets = |volume: Volume| volume.contact(Body::Triangle(&triangle), None);
        let sphere = Sphere { center: Vec3::ZERO, radius: 5.0 * scale };
        assert!(meets(sphere.into()).is_some(), "{scale}");
        let shy = Sphere { radius: (5.0 * scale) * (1.0 - 1e-6), ..sphere };
        assert!(meets(shy.into()).is_none(), "{scale}");
        let frustum = Frustum {
            eye: Vec3::ZERO,
            forward: at(0.0, 0.0, 1.0),
            right: at(0.75, 0.0, 0.0),
            up: at(0.0, 0.5, 0.0),
            near: 0.0,
            far: 100.0,
        };
        let contact = meets(frustum.into()).unwrap();
        assert!((contact.first - 4.0).abs() < 1e-5, "{scale}: {contact:?}");
        let narrow = Frustum { right: frustum.right * 0.999, ..frustum };
        assert!(meets(narrow.into()).is_none(), "{scale}");
    }
}

/// Numbers that leave every product outside of the range of `f64`.
#[test]
fn no_size_is_too_small_or_too_large() {
    for power in [-140, -100, 100, 116] {
        let scale = 2f32.powi(power / 2).powi(2);
        let at = |x: f32, y: f32, z: f32| Vec3::new(x, y, z) * scale;
        // The foot of the origin is (8, 8, 8) / 3, inside, at a distance of 8 / sqrt 3.
        let triangle = Triangle::new(at(8.0, 0.0, 0.0), at(0.0, 8.0, 0.0), at(0.0, 0.0, 8.0));
        let rows = [[scale, 0.0, 0.0, 0.0], [0.0, scale, 0.0, 0.0], [0.0, 0.0, scale, 0.0]];
        let unit = Triangle { vertices: triangle.vertices.map(|vertex| vertex / scale) };
        let placed = [(triangle, None, scale), (triangle, Some(Transform { rows }), 1.0)];
        for (triangle, map, size) in placed {
            for (radius, is_met) in [(4.618_802_5, true), (4.618_801, false)] {
                let sphere = Volume::from(Sphere { center: Vec3::ZERO, radius: radius * size });
                let contact = sphere.contact(Body::Triangle(&triangle), map.as_ref());
                let plain = Volume::from(Sphere { center: Vec3::ZERO, radius });
                let expected = plain.contact(Body::Triangle(&unit), None);
                assert_eq!(expected.is_some(), is_met);
                let expected = expected.map(|expected| expected.first * size);
                if size >= f32::MIN_POSITIVE / f32::EPSILON {
                    assert_eq!(contact.map(|contact| contact.first), expected, "2^{power}");
                }
            }
        }
    }
}

#[test]
fn what_is_no_volume_is_refused() {
    let error = |volume: Volume| volume.beam().unwrap_err().to_string();
    let good = Sphere { center: Vec3::ONE, radius: 1.0 };
    assert!(good.beam().is_ok() && Sphere { radius: 0.0, ..good }.beam().is_ok());
    let spheres = [
        (Sphere { radius: -1.0, ..good }, "negative: radius is -1"),
        (Sphere { radius: f32::INFINITY, ..good }, "not_finite: radius is inf"),
        (Sphere { radius: f32::NAN, ..good }, "not_finite: radius is NaN"),
        (Sphere { center: Vec3::NAN, ..good }, "not_finite: center is NaN"),
    ];
    for (sphere, message) in spheres {
        assert_eq!(error(sphere.into()), message);
    }
    let large = Sphere { radius: f32::MAX, ..good };
    assert!(error(large.into()).starts_with("magnitude: tmax is 3.4"));
    let (forward, right, up) = (Vec3::Z, Vec3::X, Vec3::Y);
    let good = Frustum { eye: Vec3::ZERO, forward, right, up, near: 0.0, far: 9.0 };
    assert!(good.beam().is_ok() && Frustum { far: f32::INFINITY, ..good }.beam().is_ok());
    let flat = "flat: forward, right and up lie in a plane";
    let frusta = [
        (Frustum { up: Vec3::X * 3.0, ..good }, flat),
        (Frustum { forward: Vec3::X - Vec3::Y, ..good }, flat),
        (Frustum { near: 2.0, far: 1.0, ..good }, "inverted: far is 1, near is 2"),
        (Frustum { near: -2.0, ..good }, "negative: near is -2"),
        (Frustum { near: f32::INFINITY, far: f32::INFINITY, ..good }, "not_finite: near is inf"),
        (Frustum { far: f32::NAN, ..good }, "not_finite: far is NaN"),
        (Frustum { eye: Vec3::NAN, ..good }, "not_finite: eye is NaN"),
        (Frustum { right: Vec3::X * f32::INFINITY, ..good }, "not_finite: right is inf"),
    ];
    for (frustum, message) in frusta {
        assert_eq!(error(frustum.into()), message);
    }
}

/// What is not there is not met; what has no end is, as far as floats go.
#[test]
fn odd_bodies() {
    let sphere = Volume::from(Sphere { center: Vec3::ONE, radius: 9.0 });
    let broken = Triangle::new(Vec3::ZERO, Vec3::NAN, Vec3::X);
    assert!(sphere.contact(Body::Triangle(&broken), None).is_none());
    assert!(sphere.contact(Body::Box(&Aabb::EMPTY), None).is_none());
    let open = Aabb::new(Vec3::splat(f32::NEG_INFINITY), Vec3::new(0.0, f32::INFINITY, -3.0));
    let contact = sphere.contact(Body::Box(&open), None).unwrap();
    assert_eq!(contact.first, 17f32.sqrt());
}
