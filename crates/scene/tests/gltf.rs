//! glTF: hierarchy, instancing, sparse and odd accessors, strips, materials, cameras, buffers.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)] // helpers of tests

mod common;

use common::{glb, kite};
use geometry::{Transform, Vec3};
use scene::{Scene, Shape};

/// A document about the kite's buffer: accessor 0 has four positions, accessor 1 nine indices.
fn document(rest: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},
"buffers":[{{"byteLength":84}}],
"bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":36}}],
{rest}}}"#
    )
}

const ACCESSORS: &str = r#""accessors":[
{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},
{"bufferView":1,"componentType":5125,"count":9,"type":"SCALAR"}]"#;

const MESH: &str =
    r#""meshes":[{"name":"kite","primitives":[{"attributes":{"POSITION":0},"indices":1}]}]"#;

fn try_read(rest: &str) -> Result<Scene, scene::SceneError> {
    scene::read("kite.glb", &glb(&document(rest), &kite().buffer()))
}

fn read(rest: &str) -> Scene {
    try_read(rest).unwrap_or_else(|error| panic!("{error}"))
}

fn indices(scene: &Scene, geometry: usize) -> Vec<[u32; 3]> {
    let Shape::Triangles { indices, .. } = &scene.objects[0].geometries[geometry].shape else {
        panic!()
    };
    indices.clone()
}

fn positions(scene: &Scene, geometry: usize) -> Vec<Vec3> {
    let Shape::Triangles { positions, .. } = &scene.objects[0].geometries[geometry].shape else {
        panic!()
    };
    positions.clone()
}

#[test]
fn a_shared_mesh_becomes_instances() {
    let scene = read(&format!(
        r#"{ACCESSORS},{MESH},"scene":1,"scenes":[{{"nodes":[3]}},{{"nodes":[0]}}],"nodes":[
{{"children":[1,2],"translation":[10,20,30]}},
{{"mesh":0,"scale":[2,3,-4]}},
{{"mesh":0,"rotation":[0,0,0.7071067811865476,0.7071067811865476]}},
{{"mesh":0}}]"#
    ));
    assert_eq!((scene.objects.len(), scene.instances.len()), (1, 2));
    assert_eq!(scene.objects[0].name, "kite");
    assert_eq!(scene.placed_triangle_count(), 6);
    let moved = |i: usize| scene.instances[i].object_to_world.point(Vec3::new(1.0, 1.0, 1.0));
    assert_eq!(moved(0), Vec3::new(12.0, 23.0, 26.0));
    // A quarter turn about z takes x to y.
    assert!(moved(1).distance(Vec3::new(9.0, 21.0, 31.0)) < 1e-6);
}

#[test]
fn a_lone_mesh_in_its_place_needs_no_instance() {
    let scene = read(&format!(r#"{ACCESSORS},{MESH},"nodes":[{{"mesh":0}}]"#));
    assert!(scene.instances.is_empty());
    assert_eq!(indices(&scene, 0), kite().indices);
    let moved =
        read(&format!(r#"{ACCESSORS},{MESH},"nodes":[{{"mesh":0,"translation":[0,1,0]}}]"#));
    let up = Transform::translation(Vec3::Y);
    assert_eq!(moved.instances[0].object_to_world, up);
}

#[test]
fn strips_fans_and_lists_without_indices() {
    let mesh = |mode: u32| {
        format!(r#""meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"mode":{mode}}}]}}]"#)
    };
    let of = |mode: u32| try_read(&format!(r#"{ACCESSORS},{},"nodes":[{{"mesh":0}}]"#, mesh(mode)));
    assert_eq!(indices(&of(5).unwrap(), 0), [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(indices(&of(6).unwrap(), 0), [[1, 2, 0], [2, 3, 0]]);
    let list = of(4).unwrap_err().to_string();
    assert_eq!(
        list,
        "kite.glb: meshes[0].primitives[0]: found 4 corners, expected a multiple of 3"
    );
    assert_eq!(of(1).unwrap_err().to_string(), "kite.glb: there are no triangles");
}

#[test]
fn sparse_accessors_replace_elements() {
    // Element 1 of the positions becomes the twelve bytes at 12, which are its own, then element 2
    // those at 24; the indices of the sparse part are the bytes 0 and 1 of a view of their own.
    let buffer = [kite().buffer(), vec![3, 0, 0, 0]].concat();
    let json = document(
        r#""accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3",
"sparse":{"count":2,"indices":{"bufferView":2,"componentType":5121},
"values":{"bufferView":0,"byteOffset":12}}},
{"count":3,"componentType":5126,"type":"VEC3","sparse":{"count":1,
"indices":{"bufferView":2,"componentType":5121,"byteOffset":1},"values":{"bufferView":0}}}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"mode":5},{"attributes":{"POSITION":1}}]}],
"nodes":[{"mesh":0}]"#,
    )
    .replace(
        r#""byteLength":36}"#,
        r#""byteLength":36},{"buffer":0,"byteOffset":84,"byteLength":4}"#,
    )
    .replace(r#""byteLength":84"#, r#""byteLength":88"#);
    let scene = scene::read("sparse.glb", &glb(&json, &buffer)).unwrap();
    let p = kite().positions;
    assert_eq!(positions(&scene, 0), [p[2], p[1], p[2], p[1]]);
    assert_eq!(positions(&scene, 1), [p[0], Vec3::ZERO, Vec3::ZERO]);
}

#[test]
fn small_indices_and_quantised_positions() {
    // u16 triples at stride 8, normalised; u8 indices.
    let mut buffer: Vec<u8> = Vec::new();
    for triple in [[0u16, 65535, 13107], [65535, 0, 0], [0, 0, 65535]] {
        triple.iter().for_each(|x| buffer.extend(x.to_le_bytes()));
        buffer.extend([0xAA, 0xAA]);
    }
    buffer.extend([2, 0, 1, 0]);
    let json = r#"{"asset":{"version":"2.0"},"extensionsRequired":["KHR_mesh_quantization"],
"buffers":[{"byteLength":28}],
"bufferViews":[{"buffer":0,"byteLength":24,"byteStride":8},
{"buffer":0,"byteOffset":24,"byteLength":4}],
"accessors":[{"bufferView":0,"componentType":5123,"normalized":true,"count":3,"type":"VEC3"},
{"bufferView":1,"componentType":5121,"count":3,"type":"SCALAR"}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"nodes":[{"mesh":0}]}"#;
    let scene = scene::read("small.glb", &glb(json, &buffer)).unwrap();
    assert_eq!(positions(&scene, 0)[0], Vec3::new(0.0, 1.0, 0.2));
    assert_eq!(indices(&scene, 0), [[2, 0, 1]]);
}

#[test]
fn materials_and_shared_positions() {
    let scene = read(&format!(
        r#"{ACCESSORS},"materials":[{{"name":"glass","alphaMode":"BLEND"}},{{"alphaMode":"OPAQUE"}},
{{"alphaMode":"MASK"}}],"meshes":[{{"primitives":[
{{"attributes":{{"POSITION":0}},"indices":1,"material":0}},
{{"attributes":{{"POSITION":0}},"indices":1,"material":1}},
{{"attributes":{{"POSITION":0}},"mode":5,"material":2}}]}}],"nodes":[{{"mesh":0}}]"#
    ));
    let parts = &scene.objects[0].geometries;
    assert_eq!([0, 1, 2].map(|i| parts[i].opaque), [false, true, false]);
    assert_eq!(parts[0].name, "glass");
    assert_eq!(positions(&scene, 1), kite().positions);
    assert_eq!(indices(&scene, 1), kite().indices);
}

#[test]
fn the_first_camera_is_the_scenes() {
    let scene = read(&format!(
        r#"{ACCESSORS},{MESH},"cameras":[{{"type":"orthographic"}},
{{"type":"perspective","perspective":{{"yfov":0.5,"znear":0.1}}}}],
"nodes":[{{"mesh":0}},{{"camera":0}},{{"camera":1,"translation":[1,2,3],
"rotation":[0,0.7071067811865476,0,0.7071067811865476]}}]"#
    ));
    let camera = scene.camera.unwrap();
    assert_eq!(camera.eye, Vec3::new(1.0, 2.0, 3.0));
    // A quarter turn about y: it looks along -x.
    assert!((camera.target - camera.eye).normalize().distance(-Vec3::X) < 1e-6);
    assert!((camera.fov - 0.5f32.to_degrees()).abs() < 1e-4 && camera.up.distance(Vec3::Y) < 1e-6);
}

#[test]
fn instances_by_extension() {
    let scene = read(&format!(
        r#"{ACCESSORS},{MESH},"nodes":[{{"mesh":0,"translation":[0,100,0],
"extensions":{{"EXT_mesh_gpu_instancing":{{"attributes":{{"TRANSLATION":0}}}}}}}}]"#
    ));
    let feet: Vec<Vec3> =
        scene.instances.iter().map(|i| i.object_to_world.point(Vec3::ZERO)).collect();
    let expected: Vec<Vec3> = kite().positions.iter().map(|p| *p + Vec3::Y * 100.0).collect();
    assert_eq!(feet, expected);
}

#[test]
fn hierarchies_that_are_not_trees() {
    let with = |nodes: &str| {
        let error =
            try_read(&format!(r#"{ACCESSORS},{MESH},"scenes":[{{"nodes":[0]}}],"nodes":{nodes}"#));
        error.unwrap_err().to_string()
    };
    let tree = "the node has two parents or is its own ancestor";
    let cycle = with(r#"[{"children":[1]},{"name":"knot","children":[2]},{"children":[1]}]"#);
    assert_eq!(cycle, format!("kite.glb: nodes[1] `knot`: {tree}"));
    assert_eq!(with(r#"[{"children":[0]}]"#), format!("kite.glb: nodes[0]: {tree}"));
    let lost = with(r#"[{"children":[7]}]"#);
    assert_eq!(lost, "kite.glb: nodes[0].children: node 7 does not exist; there are 1");
    let flat = with(r#"[{"name":"leaf","mesh":0,"scale":[1,0,1]}]"#);
    assert_eq!(
        flat,
        "kite.glb: nodes[0] `leaf`: the transform is singular or not finite (determinant 0e0)"
    );
    let far = with(r#"[{"mesh":0,"translation":[1e38,0,0]}]"#);
    assert!(
        far.starts_with("kite.glb: nodes[0]: the coordinate ") && far.ends_with("beyond 2^126")
    );
}

#[test]
fn a_chain_of_a_hundred_thousand_nodes() {
    let mut nodes: String = (1..100_000).map(|i| format!(r#"{{"children":[{i}]}},"#)).collect();
    nodes += r#"{"mesh":0}"#;
    let scene = read(&format!(r#"{ACCESSORS},{MESH},"nodes":[{nodes}]"#));
    assert_eq!(scene.triangle_count(), 3);
}

#[test]
fn buffers_beside_the_file_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("in");
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(folder.path().join("secret.bin"), kite().buffer()).unwrap();
    std::fs::write(inner.join("a b.bin"), kite().buffer()).unwrap();
    let path = inner.join("kite.gltf");
    let open = |uri: &str| {
        std::fs::write(&path, kite().json(&format!(r#""uri":"{uri}","#))).unwrap();
        scene::open(&path).map_err(|error| error.to_string())
    };
    assert_eq!(open("a%20b.bin").unwrap().triangle_count(), 3);
    let escape = |uri: &str| {
        let reason = "it lies outside the document's folder";
        format!("{}: buffers[0]: cannot use `{uri}`: {reason}", path.display())
    };
    for uri in ["../secret.bin", "%2e%2e/secret.bin", "/etc/passwd", "http://a/b.bin"] {
        assert_eq!(open(uri).unwrap_err(), escape(uri));
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../secret.bin", inner.join("link.bin")).unwrap();
        assert_eq!(open("link.bin").unwrap_err(), escape("link.bin"));
    }
    assert!(open("none.bin").unwrap_err().contains("buffers[0]: cannot use `none.bin`: No such"));
    let alone = scene::read("kite.gltf", kite().json(r#""uri":"a.bin","#).as_bytes()).unwrap_err();
    let reason = "the document was not read from a folder";
    assert_eq!(alone.to_string(), format!("kite.gltf: buffers[0]: cannot use `a.bin`: {reason}"));
}
