//! Meshes and scenes become dumps: split, emitted through the model, dumped.

use super::capture_notes::{BOX_WORDS, CaptureNotes, HEADER_WORDS, INSTANCE_WORDS, Part};
use super::emit::EmitMeshlet;
use super::position::PositionSlot;
use super::split::{Meshlet, split};
use super::{AttributeTable, Mesh};
use crate::container::{Dump, Workgroup};
use crate::generation::Sm;
use crate::kernel::{KernelError, run_workgroup};
use crate::layout::check_sizes;
use crate::limits::{LANES, Limits, MAX_PRIMITIVES, MAX_VERTICES};
use crate::unit_state::UnitState;
use crate::{AttributeSet, LayoutError, Topology};
use geometry::Vec3;
use rayon::prelude::*;
use scene::{Scene, Shape};

/// How a mesh is captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaptureOptions {
    /// The generation; 75 or later.
    pub sm: Sm,
    /// Most vertices of a meshlet, 3 to 256; fewer are used where attributes need the room.
    pub max_vertices: u16,
    /// Most triangles of a meshlet, 1 to 256.
    pub max_triangles: u16,
    /// Where positions go besides POSITION.
    pub position: PositionSlot,
}

/// Why a mesh was not captured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CaptureError {
    /// A meshlet of that size does not exist.
    #[error("found at most {found} {what} for a meshlet, expected {from} to {to}")]
    Size {
        /// `vertices` or `triangles`.
        what: &'static str,
        /// The maximum.
        found: u16,
        /// The smallest.
        from: u32,
        /// The largest.
        to: u32,
    },
    /// Not even a small meshlet has room for so many attributes.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A triangle uses a vertex that does not exist, or there is not a row for each triangle.
    #[error("{what}: found {found}, expected {expected}")]
    Mesh {
        /// What is wrong.
        what: String,
        /// The number.
        found: usize,
        /// What it should be.
        expected: String,
    },
    /// The kernel failed.
    #[error(transparent)]
    Kernel(#[from] KernelError),
}

impl Default for CaptureOptions {
    fn default() -> Self {
        Self { sm: 86, max_vertices: 128, max_triangles: 256, position: PositionSlot::Position }
    }
}

/// Captures a mesh with any attributes.
///
/// # Errors
/// When the options or the mesh make no sense, or the SM has no mesh shaders.
pub fn capture_mesh(mesh: &Mesh, options: &CaptureOptions) -> Result<Dump, CaptureError> {
    let state = state(options, *mesh.vertices.set(), *mesh.primitives.set())?;
    let mut capture = Capture { dump: Dump::new(state) };
    capture.part(mesh, [0, 0], true)?;
    Ok(capture.dump)
}

/// Captures a scene: its triangles as meshlets; its names, boxes, instances and camera as notes.
///
/// # Errors
/// When the options make no sense, or the SM has no mesh shaders.
pub fn capture_scene(scene: &Scene, options: &CaptureOptions) -> Result<Dump, CaptureError> {
    let vertex = vertex_attributes(options.position);
    let state = state(options, vertex, AttributeSet::default())?;
    let mut capture = Capture { dump: Dump::new(state) };
    for (object, number) in scene.objects.iter().zip(0..) {
        capture.name(&object.name, number, None)?;
        if object.geometries.is_empty() {
            capture.notes(&CaptureNotes::EmptyObject { object: number })?;
        }
        for (geometry, part) in object.geometries.iter().zip(0..) {
            capture.name(&geometry.name, number, Some(part))?;
            match &geometry.shape {
                Shape::Triangles { positions, indices } => {
                    let mesh = position_mesh(vertex, positions, indices);
                    capture.part(&mesh, [number, part], geometry.opaque)?;
                }
                Shape::Boxes(boxes) => {
                    let primitives = boxes.len() as u32;
                    let (object, geometry, opaque) = (number, part, geometry.opaque);
                    let part = Part { object, geometry, opaque, vertices: 0, primitives };
                    let room = capture.room(BOX_WORDS);
                    let starts = (0..boxes.len().max(1)).step_by(room);
                    for first in starts {
                        let boxes = boxes[first..boxes.len().min(first + room)].to_vec();
                        capture.notes(&CaptureNotes::Boxes { part, first: first as u32, boxes })?;
                    }
                }
            }
        }
    }
    for instances in scene.instances.chunks(capture.room(INSTANCE_WORDS)) {
        capture.notes(&CaptureNotes::Instances(instances.to_vec()))?;
    }
    if let Some(camera) = scene.camera() {
        capture.notes(&CaptureNotes::Camera(camera))?;
    }
    Ok(capture.dump)
}

/// POSITION, and three components of another slot if positions go there too.
fn vertex_attributes(position: PositionSlot) -> AttributeSet {
    let slots = [(PositionSlot::Position, 4), (position, 3)];
    slots.into_iter().flat_map(|(slot, count)| slot.ids().into_iter().take(count)).collect()
}

fn position_mesh(set: AttributeSet, positions: &[Vec3], indices: &[[u32; 3]]) -> Mesh {
    let mut vertices = AttributeTable::new(set, positions.len());
    // Components repeat with period 4 in id space, whatever the slot.
    let components: Vec<usize> = set.iter().map(|id| id.slot() % 4).collect();
    for (row, position) in positions.iter().enumerate() {
        let words = [position.x, position.y, position.z, 1.0].map(f32::to_bits);
        let target = vertices.row_mut(row).iter_mut();
        target.zip(&components).for_each(|(word, component)| *word = words[*component]);
    }
    let primitives = AttributeTable::new(AttributeSet::default(), indices.len());
    Mesh { vertices, primitives, triangles: indices.to_vec() }
}

fn state(
    options: &CaptureOptions,
    vertex: AttributeSet,
    primitive: AttributeSet,
) -> Result<UnitState, CaptureError> {
    let CaptureOptions { sm, max_vertices, max_triangles, .. } = *options;
    let size = |what, found: u16, from, to| match u32::from(found) {
        size if (from..=to).contains(&size) => Ok(size),
        _ => Err(CaptureError::Size { what, found, from, to }),
    };
    let mut vertices = size("vertices", max_vertices, 3, MAX_VERTICES)?;
    let mut triangles = size("triangles", max_triangles, 1, MAX_PRIMITIVES)?;
    let lanes = LANES as u32;
    loop {
        match check_sizes(vertex.len(), vertices, primitive.len(), triangles, Limits::Driver) {
            Ok(()) => break,
            Err(error) if vertices <= lanes && triangles <= lanes => return Err(error.into()),
            Err(_) if vertices > lanes && (vertices * 2 >= triangles || triangles <= lanes) => {
                vertices = (vertices - 1) / lanes * lanes;
            }
            Err(_) => triangles = (triangles - 1) / lanes * lanes,
        }
    }
    let shared = 1 + vertices.div_ceil(lanes) + triangles.div_ceil(lanes);
    let (vertex, primitive) = ((vertex, vertices as u16), (primitive, triangles as u16));
    Ok(UnitState::new(sm, Topology::Triangles, vertex, primitive, shared as u16))
}

/// A dump that grows.
struct Capture {
    dump: Dump,
}

impl Capture {
    fn part(
        &mut self,
        mesh: &Mesh,
        [object, geometry]: [u32; 2],
        opaque: bool,
    ) -> Result<(), CaptureError> {
        check_mesh(mesh)?;
        let state = self.dump.state;
        let (max_vertices, max_triangles) =
            (state.shader_a.max_vertex, state.shader_a.max_primitive);
        let vertices = mesh.vertices.len();
        let mut meshlets =
            split(&mesh.triangles, vertices, max_vertices.into(), max_triangles.into());
        if meshlets.is_empty() {
            meshlets.push(Meshlet::default());
        }
        let (vertices, primitives) = (vertices as u32, mesh.triangles.len() as u32);
        let part = Part { object, geometry, opaque, vertices, primitives };
        let first = self.dump.workgroups.len() as u32;
        let workgroups: Result<Vec<Workgroup>, KernelError> = meshlets
            .par_iter()
            .enumerate()
            .map(|(number, meshlet)| {
                let (vertices, triangles) = (meshlet.vertices.clone(), meshlet.triangles.clone());
                let notes = &CaptureNotes::Meshlet { part, vertices, triangles }.to_words();
                let kernel = EmitMeshlet { mesh, meshlet, notes };
                run_workgroup(&state, Limits::Driver, first + number as u32, &kernel)
            })
            .collect();
        self.dump.workgroups.extend(workgroups?);
        Ok(())
    }

    /// A workgroup without primitives that leaves notes.
    fn notes(&mut self, notes: &CaptureNotes) -> Result<(), CaptureError> {
        let (mesh, meshlet, notes) = (&Mesh::default(), &Meshlet::default(), &notes.to_words());
        let number = self.dump.workgroups.len() as u32;
        let kernel = EmitMeshlet { mesh, meshlet, notes };
        self.dump.workgroups.push(run_workgroup(
            &self.dump.state,
            Limits::Driver,
            number,
            &kernel,
        )?);
        Ok(())
    }

    fn name(&mut self, name: &str, object: u32, geometry: Option<u32>) -> Result<(), CaptureError> {
        let pieces = name.as_bytes().chunks(4 * self.room(1));
        pieces.into_iter().try_for_each(|piece| {
            self.notes(&CaptureNotes::Name { object, geometry, piece: piece.to_vec() })
        })
    }

    /// How many items of so many words a workgroup's notes have room for.
    fn room(&self, words: usize) -> usize {
        (self.dump.state.shared_bytes() as usize / 4 - HEADER_WORDS) / words
    }
}

fn check_mesh(mesh: &Mesh) -> Result<(), CaptureError> {
    let vertices = mesh.vertices.len();
    let wrong = |what: String, found, expected| Err(CaptureError::Mesh { what, found, expected });
    if mesh.primitives.len() != mesh.triangles.len() {
        let (found, expected) = (mesh.primitives.len(), mesh.triangles.len().to_string());
        return wrong("rows of triangle attributes".to_owned(), found, expected);
    }
    let limit = u32::MAX as usize;
    if let Some(found) = [vertices, mesh.triangles.len()].into_iter().find(|n| *n > limit) {
        return wrong("vertices or triangles".to_owned(), found, format!("at most {limit}"));
    }
    let corners = mesh.triangles.as_flattened();
    match corners.iter().position(|vertex| *vertex as usize >= vertices) {
        None => Ok(()),
        Some(at) => {
            let what = format!("triangle {}, corner {}", at / 3, at % 3);
            wrong(what, corners[at] as usize, format!("a vertex below {vertices}"))
        }
    }
}
