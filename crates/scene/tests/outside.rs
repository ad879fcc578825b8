//! Files written by trimesh (`files/make.py`): counts, bounds and areas as trimesh reads them.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)] // helpers of tests

use geometry::Vec3;
use scene::{Instance, Scene};
use std::path::Path;

/// All triangles in world space, in `f64` where the sums are.
fn placed(scene: &Scene) -> Vec<[Vec3; 3]> {
    let lone = [Instance::new(0, geometry::Transform::IDENTITY)];
    let instances =
        if scene.instances.is_empty() { lone.as_slice() } else { scene.instances.as_slice() };
    instances
        .iter()
        .flat_map(|instance| {
            let geometries = &scene.objects[instance.object].geometries;
            geometries.iter().flat_map(|g| g.triangles()).map(|triangle| {
                triangle.vertices.map(|vertex| instance.object_to_world.point(vertex))
            })
        })
        .collect()
}

#[test]
fn trimesh_agrees() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let text = std::fs::read_to_string(folder.join("expected.json")).unwrap();
    let expected: serde_json::Value = serde_json::from_str(&text).unwrap();
    let files = expected["files"].as_object().unwrap();
    assert_eq!(files.len(), 6);
    for (name, file) in files {
        let scene = scene::open(folder.join(name)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(scene.name, *name);
        assert_eq!(file["triangles"], scene.placed_triangle_count(), "{name}");
        let triangles = placed(&scene);
        for axis in 0..3 {
            let along = || triangles.iter().flatten().map(|p| f64::from(p[axis]));
            let low = file["bounds"][0][axis].as_f64().unwrap();
            let high = file["bounds"][1][axis].as_f64().unwrap();
            assert!((along().fold(f64::INFINITY, f64::min) - low).abs() < 1e-5, "{name}");
            assert!((along().fold(f64::NEG_INFINITY, f64::max) - high).abs() < 1e-5, "{name}");
        }
        let area: f64 = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|p| p.as_dvec3());
                0.5 * (b - a).cross(c - a).length()
            })
            .sum();
        let known = file["area"].as_f64().unwrap();
        assert!((area - known).abs() < 1e-5 * known, "{name}: {area} {known}");
    }
}
