//! The nearest so far, and all who share it.

use super::NearestPoint;
use super::placement::Placement;
use super::triangle::{Nearest, nearest_point, weighted_normal};
use glam::DVec3;
use tree::PrimitiveId;

/// A triangle, by its ids.
type Ids = (u32, u32, u32);

/// A triangle that has the nearest point.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    ids: Ids,
    found: Nearest,
    /// How it votes about the side.
    normal: DVec3,
}

/// The nearest so far.
#[derive(Debug)]
pub(super) struct Best {
    /// Nothing farther counts.
    pub(super) distance_squared: f64,
    /// All triangles that are so near: few, but where many share a corner.
    candidates: Vec<Candidate>,
}

impl Best {
    pub(super) fn new(within: f64) -> Self {
        Self { distance_squared: within * within, candidates: Vec::new() }
    }

    /// Looks at a triangle whose corners are given as seen from the point, in the world; returns
    /// whether it is nearer than all before.
    pub(super) fn offer(
        &mut self,
        corners: &[DVec3; 3],
        placement: &Placement,
        instance: u32,
        id: PrimitiveId,
    ) -> bool {
        let found = nearest_point(corners);
        let is_near = found.distance_squared <= self.distance_squared;
        if !is_near || found.distance_squared == f64::INFINITY {
            return false;
        }
        let is_nearer = found.distance_squared < self.distance_squared;
        if is_nearer {
            self.candidates.clear();
            self.distance_squared = found.distance_squared;
        }
        let ids = (instance, id.geometry, id.primitive);
        // Splits show a triangle several times.
        if self.candidates.iter().all(|other| other.ids != ids) {
            let normal = weighted_normal(corners, found.feature);
            let normal = if placement.is_mirrored { -normal } else { normal };
            self.candidates.push(Candidate { ids, found, normal });
        }
        is_nearer
    }

    /// The answer for a point.
    pub(super) fn finish(mut self, point: DVec3) -> NearestPoint {
        // Sums are formed in the order of ids, so that they do not depend on that of the walk.
        self.candidates.sort_unstable_by_key(|candidate| candidate.ids);
        let Some(&Candidate { ids, found, .. }) = self.candidates.first() else {
            return NearestPoint::MISS;
        };
        let sharers = self.candidates.iter().filter(|other| other.found.offset == found.offset);
        let normal: DVec3 = sharers.map(|candidate| candidate.normal).sum();
        let ((instance, geometry, primitive), [u, v]) = (ids, found.weights);
        NearestPoint {
            point: (point + found.offset).to_array(),
            distance: found.distance_squared.sqrt(),
            u,
            v,
            instance,
            geometry,
            primitive,
            is_inside: found.offset.dot(normal) > 0.0,
        }
    }
}
