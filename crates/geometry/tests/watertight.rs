//! The watertight rule against a closed mesh and against exact arithmetic.

use crate::closed_mesh;

use closed_mesh::closed_mesh;
use geometry::random::Random;
use geometry::{Ray, Triangle, TriangleRule, Vec3, exact, triangle_hit};
use num_traits::ToPrimitive;

/// A point of a shared edge, or one of its ends.
fn edge_point(random: &mut Random, triangle: &Triangle) -> Vec3 {
    let corner = random.below(3);
    let (a, b) = (triangle.vertices[corner], triangle.vertices[(corner + 1) % 3]);
    match random.below(4) {
        0 => a,
        1 => a * 0.5 + b * 0.5,
        _ => a + (b - a) * random.range(0.0, 1.0),
    }
}

/// A million rays from inside a closed mesh, aimed at its edges and corners: each must hit, by the
/// full definition of a hit, whatever the scale and wherever the origin of coordinates lies.
#[test]
fn no_ray_slips_through_shared_edges() {
    let mut random = Random(11);
    let mut slipped_moller_trumbore = 0;
    for (center, radius) in [
        (Vec3::new(0.3, -0.2, 0.1), 1.0),
        (Vec3::new(500.0, -300.0, 1000.0), 3.0),
        (Vec3::new(-2e-4, 1e-4, 5e-5), 1e-3),
        (Vec3::new(1e5, 2e5, -3e5), 7e4),
        (Vec3::new(1e-20, 3e-20, -2e-20), 1e-19),
    ] {
        let mesh = closed_mesh(1, center, radius);
        for _ in 0..200_000 {
            let aimed_at = random.below(mesh.len());
            let target = edge_point(&mut random, &mesh[aimed_at]);
            let origin = center + random.vector(-0.3, 0.3) * radius;
            let scale = [1.0, 1e-3, 37.0][random.below(3)];
            let ray = Ray::new(origin, (target - origin) * scale);
            let hits = |rule| mesh.iter().any(|t| triangle_hit(rule, &ray, t).is_some());
            assert!(hits(TriangleRule::Watertight), "slipped through: {ray:?}");
            slipped_moller_trumbore += usize::from(!hits(TriangleRule::MollerTrumbore));
        }
    }
    // The aim is good enough to matter: the other rule does lose rays.
    assert!(slipped_moller_trumbore > 100, "{slipped_moller_trumbore}");
}

/// Axis-parallel rays in the planes of faces and along edges of an axis-aligned closed box.
#[test]
fn rays_in_face_planes_of_a_box() {
    let (low, high) = (Vec3::new(-1.5, 0.25, 3.0), Vec3::new(2.0, 1.75, 8.5));
    let corner = |i: usize| {
        let pick = |k: usize| if i >> k & 1 == 1 { high[k] } else { low[k] };
        Vec3::new(pick(0), pick(1), pick(2))
    };
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let mesh: Vec<Triangle> = quads
        .iter()
        .flat_map(|&[a, b, c, d]| {
            [
                Triangle::new(corner(a), corner(b), corner(c)),
                Triangle::new(corner(a), corner(c), corner(d)),
            ]
        })
        .collect();
    let mut random = Random(5);
    for _ in 0..10_000 {
        let axis = random.below(3);
        let mut direction = Vec3::ZERO;
        direction[axis] = if random.below(2) == 0 { 1.0 } else { -1.0 };
        let mut origin = random.vector(0.0, 1.0) * (high - low) + low;
        for k in 0..3 {
            // Half of the rays run inside a face plane or along an edge.
            if k != axis && random.below(2) == 0 {
                origin[k] = if random.below(2) == 0 { low[k] } else { high[k] };
            }
        }
        origin[axis] = low[axis] * 0.5 + high[axis] * 0.5;
        let ray = Ray::new(origin, direction);
        let hit = mesh.iter().any(|t| triangle_hit(TriangleRule::Watertight, &ray, t).is_some());
        assert!(hit, "{ray:?}");
    }
}

/// How far t may be off: the corners move by a few u of the reach, which tilts a thin triangle's
/// plane by that over its height, and a plane seen edge-on turns an offset into a long way along
/// the ray.
fn tolerance(ray: &Ray, triangle: &Triangle) -> f64 {
    let [a, b, c] = triangle.vertices;
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    let normal = triangle.scaled_normal();
    let reach = geometry::slab::reach(ray.origin, &triangle.bounds());
    let tilt = reach * longest / normal.length();
    let edge_on = normal.normalize().dot(ray.direction).abs();
    f64::from(8.0 * f32::EPSILON * reach * tilt.max(1.0) / edge_on)
}

/// Both rules agree with exact arithmetic away from edges, and t is accurate.
#[test]
fn rules_agree_with_exact_arithmetic() {
    let mut random = Random(23);
    let mut hits = 0;
    for _ in 0..20_000 {
        let vertices = std::array::from_fn(|_| random.vector(-2.0, 3.0));
        let triangle = Triangle { vertices };
        let (origin, target) = (random.vector(-5.0, 5.0), random.vector(-1.0, 2.0));
        let ray = Ray::new(origin, (target - origin) * random.range(0.1, 3.0));
        let truth = exact::line_triangle(&ray, &triangle);
        let inner = |x: f64| (1e-4..=1.0 - 1e-4).contains(&x);
        let clear = match &truth {
            Some(hit) => {
                let (u, v) = (hit.u.to_f64().unwrap(), hit.v.to_f64().unwrap());
                inner(u) && inner(v) && inner(1.0 - u - v) && hit.t.to_f64().unwrap() > 1e-3
            }
            None => false,
        };
        for rule in TriangleRule::ALL {
            let raw = rule.intersect(&ray, &triangle);
            if clear {
                hits += 1;
                let (truth, raw) = (truth.as_ref().unwrap(), raw.expect("a clear hit"));
                let t = truth.t.to_f64().unwrap();
                let error = (f64::from(raw.t) - t).abs();
                assert!(error < tolerance(&ray, &triangle), "{rule}: {raw:?} {t}");
                assert_eq!(raw.front, truth.front);
            } else if let Some(raw) = raw {
                // A computed hit that is none in truth lies within rounding of an edge or of t = 0.
                let slack = 1e-3;
                let at_edge = raw.u < slack || raw.v < slack || raw.u + raw.v > 1.0 - slack;
                assert!(at_edge || raw.t < 2e-3, "{rule}: {ray:?} {triangle:?} {raw:?}");
            }
        }
    }
    assert!(hits > 500, "{hits}");
}

/// On small integers every product is exact, so the Möller-Trumbore rule *is* exact arithmetic up
/// to the final divisions.
#[test]
fn moller_trumbore_is_exact_on_small_integers() {
    let mut random = Random(77);
    let mut hits = 0;
    for _ in 0..30_000 {
        let mut point = || Vec3::from_array(std::array::from_fn(|_| random.below(17) as f32 - 8.0));
        let triangle = Triangle::new(point(), point(), point());
        let (origin, direction) = (point(), point());
        if direction == Vec3::ZERO {
            continue;
        }
        let ray = Ray::new(origin, direction);
        let raw = TriangleRule::MollerTrumbore.intersect(&ray, &triangle);
        let truth = exact::line_triangle(&ray, &triangle).filter(|h| h.t >= exact::rational(0.0));
        // u + v <= 1 is decided after rounding the quotients, so ask only where it is not a tie.
        if let Some(truth) = truth {
            let sum = (&truth.u + &truth.v).to_f64().unwrap();
            if sum < 1.0 - 1e-6 {
                let raw = raw.expect("an exact hit");
                assert_eq!(raw.t, truth.t.to_f64().unwrap() as f32);
                assert_eq!(raw.u, truth.u.to_f64().unwrap() as f32);
                hits += 1;
            }
        } else {
            assert_eq!(raw, None);
        }
    }
    assert!(hits > 1000, "{hits}");
}
