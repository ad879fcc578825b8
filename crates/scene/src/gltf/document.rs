//! The JSON of a glTF file, as far as it says where triangles are. Numbers are as the file has
//! them: every reference is checked where it is followed.

use super::container::Container;
use crate::error::{ErrorKind, ParseError, Position};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct Document {
    asset: Asset,
    pub(super) scene: Option<usize>,
    #[serde(default)]
    pub(super) scenes: Vec<SceneItem>,
    #[serde(default)]
    pub(super) nodes: Vec<Node>,
    #[serde(default)]
    pub(super) meshes: Vec<Mesh>,
    #[serde(default)]
    pub(super) accessors: Vec<Accessor>,
    #[serde(default)]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(default)]
    pub(super) buffers: Vec<Buffer>,
    #[serde(default)]
    pub(super) cameras: Vec<Camera>,
    #[serde(default)]
    pub(super) materials: Vec<Material>,
    #[serde(default)]
    pub(super) extensions_required: Vec<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Asset {
    version: String,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct SceneItem {
    #[serde(default)]
    pub(super) nodes: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Node {
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) children: Vec<usize>,
    pub(super) mesh: Option<usize>,
    pub(super) camera: Option<usize>,
    /// Columns of a 4x4 matrix, instead of the three that follow.
    pub(super) matrix: Option<[f64; 16]>,
    pub(super) translation: Option<[f64; 3]>,
    /// A quaternion x, y, z, w.
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
    #[serde(default)]
    pub(super) extensions: NodeExtensions,
}

#[derive(Deserialize, Default)]
#[serde(expecting = "an object")]
pub(super) struct NodeExtensions {
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    pub(super) instancing: Option<Instancing>,
}

/// Accessors for `TRANSLATION`, `ROTATION` and `SCALE` of each instance.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Instancing {
    pub(super) attributes: BTreeMap<String, usize>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Mesh {
    pub(super) name: Option<String>,
    pub(super) primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Primitive {
    pub(super) attributes: BTreeMap<String, usize>,
    pub(super) indices: Option<usize>,
    pub(super) material: Option<usize>,
    pub(super) mode: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: u64,
    #[serde(rename = "type")]
    pub(super) shape: String,
    pub(super) sparse: Option<Sparse>,
}

/// Elements that replace those of the accessor.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Sparse {
    pub(super) count: u64,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct SparseValues {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct BufferView {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) byte_stride: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct Buffer {
    pub(super) uri: Option<String>,
    pub(super) byte_length: u64,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Camera {
    pub(super) perspective: Option<Perspective>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Perspective {
    /// Vertical field of view in radians.
    pub(super) yfov: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct Material {
    pub(super) name: Option<String>,
    pub(super) alpha_mode: Option<String>,
}

impl Document {
    pub(super) fn parse(container: &Container<'_>) -> Result<Self, ParseError> {
        let document: Self = serde_json::from_slice(container.json).map_err(|error| {
            let position = if container.is_plain {
                Position::Line(error.line() as u64)
            } else {
                Position::Json(format!("JSON chunk, line {}", error.line()))
            };
            let text = error.to_string();
            let reason = text.rsplit_once(" at line ").map_or(text.as_str(), |(reason, _)| reason);
            ParseError::at(position, ErrorKind::Json { reason: in_words(reason) })
        })?;
        let version = &document.asset.version;
        if !version.starts_with("2.") {
            let what = format!("version {} of glTF", version.chars().take(16).collect::<String>());
            return Err(ParseError::json("asset.version", ErrorKind::Unsupported { what }));
        }
        Ok(document)
    }
}

/// The reader's message without the names of types.
fn in_words(reason: &str) -> String {
    let Some((found, expected)) = reason.rsplit_once("expected ") else {
        return reason.to_owned();
    };
    let expected = match expected {
        "u32" | "u64" | "usize" => "a whole number",
        "f64" => "a number",
        "a map" => "an object",
        "a sequence" => "an array",
        other => other,
    };
    let found = found.replace("type: map", "type: object").replace("type: sequence", "type: array");
    format!("{found}expected {expected}")
}
