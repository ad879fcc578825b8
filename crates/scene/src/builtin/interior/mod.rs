//! `interior`: a hall of 14 x 9 x 27 metres, y up, the camera inside at z = 1 looking along +z.
//!
//! Walls and beams are a few triangles as long as the hall; blinds, bars and balusters are thin
//! ones by the thousand. All parts follow one level of detail.

mod fittings;
mod hall;

use super::detail_for;
use super::mesh::Mesh;
use crate::{Camera, NamedCamera, Object, Scene};
use geometry::Vec3;

/// Half the width of the hall.
const HALF_WIDTH: f32 = 7.0;
/// Height of the ceiling.
const HEIGHT: f32 = 9.0;
/// Length of the hall.
const LENGTH: f32 = 27.0;
/// Distance of each row of columns from the middle.
const COLUMN_ROW: f32 = 3.7;

/// A named part of the hall and what draws it.
type Part = (&'static str, fn(&mut Mesh, &Detail));

/// Each becomes a geometry.
const PARTS: [Part; 11] = [
    ("walls", hall::walls),
    ("floor", hall::floor),
    ("columns", hall::columns),
    ("arches", hall::arches),
    ("ceiling", hall::ceiling),
    ("windows", fittings::windows),
    ("blinds", fittings::blinds),
    ("stairs", fittings::stairs),
    ("railings", fittings::railings),
    ("lamps", fittings::lamps),
    ("benches", fittings::benches),
];

/// How finely to draw.
struct Detail {
    level: f32,
    /// Bays between columns along each side.
    bays: usize,
    /// Floor boards beyond those of the level: they take up triangles that other parts left over.
    extra_boards: usize,
}

impl Detail {
    fn at(level: f32) -> Self {
        Self { level, bays: ((1.0 + 14.0 * level) as usize).clamp(1, 6), extra_boards: 0 }
    }

    /// A count that is `usual` at level 1, follows the level to `power`, and is at least `least`.
    fn steps(&self, least: usize, usual: f32, power: f32) -> usize {
        ((usual * self.level.powf(power)).round() as usize).max(least)
    }

    /// Length of a bay.
    fn bay(&self) -> f32 {
        LENGTH / self.bays as f32
    }
}

pub(super) fn scene(triangles: usize) -> Scene {
    let count = |level: f32| {
        let mut mesh = Mesh::counting();
        let detail = Detail::at(level);
        PARTS.iter().for_each(|(_, draw)| draw(&mut mesh, &detail));
        mesh.triangles()
    };
    let level = detail_for(triangles, count);
    let extra_boards = (triangles.saturating_sub(count(level)) / 12).min(400);
    let detail = Detail { extra_boards, ..Detail::at(level) };
    let geometries = PARTS
        .iter()
        .map(|&(name, draw)| {
            let mut mesh = Mesh::default();
            draw(&mut mesh, &detail);
            (name, mesh)
        })
        .filter(|(_, mesh)| mesh.triangles() > 0)
        .map(|(name, mesh)| mesh.into_geometry(name, true))
        .collect();
    Scene {
        objects: vec![Object { name: "hall".into(), geometries }],
        cameras: vec![NamedCamera::from(Camera {
            eye: Vec3::new(-1.9, 2.1, 0.9),
            target: Vec3::new(0.7, 3.1, 14.0),
            up: Vec3::Y,
            fov: 66.0,
        })],
        ..Scene::default()
    }
}
