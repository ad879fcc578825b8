//! The slab test against exact arithmetic: never a false miss, monotone, wide enough for triangles.

use geometry::random::Random;
use geometry::slab::{self, SlabRay};
use geometry::{Aabb, Ray, Transform, Triangle, TriangleRule, Vec3, exact, triangle_hit};

const UNBOUNDED: f32 = f32::INFINITY;

fn plain_interval(ray: &Ray, bounds: &Aabb) -> Option<slab::Interval> {
    SlabRay::dilated(ray, 0.0).interval(bounds, ray.tmin, ray.tmax)
}

/// Generators after `beam.md`, section 9: uniform (g0), small integers with zeros (g2), grazing
/// corners (g1, g3), extreme exponents (gx).
fn random_case(random: &mut Random, generator: usize) -> (Ray, Aabb) {
    let small = |random: &mut Random| {
        Vec3::from_array(std::array::from_fn(|_| random.below(25) as f32 - 12.0))
    };
    let (a, b, origin, direction) = match generator {
        0 => (
            random.vector(-4.0, 4.0),
            random.vector(-4.0, 4.0),
            random.vector(-1.0, 1.0),
            random.vector(-1.0, 1.0),
        ),
        1 => (small(random), small(random), small(random), small(random)),
        2 => {
            // A corner of the box is the target, up to rounding.
            let (a, b, origin) =
                (random.vector(-4.0, 4.0), random.vector(-4.0, 4.0), random.vector(-9.0, 9.0));
            let bounds = Aabb::of_points([a, b]);
            let corner = bounds.corners()[random.below(8)];
            let factor = 1.0 / [3.0, 5.0, 7.0, 11.0, 13.0, 19.0, 23.0][random.below(7)];
            return (Ray::new(origin, (corner - origin) * factor), bounds);
        }
        _ => {
            let scale = 2f32.powi(random.below(121) as i32 - 60);
            let tilt = 2f32.powi(random.below(81) as i32 - 40);
            let (a, b, origin) =
                (random.vector(-4.0, 4.0), random.vector(-4.0, 4.0), random.vector(-9.0, 9.0));
            let aim = (random.vector(-4.0, 4.0) - origin) * tilt;
            return (Ray::new(origin * scale, aim), Aabb::of_points([a * scale, b * scale]));
        }
    };
    let ray = Ray::new(origin, direction);
    let ray = if random.below(2) == 0 {
        ray
    } else {
        ray.between(random.range(0.0, 1.0), random.range(1.0, 9.0))
    };
    (ray, Aabb::of_points([a, b]))
}

#[test]
fn no_exact_hit_is_missed() {
    let mut random = Random(2);
    for generator in 0..4 {
        let (mut hits, mut false_hits) = (0, 0);
        for _ in 0..15_000 {
            let (ray, bounds) = random_case(&mut random, generator);
            if ray.direction == Vec3::ZERO {
                continue;
            }
            let computed = plain_interval(&ray, &bounds).is_some();
            match exact::ray_box(&ray, &bounds) {
                Some(_) => {
                    hits += 1;
                    assert!(computed, "missed: {ray:?} {bounds:?}");
                }
                None => false_hits += usize::from(computed),
            }
        }
        assert!(hits > 1000, "generator {generator}: {hits} hits");
        // Only rays aimed at corners may see boxes that they do not touch.
        assert!(generator == 2 || false_hits < 5, "generator {generator}: {false_hits} false hits");
    }
}

/// `C = 1 + 2 eps` is refuted by this valid query (`beam.md`, section 5); `1 + 4 eps` holds.
#[test]
fn the_constant_is_needed() {
    let f = f32::from_bits;
    let ray = Ray::new(
        Vec3::new(f(0xba1f_dc00), f(0xba8d_91f0), 0.0),
        Vec3::new(f(0x3fe8_dea4), f(0x3fe9_157c), 0.0),
    );
    let bounds =
        Aabb::new(Vec3::new(f(0x3f80_085a), -9.0, -1.0), Vec3::new(100.0, f(0x3f80_171d), 1.0));
    assert!(exact::ray_box(&ray, &bounds).is_some());
    let interval = plain_interval(&ray, &bounds).unwrap();
    assert_eq!(interval.enter.to_bits(), 0x3f0c_d5e9);
    let unwidened = f(0x3f0c_d5e6);
    assert_eq!(interval.exit, slab::widen(unwidened));
    assert!(interval.enter > unwidened * f(0x3f80_0002), "1 + 2 eps would miss");
}

/// The interval of a box contains that of every box inside it, for every reach that is not smaller.
#[test]
fn intervals_are_monotone() {
    let mut random = Random(3);
    let mut nested = 0;
    for case in 0..200_000 {
        let (ray, inner) = random_case(&mut random, case % 4);
        let outer =
            inner.with_point(inner.center() + random.vector(-3.0, 3.0) * inner.extent().length());
        let own = SlabRay::new(&ray, slab::reach(ray.origin, &inner));
        let parent = SlabRay::new(&ray, slab::reach(ray.origin, &outer));
        if let Some(small) = own.interval(&inner, 0.0, UNBOUNDED) {
            let large = parent.interval(&outer, 0.0, UNBOUNDED).expect("the outer box is met too");
            assert!(large.enter <= small.enter && small.exit <= large.exit);
            nested += 1;
        }
    }
    assert!(nested > 20_000, "{nested}");
}

#[test]
fn rays_in_a_face_plane_touch() {
    let bounds = Aabb::new(Vec3::new(1.0, 2.0, -3.0), Vec3::new(4.0, 6.0, 5.0));
    for y in [2.0, 6.0] {
        for zero in [0.0, -0.0] {
            let ray = Ray::new(Vec3::new(-2.0, y, 0.0), Vec3::new(1.0, zero, zero));
            let interval = plain_interval(&ray, &bounds).unwrap();
            assert_eq!(interval.enter, 3.0);
        }
    }
    let beside = Ray::new(Vec3::new(-2.0, 6.0f32.next_up(), 0.0), Vec3::new(1.0, 0.0, 0.0));
    assert_eq!(plain_interval(&beside, &bounds), None);
    assert_eq!(plain_interval(&beside.between(0.0, 10.0), &bounds), None);
}

/// Directions too small to divide by are snapped outward; the box is still met.
#[test]
fn denormal_directions() {
    let bounds = Aabb::new(Vec3::new(1.0, 2.0, -3.0), Vec3::new(4.0, 6.0, 5.0));
    for tiny in [1e-40f32, -1e-40, f32::from_bits(1), -f32::MIN_POSITIVE] {
        let through = Ray::new(Vec3::new(-2.0, 4.0, 0.0), Vec3::new(1.0, tiny, -tiny));
        assert!(plain_interval(&through, &bounds).is_some());
        let beside = Ray::new(Vec3::new(-2.0, 7.0, 0.0), Vec3::new(1.0, tiny, tiny));
        assert_eq!(plain_interval(&beside.between(0.0, 1e6), &bounds), None);
    }
}

/// Every triangle that the watertight rule accepts meets its own dilated box (B-9): origins near
/// and far, triangles small, huge, axis-aligned and seen edge-on.
#[test]
fn accepted_triangles_meet_their_own_boxes() {
    let mut random = Random(4);
    let mut accepted = 0;
    for _ in 0..1_500_000 {
        let scale = [1e-3, 1.0, 100.0, 1e4][random.below(4)];
        let mut vertices = [0; 3].map(|_| random.vector(-1.0, 1.0) * scale);
        if random.below(3) == 0 {
            let axis = random.below(3);
            vertices[1][axis] = vertices[0][axis];
            vertices[2][axis] = vertices[0][axis];
        }
        let triangle = Triangle { vertices };
        let [a, b, c] = vertices;
        let (r, s) = (random.range(0.0, 1.0), random.range(0.0, 1.0));
        let target = match random.below(4) {
            0 => a,
            1 => a + (b - a) * r,
            2 => a + (b - a) * (r * s) + (c - a) * (r * (1.0 - s)),
            _ => b * 0.5 + c * 0.5,
        };
        let along = (b - a) * random.range(-2.0, 2.0) + (c - a) * random.range(-2.0, 2.0);
        let origin = match random.below(3) {
            0 => random.vector(-8.0, 8.0) * scale,
            1 => a + along + random.vector(-1e-6, 1e-6) * scale,
            _ => target + random.vector(-0.01, 0.01) * scale,
        };
        let ray = Ray::new(origin, target - origin);
        if TriangleRule::Watertight.intersect(&ray, &triangle).is_some() {
            accepted += 1;
            let bounds = triangle.bounds();
            let slabs = SlabRay::new(&ray, slab::reach(origin, &bounds));
            assert!(slabs.interval(&bounds, 0.0, UNBOUNDED).is_some(), "{ray:?} {triangle:?}");
        }
    }
    assert!(accepted > 300_000, "{accepted}");
}

/// The reported t lies within a few u of the interval of one half of a split triangle: what spatial
/// splits rely on.
#[test]
fn hits_lie_in_a_part_of_a_split_triangle() {
    let mut random = Random(6);
    let (mut hits, mut edge_on) = (0, 0);
    for _ in 0..600_000 {
        let stretch = [1.0, 100.0][random.below(2)];
        let vertices = [0; 3].map(|_| random.vector(-1.0, 1.0) * Vec3::new(stretch, 1.0, 1.0));
        let triangle = Triangle { vertices };
        let [a, b, c] = vertices;
        let target = a + (b - a) * random.range(0.0, 0.5) + (c - a) * random.range(0.0, 0.5);
        let grazing = random.below(2) == 0;
        let origin = if grazing {
            a + (b - a) * random.range(-3.0, 3.0)
                + (c - a) * random.range(-3.0, 3.0)
                + random.vector(-1e-6, 1e-6)
        } else {
            random.vector(-4.0, 4.0)
        };
        let ray = Ray::new(origin, target - origin);
        let Some(hit) = triangle_hit(TriangleRule::Watertight, &ray, &triangle) else { continue };
        hits += 1;
        edge_on += usize::from(grazing);
        let bounds = triangle.bounds();
        let plane = bounds.min.x + (bounds.max.x - bounds.min.x) * random.range(0.1, 0.9);
        let halves = split_at_x(&triangle, plane);
        let slabs = SlabRay::new(&ray, slab::reach(origin, &bounds));
        let reached = halves.iter().any(|half| {
            slabs
                .interval(half, (hit.t * (2.0 - slab::EXIT_SCALE)).next_down(), slab::widen(hit.t))
                .is_some()
        });
        assert!(reached, "{ray:?} {triangle:?} {hit:?} {plane}");
    }
    assert!(hits > 100_000 && edge_on > 10_000, "{hits} {edge_on}");
}

/// Boxes of the two parts, rounded outward.
fn split_at_x(triangle: &Triangle, plane: f32) -> [Aabb; 2] {
    let mut halves = [Aabb::EMPTY; 2];
    for i in 0..3 {
        let (p, q) = (triangle.vertices[i], triangle.vertices[(i + 1) % 3]);
        for (side, half) in halves.iter_mut().enumerate() {
            if (side == 0 && p.x <= plane) || (side == 1 && p.x >= plane) {
                *half = half.with_point(p);
            }
        }
        if (p.x < plane && q.x > plane) || (p.x > plane && q.x < plane) {
            let (p, q) = (p.as_dvec3(), q.as_dvec3());
            let cut = p + (q - p) * ((f64::from(plane) - p.x) / (q.x - p.x));
            let down = cut.to_array().map(geometry::rounding::narrow_down);
            let up = cut.to_array().map(geometry::rounding::narrow_up);
            let (mut down, mut up) = (Vec3::from_array(down), Vec3::from_array(up));
            (down.x, up.x) = (plane, plane);
            for half in &mut halves {
                *half = half.with_point(down).with_point(up);
            }
        }
    }
    halves
}

/// A transform and its inverse, and the boxes that they map, against exact corners.
#[test]
fn transforms_bound_what_they_map() {
    let mut random = Random(8);
    for _ in 0..2_000 {
        let rows = std::array::from_fn(|_| std::array::from_fn(|_| random.range(-3.0, 3.0)));
        let transform = Transform { rows };
        let Ok(inverse) = transform.inverse() else { continue };
        let bounds = Aabb::of_points([random.vector(-5.0, 5.0), random.vector(-5.0, 5.0)]);
        let mapped = transform.bounds(&bounds);
        let preimage = transform.preimage_bounds(&bounds).unwrap();
        for corner in bounds.corners() {
            let exact_image = exact_apply(&transform, corner);
            for (k, coordinate) in exact_image.iter().enumerate() {
                assert!(exact::rational(mapped.min[k]) <= *coordinate);
                assert!(*coordinate <= exact::rational(mapped.max[k]));
            }
            let back = inverse.point(corner);
            assert!((transform.point(back) - corner).length() < 1e-2 || !preimage.is_finite());
        }
        // A point whose image lies in the box lies in the preimage.
        let inside = preimage.min + (preimage.max - preimage.min) * random.vector(0.0, 1.0);
        let image = exact_apply(&transform, inside);
        let maps_inside = (0..3).all(|k| {
            exact::rational(bounds.min[k]) <= image[k] && image[k] <= exact::rational(bounds.max[k])
        });
        assert!(!maps_inside || preimage.contains_point(inside));
    }
    let singular =
        Transform { rows: [[1.0, 2.0, 3.0, 0.0], [2.0, 4.0, 6.0, 1.0], [0.0, 1.0, 0.0, 2.0]] };
    assert!(singular.inverse().is_err());
    let nan = Transform { rows: [[f32::NAN, 0.0, 0.0, 0.0]; 3] };
    assert!(nan.inverse().is_err());
}

fn exact_apply(transform: &Transform, point: Vec3) -> exact::ExactVec3 {
    let p = exact::vector(point);
    std::array::from_fn(|r| {
        let row = transform.rows[r].map(exact::rational);
        &row[0] * &p[0] + &row[1] * &p[1] + &row[2] * &p[2] + &row[3]
    })
}
