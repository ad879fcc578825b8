//! A part in motion through a scene.

#![allow(missing_docs, reason = "docs/json.md explains the keys")]

use crate::flat_scene::FlatScene;
use crate::sweep::FirstTouch;
use geometry::Vec3;
use serde::Serialize;

/// Whether a part slides along without touching.
#[derive(Debug, Clone, Serialize)]
pub struct ClearanceDocument {
    pub scene: String,
    pub part: String,
    pub along: [f32; 3],
    pub scene_triangles: usize,
    pub part_triangles: usize,
    pub clear: bool,
    pub touching_at_start: bool,
    pub first_contact: Option<f32>,
    pub distance: Option<f64>,
    pub point: Option<[f32; 3]>,
    pub features: Option<&'static str>,
    pub part_primitive: Option<TouchedPrimitive>,
    pub scene_primitive: Option<TouchedPrimitive>,
}

/// A triangle that touches.
#[derive(Debug, Clone, Serialize)]
pub struct TouchedPrimitive {
    pub instance: u32,
    pub geometry: u32,
    pub primitive: u32,
}

impl ClearanceDocument {
    /// Of a scene and a part that moves along, with its first touch.
    #[must_use]
    pub fn new(
        [scene, part]: [&FlatScene; 2],
        along: [f32; 3],
        first: Option<&FirstTouch>,
    ) -> Self {
        let way = Vec3::from_array(along).as_dvec3().length();
        let primitive =
            |(instance, geometry, primitive)| TouchedPrimitive { instance, geometry, primitive };
        Self {
            scene: scene.scene.name.clone(),
            part: part.scene.name.clone(),
            along,
            scene_triangles: scene.scene.triangle_count(),
            part_triangles: part.scene.triangle_count(),
            clear: first.is_none(),
            touching_at_start: first.is_some_and(|touch| touch.t == 0.0),
            first_contact: first.map(|touch| touch.t),
            distance: first.map(|touch| way * f64::from(touch.t)),
            point: first.map(|touch| touch.touch.point.to_array()),
            features: first.map(|touch| touch.touch.features.name()),
            part_primitive: first.map(|touch| primitive(touch.part)),
            scene_primitive: first.map(|touch| primitive(touch.scene)),
        }
    }
}
