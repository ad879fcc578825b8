//! A scene without instances: every geometry in world space, as often as it is placed.

use crate::{Geometry, Scene};
use geometry::{Transform, Triangle, Vec3};

/// A geometry as one instance places it.
#[derive(Debug, Clone, Copy)]
pub struct PlacedGeometry<'a> {
    /// The number of the instance; 0 where there are none.
    pub instance: u32,
    /// The number of the geometry in its object.
    pub number: u32,
    /// The geometry, in the space of its object.
    pub geometry: &'a Geometry,
    /// The way to the world; `None` where the object lies in it.
    object_to_world: Option<&'a Transform>,
}

impl PlacedGeometry<'_> {
    /// A point of the geometry in world space, rounded once.
    #[must_use]
    pub fn point(&self, point: Vec3) -> Vec3 {
        self.object_to_world.map_or(point, |transform| transform.point(point))
    }

    /// Its triangles in world space, in order; none for procedural boxes.
    pub fn triangles(&self) -> impl Iterator<Item = Triangle> + '_ {
        self.geometry
            .triangles()
            .map(|triangle| Triangle { vertices: triangle.vertices.map(|p| self.point(p)) })
    }
}

impl Scene {
    /// Every geometry as often as it is placed, instance by instance. A scene without instances has
    /// its geometries as they are.
    pub fn flattened(&self) -> impl Iterator<Item = PlacedGeometry<'_>> {
        let alone = if self.instances.is_empty() { &self.objects[..] } else { &[] };
        let alone = alone.iter().map(|object| (0, object, None));
        let placed = (0..).zip(&self.instances).map(|(number, instance)| {
            (number, &self.objects[instance.object], Some(&instance.object_to_world))
        });
        alone.chain(placed).flat_map(|(instance, object, object_to_world)| {
            (0..).zip(&object.geometries).map(move |(number, geometry)| PlacedGeometry {
                instance,
                number,
                geometry,
                object_to_world,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Instance, Object, Shape};

    fn geometry(x: f32) -> Geometry {
        let positions =
            vec![Vec3::new(x, 2.0, 3.0), Vec3::new(x, 5.0, -1.0), Vec3::new(x, 0.5, 4.0)];
        let shape = Shape::Triangles { positions, indices: vec![[0, 1, 2], [2, 1, 0]] };
        Geometry::new("", true, shape)
    }

    fn scene() -> Scene {
        let object = |geometries| Object { name: String::new(), geometries };
        let objects = vec![object(vec![geometry(1.0)]), object(vec![geometry(2.0), geometry(3.0)])];
        Scene { objects, ..Scene::default() }
    }

    #[test]
    fn without_instances_nothing_moves() {
        let scene = scene();
        let own: Vec<Triangle> = scene
            .objects
            .iter()
            .flat_map(|o| &o.geometries)
            .flat_map(Geometry::triangles)
            .collect();
        let flat: Vec<PlacedGeometry<'_>> = scene.flattened().collect();
        let ids: Vec<(u32, u32)> = flat.iter().map(|g| (g.instance, g.number)).collect();
        assert_eq!(ids, [(0, 0), (0, 0), (0, 1)]);
        assert!(flat.iter().flat_map(PlacedGeometry::triangles).eq(own));
    }

    #[test]
    fn every_instance_moves_its_own_copy() {
        let rows = [[2.0, 0.0, 1.0, 10.0], [0.0, -1.0, 0.0, 20.0], [0.5, 0.0, 3.0, 30.0]];
        let turned = Transform { rows };
        let instances = vec![
            Instance::new(1, turned),
            Instance::new(0, Transform::IDENTITY),
            Instance::new(1, turned),
        ];
        let scene = Scene { instances, ..scene() };
        let ids: Vec<(u32, u32)> = scene.flattened().map(|g| (g.instance, g.number)).collect();
        assert_eq!(ids, [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1)]);
        let corners: Vec<Vec3> = scene
            .flattened()
            .filter_map(|placed| placed.triangles().next())
            .map(|triangle| triangle.vertices[0])
            .collect();
        let moved = |x: f32| Vec3::new(2.0 * x + 3.0 + 10.0, -2.0 + 20.0, 0.5 * x + 9.0 + 30.0);
        let expected = [moved(2.0), moved(3.0), Vec3::new(1.0, 2.0, 3.0), moved(2.0), moved(3.0)];
        assert_eq!(corners, expected);
    }
}
