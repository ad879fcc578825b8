//! glTF 2.0 and GLB, after the Khronos specification (ISO/IEC 12113).
//!
//! Every mesh that a node of the scene places becomes an object, each of its primitives a geometry,
//! each placing an instance; a material that is not `OPAQUE` makes a non-opaque geometry. The first
//! perspective camera becomes the scene's. Skins and morph targets stay in their rest pose;
//! textures are not looked at. Also read: `KHR_mesh_quantization` and `EXT_mesh_gpu_instancing`.
//!
//! | file | concept |
//! |---|---|
//! | `container` | the GLB container, and where the JSON and the bytes are |
//! | `document` | the JSON as data |
//! | `buffers` | where the bytes of buffers come from |
//! | `accessor` | arrays of numbers in buffers |
//! | `mesh` | primitives become geometries |
//! | `nodes` | the node hierarchy becomes instances and a camera |

mod accessor;
mod buffers;
mod container;
mod document;
mod mesh;
mod nodes;

use crate::Scene;
use crate::error::{ErrorKind, ParseError, Warnings};
use document::Document;
use std::path::Path;

/// Extensions without which the meshes cannot be read.
const COMPRESSIONS: [&str; 3] =
    ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];

/// Reads a file; buffers of their own are looked for in `folder`.
pub(crate) fn read(
    bytes: &[u8],
    folder: Option<&Path>,
    _warnings: &mut Warnings,
) -> Result<Scene, ParseError> {
    let container = container::open(bytes)?;
    let document = Document::parse(&container)?;
    if let Some(name) =
        document.extensions_required.iter().find(|n| COMPRESSIONS.contains(&n.as_str()))
    {
        let what = format!("the extension {name}");
        return Err(ParseError::json("extensionsRequired", ErrorKind::Unsupported { what }));
    }
    let buffers = buffers::Buffers::new(&document, container.binary, folder);
    let accessors = accessor::Accessors::new(&document, &buffers, bytes.len());
    nodes::scene(&accessors)
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
