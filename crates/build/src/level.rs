//! BLASes, the TLAS, and the whole.

use crate::binary::Node;
use crate::cells::{self, Cut};
use crate::collapse::{self, Collapsed};
use crate::objective::SurfaceArea;
use crate::options::{Options, Preset};
use crate::primitives;
use crate::progress::{Monitor, ProgressFn, unwatched};
use crate::reinsertion::{self, Effort};
use crate::report::Report;
use crate::scratch::Scratch;
use crate::spatial_split::{self, CutThreshold};
use crate::tagged_box::TaggedBox;
use crate::{BuildError, binned, ploc};
use geometry::Aabb;
use rayon::prelude::*;
use scene::{Object, Scene};
use std::time::Instant;
use tree::quality::LevelCosts;
use tree::{Blas, Bvh, Instance, Primitives, Tlas, Tree};

/// A tree and its figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Built {
    /// The tree.
    pub tree: Tree,
    /// What it cost to make and what it is worth.
    pub report: Report,
}

/// Builds the tree of a scene. `watch` is told about progress, from any thread, and may cancel.
///
/// # Errors
/// An option out of range, an instance that names no object or has a singular transform, geometry
/// that is not finite or names missing vertices, too many primitives, or cancellation.
pub fn build(
    scene: &Scene,
    options: &Options,
    watch: &ProgressFn<'_>,
) -> Result<Built, BuildError> {
    // WebAssembly has no clock of its own.
    let start = (!cfg!(target_family = "wasm")).then(Instant::now);
    let (tree, binary) = levels(scene, options, watch)?;
    let seconds = start.map_or(0.0, |start| start.elapsed().as_secs_f64());
    let report = Report::new(&tree, &binary, options, seconds)?;
    Ok(Built { tree, report })
}

/// The same without the figures, which take some time of their own.
///
/// # Errors
/// As [`build`].
pub fn tree(scene: &Scene, options: &Options, watch: &ProgressFn<'_>) -> Result<Tree, BuildError> {
    levels(scene, options, watch).map(|(tree, _)| tree)
}

impl Options {
    /// The tree of a scene, built to the end with nobody watching.
    ///
    /// # Errors
    /// As [`build`].
    pub fn build(&self, scene: &Scene) -> Result<Tree, BuildError> {
        tree(scene, self, &unwatched)
    }
}

fn levels(
    scene: &Scene,
    options: &Options,
    watch: &ProgressFn<'_>,
) -> Result<(Tree, LevelCosts), BuildError> {
    options.validate()?;
    check_instances(scene)?;
    let monitor = Monitor::new(watch, work(scene, options.preset));
    // All of it within the pool: a thread from outside would be put to sleep and woken in each
    // pass.
    rayon::scope(|_| build_levels(scene, options, &monitor))
}

/// The BLAS of an object alone; errors tell of it as object 0.
///
/// # Errors
/// As [`build`].
pub fn blas(object: &Object, options: &Options) -> Result<Blas, BuildError> {
    options.validate()?;
    let monitor = Monitor::new(&unwatched, 1);
    rayon::scope(|_| build_blas(object, 0, options, &monitor)).map(|(blas, _)| blas)
}

/// The TLAS over instances of objects with these boxes, all of which must be there.
///
/// # Errors
/// As [`build`].
pub fn tlas(
    instances: Vec<Instance>,
    objects: &[Aabb],
    options: &Options,
) -> Result<Tlas, BuildError> {
    options.validate()?;
    let monitor = Monitor::new(&unwatched, 1);
    build_tlas(instances, |object| objects[object], options, &monitor).map(|(tlas, _)| tlas)
}

/// What a tree of the scene would hold, without any hierarchy: the primitives of each object, and
/// the instances.
///
/// # Errors
/// As [`build`].
pub fn contents(scene: &Scene) -> Result<(Vec<Primitives>, Vec<Instance>), BuildError> {
    check_instances(scene)?;
    let monitor = Monitor::new(&unwatched, 1);
    let objects = scene.objects.iter().enumerate();
    let objects = objects.map(|(position, object)| primitives::collect(object, position, &monitor));
    Ok((objects.collect::<Result<_, _>>()?, instances(scene)?))
}

fn build_levels(
    scene: &Scene,
    options: &Options,
    monitor: &Monitor<'_>,
) -> Result<(Tree, LevelCosts), BuildError> {
    let levels: Vec<Level> = scene
        .objects
        .par_iter()
        .enumerate()
        .map(|(position, object)| build_blas(object, position, options, monitor))
        .collect::<Result<_, _>>()?;
    let (blases, blas_costs): (Vec<Blas>, Vec<f64>) = levels.into_iter().unzip();
    let (tree, tlas_cost) = match scene.instances.is_empty() {
        true => (Tree { blases: one_blas(blases), tlas: None }, None),
        false => {
            let bounds = |object: usize| blases[object].bvh.root().bounds;
            let (tlas, cost) = build_tlas(instances(scene)?, bounds, options, monitor)?;
            (Tree { blases, tlas: Some(tlas) }, Some(cost))
        }
    };
    Ok((tree, LevelCosts { blases: blas_costs, tlas: tlas_cost }))
}

/// A BLAS and the cost of the binary tree that it was made from.
type Level = (Blas, f64);

fn check_instances(scene: &Scene) -> Result<(), BuildError> {
    let objects = scene.objects.len();
    if scene.instances.is_empty() && objects > 1 {
        return Err(BuildError::Unplaced { objects });
    }
    if scene.instances.len() > u32::MAX as usize {
        let count = scene.instances.len();
        return Err(BuildError::TooManyPrimitives { object: objects, count });
    }
    for (instance, placed) in scene.instances.iter().enumerate() {
        let object = placed.object;
        if object >= objects {
            return Err(BuildError::MissingObject { instance, object, objects });
        }
    }
    Ok(())
}

/// Units of work: each primitive is collected once and built into a tree once; the optimisation of
/// the best trees takes longer than both.
fn work(scene: &Scene, preset: Preset) -> u64 {
    let passes = if preset == Preset::Best { 3 } else { 2 };
    passes * scene.triangle_count() as u64
}

/// A scene without objects is an empty BLAS.
fn one_blas(blases: Vec<Blas>) -> Vec<Blas> {
    if blases.is_empty() {
        vec![Blas { primitives: Primitives::default(), bvh: Bvh::empty() }]
    } else {
        blases
    }
}

fn build_blas(
    object: &Object,
    position: usize,
    options: &Options,
    monitor: &Monitor<'_>,
) -> Result<Level, BuildError> {
    let primitives = primitives::collect(object, position, monitor)?;
    let Collapsed { bvh, binary_cost } = if options.preset == Preset::Fast
        && primitives.boxes.is_empty()
        && !primitives.is_empty()
    {
        let triangles = &primitives.triangles;
        let leaf = |index: usize| {
            TaggedBox::leaf(primitives::triangle_bounds(&triangles[index]), index as u32)
        };
        let nodes = ploc::build(triangles.len(), leaf, monitor)?;
        let objective = SurfaceArea::new(options);
        collapse::collapse(nodes, primitives.len(), options.width, &objective, monitor)?
    } else {
        let references = primitives::references(&primitives);
        build_level(references, &primitives, primitives.len(), options, monitor)?
    };
    Ok((Blas { primitives, bvh }, binary_cost))
}

/// What a tree says of the instances of a scene.
fn instances(scene: &Scene) -> Result<Vec<Instance>, BuildError> {
    let of_tree = |(instance, placed): (usize, &scene::Instance)| {
        let singular = |source| BuildError::Singular { instance, source };
        Ok(Instance {
            blas: placed.object as u32,
            world_to_object: placed.object_to_world.inverse().map_err(singular)?,
            object_to_world: placed.object_to_world,
            mask: placed.mask,
            custom_index: placed.custom_index,
            sbt_offset: placed.sbt_offset,
            flags: placed.flags,
        })
    };
    scene.instances.iter().enumerate().map(of_tree).collect()
}

/// The TLAS. Its leaves hold one instance each: entering an instance costs far more than a box
/// test.
fn build_tlas(
    instances: Vec<Instance>,
    object_bounds: impl Fn(usize) -> Aabb,
    options: &Options,
    monitor: &Monitor<'_>,
) -> Result<(Tlas, f64), BuildError> {
    let world_bounds = |(number, instance): (usize, &Instance)| {
        let singular = |source| BuildError::Singular { instance: number, source };
        instance.world_bounds(&object_bounds(instance.blas as usize)).map_err(singular)
    };
    let bounds: Vec<Aabb> =
        instances.iter().enumerate().map(world_bounds).collect::<Result<_, _>>()?;
    let references = primitives::boxes_as_references(&bounds);
    // Boxes of instances are not cut: the parts of an instance are not in its box's parts.
    let preset = match options.preset {
        Preset::Octree | Preset::KdTree => Preset::Balanced,
        other => other,
    };
    let options = Options { preset, max_leaf: 1, split_budget: Some(0.0), ..*options };
    let Collapsed { bvh, binary_cost } =
        build_level(references, &Primitives::default(), instances.len(), &options, monitor)?;
    Ok((Tlas { instances, bvh }, binary_cost))
}

fn build_level(
    references: Scratch<TaggedBox>,
    primitives: &Primitives,
    item_count: usize,
    options: &Options,
    monitor: &Monitor<'_>,
) -> Result<Collapsed, BuildError> {
    if references.is_empty() {
        let root = *Bvh::empty().root();
        return Ok(Collapsed {
            bvh: Bvh::new(vec![root], Vec::new(), item_count)?,
            binary_cost: 0.0,
        });
    }
    let cells = |cut| {
        let size = (options.width, options.max_leaf);
        cells::build(cut, &references, primitives, item_count, size, monitor)
    };
    let nodes = match options.preset {
        Preset::Octree => return cells(Cut::Octree),
        Preset::KdTree => return cells(Cut::KdTree),
        Preset::Fast => {
            let leaf = |place: usize| {
                TaggedBox::leaf(references[place].bounds(), references[place].tag_a())
            };
            ploc::build(references.len(), leaf, monitor)?
        }
        Preset::Balanced if options.split_budget() == 0.0 => binned::build(references, monitor)?,
        Preset::Balanced => {
            let budget = options.split_budget();
            spatial_split::build(references, primitives, budget, CutThreshold::BALANCED, monitor)?
        }
        Preset::Best => {
            let budget = options.split_budget();
            let mut nodes =
                spatial_split::build(references, primitives, budget, CutThreshold::BEST, monitor)?;
            reinsertion::optimise(&mut nodes, Effort::default(), monitor)?;
            nodes
        }
    };
    collapse::collapse(nodes, item_count, options.width, &SurfaceArea::new(options), monitor)
}
