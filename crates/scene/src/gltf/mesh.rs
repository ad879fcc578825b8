//! Primitives become geometries.

use super::accessor::Accessors;
use super::document::{Draco, Mesh, Primitive};
use super::draco::DracoMesh;
use super::item;
use super::material::{Images, Look};
use super::pose::Pose;
use crate::error::{ErrorKind, ParseError, Position, Warnings};
use crate::read::{coordinate, gather, renumber};
use crate::{Geometry, Object, Shape};
use geometry::Vec3;
use std::collections::HashMap;

const TRIANGLES: u32 = 4;
const STRIP: u32 = 5;
const FAN: u32 = 6;

/// Makes objects of meshes. Exporters may give many primitives one list of positions; such a list
/// is read once and each primitive gets what it uses.
pub(super) struct Meshes<'a> {
    accessors: &'a Accessors<'a>,
    images: Images,
    /// How many primitives use each accessor as positions.
    users: HashMap<usize, usize>,
    shared: HashMap<usize, Shared>,
}

struct Shared {
    positions: Vec<Vec3>,
    scratch: Vec<u32>,
}

/// The vertices of a primitive: in accessors, or in a Draco stream.
pub(super) struct Vertices<'v, 'a> {
    pub(super) accessors: &'v Accessors<'a>,
    pub(super) primitive: &'v Primitive,
    /// The place of the primitive in the document.
    pub(super) path: &'v str,
    /// How many there are.
    pub(super) count: usize,
    draco: Option<(&'v Draco, DracoMesh)>,
}

impl<'v, 'a> Vertices<'v, 'a> {
    fn new(
        accessors: &'v Accessors<'a>,
        primitive: &'v Primitive,
        path: &'v str,
    ) -> Result<Self, ParseError> {
        let mut draco = None;
        if let Some(about) = &primitive.extensions.draco {
            let path = format!("{path}.extensions.KHR_draco_mesh_compression");
            let (bytes, _) = accessors.buffers.view(about.buffer_view, &path)?;
            let mesh = DracoMesh::decode(bytes).map_err(|reason| {
                ParseError::json(&*path, ErrorKind::Compressed { codec: "Draco", reason })
            })?;
            accessors.spend(mesh.vertices() as u64, &path)?;
            draco = Some((about, mesh));
        }
        let count = draco.as_ref().map_or(0, |(_, mesh)| mesh.vertices());
        Ok(Self { accessors, primitive, path, count, draco })
    }

    /// The type that the accessor of an attribute has.
    pub(super) fn shape(&self, name: &str) -> Option<&'v str> {
        let accessor = *self.primitive.attributes.get(name)?;
        Some(&self.accessors.document.accessors.get(accessor)?.shape)
    }

    /// An attribute of all vertices, each passed through `map`; nothing if there is none.
    pub(super) fn attribute<const N: usize, T: Clone>(
        &self,
        name: &str,
        map: impl Fn([f64; N]) -> T,
    ) -> Result<Option<Vec<T>>, ParseError> {
        let Some(&accessor) = self.primitive.attributes.get(name) else { return Ok(None) };
        if let Some((about, mesh)) = &self.draco
            && let Some(values) = mesh.attribute(about, name)
        {
            let whole = self.accessors.whole(accessor);
            return Ok(Some(values.into_iter().map(|v| map(v.map(|x| x / whole))).collect()));
        }
        let path = format!("{}.attributes.{name}", self.path);
        self.accessors.read(accessor, &path, map).map(Some)
    }

    /// The corners in the order in which the mode takes them.
    fn corners(&self) -> Result<Vec<u32>, ParseError> {
        let path = format!("{}.indices", self.path);
        let corners = match (&self.draco, self.primitive.indices) {
            (Some((_, mesh)), _) => mesh.corners(),
            (None, Some(accessor)) => self.accessors.indices(accessor, &path)?,
            (None, None) => {
                self.accessors.spend(self.count as u64, self.path)?;
                (0..self.count as u32).collect()
            }
        };
        match corners.iter().position(|&corner| corner as usize >= self.count) {
            None => Ok(corners),
            Some(number) => {
                let (index, vertices) = (i64::from(corners[number]), self.count as u64);
                let kind = ErrorKind::NoSuchVertex { index, vertices };
                Err(ParseError::json(path, kind).of("corner", number))
            }
        }
    }
}

impl<'a> Meshes<'a> {
    pub(super) fn new(accessors: &'a Accessors<'a>) -> Self {
        let mut users = HashMap::new();
        for primitive in accessors.document.meshes.iter().flat_map(|mesh| &mesh.primitives) {
            if let Some(&positions) = primitive.attributes.get("POSITION") {
                *users.entry(positions).or_insert(0) += 1;
            }
        }
        Self { accessors, images: Images::default(), users, shared: HashMap::new() }
    }

    /// The triangles of a mesh in a pose; an object without geometries if it has only points and
    /// lines.
    pub(super) fn object(
        &mut self,
        index: usize,
        from: &str,
        pose: &Pose<'_>,
        warnings: &mut Warnings,
    ) -> Result<Object, ParseError> {
        let meshes = &self.accessors.document.meshes;
        let mesh: &Mesh = item(meshes, index, "mesh", || format!("{from}.mesh"))?;
        let mut geometries = Vec::new();
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            let path = format!("meshes[{index}].primitives[{number}]");
            geometries.extend(self.geometry(primitive, &path, pose, warnings)?);
        }
        Ok(Object { name: mesh.name.clone().unwrap_or_default(), geometries })
    }

    fn geometry(
        &mut self,
        primitive: &Primitive,
        path: &str,
        pose: &Pose<'_>,
        warnings: &mut Warnings,
    ) -> Result<Option<Geometry>, ParseError> {
        let mode = primitive.mode.unwrap_or(TRIANGLES);
        if mode > FAN {
            let kind = ErrorKind::Unexpected {
                found: format!("mode {mode}"),
                expected: "one of 0 to 6".to_owned(),
            };
            return Err(ParseError::json(format!("{path}.mode"), kind));
        }
        let Some(&accessor) = primitive.attributes.get("POSITION") else { return Ok(None) };
        if mode < TRIANGLES {
            return Ok(None);
        }
        let mut vertices = Vertices::new(self.accessors, primitive, path)?;
        let is_shared = self.users.get(&accessor).is_some_and(|&users| users > 1)
            && vertices.draco.is_none()
            && pose.is_rest();
        let mut all = match self.shared.remove(&accessor).filter(|_| is_shared) {
            Some(shared) => shared,
            None => {
                let positions = positions(&vertices, pose, accessor)?;
                Shared { scratch: vec![0; positions.len()], positions }
            }
        };
        vertices.count = all.positions.len();
        let mut indices = triangles(vertices.corners()?, mode, path, warnings);
        if indices.is_empty() {
            return Ok(None);
        }
        let Look { name, opaque, mut appearance } = self.images.look(&vertices, warnings)?;
        let positions = if is_shared {
            let used = renumber(&mut indices, &mut all.scratch);
            let positions = gather(&all.positions, &used);
            if let Some(appearance) = &mut appearance {
                if !appearance.vertex_colours.is_empty() {
                    appearance.vertex_colours = gather(&appearance.vertex_colours, &used);
                }
                if let Some(texture) = &mut appearance.texture {
                    texture.coordinates = gather(&texture.coordinates, &used);
                }
            }
            self.shared.insert(accessor, all);
            positions
        } else {
            all.positions
        };
        let shape = Shape::Triangles { positions, indices };
        let appearance = appearance.map(Box::new);
        Ok(Some(Geometry { appearance, ..Geometry::new(name, opaque, shape) }))
    }
}

/// The positions of a primitive in a pose, all of them coordinates.
fn positions(
    vertices: &Vertices<'_, '_>,
    pose: &Pose<'_>,
    accessor: usize,
) -> Result<Vec<Vec3>, ParseError> {
    // Components are singles or small integers, so no digit is lost.
    let narrow = |axes: [f64; 3]| Vec3::from_array(axes.map(|value| value as f32));
    let mut positions = vertices.attribute("POSITION", narrow)?.unwrap_or_default();
    pose.apply(vertices, &mut positions)?;
    for (number, position) in positions.iter().enumerate() {
        for value in position.to_array() {
            coordinate::check(value).map_err(|kind| {
                ParseError::json(format!("accessors[{accessor}]"), kind).of("element", number)
            })?;
        }
    }
    Ok(positions)
}

/// Corners become triangles; every second one of a strip is turned so that all face the same way,
/// as section 3.7.2.1 of the specification orders them.
fn triangles(corners: Vec<u32>, mode: u32, path: &str, warnings: &mut Warnings) -> Vec<[u32; 3]> {
    let strip = |(number, c): (usize, &[u32])| {
        if number % 2 == 0 { [c[0], c[1], c[2]] } else { [c[0], c[2], c[1]] }
    };
    match (mode, corners.as_slice()) {
        (STRIP, _) => corners.windows(3).enumerate().map(strip).collect(),
        (FAN, [first, rim @ ..]) => rim.windows(2).map(|c| [c[0], c[1], *first]).collect(),
        _ => {
            let (triangles, rest) = corners.as_chunks::<3>();
            if !rest.is_empty() {
                let text = "corners beyond a multiple of 3 are passed over";
                warnings.add(Position::Json(path.to_owned()), text);
            }
            triangles.to_vec()
        }
    }
}
