//! What is asked of the machine.
//!
//! | workload | queries |
//! |---|---|
//! | `primary`, `occlusion`, `bounce` | the rays of [`crate::workload`] |
//! | `beams` | one beam for each 8 by 8 pixels of the primary rays: everything that it meets |

use crate::workload::{self, Workload as RayWorkload, WorkloadError as RayWorkloadError};
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
pub enum Workload {
    /// Rays: any hit of occlusion rays, the closest hit of others.
    Rays(RayWorkload),
    /// Everything that beams around tiles of camera rays meet.
    Beams,
}

impl Workload {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Rays(RayWorkload::Primary),
        Self::Rays(RayWorkload::Occlusion),
        Self::Rays(RayWorkload::Bounce),
        Self::Beams,
    ];

    /// The name used in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rays(workload) => workload.name(),
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
    ) -> Result<Vec<Query>, WorkloadError> {
        let Self::Rays(workload) = self else { return beams(scene, tree, camera, count) };
        let hits = match workload {
            RayWorkload::Occlusion => HitKind::Any,
            RayWorkload::Primary | RayWorkload::Bounce => HitKind::Closest,
        };
        let rays = workload::rays(workload, scene, tree, &tracer(tree)?, camera, count)?;
        Ok(rays.into_iter().map(|ray| Query::ray(hits, ray)).collect())
    }
}

/// Why there is nothing to ask.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// There are no rays.
    #[error(transparent)]
    Rays(#[from] RayWorkloadError),
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

fn beams(
    scene: &str,
    tree: &Tree,
    camera: &Camera,
    count: usize,
) -> Result<Vec<Query>, WorkloadError> {
    let count = count * RAYS_A_BEAM;
    let rays = workload::rays(RayWorkload::Primary, scene, tree, &tracer(tree)?, camera, count)?;
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
                Beam::from_rays(&rays).map_err(|source| WorkloadError::Beam { number, source })?;
            Ok(Query::beam(HitKind::All, beam, LeafRule::Conservative))
        })
        .collect()
}
