//! Rays from the surfaces of a scene.

use super::GeneratorError;
use crate::flat_scene::MOST_TRIANGLES;
use crate::image_scene;
use crate::input::Input;
use crate::render::sampling::cosine_direction;
use geometry::random::Random;
use geometry::{Ray, Vec3};
use scene::{Scene, Shape};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How far above a surface rays begin, as a share of the largest coordinate beside it.
const LIFT: f32 = 1e-4;

/// Rays from points of each placed triangle, cosine distributed about its front side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Occlusion {
    /// Rays of a triangle.
    pub samples: u32,
    /// Chooses points and directions.
    #[serde(default)]
    pub seed: u64,
    /// Where rays end; without it, nowhere.
    #[serde(default)]
    pub reach: Option<f32>,
}

/// What rays of occlusion start from: the placed triangles, instance by instance, geometry by
/// geometry.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedTriangles {
    pub(super) triangles: Vec<[Vec3; 3]>,
}

impl PlacedTriangles {
    /// The triangles of a scene or of an image.
    ///
    /// # Errors
    /// When there are too many, or an image has corners that are not finite.
    pub fn of(input: &Input) -> Result<Self, GeneratorError> {
        let scene = match input {
            Input::Scene(scene) => Cow::Borrowed(scene),
            Input::Image(image) => {
                Cow::Owned(image_scene::scene_of(image.checked.tree(), String::new())?)
            }
        };
        let found = scene.placed_triangle_count();
        if found > MOST_TRIANGLES {
            return Err(GeneratorError::TooLarge { found });
        }
        Ok(Self { triangles: triangles(&scene) })
    }

    /// Triangles that there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }
}

fn triangles(scene: &Scene) -> Vec<[Vec3; 3]> {
    let mut triangles = Vec::new();
    for placed in scene.flattened() {
        let Shape::Triangles { positions, indices } = &placed.geometry.shape else { continue };
        let corner = |corner: u32| placed.point(positions[corner as usize]);
        triangles.extend(indices.iter().map(|corners| corners.map(corner)));
    }
    triangles
}

impl Occlusion {
    pub(super) fn ray(&self, number: u64, placed: &PlacedTriangles) -> Ray {
        let [a, b, c] = placed.triangles[(number / u64::from(self.samples)) as usize];
        let mut random = Random::new(self.seed, number as usize);
        // Uniform on the triangle: the half of a square beyond its diagonal is folded back.
        let (mut u, mut v) = (random.unit(), random.unit());
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        let (ab, ac) = (b - a, c - a);
        let size = ab.abs().max_element().max(ac.abs().max_element());
        let normal = (ab / size).cross(ac / size).normalize_or(Vec3::Y);
        let direction = cosine_direction(normal, [random.unit(), random.unit()]);
        let point = a + ab * u + ac * v;
        let lift = LIFT * size.max(point.abs().max_element());
        let reach = self.reach.unwrap_or(f32::INFINITY);
        Ray::new(point + normal * lift, direction).between(0.0, reach)
    }
}
