//! What each format can say beyond a plain mesh.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)] // helpers of tests

use crate::common;

use common::{indices, part, positions};
use geometry::Vec3;
use scene::Scene;

fn read(name: &str, text: &str) -> Scene {
    scene::read(name, text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn obj_groups_become_geometries() {
    let text = include_str!("files/groups.obj");
    let scene = read("groups.obj", text);
    let parts = &scene.objects[0].geometries;
    let names: Vec<&str> = parts.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(names, ["", "house/roof", "house/wall"]);
    assert_eq!(indices(&parts[0]), [[0, 1, 2]]);
    // The roof is taken up again at the end; the wall's quad uses vertices 2, 3, 5 and 6 of the
    // file.
    assert_eq!(indices(&parts[1]).len(), 2);
    assert_eq!(indices(&parts[2]), [[0, 1, 2], [0, 2, 3]]);
    let xs: Vec<f32> = positions(&parts[2]).iter().map(|p| p.x).collect();
    assert_eq!(xs, [2.0, 3.0, 5.0, 6.0]);
}

#[test]
fn one_obj_geometry_keeps_unused_vertices() {
    let scene = read("a.obj", "v 9 9 9\nv 0 0 1\nv 1 0 0\nv 0 1 0\nv 8 8 8\nf 2 3 4\n");
    assert_eq!(positions(part(&scene, 0)).len(), 5);
    assert_eq!(indices(part(&scene, 0)), [[1, 2, 3]]);
}

#[test]
fn obj_lines_may_be_continued() {
    let scene = read("a.obj", "v 0 0 1\nv 1 0 \\\n 0\nv 0 1 0\nf 1 \\\r\n2 \\\n 3");
    assert_eq!(positions(part(&scene, 0))[1], Vec3::new(1.0, 0.0, 0.0));
    assert_eq!(scene.triangle_count(), 1);
}

#[test]
fn ply_polygons_and_strips() {
    let scene = read("shapes.ply", include_str!("files/shapes.ply"));
    let geometry = &scene.objects[0].geometries[0];
    // A concave arrowhead: the notch at vertex 2 must not be covered.
    let area: f32 = geometry
        .triangles()
        .take(2)
        .map(|t| {
            let [a, b, c] = t.vertices;
            0.5 * (b - a).cross(c - a).length()
        })
        .sum();
    assert_eq!(area, 1.5);
    // Two strips, of four corners and of three.
    assert_eq!(indices(geometry)[2..], [[0, 1, 2], [2, 1, 3], [3, 2, 0]]);
}

#[test]
fn ply_headers_may_end_lines_with_cr_alone() {
    let header = "ply\rformat binary_little_endian 1.0\relement vertex 3\rproperty uchar x\r\
                  property char y\rproperty ushort z\relement face 1\r\
                  property list uchar uchar vertex_indices\rend_header\r";
    // The first byte of the body is a line feed, and must be taken as a number.
    let body = [10, 0xFF, 1, 1, 0, 2, 0, 0, 7, 3, 0, 0, 3, 2, 1, 0];
    let scene = scene::read("cr.ply", &[header.as_bytes(), &body].concat()).unwrap();
    let geometry = &scene.objects[0].geometries[0];
    assert_eq!(positions(geometry)[0], Vec3::new(10.0, -1.0, 257.0));
    assert_eq!(indices(geometry), [[2, 1, 0]]);
}

#[test]
fn stl_solids_become_geometries() {
    let scene = read("two.stl", include_str!("files/two.stl"));
    let parts = &scene.objects[0].geometries;
    assert_eq!(parts.len(), 2);
    assert_eq!((parts[0].name.as_str(), parts[1].name.as_str()), ("first part", ""));
    assert_eq!(indices(&parts[0]), [[0, 1, 2], [2, 1, 3]]);
    // A loop of four corners.
    assert_eq!(indices(&parts[1]), [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn a_mark_before_the_text_is_passed_over() {
    assert_eq!(read("bom.txt", "\u{FEFF}v 0 0 1\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").triangle_count(), 1);
}
