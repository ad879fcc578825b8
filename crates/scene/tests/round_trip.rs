//! Random meshes written in each format are read back bit for bit.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)] // helpers of tests

use crate::common;

use common::{Mesh, meshes};
use geometry::Vec3;
use proptest::prelude::*;
use scene::{MeshFormat, Scene, Shape};
use std::path::Path;

/// The only mesh of a scene.
fn mesh_of(scene: &Scene) -> (&[Vec3], &[[u32; 3]]) {
    assert!(scene.instances.is_empty() && scene.objects.len() == 1);
    let [geometry] = scene.objects[0].geometries.as_slice() else {
        panic!("one geometry expected")
    };
    let Shape::Triangles { positions, indices } = &geometry.shape else { panic!() };
    (positions, indices)
}

/// Positions as bits: -0 is not 0 here.
fn bits(positions: &[Vec3]) -> Vec<[u32; 3]> {
    positions.iter().map(|p| p.to_array().map(f32::to_bits)).collect()
}

fn assert_read_back(mesh: &Mesh, name: &str, file: &[u8], keeps_vertices: bool) {
    let scene = scene::read(name, file).unwrap_or_else(|error| panic!("{error}"));
    let (positions, indices) = mesh_of(&scene);
    if keeps_vertices {
        assert_eq!(bits(positions), bits(&mesh.positions), "{name}");
        assert_eq!(indices, mesh.indices, "{name}");
    }
    let corners = |t: [Vec3; 3]| bits(&t);
    let read: Vec<_> = indices.iter().map(|t| corners(t.map(|i| positions[i as usize]))).collect();
    let written: Vec<_> = mesh.triangles().into_iter().map(corners).collect();
    assert_eq!(read, written, "{name}");
}

proptest! {
    #[test]
    fn every_format_gives_the_mesh_back(mesh in meshes()) {
        for (name, file, keeps_vertices) in mesh.every_format() {
            assert_read_back(&mesh, name, &file, keeps_vertices);
        }
        for (name, keeps_vertices) in [("a.obj", true), ("a.PLY", true), ("a.stl", false)] {
            let mut file = Vec::new();
            let format = MeshFormat::of(Path::new(name)).unwrap();
            format.write(&mut file, &mesh.positions, &mesh.indices).unwrap();
            assert_read_back(&mesh, name, &file, keeps_vertices);
        }
    }

    #[test]
    fn the_name_does_not_matter_where_the_content_is_clear(mesh in meshes()) {
        for (_, file, keeps_vertices) in mesh.every_format() {
            for name in ["no extension", "wrong.obj", "wrong.stl", "wrong.ply", "wrong.glb"] {
                assert_read_back(&mesh, name, &file, keeps_vertices);
            }
        }
    }

    #[test]
    fn stl_welds_equal_corners_and_no_others(mesh in meshes()) {
        let mut used: Vec<_> = mesh.triangles().iter().flat_map(|t| bits(t)).collect();
        used.sort_unstable();
        used.dedup();
        for file in [mesh.stl_text(), mesh.stl_binary()] {
            let scene = scene::read("mesh.stl", &file).unwrap();
            let mut welded = bits(mesh_of(&scene).0);
            welded.sort_unstable();
            assert_eq!(welded, used);
        }
    }
}
