//! Rays that are likely to go wrong.

use geometry::random::Random;
use geometry::{Aabb, Ray, Triangle, TriangleRule, Vec3, triangle_hit};
use machine::{HitKind, RayFlags, RayQuery};
use tree::primitives::Primitive;
use tree::{Blas, Instance, Tree};

/// A stream of rays for one tree.
pub(super) struct AimedRays<'a> {
    tree: &'a Tree,
    pub(super) bounds: Aabb,
    pub(super) seed: u64,
}

impl<'a> AimedRays<'a> {
    pub(super) fn new(tree: &'a Tree, seed: u64) -> Self {
        let bounds = tree.bounds();
        let bounds = if bounds.is_empty() { Aabb::new(-Vec3::ONE, Vec3::ONE) } else { bounds };
        Self { tree, bounds, seed }
    }

    /// Ray number `index`.
    pub(super) fn query(&self, index: usize) -> RayQuery {
        let mut random = Random::new(self.seed, index);
        let ray = self.ray(&mut random);
        let ray = self.with_bounds(&mut random, ray);
        let mask = if random.one_in(4) { random.bits() as u8 } else { 0xFF };
        RayQuery { shape: ray, kind: HitKind::Closest, mask, flags: flags(&mut random) }
    }

    fn ray(&self, random: &mut Random) -> Ray {
        match random.below(10) {
            0 => self.across(random),
            1..=3 => self.at_an_edge(random),
            4 => self.in_a_face_plane(random),
            5 | 6 => self.nearly_edge_on(random),
            7 => self.off_a_surface(random),
            8 => self.scaled(random),
            _ => self.odd(random),
        }
    }

    /// Ray number `index` of those that are aimed at the boxes of the hierarchy: at an edge, a
    /// corner or a face of one, or along a face.
    pub(super) fn box_query(&self, index: usize) -> RayQuery {
        let mut random = Random::new(self.seed ^ 0xB0C5, index);
        let (bounds, instance) = self.node_box(&mut random);
        let share = Vec3::from_array(std::array::from_fn(|_| match random.below(3) {
            0 => 0.0,
            1 => 1.0,
            _ => random.range(0.0, 1.0),
        }));
        let place = |point: Vec3| instance.map_or(point, |i| i.object_to_world.point(point));
        let target = place(bounds.min + bounds.extent() * share);
        let origin = if random.one_in(4) {
            // Along a face.
            place(bounds.min + bounds.extent() * share * random.vector(-1.0, 2.0))
        } else {
            self.around(&mut random, 1.5)
        };
        RayQuery::new(HitKind::Closest, Ray::new(origin, target - origin))
    }

    /// The box of some node, and the instance that it lies in.
    fn node_box(&self, random: &mut Random) -> (Aabb, Option<&Instance>) {
        let (bvh, instance) = match &self.tree.tlas {
            Some(tlas) if tlas.instances.is_empty() || random.one_in(4) => (&tlas.bvh, None),
            Some(tlas) => {
                let instance = &tlas.instances[random.below(tlas.instances.len())];
                (&self.tree.blases[instance.blas as usize].bvh, Some(instance))
            }
            None => match self.tree.blases.first() {
                Some(blas) => (&blas.bvh, None),
                None => return (self.bounds, None),
            },
        };
        let bounds = bvh.nodes()[random.below(bvh.nodes().len())].bounds;
        if bounds.is_empty() || !bounds.is_finite() {
            return (self.bounds, None);
        }
        (bounds, instance)
    }

    /// From somewhere around the world to somewhere in it.
    fn across(&self, random: &mut Random) -> Ray {
        let (origin, target) = (self.around(random, 1.5), self.around(random, 0.5));
        Ray::new(origin, target - origin)
    }

    /// At a corner of a triangle, or a point of one of its edges.
    pub(super) fn at_an_edge(&self, random: &mut Random) -> Ray {
        let [a, b, _] = self.triangle(random).vertices;
        let target = match random.below(3) {
            0 => a,
            1 => a * 0.5 + b * 0.5,
            _ => a + (b - a) * random.range(0.0, 1.0),
        };
        let origin = self.around(random, 1.2);
        Ray::new(origin, target - origin)
    }

    /// Parallel to an axis, with coordinates shared with corners of the world's triangles.
    fn in_a_face_plane(&self, random: &mut Random) -> Ray {
        let axis = random.below(3);
        let mut direction =
            Vec3::from_array([0; 3].map(|_| if random.one_in(2) { 0.0 } else { -0.0 }));
        direction[axis] = if random.one_in(2) { 1.0 } else { -1.0 };
        let mut origin = self.around(random, 1.2);
        for k in 0..3 {
            if k != axis || random.one_in(4) {
                let corner = random.below(3);
                origin[k] = self.triangle(random).vertices[corner][k];
            }
        }
        Ray::new(origin, direction)
    }

    /// Almost in the plane of a triangle, and toward it.
    fn nearly_edge_on(&self, random: &mut Random) -> Ray {
        let [a, b, c] = self.triangle(random).vertices;
        let target = a + (b - a) * random.range(0.0, 0.6) + (c - a) * random.range(0.0, 0.6);
        let tilt = [0.0, 1e-7, 1e-5, 1e-3][random.below(4)] * self.bounds.extent().max_element();
        let origin = a
            + (b - a) * random.range(-4.0, 4.0)
            + (c - a) * random.range(-4.0, 4.0)
            + random.vector(-1.0, 1.0) * tilt;
        Ray::new(origin, target - origin)
    }

    /// Away from a point of a triangle, as a bounce would go.
    fn off_a_surface(&self, random: &mut Random) -> Ray {
        let [a, b, c] = self.triangle(random).vertices;
        let (u, v) = (random.range(0.0, 0.5), random.range(0.0, 0.5));
        Ray::new(a + (b - a) * u + (c - a) * v, random.vector(-1.0, 1.0))
    }

    /// Directions and distances far from 1.
    fn scaled(&self, random: &mut Random) -> Ray {
        let ray = self.at_an_edge(random);
        let factor = [1e-30, 1e-8, 1e6, 1e20][random.below(4)];
        let far = [0.0, 0.0, 10.0, 1e5][random.below(4)];
        Ray::new(ray.origin - ray.direction * far, ray.direction * factor)
    }

    /// Denormal and untraceable rays; one in four only is traceable.
    fn odd(&self, random: &mut Random) -> Ray {
        let mut ray = self.at_an_edge(random);
        let k = random.below(3);
        match random.below(6) {
            0 => ray.direction[k] = f32::from_bits(random.below(0x80_0000) as u32),
            1 => ray.direction[k] = -0.0,
            2 => ray.direction = Vec3::ZERO,
            3 => ray.direction[k] = f32::NAN,
            4 => ray.origin[k] = f32::INFINITY,
            _ => ray.direction *= 1e-42,
        }
        ray
    }

    /// Sometimes bounds, and among them bounds that lie exactly on a hit.
    fn with_bounds(&self, random: &mut Random, ray: Ray) -> Ray {
        match random.below(8) {
            0 => ray.between(random.range(0.0, 0.9), random.range(0.9, 2.0)),
            1 => ray.between(0.0, 1.0),
            2 => ray.between(1.0, f32::MAX),
            3 => {
                let triangle = self.triangle(random);
                match triangle_hit(TriangleRule::Watertight, &ray, &triangle) {
                    Some(hit) if random.one_in(2) => ray.between(hit.t, f32::INFINITY),
                    Some(hit) => ray.between(0.0, hit.t),
                    None => ray,
                }
            }
            4 if random.one_in(4) => ray.between(random.range(-1.0, 3.0), random.range(-1.0, 3.0)),
            _ => ray,
        }
    }

    /// A point in the world's box grown by `factor` about its centre.
    pub(super) fn around(&self, random: &mut Random, factor: f32) -> Vec3 {
        self.bounds.center() + self.bounds.extent() * random.vector(-1.0, 1.0) * factor
    }

    /// A triangle of the world, in world space up to rounding; a face of a procedural box counts.
    pub(super) fn triangle(&self, random: &mut Random) -> Triangle {
        let placed: Option<(&Blas, Option<&Instance>)> = match &self.tree.tlas {
            None => self.tree.blases.first().map(|blas| (blas, None)),
            Some(tlas) if tlas.instances.is_empty() => None,
            Some(tlas) => {
                let instance = &tlas.instances[random.below(tlas.instances.len())];
                Some((&self.tree.blases[instance.blas as usize], Some(instance)))
            }
        };
        match placed {
            Some((blas, instance)) if !blas.primitives.is_empty() => {
                let index = random.below(blas.primitives.len());
                let triangle = match blas.primitives.get(index) {
                    Primitive::Triangle(triangle) => *triangle,
                    Primitive::Box(bounds) => {
                        let corners = bounds.corners();
                        Triangle::new(corners[random.below(8)], corners[1], corners[6])
                    }
                };
                let rotation = random.below(3);
                let mut vertices = triangle.vertices;
                vertices.rotate_left(rotation);
                if let Some(instance) = instance {
                    vertices = vertices.map(|vertex| instance.object_to_world.point(vertex));
                }
                Triangle { vertices }
            }
            _ => Triangle { vertices: [0; 3].map(|_| self.around(random, 1.0)) },
        }
    }
}

/// Usually none; otherwise any combination.
fn flags(random: &mut Random) -> RayFlags {
    if random.one_in(3) {
        let mut flags = RayFlags::from_bits_truncate(random.bits() as u32);
        if random.one_in(2) {
            flags &= RayFlags::from_bits_truncate(random.bits() as u32);
        }
        flags
    } else {
        RayFlags::empty()
    }
}
