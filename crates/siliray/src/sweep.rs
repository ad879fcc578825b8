//! A part in straight motion through a scene: does it slide along without touching, and if not,
//! where does it touch first?
//!
//! *Exact*: whether each triangle of the part touches a triangle of the scene, and when, for the
//! `f32` coordinates as they are ([`geometry::translation`]); the reported time is a lower bound,
//! less than two units of its last place below the exact one. *Conservative*: the broad phase,
//! which asks for the scene's triangles whose boxes a triangle's swept box meets, and loses none.
//! *Rounded*: the reported point.
//!
//! Surfaces are what touches. A part that lies inside a closed solid without touching its surface
//! touches nothing; one that touches at the start is said to.

use crate::flat_scene::FlatScene;
use build::{Progress, ProgressFn};
use geometry::beam::BeamError;
use geometry::touch_point::{TouchPoint, touch_point};
use geometry::{Aabb, Beam, Triangle, Vec3, translation};
use machine::{BeamQuery, BeamShape, Counters, Hit, HitKind, LeafRule};
use rayon::prelude::*;
use scene::Shape;
use std::cmp::Ordering as Order;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use trace::beam::{BeamsError, Visit};
use trace::{TraceError, Tracer};
use tree::Tree;

/// A scene to move parts through.
#[derive(Debug)]
pub struct SweepScene<'a> {
    scene: &'a FlatScene,
    tracer: Tracer,
}

/// The first touch of a part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstTouch {
    /// Share of the way: 0 at the start, 1 at the end. A guaranteed lower bound.
    pub t: f32,
    /// Where.
    pub touch: TouchPoint,
    /// Which triangle of the part: instance, geometry, primitive.
    pub part: (u32, u32, u32),
    /// Which triangle of the scene.
    pub scene: (u32, u32, u32),
}

/// What came of a sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Swept {
    /// The first touch; `None` if the way is clear.
    pub first: Option<FirstTouch>,
    /// Work of the broad phase, and `triangle_tests` for pairs of triangles. It varies from run to
    /// run: a thread skips what another has made pointless.
    pub counters: Counters,
}

/// Why a sweep has no answer.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// There is no tracer over the scene.
    #[error(transparent)]
    Tracer(#[from] TraceError),
    /// The scene cannot be asked about beams.
    #[error(transparent)]
    Beams(#[from] BeamsError),
    /// A motion that is no beam.
    #[error("the motion is not valid: {0}")]
    Motion(#[from] BeamError),
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl<'a> SweepScene<'a> {
    /// A scene and its tree, which was built from `scene.scene`.
    ///
    /// # Errors
    /// When a coordinate is out of range, or the scene is too large.
    pub fn new(scene: &'a FlatScene, tree: &Tree) -> Result<Self, SweepError> {
        let tracer = Tracer::from_tree(tree, trace::Options::default())?;
        tracer.beams()?;
        Ok(Self { scene, tracer })
    }

    /// Moves `part` by `along`. The answer does not depend on the number of threads.
    ///
    /// # Errors
    /// When the motion is not valid, or the caller cancels.
    pub fn sweep(
        &self,
        part: &FlatScene,
        along: Vec3,
        watch: &ProgressFn<'_>,
    ) -> Result<Swept, SweepError> {
        let triangles = part_triangles(part);
        // Proves the motion once, for the box around all: each triangle's beam is then valid too.
        let bounds = triangles.iter().map(|(t, _)| t.bounds()).fold(Aabb::EMPTY, Aabb::union);
        Beam::swept(&bounds, along, 1.0)?;
        // Bits of the earliest touch so far: positive floats are ordered like their bits.
        let earliest = AtomicU32::new(1.0f32.to_bits());
        let done = AtomicUsize::new(0);
        let outcomes = triangles.par_iter().map(|(triangle, id)| {
            let count = done.fetch_add(1, Ordering::Relaxed);
            let fraction = count as f32 / triangles.len() as f32;
            if watch(Progress { fraction }).is_break() {
                return Err(SweepError::Cancelled);
            }
            self.one(triangle, *id, along, &earliest)
        });
        let (first, counters) = outcomes.try_reduce(
            || (None, Counters::default()),
            |(a, mut sum), (b, counters)| {
                sum += counters;
                Ok((earlier(a, b), sum))
            },
        )?;
        let first = first.map(|found| self.report(part, along, &found));
        Ok(Swept { first, counters })
    }

    /// One triangle of the part against everything that its swept box meets.
    fn one(
        &self,
        moving: &Triangle,
        part: (u32, u32),
        along: Vec3,
        earliest: &AtomicU32,
    ) -> Result<(Option<Found>, Counters), SweepError> {
        let beam = Beam::swept(&moving.bounds(), along, 1.0)?;
        let mut counters = Counters::default();
        let (mut best, mut pairs) = (None, 0);
        // Times are lower bounds by less than two steps, so what comes within two steps may be a
        // tie.
        let until = || f32::from_bits(earliest.load(Ordering::Relaxed)).next_up().next_up();
        let mut visitor = |hit: &Hit| {
            let still = self.triangle(hit).filter(|_| hit.t <= until());
            pairs += u64::from(still.is_some());
            // The whole way, not `until`: an answer must not depend on what other threads have
            // found.
            let contact =
                still.and_then(|s| Some((s, translation::contact(moving, along, &s, 1.0)?)));
            if let Some((still, contact)) = contact {
                let t = contact.first + 0.0;
                earliest.fetch_min(t.to_bits(), Ordering::Relaxed);
                let found = Found { t, moving: *moving, still, part, scene: *hit };
                best = earlier(best.take(), Some(found));
            }
            Visit::Until(until())
        };
        let shape = BeamShape::new(beam, LeafRule::Conservative);
        let query = BeamQuery::new(HitKind::All, shape);
        self.tracer.beams()?.visit(&query, &mut counters, &mut visitor);
        counters.triangle_tests += pairs;
        Ok((best, counters))
    }

    /// The triangle of a hit; `None` for a procedural box.
    fn triangle(&self, hit: &Hit) -> Option<Triangle> {
        let geometry = &self.scene.scene.objects[0].geometries[hit.geometry as usize];
        let Shape::Triangles { positions, indices } = &geometry.shape else { return None };
        let corners = indices[hit.primitive as usize];
        Some(Triangle { vertices: corners.map(|index| positions[index as usize]) })
    }

    fn report(&self, part: &FlatScene, along: Vec3, found: &Found) -> FirstTouch {
        let offset = along.as_dvec3() * f64::from(found.t);
        let named = |scene: &FlatScene, geometry: u32, primitive: u32| {
            let (instance, geometry) = scene.origin(geometry);
            (instance, geometry, primitive)
        };
        FirstTouch {
            t: found.t,
            touch: touch_point(&found.moving, offset, &found.still),
            part: named(part, found.part.0, found.part.1),
            scene: named(self.scene, found.scene.geometry, found.scene.primitive),
        }
    }
}

/// Every triangle of a part, with its geometry and its number there.
fn part_triangles(part: &FlatScene) -> Vec<(Triangle, (u32, u32))> {
    let geometries = part.scene.objects.iter().flat_map(|object| &object.geometries).enumerate();
    geometries
        .flat_map(|(geometry, shape)| {
            let triangles = shape.triangles().enumerate();
            triangles.map(move |(number, t)| (t, (geometry as u32, number as u32)))
        })
        .collect()
}

/// Two triangles that touch.
#[derive(Debug, Clone, Copy)]
struct Found {
    t: f32,
    moving: Triangle,
    still: Triangle,
    part: (u32, u32),
    scene: Hit,
}

/// The earlier of the two; of equals the one with the smaller ids.
fn earlier(a: Option<Found>, b: Option<Found>) -> Option<Found> {
    let order = |a: &Found, b: &Found| -> Order {
        let ids = |found: &Found| (found.part, found.scene.ids());
        a.t.total_cmp(&b.t).then_with(|| ids(a).cmp(&ids(b)))
    };
    match (a, b) {
        (Some(a), Some(b)) => Some(if order(&b, &a).is_lt() { b } else { a }),
        (a, b) => a.or(b),
    }
}
