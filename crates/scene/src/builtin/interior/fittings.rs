//! What stands and hangs in the hall: window bars, blinds, stairs, railings, lamps, benches.

use super::hall::{SILL, WINDOW_HALF_WIDTH, WINDOW_SPRING, column_feet};
use super::{COLUMN_ROW, Detail, HALF_WIDTH, HEIGHT, LENGTH};
use crate::builtin::mesh::Mesh;
use crate::builtin::random::stream;
use geometry::Vec3;
use std::f32::consts::{PI, TAU};

/// Where the stairs begin and end, how high and how wide they are.
const STAIRS: ((f32, f32), f32, f32) = ((19.5, 25.0), 3.2, 1.7);

/// Upright and level bars in each opening, and a fan of bars in its round head.
pub(super) fn windows(mesh: &mut Mesh, detail: &Detail) {
    let (uprights, levels) = (detail.steps(0, 3.0, 0.5), detail.steps(0, 5.0, 0.5));
    let (rays, segments) = (detail.steps(0, 6.0, 0.5), detail.steps(2, 10.0, 1.0));
    let sides = detail.steps(3, 5.0, 1.0);
    for (x, center, _) in openings(detail) {
        let bar = |mesh: &mut Mesh, y: (f32, f32), z: (f32, f32)| {
            mesh.block(
                Vec3::new(x - 0.03, y.0, center + z.0),
                Vec3::new(x + 0.03, y.1, center + z.1),
            );
        };
        let place = |number: usize, of: usize| (number as f32 + 1.0) / (of as f32 + 1.0);
        for upright in 0..uprights {
            let z = WINDOW_HALF_WIDTH * (2.0 * place(upright, uprights) - 1.0);
            bar(mesh, (SILL, WINDOW_SPRING), (z - 0.02, z + 0.02));
        }
        for level in 0..levels {
            let y = SILL + (WINDOW_SPRING - SILL) * place(level, levels);
            bar(mesh, (y - 0.015, y + 0.015), (-WINDOW_HALF_WIDTH, WINDOW_HALF_WIDTH));
        }
        bar(
            mesh,
            (WINDOW_SPRING - 0.05, WINDOW_SPRING + 0.05),
            (-WINDOW_HALF_WIDTH, WINDOW_HALF_WIDTH),
        );
        let on_head = |turn: f32, radius: f32| {
            Vec3::new(x, WINDOW_SPRING + radius * turn.sin(), center + radius * turn.cos())
        };
        for ray in 0..rays {
            let turn = PI * place(ray, rays);
            mesh.tube(&[on_head(turn, 0.3), on_head(turn, WINDOW_HALF_WIDTH)], sides, |_| 0.02);
        }
        let ring: Vec<Vec3> =
            (0..=segments).map(|i| on_head(PI * i as f32 / segments as f32, 0.3)).collect();
        mesh.tube(&ring, sides, |_| 0.025);
    }
}

/// Slats across each opening, lowered to different heights, with the cords that carry them.
pub(super) fn blinds(mesh: &mut Mesh, detail: &Detail) {
    let slats = detail.steps(0, 44.0, 0.6).min(160);
    if slats == 0 {
        return;
    }
    let (along, across) = (detail.steps(1, 2.0, 0.7), detail.steps(1, 2.0, 0.7));
    let half = WINDOW_HALF_WIDTH - 0.04;
    for (x, center, number) in openings(detail) {
        let mut random = stream(50, number);
        let (drop, tilt) = (random.range(0.3, 0.95), random.range(0.3, 1.1));
        let pitch = (WINDOW_SPRING - SILL) * drop / slats as f32;
        let depth = (0.8 * pitch).min(0.06);
        let x = x - x.signum() * 0.12;
        for slat in 0..slats {
            let y = WINDOW_SPRING - (slat as f32 + 0.7) * pitch;
            mesh.patch(across, along, false, |u, v| {
                let w = u - 0.5;
                let bulge = 0.2 * depth * (1.0 - 4.0 * w * w);
                let sag = 0.01 * (v * (1.0 - v));
                Vec3::new(
                    x + depth * w * tilt.cos(),
                    y - depth * w * tilt.sin() + bulge - sag,
                    center + half * (1.0 - 2.0 * v),
                )
            });
        }
        for z in [-0.8, 0.8] {
            let foot = Vec3::new(x, WINDOW_SPRING - pitch * slats as f32, center + z * half);
            let head = Vec3::new(x, WINDOW_SPRING, center + z * half);
            mesh.tube(&[foot, head], detail.steps(3, 3.0, 0.8), |_| 0.004);
        }
        let rail = Vec3::new(0.035, 0.03, half);
        let middle = Vec3::new(x, WINDOW_SPRING, center);
        mesh.block(middle - rail, middle + rail);
    }
}

/// Steps with overhanging treads, two stringers, a landing and a door frame behind it.
pub(super) fn stairs(mesh: &mut Mesh, detail: &Detail) {
    let ((from, to), height, half) = STAIRS;
    let steps = detail.steps(3, 18.0, 0.4).min(24);
    let (run, rise) = ((to - from) / steps as f32, height / steps as f32);
    for step in 0..steps {
        let (z, y) = (from + step as f32 * run, step as f32 * rise);
        mesh.block(Vec3::new(-half, y, z), Vec3::new(half, y + rise - 0.04, z + run));
        mesh.block(Vec3::new(-half, y + rise - 0.04, z - 0.03), Vec3::new(half, y + rise, z + run));
    }
    for x in [-half - 0.12, half] {
        mesh.slanted_block(
            Vec3::new(x, -0.2, from),
            Vec3::new(x + 0.12, 0.3, to),
            Vec3::Y * height,
        );
    }
    mesh.block(Vec3::new(-3.2, height - 0.25, to), Vec3::new(3.2, height, LENGTH));
    for x in [-1.0, 0.85] {
        mesh.block(Vec3::new(x, height, LENGTH - 0.06), Vec3::new(x + 0.15, 5.8, LENGTH + 0.1));
    }
    mesh.block(Vec3::new(-1.1, 5.65, LENGTH - 0.08), Vec3::new(1.1, 5.9, LENGTH + 0.1));
}

/// Turned balusters under long handrails: beside the stairs, on the landing, between the columns.
pub(super) fn railings(mesh: &mut Mesh, detail: &Detail) {
    let ((from, to), height, half) = STAIRS;
    let count = detail.steps(0, 18.0, 0.6).min(28);
    if count == 0 {
        return;
    }
    for side in [-1.0, 1.0] {
        let x = side * (half + 0.06);
        let slope = (Vec3::new(x, 0.3, from), Vec3::new(x, 0.3 + height, to));
        balustrade(mesh, detail, slope, count);
        let landing = (Vec3::new(x, height, to), Vec3::new(side * 3.2, height, to));
        balustrade(mesh, detail, landing, count / 3);
        for bay in 0..detail.bays.saturating_sub(2) {
            let z = (bay as f32 + 1.0) * detail.bay();
            let low = (
                Vec3::new(side * COLUMN_ROW, 0.0, z + 0.46),
                Vec3::new(side * COLUMN_ROW, 0.0, z + detail.bay() - 0.46),
            );
            balustrade(mesh, detail, low, count);
        }
    }
}

/// Balusters from one foot to another, and a rail on top of them.
fn balustrade(mesh: &mut Mesh, detail: &Detail, (start, end): (Vec3, Vec3), count: usize) {
    let (sides, rows) = (detail.steps(3, 7.0, 1.15), detail.steps(1, 10.0, 0.85));
    for baluster in 0..count {
        let foot = start.lerp(end, (baluster as f32 + 0.5) / count as f32);
        mesh.lathe(foot, sides, rows, |v| {
            let belly = (-((v - 0.28) * 6.0).powi(2)).exp();
            let ring = (-((v - 0.72) * 22.0).powi(2)).exp();
            (0.022 + 0.035 * belly + 0.018 * ring, 0.9 * v)
        });
    }
    let up = Vec3::Y * 0.94;
    mesh.tube(&[start + up, end + up], detail.steps(4, 10.0, 1.0), |_| 0.05);
    let low = Vec3::Y * 0.06;
    mesh.tube(&[start + low, end + low], 4, |_| 0.04);
}

/// Wheels of candles on long rods, one over every second bay.
pub(super) fn lamps(mesh: &mut Mesh, detail: &Detail) {
    let (around, sides) = (detail.steps(4, 40.0, 0.9), detail.steps(3, 7.0, 0.9));
    let candles = detail.steps(0, 12.0, 0.3).min(18);
    let (bulb_sides, bulb_rows) = (detail.steps(3, 9.0, 1.0), detail.steps(2, 7.0, 1.0));
    for bay in (1..detail.bays).step_by(2) {
        let hub = Vec3::new(0.0, 4.9, (bay as f32 + 0.5) * detail.bay());
        mesh.tube(&[hub, hub.with_y(HEIGHT - 0.5)], sides, |_| 0.018);
        for (radius, lift) in [(1.0, 0.0), (0.55, 0.35)] {
            let ring: Vec<Vec3> = (0..=around)
                .map(|i| {
                    let (sin, cos) = (TAU * i as f32 / around as f32).sin_cos();
                    hub + Vec3::new(radius * cos, lift, radius * sin)
                })
                .collect();
            mesh.tube(&ring, sides, |_| 0.028);
        }
        for candle in 0..candles {
            let (sin, cos) = (TAU * candle as f32 / candles as f32).sin_cos();
            let rim = hub + Vec3::new(cos, 0.0, sin);
            mesh.tube(&[rim, hub + Vec3::Y * 1.1], 3, |_| 0.007);
            mesh.lathe(rim, bulb_sides, bulb_rows, |v| {
                let swell = (PI * (0.06 + 0.9 * v)).sin();
                (0.012 + 0.05 * swell, 0.03 + 0.22 * v)
            });
        }
    }
}

/// Slatted benches between the columns and the side walls, and two rows in the nave.
pub(super) fn benches(mesh: &mut Mesh, detail: &Detail) {
    let slats = detail.steps(1, 5.0, 0.4).min(9);
    let (sides, rows) = (detail.steps(3, 7.0, 1.1), detail.steps(1, 6.0, 0.9));
    let along_walls = column_feet(detail)
        .map(|foot| Vec3::new(foot.x.signum() * (HALF_WIDTH - 0.5), 0.0, foot.z - 1.0));
    let in_nave = (0..detail.bays.saturating_sub(3))
        .flat_map(|row| [-2.3, 2.3].map(|x| Vec3::new(x, 0.0, 6.5 + 3.6 * row as f32)));
    for bench in along_walls.chain(in_nave) {
        for slat in 0..slats {
            let x = 0.5 * ((slat as f32 + 0.5) / slats as f32 - 0.5);
            let half = 0.21 / slats as f32;
            mesh.block(
                bench + Vec3::new(x - half, 0.43, 0.0),
                bench + Vec3::new(x + half, 0.47, 2.0),
            );
        }
        for z in [0.15, 1.85] {
            mesh.block(
                bench + Vec3::new(-0.25, 0.38, z - 0.04),
                bench + Vec3::new(0.25, 0.43, z + 0.04),
            );
            for x in [-0.2, 0.2] {
                mesh.lathe(bench + Vec3::new(x, 0.0, z), sides, rows, |v| {
                    (0.018 + 0.016 * (v * 2.5 * PI).sin().abs(), 0.38 * v)
                });
            }
        }
    }
}

/// The windows: the plane of the glass, the middle along z, and a number.
fn openings(detail: &Detail) -> impl Iterator<Item = (f32, f32, usize)> {
    let (bays, bay) = (detail.bays, detail.bay());
    (0..2 * bays).map(move |number| {
        let x = if number < bays { -HALF_WIDTH - 0.25 } else { HALF_WIDTH + 0.25 };
        (x, ((number % bays) as f32 + 0.5) * bay, number)
    })
}
