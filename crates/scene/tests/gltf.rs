//! glTF: hierarchy, instancing, sparse and odd accessors, strips, materials, cameras, buffers.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)] // helpers of tests

use crate::common;

use common::{glb, indices, kite, part, positions};
use geometry::{Transform, Vec3};
use scene::Scene;

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
    assert_eq!(indices(part(&scene, 0)), kite().indices);
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
    assert_eq!(indices(part(&of(5).unwrap(), 0)), [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(indices(part(&of(6).unwrap(), 0)), [[1, 2, 0], [2, 3, 0]]);
    let list = of(4).unwrap();
    assert_eq!(indices(part(&list, 0)), [[0, 1, 2]]);
    assert_eq!(
        list.warnings[0].to_string(),
        "kite.glb: meshes[0].primitives[0]: corners beyond a multiple of 3 are passed over"
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
    assert_eq!(positions(part(&scene, 0)), [p[2], p[1], p[2], p[1]]);
    assert_eq!(positions(part(&scene, 1)), [p[0], Vec3::ZERO, Vec3::ZERO]);
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
    assert_eq!(positions(part(&scene, 0))[0], Vec3::new(0.0, 1.0, 0.2));
    assert_eq!(indices(part(&scene, 0)), [[2, 0, 1]]);
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
    assert_eq!(positions(part(&scene, 1)), kite().positions);
    assert_eq!(indices(part(&scene, 1)), kite().indices);
}

#[test]
fn the_first_camera_is_the_scenes() {
    let scene = read(&format!(
        r#"{ACCESSORS},{MESH},"cameras":[{{"type":"orthographic"}},
{{"type":"perspective","perspective":{{"yfov":0.5,"znear":0.1}}}}],
"nodes":[{{"mesh":0}},{{"camera":0}},{{"camera":1,"translation":[1,2,3],
"rotation":[0,0.7071067811865476,0,0.7071067811865476]}}]"#
    ));
    let camera = scene.camera().unwrap();
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
    assert_eq!(flat, "kite.glb: there are no triangles");
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

/// What a mesh with a changed primitive, and nodes, becomes.
fn with_primitive(rest: &str, document: &str) -> Scene {
    read(&format!(
        r#"{ACCESSORS},"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1,
{rest}}}],"weights":[0.5,0,-2]}}],{document}"#
    ))
}

#[test]
fn morph_targets_have_the_weights_of_the_file() {
    let targets = r#""targets":[{"POSITION":0},{"POSITION":0},{"POSITION":0,"NORMAL":7}]"#;
    let scene = with_primitive(targets, r#""nodes":[{"mesh":0}]"#);
    let moved = |by: f32| kite().positions.iter().map(|p| *p * by).collect::<Vec<Vec3>>();
    assert_eq!(positions(part(&scene, 0)), moved(1.0 + 0.5 - 2.0));
    // A node may have weights of its own; nodes without share one object.
    let nodes = r#""nodes":[{"mesh":0},{"mesh":0,"weights":[0,3]},{"mesh":0}]"#;
    let scene = with_primitive(targets, nodes);
    let objects: Vec<usize> = scene.instances.iter().map(|instance| instance.object).collect();
    assert_eq!(objects, [0, 1, 0]);
    assert_eq!(positions(&scene.objects[1].geometries[0]), moved(4.0));
}

/// Four vertices in the hands of two joints: the first two follow one joint each, the third both,
/// the last none.
#[test]
fn skins_have_the_pose_of_their_joints() {
    let mut buffer = kite().buffer();
    buffer.extend([0u8, 9, 9, 9, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    for weights in [[1.0f32, 0.0], [0.5, 0.0], [0.25, 0.75], [0.0, 0.0]] {
        buffer.extend([weights[0], weights[1], 0.0, 0.0].map(f32::to_le_bytes).concat());
    }
    // The inverse bind matrices move by -1 and by -2 along x.
    for by in [-1.0f32, -2.0] {
        let columns = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., by, 0., 0., 1.];
        buffer.extend(columns.map(f32::to_le_bytes).concat());
    }
    let json = r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":292}],"bufferViews":[
{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":36},
{"buffer":0,"byteOffset":84,"byteLength":16},{"buffer":0,"byteOffset":100,"byteLength":64},
{"buffer":0,"byteOffset":164,"byteLength":128}],
"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},
{"bufferView":1,"componentType":5125,"count":9,"type":"SCALAR"},
{"bufferView":2,"componentType":5121,"count":4,"type":"VEC4"},
{"bufferView":3,"componentType":5126,"count":4,"type":"VEC4"},
{"bufferView":4,"componentType":5126,"count":2,"type":"MAT4"}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0,"JOINTS_0":2,"WEIGHTS_0":3},"indices":1}]}],
"skins":[{"joints":[2,3],"inverseBindMatrices":4}],"scenes":[{"nodes":[0,1]}],
"nodes":[{"mesh":0,"skin":0,"translation":[7,7,7]},{"children":[2],"translation":[0,10,0]},
{"children":[3],"translation":[1,0,0]},{"scale":[1,1,3]}]}"#;
    let scene = scene::read("skin.glb", &glb(json, &buffer)).unwrap();
    // The transform of the node itself does not count.
    assert!(scene.instances.is_empty());
    let p = kite().positions;
    let first = |p: Vec3| p + Vec3::new(0.0, 10.0, 0.0);
    let second = |p: Vec3| Vec3::new(p.x - 1.0, p.y + 10.0, 3.0 * p.z);
    let third = first(p[2]) * 0.25 + second(p[2]) * 0.75;
    assert_eq!(positions(part(&scene, 0)), [first(p[0]), second(p[1]), third, p[3]]);

    let wrong = json.replace(r#""joints":[2,3]"#, r#""joints":[2]"#);
    let error = scene::read("skin.glb", &glb(&wrong, &buffer)).unwrap_err().to_string();
    let place = "meshes[0].primitives[0].attributes.JOINTS_0, element 1";
    assert_eq!(error, format!("skin.glb: {place}: joint 1 does not exist; there are 1"));
    let nobody = json.replace(r#""nodes":[0,1]"#, r#""nodes":[0]"#);
    let scene = scene::read("skin.glb", &glb(&nobody, &buffer)).unwrap();
    let text = "a joint of the skin lies outside the scene, and is not moved (2 times)";
    assert_eq!(scene.warnings[0].to_string(), format!("skin.glb: nodes[0]: {text}"));
}

#[test]
fn flat_instances_are_left_out() {
    let two = r#""meshes":[{"name":"flat","primitives":[{"attributes":{"POSITION":0},"indices":1}]},
{"name":"kite","primitives":[{"attributes":{"POSITION":0},"indices":1}]}]"#;
    let nodes = r#"[{"mesh":1},{"name":"leaf","mesh":0,"scale":[1,0,1]}]"#;
    let scene = read(&format!(r#"{ACCESSORS},{two},"nodes":{nodes}"#));
    assert_eq!((scene.objects.len(), scene.triangle_count()), (1, 3));
    assert_eq!(scene.objects[0].name, "kite");
    let text = "a transform squashes the mesh flat, and it is left out";
    assert_eq!(scene.warnings[0].to_string(), format!("kite.glb: nodes[1] `leaf`: {text}"));
}

#[test]
fn colours_and_textures_of_materials() {
    let mut buffer = kite().buffer();
    // Texture coordinates, then colours of which the last is opaque green.
    for (u, v) in [(0.0f32, 0.0f32), (1.0, 0.0), (0.5, 0.25), (0.0, 1.0)] {
        buffer.extend([u, v].map(f32::to_le_bytes).concat());
    }
    buffer.extend([[255u8, 0, 0, 9], [0, 0, 255, 9], [0, 0, 0, 9], [0, 255, 0, 255]].concat());
    buffer.extend(*b"picture.");
    let json = r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":140}],"bufferViews":[
{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":36},
{"buffer":0,"byteOffset":84,"byteLength":32},{"buffer":0,"byteOffset":116,"byteLength":16},
{"buffer":0,"byteOffset":132,"byteLength":8}],
"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},
{"bufferView":1,"componentType":5125,"count":9,"type":"SCALAR"},
{"bufferView":2,"componentType":5126,"count":4,"type":"VEC2"},
{"bufferView":3,"componentType":5121,"normalized":true,"count":4,"type":"VEC4"}],
"images":[{"bufferView":4,"mimeType":"image/png"},{"uri":"none.png"}],
"textures":[{"source":0},{"source":1}],
"materials":[{"name":"paint","pbrMetallicRoughness":{"baseColorFactor":[0.5,0.25,2,0.1],
"baseColorTexture":{"index":0,"extensions":{"KHR_texture_transform":
{"offset":[0.5,0],"rotation":1.5707963267948966,"scale":[2,1]}}}}},
{"extensions":{"KHR_materials_pbrSpecularGlossiness":{"diffuseFactor":[0,1,0,1],
"diffuseTexture":{"index":1}}}}],
"meshes":[{"primitives":[
{"attributes":{"POSITION":0,"TEXCOORD_0":2,"COLOR_0":3},"indices":1,"material":0},
{"attributes":{"POSITION":0,"TEXCOORD_0":2},"indices":1,"material":1},
{"attributes":{"POSITION":0},"indices":1}]}],"nodes":[{"mesh":0}]}"#;
    let scene = scene::read("paint.glb", &glb(json, &buffer)).unwrap();
    let parts = &scene.objects[0].geometries;
    let paint = parts[0].appearance.as_ref().unwrap();
    assert_eq!(paint.colour, Vec3::new(0.5, 0.25, 1.0));
    assert_eq!(paint.vertex_colours, [[255, 0, 0], [0, 0, 255], [0, 0, 0], [0, 255, 0]]);
    let texture = paint.texture.as_ref().unwrap();
    assert_eq!(
        *texture.image,
        scene::ImageSource::Embedded { place: "images[0]".to_owned(), bytes: b"picture.".to_vec() }
    );
    // Doubled along u, turned a quarter, moved along u.
    let expected = [[0.5, 0.0], [0.5, -2.0], [0.75, -1.0], [1.5, 0.0]];
    for (found, expected) in texture.coordinates.iter().zip(expected) {
        assert!((0..2).all(|k| (found[k] - expected[k]).abs() < 1e-6), "{found:?}");
    }
    let green = parts[1].appearance.as_ref().unwrap();
    assert_eq!(**green, scene::Appearance::plain(Vec3::Y));
    assert_eq!(parts[2].appearance, None);
    let text = "no picture: the document was not read from a folder";
    assert_eq!(scene.warnings[0].to_string(), format!("paint.glb: images[1]: {text}"));
}
