//! What is asked of the machine.
//!
//! | load | queries |
//! |---|---|
//! | `primary`, `ao`, `bounce` | the rays of [`crate::workload`] |
//! | `beams` | one beam for each 8 by 8 pixels of the primary rays: everything that it meets |

use crate::workload::{self, Workload, WorkloadError};
use geometry::beam::BeamError;
use geometry::{Beam, Ray};
use machine::{HitKind, LeafRule, Query};
use scene::Camera;
use trace::{TraceError, Tracer};
use tree::Tree;

/// Rays that one beam goes around: a tile.
const RAYS_A_BEAM: usize = 64;

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Load {
    /// Closest hits of camera rays.
    Primary,
    /// Ambient occlusion: any hit of short rays from what the camera sees.
    Ao,
    /// Closest hits of rays from what the camera sees.
    Bounce,
    /// Everything that beams around tiles of camera rays meet.
    Beams,
}

impl Load {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Primary, Self::Ao, Self::Bounce, Self::Beams];

    /// The name used in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Ao => "ao",
            Self::Bounce => "bounce",
            Self::Beams => "beams",
        }
    }

    /// `count` queries of this kind.
    ///
    /// # Errors
    /// When the camera sees nothing and the rays would start there, or a beam is no valid one.
    pub fn queries(
        self,
        scene: &str,
        tree: &Tree,
        camera: &Camera,
        count: usize,
    ) -> Result<Vec<Query>, LoadError> {
        let (kind, hits) = match self {
            Self::Primary => (Workload::Primary, HitKind::Closest),
            Self::Ao => (Workload::Occlusion, HitKind::Any),
            Self::Bounce => (Workload::Bounce, HitKind::Closest),
            Self::Beams => return beams(scene, tree, camera, count),
        };
        let rays = workload::rays(kind, scene, tree, &tracer(tree)?, camera, count)?;
        Ok(rays.into_iter().map(|ray| Query::ray(hits, ray)).collect())
    }
}

/// Why there is nothing to ask.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// There are no rays.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// What the camera sees cannot be found out.
    #[error(transparent)]
    Tracer(#[from] TraceError),
    /// A beam cannot be formed.
    #[error("beam {number}: {source}")]
    Beam {
        /// Which.
        number: usize,
        /// The rule that it breaks.
        source: BeamError,
    },
}

fn tracer(tree: &Tree) -> Result<Tracer, TraceError> {
    Tracer::from_tree(tree, trace::Options::default())
}

fn beams(scene: &str, tree: &Tree, camera: &Camera, count: usize) -> Result<Vec<Query>, LoadError> {
    let count = count * RAYS_A_BEAM;
    let rays = workload::rays(Workload::Primary, scene, tree, &tracer(tree)?, camera, count)?;
    let forward = camera.axes()[2];
    rays.chunks(RAYS_A_BEAM)
        .enumerate()
        .map(|(number, tile)| {
            // One common depth for each t makes the tile's beam tight.
            let level = |ray: &Ray| Ray {
                direction: ray.direction / ray.direction.dot(forward),
                tmax: 1e30,
                ..*ray
            };
            let rays: Vec<Ray> = tile.iter().map(level).collect();
            let beam =
                Beam::from_rays(&rays).map_err(|source| LoadError::Beam { number, source })?;
            Ok(Query::beam(HitKind::All, beam, LeafRule::Conservative))
        })
        .collect()
}
