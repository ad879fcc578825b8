//! The same rays for all, and the answers that the scene itself gives.

use crate::render::losses::{Verdict, verdict};
use crate::workload::{self, Workload, WorkloadError};
use geometry::Ray;
use machine::{Hit, HitKind, Query};
use scene::Camera;
use trace::Tracer;
use tree::Tree;

/// Rays of one kind.
#[derive(Debug, Clone)]
pub struct Rays {
    /// The rays as questions.
    pub queries: Vec<Query>,
    /// The closest hit of each; for occlusion rays only whether there is one.
    expected: Vec<Hit>,
}

/// How many answers differ from the scene's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Losses {
    /// A hit is missing, or replaced by one behind it.
    pub lost: u64,
    /// A hit where there is none, or before it.
    pub wrong: u64,
}

impl Rays {
    /// `count` rays of each kind, in the order of [`Workload::ALL`]. `tracer` must be made of
    /// `tree`.
    ///
    /// # Errors
    /// When the camera sees nothing.
    pub fn all(
        scene: &str,
        tree: &Tree,
        tracer: &Tracer,
        camera: &Camera,
        count: usize,
    ) -> Result<[Self; 3], WorkloadError> {
        let of = |workload| -> Result<Self, WorkloadError> {
            let rays = workload::rays(workload, scene, tree, tracer, camera, count)?;
            Ok(Self::new(workload, &rays, tracer))
        };
        let [primary, occlusion, bounce] = Workload::ALL;
        Ok([of(primary)?, of(occlusion)?, of(bounce)?])
    }

    fn new(workload: Workload, rays: &[Ray], tracer: &Tracer) -> Self {
        let kind = match workload {
            Workload::Primary | Workload::Bounce => HitKind::Closest,
            Workload::Occlusion => HitKind::Any,
        };
        let queries = rays.iter().map(|ray| Query::ray(kind, *ray)).collect();
        Self { queries, expected: tracer.closest(rays) }
    }

    /// Counts the answer to a ray if it differs.
    pub(super) fn count_loss(&self, number: usize, got: Option<Hit>, losses: &mut Losses) {
        let expected = self.expected[number];
        let found = match self.queries[number].kind {
            // Any hit will do.
            HitKind::Any => match (expected.is_miss(), got.is_none()) {
                (false, true) => Verdict::Lost,
                (true, false) => Verdict::Wrong,
                _ => Verdict::Same,
            },
            HitKind::Closest | HitKind::All => verdict(&expected, got.as_ref()),
        };
        losses.lost += u64::from(found == Verdict::Lost);
        losses.wrong += u64::from(found == Verdict::Wrong);
    }
}
