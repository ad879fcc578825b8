//! A dump with notes becomes what was captured, bit for bit.
//!
//! Notes are believed only as far as they agree with the memory they stand in: every triangle of a
//! part comes exactly once, every vertex at least once and always with the same attributes, and no
//! more memory is taken than the workgroups can fill.

use super::capture_notes::{CaptureNotes, CaptureNotesError, Part};
use super::{AttributeTable, Mesh};
use crate::container::Dump;
use crate::{Limits, Reader, StateError, WorkgroupView};
use geometry::Aabb;
use scene::{Camera, Instance};
use std::collections::BTreeMap;

/// What was captured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Restored {
    /// The parts, by object and geometry.
    pub parts: Vec<RestoredPart>,
    /// The objects without parts.
    pub empty_objects: Vec<u32>,
    /// The instances.
    pub instances: Vec<Instance>,
    /// The camera.
    pub camera: Option<Camera>,
    /// The names of objects, and of their geometries, as bytes.
    pub names: BTreeMap<(u32, Option<u32>), Vec<u8>>,
}

/// One part of what was captured.
#[derive(Debug, Clone, PartialEq)]
pub struct RestoredPart {
    /// The object.
    pub object: u32,
    /// The geometry of it.
    pub geometry: u32,
    /// Whether it is opaque.
    pub opaque: bool,
    /// What it is made of.
    pub content: RestoredContent,
}

/// What a part is made of.
#[derive(Debug, Clone, PartialEq)]
pub enum RestoredContent {
    /// Triangles.
    Mesh {
        /// The mesh.
        mesh: Mesh,
        /// Which workgroup of the dump each triangle came from.
        workgroups: Vec<u32>,
    },
    /// Procedural boxes.
    Boxes(Vec<Aabb>),
}

/// Why nothing was restored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// The state is not that of a mesh shader.
    #[error(transparent)]
    State(#[from] StateError),
    /// A workgroup's notes make no sense.
    #[error("workgroup {workgroup}: {error}")]
    Notes {
        /// Which in the dump.
        workgroup: usize,
        /// What is wrong.
        error: CaptureNotesError,
    },
    /// A workgroup's notes disagree with its memory or with other notes.
    #[error("workgroup {workgroup}: found {found}, expected {expected}")]
    Disagreement {
        /// Which in the dump.
        workgroup: usize,
        /// What it says.
        found: String,
        /// What it should say.
        expected: String,
    },
    /// The workgroups together do not make a part.
    #[error("object {object}, geometry {geometry}: found {found}, expected {expected}")]
    Incomplete {
        /// The first workgroup of the dump that has a piece of it.
        workgroup: usize,
        /// The object.
        object: u32,
        /// The geometry of it.
        geometry: u32,
        /// What there is.
        found: String,
        /// What there should be.
        expected: String,
    },
}

/// Restores what was captured; `None` if the dump has no notes.
///
/// # Errors
/// When the dump has notes that are not those of a capture.
pub fn restore(dump: &Dump, limits: Limits) -> Result<Option<Restored>, RestoreError> {
    let reader = Reader::new(dump, limits)?;
    let views: Vec<WorkgroupView<'_>> =
        dump.workgroups.iter().map(|workgroup| WorkgroupView::new(&reader, workgroup)).collect();
    let notes: Vec<_> = views.iter().map(|view| CaptureNotes::from_shared(view.shared())).collect();
    if notes.iter().all(Option::is_none) {
        return Ok(None);
    }
    let mut restored = Restored::default();
    let mut parts: BTreeMap<(u32, u32), Pieces> = BTreeMap::new();
    for (workgroup, notes) in notes.into_iter().enumerate() {
        let disagreement = |found: &str, expected: &str| {
            let (found, expected) = (found.to_owned(), expected.to_owned());
            Err(RestoreError::Disagreement { workgroup, found, expected })
        };
        let Some(notes) = notes else {
            return disagreement("no notes", "notes, as in other workgroups");
        };
        match notes.map_err(|error| RestoreError::Notes { workgroup, error })? {
            CaptureNotes::Meshlet { part, vertices, triangles } => {
                let piece = Piece::Meshlet { workgroup, vertices, triangles };
                Pieces::add(&mut parts, workgroup, part, piece)?;
            }
            CaptureNotes::Boxes { part, first, boxes } => {
                Pieces::add(&mut parts, workgroup, part, Piece::Boxes { first, boxes })?;
            }
            CaptureNotes::EmptyObject { object } => restored.empty_objects.push(object),
            CaptureNotes::Instances(instances) => restored.instances.extend(instances),
            CaptureNotes::Camera(_) if restored.camera.is_some() => {
                return disagreement("a second camera", "at most one");
            }
            CaptureNotes::Camera(camera) => restored.camera = Some(camera),
            CaptureNotes::Name { object, geometry, piece } => {
                restored.names.entry((object, geometry)).or_default().extend(piece);
            }
        }
    }
    for pieces in parts.into_values() {
        restored.parts.push(pieces.assemble(dump, &views)?);
    }
    Ok(Some(restored))
}

/// What the workgroups hold of one part.
struct Pieces {
    part: Part,
    first_workgroup: usize,
    pieces: Vec<Piece>,
}

enum Piece {
    Meshlet { workgroup: usize, vertices: Vec<u32>, triangles: Vec<u32> },
    Boxes { first: u32, boxes: Vec<Aabb> },
}

impl Pieces {
    fn add(
        parts: &mut BTreeMap<(u32, u32), Self>,
        workgroup: usize,
        part: Part,
        piece: Piece,
    ) -> Result<(), RestoreError> {
        let key = (part.object, part.geometry);
        let pieces = parts.entry(key).or_insert_with(|| Self {
            part,
            first_workgroup: workgroup,
            pieces: Vec::new(),
        });
        if pieces.part != part {
            let (found, expected) = (part.to_string(), pieces.part.to_string());
            return Err(RestoreError::Disagreement { workgroup, found, expected });
        }
        pieces.pieces.push(piece);
        Ok(())
    }

    fn assemble(
        &self,
        dump: &Dump,
        views: &[WorkgroupView<'_>],
    ) -> Result<RestoredPart, RestoreError> {
        let Part { object, geometry, opaque, vertices, primitives } = self.part;
        let boxes = self.pieces.iter().filter(|piece| matches!(piece, Piece::Boxes { .. })).count();
        if boxes != 0 && boxes != self.pieces.len() {
            return Err(self.incomplete("meshlets and boxes".to_owned(), "only one of them"));
        }
        let (all_vertices, all_primitives) =
            self.pieces.iter().fold((0, 0), |sums, piece| match piece {
                Piece::Meshlet { vertices, triangles, .. } => {
                    (sums.0 + vertices.len(), sums.1 + triangles.len())
                }
                Piece::Boxes { boxes, .. } => (sums.0, sums.1 + boxes.len()),
            });
        if all_primitives != primitives as usize {
            let expected = format!("{primitives} primitives");
            return Err(self.incomplete(format!("{all_primitives} primitives"), &expected));
        }
        if all_vertices < vertices as usize {
            let expected = format!("at least {vertices} vertices");
            return Err(self.incomplete(format!("{all_vertices} vertices"), &expected));
        }
        let content = if boxes > 0 { self.boxes()? } else { self.mesh(dump, views)? };
        Ok(RestoredPart { object, geometry, opaque, content })
    }

    fn boxes(&self) -> Result<RestoredContent, RestoreError> {
        let mut slots = vec![None; self.part.primitives as usize];
        for piece in &self.pieces {
            if let Piece::Boxes { first, boxes } = piece {
                for (at, bounds) in (*first as usize..).zip(boxes) {
                    match slots.get_mut(at) {
                        Some(slot @ None) => *slot = Some(*bounds),
                        _ => {
                            let expected = format!("each box below {} once", slots.len());
                            return Err(self.incomplete(format!("box {at}"), &expected));
                        }
                    }
                }
            }
        }
        Ok(RestoredContent::Boxes(slots.into_iter().flatten().collect()))
    }

    fn mesh(
        &self,
        dump: &Dump,
        views: &[WorkgroupView<'_>],
    ) -> Result<RestoredContent, RestoreError> {
        let (vertices, triangles) = (self.part.vertices as usize, self.part.primitives as usize);
        let mut assembly = Assembly {
            mesh: Mesh {
                vertices: AttributeTable::new(dump.state.header.outputs(), vertices),
                primitives: AttributeTable::new(dump.state.primitive_attributes(), triangles),
                triangles: vec![[0; 3]; triangles],
            },
            workgroups: vec![u32::MAX; triangles],
            has_vertex: vec![false; vertices],
        };
        for piece in &self.pieces {
            if let Piece::Meshlet { workgroup, vertices, triangles } = piece {
                assembly.meshlet(&views[*workgroup], *workgroup, vertices, triangles)?;
            }
        }
        if let Some(vertex) = assembly.has_vertex.iter().position(|has| !has) {
            let expected = format!("every vertex below {}", self.part.vertices);
            return Err(self.incomplete(format!("no vertex {vertex}"), &expected));
        }
        Ok(RestoredContent::Mesh { mesh: assembly.mesh, workgroups: assembly.workgroups })
    }

    fn incomplete(&self, found: String, expected: &str) -> RestoreError {
        let Part { object, geometry, .. } = self.part;
        let (workgroup, expected) = (self.first_workgroup, expected.to_owned());
        RestoreError::Incomplete { workgroup, object, geometry, found, expected }
    }
}

/// A mesh under way.
struct Assembly {
    mesh: Mesh,
    workgroups: Vec<u32>,
    has_vertex: Vec<bool>,
}

impl Assembly {
    fn meshlet(
        &mut self,
        view: &WorkgroupView<'_>,
        workgroup: usize,
        vertices: &[u32],
        triangles: &[u32],
    ) -> Result<(), RestoreError> {
        let wrong = |found: String, expected: String| RestoreError::Disagreement {
            workgroup,
            found,
            expected,
        };
        if view.corners() != 3 || triangles.len() != view.primitive_count() as usize {
            let expected = format!("{} triangles, as in MAP", view.primitive_count());
            return Err(wrong(format!("notes of {} triangles", triangles.len()), expected));
        }
        let (all_vertices, all_triangles) = (self.has_vertex.len(), self.workgroups.len());
        for (local, &vertex) in (0..).zip(vertices) {
            let row = view.vertex_row(local).ok_or_else(|| {
                let expected = format!("at most {} vertices", view.max_vertices());
                wrong(format!("notes of {} vertices", vertices.len()), expected)
            })?;
            let has = self.has_vertex.get_mut(vertex as usize).ok_or_else(|| {
                let expected = format!("a vertex of the part, below {all_vertices}");
                wrong(format!("vertex {vertex}"), expected)
            })?;
            let target = self.mesh.vertices.row_mut(vertex as usize);
            if *has && target != row {
                let expected = "the attributes that an earlier workgroup gives it".to_owned();
                return Err(wrong(format!("vertex {vertex} with other attributes"), expected));
            }
            target.copy_from_slice(&row);
            *has = true;
        }
        for (local, &triangle) in (0..).zip(triangles) {
            let at = triangle as usize;
            let source = self.workgroups.get_mut(at).filter(|source| **source == u32::MAX);
            let source = source.ok_or_else(|| {
                let expected = format!("each triangle of the part, below {all_triangles}, once");
                wrong(format!("triangle {triangle}"), expected)
            })?;
            *source = workgroup as u32;
            for (corner, index) in view.primitive(local).enumerate() {
                let vertex = vertices.get(usize::from(index)).ok_or_else(|| {
                    let expected = format!("{} or more, for index {index}", u32::from(index) + 1);
                    wrong(format!("{} noted vertices", vertices.len()), expected)
                })?;
                self.mesh.triangles[at][corner] = *vertex;
            }
            let row = view.primitive_row(local).ok_or_else(|| {
                wrong(format!("no attributes of triangle {local}"), "its attributes in ATTR".into())
            })?;
            self.mesh.primitives.row_mut(at).copy_from_slice(&row);
        }
        Ok(())
    }
}

/// The mesh of a dump that [`super::capture::capture_mesh`] made; `None` if the dump holds more.
///
/// # Errors
/// When the dump has no notes, or not those of a capture.
pub fn restore_mesh(dump: &Dump, limits: Limits) -> Result<Option<Mesh>, RestoreError> {
    let mut parts = restore(dump, limits)?.unwrap_or_default().parts;
    Ok(match (parts.pop().map(|part| part.content), parts.is_empty()) {
        (Some(RestoredContent::Mesh { mesh, .. }), true) => Some(mesh),
        _ => None,
    })
}
