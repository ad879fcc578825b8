//! `Scene`: what is traced.

use crate::arrays::{Floats, Integers, PointRows, TriangleRows};
use crate::image::Image;
use crate::{errors, job};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
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
        let geometry =
            |(vertices, faces, name, opaque): (PointRows<'_>, TriangleRows<'_>, _, _)| {
                let (positions, indices) = (vertices.held("vertices")?, faces.triangles()?);
                Ok(Geometry::new(name, opaque, Shape::Triangles { positions, indices }))
            };
        let object = |parts: Vec<_>| {
            let geometries = parts.into_iter().map(geometry).collect::<PyResult<_>>()?;
            Ok(Object { name: String::new(), geometries })
        };
        let instance = |(object, rows, mask, custom_index, flags): Placed| {
            let flags = InstanceFlags::from_bits(flags)
                .ok_or_else(|| errors::option(format!("there are no instance flags {flags:#x}")))?;
            let usual = Instance::new(object, Transform { rows });
            Ok(Instance { mask, custom_index, flags, ..usual })
        };
        let instances = instances.into_iter().map(instance).collect::<PyResult<_>>()?;
        let views = objects.iter().map(|parts| {
            let views = parts.iter().map(|(vertices, faces, name, opaque)| {
                (vertices.point_rows(), faces.triangle_rows(), name.clone(), *opaque)
            });
            views.collect::<Vec<_>>()
        });
        let views: Vec<_> = views.collect();
        let scene = job::run(py, 0, None, move |_| {
            let objects = views.into_iter().map(object).collect::<PyResult<_>>()?;
            let scene = Model { name, objects, instances, ..Model::default() };
            scene.check().map(|()| scene).map_err(errors::scene)
        })??;
        Ok(Self { input: Arc::new(Input::Scene(scene)), source: None })
    }

    /// A built-in scene or a file.
    #[staticmethod]
    fn open(py: Python<'_>, name: PathBuf, triangles: Option<usize>) -> PyResult<Self> {
        let source = Source::new(name, triangles).map_err(errors::source)?;
        let named = source.clone();
        let input = job::leave(py, move || named.open())?;
        let input = Arc::new(input.map_err(|error| errors::input(&error))?);
        Ok(Self { input, source: Some(source) })
    }

    /// The bytes of a file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, name: PathBuf, bytes: PyBackedBytes) -> PyResult<Self> {
        let input = job::leave(py, move || Input::read(&name, &bytes))?;
        let input = Arc::new(input.map_err(|error| errors::input(&error))?);
        Ok(Self { input, source: None })
    }

    /// An image, proved to be safe to walk.
    #[staticmethod]
    fn from_image(py: Python<'_>, image: &Image) -> PyResult<Self> {
        let opened = Arc::clone(image.opened());
        let stored = job::leave(py, move || opened.stored())?;
        let stored = stored.map_err(|error| errors::input(&error))?;
        Ok(Self { input: Arc::new(Input::Image(stored)), source: None })
    }

    /// The same mesh with its vertices elsewhere; it must be the only one.
    fn moved(&self, py: Python<'_>, vertices: Floats<'_>) -> PyResult<Self> {
        let only = self.input.as_scene().and_then(|scene| {
            let [object] = &scene.objects[..] else { return None };
            let [geometry] = &object.geometries[..] else { return None };
            let Shape::Triangles { positions, indices } = &geometry.shape else { return None };
            Some((scene, object, geometry, indices, positions.len()))
        });
        let Some((scene, object, geometry, indices, expected)) = only else {
            let text = "vertices alone move a scene of one mesh; expected a scene";
            return Err(errors::scene(format!("{}: {text}", self.name())));
        };
        let vertices = vertices.point_rows();
        if vertices.len() != expected {
            let found = vertices.len();
            let text = format!("vertices: found {found}, but the mesh has {expected}");
            return Err(errors::array(text));
        }
        let scene = job::run(py, 0, None, move |_| {
            let (positions, indices) = (vertices.held("vertices")?, indices.clone());
            let shape = Shape::Triangles { positions, indices };
            let geometries = vec![Geometry::new(geometry.name.clone(), geometry.opaque, shape)];
            let objects = vec![Object { name: object.name.clone(), geometries }];
            let (name, instances) = (scene.name.clone(), scene.instances.clone());
            let scene = Model { name, objects, instances, ..Model::default() };
            scene.check().map(|()| scene).map_err(errors::scene)
        })??;
        Ok(Self { input: Arc::new(Input::Scene(scene)), source: None })
    }

    /// What [`Scene::from_arrays`] makes the same scene of: single floats, whatever it was made of.
    fn to_arrays<'py>(&self, py: Python<'py>) -> PyResult<Arrays<'py>> {
        let none = || errors::option(format!("{}: no scene of triangles alone", self.name()));
        let scene = self.input.as_scene().ok_or_else(none)?;
        let mesh = |geometry: &Geometry| {
            let Shape::Triangles { positions, indices } = &geometry.shape else {
                return Err(none());
            };
            let (corners, faces) = py.detach(|| {
                let corners = positions.iter().flat_map(|corner| corner.to_array());
                (corners.collect::<Vec<f32>>(), indices.as_flattened().to_vec())
            });
            let corners = PyArray1::from_vec(py, corners).reshape([positions.len(), 3])?;
            let faces = PyArray1::from_vec(py, faces).reshape([indices.len(), 3])?;
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
