//! Meshes written in every format, for tests that read them back.

#![allow(clippy::panic)] // helpers of tests may fail as tests do

use base64::Engine;
use geometry::Vec3;
use proptest::prelude::*;
use scene::{Geometry, Scene, Shape};

/// A mesh to write.
#[derive(Debug, Clone)]
pub(crate) struct Mesh {
    pub(crate) positions: Vec<Vec3>,
    pub(crate) indices: Vec<[u32; 3]>,
}

/// Meshes with any finite coordinates up to 2^126 and any valid indices.
pub(crate) fn meshes() -> impl Strategy<Value = Mesh> {
    let coordinate = prop_oneof![
        4 => -1000.0f32..1000.0,
        1 => any::<f32>().prop_filter("in range", |x| x.abs() <= 2f32.powi(126)),
    ];
    let position = [coordinate.clone(), coordinate.clone(), coordinate].prop_map(Vec3::from_array);
    (prop::collection::vec(position, 1..40), prop::collection::vec(any::<[u32; 3]>(), 1..40))
        .prop_map(|(positions, mut indices)| {
            let count = positions.len() as u32;
            indices.iter_mut().flatten().for_each(|index| *index %= count);
            Mesh { positions, indices }
        })
}

/// A small mesh without symmetry.
pub(crate) fn kite() -> Mesh {
    let positions = [(0.5, -1.25, 3.0), (2.0, 0.75, -4.5), (-3.5, 1.0, 0.25), (8.0, 6.5, -7.0)];
    Mesh {
        positions: positions.map(|(x, y, z)| Vec3::new(x, y, z)).to_vec(),
        indices: vec![[0, 1, 2], [2, 1, 3], [3, 0, 2]],
    }
}

impl Mesh {
    pub(crate) fn triangles(&self) -> Vec<[Vec3; 3]> {
        self.indices.iter().map(|t| t.map(|i| self.positions[i as usize])).collect()
    }

    pub(crate) fn obj(&self) -> Vec<u8> {
        let mut text = String::from("# a mesh\n");
        for p in &self.positions {
            text += &format!("v {} {:e} {}\n", p.x, p.y, p.z);
        }
        for [a, b, c] in &self.indices {
            // Forwards, backwards, and with texture and normal numbers.
            let back = i64::from(*b) - self.positions.len() as i64;
            text += &format!("f {} {back}//7 {}/1/2\n", a + 1, c + 1);
        }
        text.into_bytes()
    }

    pub(crate) fn ply_text(&self) -> Vec<u8> {
        let mut text = format!(
            "ply\r\nformat ascii 1.0\r\ncomment made by a test\r\nelement face {}\r\n\
             property list uchar uint vertex_index\r\nproperty uchar red\r\nelement vertex {}\r\n\
             property double z\r\nproperty float x\r\nproperty float y\r\nend_header\r\n",
            self.indices.len(),
            self.positions.len()
        );
        for [a, b, c] in &self.indices {
            text += &format!("3 {a} {b} {c} 200\r\n");
        }
        for p in &self.positions {
            text += &format!("{} {} {}\r\n", p.z, p.x, p.y);
        }
        text.into_bytes()
    }

    /// Properties in an odd order, with others between, in either byte order.
    pub(crate) fn ply_binary(&self, big_endian: bool) -> Vec<u8> {
        let order = if big_endian { "big" } else { "little" };
        let mut file = format!(
            "ply\nformat binary_{order}_endian 1.0\nobj_info odd\nelement extra 2\n\
             property list short double numbers\nelement vertex {}\nproperty uchar quality\n\
             property float y\nproperty double x\nproperty float z\nelement face {}\n\
             property short flags\nproperty list ushort int vertex_indices\nend_header\n",
            self.positions.len(),
            self.indices.len()
        )
        .into_bytes();
        let mut put = |bytes: &[u8]| match big_endian {
            true => file.extend(bytes.iter().rev()),
            false => file.extend(bytes),
        };
        put(&1i16.to_le_bytes());
        put(&2.5f64.to_le_bytes());
        put(&0i16.to_le_bytes());
        for p in &self.positions {
            put(&[9]);
            put(&p.y.to_le_bytes());
            put(&f64::from(p.x).to_le_bytes());
            put(&p.z.to_le_bytes());
        }
        for corners in &self.indices {
            put(&(-3i16).to_le_bytes());
            put(&3u16.to_le_bytes());
            corners.iter().for_each(|corner| put(&corner.to_le_bytes()));
        }
        file
    }

    pub(crate) fn stl_text(&self) -> Vec<u8> {
        let mut text = String::from("solid a name\n");
        for corners in self.triangles() {
            text += " facet normal 0 0 1\n  outer loop\n";
            for p in corners {
                text += &format!("   vertex {:e} {} {}\n", p.x, p.y, p.z);
            }
            text += "  endloop\n endfacet\n";
        }
        (text + "endsolid a name\n").into_bytes()
    }

    /// With a header that looks like text.
    pub(crate) fn stl_binary(&self) -> Vec<u8> {
        let mut file = format!("{:80}", "solid but binary").into_bytes();
        file.extend((self.indices.len() as u32).to_le_bytes());
        for corners in self.triangles() {
            file.extend([0; 12]);
            corners
                .iter()
                .for_each(|p| p.to_array().iter().for_each(|x| file.extend(x.to_le_bytes())));
            file.extend([7, 7]);
        }
        file
    }

    /// Positions, then indices, as glTF buffers hold them.
    pub(crate) fn buffer(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> =
            self.positions.iter().flat_map(|p| p.to_array()).flat_map(f32::to_le_bytes).collect();
        bytes.extend(self.indices.iter().flatten().flat_map(|index| index.to_le_bytes()));
        bytes
    }

    /// The JSON of a file with one mesh; `uri` is a whole member or empty.
    pub(crate) fn json(&self, uri: &str) -> String {
        let (vertices, corners) = (self.positions.len(), 3 * self.indices.len());
        format!(
            r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
"nodes":[{{"mesh":0}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":{vertices},"type":"VEC3"}},
{{"bufferView":1,"componentType":5125,"count":{corners},"type":"SCALAR"}}],
"bufferViews":[{{"buffer":0,"byteLength":{}}},{{"buffer":0,"byteOffset":{},"byteLength":{}}}],
"buffers":[{{{uri}"byteLength":{}}}]}}"#,
            12 * vertices,
            12 * vertices,
            4 * corners,
            12 * vertices + 4 * corners
        )
    }

    pub(crate) fn gltf(&self) -> Vec<u8> {
        let data = base64::engine::general_purpose::STANDARD.encode(self.buffer());
        self.json(&format!(r#""uri":"data:application/octet-stream;base64,{data}","#)).into_bytes()
    }

    pub(crate) fn glb(&self) -> Vec<u8> {
        glb(&self.json(""), &self.buffer())
    }

    /// The mesh in every format, with a name for messages and whether vertices keep their numbers.
    pub(crate) fn every_format(&self) -> [(&'static str, Vec<u8>, bool); 8] {
        [
            ("mesh.obj", self.obj(), true),
            ("text.ply", self.ply_text(), true),
            ("little.ply", self.ply_binary(false), true),
            ("big.ply", self.ply_binary(true), true),
            ("text.stl", self.stl_text(), false),
            ("binary.stl", self.stl_binary(), false),
            ("mesh.gltf", self.gltf(), true),
            ("mesh.glb", self.glb(), true),
        ]
    }
}

/// A GLB of a document and one buffer.
pub(crate) fn glb(json: &str, buffer: &[u8]) -> Vec<u8> {
    let padded = |bytes: &[u8], with: u8| {
        let mut bytes = bytes.to_vec();
        bytes.resize(bytes.len().next_multiple_of(4), with);
        bytes
    };
    let (json, buffer) = (padded(json.as_bytes(), b' '), padded(buffer, 0));
    let mut file = b"glTF\x02\0\0\0".to_vec();
    file.extend((28 + json.len() as u32 + buffer.len() as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", json), (b"BIN\0", buffer)] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    file
}

/// A geometry of the first object.
pub(crate) fn part(scene: &Scene, geometry: usize) -> &Geometry {
    &scene.objects[0].geometries[geometry]
}

/// The triangles of a mesh.
pub(crate) fn indices(geometry: &Geometry) -> &[[u32; 3]] {
    let Shape::Triangles { indices, .. } = &geometry.shape else { panic!() };
    indices
}

/// The corners of a mesh.
pub(crate) fn positions(geometry: &Geometry) -> &[Vec3] {
    let Shape::Triangles { positions, .. } = &geometry.shape else { panic!() };
    positions
}
