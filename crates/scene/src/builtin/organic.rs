//! `organic`: a closed coral-like body.
//!
//! The surface of a box, divided into a lattice, is blown up to a sphere; each direction gets a
//! radius (so nothing can fold over itself), and the whole is bent by shears `x += f(y, z)`,
//! `y += g(z, x)`, `z += h(x, y)`. A shear is a bijection of space, so the body stays free of
//! self-intersections. Folds whose wavelength the lattice cannot carry are left out: more
//! triangles, finer folds.

use super::lattice::Lattice;
use super::mesh_of;
use crate::{Camera, NamedCamera, Object, Scene};
use geometry::Vec3;
use std::f32::consts::TAU;

pub(super) fn scene(triangles: usize) -> Scene {
    let lattice = Lattice::nearest(triangles);
    let finest = 4.0 * lattice.step();
    let (positions, indices) = lattice.surface(|direction| body(direction, finest));
    Scene {
        objects: vec![Object {
            name: "body".into(),
            geometries: vec![mesh_of("skin", positions, indices)],
        }],
        cameras: vec![NamedCamera::from(Camera {
            eye: Vec3::new(2.5, 1.5, 3.9),
            target: Vec3::new(0.2, 0.0, 0.02),
            up: Vec3::Y,
            fov: 35.0,
        })],
        ..Scene::default()
    }
}

/// The point of the body in a direction, with folds down to about the wavelength `finest`.
fn body(direction: Vec3, finest: f32) -> Vec3 {
    let lump = 0.17 * gyroid(direction * 2.3 + Vec3::new(0.4, 1.3, 2.2));
    let skin = direction * (1.0 + lump);
    // Folds run deep on one side of the body and fade to the other.
    let cover = 0.5 + 0.5 * (direction.dot(Vec3::new(1.5, 1.0, 1.2)) + 0.4).sin();
    let mut fold = 0.0;
    for (frequency, height) in [(7.0, 0.17), (29.0, 0.012), (83.0, 0.0045), (230.0, 0.0016)] {
        let carried = ((TAU / (frequency * finest) - 1.0) * 0.5).clamp(0.0, 1.0);
        if carried > 0.0 {
            let wave = gyroid(skin * frequency + Vec3::splat(frequency));
            // Soft ridges with rounded valleys between them, as on a brain coral.
            fold += carried * cover * height * (wave * wave / (wave * wave + 0.35) - 0.5);
        }
    }
    bend(direction * (1.0 + lump + fold))
}

/// Two rounds of shears, slow enough to keep the body full and strong enough to swirl it.
fn bend(mut p: Vec3) -> Vec3 {
    for round in 0..2 {
        let (phase, wave) = (1.7 * round as f32, 1.3 + 0.5 * round as f32);
        p.x += 0.15 * ((wave * p.y + phase).sin() + (wave * p.z + 0.6).sin());
        p.y += 0.15 * ((wave * p.z + phase + 2.1).sin() + (wave * p.x).sin());
        p.z += 0.15 * ((wave * p.x + phase + 4.0).sin() + (wave * p.y + 1.1).sin());
    }
    p
}

/// Schoen's gyroid as a smooth noise, about -1.5 to 1.5.
fn gyroid(p: Vec3) -> f32 {
    let (sx, cx) = p.x.sin_cos();
    let (sy, cy) = p.y.sin_cos();
    let (sz, cz) = p.z.sin_cos();
    sx * cy + sy * cz + sz * cx
}
