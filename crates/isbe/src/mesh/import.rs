//! Any dump becomes a scene (section 8).
//!
//! A dump with notes becomes the scene that was captured. Any other becomes one object: a geometry
//! for each layer and viewport, workgroup behind workgroup. Culled primitives are left out; so are
//! those with a corner at infinity, not a number, or too far to trace, and both are counted.

use super::position::{PositionSlot, PositionSource};
use super::restore::{RestoreError, Restored, RestoredContent, restore};
use super::{AttributeTable, Mesh};
use crate::container::Dump;
use crate::{AttributeId, Limits, Reader, Stage, StateError, Topology, WorkgroupView};
use geometry::{Aabb, Vec3};
use scene::{Geometry, NamedCamera, Object, Scene, Shape};
use std::collections::BTreeMap;

/// How a dump becomes a scene.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ImportOptions {
    /// Where positions come from.
    pub position: PositionSource,
    /// Whether points and lines become procedural boxes instead of being skipped.
    pub boxes: bool,
    /// Which limits hold.
    pub limits: Limits,
}

/// A scene, where its triangles came from, and what was left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The scene.
    pub scene: Scene,
    /// The clusters: one for each workgroup of the dump.
    pub clusters: Vec<Cluster>,
    /// The cluster of each triangle, over all geometries of all objects in order.
    pub triangle_clusters: Vec<u32>,
    /// What was left out.
    pub report: ImportReport,
}

/// A workgroup as a cluster of triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cluster {
    /// The number of the workgroup.
    pub workgroup: u32,
    /// The task that emitted it.
    pub task: Option<u32>,
}

/// What was counted on the way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Triangles of the scene.
    pub triangles: usize,
    /// Primitives with a viewport mask of 0, left out.
    pub culled: usize,
    /// Primitives with a corner that has no usable position, left out.
    pub unplaceable: usize,
    /// Triangles of the scene with two corners in one place.
    pub degenerate: usize,
    /// Points and lines, skipped or made into boxes.
    pub points_and_lines: usize,
}

/// Why a dump is no scene.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// The state is not that of a mesh shader.
    #[error(transparent)]
    State(#[from] StateError),
    /// The units are not mesh workgroups.
    #[error("found a dump of the stage {0}, expected mesh workgroups")]
    Stage(Stage),
    /// The mesh shader does not put positions out where they were looked for.
    #[error("found no vertex output {0}, expected one that holds positions")]
    NoPosition(AttributeId),
    /// The dump has notes that are not those of a capture.
    #[error(transparent)]
    Restore(#[from] RestoreError),
    /// The notes describe a scene that cannot be.
    #[error("notes of the capture: found {found}, expected {expected}")]
    Scene {
        /// What they say.
        found: String,
        /// What they should say.
        expected: String,
    },
}

/// Makes a scene of a dump.
///
/// # Errors
/// When the dump has no positions, or notes that make no sense.
pub fn import(dump: &Dump, options: &ImportOptions) -> Result<Imported, ImportError> {
    let reader = Reader::new(dump, options.limits)?;
    let Some(topology) = reader.topology else { return Err(ImportError::Stage(reader.stage)) };
    let restored = restore(dump, options.limits)?;
    if let Some(restored) = &restored {
        check_parts(restored)?;
    }
    let ids = options.position.slot.ids();
    if let Some(id) = ids[..3].iter().find(|id| !reader.layout.vertices.set().contains(**id)) {
        return Err(ImportError::NoPosition(*id));
    }
    let clusters = dump.workgroups.iter();
    let clusters = clusters.map(|w| Cluster { workgroup: w.index, task: w.task }).collect();
    let mut importer = Importer {
        source: options.position,
        report: ImportReport::default(),
        triangle_clusters: Vec::new(),
    };
    let scene = match restored {
        Some(restored) => importer.restored(restored),
        None => importer.plain(dump, &reader, topology, options.boxes),
    };
    let Importer { mut report, triangle_clusters, .. } = importer;
    report.triangles = scene.triangle_count();
    Ok(Imported { scene, clusters, triangle_clusters, report })
}

struct Importer {
    source: PositionSource,
    report: ImportReport,
    triangle_clusters: Vec<u32>,
}

/// How many objects the notes speak of.
fn object_count(restored: &Restored) -> usize {
    let objects = restored.parts.iter().map(|part| part.object);
    let last = objects.chain(restored.empty_objects.iter().copied()).max();
    last.map_or(0, |object| object as usize + 1)
}

/// Proves that the notes speak of a scene: objects and their parts are numbered without gaps, and
/// whatever names or places one of them finds it.
fn check_parts(restored: &Restored) -> Result<(), ImportError> {
    let Restored { parts, empty_objects, instances, names, camera: _ } = restored;
    let wrong = |found: String, expected: String| Err(ImportError::Scene { found, expected });
    let count = object_count(restored);
    let first_parts = parts.iter().filter(|part| part.geometry == 0).count();
    let objects = first_parts + empty_objects.len();
    if count != objects {
        return wrong(format!("{objects} objects"), format!("{count}, one for each number"));
    }
    // Parts come by object and geometry.
    let mut geometries = vec![0; count];
    for part in parts {
        let next = &mut geometries[part.object as usize];
        if part.geometry != *next {
            return wrong(format!("geometry {}", part.geometry), format!("geometry {next}"));
        }
        *next += 1;
        if let RestoredContent::Boxes(boxes) = &part.content
            && let Some(bounds) = boxes.iter().find(|b| b.min.is_nan() || b.max.is_nan())
        {
            return wrong(format!("{bounds:?}"), "a box of numbers".to_owned());
        }
    }
    for ((object, geometry), name) in names {
        let parts = geometries.get(*object as usize);
        if !parts.is_some_and(|parts| geometry.is_none_or(|geometry| geometry < *parts)) {
            return wrong("the name of nothing".to_owned(), "the name of a part".to_owned());
        }
        if let Err(error) = std::str::from_utf8(name) {
            return wrong(format!("a name with an {error}"), "UTF-8".to_owned());
        }
    }
    match instances.iter().find(|instance| instance.object >= count) {
        None => Ok(()),
        Some(instance) => {
            let found = format!("an instance of object {}", instance.object);
            wrong(found, format!("an object below {count}"))
        }
    }
}

impl Importer {
    /// The scene of notes that [`check_parts`] has proved.
    fn restored(&mut self, restored: Restored) -> Scene {
        let mut objects = vec![Object::default(); object_count(&restored)];
        let Restored { parts, empty_objects: _, instances, camera, names } = restored;
        for part in parts {
            let shape = match part.content {
                RestoredContent::Boxes(boxes) => Shape::Boxes(boxes),
                RestoredContent::Mesh { mesh, workgroups } => self.mesh(&mesh, &workgroups),
            };
            let geometry = Geometry::new("", part.opaque, shape);
            objects[part.object as usize].geometries.push(geometry);
        }
        for ((object, geometry), name) in names {
            let object = &mut objects[object as usize];
            let target = match geometry {
                None => &mut object.name,
                Some(part) => &mut object.geometries[part as usize].name,
            };
            *target = String::from_utf8_lossy(&name).into_owned();
        }
        let cameras = camera.into_iter().map(NamedCamera::from).collect();
        Scene { objects, instances, cameras, ..Scene::default() }
    }

    fn mesh(&mut self, mesh: &Mesh, workgroups: &[u32]) -> Shape {
        let placed = self.positions(&mesh.vertices);
        let viewport = mesh.primitives.column(AttributeId::VIEWPORT_MASK);
        let mut indices = Vec::with_capacity(mesh.triangles.len());
        for (triangle, corners) in mesh.triangles.iter().enumerate() {
            if viewport.is_some_and(|column| mesh.primitives.row(triangle)[column] == 0) {
                self.report.culled += 1;
                continue;
            }
            match corners.map(|vertex| placed[vertex as usize]) {
                [Some(a), Some(b), Some(c)] => {
                    self.count_degenerate([a, b, c]);
                    self.triangle_clusters.push(workgroups[triangle]);
                    indices.push(*corners);
                }
                _ => self.report.unplaceable += 1,
            }
        }
        // No triangle uses a vertex without a position.
        let positions = placed.into_iter().map(|position| position.unwrap_or(Vec3::ZERO)).collect();
        Shape::Triangles { positions, indices }
    }

    fn positions(&self, vertices: &AttributeTable) -> Vec<Option<Vec3>> {
        let columns = self.source.slot.ids().map(|id| vertices.column(id));
        (0..vertices.len())
            .map(|vertex| {
                let row = vertices.row(vertex);
                self.source.position(columns.map(|column| column.map(|column| row[column])))
            })
            .collect()
    }

    fn plain(&mut self, dump: &Dump, reader: &Reader, topology: Topology, boxes: bool) -> Scene {
        let mut groups: BTreeMap<(u32, u32), Group> = BTreeMap::new();
        for (cluster, workgroup) in (0..).zip(&dump.workgroups) {
            let view = WorkgroupView::new(reader, workgroup);
            groups.values_mut().for_each(|group| group.local = [None; 256]);
            for primitive in 0..view.primitive_count() {
                self.primitive(&view, topology, primitive, cluster, &mut groups, boxes);
            }
        }
        let mut geometries = Vec::new();
        for ((layer, viewport), group) in groups {
            let Group { positions, indices, boxes, clusters, .. } = group;
            let name = format!("layer {layer}, viewport {viewport}");
            let mut push = |shape| geometries.push(Geometry::new(name.clone(), true, shape));
            if !indices.is_empty() || boxes.is_empty() {
                self.triangle_clusters.extend(clusters);
                push(Shape::Triangles { positions, indices });
            }
            if !boxes.is_empty() {
                push(Shape::Boxes(boxes));
            }
        }
        let object = Object { name: String::new(), geometries };
        Scene { objects: vec![object], ..Scene::default() }
    }

    fn primitive(
        &mut self,
        view: &WorkgroupView<'_>,
        topology: Topology,
        primitive: u32,
        cluster: u32,
        groups: &mut BTreeMap<(u32, u32), Group>,
        boxes: bool,
    ) {
        if view.is_culled(primitive) {
            self.report.culled += 1;
            return;
        }
        let ids = self.source.slot.ids();
        let corners: Vec<(u8, Option<Vec3>)> = view
            .primitive(primitive)
            .map(|vertex| {
                let word = |id| view.vertex(id, vertex.into());
                (vertex, self.source.position(ids.map(word)))
            })
            .collect();
        self.report.points_and_lines += usize::from(topology != Topology::Triangles);
        if corners.len() != view.corners() as usize
            || corners.iter().any(|corner| corner.1.is_none())
        {
            self.report.unplaceable += 1;
            return;
        }
        let placed: Vec<(u8, Vec3)> =
            corners.into_iter().filter_map(|(v, p)| Some((v, p?))).collect();
        let group = groups.entry(layer_and_viewport(view, primitive, placed[0].0)).or_default();
        if let [a, b, c] = placed.as_slice() {
            self.count_degenerate([a.1, b.1, c.1]);
            group.clusters.push(cluster);
            let triangle = [group.vertex(*a), group.vertex(*b), group.vertex(*c)];
            group.indices.push(triangle);
        } else if boxes {
            let bounds = placed
                .iter()
                .fold(Aabb::EMPTY, |bounds, (_, p)| bounds.union(Aabb { min: *p, max: *p }));
            group.boxes.push(bounds);
        }
    }

    fn count_degenerate(&mut self, [a, b, c]: [Vec3; 3]) {
        self.report.degenerate += usize::from(a == b || b == c || c == a);
    }
}

/// The primitives of one layer and viewport.
struct Group {
    positions: Vec<Vec3>,
    indices: Vec<[u32; 3]>,
    boxes: Vec<Aabb>,
    clusters: Vec<u32>,
    /// Where the vertices of the workgroup under way went.
    local: [Option<u32>; 256],
}

impl Default for Group {
    fn default() -> Self {
        let (positions, indices, boxes, clusters) = Default::default();
        Self { positions, indices, boxes, clusters, local: [None; 256] }
    }
}

impl Group {
    fn vertex(&mut self, (vertex, position): (u8, Vec3)) -> u32 {
        *self.local[usize::from(vertex)].get_or_insert_with(|| {
            self.positions.push(position);
            self.positions.len() as u32 - 1
        })
    }
}

/// Of the primitive if it says so, else of its first vertex, else 0.
fn layer_and_viewport(view: &WorkgroupView<'_>, primitive: u32, vertex: u8) -> (u32, u32) {
    let either = |id| {
        let of_primitive = view.primitive_attribute(id, primitive);
        of_primitive.or_else(|| view.vertex(id, vertex.into()))
    };
    let layer = either(AttributeId::RT_ARRAY_INDEX).unwrap_or(0);
    let viewport = either(AttributeId::VIEWPORT_INDEX);
    let masked = || either(AttributeId::VIEWPORT_MASK).map(u32::trailing_zeros);
    (layer, viewport.or_else(masked).unwrap_or(0))
}

impl ImportOptions {
    /// Positions from a slot, with no matrix.
    #[must_use]
    pub fn from_slot(slot: PositionSlot) -> Self {
        let position = PositionSource { slot, ..PositionSource::default() };
        Self { position, ..Self::default() }
    }
}
