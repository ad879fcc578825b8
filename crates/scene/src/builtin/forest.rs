//! `forest`: one terrain and thousands of points of five kinds of things. Some points are
//! stretched, leaned or mirrored; a few have other masks and flags, so that every rule about
//! instances is met by some ray.

use super::detail_for;
use super::mesh::Mesh;
use super::plants::{Drawing, Kind};
use super::random::stream;
use crate::{Camera, Instance, InstanceFlags, Object, Scene};
use geometry::{Transform, Vec3};
use glam::{DMat3, DQuat, DVec3};

/// The share of the triangles that goes to the terrain.
const TERRAIN_SHARE: f32 = 0.12;

/// The angle between one point and the next: the golden angle spreads them evenly.
const GOLDEN_ANGLE: f32 = 2.399_963_2;

const SCATTER: u64 = 40;

/// Where one thing stands.
struct ScatterPoint {
    kind: Kind,
    x: f32,
    z: f32,
}

pub(super) fn scene(triangles: usize) -> Scene {
    let wanted = (400.0 * (triangles as f32 / 10_000.0).powf(0.43)).min(triangles as f32 / 45.0);
    let radius = 1.35 * wanted.sqrt() + 2.0;
    let points = points(wanted as usize, radius);
    let count = |detail: f32| -> usize {
        let sizes = Kind::ALL.map(|kind| kind.draw(detail, true).triangles());
        points.iter().map(|point| sizes[point.kind as usize]).sum()
    };
    let planted = triangles as f32 * (1.0 - TERRAIN_SHARE);
    let detail = detail_for(planted as usize, count);
    let ground = terrain(triangles.saturating_sub(count(detail)).max(8), radius);

    let mut objects: Vec<Object> =
        Kind::ALL.map(|kind| kind.draw(detail, false).into_object(kind.name())).into();
    let mut instances: Vec<Instance> =
        points.iter().enumerate().map(|(i, p)| instance(i, p, radius)).collect();
    objects.push(Object {
        name: "terrain".into(),
        geometries: vec![ground.into_geometry("ground", true)],
    });
    instances.push(Instance::new(Kind::ALL.len(), Transform::IDENTITY));
    Scene { objects, instances, cameras: vec![view(radius).into()], ..Scene::default() }
}

/// From the edge of the clearing, over it, into the trees.
fn view(radius: f32) -> Camera {
    let z = 0.62 * radius;
    let eye = Vec3::new(0.0, height(0.0, z, radius) + 2.4 + 0.03 * radius, z);
    Camera { eye, target: Vec3::new(0.0, 2.2, -0.35 * radius), up: Vec3::Y, fov: 48.0 }
}

impl Drawing {
    fn triangles(&self) -> usize {
        self.solid.triangles() + self.leaves.triangles()
    }

    fn into_object(self, name: &str) -> Object {
        let parts = [(self.solid, "solid", true), (self.leaves, "leaves", false)];
        let geometries = parts
            .into_iter()
            .filter(|(mesh, ..)| mesh.triangles() > 0)
            .map(|(mesh, part, opaque)| mesh.into_geometry(part, opaque))
            .collect();
        Object { name: name.to_owned(), geometries }
    }
}

/// Things on a sunflower spiral. Where the view needs room, trees give way to grass and rocks.
fn points(wanted: usize, radius: f32) -> Vec<ScatterPoint> {
    (0..wanted)
        .map(|number| {
            let mut random = stream(SCATTER, number);
            let out = radius * 0.97 * ((number as f32 + 0.5) / wanted as f32).sqrt();
            let turn = number as f32 * GOLDEN_ANGLE + random.range(-0.4, 0.4) / (1.0 + out);
            let (x, z) = (out * turn.cos(), out * turn.sin());
            let draw = random.unit();
            let clearing = z > -0.12 * radius && x.abs() < 0.16 * radius + 0.22 * (z + 2.0).abs();
            let kind = match (clearing, draw) {
                (true, d) if d < 0.72 => Kind::Grass,
                (true, d) if d < 0.87 => Kind::Rock,
                (true, _) => Kind::Bush,
                (false, d) if d < 0.34 => Kind::Conifer,
                (false, d) if d < 0.58 => Kind::Broadleaf,
                (false, d) if d < 0.72 => Kind::Bush,
                (false, d) if d < 0.82 => Kind::Rock,
                (false, _) => Kind::Grass,
            };
            ScatterPoint { kind, x, z }
        })
        .collect()
}

fn instance(number: usize, point: &ScatterPoint, radius: f32) -> Instance {
    let mut random = stream(SCATTER + 1, number);
    let size = random.range(0.75, 1.35);
    let mut stretch = DVec3::new(
        f64::from(size * random.range(0.85, 1.15)),
        f64::from(size * random.range(0.8, 1.3)),
        f64::from(size * random.range(0.85, 1.15)),
    );
    if random.one_in(9) {
        stretch.x = -stretch.x;
    }
    let yaw = DQuat::from_rotation_y(f64::from(random.range(0.0, std::f32::consts::TAU)));
    let tumble = if point.kind == Kind::Rock { 3.0 } else { 0.07 };
    let lean = DQuat::from_axis_angle(
        random.direction().as_dvec3().normalize(),
        f64::from(random.range(-tumble, tumble)),
    );
    let ground = height(point.x, point.z, radius);
    let foot = DVec3::new(point.x.into(), ground.into(), point.z.into());
    let linear = DMat3::from_quat(lean * yaw) * DMat3::from_diagonal(stretch);
    let mask = match (random.one_in(8), point.kind) {
        (false, _) => 0xFF,
        (true, Kind::Grass | Kind::Bush) => 0x0F,
        (true, Kind::Rock) => 0x81,
        (true, Kind::Conifer | Kind::Broadleaf) => 0xF1,
    };
    let flags = match (random.one_in(24), number % 4) {
        (false, _) => InstanceFlags::empty(),
        (true, 0) => InstanceFlags::FORCE_OPAQUE,
        (true, 1) => InstanceFlags::FORCE_NON_OPAQUE,
        (true, 2) => InstanceFlags::DISABLE_FACE_CULL,
        (true, _) => InstanceFlags::FLIP_FACING,
    };
    Instance {
        object: point.kind as usize,
        object_to_world: Transform::from_f64(linear, foot),
        mask,
        custom_index: (number * 8 + point.kind as usize) as u32 & 0x00FF_FFFF,
        // Each kind of plant has two geometries, and so two records.
        sbt_offset: 2 * point.kind as u32,
        flags,
    }
}

/// A square of ground; columns and rows are chosen to come nearest to the triangles wanted.
fn terrain(triangles: usize, radius: f32) -> Mesh {
    let columns = ((triangles as f32 / 2.0).sqrt() as usize).max(2);
    let rows = (triangles as f32 / (2 * columns) as f32).round().max(2.0) as usize;
    let mut ground = Mesh::default();
    ground.patch(columns, rows, false, |u, v| {
        let (x, z) = (2.6 * radius * (u - 0.5), 2.6 * radius * (0.5 - v));
        Vec3::new(x, height(x, z, radius), z)
    });
    ground
}

/// Hills that rise away from the clearing.
fn height(x: f32, z: f32, radius: f32) -> f32 {
    let (a, b) = (x / radius, z / radius);
    let bowl = 0.11 * (a * a + (b - 0.2) * (b - 0.2));
    let hills = 0.030 * (3.1 * a + 0.5).sin() * (2.7 * b).cos() + 0.012 * (7.3 * a - 4.1 * b).sin();
    radius * (bowl + hills)
}
