//! `hairball`: thin curved tubes in a ball. Boxes around strands overlap everywhere, which is the
//! hardest case for a tree of boxes.

use super::mesh::Mesh;
use super::random::stream;
use crate::{Camera, NamedCamera, Object, Scene};
use geometry::Vec3;
use rayon::prelude::*;

const STRAND: u64 = 1;

/// How many strands, and how finely each is divided.
struct Plan {
    strands: usize,
    segments: usize,
    sides: usize,
    radius: f32,
}

pub(super) fn scene(triangles: usize) -> Scene {
    let plan = Plan::for_triangles(triangles);
    let drawn: Vec<Mesh> =
        (0..plan.strands).into_par_iter().map(|number| plan.strand(number)).collect();
    let mut mesh = Mesh::default();
    drawn.into_iter().for_each(|strand| mesh.append(strand));
    Scene {
        objects: vec![Object {
            name: "ball".into(),
            geometries: vec![mesh.into_geometry("strands", true)],
        }],
        cameras: vec![NamedCamera::from(Camera {
            eye: Vec3::new(1.3, 1.1, 3.0),
            target: Vec3::new(0.0, -0.02, 0.0),
            up: Vec3::Y,
            fov: 38.0,
        })],
        ..Scene::default()
    }
}

impl Plan {
    fn for_triangles(triangles: usize) -> Self {
        let growth = (triangles as f32 / 10_000.0).powf(0.22);
        let segments = ((16.0 * growth) as usize).clamp(6, 80);
        let sides = if triangles < 2_000_000 { 3 } else { 4 };
        let strands = (triangles as f32 / (2 * sides * segments) as f32).round().max(1.0);
        // The ball looks equally full at every size.
        let radius = 0.16 / strands.sqrt();
        Self { strands: strands as usize, segments, sides, radius }
    }

    /// A strand leaves the core and wanders in a smooth field of directions of its own, held inside
    /// the ball by a pull that grows towards the rim.
    fn strand(&self, number: usize) -> Mesh {
        let mut random = stream(STRAND, number);
        let outward = random.direction();
        let (swirl, phase) = (random.direction(), random.range(0.0, 6.0));
        let length = random.range(1.2, 2.6);
        let step = length / self.segments as f32;
        let mut at = outward * random.range(0.08, 0.3);
        let mut heading = outward;
        let mut path = Vec::with_capacity(self.segments + 1);
        path.push(at);
        for _ in 0..self.segments {
            let wave = at * 3.1 + swirl * phase;
            let turn = Vec3::new(wave.y.sin(), wave.z.sin(), wave.x.sin()) + swirl.cross(at) * 2.0;
            let pull = -at * (at.length_squared() * 3.0);
            heading = (heading + (turn + pull) * (2.2 * step)).normalize_or(outward);
            at += heading * step;
            path.push(at);
        }
        let mut mesh = Mesh::default();
        let thickness = self.radius * random.range(0.7, 1.3);
        mesh.tube(&path, self.sides, |v| thickness * (1.0 - 0.8 * v * v));
        mesh
    }
}
