//! What grows in the forest, each drawn in metres with its foot at the origin. Leaves and needles
//! are geometries of their own and not opaque, as an alpha test would have them.

use super::lattice::Lattice;
use super::mesh::Mesh;
use super::random::stream;
use geometry::Vec3;
use geometry::random::Random;
use std::f32::consts::TAU;

/// A kind of thing that is placed many times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Conifer,
    Broadleaf,
    Bush,
    Rock,
    Grass,
}

/// The drawing of one kind: a solid part and a part that lets some rays through.
pub(super) struct Drawing {
    pub(super) solid: Mesh,
    pub(super) leaves: Mesh,
}

impl Kind {
    pub(super) const ALL: [Self; 5] =
        [Self::Conifer, Self::Broadleaf, Self::Bush, Self::Rock, Self::Grass];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Conifer => "conifer",
            Self::Broadleaf => "broadleaf",
            Self::Bush => "bush",
            Self::Rock => "rock",
            Self::Grass => "grass",
        }
    }

    /// Draws it at a level of detail; a level near 0 is the coarsest that can be recognised.
    pub(super) fn draw(self, detail: f32, counting: bool) -> Drawing {
        let board = || if counting { Mesh::counting() } else { Mesh::default() };
        let (mut solid, mut leaves) = (board(), board());
        match self {
            Self::Conifer => conifer(&mut solid, &mut leaves, detail),
            Self::Broadleaf => broadleaf(&mut solid, &mut leaves, detail),
            Self::Bush => {
                scatter_leaves(&mut leaves, self, steps(6, 40.0 * detail * detail), |random| {
                    random.direction() * Vec3::new(0.75, 0.45, 0.75) + Vec3::Y * 0.42
                });
            }
            Self::Rock => rock(&mut solid, detail),
            Self::Grass => grass(&mut solid, detail),
        }
        Drawing { solid, leaves }
    }
}

/// A count that grows with the detail from a least value.
fn steps(least: usize, wanted: f32) -> usize {
    (wanted.round() as usize).max(least)
}

/// A straight trunk and drooping skirts of needles with notched rims.
fn conifer(trunk: &mut Mesh, needles: &mut Mesh, detail: f32) {
    trunk.lathe(Vec3::ZERO, steps(3, 4.0 * detail), steps(1, 2.0 * detail), |v| {
        (0.2 * (1.0 - 0.9 * v), 7.0 * v - 0.3)
    });
    let skirts = steps(2, 6.0 * detail.powf(0.6));
    let sides = steps(4, 12.0 * detail.powf(0.8));
    let rows = steps(1, 1.5 * detail.powf(0.6));
    for skirt in 0..skirts {
        let up = skirt as f32 / skirts as f32;
        let (low, high) = (1.1 + 5.6 * up, 1.1 + 5.6 * (up + 1.7 / skirts as f32).min(1.15));
        let reach = 1.75 * (1.0 - up).powf(0.8) + 0.12;
        needles.patch(sides, rows, true, |u, v| {
            let angle = u * TAU + 1.3 * skirt as f32;
            let notch = 1.0 - 0.2 * (1.0 - v) * (0.5 + 0.5 * (angle * (sides as f32 / 2.0)).cos());
            let radius = (reach * notch * (1.0 - v)).max(0.015);
            let droop = (1.0 - v).powi(3) * 0.3;
            Vec3::new(radius * angle.cos(), low + (high - low) * v - droop, -radius * angle.sin())
        });
    }
}

/// A trunk, branches that fork from it, and a crown of scattered leaves.
fn broadleaf(wood: &mut Mesh, leaves: &mut Mesh, detail: f32) {
    let (sides, rows) = (steps(3, 4.0 * detail), steps(1, 3.0 * detail.powf(0.7)));
    wood.lathe(Vec3::ZERO, sides, rows, |v| (0.1 + 0.16 * (1.0 - v) * (1.0 - v), 3.4 * v - 0.3));
    let branches = steps(0, 7.0 * detail.powf(0.5) - 1.0).min(24);
    let segments = steps(1, 3.0 * detail.powf(0.7));
    for branch in 0..branches {
        let mut random = stream(11, branch);
        let turn = branch as f32 * 2.4 + random.range(-0.4, 0.4);
        let from = Vec3::Y * random.range(1.6, 2.9);
        let to = Vec3::new(1.4 * turn.cos(), random.range(3.0, 4.8), 1.4 * turn.sin());
        let path: Vec<Vec3> = (0..=segments)
            .map(|i| {
                let v = i as f32 / segments as f32;
                from.lerp(to, v) + Vec3::Y * (0.35 * v * (1.0 - v))
            })
            .collect();
        wood.tube(&path, steps(3, 2.0 * detail), |v| 0.075 * (1.0 - 0.75 * v));
    }
    scatter_leaves(leaves, Kind::Broadleaf, steps(10, 150.0 * detail * detail), |random| {
        // Leaves crowd towards the outside of the crown.
        let depth = random.unit().powf(0.35);
        let bulge = random.direction();
        let lobes = 1.0 + 0.16 * (bulge * 4.0).to_array().map(f32::sin).iter().sum::<f32>();
        bulge * Vec3::new(1.95, 1.55, 1.95) * (depth * lobes) + Vec3::Y * 4.1
    });
}

/// Diamonds of two triangles, turned at random; fewer are larger, so that a crown is always full.
fn scatter_leaves(
    leaves: &mut Mesh,
    kind: Kind,
    count: usize,
    place: impl Fn(&mut Random) -> Vec3,
) {
    let spread = if kind == Kind::Bush { 1.5 } else { 4.6 };
    let size = spread / (count as f32).sqrt();
    for leaf in 0..count {
        let mut random = stream(20 + kind as u64, leaf);
        let center = place(&mut random);
        let along = random.direction() * (size * random.range(0.7, 1.2));
        let across = along.cross(random.direction()).normalize_or(Vec3::X) * (size * 0.45);
        leaves.patch(1, 1, false, |u, v| {
            // The unit square stands on a corner: u + v runs along the leaf.
            center + along * (u + v - 1.0) + across * (u - v)
        });
    }
}

/// A closed lump, flattened and faceted.
fn rock(solid: &mut Mesh, detail: f32) {
    solid.sphere(&Lattice::nearest(steps(12, 60.0 * detail * detail)), |direction| {
        let waves = direction * 2.6 + Vec3::new(0.7, 2.9, 1.1);
        let dent = 0.18 * (waves.x.sin() * waves.y.sin() + waves.z.sin())
            + 0.05 * (direction * 9.0).to_array().map(f32::sin).iter().sum::<f32>();
        direction * (0.8 + dent) * Vec3::new(1.0, 0.62, 0.85)
    });
}

/// A tuft of bent blades.
fn grass(blades: &mut Mesh, detail: f32) {
    let segments = steps(1, 1.6 * detail.powf(0.5));
    for blade in 0..steps(3, 16.0 * detail) {
        let mut random = stream(30, blade);
        let turn = random.range(0.0, TAU);
        let foot = Vec3::new(turn.cos(), 0.0, turn.sin()) * random.range(0.0, 0.35);
        let lean = Vec3::new((turn * 1.7).cos(), 0.0, (turn * 1.7).sin()) * random.range(0.1, 0.4);
        let side = Vec3::Y.cross(lean).normalize_or(Vec3::X) * 0.022;
        let height = random.range(0.35, 0.75);
        blades.patch(1, segments, false, |u, v| {
            let width = side * ((2.0 * u - 1.0) * (1.0 - 0.9 * v));
            foot + width + lean * (v * v) + Vec3::Y * (height * v)
        });
    }
}
