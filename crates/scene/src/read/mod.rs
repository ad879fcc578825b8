//! Files become scenes: which format it is, and what all formats share.
//!
//! | file | concept |
//! |---|---|
//! | `beside` | files that a file names |
//! | `coordinate` | which numbers may be coordinates |
//! | `polygon` | polygons become triangles |
//! | `regular_file` | all bytes of a file, if it has an end |
//! | `text` | lines, words and numbers of text formats |

pub(crate) mod beside;
pub(crate) mod coordinate;
pub(crate) mod polygon;
pub(crate) mod regular_file;
pub(crate) mod text;

use crate::error::{ErrorKind, ParseError, SceneError, Warnings};
use crate::{Geometry, Object, Scene, Shape, description, gltf, obj, ply, stl};
use geometry::Vec3;
use std::path::Path;

/// The warning about a face that is a point or a line.
pub(crate) const TOO_FEW_CORNERS: &str = "a face of fewer than 3 corners is passed over";

/// The formats that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Obj,
    Ply,
    Stl,
    Gltf,
    Description,
}

/// Reads a scene file: OBJ, PLY, STL, glTF, GLB or a description ([`crate::description`]). The
/// content decides where it is unmistakable, the extension otherwise. Buffers of a glTF file,
/// materials of an OBJ file and meshes of a description are read from its own folder.
/// What was passed over is in [`Scene::warnings`].
///
/// # Errors
/// When the file cannot be read or is not a scene; the text names the file and the place in it.
pub fn open(path: impl AsRef<Path>) -> Result<Scene, SceneError> {
    let path = path.as_ref();
    let bytes = regular_file::read_file(path)?;
    let name = path.display().to_string();
    read_with_base_dir(&name, &bytes, Some(path.parent().unwrap_or(Path::new("."))))
}

/// Reads a scene from bytes; `name` stands for the file in errors and its extension may settle the
/// format. A glTF file must hold its buffers itself.
///
/// # Errors
/// When the bytes are not a scene.
pub fn read(name: &str, bytes: &[u8]) -> Result<Scene, SceneError> {
    read_with_base_dir(name, bytes, None)
}

/// Whether bytes are those of a scene file, by their beginning or by the extension of `name`.
#[must_use]
pub fn is_scene(name: &str, bytes: &[u8]) -> bool {
    kind(name, bytes).is_some()
}

pub(crate) fn read_with_base_dir(
    name: &str,
    bytes: &[u8],
    folder: Option<&Path>,
) -> Result<Scene, SceneError> {
    let mut warnings = Warnings::default();
    let scene = match kind(name, bytes) {
        _ if bytes.is_empty() => Err(ParseError::file(ErrorKind::Empty)),
        Some(Kind::Obj) => obj::read(bytes, folder, &mut warnings),
        Some(Kind::Ply) => ply::read(bytes, &mut warnings),
        Some(Kind::Stl) => stl::read(bytes),
        Some(Kind::Gltf) => gltf::read(bytes, folder, &mut warnings),
        Some(Kind::Description) => description::read(bytes, folder, &mut warnings),
        None => Err(ParseError::file(ErrorKind::Unrecognised)),
    };
    let scene = scene.map_err(|error| error.in_file(name))?;
    if scene.placed_triangle_count() == 0 && scene.placed_box_count() == 0 {
        return Err(ParseError::file(ErrorKind::NoTriangles).in_file(name));
    }
    let stem = Path::new(name).file_name().map_or(name.into(), |n| n.to_string_lossy());
    Ok(Scene { name: stem.into_owned(), warnings: warnings.in_file(name), ..scene })
}

/// Content first, name second: a PLY called `.obj` is a PLY. TOML has no mark of its own.
fn kind(name: &str, bytes: &[u8]) -> Option<Kind> {
    let by_name = by_extension(name);
    if by_name == Some(Kind::Description) { by_name } else { by_content(bytes).or(by_name) }
}

fn by_content(bytes: &[u8]) -> Option<Kind> {
    if bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r") {
        return Some(Kind::Ply);
    }
    if bytes.starts_with(b"glTF") {
        return Some(Kind::Gltf);
    }
    if stl::is_binary(bytes) {
        return Some(Kind::Stl);
    }
    let text = text::without_mark(bytes).trim_ascii_start();
    if text.starts_with(b"{") {
        return Some(Kind::Gltf);
    }
    if stl::is_text(text) {
        return Some(Kind::Stl);
    }
    obj::is_obj(text).then_some(Kind::Obj)
}

fn by_extension(name: &str) -> Option<Kind> {
    let extension = Path::new(name).extension()?.to_string_lossy().to_ascii_lowercase();
    match extension.as_str() {
        "obj" => Some(Kind::Obj),
        "ply" => Some(Kind::Ply),
        "stl" => Some(Kind::Stl),
        "gltf" | "glb" => Some(Kind::Gltf),
        "toml" => Some(Kind::Description),
        _ => None,
    }
}

/// A scene of one object with one geometry.
pub(crate) fn single_mesh(positions: Vec<Vec3>, indices: Vec<[u32; 3]>) -> Scene {
    single_object(vec![mesh(String::new(), positions, indices)])
}

/// A scene of one object.
pub(crate) fn single_object(geometries: Vec<Geometry>) -> Scene {
    Scene { objects: vec![Object { name: String::new(), geometries }], ..Scene::default() }
}

/// An opaque mesh.
pub(crate) fn mesh(name: String, positions: Vec<Vec3>, indices: Vec<[u32; 3]>) -> Geometry {
    Geometry::new(name, true, Shape::Triangles { positions, indices })
}

/// Renumbers the vertices that a mesh uses, in their old order, and gives their old numbers; for a
/// part of a file whose parts share one list of vertices. `scratch` has a zero for each vertex and
/// is left so.
pub(crate) fn renumber(indices: &mut [[u32; 3]], scratch: &mut [u32]) -> Vec<u32> {
    let mut used: Vec<u32> = Vec::new();
    for &index in indices.iter().flatten() {
        let mark = &mut scratch[index as usize];
        if *mark == 0 {
            *mark = 1;
            used.push(index);
        }
    }
    used.sort_unstable();
    for (number, &index) in used.iter().enumerate() {
        scratch[index as usize] = number as u32;
    }
    for index in indices.iter_mut().flatten() {
        *index = scratch[*index as usize];
    }
    for &index in &used {
        scratch[index as usize] = 0;
    }
    used
}

/// What the old numbers stood for.
pub(crate) fn gather<T: Copy>(shared: &[T], used: &[u32]) -> Vec<T> {
    used.iter().map(|&index| shared[index as usize]).collect()
}
