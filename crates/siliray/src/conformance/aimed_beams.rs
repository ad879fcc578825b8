//! Beams that are likely to go wrong, and spheres and frusta among them.

use super::aimed_rays::AimedRays;
use geometry::random::Random;
use geometry::{Aabb, Beam, Frustum, Ray, Sphere, Vec3};
use machine::{BeamQuery, BeamShape, HitKind, LeafRule};

/// A stream of beams for one tree, aimed at the same things as rays are.
pub(super) struct AimedBeams<'a> {
    rays: AimedRays<'a>,
}

impl<'a> AimedBeams<'a> {
    pub(super) fn new(rays: AimedRays<'a>) -> Self {
        Self { rays }
    }

    /// Beam number `index`. A draw that gives no valid beam is drawn again; a world in which hardly
    /// any beam is valid has none.
    pub(super) fn query(&self, index: usize, leaf: LeafRule) -> Option<BeamQuery> {
        let mut random = Random::new(self.rays.seed ^ 0xBEA3, index);
        let mask = if random.one_in(4) { random.bits() as u8 } else { 0xFF };
        let shape = (0..100).find_map(|_| self.shape(leaf, &mut random))?;
        Some(BeamQuery { mask, ..BeamQuery::new(HitKind::All, shape) })
    }

    fn shape(&self, leaf: LeafRule, random: &mut Random) -> Option<BeamShape> {
        match random.below(6) {
            0 => BeamShape::volume(self.sphere(random), leaf).ok(),
            1 => BeamShape::volume(self.frustum(random), leaf).ok(),
            _ => Some(BeamShape::new(self.beam(random)?, leaf)),
        }
    }

    /// A sphere that just reaches a corner, an edge or the face of a triangle, or half as far.
    fn sphere(&self, random: &mut Random) -> Sphere {
        let triangle = self.rays.triangle(random);
        let [a, b, c] = triangle.vertices;
        let (aside, normal) = (random.vector(-1.0, 1.0), (b - a).cross(c - a).normalize_or_zero());
        let (target, away) = match random.below(3) {
            0 => (a, aside),
            1 => (a + (b - a) * 0.5, (b - a).cross(aside).normalize_or_zero()),
            _ => ((a + b + c) / 3.0, normal),
        };
        let size = self.rays.bounds.extent().max_element() * self.share(random);
        let center = target + away * size;
        let factor = [1.0, 1.0f32.next_up(), 1.0f32.next_down(), 0.5][random.below(4)];
        Sphere { center, radius: center.distance(target) * factor }
    }

    /// A frustum whose axis, side or edge points at a corner of a triangle.
    fn frustum(&self, random: &mut Random) -> Frustum {
        let eye = self.rays.around(random, 1.2);
        let target = self.rays.triangle(random).vertices[0] - eye;
        let size = self.share(random) * target.length();
        let (right, up) = (random.vector(-1.0, 1.0) * size, random.vector(-1.0, 1.0) * size);
        let forward = match random.below(3) {
            0 => target,
            1 => target - right,
            _ => target - right - up,
        };
        let near = [0.0, 0.5, 0.99, 1.0][random.below(4)];
        let far = [1.0, 1.0f32.next_up(), 1.01, f32::INFINITY][random.below(4)];
        Frustum { eye, forward, right, up, near, far }
    }

    /// How large a volume is, as a share of the world: in a large world it would meet very much.
    fn share(&self, random: &mut Random) -> f32 {
        [0.1, 0.01, 0.001][random.below(3)]
    }

    fn beam(&self, random: &mut Random) -> Option<Beam> {
        let beam = match random.below(8) {
            0 => self.across(random),
            1 => self.along_a_face(random),
            2 => self.onto_a_corner(random),
            3 => self.between_boxes(random),
            4 => self.thick_ray(random),
            5 => self.tile(random),
            6 => self.resting(random),
            _ => self.scaled(random),
        }?;
        match random.below(6) {
            0 => beam.with_range(random.range(0.0, 0.5), 1.0).ok(),
            1 => beam.with_range(0.0, random.range(0.0, 1.0)).ok(),
            2 => beam.with_range(0.25, f32::INFINITY).ok().or(Some(beam)),
            _ => Some(beam),
        }
    }

    /// A box of some size around a point.
    fn box_at(&self, random: &mut Random, center: Vec3) -> Aabb {
        let share = [0.0, 1e-4, 0.01, 0.1, 0.3][random.below(5)];
        let half = self.rays.bounds.extent() * random.vector(0.0, 1.0) * share;
        Aabb::new(center - half, center + half)
    }

    /// From somewhere around the world to somewhere in it.
    fn across(&self, random: &mut Random) -> Option<Beam> {
        let (from, to) = (self.rays.around(random, 1.2), self.rays.around(random, 0.5));
        Beam::swept(&self.box_at(random, from), to - from, 1.0).ok()
    }

    /// Parallel to an axis, a face in the plane of a corner of a triangle: it touches from outside.
    fn along_a_face(&self, random: &mut Random) -> Option<Beam> {
        let (corner, axis) = (self.rays.triangle(random).vertices[0], random.below(3));
        let from = self.rays.around(random, 1.2);
        let mut start = self.box_at(random, from);
        for k in (0..3).filter(|&k| k != axis) {
            if random.one_in(2) {
                start.max[k] = corner[k];
                start.min[k] = start.min[k].min(corner[k]);
            } else {
                start.min[k] = corner[k];
                start.max[k] = start.max[k].max(corner[k]);
            }
        }
        let mut velocity = Vec3::ZERO;
        velocity[axis] = (corner - from)[axis] * [1.0, 2.0, 0.5][random.below(3)];
        Beam::swept(&start, velocity, 1.0).ok()
    }

    /// A corner of the box arrives at a corner of a triangle, up to rounding.
    fn onto_a_corner(&self, random: &mut Random) -> Option<Beam> {
        let target = self.rays.triangle(random).vertices[0];
        let from = self.rays.around(random, 1.2);
        let start = self.box_at(random, from);
        let velocity = target - start.corners()[random.below(8)];
        Beam::swept(&start, velocity, [1.0, 1.5, 1.0f32.next_down()][random.below(3)]).ok()
    }

    /// From a box to another, growing or shrinking.
    fn between_boxes(&self, random: &mut Random) -> Option<Beam> {
        let (from, to) = (self.rays.around(random, 0.7), self.rays.triangle(random).vertices[0]);
        let (a, b) = (self.box_at(random, from), self.box_at(random, to));
        Beam::from_aabbs_shrinking(&a, &b).ok()
    }

    fn thick_ray(&self, random: &mut Random) -> Option<Beam> {
        let ray = self.rays.at_an_edge(random);
        let size = self.rays.bounds.extent().max_element();
        let e = [0.0, 1e-6, 1e-3][random.below(3)] * size;
        Beam::cone_like(&ray, e, [0.0, 1e-3][random.below(2)] * size).ok()
    }

    fn tile(&self, random: &mut Random) -> Option<Beam> {
        let eye = self.rays.around(random, 1.2);
        let rays: Vec<Ray> = (0..1 + random.below(4))
            .map(|_| Ray::new(eye, self.rays.triangle(random).vertices[0] - eye))
            .collect();
        Beam::from_rays(&rays).ok()
    }

    /// A box that does not move, beside a triangle's own.
    fn resting(&self, random: &mut Random) -> Option<Beam> {
        let own = self.rays.triangle(random).bounds();
        let axis = random.below(3);
        let mut start = self.box_at(random, own.center());
        start.min[axis] = own.max[axis];
        start.max[axis] = start.max[axis].max(own.max[axis]);
        Beam::swept(&start, Vec3::ZERO, 1.0).ok()
    }

    /// Speeds far from 1, among them ones too small to divide by.
    fn scaled(&self, random: &mut Random) -> Option<Beam> {
        let (from, to) = (self.rays.around(random, 1.2), self.rays.triangle(random).vertices[0]);
        let factor = [1e-42, 1e-30, 1e-8, 1e6, 1e20][random.below(5)];
        let start = self.box_at(random, from);
        Beam::swept(&start, (to - from) * factor, [f32::INFINITY, 1.0 / factor][random.below(2)])
            .ok()
    }
}
