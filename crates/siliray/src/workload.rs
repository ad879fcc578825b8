//! Rays that benchmarks trace: the same ones each time, for a scene, a camera and a number.
//!
//! | workload | rays | asked for |
//! |---|---|---|
//! | [`Workload::Primary`] | from the camera, in tiles of 8 by 8 pixels of a square | closest |
//! | [`Workload::Occlusion`] | from what the camera sees, a tenth of the scene's size long | any |
//! | [`Workload::Bounce`] | from what the camera sees, without end | closest |
//!
//! Within a tile pixels follow Morton's curve, so that any 4, 16 or 64 rays in a row are a square:
//! packets and beams find them coherent. The other rays are cosine distributed. They start in the
//! order of these pixels, as often as it takes to get the number asked for, and a little above the
//! surface, so that no tracer needs a smallest distance.

use crate::render::sampling::cosine_direction;
use crate::render::surface::{SurfacePoint, Surfaces};
use crate::render::{RenderError, View};
use geometry::Ray;
use geometry::random::Random;
use scene::Camera;
use trace::Tracer;
use tree::Tree;

/// Pixels on a side of a tile.
const TILE: usize = 8;

/// How far above a surface rays begin, as a share of half the scene's diagonal.
const LIFT: f32 = 1e-4;

/// Where occlusion rays end, as a share of half the scene's diagonal.
const OCCLUSION_REACH: f32 = 0.2;

/// Chooses the directions.
const SEED: u64 = 4;

/// A kind of rays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Workload {
    /// From the camera.
    Primary,
    /// From surfaces, short, any hit.
    Occlusion,
    /// From surfaces, without end.
    Bounce,
}

impl Workload {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 3] = [Self::Primary, Self::Occlusion, Self::Bounce];

    /// The name used in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Occlusion => "occlusion",
            Self::Bounce => "bounce",
        }
    }
}

/// Why there are no rays.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// Nothing is in view, so nothing starts from there.
    #[error("the camera sees nothing of {scene}, so no ray can start from what it sees")]
    NothingInView {
        /// The scene.
        scene: String,
    },
    /// The tracer and the scene do not belong together.
    #[error(transparent)]
    Surface(#[from] RenderError),
}

/// So many rays of a kind. `tracer` must be made of `tree`; it is asked what the camera sees.
/// `scene` is the name of it all.
///
/// # Errors
/// When the camera sees nothing, and the rays would start there.
pub fn rays(
    workload: Workload,
    scene: &str,
    tree: &Tree,
    tracer: &Tracer,
    camera: &Camera,
    count: usize,
) -> Result<Vec<Ray>, WorkloadError> {
    let primary = primary(camera, count);
    let reach = match workload {
        Workload::Primary => return Ok(primary),
        Workload::Occlusion => OCCLUSION_REACH,
        Workload::Bounce => f32::INFINITY,
    };
    let surfaces = Surfaces::new(View::of(tree), trace::NAME);
    let hits = tracer.closest(&primary);
    let seen: Vec<SurfacePoint> = primary
        .iter()
        .zip(&hits)
        .filter(|(_, hit)| !hit.is_miss())
        .map(|(ray, hit)| surfaces.at(ray, hit))
        .collect::<Result<_, _>>()?;
    if seen.is_empty() && count > 0 {
        return Err(WorkloadError::NothingInView { scene: scene.to_owned() });
    }
    let (lift, farthest) = (LIFT * surfaces.radius, reach * surfaces.radius);
    let from = |(index, point): (usize, &SurfacePoint)| {
        let mut random = Random::new(SEED ^ workload as u64, index);
        let square = [random.range(0.0, 1.0), random.range(0.0, 1.0)];
        let direction = cosine_direction(point.normal, square);
        Ray::new(point.position + point.normal * lift, direction).between(0.0, farthest)
    };
    Ok(seen.iter().cycle().take(count).enumerate().map(from).collect())
}

/// Through the middles of the pixels of a picture that is about square.
fn primary(camera: &Camera, count: usize) -> Vec<Ray> {
    let columns = (count as f64).sqrt().ceil() as usize;
    let columns = columns.next_multiple_of(TILE).max(TILE);
    let rows = count.div_ceil(columns).next_multiple_of(TILE).max(TILE);
    let tiles_in_row = columns / TILE;
    (0..count)
        .map(|index| {
            let (tile, place) = (index / (TILE * TILE), index % (TILE * TILE));
            let x = tile % tiles_in_row * TILE + every_other_bit(place);
            let y = tile / tiles_in_row * TILE + every_other_bit(place >> 1);
            camera.ray(x as f32 + 0.5, y as f32 + 0.5, columns as u32, rows as u32)
        })
        .collect()
}

/// Bits 0, 2 and 4: one coordinate of a place on Morton's curve.
fn every_other_bit(place: usize) -> usize {
    place & 1 | (place >> 1) & 2 | (place >> 2) & 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Vec3;
    use scene::Scene;
    use scene::builtin::Builtin;

    fn traced(scene: &Scene) -> (Tree, Tracer) {
        let tree = Tracer::build_options(Tracer::PRESET).build(scene).unwrap();
        let tracer = Tracer::from_tree(&tree, trace::Options::default()).unwrap();
        (tree, tracer)
    }

    fn make(workload: Workload, count: usize) -> Vec<Ray> {
        let scene = Builtin::Interior.scene(3_000);
        let (tree, tracer) = traced(&scene);
        rays(workload, &scene.name, &tree, &tracer, &scene.camera().unwrap(), count).unwrap()
    }

    #[test]
    fn any_number_of_rays_and_always_the_same() {
        for workload in Workload::ALL {
            for count in [0, 1, 63, 1000] {
                assert_eq!(make(workload, count).len(), count);
            }
            let rays = make(workload, 500);
            assert_eq!(rays, make(workload, 500));
            assert!(rays.iter().all(|ray| ray.is_traceable() && ray.tmin == 0.0));
        }
    }

    /// Every 16 rays in a row go through a square of 4 by 4 pixels, and each pixel is there once.
    #[test]
    fn primary_rays_come_in_squares() {
        let camera = Camera { eye: Vec3::ZERO, target: Vec3::NEG_Z, up: Vec3::Y, fov: 90.0 };
        let rays = primary(&camera, 32 * 32);
        let pixel = |ray: &Ray| {
            let scaled = ray.direction / -ray.direction.z * 16.0;
            ((scaled.x + 15.5).round() as i32, (15.5 - scaled.y).round() as i32)
        };
        let mut pixels: Vec<(i32, i32)> = rays.iter().map(pixel).collect();
        for square in pixels.chunks(16) {
            let (left, top) = (square[0].0, square[0].1);
            assert!(left % 4 == 0 && top % 4 == 0);
            assert!(
                square
                    .iter()
                    .all(|&(x, y)| (0..4).contains(&(x - left)) && (0..4).contains(&(y - top)))
            );
        }
        pixels.sort_unstable();
        pixels.dedup();
        assert_eq!(pixels.len(), 1024);
    }

    #[test]
    fn nothing_in_view_is_an_error() {
        let scene = Builtin::Organic.scene(1_000);
        let (tree, tracer) = traced(&scene);
        let away =
            Camera { eye: Vec3::splat(50.0), target: Vec3::splat(60.0), up: Vec3::Y, fov: 30.0 };
        let error = rays(Workload::Bounce, &scene.name, &tree, &tracer, &away, 9).unwrap_err();
        assert!(error.to_string().contains("organic"), "{error}");
    }
}
