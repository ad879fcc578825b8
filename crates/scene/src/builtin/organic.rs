//! `organic`: a closed coral-like body.
//!
//! The surface of a box, divided into a lattice, is blown up to a sphere; each direction gets a radius
//! (so nothing can fold over itself), and the whole is bent by shears `x += f(y, z)`, `y += g(z, x)`,
//! `z += h(x, y)`. A shear is a bijection of space, so the body stays free of self-intersections.
//! Folds whose wavelength the lattice cannot carry are left out: more triangles, finer folds.

use super::lattice::Lattice;
use super::mesh_of;
use crate::{Camera, Object, Scene};
use geometry::Vec3;

pub(super) fn scene(triangles: usize) -> Scene {
    let lattice = Lattice::nearest(triangles);
    let finest = 4.0 * lattice.step();
    let (positions, indices) = lattice.surface(|direction| body(direction, finest));
    Scene {
        objects: vec![Object {
            name: "body".into(),
            geometries: vec![mesh_of("skin", positions, indices)],
        }],
        camera: Some(Camera {
            eye: Vec3::new(2.6, 1.7, 4.1),
            target: Vec3::new(0.0, -0.05, 0.0),
            up: Vec3::Y,
            fov: 36.0,
        }),
        ..Scene::default()
    }
}

/// The point of the body in a direction, with folds down to about the wavelength `finest`.
fn body(direction: Vec3, finest: f32) -> Vec3 {
    let lump = 0.20 * gyroid(direction * 1.9 + Vec3::new(0.4, 1.3, 2.2))
        + 0.07 * gyroid(direction * 4.1 + Vec3::new(2.0, 0.1, 0.7));
    let skin = direction * (1.0 + lump);
    let mut fold = 0.0;
    for (frequency, height) in [(9.0, 0.085), (21.0, 0.026), (52.0, 0.009), (131.0, 0.003)] {
        let wavelength = std::f32::consts::TAU / frequency;
        let carried = ((wavelength / finest - 1.0) * 0.5).clamp(0.0, 1.0);
        if carried > 0.0 {
            let wave = gyroid(skin * frequency + Vec3::splat(frequency));
            // Rounded ridges: |wave| with a soft valley.
            fold += carried * height * ((wave * wave + 0.04).sqrt() - 0.5);
        }
    }
    bend(direction * (1.0 + lump + fold))
}

/// Three rounds of shears, slow enough to keep the body whole and strong enough to swirl it.
fn bend(mut p: Vec3) -> Vec3 {
    for round in 0..3 {
        let (phase, wave) = (1.7 * round as f32, 1.5 + 0.45 * round as f32);
        p.x += 0.16 * ((wave * p.y + phase).sin() + (wave * 1.3 * p.z + 0.6).cos());
        p.y += 0.16 * ((wave * p.z + phase + 2.1).sin() + (wave * 1.2 * p.x).cos() - 0.6);
        p.z += 0.16 * ((wave * p.x + phase + 4.0).sin() + (wave * 1.1 * p.y + 1.1).cos());
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
