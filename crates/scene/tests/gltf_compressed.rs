//! glTF whose buffers are compressed: by meshoptimizer, by Draco.

#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use common::{glb, indices, kite, part, positions};
use geometry::Vec3;

/// The streams are those of meshoptimizer's own tests: a quad of 16-bit coordinates, two triangles
/// and two more.
#[test]
fn views_that_meshoptimizer_compressed() {
    let vertices = [
        0xA1, 0xEE, 0xAA, 0xEE, 0x00, 0x4B, 0x4B, 0x4B, 0x00, 0x00, 0x4B, 0x00, 0x00, 0x7D, 0x7D,
        0x7D, 0x00, 0x00, 0x7D, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x62, 0x00, 0x62,
    ];
    let triangles = [
        0xE1, 0xF0, 0x10, 0x00, 0x76, 0x87, 0x56, 0x67, 0x78, 0xA9, 0x86, 0x65, 0x89, 0x68, 0x98,
        0x01, 0x69, 0x00, 0x00,
    ];
    let buffer = [&vertices[..], &triangles].concat();
    let json = r#"{"asset":{"version":"2.0"},"extensionsRequired":["EXT_meshopt_compression"],
"buffers":[{"byteLength":63},{"byteLength":60,
"extensions":{"EXT_meshopt_compression":{"fallback":true}}}],"bufferViews":[
{"buffer":1,"byteLength":48,"byteStride":12,"extensions":{"KHR_meshopt_compression":
{"buffer":0,"byteLength":44,"byteStride":12,"count":4,"mode":"ATTRIBUTES"}}},
{"buffer":1,"byteOffset":48,"byteLength":12,"extensions":{"EXT_meshopt_compression":
{"buffer":0,"byteOffset":44,"byteLength":19,"byteStride":2,"count":6,"mode":"TRIANGLES"}}}],
"accessors":[{"bufferView":0,"componentType":5123,"count":4,"type":"VEC3"},
{"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"nodes":[{"mesh":0}]}"#;
    let scene = scene::read("quad.glb", &glb(json, &buffer)).unwrap();
    let corner = |x: f32, y: f32| Vec3::new(300.0 * x, 300.0 * y, 0.0);
    let quad = [corner(0.0, 0.0), corner(1.0, 0.0), corner(0.0, 1.0), corner(1.0, 1.0)];
    assert_eq!(
        (positions(part(&scene, 0)), indices(part(&scene, 0))),
        (&quad[..], &[[0, 1, 2], [2, 1, 3]][..])
    );
    let error = |from: &str, to: &str| {
        let json = json.replace(from, to);
        scene::read("quad.glb", &glb(&json, &buffer)).unwrap_err().to_string()
    };
    assert_eq!(
        error(r#""count":4,"mode""#, r#""count":40,"mode""#),
        "quad.glb: bufferViews[0]: cannot decompress (meshopt): the stream is truncated"
    );
    assert!(
        error(r#""count":4,"mode""#, r#""count":400000,"mode""#).contains("decompressed bytes")
    );
    // Any damage is answered.
    for at in 0..buffer.len() {
        for bit in 0..8 {
            let mut damaged = buffer.clone();
            damaged[at] ^= 1 << bit;
            let _ = scene::read("quad.glb", &glb(json, &damaged));
        }
    }
}

/// A primitive of the kite with colours, compressed by Draco.
fn draco_stream() -> Vec<u8> {
    use draco_core::{
        DataType, EncoderBuffer, EncoderOptions, FaceIndex, GeometryAttributeType, Mesh,
        MeshEncoder, PointAttribute, PointIndex,
    };
    let mut mesh = Mesh::new();
    let mut position = PointAttribute::new();
    position.init(GeometryAttributeType::Position, 3, DataType::Float32, false, 4);
    position.buffer_mut().write(0, &kite().buffer()[..48]);
    mesh.add_attribute(position);
    let mut colour = PointAttribute::new();
    colour.init(GeometryAttributeType::Color, 3, DataType::Uint8, true, 4);
    colour.buffer_mut().write(0, &[255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0]);
    mesh.add_attribute(colour);
    mesh.set_num_faces(3);
    for (number, corners) in kite().indices.into_iter().enumerate() {
        mesh.set_face(FaceIndex(number as u32), corners.map(PointIndex));
    }
    let mut encoder = MeshEncoder::new();
    encoder.set_mesh(mesh);
    let mut stream = EncoderBuffer::new();
    encoder.encode(&EncoderOptions::new(), &mut stream).unwrap();
    stream.data().to_vec()
}

#[test]
fn primitives_that_draco_compressed() {
    let stream = draco_stream();
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"extensionsRequired":["KHR_draco_mesh_compression"],
"buffers":[{{"byteLength":{0}}}],"bufferViews":[{{"buffer":0,"byteLength":{0}}}],
"accessors":[{{"componentType":5126,"count":4,"type":"VEC3"}},
{{"componentType":5125,"count":9,"type":"SCALAR"}},
{{"componentType":5121,"normalized":true,"count":4,"type":"VEC3"}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"COLOR_0":2}},"indices":1,
"extensions":{{"KHR_draco_mesh_compression":{{"bufferView":0,
"attributes":{{"POSITION":0,"COLOR_0":1}}}}}}}}]}}],"nodes":[{{"mesh":0}}]}}"#,
        stream.len()
    );
    let scene = scene::read("kite.glb", &glb(&json, &stream)).unwrap();
    // Vertices and triangles may have another order: compare corners with their colours.
    let appearance = scene.objects[0].geometries[0].appearance.as_ref().unwrap();
    let byte = |x: f32| x.to_bits();
    let mut found: Vec<_> = indices(part(&scene, 0))
        .iter()
        .flatten()
        .map(|&i| {
            let at = positions(part(&scene, 0))[i as usize].to_array().map(byte);
            (at, appearance.vertex_colours[i as usize])
        })
        .collect();
    let colours = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [0, 0, 0]];
    let mut expected: Vec<_> = kite()
        .indices
        .into_iter()
        .flatten()
        .map(|i| (kite().positions[i as usize].to_array().map(byte), colours[i as usize]))
        .collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
    // Any damage is answered.
    for at in 0..stream.len() {
        for bit in 0..8 {
            let mut damaged = stream.clone();
            damaged[at] ^= 1 << bit;
            let _ = scene::read("kite.glb", &glb(&json, &damaged));
        }
        let error = scene::read("kite.glb", &glb(&json, &vec![0; stream.len()])).unwrap_err();
        assert!(error.to_string().contains("cannot decompress (Draco)"), "{error}");
    }
}
