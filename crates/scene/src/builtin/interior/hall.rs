//! The building itself: walls with window openings, floor boards, columns, arches, ceiling.

use super::{COLUMN_ROW, Detail, HALF_WIDTH, HEIGHT, LENGTH};
use crate::builtin::mesh::Mesh;
use geometry::Vec3;
use std::f32::consts::{PI, TAU};

/// Half the width of a window opening.
pub(super) const WINDOW_HALF_WIDTH: f32 = 1.15;
/// Height of the sill.
pub(super) const SILL: f32 = 1.1;
/// Height at which a window's arched head begins.
pub(super) const WINDOW_SPRING: f32 = 5.2;
/// Where the arches between columns begin.
const ARCH_SPRING: f32 = 4.5;
/// Top of the wall above the arches.
const ARCH_TOP: f32 = 7.4;

/// Outer walls. Each bay of a side wall has an arched opening, the far wall a door above the
/// stairs.
pub(super) fn walls(mesh: &mut Mesh, detail: &Detail) {
    let (near, far) = (HALF_WIDTH, HALF_WIDTH + 0.6);
    mesh.block(Vec3::new(-far, 0.0, -0.5), Vec3::new(far, HEIGHT, 0.0));
    mesh.block(Vec3::new(-far, 0.0, LENGTH), Vec3::new(-1.0, HEIGHT, LENGTH + 0.5));
    mesh.block(Vec3::new(1.0, 0.0, LENGTH), Vec3::new(far, HEIGHT, LENGTH + 0.5));
    mesh.block(Vec3::new(-1.0, 5.8, LENGTH), Vec3::new(1.0, HEIGHT, LENGTH + 0.5));
    mesh.block(Vec3::new(-1.0, 0.0, LENGTH), Vec3::new(1.0, 3.2, LENGTH + 0.5));
    let crown = WINDOW_SPRING + WINDOW_HALF_WIDTH + 0.1;
    for side in [-1.0f32, 1.0] {
        let mut wall = |y: (f32, f32), z: (f32, f32)| {
            let (a, b) = (side * near, side * far);
            mesh.block(Vec3::new(a.min(b), y.0, z.0), Vec3::new(a.max(b), y.1, z.1));
        };
        wall((0.0, SILL), (0.0, LENGTH));
        wall((crown, HEIGHT), (0.0, LENGTH));
        let mut from = 0.0;
        for bay in 0..detail.bays {
            let center = (bay as f32 + 0.5) * detail.bay();
            wall((SILL, crown), (from, center - WINDOW_HALF_WIDTH));
            from = center + WINDOW_HALF_WIDTH;
        }
        wall((SILL, crown), (from, LENGTH));
        for bay in 0..detail.bays {
            let center = (bay as f32 + 0.5) * detail.bay();
            let x = if side < 0.0 { (-far, -near) } else { (near, far) };
            arch(mesh, detail, x, center, WINDOW_HALF_WIDTH, (WINDOW_SPRING, crown));
        }
    }
}

/// Boards as long as the hall, with joints between them, and a long runner in the middle.
pub(super) fn floor(mesh: &mut Mesh, detail: &Detail) {
    mesh.block(Vec3::new(-HALF_WIDTH, -0.3, 0.0), Vec3::new(HALF_WIDTH, -0.03, LENGTH));
    let boards = detail.steps(0, 56.0, 0.5) + detail.extra_boards;
    let width = 2.0 * HALF_WIDTH / boards as f32;
    for board in 0..boards {
        let x = -HALF_WIDTH + board as f32 * width;
        let joint = 0.012f32.min(0.1 * width);
        mesh.block(Vec3::new(x + joint, -0.02, 0.01), Vec3::new(x + width, 0.0, LENGTH - 0.01));
    }
    mesh.block(Vec3::new(-1.1, 0.005, 0.5), Vec3::new(1.1, 0.02, 19.0));
}

/// Fluted columns on moulded bases, with capitals.
pub(super) fn columns(mesh: &mut Mesh, detail: &Detail) {
    let flutes = detail.steps(2, 16.0, 0.4).min(24);
    let across = detail.steps(2, 3.0, 1.0);
    let up = detail.steps(1, 3.0, 0.5);
    let (sides, rows) = (detail.steps(4, 28.0, 1.0), detail.steps(1, 10.0, 1.0));
    for foot in column_feet(detail) {
        let half = Vec3::new(0.46, 0.0, 0.46);
        mesh.block(foot - half, foot + half + Vec3::Y * 0.25);
        mesh.lathe(foot, sides, rows, |v| {
            (0.44 - 0.12 * v * v + 0.03 * (v * 2.0 * TAU).sin(), 0.25 + 0.3 * v)
        });
        mesh.patch(flutes * across, up, true, |u, v| {
            let swelling = 0.31 - 0.05 * v * v;
            let radius = swelling * (1.0 - 0.09 * (u * PI * flutes as f32).sin().abs());
            let (sin, cos) = (u * TAU).sin_cos();
            foot + Vec3::new(radius * cos, 0.55 + 3.25 * v, -radius * sin)
        });
        mesh.lathe(foot, sides, rows, |v| {
            (0.27 + 0.19 * v * v * v + 0.02 * (v * 3.0 * TAU).sin(), 3.8 + 0.45 * v)
        });
        mesh.block(foot - half + Vec3::Y * 4.25, foot + half + Vec3::Y * ARCH_SPRING);
    }
}

/// Arches from column to column under a wall, a cornice as long as the hall, and iron ties across.
pub(super) fn arches(mesh: &mut Mesh, detail: &Detail) {
    let half = 0.5 * detail.bay() - 0.42;
    // A wide bay gets a flat arch, so that it stays under the wall's top.
    let rise_limit = half.min(ARCH_TOP - ARCH_SPRING - 0.3);
    for side in [-1.0, 1.0] {
        let x = (side * COLUMN_ROW - 0.36, side * COLUMN_ROW + 0.36);
        for bay in 0..detail.bays {
            let center = (bay as f32 + 0.5) * detail.bay();
            flat_arch(mesh, detail, x, center, half, rise_limit, (ARCH_SPRING, ARCH_TOP));
        }
        for border in 0..=detail.bays {
            let z = border as f32 * detail.bay();
            let (from, to) = ((z - 0.42).max(0.0), (z + 0.42).min(LENGTH));
            mesh.block(Vec3::new(x.0, ARCH_SPRING, from), Vec3::new(x.1, ARCH_TOP, to));
        }
        let mouldings = [(0.0, 0.10), (0.12, 0.17), (0.22, 0.24)];
        for (lift, reach) in mouldings.into_iter().take(detail.steps(0, 9.0, 0.5)) {
            let y = ARCH_TOP + lift;
            mesh.block(Vec3::new(x.0 - reach, y, 0.0), Vec3::new(x.1 + reach, y + 0.1, LENGTH));
        }
    }
    let sides = detail.steps(3, 8.0, 1.0);
    for foot in column_feet(detail).filter(|foot| foot.x > 0.0) {
        let tie = |y: f32, z: f32| {
            [Vec3::new(-COLUMN_ROW, y, foot.z + z), Vec3::new(COLUMN_ROW, y, foot.z + z)]
        };
        mesh.tube(&tie(ARCH_SPRING + 0.25, 0.0), sides, |_| 0.03);
    }
}

/// Boards along the hall, beams across it, ribs between them.
pub(super) fn ceiling(mesh: &mut Mesh, detail: &Detail) {
    mesh.block(
        Vec3::new(-HALF_WIDTH, HEIGHT, -0.5),
        Vec3::new(HALF_WIDTH, HEIGHT + 0.3, LENGTH + 0.5),
    );
    let ribs = detail.steps(0, 26.0, 0.5);
    for rib in 0..ribs {
        let x = HALF_WIDTH * (2.0 * (rib as f32 + 0.5) / ribs as f32 - 1.0);
        mesh.block(
            Vec3::new(x - 0.05, HEIGHT - 0.16, 0.0),
            Vec3::new(x + 0.05, HEIGHT - 0.01, LENGTH),
        );
    }
    for beam in 0..=2 * detail.bays {
        let z = 0.5 * beam as f32 * detail.bay();
        let (from, to) = ((z - 0.14).max(0.0), (z + 0.14).min(LENGTH));
        mesh.block(
            Vec3::new(-HALF_WIDTH, HEIGHT - 0.55, from),
            Vec3::new(HALF_WIDTH, HEIGHT - 0.17, to),
        );
    }
}

/// The feet of all columns.
pub(super) fn column_feet(detail: &Detail) -> impl Iterator<Item = Vec3> {
    let bay = detail.bay();
    (1..detail.bays).flat_map(move |border| {
        [-COLUMN_ROW, COLUMN_ROW].map(|x| Vec3::new(x, 0.0, border as f32 * bay))
    })
}

/// The wall around a round arch; see [`flat_arch`].
fn arch(mesh: &mut Mesh, detail: &Detail, x: (f32, f32), z: f32, half: f32, y: (f32, f32)) {
    flat_arch(mesh, detail, x, z, half, half, y);
}

/// The wall above an elliptic arch: both faces from the curve up to a level top, and the soffit.
/// The wall is `x` thick, the opening `2 half` wide about `z`, and `y` holds spring and top.
fn flat_arch(
    mesh: &mut Mesh,
    detail: &Detail,
    x: (f32, f32),
    z: f32,
    half: f32,
    rise: f32,
    y: (f32, f32),
) {
    let segments = detail.steps(2, 14.0, 1.0);
    let curve = move |u: f32| {
        let angle = PI * (1.0 - u);
        (z + half * angle.cos(), y.0 + rise * angle.sin())
    };
    let rows = detail.steps(1, 1.0, 0.4);
    mesh.patch(segments, rows, false, |u, v| {
        let (z, low) = curve(u);
        Vec3::new(x.0, low + (y.1 - low) * v, z)
    });
    mesh.patch(segments, rows, false, |u, v| {
        let (z, low) = curve(1.0 - u);
        Vec3::new(x.1, low + (y.1 - low) * v, z)
    });
    mesh.patch(segments, rows, false, |u, v| {
        let (z, low) = curve(u);
        Vec3::new(x.1 + (x.0 - x.1) * v, low, z)
    });
}
