//! Tracers that follow a mesh which moves.
//!
//! ```
//! use geometry::Vec3;
//! use scene::Shape;
//! use trace::Tracer;
//!
//! let mut scene = scene::builtin::Builtin::Organic.scene(2_000);
//! let mut tracer = Tracer::new(&scene)?;
//! for geometry in &mut scene.objects[0].geometries {
//!     if let Shape::Triangles { positions, .. } = &mut geometry.shape {
//!         positions.iter_mut().for_each(|p| *p += Vec3::new(0.0, 0.1 * p.x.sin(), 0.0));
//!     }
//! }
//! // Parts of trees that have decayed by more than a factor of two are built anew.
//! let refit = tracer.refit_or_rebuild(&scene, 2.0)?;
//! # assert!(refit.worst() < 2.0 && refit.rebuilt == 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A refit keeps the tree and forms its boxes anew around triangles, procedural boxes and instances
//! where they are now. Answers are those of a new tracer; only the way to them grows longer as
//! things that were neighbours drift apart. [`Refit`] says how much, by the surface-area heuristic.
//! A triangle that splits had cut has its whole box in each of its leaves from then on.
//! [`Tracer::refit_or_rebuild`] builds anew what has decayed too much, and nothing else.
//!
//! # Building beside tracing
//! A tracer may be asked by many threads while another thread builds the next one; whoever asks
//! takes the newest that is there.
//!
//! ```
//! use geometry::{Ray, Vec3};
//! use std::sync::{Arc, RwLock};
//! use trace::Tracer;
//!
//! let scene = scene::builtin::Builtin::Organic.scene(2_000);
//! let newest = RwLock::new(Arc::new(Tracer::new(&scene)?));
//! let ray = Ray::new(Vec3::new(0.1, 0.2, 50.0), Vec3::NEG_Z);
//! std::thread::scope(|threads| {
//!     let builder = threads.spawn(|| {
//!         let next = scene::builtin::Builtin::Organic.scene(4_000);
//!         let next = Tracer::new(&next)?;
//!         if let Ok(mut newest) = newest.write() {
//!             *newest = Arc::new(next); // the lock is held for the exchange alone
//!         }
//!         Ok::<(), trace::TraceError>(())
//!     });
//!     while !builder.is_finished() {
//!         let Ok(tracer) = newest.read().map(|newest| Arc::clone(&newest)) else { break };
//!         assert!(tracer.any_one(&ray)); // the old one answers until the new one is there
//!     }
//! });
//! # Ok::<(), trace::TraceError>(())
//! ```

use crate::Tracer;
use crate::decay::{self, LevelCost};
use crate::rebuild;
use crate::tracer::Storage;
use crate::world::{Target, World, corners, procedural};
use geometry::SingularTransform;
use rayon::prelude::*;
use scene::{Geometry, Object, Scene, Shape};
use std::ops::Range;
use std::sync::OnceLock;
use tree::{Instance, PrimitiveId};

/// How much trees have decayed: what a ray has to expect by the surface-area heuristic, over what
/// it had when the tracer was made or read.
#[derive(Debug, Clone, PartialEq)]
pub struct Refit {
    /// Of each object's tree.
    pub objects: Vec<f64>,
    /// Of the tree over instances, if there is one.
    pub instances: Option<f64>,
    /// How many primitives and instances are in the parts of trees that were built anew.
    pub rebuilt: usize,
}

impl Refit {
    /// The largest of them; 1 where nothing has changed.
    #[must_use]
    pub fn worst(&self) -> f64 {
        self.objects.iter().copied().chain(self.instances).fold(0.0, f64::max)
    }
}

/// Why a tracer does not follow a scene. It is as it was.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RefitError {
    /// It walks an image in place.
    #[error("this tracer walks an image in place, and only a prepared one can be refitted")]
    InPlace,
    /// There is more or less in the scene than there was.
    #[error("the scene has {found} {what}, but the tracer {expected}: build a new one")]
    Count {
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there were.
        expected: usize,
    },
    /// A primitive is not there any more.
    #[error("primitive {primitive} of geometry {geometry} of object {object} is gone: build anew")]
    Missing {
        /// Which object.
        object: usize,
        /// Which geometry of it.
        geometry: u32,
        /// Which primitive.
        primitive: u32,
    },
    /// A vertex is not finite.
    #[error("vertex {vertex} of geometry {geometry} of object {object} is not finite")]
    NotFinite {
        /// Which object.
        object: usize,
        /// Which geometry of it.
        geometry: usize,
        /// Which vertex, or which procedural box.
        vertex: usize,
    },
    /// An instance has a transform that cannot be undone.
    #[error("instance {instance}: {source}")]
    Singular {
        /// Which instance.
        instance: usize,
        /// Why.
        source: SingularTransform,
    },
}

impl Tracer {
    /// Follows a scene whose vertices, procedural boxes or instances have moved, in place, on all
    /// threads. The scene must have the objects, geometries, triangles and instances that the
    /// tracer was made of; only where they are may differ, and masks and flags of instances.
    ///
    /// # Errors
    /// When the tracer is in place, the scene is another one, a vertex is not finite, or a
    /// transform is singular. Nothing has changed then.
    pub fn refit(&mut self, moved: &Scene) -> Result<Refit, RefitError> {
        let Storage::Prepared(world) = &mut self.storage else { return Err(RefitError::InPlace) };
        let instances = check(world, moved, &mut self.followed)?;
        let built = self.built_costs.get_or_insert_with(|| decay::costs(world));
        world.follow(&moved.objects, instances);
        self.options.keeps_boxes = false;
        (self.beams, self.placements) = (OnceLock::new(), OnceLock::new());
        let mut objects: Vec<f64> =
            built.iter().zip(decay::whole_costs(world)).map(LevelCost::decay).collect();
        let instances = world.tlas.as_ref().and_then(|_| objects.pop());
        Ok(Refit { objects, instances, rebuilt: 0 })
    }

    /// The same, and builds anew, by the preset of the tracer, what has decayed by more than a
    /// factor: of an object's tree the subtrees for which that is true, if that is enough, and else
    /// all of it; and the tree over instances. What is told is how much trees had decayed before.
    ///
    /// # Errors
    /// As [`Tracer::refit`].
    pub fn refit_or_rebuild(&mut self, moved: &Scene, limit: f64) -> Result<Refit, RefitError> {
        let mut refit = self.refit(moved)?;
        if let (true, Storage::Prepared(world), Some(built)) =
            (refit.worst() > limit, &mut self.storage, &mut self.built_costs)
            && let Some(anew) =
                rebuild::stale_parts(world, built, moved, limit, self.options.preset)
        {
            refit.rebuilt = anew.rebuilt;
            (*world, *built) = (anew.world, anew.costs);
        }
        Ok(refit)
    }
}

/// Checks that a world can follow a scene; returns its instances where they are then.
///
/// All names of primitives are looked up once: what has as many in each geometry as a scene that
/// was `followed` has all of them, if its triangles have their vertices.
fn check(
    world: &World,
    moved: &Scene,
    followed: &mut Option<Vec<Counts>>,
) -> Result<Vec<Instance>, RefitError> {
    let count = |what, found, expected| match found == expected {
        true => Ok(()),
        false => Err(RefitError::Count { what, found, expected }),
    };
    // A scene without objects makes one that is empty.
    let is_empty = moved.objects.is_empty() && world.triangles == 0;
    if !is_empty {
        count("objects", moved.objects.len(), world.blases.len())?;
    }
    count("triangles", moved.triangle_count(), world.triangles)?;
    let placed = world.tlas.as_ref().map_or(&[][..], |tlas| &tlas.instances);
    count("instances", moved.instances.len(), placed.len())?;
    let objects = || moved.objects.par_iter().enumerate();
    let not_finite = objects().find_map_first(|(object, of_object)| {
        of_object.geometries.iter().enumerate().find_map(|(geometry, part)| {
            let vertex = not_finite(part)?;
            Some(RefitError::NotFinite { object, geometry, vertex })
        })
    });
    if let Some(error) = not_finite {
        return Err(error);
    }
    let counts: Vec<Counts> = objects().map(|(_, object)| counts(object)).collect();
    let has_vertices = |(_, object): (usize, &Object)| object.geometries.iter().all(has_vertices);
    if followed.as_ref() != Some(&counts) || !objects().all(has_vertices) {
        let ranges = world.node_ranges();
        let missing = objects().find_map_first(|(object, parts)| {
            let nodes = ranges.get(object)?;
            let id = missing(world, object, nodes, parts)?;
            let PrimitiveId { geometry, primitive, .. } = id;
            Some(RefitError::Missing { object, geometry, primitive })
        });
        if let Some(error) = missing {
            return Err(error);
        }
    }
    let moved = moved.instances.par_iter().zip(placed.par_iter()).enumerate();
    let instances: Vec<Result<Instance, RefitError>> = moved
        .map(|(instance, (now, before))| {
            count("objects of an instance", now.object, before.blas as usize)?;
            let singular = |source| RefitError::Singular { instance, source };
            Ok(Instance {
                world_to_object: now.object_to_world.inverse().map_err(singular)?,
                object_to_world: now.object_to_world,
                mask: now.mask,
                flags: now.flags,
                ..*before
            })
        })
        .collect();
    let instances = instances.into_iter().collect::<Result<_, _>>()?;
    *followed = Some(counts);
    Ok(instances)
}

/// How many triangles, and procedural boxes, each geometry of an object has.
pub(crate) type Counts = Vec<[usize; 2]>;

fn counts(object: &Object) -> Counts {
    let of_geometry = |geometry: &Geometry| match &geometry.shape {
        Shape::Triangles { indices, .. } => [indices.len(), 0],
        Shape::Boxes(boxes) => [0, boxes.len()],
    };
    object.geometries.iter().map(of_geometry).collect()
}

/// Whether all vertices that triangles name are there.
fn has_vertices(part: &Geometry) -> bool {
    let Shape::Triangles { positions, indices } = &part.shape else { return true };
    indices.par_iter().all(|of| of.iter().all(|&index| (index as usize) < positions.len()))
}

/// A primitive in the leaves of an object, with these nodes, that is not in a scene.
fn missing(
    world: &World,
    object: usize,
    nodes: &Range<usize>,
    parts: &Object,
) -> Option<PrimitiveId> {
    let ids = world.primitive_ids.get(object)?;
    world.find_leaf(world.blases.get(object)?, nodes, |leaf| match leaf.target() {
        Target::Leaf => {
            let mut names = (0..leaf.triangles()).map(|n| ids.id(world.arena.name(leaf, n)));
            names.find(|id| corners(parts, id).is_none())
        }
        Target::Boxes(list) => {
            let mut boxes = world.box_list(list).iter().map(|(_, id)| *id);
            boxes.find(|id| procedural(parts, id).is_none())
        }
        _ => None,
    })
}

fn not_finite(part: &Geometry) -> Option<usize> {
    match &part.shape {
        Shape::Triangles { positions, .. } => {
            positions.par_iter().position_first(|vertex| !vertex.is_finite())
        }
        Shape::Boxes(boxes) => boxes.iter().position(|b| b.min.is_nan() || b.max.is_nan()),
    }
}
