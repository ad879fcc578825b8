//! glTF 2.0 and GLB, after the Khronos specification (ISO/IEC 12113).
//!
//! Every mesh that a node of the scene places becomes an object, each of its primitives a geometry,
//! each placing an instance; a material that is not `OPAQUE` makes a non-opaque geometry. The first
//! perspective camera becomes the scene's. Morph targets have the weights that the file gives them,
//! skins the pose of their joints; animations do not run. Base colours, vertex colours and the
//! places of textures are kept. Also read: `KHR_mesh_quantization`, `EXT_mesh_gpu_instancing`,
//! `EXT_meshopt_compression`, `KHR_meshopt_compression`, `KHR_draco_mesh_compression`,
//! `KHR_texture_transform` and the colours of `KHR_materials_pbrSpecularGlossiness`.
//!
//! | file | concept |
//! |---|---|
//! | `container` | the GLB container, and where the JSON and the bytes are |
//! | `document` | the JSON as data |
//! | `buffers` | where the bytes of buffers come from |
//! | `meshopt` | buffer views that meshoptimizer compressed |
//! | `draco` | primitives that Draco compressed |
//! | `accessor` | arrays of numbers in buffers |
//! | `mesh` | primitives become geometries |
//! | `pose` | where morph targets and skins put vertices |
//! | `material` | how primitives look |
//! | `nodes` | the node hierarchy becomes instances and a camera |

mod accessor;
mod buffers;
mod container;
mod document;
mod draco;
mod material;
mod mesh;
mod meshopt;
mod nodes;
mod pose;

use crate::Scene;
use crate::error::{ErrorKind, ParseError, Warnings};
use document::Document;
use std::path::Path;

/// Reads a file; buffers of their own are looked for in `folder`.
pub(crate) fn read(
    bytes: &[u8],
    folder: Option<&Path>,
    warnings: &mut Warnings,
) -> Result<Scene, ParseError> {
    let container = container::open(bytes, warnings)?;
    let document = Document::parse(&container)?;
    let buffers = buffers::Buffers::new(&document, container.binary, folder);
    let accessors = accessor::Accessors::new(&document, &buffers, bytes.len());
    nodes::scene(&accessors, warnings)
}

/// The item that a reference means, or the error that there is none.
fn item<'a, T>(
    items: &'a [T],
    index: usize,
    what: &'static str,
    path: impl FnOnce() -> String,
) -> Result<&'a T, ParseError> {
    items.get(index).ok_or_else(|| {
        let (index, count) = (index as u64, items.len() as u64);
        ParseError::json(path(), ErrorKind::NoSuchItem { what, index, count })
    })
}
