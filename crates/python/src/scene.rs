//! `Scene`: what is traced.

use crate::arrays::{Floats, Integers};
use crate::image::Image;
use crate::{errors, job};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use siliray::geometry::Transform;
use siliray::input::{Input, Source};
use siliray::scene::{Geometry, Instance, InstanceFlags, Object, Scene as Model, Shape};
use siliray::tree::Tree;
use std::path::PathBuf;
use std::sync::Arc;

/// A scene, or an image as it is stored.
#[pyclass(frozen, module = "siliray._native")]
pub(crate) struct Scene {
    pub(crate) input: Arc<Input>,
    /// Where it comes from, if that has a name: views may stand beside it.
    pub(crate) source: Option<Source>,
}

/// Vertices, faces, name, whether it is opaque.
type Mesh<'py> = (Floats<'py>, Integers<'py>, String, bool);

/// Object, rows of the transform, mask, custom index, flags.
type Placed = (usize, [[f32; 4]; 3], u8, u32, u8);

/// Vertices, faces, name, whether it is opaque: as Python gets them.
type PyMesh<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<u32>>, String, bool);

/// Name, objects and instances.
type Arrays<'py> = (String, Vec<Vec<PyMesh<'py>>>, Vec<Placed>);

#[pymethods]
impl Scene {
    /// A scene from arrays.
    #[staticmethod]
    fn from_arrays(
        py: Python<'_>,
        name: String,
        objects: Vec<Vec<Mesh<'_>>>,
        instances: Vec<Placed>,
    ) -> PyResult<Self> {
        let geometry = |(vertices, faces, name, opaque): &Mesh<'_>| {
            let (positions, indices) = (vertices.held_points("vertices")?, faces.triangles()?);
            Ok(Geometry::new(name.clone(), *opaque, Shape::Triangles { positions, indices }))
        };
        let object = |parts: &Vec<Mesh<'_>>| {
            let geometries = parts.iter().map(geometry).collect::<PyResult<_>>()?;
            Ok(Object { name: String::new(), geometries })
        };
        let instance = |(object, rows, mask, custom_index, flags): Placed| {
            let flags = InstanceFlags::from_bits(flags)
                .ok_or_else(|| errors::option(format!("there are no instance flags {flags:#x}")))?;
            let usual = Instance::new(object, Transform { rows });
            Ok(Instance { mask, custom_index, flags, ..usual })
        };
        let scene = Model {
            name,
            objects: objects.iter().map(object).collect::<PyResult<_>>()?,
            instances: instances.into_iter().map(instance).collect::<PyResult<_>>()?,
            ..Model::default()
        };
        let scene = job::run(py, 0, None, move |_| scene.check().map(|()| scene))?;
        let scene = scene.map_err(errors::scene)?;
        Ok(Self { input: Arc::new(Input::Scene(scene)), source: None })
    }

    /// A built-in scene or a file.
    #[staticmethod]
    fn open(py: Python<'_>, name: PathBuf, triangles: Option<usize>) -> PyResult<Self> {
        let source = Source::new(name, triangles).map_err(errors::source)?;
        let input = job::run(py, 0, None, |_| source.open())?;
        let input = Arc::new(input.map_err(|error| errors::input(&error))?);
        Ok(Self { input, source: Some(source) })
    }

    /// The bytes of a file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, name: PathBuf, bytes: &[u8]) -> PyResult<Self> {
        let input = job::run(py, 0, None, move |_| Input::read(&name, bytes))?;
        let input = Arc::new(input.map_err(|error| errors::input(&error))?);
        Ok(Self { input, source: None })
    }

    /// An image, proved to be safe to walk.
    #[staticmethod]
    fn from_image(py: Python<'_>, image: &Image) -> PyResult<Self> {
        let stored = job::run(py, 0, None, |_| image.stored())??;
        Ok(Self { input: Arc::new(Input::Image(stored)), source: None })
    }

    /// What [`Scene::from_arrays`] makes the same scene of: single floats, whatever it was made of.
    fn to_arrays<'py>(&self, py: Python<'py>) -> PyResult<Arrays<'py>> {
        let none = || errors::option(format!("{}: no scene of triangles alone", self.name()));
        let scene = self.input.as_scene().ok_or_else(none)?;
        let mesh = |geometry: &Geometry| {
            let Shape::Triangles { positions, indices } = &geometry.shape else {
                return Err(none());
            };
            let corners = positions.iter().flat_map(|corner| corner.to_array());
            let corners = PyArray1::from_iter(py, corners).reshape([positions.len(), 3])?;
            let faces = PyArray1::from_iter(py, indices.iter().flatten().copied());
            let faces = faces.reshape([indices.len(), 3])?;
            Ok((corners, faces, geometry.name.clone(), geometry.opaque))
        };
        let object = |object: &Object| object.geometries.iter().map(mesh).collect();
        let placed = |instance: &Instance| {
            let Instance { object, object_to_world, mask, custom_index, flags, .. } = instance;
            (*object, object_to_world.rows, *mask, *custom_index, flags.bits())
        };
        let objects = scene.objects.iter().map(object).collect::<PyResult<_>>()?;
        Ok((scene.name.clone(), objects, scene.instances.iter().map(placed).collect()))
    }

    #[getter]
    pub(crate) fn name(&self) -> &str {
        self.input.name()
    }

    #[getter]
    fn triangles(&self) -> usize {
        match &*self.input {
            Input::Scene(scene) => scene.triangle_count(),
            Input::Image(image) => image.checked.tree().triangle_count(),
        }
    }

    #[getter]
    fn placed_triangles(&self) -> usize {
        match &*self.input {
            Input::Scene(scene) => scene.placed_triangle_count(),
            Input::Image(image) => placed_triangles(image.checked.tree()),
        }
    }

    #[getter]
    fn instances(&self) -> usize {
        match &*self.input {
            Input::Scene(scene) => scene.instances.len(),
            Input::Image(image) => {
                image.checked.tree().tlas.as_ref().map_or(0, |tlas| tlas.instances.len())
            }
        }
    }

    /// Smallest and largest corner, as two rows.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f32>>>> {
        let bounds = py.detach(|| match &*self.input {
            Input::Scene(scene) => scene.bounds(),
            Input::Image(image) => Ok(image.checked.tree().bounds()),
        });
        let bounds = bounds.map_err(errors::scene)?;
        if bounds.is_empty() {
            return Ok(None);
        }
        let rows = vec![bounds.min.to_array().to_vec(), bounds.max.to_array().to_vec()];
        Ok(Some(PyArray2::from_vec2(py, &rows)?))
    }

    /// The format of an image; `None` for a scene.
    #[getter]
    fn format(&self) -> Option<&'static str> {
        match &*self.input {
            Input::Scene(_) => None,
            Input::Image(image) => Some(image.format.name),
        }
    }
}

/// Triangles of an image, as often as they are placed.
fn placed_triangles(tree: &Tree) -> usize {
    let stored = |blas: usize| tree.blases[blas].primitives.triangles.len();
    match &tree.tlas {
        None => tree.triangle_count(),
        Some(tlas) => tlas.instances.iter().map(|instance| stored(instance.blas as usize)).sum(),
    }
}
