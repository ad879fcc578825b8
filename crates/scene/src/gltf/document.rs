//! The JSON of a glTF file, as far as it says where triangles are and how they look. Numbers are as
//! the file has them: every reference is checked where it is followed.

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
    pub(super) skins: Vec<Skin>,
    #[serde(default)]
    pub(super) materials: Vec<Material>,
    #[serde(default)]
    pub(super) textures: Vec<Texture>,
    #[serde(default)]
    pub(super) images: Vec<Image>,
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
    pub(super) skin: Option<usize>,
    /// How much of each morph target, instead of what the mesh says.
    pub(super) weights: Option<Vec<f64>>,
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
    #[serde(default)]
    pub(super) weights: Vec<f64>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Primitive {
    pub(super) attributes: BTreeMap<String, usize>,
    pub(super) indices: Option<usize>,
    pub(super) material: Option<usize>,
    pub(super) mode: Option<u32>,
    /// Differences of attributes, one list for each weight.
    #[serde(default)]
    pub(super) targets: Vec<BTreeMap<String, usize>>,
    #[serde(default)]
    pub(super) extensions: PrimitiveExtensions,
}

#[derive(Deserialize, Default)]
#[serde(expecting = "an object")]
pub(super) struct PrimitiveExtensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    pub(super) draco: Option<Draco>,
}

/// A buffer view, and the ids of attributes in it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct Draco {
    pub(super) buffer_view: usize,
    pub(super) attributes: BTreeMap<String, u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct Skin {
    pub(super) joints: Vec<usize>,
    pub(super) inverse_bind_matrices: Option<usize>,
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
    #[serde(default)]
    pub(super) extensions: BufferViewExtensions,
}

#[derive(Deserialize, Default)]
#[serde(expecting = "an object")]
pub(super) struct BufferViewExtensions {
    #[serde(rename = "EXT_meshopt_compression")]
    ext_meshopt: Option<Meshopt>,
    #[serde(rename = "KHR_meshopt_compression")]
    khr_meshopt: Option<Meshopt>,
}

impl BufferViewExtensions {
    /// How the view is compressed, by either extension.
    pub(super) fn meshopt(&self) -> Option<&Meshopt> {
        self.khr_meshopt.as_ref().or(self.ext_meshopt.as_ref())
    }
}

/// Where the compressed bytes are, and what they stand for.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct Meshopt {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) byte_stride: u64,
    pub(super) count: u64,
    pub(super) mode: String,
    pub(super) filter: Option<String>,
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
    pub(super) pbr_metallic_roughness: Option<BaseColour>,
    #[serde(default)]
    pub(super) extensions: MaterialExtensions,
}

#[derive(Deserialize, Default)]
#[serde(expecting = "an object")]
pub(super) struct MaterialExtensions {
    #[serde(rename = "KHR_materials_pbrSpecularGlossiness")]
    pub(super) diffuse: Option<BaseColour>,
}

/// The colour of a material in either of its models.
#[derive(Deserialize, Default)]
#[serde(expecting = "an object")]
pub(super) struct BaseColour {
    #[serde(rename = "baseColorFactor", alias = "diffuseFactor")]
    pub(super) factor: Option<[f64; 4]>,
    #[serde(rename = "baseColorTexture", alias = "diffuseTexture")]
    pub(super) texture: Option<TextureInfo>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct TextureInfo {
    pub(super) index: usize,
    #[serde(default)]
    pub(super) tex_coord: u32,
    #[serde(default)]
    pub(super) extensions: TextureInfoExtensions,
}

#[derive(Deserialize, Default)]
#[serde(expecting = "an object")]
pub(super) struct TextureInfoExtensions {
    #[serde(rename = "KHR_texture_transform")]
    pub(super) transform: Option<TextureTransform>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct TextureTransform {
    #[serde(default)]
    pub(super) offset: [f64; 2],
    #[serde(default)]
    pub(super) rotation: f64,
    pub(super) scale: Option<[f64; 2]>,
    pub(super) tex_coord: Option<u32>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Texture {
    pub(super) source: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct Image {
    pub(super) uri: Option<String>,
    pub(super) buffer_view: Option<usize>,
}

/// What tells a file of glTF 1.0: its lists are objects, and it need not name its version.
#[derive(Deserialize)]
struct OldDocument {
    asset: Option<OldAsset>,
    meshes: Option<IgnoredObject>,
}

#[derive(Deserialize)]
struct OldAsset {
    version: Option<serde_json::Value>,
}

/// Any object, and nothing else.
type IgnoredObject = BTreeMap<String, serde::de::IgnoredAny>;

/// What to do with a file of the old format.
const OLD: &str = "glTF 1.0 (convert the file to 2.0, for example with gltf-pipeline)";

/// Whether a document is one of glTF 1.0.
fn is_old(json: &[u8]) -> bool {
    let Ok(old) = serde_json::from_slice::<OldDocument>(json) else { return false };
    let version = old.asset.and_then(|asset| asset.version);
    match version {
        Some(version) => version.to_string().trim_matches('"').starts_with('1'),
        None => old.meshes.is_some(),
    }
}

impl Document {
    pub(super) fn parse(container: &Container<'_>) -> Result<Self, ParseError> {
        let document: Self = serde_json::from_slice(container.json).map_err(|error| {
            if is_old(container.json) {
                let kind = ErrorKind::Unsupported { what: OLD.to_owned() };
                return ParseError::json("asset.version", kind);
            }
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
            let what = match version.starts_with("1.") {
                true => OLD.to_owned(),
                false => {
                    format!("version {} of glTF", version.chars().take(16).collect::<String>())
                }
            };
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
