//! Geometry that an image should hold.

use crate::boundary::{self, Out};
use crate::context::{Context, Thing};
use crate::ids::Id;
use crate::status::{CError, Failure, SilirayStatus, failed, guarded};
use siliray::geometry::Vec3;
use siliray::input::{Input, geometry_of};
use siliray::scene::{Geometry, Object, Scene, Shape};
use std::ffi::{c_char, c_void};
use std::path::Path;
use std::sync::Arc;

/// Keeps what an image of a scene should hold.
fn keep(
    context: &Context,
    scene: impl FnOnce() -> Result<Scene, Failure> + Send,
) -> Result<Id, Failure> {
    let geometry = context.run(|| geometry_of(&scene()?).map_err(failed(SilirayStatus::Scene)))?;
    context.keep(Thing::Scene(Arc::new(geometry)))
}

fn triangles(positions: &[f32], indices: &[u32]) -> Result<Scene, Failure> {
    let (points, _) = positions.as_chunks();
    let (corners, _) = indices.as_chunks();
    let shape = Shape::Triangles {
        positions: points.iter().copied().map(Vec3::from_array).collect(),
        indices: corners.to_vec(),
    };
    let object = Object { name: String::new(), geometries: vec![Geometry::new("", true, shape)] };
    let scene = Scene { objects: vec![object], ..Scene::default() };
    scene.check().map_err(failed(SilirayStatus::Scene))?;
    Ok(scene)
}

/// Reads a scene from the bytes of a mesh file; `name` is what it is called, with its ending.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_scene_read(
    context: *const Context,
    name: *const c_char,
    bytes: *const c_void,
    size: usize,
    scene: *mut Id,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let context = boundary::context(context)?;
        let place = Out::new(scene, "scene")?;
        let none = || Failure::new(SilirayStatus::NullPointer, "name is null");
        let name = Path::new(boundary::text(name, "name")?.ok_or_else(none)?);
        let bytes = boundary::bytes(bytes, size, context.most_bytes(), "bytes")?;
        let read = || {
            let scene = Input::read(name, bytes).and_then(Input::into_scene);
            scene.map_err(failed(SilirayStatus::Scene))
        };
        place.put(keep(context, read)?);
        Ok(())
    })
}

/// Makes a scene of triangles: three floats for each vertex, three indices for each triangle. It is
/// one geometry, and has no instances.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_scene_triangles(
    context: *const Context,
    positions: *const f32,
    vertices: usize,
    indices: *const u32,
    triangle_count: usize,
    scene: *mut Id,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let context = boundary::context(context)?;
        let place = Out::new(scene, "scene")?;
        let most = usize::try_from(context.most_bytes() / 12).unwrap_or(usize::MAX);
        if vertices == 0 || triangle_count == 0 || vertices > most || triangle_count > most {
            let text =
                format!("{vertices} vertices, {triangle_count} triangles; expected 1 to {most}");
            return Err(Failure::new(SilirayStatus::Size, text));
        }
        let positions = boundary::numbers(positions, 3 * vertices, "positions")?;
        let indices = boundary::numbers(indices, 3 * triangle_count, "indices")?;
        place.put(keep(context, || triangles(positions, indices))?);
        Ok(())
    })
}
