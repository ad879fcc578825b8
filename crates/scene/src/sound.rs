//! Whether a scene that a program has put together is sound: what readers promise of files.

use crate::error::ErrorKind;
use crate::read::coordinate;
use crate::{Geometry, Scene, Shape};
use geometry::SingularTransform;
use rayon::prelude::*;

/// What is wrong with a scene, and where.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum UnsoundScene {
    /// There must be one object, or instances.
    #[error("{objects} objects and no instances, expected 1 object")]
    Unplaced {
        /// How many objects there are.
        objects: usize,
    },
    /// Something is wrong with a geometry.
    #[error("object {object}, geometry {geometry}, {element} {index}: {kind}")]
    Geometry {
        /// Position of the object.
        object: usize,
        /// Position of the geometry in it.
        geometry: usize,
        /// `vertex`, `triangle` or `box`.
        element: &'static str,
        /// Which one.
        index: usize,
        /// What is wrong with it.
        kind: ErrorKind,
    },
    /// An instance places what is not there.
    #[error("instance {instance}: object {object} does not exist; there are {objects}")]
    NoSuchObject {
        /// Position of the instance.
        instance: usize,
        /// What it places.
        object: usize,
        /// How many objects there are.
        objects: usize,
    },
    /// An instance cannot be placed.
    #[error("instance {instance}: {source}")]
    Singular {
        /// Position of the instance.
        instance: usize,
        /// What is wrong with its transform.
        source: SingularTransform,
    },
}

impl Scene {
    /// Asks of a scene that was made by a program what readers promise of files: coordinates are
    /// finite and at most 2^126, indices are in range, transforms can be inverted. It may be empty.
    ///
    /// # Errors
    /// When it is not so: the first thing that is wrong.
    pub fn check(&self) -> Result<(), UnsoundScene> {
        let objects = self.objects.len();
        if self.instances.is_empty() && objects > 1 {
            return Err(UnsoundScene::Unplaced { objects });
        }
        for (object, parts) in self.objects.iter().enumerate() {
            for (geometry, part) in parts.geometries.iter().enumerate() {
                check_geometry(part).map_err(|(element, index, kind)| UnsoundScene::Geometry {
                    object,
                    geometry,
                    element,
                    index,
                    kind,
                })?;
            }
        }
        for (instance, placed) in self.instances.iter().enumerate() {
            let object = placed.object;
            if object >= objects {
                return Err(UnsoundScene::NoSuchObject { instance, object, objects });
            }
            let inverse = placed.object_to_world.inverse();
            inverse.map_err(|source| UnsoundScene::Singular { instance, source })?;
        }
        Ok(())
    }
}

fn check_geometry(geometry: &Geometry) -> Result<(), (&'static str, usize, ErrorKind)> {
    let first = |found: Option<(usize, ErrorKind)>, element| match found {
        Some((index, kind)) => Err((element, index, kind)),
        None => Ok(()),
    };
    let wrong = |point: &[f32; 3]| point.iter().find_map(|&x| coordinate::check(x).err());
    match &geometry.shape {
        Shape::Triangles { positions, indices } => {
            let vertices = positions.par_iter().enumerate();
            let bad = vertices.find_map_first(|(n, p)| Some((n, wrong(&p.to_array())?)));
            first(bad, "vertex")?;
            let outside = |corner: &&u32| **corner as usize >= positions.len();
            let triangles = indices.par_iter().enumerate();
            let bad = triangles.find_map_first(|(number, corners)| {
                let index = i64::from(*corners.iter().find(outside)?);
                let vertices = positions.len() as u64;
                Some((number, ErrorKind::NoSuchVertex { index, vertices }))
            });
            first(bad, "triangle")
        }
        Shape::Boxes(boxes) => {
            let corners = boxes.iter().enumerate();
            let bad = corners.filter_map(|(n, b)| {
                Some((n, wrong(&b.min.to_array()).or_else(|| wrong(&b.max.to_array()))?))
            });
            first(bad.into_iter().next(), "box")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Instance, Object};
    use geometry::{Aabb, Transform, Vec3};

    fn scene(shape: Shape) -> Scene {
        let geometries = vec![Geometry::new("", true, shape)];
        Scene {
            objects: vec![Object { geometries, ..Object::default() }],
            instances: vec![Instance::new(0, Transform::IDENTITY)],
            ..Scene::default()
        }
    }

    fn triangle() -> Scene {
        let positions = vec![Vec3::ZERO, Vec3::new(3.0, 1.0, 0.5), Vec3::new(-1.0, 2.0, 2.0)];
        scene(Shape::Triangles { positions, indices: vec![[0, 1, 2]] })
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(triangle().check(), Ok(()));
        assert_eq!(Scene::default().check(), Ok(()));
        let say = |scene: Scene| scene.check().unwrap_err().to_string();
        let positions = vec![Vec3::ZERO, Vec3::new(0.0, f32::NAN, 0.0), Vec3::X];
        let text = say(scene(Shape::Triangles { positions, indices: vec![[0, 1, 2]] }));
        assert_eq!(text, "object 0, geometry 0, vertex 1: the coordinate NaN is not finite");
        let positions = vec![Vec3::ZERO, Vec3::Y];
        let text = say(scene(Shape::Triangles { positions, indices: vec![[0, 1, 1], [0, 1, 2]] }));
        let expected = "object 0, geometry 0, triangle 1: vertex 2 does not exist; 2 are defined";
        assert_eq!(text, expected);
        let text = say(scene(Shape::Boxes(vec![Aabb::new(Vec3::ZERO, Vec3::splat(1e38))])));
        assert!(text.contains("box 0") && text.contains("beyond 2^126"), "{text}");
        let mut twice = triangle();
        twice.instances[0].object = 1;
        assert_eq!(say(twice), "instance 0: object 1 does not exist; there are 1");
        let mut flat = triangle();
        flat.instances[0].object_to_world.rows[2] = [0.0; 4];
        assert!(say(flat).starts_with("instance 0: "));
        let mut loose = triangle();
        loose.objects.push(Object::default());
        loose.instances.clear();
        assert_eq!(say(loose), "2 objects and no instances, expected 1 object");
    }
}
