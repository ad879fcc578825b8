//! A scene of siliray as a scene of Embree.

use super::device::Device;
use super::library::Handle;
use crate::PeerError;
use scene::{Geometry, Scene, Shape};
use std::time::Instant;

/// `RTC_SCENE_FLAG_ROBUST`.
const ROBUST: i32 = 4;
/// `RTC_BUILD_QUALITY_REFIT`, which geometries may have.
const REFIT: i32 = 3;
/// `RTC_GEOMETRY_TYPE_TRIANGLE`.
const TRIANGLES: i32 = 0;
/// `RTC_GEOMETRY_TYPE_INSTANCE`.
const INSTANCE: i32 = 121;
/// `RTC_BUFFER_TYPE_INDEX` and `RTC_FORMAT_UINT3`.
const INDICES: (i32, i32) = (0, 0x5003);
/// `RTC_BUFFER_TYPE_VERTEX` and `RTC_FORMAT_FLOAT3`.
const VERTICES: (i32, i32) = (1, 0x9003);
/// `RTC_FORMAT_FLOAT3X4_ROW_MAJOR`.
const ROW_MAJOR: i32 = 0x9134;
/// Floats behind the last vertex: Embree loads 16 bytes for each.
const PADDING: usize = 1;

/// How much time is spent on a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quality {
    /// For scenes that change: the only one whose geometries can be refitted.
    Low,
    /// The usual one.
    Medium,
    /// With spatial splits.
    High,
}

/// A scene in Embree, with the buffers that it reads.
pub(super) struct World {
    /// One for each object, then, if there are instances, the one that places them. The last is
    /// traced.
    scenes: Vec<Handle>,
    pub(super) device: Device,
    pub(super) build_seconds: f64,
    pub(super) bytes: u64,
    /// For each object and geometry, the buffers that Embree reads.
    meshes: Vec<Vec<Option<Mesh>>>,
}

/// The buffers of a geometry. Embree keeps pointers into them.
struct Mesh {
    vertices: Vec<f32>,
    indices: Vec<[u32; 3]>,
}

// SAFETY: queries on a committed scene may come from any thread, says Embree's documentation, and
// nothing changes a scene after it is committed but `refit`, which nobody else can be beside.
unsafe impl Send for World {}

// SAFETY: as above.
unsafe impl Sync for World {}

impl World {
    /// Builds `scene`. At low quality its triangles are refitted when they are committed again.
    pub(super) fn new(
        device: Device,
        scene: &Scene,
        robust: bool,
        quality: Quality,
    ) -> Result<Self, PeerError> {
        let before = device.bytes();
        // Declared first, so that a scene which fails is released before its buffers.
        let meshes: Vec<Vec<Option<Mesh>>> = scene
            .objects
            .iter()
            .map(|object| object.geometries.iter().map(Mesh::new).collect())
            .collect();
        let mut world =
            Self { scenes: Vec::new(), device, build_seconds: 0.0, bytes: 0, meshes: Vec::new() };
        let start = Instant::now();
        for object in &meshes {
            let handle = world.begin(robust, quality);
            for (mesh, id) in object.iter().zip(0..) {
                if let Some(mesh) = mesh {
                    world.attach(handle, id, TRIANGLES, |geometry| {
                        if quality == Quality::Low {
                            let shared = &world.device.functions.shared;
                            // SAFETY: the geometry is alive; the quality is one of Embree's.
                            unsafe { (shared.set_geometry_quality)(geometry, REFIT) };
                        }
                        world.share(
                            geometry,
                            INDICES,
                            mesh.indices.as_ptr().cast(),
                            mesh.indices.len(),
                        );
                        let count = (mesh.vertices.len() - PADDING) / 3;
                        world.share(geometry, VERTICES, mesh.vertices.as_ptr().cast(), count);
                    });
                }
            }
            world.commit(handle)?;
        }
        if !scene.instances.is_empty() {
            let handle = world.begin(robust, quality);
            for (instance, id) in scene.instances.iter().zip(0..) {
                let placed = world.scenes[instance.object];
                let shared = &world.device.functions.shared;
                let rows = instance.object_to_world.rows.as_ptr().cast();
                world.attach(handle, id, INSTANCE, |geometry| {
                    // SAFETY: both handles are alive; the scene was committed above.
                    unsafe { (shared.set_instanced_scene)(geometry, placed) };
                    // SAFETY: three rows of four floats are read at once.
                    unsafe { (shared.set_transform)(geometry, 0, ROW_MAJOR, rows) };
                });
            }
            world.commit(handle)?;
        }
        world.build_seconds = start.elapsed().as_secs_f64();
        world.bytes = world.device.bytes().saturating_sub(before);
        world.meshes = meshes;
        Ok(world)
    }

    /// The scene to trace.
    pub(super) fn handle(&self) -> Handle {
        self.scenes.last().copied().unwrap_or(std::ptr::null_mut())
    }

    /// Moves vertices to where they are in `moved`, a scene with the same triangles and without
    /// instances; returns the seconds of the refit.
    pub(super) fn refit(&mut self, moved: &Scene) -> Result<f64, PeerError> {
        for (meshes, object) in self.meshes.iter_mut().zip(&moved.objects) {
            for (mesh, geometry) in meshes.iter_mut().zip(&object.geometries) {
                if let (Some(mesh), Shape::Triangles { positions, .. }) = (mesh, &geometry.shape) {
                    let places = mesh.vertices.chunks_exact_mut(3).zip(positions);
                    places.for_each(|(place, position)| place.copy_from_slice(position.as_ref()));
                }
            }
        }
        let start = Instant::now();
        let shared = &self.device.functions.shared;
        for (&handle, meshes) in self.scenes.iter().zip(&self.meshes) {
            for (_, id) in meshes.iter().zip(0..).filter(|(mesh, _)| mesh.is_some()) {
                // SAFETY: the scene is alive and has a geometry of this id.
                let geometry = unsafe { (shared.get_geometry)(handle, id) };
                // SAFETY: the geometry is alive and has one buffer of vertices.
                unsafe { (shared.update_buffer)(geometry, VERTICES.0, 0) };
                // SAFETY: the geometry is alive and complete.
                unsafe { (shared.commit_geometry)(geometry) };
            }
            self.commit(handle)?;
        }
        Ok(start.elapsed().as_secs_f64())
    }

    fn begin(&mut self, robust: bool, quality: Quality) -> Handle {
        let shared = &self.device.functions.shared;
        // SAFETY: the device is alive.
        let handle = unsafe { (shared.new_scene)(self.device.handle) };
        // SAFETY: the scene is new; flags and quality are Embree's own.
        unsafe { (shared.set_scene_flags)(handle, if robust { ROBUST } else { 0 }) };
        // SAFETY: as above.
        unsafe { (shared.set_scene_quality)(handle, quality as i32) };
        self.scenes.push(handle);
        handle
    }

    /// Makes a geometry, lets `fill` fill it, and gives it to `scene`.
    fn attach(&self, scene: Handle, id: u32, kind: i32, fill: impl FnOnce(Handle)) {
        let shared = &self.device.functions.shared;
        // SAFETY: the device is alive and the kind is one of Embree's.
        let geometry = unsafe { (shared.new_geometry)(self.device.handle, kind) };
        fill(geometry);
        // SAFETY: the geometry is alive and complete.
        unsafe { (shared.commit_geometry)(geometry) };
        // SAFETY: both are alive; each id is given once.
        unsafe { (shared.attach_by_id)(scene, geometry, id) };
        // SAFETY: the scene holds its own reference.
        unsafe { (shared.release_geometry)(geometry) };
    }

    /// Gives a geometry a buffer of 12-byte items.
    fn share(
        &self,
        geometry: Handle,
        (kind, format): (i32, i32),
        items: *const std::ffi::c_void,
        count: usize,
    ) {
        let shared = &self.device.functions.shared;
        // SAFETY: the buffer has `count` items, padded as Embree asks; its heap memory stays where
        // it is until the scenes are released.
        unsafe { (shared.set_shared_buffer)(geometry, kind, 0, format, items, 0, 12, count) };
    }

    fn commit(&self, scene: Handle) -> Result<(), PeerError> {
        // SAFETY: the scene and everything attached to it are alive.
        unsafe { (self.device.functions.shared.commit_scene)(scene) };
        self.device.check("building the scene")
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // The scene of instances refers to the others, so it goes first.
        for &scene in self.scenes.iter().rev() {
            // SAFETY: each scene was made here and is released once; device and buffers are dropped
            // later.
            unsafe { (self.device.functions.shared.release_scene)(scene) };
        }
    }
}

impl Mesh {
    /// The triangles of a geometry; nothing for procedural boxes.
    fn new(geometry: &Geometry) -> Option<Self> {
        let Shape::Triangles { positions, indices } = &geometry.shape else { return None };
        let mut vertices = Vec::with_capacity(3 * positions.len() + PADDING);
        vertices.extend(positions.iter().flat_map(|position| position.to_array()));
        vertices.extend([0.0; PADDING]);
        Some(Self { vertices, indices: indices.clone() })
    }
}
