//! Primitives become geometries.

use super::accessor::Accessors;
use super::document::{Mesh, Primitive};
use super::item;
use crate::error::{ErrorKind, ParseError};
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
    /// How many primitives use each accessor as positions.
    users: HashMap<usize, usize>,
    shared: HashMap<usize, Shared>,
}

struct Shared {
    positions: Vec<Vec3>,
    scratch: Vec<u32>,
}

impl<'a> Meshes<'a> {
    pub(super) fn new(accessors: &'a Accessors<'a>) -> Self {
        let mut users = HashMap::new();
        for primitive in accessors.document.meshes.iter().flat_map(|mesh| &mesh.primitives) {
            if let Some(&positions) = primitive.attributes.get("POSITION") {
                *users.entry(positions).or_insert(0) += 1;
            }
        }
        Self { accessors, users, shared: HashMap::new() }
    }

    /// The triangles of a mesh; an object without geometries if it has only points and lines.
    pub(super) fn object(&mut self, index: usize, from: &str) -> Result<Object, ParseError> {
        let meshes = &self.accessors.document.meshes;
        let mesh: &Mesh = item(meshes, index, "mesh", || format!("{from}.mesh"))?;
        let mut geometries = Vec::new();
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            let path = format!("meshes[{index}].primitives[{number}]");
            geometries.extend(self.geometry(primitive, &path)?);
        }
        Ok(Object { name: mesh.name.clone().unwrap_or_default(), geometries })
    }

    fn geometry(
        &mut self,
        primitive: &Primitive,
        path: &str,
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
        let mut all = match self.shared.remove(&accessor) {
            Some(shared) => shared,
            None => self.positions(accessor, path)?,
        };
        let corners = self.corners(primitive, all.positions.len(), path)?;
        let mut indices = triangles(corners, mode, path)?;
        let positions = if self.users.get(&accessor).is_some_and(|&users| users > 1) {
            let used = gather(&all.positions, &renumber(&mut indices, &mut all.scratch));
            self.shared.insert(accessor, all);
            used
        } else {
            all.positions
        };
        if indices.is_empty() {
            return Ok(None);
        }
        let (name, opaque) = self.material(primitive, path)?;
        Ok(Some(Geometry::new(name, opaque, Shape::Triangles { positions, indices })))
    }

    fn positions(&self, accessor: usize, path: &str) -> Result<Shared, ParseError> {
        let path = format!("{path}.attributes.POSITION");
        // Components are singles or small integers, so no digit is lost.
        let narrow = |axes: [f64; 3]| Vec3::from_array(axes.map(|value| value as f32));
        let positions = self.accessors.read(accessor, &path, narrow)?;
        for (number, position) in positions.iter().enumerate() {
            for value in position.to_array() {
                coordinate::check(value).map_err(|kind| {
                    ParseError::json(format!("accessors[{accessor}]"), kind).of("element", number)
                })?;
            }
        }
        let scratch = vec![0; positions.len()];
        Ok(Shared { positions, scratch })
    }

    /// The corners in the order in which the mode takes them.
    fn corners(
        &self,
        primitive: &Primitive,
        vertices: usize,
        path: &str,
    ) -> Result<Vec<u32>, ParseError> {
        let Some(accessor) = primitive.indices else {
            self.accessors.spend(vertices as u64, path)?;
            return Ok((0..vertices as u32).collect());
        };
        let corners = self.accessors.indices(accessor, &format!("{path}.indices"))?;
        match corners.iter().position(|&corner| corner as usize >= vertices) {
            None => Ok(corners),
            Some(number) => {
                let index = i64::from(corners[number]);
                let kind = ErrorKind::NoSuchVertex { index, vertices: vertices as u64 };
                Err(ParseError::json(format!("{path}.indices"), kind).of("corner", number))
            }
        }
    }

    /// The name of the material, and whether it is opaque.
    fn material(&self, primitive: &Primitive, path: &str) -> Result<(String, bool), ParseError> {
        let Some(index) = primitive.material else { return Ok((String::new(), true)) };
        let materials = &self.accessors.document.materials;
        let material = item(materials, index, "material", || format!("{path}.material"))?;
        let opaque = !matches!(material.alpha_mode.as_deref(), Some("BLEND" | "MASK"));
        Ok((material.name.clone().unwrap_or_default(), opaque))
    }
}

/// Corners become triangles; every second one of a strip is turned so that all face the same way,
/// as section 3.7.2.1 of the specification orders them.
fn triangles(corners: Vec<u32>, mode: u32, path: &str) -> Result<Vec<[u32; 3]>, ParseError> {
    let strip = |(number, c): (usize, &[u32])| {
        if number % 2 == 0 { [c[0], c[1], c[2]] } else { [c[0], c[2], c[1]] }
    };
    match (mode, corners.as_slice()) {
        (STRIP, _) => Ok(corners.windows(3).enumerate().map(strip).collect()),
        (FAN, [first, rim @ ..]) => Ok(rim.windows(2).map(|c| [c[0], c[1], *first]).collect()),
        _ if corners.len().is_multiple_of(3) => Ok(corners.as_chunks::<3>().0.to_vec()),
        _ => {
            let found = format!("{} corners", corners.len());
            let expected = "a multiple of 3".to_owned();
            Err(ParseError::json(path, ErrorKind::Unexpected { found, expected }))
        }
    }
}
