//! From the ids of a hit to a point and a normal.

use super::{RenderError, View};
use geometry::{Aabb, Ray, Transform, Vec3};
use machine::Hit;
use scene::{Scene, Shape};
use std::collections::HashMap;
use tree::primitives::Primitive;

/// The surfaces that a machine sees, found by the ids of a hit.
pub struct Surfaces<'a> {
    view: View<'a>,
    machine: &'static str,
    /// Without a scene: for each BLAS, its primitives by geometry and number.
    by_id: Vec<HashMap<(u32, u32), u32>>,
    /// The box around everything.
    pub(crate) bounds: Aabb,
    /// Half the diagonal of the world's box; at least a positive number.
    pub(crate) radius: f32,
}

/// A point on a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfacePoint {
    /// Where it is.
    pub position: Vec3,
    /// Unit normal on the side that the ray came from.
    pub normal: Vec3,
    /// What it is a point of.
    pub(crate) place: SurfacePlace,
}

/// A place on a geometry of the scene.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct SurfacePlace {
    /// Which object of the scene.
    pub object: u32,
    /// Which geometry of the object.
    pub geometry: u32,
    /// Which primitive of the geometry.
    pub(crate) primitive: u32,
    /// The weights of the second and the third corner of a triangle.
    pub(crate) weights: [f32; 2],
}

impl<'a> Surfaces<'a> {
    /// The surfaces of what `machine` walks.
    #[must_use]
    pub fn new(view: View<'a>, machine: &'static str) -> Self {
        let bounds = view.scene.and_then(|scene| scene.bounds().ok());
        let bounds = bounds.unwrap_or_else(|| view.tree.bounds());
        // In f64, so that no size of scene overflows.
        let diagonal = (bounds.max.as_dvec3() - bounds.min.as_dvec3()).length();
        let half = (0.5 * diagonal) as f32;
        let radius = if half.is_finite() && half > 0.0 { half } else { 1.0 };
        let blases = if view.scene.is_some() { &[] } else { &view.tree.blases[..] };
        let by_id = blases.iter().map(|blas| {
            let ids = blas.primitives.ids.iter().map(|id| (id.geometry, id.primitive));
            ids.zip(0..).collect()
        });
        Self { by_id: by_id.collect(), view, machine, bounds, radius }
    }

    /// The point that `hit` of `ray` names.
    ///
    /// # Errors
    /// When the tree has no such primitive.
    pub fn at(&self, ray: &Ray, hit: &Hit) -> Result<SurfacePoint, RenderError> {
        let named = self.named(hit)?;
        let outward = match named.part {
            Part::Triangle(corners) => cross_of_edges(&named.placed(corners)),
            Part::Box(bounds) => {
                let normal = box_normal(bounds, ray.at(hit.t), &named.to_world);
                normal.ok_or_else(|| self.unknown(hit))?
            }
        };
        Ok(facing(ray, &named.hit, outward, named.object))
    }

    /// Where a hit on a triangle is by its weights, which needs no ray, and the triangle's unit
    /// normal on its front. `None` for a box, which has no weights.
    ///
    /// # Errors
    /// When the tree has no such primitive.
    pub fn by_weights(&self, hit: &Hit) -> Result<Option<[Vec3; 2]>, RenderError> {
        let named = self.named(hit)?;
        let Part::Triangle(corners) = named.part else { return Ok(None) };
        let corners = named.placed(corners);
        let [a, b, c] = corners.map(Vec3::as_dvec3);
        let (u, v) = (f64::from(hit.u), f64::from(hit.v));
        let position = a + (b - a) * u + (c - a) * v;
        // The front is decided in the space of the object: a mirror turns the order of corners.
        let side = if named.to_world.to_f64().0.determinant() < 0.0 { -1.0 } else { 1.0 };
        let normal = cross_of_edges(&corners) * side;
        Ok(Some([position.as_vec3(), normal.try_normalize().unwrap_or(Vec3::ZERO)]))
    }

    /// What the ids of a hit name.
    fn named(&self, hit: &Hit) -> Result<Named<'_>, RenderError> {
        let found = match self.view.scene {
            Some(scene) => self.in_scene(scene, hit),
            None => self.in_tree(hit),
        };
        found.ok_or_else(|| self.unknown(hit))
    }

    const fn unknown(&self, hit: &Hit) -> RenderError {
        let Hit { instance, geometry, primitive, .. } = *hit;
        RenderError::UnknownPrimitive { machine: self.machine, instance, geometry, primitive }
    }

    fn in_scene(&self, scene: &'a Scene, hit: &Hit) -> Option<Named<'a>> {
        // The machine may have numbered the things of the scene anew.
        let hit = self.view.input.map_or(*hit, |input| input.scene_hit(*hit));
        let instance = scene.instances.get(hit.instance as usize);
        let object = instance.map_or(0, |instance| instance.object);
        let to_world = instance.map_or(Transform::IDENTITY, |i| i.object_to_world);
        let geometry = scene.objects.get(object)?.geometries.get(hit.geometry as usize)?;
        let part = match &geometry.shape {
            Shape::Triangles { positions, indices } => {
                let corners = indices.get(hit.primitive as usize)?;
                Part::Triangle(corners.map(|corner| positions[corner as usize]))
            }
            Shape::Boxes(boxes) => Part::Box(boxes.get(hit.primitive as usize)?),
        };
        Some(Named { part, to_world, object: object as u32, hit })
    }

    fn in_tree(&self, hit: &Hit) -> Option<Named<'_>> {
        let (blas, to_world) = match &self.view.tree.tlas {
            Some(tlas) => {
                let instance = tlas.instances.get(hit.instance as usize)?;
                (instance.blas as usize, instance.object_to_world)
            }
            None => (0, Transform::IDENTITY),
        };
        let number = *self.by_id.get(blas)?.get(&(hit.geometry, hit.primitive))?;
        let part = match self.view.tree.blases[blas].primitives.get(number as usize) {
            Primitive::Triangle(triangle) => Part::Triangle(triangle.vertices),
            Primitive::Box(bounds) => Part::Box(bounds),
        };
        Some(Named { part, to_world, object: blas as u32, hit: *hit })
    }
}

/// A primitive in the space of its object.
enum Part<'a> {
    Triangle([Vec3; 3]),
    Box(&'a Aabb),
}

/// What the ids of a hit name.
struct Named<'a> {
    part: Part<'a>,
    to_world: Transform,
    object: u32,
    /// The hit by the ids of the scene.
    hit: Hit,
}

impl Named<'_> {
    /// Corners in the world.
    fn placed(&self, corners: [Vec3; 3]) -> [Vec3; 3] {
        corners.map(|corner| self.to_world.point(corner))
    }
}

/// The point of a hit, with its normal on the side that the ray comes from.
fn facing(ray: &Ray, hit: &Hit, outward: Vec3, object: u32) -> SurfacePoint {
    let outward = outward.try_normalize().unwrap_or(-ray.direction);
    let normal = if outward.dot(ray.direction) > 0.0 { -outward } else { outward };
    let Hit { geometry, primitive, u, v, .. } = *hit;
    let place = SurfacePlace { object, geometry, primitive, weights: [u, v] };
    SurfacePoint { position: ray.at(hit.t), normal, place }
}

/// Some vector normal to a triangle, on the side from which its corners run counterclockwise.
fn cross_of_edges(&[a, b, c]: &[Vec3; 3]) -> Vec3 {
    // Edges scaled to about one, so that their product neither overflows nor vanishes.
    let (ab, ac) = (b - a, c - a);
    let size = ab.abs().max_element().max(ac.abs().max_element());
    (ab / size).cross(ac / size)
}

/// The normal of the face of a box that `position` is nearest to, in the world.
fn box_normal(bounds: &Aabb, position: Vec3, to_world: &Transform) -> Option<Vec3> {
    let inside = to_world.inverse().ok()?.point(position);
    let relative = (inside - bounds.center()) / bounds.extent().max(Vec3::splat(f32::MIN_POSITIVE));
    let size = relative.abs();
    let axis = (0..3).max_by(|&a, &b| size[a].total_cmp(&size[b])).unwrap_or(0);
    let edge = |k: usize| to_world.vector(Vec3::AXES[k % 3]);
    Some(edge(axis + 1).cross(edge(axis + 2)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use scene::{Geometry, Instance, Object, Scene, Shape};
    use tree::Tree;

    fn moved() -> Transform {
        Transform { rows: [[2.0, 0.5, 0.0, 10.0], [0.0, 1.0, 0.0, -4.0], [0.3, 0.0, -3.0, 1.0]] }
    }

    fn tree(shape: Shape) -> Tree {
        let geometry = Geometry::new("", true, shape);
        let scene = Scene {
            objects: vec![Object { name: String::new(), geometries: vec![geometry] }],
            instances: vec![Instance::new(0, moved())],
            ..Scene::default()
        };
        build::Options::default().build(&scene).unwrap()
    }

    fn hit(primitive: u32, t: f32) -> Hit {
        Hit { t, u: 0.0, v: 0.0, instance: 0, geometry: 0, primitive }
    }

    #[test]
    fn the_normal_of_a_triangle_faces_the_ray_and_its_edges_do_not() {
        let positions =
            vec![Vec3::new(0.0, 0.0, 0.0), Vec3::new(3.0, 1.0, 0.5), Vec3::new(-1.0, 2.0, 2.0)];
        let corners: Vec<Vec3> = positions.iter().map(|&p| moved().point(p)).collect();
        let tree = tree(Shape::Triangles { positions, indices: vec![[0, 1, 2]] });
        let surfaces = Surfaces::new(View::of(&tree), "test");
        for direction in [Vec3::new(0.1, -1.0, 0.3), Vec3::new(-0.1, 1.0, -0.3)] {
            let ray = Ray::new(Vec3::new(5.0, 5.0, 5.0), direction);
            let point = surfaces.at(&ray, &hit(0, 2.0)).unwrap();
            assert!(point.normal.dot(direction) < 0.0);
            assert!(point.normal.dot(corners[1] - corners[0]).abs() < 1e-5);
            assert!(point.normal.dot(corners[2] - corners[0]).abs() < 1e-5);
        }
    }

    #[test]
    fn a_hit_is_where_its_weights_are_and_its_normal_on_the_front() {
        let positions =
            vec![Vec3::new(0.0, 0.0, 0.0), Vec3::new(3.0, 1.0, 0.5), Vec3::new(-1.0, 2.0, 2.0)];
        let [a, b, c] = [0, 1, 2].map(|corner: usize| moved().point(positions[corner]));
        let tree = tree(Shape::Triangles { positions, indices: vec![[0, 1, 2]] });
        let surfaces = Surfaces::new(View::of(&tree), "test");
        let hit = Hit { u: 0.25, v: 0.5, ..hit(0, 2.0) };
        let [position, normal] = surfaces.by_weights(&hit).unwrap().unwrap();
        assert!(position.distance(a * 0.25 + b * 0.25 + c * 0.5) < 1e-5);
        // The instance mirrors what it places, so corners run clockwise about the front.
        assert!(normal.distance(-(b - a).cross(c - a).normalize()) < 1e-5);
        let bounds = Aabb::new(Vec3::ZERO, Vec3::ONE);
        let boxes = self::tree(Shape::Boxes(vec![bounds]));
        let surfaces = Surfaces::new(View::of(&boxes), "test");
        assert_eq!(surfaces.by_weights(&hit).unwrap(), None);
    }

    #[test]
    fn the_normal_of_a_box_is_that_of_the_face_that_was_hit() {
        let bounds = Aabb::new(Vec3::new(-1.0, 2.0, 0.5), Vec3::new(1.0, 5.0, 7.5));
        let tree = tree(Shape::Boxes(vec![bounds]));
        let surfaces = Surfaces::new(View::of(&tree), "test");
        let on_top = moved().point(Vec3::new(0.2, 5.0, 3.0));
        let ray = Ray::new(on_top + Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, -1.0, 0.0));
        let point = surfaces.at(&ray, &hit(0, 1.0)).unwrap();
        // The face is spanned by the moved x and z axes.
        assert!(point.normal.dot(moved().vector(Vec3::X)).abs() < 1e-5);
        assert!(point.normal.dot(moved().vector(Vec3::Z)).abs() < 1e-5);
    }

    #[test]
    fn a_hit_on_nothing_is_an_error() {
        let tree = tree(Shape::Boxes(vec![Aabb::new(Vec3::ZERO, Vec3::ONE)]));
        let ray = Ray::new(Vec3::ZERO, Vec3::X);
        let result = Surfaces::new(View::of(&tree), "broken").at(&ray, &hit(7, 1.0));
        let error = result.unwrap_err().to_string();
        assert!(error.contains("broken") && error.contains("primitive 7"), "{error}");
    }
}
